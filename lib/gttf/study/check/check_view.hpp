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

// FailureCause: the cause of an unmet requirement.
namespace gttf {

/// A contribution to a value: the error of a layer or its material.
struct LimitedBy {
  std::string what;  ///< "L0 scattering"
  double share = 0;
};

/// The cause of failure at the worst point of a requirement.
struct FailureCause {
  /// Value there for the baseline detector, recomputed; NaN: none.
  double before = Resolution::none;
  bool failed_before = false;  ///< that value is also beyond the limit
  /// Differences from the baseline detector: first the keys that changed the
  /// value in the observed direction, by size. Shares are NaN if undetermined.
  std::vector<KeyChange> changes;
  double total = Resolution::none;  ///< change of the logarithm
  double remainder = Resolution::none;
  /// Without a baseline, if nothing changed or it failed before: the largest
  /// parts of the value.
  std::vector<LimitedBy> limited_by;

  /// The first change with a location in the detector file, or null.
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

/// A row per point, or per requirement; columns: docs/reference/columns.md.
Table check_table(const CheckStory& story, CheckDetail detail);
/// The same rows for one result.
Table check_table(const RequirementFile& file,
                  std::span<const DetectorInput> detectors,
                  const CheckResult& result, CheckDetail detail);

Document check_document(const CheckStory& story, CheckDetail detail);

Summary check_summary(const CheckStory& story, CheckDetail detail);

/// A case per requirement, a suite per detector; the location of a failed one
/// is the key that changed, or else the requirement.
TestReport check_report(const CheckStory& story);

}  // namespace gttf

// Texts for the outcome of a check.
namespace gttf::detail {

/// The requirement that a result belongs to.
inline const Criterion& criterion_of(const CheckStory& story,
                                     const CheckResult& result) {
  return story.file.criteria[result.criterion];
}

/// "pt = 1 GeV, theta = 90 deg"; of a coverage "58 of 60 points", of a range
/// where it is not covered: "eta 0.915 to 0.945: 7 hits".
std::string where_text(const CheckStory& story, const CheckResult& result);

/// The angles of a range at which a requirement is not met:
/// "eta 0.915 to 0.945: 7 hits; eta 1.2: 6 hits".
std::string failed_text(const CheckStory& story, const CheckResult& result);

/// "41.4 um", "scattering"; instead of a missing value: "too few hits".
std::string value_text(const CheckStory& story, const CheckResult& result);

/// "<= 40 um", ">= 7", "23.9 um to 24.1 um", "scattering or mixed".
std::string limit_text(const CheckStory& story, const CheckResult& result);

/// "+3.1 %", negative beyond the limit; "-" if there is none.
std::string margin_text(const CheckedPoint& point);

/// "sigma_d0_um = 41.4 um at pt = 1 GeV, theta = 90 deg; required <= 40 um".
std::string failure_line(const CheckStory& story, const CheckResult& result);

/// "layers[L0].material: 0.35 % -> 0.5 %".
std::string change_text(const KeyChange& change);

/// Details after the failure line: names and values, in order.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts failure_facts(const CheckStory& story, std::size_t result);

}  // namespace gttf::detail
