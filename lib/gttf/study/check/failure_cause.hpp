// SPDX-License-Identifier: Apache-2.0
// FailureCause: why a requirement is not met.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/check/check.hpp"
#include "gttf/study/compare/attribution.hpp"

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

}  // namespace gttf
