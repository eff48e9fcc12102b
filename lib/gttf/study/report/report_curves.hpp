// SPDX-License-Identifier: Apache-2.0
// Resolutions along momentum and along pseudorapidity, and their limits.
#pragma once

#include <vector>

#include "gttf/resolution/parameter.hpp"
#include "gttf/study/report/report_subject.hpp"

namespace gttf::detail {

/// Errors of a track, and what they would be from one cause alone.
struct LimitedSigmas {
  PerParameter all, hits, scattering;  ///< native units; NaN: none
  int n_hits = 0;
};

/// Errors at one angle along momentum. The path has more points than the grid:
/// where the set of layers that the track crosses changes, it ends and begins
/// anew (found by bisection), with a row of NaN between.
struct MomentumCurve {
  std::vector<double> x;  ///< GeV; of the path
  std::vector<LimitedSigmas> path;
  std::vector<LimitedSigmas> grid;  ///< at ReportSubject::curves
  bool broken = false;
};

/// For every angle of ReportSubject::curves.
std::vector<MomentumCurve> momentum_curves(const ReportSubject& subject);

/// Errors at every point of `request`, in the order of grid_points().
std::vector<PerParameter> sigmas_on_grid(const ReportSubject& subject,
                                         const StudyRequest& request);

/// An error of a path or grid as a column, in units of `q`.
enum class Limit { all, hits, scattering };
Reals column_of(const std::vector<LimitedSigmas>& sigmas,
                const ShownQuantity& q, Limit limit = Limit::all);

}  // namespace gttf::detail
