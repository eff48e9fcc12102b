// SPDX-License-Identifier: Apache-2.0
#include "report_request.hpp"

#include <algorithm>
#include <utility>

#include "gttf/config/sha256.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"
#include "gttf/output/json.hpp"
#include "gttf/study/optimise/optimisation_page.hpp"
#include "usage.hpp"

namespace gttf::app {

namespace {

/// Takes the files out of the arguments that end with .json: studies and
/// detectors are YAML.
std::vector<std::string> take_results(std::vector<std::string>& arguments) {
  std::vector<std::string> results;
  for (const std::string& argument : arguments)
    if (argument.ends_with(".json")) results.push_back(argument);
  std::erase_if(arguments, [](const std::string& argument) {
    return argument.ends_with(".json");
  });
  return results;
}

}  // namespace

ReportRequest::ReportRequest(Options options) {
  const std::vector<std::string> results = take_results(options.arguments);
  if (results.size() > 1)
    throw UsageError("one result of optimise is shown at a time; " +
                     in_quotes(results[1]) + " is a second one");
  for (const std::string& file : results) {
    const std::string text = read_file(file, "result of optimise");
    optimised_.emplace(file, sha256(text), read_json(text, file));
  }
  add_usual_tracks(options, usual_momenta, usual_momenta);
  study_ = read_study(options, "show");
  published_ = options.published;
  if (!published_.empty()) options_.published = read_published(published_);
  // Toys are simulated only with the option, not because of a study file.
  if (options.toys) options_.toys = study_.request.toys.toys;
  options_.threads = options.threads;
}

void ReportRequest::add_requirements(const std::string& file) {
  const std::string& path = file.empty() ? study_.request.requirements : file;
  if (!path.empty()) requirements_ = requirements_for(path, study_.request);
}

Page ReportRequest::make_page(
    const std::function<void(std::size_t, std::size_t)>& progress) const {
  ReportOptions options = options_;
  options.progress = progress;
  Page page = make_study_page(std::move(options));
  // after the summary
  std::size_t at = std::min<std::size_t>(1, page.sections.size());
  if (optimised_)
    for (PageSection& section :
         optimisation_sections(optimised_->document, optimised_->file,
                               study_.request, options_.threads))
      page.sections.insert(
          page.sections.begin() + static_cast<std::ptrdiff_t>(at++),
          std::move(section));
  return page;
}

Page ReportRequest::make_study_page(ReportOptions options) const {
  if (!requirements_)
    return make_report(study_.request, study_.detectors, options);
  const CheckOutcome outcome = check(*requirements_, study_.detectors,
                                     Engine::streaming, options_.threads);
  const CheckStory story = make_story(*requirements_, study_.inputs, outcome);
  options.check = &story;
  return make_report(study_.request, study_.detectors, options);
}

std::optional<Provenance> ReportRequest::provenance(const Call& call) const {
  std::optional<Provenance> p =
      provenance_of(call, &study_.request, study_.detectors);
  if (!p) return p;
  if (options_.toys > 0) p->seed = study_.request.toys.seed;
  if (!published_.empty())
    p->inputs.push_back({published_, sha256(read_file(published_, {}))});
  if (optimised_) p->inputs.push_back({optimised_->file, optimised_->sha256});
  if (!requirements_) return p;
  p->inputs.push_back(
      {requirements_->request.file, requirements_->request.sha256});
  if (!requirements_->baseline_file.empty())
    p->inputs.push_back(
        {requirements_->baseline_file, requirements_->baseline_sha256});
  return p;
}

}  // namespace gttf::app
