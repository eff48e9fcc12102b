// SPDX-License-Identifier: Apache-2.0
// export: a detector as a Delphes geometry, or a lookup table of covariances.
#include <cstdio>
#include <vector>

#include "common.hpp"
#include "ending.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/import/export_delphes.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan.hpp"
#include "outputs.hpp"
#include "parse.hpp"
#include "shipped_option.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

class Export : public Verb {
 public:
  Export() : Verb("export", "A detector for other programs: card or table") {
    takes_detector(command().add_option("DETECTOR", track_.study.detectors,
                                        "Detector file; - is standard input"))
        ->expected(1)
        ->required();
    to_option_ = command()
                     .add_option("--to", to_,
                                 "delphes: geometry of a card; lut: lookup "
                                 "table of covariances")
                     ->type_name("delphes|lut")
                     ->required();
    command().add_flag("--lossy", lossy_,
                       "delphes: write it even if something is lost");
    declare_overrides(command(), overrides_);
    track_.declare(command(), true);
    compute_.declare(command(), ComputeOptions::Machine::threads_and_vectors);
    output_.declare(command(), true);
    command().footer(
        "\nThe options of track, computation and format are for the lookup "
        "table, which is\ncsv or json.\n"
        "\nExamples:\n"
        "  gttf-design export detectors/cld.yaml --to delphes -o cld.tcl\n"
        "  gttf-design export detectors/cld.yaml --to lut --pt "
        "0.1GeV:100GeV:50 "
        "--eta 0:2.5:26 -o cld-lut.csv");
  }

  int run(const Call& call) override {
    check_choice("--to", to_, choices(*to_option_));
    return to_ == "delphes" ? write_card() : write_lookup_table(call);
  }

 private:
  // Options that a card has no use for: whoever gives them expects something.
  void check_card_options() const {
    for (const CLI::Option* option : command().get_options()) {
      if (option->count() == 0) continue;
      const std::string group = option->get_group();
      const std::string name = option->get_name();
      if (group == "Track" || group == "Computation" || name == "--format" ||
          name == "--precision" || name == "--no-provenance")
        throw UsageError(name + " is for --to lut: a card has no tracks");
    }
    if (output_.files.size() > 1) throw UsageError("-o: given more than once");
  }

  int write_card() const {
    check_card_options();
    const std::string& file = track_.study.detectors.front();
    const std::string target =
        output_.files.empty() ? "-" : output_.files.front();
    check_ending(target, {".tcl"}, "a card is Tcl");
    const Detector detector = load_detector(file, overrides_, output_.quiet);
    DelphesGeometry geometry = to_delphes(detector);
    if (!lossy_ && !geometry.losses.empty()) throw InputError(geometry.losses);
    if (geometry.rows == 0)
      throw UsageError(in_quotes(file) +
                       ": Delphes knows none of its layers; nothing is left");
    AtomicFile out(target);
    out.stream() << geometry.text;
    out.commit();
    Diagnostics told;
    for (Diagnostic d : geometry.losses.items()) {
      d.severity = Severity::warning;
      told.add(std::move(d));
    }
    app::show(told, output_.quiet);
    return good;
  }

  int write_lookup_table(const Call& call) {
    if (lossy_) throw UsageError("--lossy is for --to delphes");
    if (output_.format.empty() && output_.files.empty()) output_.format = "csv";
    check_formats(output_);
    compute_.use_simd();
    const StudyRequest request = read_request("", track_.study);
    const std::vector<Detector> detectors =
        load_detectors(request, overrides_, output_.quiet);
    ScanOptions computation{compute_.engine(), compute_.threads, {}};
    check_engine(computation.engine, request);
    tell_assumed_materials(request, detectors, output_.quiet);
    for (const Detector& detector : detectors) model_of(request, detector);
    Outputs outputs(
        output_, provenance_of(call.arguments, output_, &request, detectors));
    if (outputs.any(Format::table) || outputs.any(Format::markdown))
      throw UsageError(
          "a lookup table is csv or json: use --format csv or -o FILE.csv");
    Progress::Settings settings;
    settings.wanted = !output_.quiet && !output_.no_progress;
    Progress bar("export", settings);
    computation.progress = [&bar](std::size_t done, std::size_t total) {
      bar.update(done, total);
    };
    const auto sink = outputs.table_sink("", {}, {}, &bar);
    const std::size_t evaluated =
        scan_covariances(request, detectors, computation, *sink);
    outputs.commit();
    if (evaluated > 0) return good;
    std::fputs(
        "gttf-design: no track could be evaluated; the column status "
        "tells why\n",
        stderr);
    return no_track;
  }

  std::string to_;
  CLI::Option* to_option_ = nullptr;
  bool lossy_ = false;
  std::vector<std::string> overrides_;
  TrackOptions track_;
  ComputeOptions compute_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_export() { return std::make_unique<Export>(); }

}  // namespace gttf::app
