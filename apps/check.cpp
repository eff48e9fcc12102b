// SPDX-License-Identifier: Apache-2.0
// check: are the requirements met? The exit code says so.
#include "gttf/study/check/check.hpp"

#include <cstdio>
#include <optional>
#include <utility>

#include "baseline_file.hpp"
#include "common.hpp"
#include "gttf/study/check/check_view.hpp"
#include "outputs.hpp"
#include "report_files.hpp"
#include "shipped_option.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

class Check : public Verb {
 public:
  Check() : Verb("check", "Are requirements met? What broke them?") {
    takes_requirements(
        command().add_option("REQUIREMENTS", file_,
                             "File of requirements; - is standard input"))
        ->required();
    takes_detector(
        command().add_option(
            "--detector", study_.detectors,
            "Detector file in place of those of the file; repeatable"))
        ->allow_extra_args(false)
        ->group("Detector");
    declare_overrides(command(), overrides_);
    command()
        .add_option("--baseline", baseline_,
                    "Baseline in place of that of the file")
        ->type_name("FILE")
        ->group("Requirements");
    command()
        .add_flag("--all", all_,
                  "Tell every point, not only the worst (csv "
                  "always does)")
        ->group("Output");
    reports_.declare(command());
    compute_.declare(command(), ComputeOptions::Machine::threads_and_vectors);
    output_.declare(command(), false);
    command().footer(
        "\nThe exit code is 0 if all requirements are met, 1 if one is not, 2 "
        "if the file is\nwrong (an unknown column, a requirement of no point, "
        "a limit without unit), 3 if no\ntrack could be evaluated. Reports are "
        "written with 0, 1 and 3.\n"
        "\nExamples:\n"
        "  gttf-design check configs/check/alice_its2.yaml\n"
        "  gttf-design check requirements.yaml --github "
        "--markdown \"$GITHUB_STEP_SUMMARY\"\n"
        "  gttf-design check requirements.yaml --junit check.xml "
        "--gitlab codequality.json\n"
        "  gttf-design check requirements.yaml "
        "--set 'layers[L0].material=0.5 %' --all");
  }

  int run(const Call& call) override {
    check_formats(output_);
    try {
      return look(call);
    } catch (const InputError& error) {
      reports_.annotate(error.diagnostics());
      throw;
    }
  }

 private:
  int look(const Call& call) {
    const RequirementFile file =
        read_requirements(file_, study_, baseline_, load_baseline);
    const std::vector<DetectorInput> inputs =
        load_inputs(file.request, overrides_, output_.quiet);
    std::vector<Detector> detectors;
    for (const DetectorInput& input : inputs)
      detectors.push_back(input.detector);

    std::optional<Provenance> provenance =
        provenance_of(call.arguments, output_, &file.request, detectors);
    if (provenance && !file.baseline_file.empty())
      provenance->inputs.push_back({file.baseline_file, file.baseline_sha256});
    Outputs outputs(output_, provenance);
    reports_.open(output_.files);

    compute_.use_simd();
    const CheckOutcome outcome =
        check(file, detectors, compute_.engine(), compute_.threads);
    const CheckStory story = make_story(file, inputs, outcome);
    const CheckDetail detail = all_ ? CheckDetail::all : CheckDetail::worst;
    const Summary summary = check_summary(story, detail);
    Result result;
    result.table = check_table(story, CheckDetail::all);
    result.document = check_document(story, detail);
    result.summary = summary;
    outputs.write(result);
    reports_.write(check_report(story), summary);
    outputs.commit();
    reports_.commit();
    return code_of(outcome);
  }

  int code_of(const CheckOutcome& outcome) const {
    if (outcome.passed()) return good;
    if (outcome.evaluated > 0) return check_failed;
    if (!output_.quiet)
      std::fputs(
          "gttf-design: no track has a resolution; the result tells "
          "why\n",
          stderr);
    return no_track;
  }

  std::string file_, baseline_;
  std::vector<std::string> overrides_;
  bool all_ = false;
  StudyOptions study_;
  ReportFiles reports_;
  ComputeOptions compute_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_check() { return std::make_unique<Check>(); }

}  // namespace gttf::app
