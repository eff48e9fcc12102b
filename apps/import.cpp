// SPDX-License-Identifier: Apache-2.0
// import: converts descriptions of other programs to detector files.
#include "gttf/detector/import/import.hpp"

#include <string>

#include "gttf/config/quantity.hpp"
#include "gttf/config/source.hpp"
#include "gttf/core/units.hpp"
#include "gttf/output/atomic_file.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

// "gttf-design: FILE: 6 rows (delphes): 5 layers, 1 warning"
std::string summary(const std::string& file, const Imported& imported) {
  const auto counted = [](std::size_t n, const std::string& noun) {
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
  };
  return "gttf-design: " + (file == "-" ? "<stdin>" : file) + ": " +
         counted(imported.rows, "row") + " (" +
         std::string(to_string(imported.format)) +
         "): " + counted(imported.layers, "layer") + ", " +
         counted(imported.notes.items().size(), "warning");
}

ImportOptions import_options(const Options& from) {
  ImportOptions options;
  options.name = from.name;
  options.table = from.table;
  for (const auto& [name, format] : foreign_formats)
    if (name == from.import_format) options.format = format;
  if (from.field.empty()) return options;
  const auto field = parse_quantity(from.field, Dimension::field);
  if (field) {
    options.tesla = field.value / unit::T;
    return options;
  }
  Diagnostic d = Source("--field", from.field, Source::Kind::option)
                     .at(field.offset, field.length);
  d.problem = field.problem;
  d.suggestion = field.suggestion;
  Diagnostics diagnostics;
  diagnostics.add(std::move(d));
  throw InputError(std::move(diagnostics));
}

int run_import(const Call& call) {
  const Options& options = call.options;
  const ImportOptions how = import_options(options);
  if (!options.file.empty())
    check_ending(options.file, {".yaml", ".yml"}, "a detector is YAML");
  const Imported imported = import_detector(options.imported, how);
  AtomicFile out(options.file.empty() ? "-" : options.file);
  out.stream() << imported.text;
  out.commit();
  app::show(imported.notes, options.quiet);
  if (!options.quiet) print_note(summary(options.imported, imported) + '\n');
  return good;
}

}  // namespace

const Verb import_verb{
    "import",
    of::import_,
    "Convert descriptions of other programs to detector files",
    "What has no counterpart is reported on standard error.",
    "import delphes_card_CLD.tcl -o cld.yaml\n"
    "import a3geometry_v3.ini --field 2T -o alice3.yaml\n"
    "import ODD.txt --field 2T | gttf-design show -",
    run_import};

}  // namespace gttf::app
