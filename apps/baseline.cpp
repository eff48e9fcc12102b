// SPDX-License-Identifier: Apache-2.0
// baseline: saves the resolutions of a study for later comparison.
#include "gttf/study/check/baseline.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "computation.hpp"
#include "gttf/config/opened_files.hpp"
#include "gttf/study/scan/scan.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

std::string without_folder(const std::string& file) {
  return std::filesystem::path(file).filename().string();
}

// The provenance in the file must not depend on the folder or on options
// without effect on the result, because files are compared as a whole.
Provenance study_provenance(const Call& call, const Study& study) {
  std::vector<std::string> files = study.request.detectors;
  files.push_back(study.request.file);
  const std::array<std::string_view, 3> with_value{"-o", "--threads", "--simd"};
  std::vector<std::string> words;
  for (std::size_t i = 0; i < call.command.size(); ++i) {
    const std::string& word = call.command[i];
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::count(with_value, name) > 0) {
      if (name == word) ++i;  // its value
    } else if (word == "-q" || word == "--quiet" || word == "--no-progress" ||
               (word.starts_with("-o") && word.size() > 2)) {
      continue;
    } else {
      const bool file =
          std::ranges::count(files, word) > 0 || std::filesystem::exists(word);
      words.push_back(file ? without_folder(word) : word);
    }
  }
  Provenance provenance = make_provenance(words);
  if (!study.request.file.empty())
    provenance.inputs.push_back(
        {without_folder(study.request.file), study.request.sha256});
  for (const Detector& detector : study.detectors)
    provenance.inputs.push_back(
        {without_folder(detector.file), detector.sha256});
  return provenance;
}

int run_baseline(const Call& call) {
  const Options& options = call.options;
  OutputOptions output = options;
  output.format = "json";
  if (!options.file.empty()) {
    check_ending(options.file, {".json"}, "a baseline is JSON");
    output.files = {options.file};
  }
  // requirements name the file that this run writes
  replace_named("baseline");
  const Engine engine = engine_of(options);
  Study study = read_study(options, "store");
  Outputs outputs(output, study_provenance(call, study));
  std::vector<BaselineDetector> results;
  std::size_t evaluated = 0;
  ScanOptions computation{engine, options.threads, {}};
  // the bytes of the file must not depend on the vector instructions
  computation.path = CodePath::scalar;
  for (DetectorInput& input : study.inputs) {
    ScanTable scanned = scan_table(study.request, input.detector, computation);
    evaluated += scanned.evaluated;
    input.detector.file = without_folder(input.detector.file);
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
    "The file also contains the descriptions of the detectors, so check needs "
    "no\n"
    "other file. The same study gives the same bytes, so commit it.",
    "baseline configs/barrel.yaml -o baseline.json\n"
    "baseline detectors/cld.yaml --p 1GeV,10GeV,100GeV --theta 90deg,40deg -o "
    "cld.json",
    run_baseline};

}  // namespace gttf::app
