// SPDX-License-Identifier: Apache-2.0
// What report and plot share: a study, turned into a page.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/output/provenance.hpp"
#include "gttf/study/report/report.hpp"
#include "inputs.hpp"

namespace gttf::app {

/// The study and how much of it is shown.
class ReportRequest {
 public:
  /// Reads all files. Throws InputError or UsageError.
  /// A result of optimise among the arguments becomes sections of the page.
  explicit ReportRequest(Options options);

  /// Evaluates the requirements in `file`, or those of the study if it is
  /// empty.
  void add_requirements(const std::string& file);

  Page make_page() const;
  std::optional<Provenance> provenance(const Call& call) const;

 private:
  struct OptimisationResult {
    OptimisationResult(std::string name, std::string sum, Document content)
        : file(std::move(name)),
          sha256(std::move(sum)),
          document(std::move(content)) {}
    std::string file, sha256;
    Document document;
  };

  Page make_study_page() const;

  std::optional<OptimisationResult> optimised_;
  Study study_;
  std::string published_;
  std::optional<RequirementFile> requirements_;
  ReportOptions options_;
};

}  // namespace gttf::app
