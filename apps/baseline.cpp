// SPDX-License-Identifier: Apache-2.0
// baseline: the resolutions of a study in a file, to compare with later.
#include "gttf/study/check/baseline.hpp"

#include <utility>

#include "detector_grid.hpp"
#include "ending.hpp"
#include "gttf/study/scan/scan_table.hpp"
#include "outputs.hpp"
#include "parse.hpp"
#include "shipped_option.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

class BaselineVerb : public Verb {
 public:
  BaselineVerb()
      : Verb("baseline",
             "Keeps the resolutions of a study in a file, for check") {
    takes_detector_or_study(
        command().add_option("FILE", file_, "Study, or a detector file"))
        ->required();
    declare_overrides(command(), overrides_);
    track_.declare(command(), true);
    compute_.declare(command(), ComputeOptions::Machine::threads);
    command()
        .add_option("-o,--output", output_.files,
                    "Write to this JSON file instead of standard output")
        ->type_name("FILE")
        ->expected(1)
        ->group("Output");
    command()
        .add_flag("--quiet", output_.quiet,
                  "Say nothing but errors (no warnings)")
        ->group("Output");
    command().footer(
        "\nThe file also keeps the descriptions of the detectors: it needs no "
        "other file\nto be compared with. The same study gives the same "
        "bytes, so commit it.\n"
        "\nExamples:\n"
        "  gttf-design baseline configs/barrel.yaml -o baseline.json\n"
        "  gttf-design baseline detectors/cld.yaml --p 1GeV,10GeV,100GeV "
        "--theta 90deg,40deg -o cld.json");
  }

  int run(const Call& call) override {
    output_.format = "json";
    for (const std::string& file : output_.files)
      check_ending(file, {".json"}, "a baseline is JSON");
    const Engine engine = compute_.engine();
    const bool study = is_study(file_);
    if (!study) track_.study.detectors = {file_};
    const StudyRequest request = read_request(study ? file_ : "", track_.study);
    std::vector<DetectorInput> inputs =
        load_inputs(request, overrides_, output_.quiet);
    std::vector<Detector> detectors;
    detectors.reserve(inputs.size());
    for (const DetectorInput& input : inputs)
      detectors.push_back(input.detector);
    Outputs outputs(
        output_, provenance_of(call.arguments, output_, &request, detectors));
    std::vector<BaselineDetector> results;
    std::size_t evaluated = 0;
    ScanOptions computation{engine, compute_.threads, {}};
    // a file that is kept is the same bytes with any vector instructions
    computation.in_lanes = false;
    for (DetectorInput& input : inputs) {
      ScanTable scanned = scan_table(request, input.detector, computation);
      evaluated += scanned.evaluated;
      results.push_back({std::move(input), std::move(scanned.rows)});
    }
    Result result;
    result.document = baseline_document(request, results, engine);
    outputs.write(result);
    outputs.commit();
    const Column* status = results.front().rows.find("status");
    return code_of(evaluated, std::get<Texts>(status->cells).front(),
                   output_.quiet);
  }

 private:
  std::string file_;
  std::vector<std::string> overrides_;
  TrackOptions track_;
  ComputeOptions compute_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_baseline_verb() {
  return std::make_unique<BaselineVerb>();
}

}  // namespace gttf::app
