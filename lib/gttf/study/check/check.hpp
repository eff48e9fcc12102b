// SPDX-License-Identifier: Apache-2.0
// Check: compares requirements with the performance of a detector.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/check/requirement_file.hpp"

namespace gttf {

/// A quantity at one point and its limits, including tolerance; native units,
/// NaN if there is none.
struct CheckedPoint {
  static constexpr double none = Resolution::none;

  GridPoint point;  ///< for a coverage: the first one that is not covered
  double value = none;
  std::string text;  ///< value of a column of text
  double lower = none, upper = none;
  std::vector<std::string> texts;  ///< allowed
  double baseline = none;
  /// Distance to the nearer limit relative to that limit, negative beyond it;
  /// NaN for texts and missing values.
  double margin = none;
  bool passed = false;
  std::string status;  ///< of the track
};

/// Consecutive angles at which a requirement is not met.
struct FailedInterval {
  std::size_t momentum = 0;  ///< index
  double from = 0, to = 0;   ///< of the requirement's variable: rad, or eta
  int n_hits = 0;            ///< the smallest in it
};

/// One requirement for one detector.
struct CheckResult {
  std::size_t criterion = 0, detector = 0;  ///< indices
  /// The angles of the requirement; for a range, followed by both sides of all
  /// acceptance edges in it. Points refer to this axis.
  AngleAxis angle;
  std::vector<FailedInterval> failed;  ///< of a range
  std::vector<CheckedPoint> points;    ///< a coverage has one for all points
  std::size_t n_checked = 0;           ///< also if not all `points` are kept
  std::size_t worst = 0;               ///< index in `points`
  std::size_t n_failed = 0;
  std::size_t n_points = 0, n_covered = 0;  ///< for a coverage

  bool passed() const { return n_failed == 0; }
  const CheckedPoint& worst_point() const { return points[worst]; }
};

/// Level of detail: the worst point of each requirement, or all points.
enum class CheckDetail { worst, all };

/// Takes a result with all its points.
using CheckSink = std::function<void(const CheckResult&)>;

struct CheckOutcome {
  std::vector<CheckResult> results;  ///< detectors within requirements
  std::size_t evaluated = 0;         ///< points with a resolution

  std::size_t n_failed() const;
  bool passed() const { return n_failed() == 0; }
};

/// Relative tolerance for rounding: a value beyond its limit by less passes.
inline constexpr double limit_rounding = 1e-9;

/// Whether `value` is beyond the limits of the point; false for NaN.
bool is_beyond(const CheckedPoint& point, double value);

/// Acceptance edges on the grids of a requirements file, kept for checks of
/// other detectors with the same surfaces: to find them takes longer than the
/// errors. Not kept with energy loss, which moves them, or where tracks are not
/// helices.
class KnownEdges {
 public:
  KnownEdges();
  ~KnownEdges();
  KnownEdges(KnownEdges&&) noexcept;

 private:
  friend class EdgesOfGrids;
  struct Content;
  std::unique_ptr<Content> content_;
};

/// Evaluates all requirements. If angles are given as a range, both sides of
/// every acceptance edge within it are also evaluated (unless a baseline is
/// needed, which contains only the points of its grid), and a coverage is the
/// share of the range. The outcome does not depend on `threads` (0: all cores).
/// Throws InputError if a limit is not finite somewhere, a layer is unknown, or
/// the baseline lacks the detector, a point or a value.
///
/// @param kept  points that the results keep: with thousands of requirements
///              all of them take hundreds of megabytes
/// @param each  called for each result, in order, before any are dropped
/// @param edges of earlier checks of this file; may be null
CheckOutcome check(const RequirementFile& file,
                   std::span<const Detector> detectors,
                   Engine engine = Engine::streaming, unsigned threads = 0,
                   CheckDetail kept = CheckDetail::all,
                   const CheckSink& each = {}, KnownEdges* edges = nullptr);

/// The request for the grid of a requirement.
StudyRequest grid_of(const RequirementFile& file, const Criterion& criterion);
/// The same with the angles at which a result was evaluated.
StudyRequest grid_of(const RequirementFile& file, const CheckResult& result);

/// The row of this track in the baseline, or none.
inline constexpr std::size_t no_row = static_cast<std::size_t>(-1);
std::size_t baseline_row(const Table& rows, const Track& track,
                         std::size_t hint);

}  // namespace gttf
