// SPDX-License-Identifier: Apache-2.0
// baseline: the resolutions of a study in a file, to compare with later.
#include "gttf/study/check/baseline.hpp"

#include <utility>

#include "computation.hpp"
#include "gttf/study/scan/scan_table.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

int run_baseline(const Call& call) {
  const Options& options = call.options;
  OutputOptions output = options;
  output.format = "json";
  if (!options.file.empty()) {
    check_ending(options.file, {".json"}, "a baseline is JSON");
    output.files = {options.file};
  }
  const Engine engine = engine_of(options);
  Study study = read_study(options, "store");
  Outputs outputs(output, provenance_of(call, &study.request, study.detectors));
  std::vector<BaselineDetector> results;
  std::size_t evaluated = 0;
  ScanOptions computation{engine, options.threads, {}};
  // a file that is kept is the same bytes with any vector instructions
  computation.in_lanes = false;
  for (DetectorInput& input : study.inputs) {
    ScanTable scanned = scan_table(study.request, input.detector, computation);
    evaluated += scanned.evaluated;
    results.push_back({std::move(input), std::move(scanned.rows)});
  }
  Result result;
  result.document = baseline_document(study.request, results, engine);
  outputs.write(result);
  outputs.commit();
  const Column* status = results.front().rows.find("status");
  return code_of(evaluated, std::get<Texts>(status->cells).front(),
                 options.quiet);
}

}  // namespace

const Verb baseline_verb{
    "baseline",
    of::baseline,
    "Save the resolutions of a study as the reference for check",
    "The file also holds the descriptions of the detectors: it needs no other "
    "file\n"
    "to be compared with. The same study gives the same bytes, so commit it.",
    "baseline configs/barrel.yaml -o baseline.json\n"
    "baseline detectors/cld.yaml --p 1GeV,10GeV,100GeV --theta 90deg,40deg -o "
    "cld.json",
    run_baseline};

}  // namespace gttf::app
