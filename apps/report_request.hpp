// SPDX-License-Identifier: Apache-2.0
// Common part of report and plot: converts a study to a page.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/output/provenance.hpp"
#include "gttf/study/report/report.hpp"
#include "inputs.hpp"

namespace gttf::app {

/// The study and the parts to show.
class ReportRequest {
 public:
  /// Reads all files. Throws InputError or UsageError.
  /// A result of optimise among the arguments becomes sections of the page.
  explicit ReportRequest(Options options);

  /// Evaluates the requirements in `file`, or those of the study if it is
  /// empty.
  void add_requirements(const std::string& file);

  /// @param progress  as ReportOptions::progress
  Page make_page(
      const std::function<void(std::size_t, std::size_t)>& progress = {}) const;
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

  Page make_study_page(ReportOptions options) const;

  std::optional<OptimisationResult> optimised_;
  Study study_;
  std::string published_;
  std::optional<RequirementFile> requirements_;
  ReportOptions options_;
};

}  // namespace gttf::app
