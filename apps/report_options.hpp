// SPDX-License-Identifier: Apache-2.0
// What report and plot share: a study, turned into a page.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common.hpp"
#include "gttf/study/report/report.hpp"

namespace gttf::app {

/// The study and how much of it is shown.
class ReportRequest {
 public:
  void declare(CLI::App& command);
  /// --requirements.
  void declare_requirements(CLI::App& command);

  /// Reads all files; what follows may be called then. Throws InputError or
  /// UsageError.
  void read(bool quiet);

  Page make_page() const;
  std::optional<Provenance> provenance(
      const std::vector<std::string>& arguments, bool wanted) const;

 private:
  std::string study_;
  std::vector<std::string> overrides_;
  TrackOptions track_;
  std::string published_, requirements_file_;
  bool shows_requirements_ = false;
  unsigned threads_ = 0;
  StudyRequest request_;
  std::vector<DetectorInput> described_;
  std::vector<Detector> detectors_;
  std::optional<RequirementFile> requirements_;
  ReportOptions options_;
};

}  // namespace gttf::app
