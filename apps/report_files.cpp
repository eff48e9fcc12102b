// SPDX-License-Identifier: Apache-2.0
#include "report_files.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "gttf/output/atomic_file.hpp"
#include "gttf/output/ci_report.hpp"
#include "gttf/output/json.hpp"
#include "gttf/output/text.hpp"
#include "outputs.hpp"

namespace gttf::app {
namespace {

namespace fs = std::filesystem;

// File names for CI services: relative to the folder in which the program runs.
std::string path_in_repository(const std::string& file) {
  if (file.empty() || file == "-") return file;
  const fs::path path = fs::path(file).lexically_normal();
  if (path.is_relative()) return path.generic_string();
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return path.generic_string();
  const fs::path relative = path.lexically_relative(here);
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return (inside ? relative : path).generic_string();
}

// The step summary of GitHub is shared by all programs of a step.
bool is_shared_summary(const std::string& file) {
  const char* shared = std::getenv("GITHUB_STEP_SUMMARY");
  return shared != nullptr && file == shared;
}

}  // namespace

void ReportFiles::open(const std::vector<std::string>& outputs) {
  std::vector<std::string> taken = outputs;
  if (taken.empty()) taken.emplace_back("-");
  const auto open_one = [&](const char* option, const std::string& file,
                            std::unique_ptr<AtomicFile>& opened) {
    if (file.empty()) return;
    check_given_once(option, file, taken);
    taken.push_back(file);
    const auto claim = claim_output(file, option);
    std::string before;
    std::error_code error;
    if (is_shared_summary(file) && fs::is_regular_file(file, error))
      before = read_file(file, "summary", claim.get());
    opened = std::make_unique<AtomicFile>(file, claim);
    if (!before.empty())
      opened->stream() << before << (before.ends_with('\n') ? "" : "\n")
                       << '\n';
  };
  open_one("--junit", options_.junit, junit_file_);
  open_one("--gitlab", options_.gitlab, gitlab_file_);
  open_one("--markdown", options_.markdown, markdown_file_);
}

void ReportFiles::write(TestReport report, const Summary& summary) {
  for (TestCase& test : report.cases) test.file = path_in_repository(test.file);
  if (junit_file_) write_junit(junit_file_->stream(), report);
  if (gitlab_file_) write_code_quality(gitlab_file_->stream(), report);
  if (markdown_file_) write_markdown(markdown_file_->stream(), summary, {});
  if (!options_.github) return;
  FileStream out(STDERR_FILENO, "standard error", false);
  write_github(out, report);
}

void ReportFiles::annotate(const Diagnostics& diagnostics) const {
  if (!options_.github) return;
  Diagnostics named;
  for (Diagnostic d : diagnostics.items()) {
    if (d.line > 0) d.file = path_in_repository(d.file);
    named.add(std::move(d));
  }
  FileStream out(STDERR_FILENO, "standard error", false);
  write_github(out, named);
}

void ReportFiles::commit() {
  for (const auto* file : {&junit_file_, &gitlab_file_, &markdown_file_})
    if (*file) (*file)->commit();
}

}  // namespace gttf::app
