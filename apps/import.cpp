// SPDX-License-Identifier: Apache-2.0
// import: descriptions of other programs as detector files.
#include "gttf/detector/import/import.hpp"

#include <cstdio>
#include <string>

#include "common.hpp"
#include "ending.hpp"
#include "gttf/config/quantity.hpp"
#include "gttf/config/source.hpp"
#include "gttf/core/units.hpp"
#include "gttf/output/atomic_file.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

constexpr auto formats = "delphes|fasttracker|slac";

class Import : public Verb {
 public:
  Import()
      : Verb("import", "Descriptions of other programs as detector files") {
    command()
        .add_option("FILE", file_,
                    "Delphes card, FastTracker .ini or four columns; - is "
                    "standard input")
        ->type_name("FILE")
        ->required();
    from_option_ = command()
                       .add_option("--from", from_,
                                   "Format (default: as the content tells)")
                       ->type_name(formats);
    command()
        .add_option("--field", field_,
                    "Solenoid field, where FILE tells none or another: 2T")
        ->type_name("VALUE");
    command()
        .add_option("--name", name_,
                    "Name of the detector (default: from that of FILE)")
        ->type_name("NAME");
    command()
        .add_option("-o,--output", output_,
                    "Write to FILE instead of standard output")
        ->type_name("FILE")
        ->group("Output");
    command()
        .add_flag("--quiet", quiet_, "Say nothing but errors (no report)")
        ->group("Output");
    command().footer(
        "\nWhat has no counterpart is reported on standard error.\n"
        "\nExamples:\n"
        "  gttf-design import delphes_card_CLD.tcl -o cld.yaml\n"
        "  gttf-design import a3geometry_v3.ini --field 2T -o alice3.yaml\n"
        "  gttf-design import ODD.txt --field 2T | gttf-design show -");
  }

  int run(const Call&) override {
    const ImportOptions options = read_options();
    if (!output_.empty())
      check_ending(output_, {".yaml", ".yml"}, "a detector is YAML");
    const Imported imported = import_detector(file_, options);
    AtomicFile out(output_.empty() ? "-" : output_);
    out.stream() << imported.text;
    out.commit();
    app::show(imported.notes, quiet_);
    if (!quiet_) std::fputs((summary(imported) + "\n").c_str(), stderr);
    return good;
  }

 private:
  // "gttf-design: FILE: 6 rows (delphes) made 5 layers, 1 warning"
  std::string summary(const Imported& imported) const {
    const auto counted = [](std::size_t n, const std::string& noun) {
      return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
    };
    return "gttf-design: " + (file_ == "-" ? "<stdin>" : file_) + ": " +
           counted(imported.rows, "row") + " (" +
           std::string(to_string(imported.format)) + ") made " +
           counted(imported.layers, "layer") + ", " +
           counted(imported.notes.items().size(), "warning");
  }

  ImportOptions read_options() const {
    ImportOptions options;
    options.name = name_;
    if (!from_.empty()) {
      check_choice("--from", from_, choices(*from_option_));
      for (const ForeignFormat format :
           {ForeignFormat::delphes, ForeignFormat::fasttracker,
            ForeignFormat::slac})
        if (to_string(format) == from_) options.format = format;
    }
    if (field_.empty()) return options;
    const auto field = parse_quantity(field_, Dimension::field);
    if (field) {
      options.tesla = field.value / unit::T;
      return options;
    }
    Diagnostic d = Source("--field", field_, Source::Kind::option)
                       .at(field.offset, field.length);
    d.problem = field.problem;
    d.suggestion = field.suggestion;
    Diagnostics diagnostics;
    diagnostics.add(std::move(d));
    throw InputError(std::move(diagnostics));
  }

  std::string file_, from_, field_, name_, output_;
  CLI::Option* from_option_ = nullptr;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_import() { return std::make_unique<Import>(); }

}  // namespace gttf::app
