// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/weighted_kinks.hpp"

namespace gttf::detail {

namespace {

void multiply(double (&m)[2][2], double factor) {
  for (auto& row : m)
    for (double& x : row) x *= factor;
}

}  // namespace

void WeightedKinks::take(const TrackHits& track, const KinkSystem& system) {
  system_ = &system;
  theta0_2_.clear();
  for (std::size_t k = 1; k + 1 < system.hits.size(); ++k)
    theta0_2_.push_back(track.points[system.hits[k].point].theta0_2);
  scale_.assign(n_triplets(), 1);
}

void WeightedKinks::solve(bool hits, double kappa_0, bool) {
  hits_ = hits;
  const std::size_t n = n_triplets();
  scattering2_.resize(n);
  for (std::size_t j = 0; j < n; ++j)
    scattering2_[j] = scale_[j] * theta0_2_[j];
  passive_rows_.assign(n, PassiveRows<double>{});
  sums_ = system_->sums;
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const double scale =
        0.5 * (scale_[k > 0 ? k - 1 : 0] + scale_[k < n ? k : n - 1]);
    multiply(sums_[k].arriving, scale);
    multiply(sums_[k].leaving, scale);
    multiply(sums_[k].mixed, scale);
    add_passive_rows(sums_[k], k, n, passive_rows_.data());
  }
  const auto solve_with = [&]<class Columns>() {
    solve_band<Columns>(system_->rows.data(), n, scattering2_.data(), passive(),
                        kappa_0, steps_, solution_);
  };
  if (hits)
    solve_with.template operator()<HitAndTurnColumns>();
  else
    solve_with.template operator()<TurnColumns>();
}

SegmentErrors<double> WeightedKinks::errors(std::size_t segment, SegmentEnd end,
                                            ColumnRing<double>& ring) const {
  SegmentErrors<double> e;
  const auto set = [&]<class Columns>() {
    set_segment_errors<Columns>(system_->rows.data(), n_triplets(), passive(),
                                segment, end, steps_, ring, e);
  };
  if (hits_ && has_passive())
    set.template operator()<HitAndTurnColumns>();
  else if (hits_)
    set.template operator()<HitColumns>();
  else if (has_passive())
    set.template operator()<TurnColumns>();
  return e;
}

const Block<double>& WeightedKinks::turn_variances(std::size_t segment,
                                                   SegmentEnd end) const {
  const PassiveSums<double>& s = sums_[segment];
  return end == SegmentEnd::start ? s.leaving : s.arriving;
}

void WeightedKinks::set_shifts(double change,
                               std::vector<Vector2>& shifts) const {
  const std::size_t n = n_triplets();
  shifts.assign(n + 2, Vector2::Zero());
  if (!hits_) return;
  const auto weighted = weigh_residuals(steps_, change);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < 3; ++i)
      for (int c = 0; c < 2; ++c)
        for (std::size_t r = 0; r < 2; ++r)
          shifts[j + i][c] += system_->rows[j].shift[i][r][c] * weighted[j][r];
}

}  // namespace gttf::detail
