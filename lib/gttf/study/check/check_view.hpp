// SPDX-License-Identifier: Apache-2.0
// The outcome of a check as table, document, summary and test report.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/core/test_report.hpp"
#include "gttf/study/check/check.hpp"
#include "gttf/study/check/failure_cause.hpp"

namespace gttf {

/// A check with the causes of its failures: one per result, empty for those
/// that passed.
struct CheckStory {
  const RequirementFile& file;
  std::span<const DetectorInput> detectors;
  const CheckOutcome& outcome;
  std::vector<FailureCause> causes;
};

CheckStory make_story(const RequirementFile& file,
                      std::span<const DetectorInput> detectors,
                      const CheckOutcome& outcome);

/// How much is told: the worst point of each requirement, or all points.
enum class CheckDetail { worst, all };

/// A row per point, or per requirement; columns: docs/reference/columns.md.
Table check_table(const CheckStory& story, CheckDetail detail);

Document check_document(const CheckStory& story, CheckDetail detail);

Summary check_summary(const CheckStory& story, CheckDetail detail);

/// A case per requirement, a suite per detector; failed ones stand at the key
/// that changed, or else at the requirement.
TestReport check_report(const CheckStory& story);

}  // namespace gttf
