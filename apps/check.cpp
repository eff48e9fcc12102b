// SPDX-License-Identifier: Apache-2.0
// check: checks requirements, with the verdict as exit code.
#include "gttf/study/check/check.hpp"

#include <optional>
#include <utility>

#include "computation.hpp"
#include "gttf/study/check/check_view.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "report_files.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

int exit_code(const CheckOutcome& outcome, bool quiet) {
  if (outcome.passed()) return good;
  if (outcome.evaluated > 0) return check_failed;
  if (!quiet)
    print_note(
        "gttf-design: no track has a resolution; see the result for the "
        "reason\n");
  return no_track;
}

int evaluate(const Call& call, ReportFiles& reports) {
  const Options& options = call.options;
  StudyOptions study;
  study.detectors = options.arguments;
  study.detectors.insert(study.detectors.end(), options.detectors.begin(),
                         options.detectors.end());
  RequirementFile file = read_requirements(options.requirements, study,
                                           options.baseline, load_baseline);
  const std::vector<DetectorInput> inputs =
      load_inputs(file.request, options.overrides, options.quiet);
  std::vector<Detector> detectors;
  for (const DetectorInput& input : inputs) detectors.push_back(input.detector);

  std::optional<Provenance> provenance =
      provenance_of(call, &file.request, detectors);
  if (provenance && !file.baseline_file.empty())
    provenance->inputs.push_back({file.baseline_file, file.baseline_sha256});
  Outputs outputs(options, provenance);
  reports.open(options.files);

  use_simd(options);
  const CheckDetail detail =
      options.all_points ? CheckDetail::all : CheckDetail::worst;
  const CheckOutcome outcome =
      check(file, detectors, engine_of(options), options.threads, detail);
  const CheckStory story = make_story(file, inputs, outcome);
  const Summary summary = check_summary(story, detail);
  Result result;
  // computed again: errors have been reported, and all points are many
  result.rows = [&](TableSink& sink) {
    check(file, detectors, engine_of(options), options.threads,
          CheckDetail::worst, [&](const CheckResult& one) {
            sink.write(check_table(file, inputs, one, CheckDetail::all));
          });
  };
  if (outputs.any(Format::json))
    result.document = check_document(story, detail);
  result.summary = summary;
  outputs.write(result);
  reports.write(check_report(story), summary);
  outputs.commit();
  reports.commit();
  return exit_code(outcome, options.quiet);
}

int run_check(const Call& call) {
  check_formats(call.options);
  ReportFiles reports(call.options);
  try {
    return evaluate(call, reports);
  } catch (const InputError& error) {
    reports.annotate(error.diagnostics());
    throw;
  }
}

}  // namespace

const Verb check_verb{
    "check",
    of::check,
    "Check requirements and find the cause of failures",
    "The exit code is 0 if all requirements are met, 1 if one is not, 2 if the "
    "file\n"
    "is wrong (an unknown column, a requirement that matches no point, a "
    "limit\n"
    "without unit), 3 if no track could be evaluated. Reports are written with "
    "0, 1\n"
    "and 3.",
    "check configs/check/alice_its2.yaml\n"
    "check requirements.yaml my_detector.yaml\n"
    "check requirements.yaml --github --markdown \"$GITHUB_STEP_SUMMARY\"\n"
    "check requirements.yaml --junit check.xml --gitlab codequality.json\n"
    "check requirements.yaml --set 'layers[L0].material=0.5 %' --all",
    run_check};

}  // namespace gttf::app
