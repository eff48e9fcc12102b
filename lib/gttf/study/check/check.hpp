// SPDX-License-Identifier: Apache-2.0
// Check: requirements against what a detector gives.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/check/requirement_file.hpp"

namespace gttf {

/// A quantity at one point beside its limits, tolerance included; native units,
/// NaN where there is none.
struct CheckedPoint {
  static constexpr double none = Resolution::none;

  GridPoint point;  ///< of a coverage: the first one that is not covered
  double value = none;
  std::string text;  ///< value of a column of text
  double lower = none, upper = none;
  std::vector<std::string> texts;  ///< allowed
  double baseline = none;
  /// Room to the nearer limit over that limit, negative beyond it; of texts and
  /// values that do not exist NaN.
  double margin = none;
  bool passed = false;
  std::string status;  ///< of the track
};

/// Neighbouring angles at which a requirement is not met.
struct FailedInterval {
  std::size_t momentum = 0;  ///< index
  double from = 0, to = 0;   ///< of the requirement's variable: rad, or eta
  int n_hits = 0;            ///< the least in it
};

/// One requirement for one detector.
struct CheckResult {
  std::size_t criterion = 0, detector = 0;  ///< indices
  /// The angles of the requirement, then, of a range, both sides of all edges
  /// of acceptance in it. Points refer to this axis.
  AngleAxis angle;
  std::vector<FailedInterval> failed;  ///< of a range
  std::vector<CheckedPoint> points;    ///< a coverage has one for all points
  std::size_t worst = 0;               ///< index in `points`
  std::size_t n_failed = 0;
  std::size_t n_points = 0, n_covered = 0;  ///< of a coverage

  bool passed() const { return n_failed == 0; }
  const CheckedPoint& worst_point() const { return points[worst]; }
};

struct CheckOutcome {
  std::vector<CheckResult> results;  ///< detectors within requirements
  std::size_t evaluated = 0;         ///< points with a resolution

  std::size_t n_failed() const;
  bool passed() const { return n_failed() == 0; }
};

/// A value passes that is beyond its limit by rounding only: this much of it.
inline constexpr double limit_rounding = 1e-9;

/// Whether `value` would be beyond the limits of that point; NaN is not.
bool is_beyond(const CheckedPoint& point, double value);

/// Looks at all requirements. Where angles are given as a range, both sides of
/// every edge of acceptance between them are looked at, too (unless a baseline
/// is needed, which has the points of its grid only), and a coverage is the
/// share of the range. The outcome does not depend on `threads` (0: all
/// cores). Throws InputError if a limit is not finite somewhere, a layer is
/// unknown, or the baseline lacks the detector, a point or a value.
CheckOutcome check(const RequirementFile& file,
                   std::span<const Detector> detectors,
                   Engine engine = Engine::streaming, unsigned threads = 0);

/// The request of a requirement's grid.
StudyRequest grid_of(const RequirementFile& file, const Criterion& criterion);
/// The same with the angles that a result was evaluated at.
StudyRequest grid_of(const RequirementFile& file, const CheckResult& result);

/// Where the baseline has this track: its row, or none.
inline constexpr std::size_t no_row = static_cast<std::size_t>(-1);
std::size_t baseline_row(const Table& rows, const Track& track,
                         std::size_t hint);

}  // namespace gttf
