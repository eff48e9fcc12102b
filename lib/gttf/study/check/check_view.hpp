// SPDX-License-Identifier: Apache-2.0
// The outcome of a check as table, document, summary and test report.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/study/check/check.hpp"
#include "gttf/study/compare/attribution.hpp"

// FailureCause: why a requirement is not met.
namespace gttf {

/// A part of what makes up a value: a layer's error or its material.
struct LimitedBy {
  std::string what;  ///< "L0 scattering"
  double share = 0;
};

/// Why a requirement fails at its worst point.
struct FailureCause {
  /// Value there with the detector of the baseline, now computed; NaN: none.
  double before = Resolution::none;
  bool failed_before = false;  ///< that value is beyond the limit, too
  /// What differs from the detector of the baseline: first the keys that push
  /// the way the value went, by size. Shares are NaN if there is no telling.
  std::vector<KeyChange> changes;
  double total = Resolution::none;  ///< change of the logarithm
  double remainder = Resolution::none;
  /// Without a baseline, if nothing changed or it failed before: the largest
  /// parts of the value.
  std::vector<LimitedBy> limited_by;

  /// The first change that has a place in the detector file, or null.
  const KeyChange* placed() const;
};

/// The cause for a result that failed, at its worst point.
FailureCause find_cause(const RequirementFile& file, const CheckResult& result,
                        std::span<const DetectorInput> detectors);

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

// How the outcome of a check is put into words.
namespace gttf::detail {

/// "pt = 1 GeV, theta = 90 deg"; of a coverage "58 of 60 points", of a range
/// where it is not covered: "eta 0.915 to 0.945: 7 hits".
std::string where_text(const CheckStory& story, const CheckResult& result);

/// The angles of a range at which a requirement is not met:
/// "eta 0.915 to 0.945: 7 hits; eta 1.2: 6 hits".
std::string failed_text(const CheckStory& story, const CheckResult& result);

/// "41.4 um", "scattering"; what there is instead of a value: "too few hits".
std::string value_text(const CheckStory& story, const CheckResult& result);

/// "<= 40 um", ">= 7", "23.9 um to 24.1 um", "scattering or mixed".
std::string limit_text(const CheckStory& story, const CheckResult& result);

/// "+3.1 %", negative beyond the limit; "-" if there is none.
std::string margin_text(const CheckedPoint& point);

/// "sigma_d0_um = 41.4 um at pt = 1 GeV, theta = 90 deg; required <= 40 um".
std::string failure_line(const CheckStory& story, const CheckResult& result);

/// "layers[L0].material: 0.35 % -> 0.5 %".
std::string change_text(const KeyChange& change);

/// What follows the failure line: names and values, in order.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts failure_facts(const CheckStory& story, std::size_t result);

}  // namespace gttf::detail
