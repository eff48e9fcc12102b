// SPDX-License-Identifier: Apache-2.0
#include "report_request.hpp"

#include "gttf/config/sha256.hpp"
#include "gttf/config/source.hpp"
#include "gttf/output/json.hpp"

namespace gttf::app {

ReportRequest::ReportRequest(const Options& options)
    : study_(read_study(options, "show")), published_(options.published) {
  if (!published_.empty()) options_.published = read_published(published_);
  // Toys are simulated only with the option, not because of a study file.
  if (options.toys) options_.toys = study_.request.toys.toys;
  options_.threads = options.threads;
}

void ReportRequest::add_requirements(const std::string& file) {
  const std::string& path = file.empty() ? study_.request.requirements : file;
  if (!path.empty()) requirements_ = requirements_for(path, study_.request);
}

Page ReportRequest::make_page() const {
  if (!requirements_)
    return make_report(study_.request, study_.detectors, options_);
  const CheckOutcome outcome = check(*requirements_, study_.detectors,
                                     Engine::streaming, options_.threads);
  const CheckStory story = make_story(*requirements_, study_.inputs, outcome);
  ReportOptions options = options_;
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
  if (!requirements_) return p;
  p->inputs.push_back(
      {requirements_->request.file, requirements_->request.sha256});
  if (!requirements_->baseline_file.empty())
    p->inputs.push_back(
        {requirements_->baseline_file, requirements_->baseline_sha256});
  return p;
}

}  // namespace gttf::app
