// SPDX-License-Identifier: Apache-2.0
#include "report_options.hpp"

#include "baseline_file.hpp"
#include "gttf/config/quantity.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/source.hpp"
#include "gttf/output/json_read.hpp"
#include "shipped_option.hpp"
#include "usage.hpp"

namespace gttf::app {

void ReportRequest::declare(CLI::App& command) {
  constexpr auto group = "Report";
  takes_study(command.add_option(
      "STUDY", study_, "Study file; - is standard input; options win over it"));
  takes_detector(command.add_option("--detector", track_.study.detectors,
                                    "Detector file; repeatable"))
      ->allow_extra_args(false)
      ->group("Detector");
  declare_overrides(command, overrides_);
  track_.declare(command, true);
  const auto add = [&](const char* name, std::optional<std::string>& value,
                       const char* description) {
    command
        .add_option_function<std::string>(
            name, [&value](const std::string& text) { value = text; },
            description)
        ->type_name("N")
        ->group(group);
  };
  add("--toys", track_.study.toys,
      "Also simulate N tracks at each of eight momenta: pulls and biases");
  add("--seed", track_.study.seed, "Seed of the random numbers (default: 1)");
  command
      .add_option("--published", published_,
                  "Published resolutions to compare with, as in "
                  "detectors/published.csv")
      ->type_name("FILE")
      ->group(group);
  declare_threads(command, threads_);
}

void ReportRequest::declare_requirements(CLI::App& command) {
  shows_requirements_ = true;
  takes_requirements(
      command.add_option("--requirements", requirements_file_,
                         "Requirements to look at, as of check; the detectors "
                         "are those of the report"))
      ->group("Report");
}

void ReportRequest::read(bool quiet) {
  if (study_.empty() && track_.study.detectors.empty())
    throw UsageError("nothing to show: give a study file or --detector");
  request_ = read_request(study_, track_.study);
  described_ = load_inputs(request_, overrides_, quiet);
  for (const DetectorInput& input : described_)
    detectors_.push_back(input.detector);
  if (!published_.empty()) options_.published = read_published(published_);
  // A study file may say how many toys it wants; only asking makes them.
  if (track_.study.toys) options_.toys = request_.toys.toys;
  options_.threads = threads_;
  const std::string& file =
      requirements_file_.empty() ? request_.requirements : requirements_file_;
  if (shows_requirements_ && !file.empty())
    requirements_ = requirements_for(file, request_);
}

Page ReportRequest::make_page() const {
  if (!requirements_) return make_report(request_, detectors_, options_);
  const CheckOutcome outcome =
      check(*requirements_, detectors_, Engine::streaming, threads_);
  const CheckStory story = make_story(*requirements_, described_, outcome);
  ReportOptions options = options_;
  options.check = &story;
  return make_report(request_, detectors_, options);
}

std::optional<Provenance> ReportRequest::provenance(
    const std::vector<std::string>& arguments, bool wanted) const {
  OutputOptions output;
  output.no_provenance = !wanted;
  std::optional<Provenance> p =
      provenance_of(arguments, output, &request_, detectors_);
  if (!p) return p;
  if (options_.toys > 0) p->seed = request_.toys.seed;
  if (!published_.empty())
    p->inputs.push_back({published_, sha256(read_file(published_, {}))});
  if (!requirements_) return p;
  p->inputs.push_back(
      {requirements_->request.file, requirements_->request.sha256});
  if (!requirements_->baseline_file.empty())
    p->inputs.push_back(
        {requirements_->baseline_file, requirements_->baseline_sha256});
  return p;
}

}  // namespace gttf::app
