// SPDX-License-Identifier: Apache-2.0
// ReportFiles: reports of a check for CI systems.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/output/atomic_file.hpp"
#include "options.hpp"

namespace gttf::app {

/// --junit, --gitlab, --markdown and --github.
class ReportFiles {
 public:
  explicit ReportFiles(const Options& options) : options_(options) {}

  /// Opens the files before the work, so that errors are reported early.
  /// `outputs`: of -o. Throws UsageError, OutputError, FileConflict.
  void open(const std::vector<std::string>& outputs);

  /// Writes all reports; annotations go to standard error.
  void write(TestReport report, const Summary& summary);
  /// Annotations for errors in the input, if requested.
  void annotate(const Diagnostics& diagnostics) const;

  /// Commits all files.
  void commit();

 private:
  const Options& options_;
  std::unique_ptr<AtomicFile> junit_file_, gitlab_file_, markdown_file_;
};

}  // namespace gttf::app
