// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/shared_fit.hpp"

#include "gttf/fit/track/coarse_hits.hpp"
#include "gttf/fit/triplet/fit_kinds.hpp"

namespace gttf::detail {

bool can_be_shared(FitKind kind) { return describe(kind).shareable; }

SharedFit::SharedFit(const TrackHits& reference, FitKind kind)
    : kind_(kind), reference_(reference), fit_(fit_global(reference, kind)) {
  if (fit_.status == FitStatus::ok) fit_.status = solve();
}

FitStatus SharedFit::solve() {
  if (const auto s = system_.take(reference_); s != FitStatus::ok) return s;
  if (const auto s = linearise_with_care(reference_, kind_, system_);
      s != FitStatus::ok)
    return s;
  const bool hits = uses_hits(kind_);
  solution_.take(reference_, system_);
  solution_.set_scale(kind_ == FitKind::hits ? 0 : 1);
  solution_.solve(hits, reference_.kappa_ref, true);
  const BandSolution<double>& s = solution_.solution();
  if (!s.regular) return FitStatus::singular;

  const KeptSteps<double>& steps = solution_.steps();
  ColumnRing<double> ring{};
  const SegmentErrors<double> errors =
      solution_.errors(0, SegmentEnd::start, ring);
  SharedEquations& e = equations_;
  e.steps = &steps;
  e.diagonal = !hits && !solution_.has_passive();
  e.shifts_hits = errors.has_shifts;
  e.turns = errors.has_turns;
  e.kappa_0 = reference_.kappa_ref;
  e.inverse_aa = reference_.field ? 1 / s.aa : 0;
  for (int c = 0; c < n_errors; ++c)
    for (std::size_t j = 0; j < 2 && j < steps.size(); ++j)
      for (int r = 0; r < 2; ++r)
        e.column[c][j][r] = ring[j][c][r] * steps[j].pivots.inverse[r];
  if (!errors.has_shifts) return FitStatus::ok;
  const DirectionSlopes slopes = direction_slopes(0, SegmentEnd::start);
  for (int c = 0; c < n_shifts; ++c)
    for (int i = 0; i < 2; ++i)
      e.turn[c][i] = -(c < 2 ? slopes.by_from : slopes.by_to)(i, c % 2);
  return FitStatus::ok;
}

DirectionSlopes SharedFit::direction_slopes(std::size_t segment,
                                            SegmentEnd end) const {
  return detail::direction_slopes(reference_, system_, reference_.kappa_ref,
                                  segment, end);
}

bool SharedFit::put_into(KinkSystem& system) const {
  const std::size_t n = system_.n_triplets();
  if (system.n_triplets() != n ||
      system.passive.size() != system_.passive.size())
    return false;
  for (std::size_t j = 0; j < n; ++j) {
    KinkRows<double>& row = system.rows[j];
    KinkRows<double> shared = system_.rows[j];
    for (int r = 0; r < 2; ++r)
      shared.psi[r] =
          row.psi[r] + (row.rho[r] - shared.rho[r]) * equations_.kappa_0;
    row = shared;
  }
  system.triplets = system_.triplets;
  system.passive = system_.passive;
  system.sums = system_.sums;
  return true;
}

}  // namespace gttf::detail
