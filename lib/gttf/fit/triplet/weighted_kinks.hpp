// SPDX-License-Identifier: Apache-2.0
// WeightedKinks: the KinkSystem of one track with weights, solved.
#pragma once

#include <vector>

#include "gttf/fit/triplet/kink_system.hpp"

namespace gttf::detail {

/// What Fitter asks for, of one track. Keeps its memory.
class WeightedKinks {
 public:
  using Scalar = double;

  /// Takes a linearised system, which must outlive the calls that follow.
  void take(const TrackHits& track, const KinkSystem& system);

  std::size_t n_triplets() const { return theta0_2_.size(); }
  const KinkRows<double>& row(std::size_t j) const { return system_->rows[j]; }
  bool has_passive() const { return !system_->sums.empty(); }

  /// Passive layers take the mean of the triplets around them.
  void set_scale(double scale) { scale_.assign(n_triplets(), scale); }
  void set_scale(std::size_t triplet, double scale) { scale_[triplet] = scale; }

  void solve(bool hits, double kappa_0, bool errors);
  const BandSolution<double>& solution() const { return solution_; }
  const KeptSteps<double>& steps() const { return steps_; }
  double chi2(double change) const { return chi2_at(steps_, change); }

  /// What the solution says of the segment behind a hit.
  /// @param ring  see set_segment_errors()
  SegmentErrors<double> errors(std::size_t segment, SegmentEnd end,
                               ColumnRing<double>& ring) const;
  SegmentErrors<double> errors(std::size_t segment, SegmentEnd end) const {
    ColumnRing<double> ring;
    return errors(segment, end, ring);
  }
  /// Variances of the turns by passive layers, lower triangle.
  const Block<double>& turn_variances(std::size_t segment,
                                      SegmentEnd end) const;
  /// Shifts of all hits in standard deviations at the curvature kappa_0 +
  /// change, u = G^T K (psi + rho kappa).
  void set_shifts(double change, std::vector<Vector2>& shifts) const;

 private:
  PassiveKinks<double> passive() const {
    return {passive_rows_.data(), 1, sums_.data()};
  }
  const KinkSystem* system_ = nullptr;
  std::vector<double> theta0_2_, scale_, scattering2_;
  std::vector<PassiveSums<double>> sums_;  ///< with weights
  std::vector<PassiveRows<double>> passive_rows_;
  KeptSteps<double> steps_;
  BandSolution<double> solution_{};
  bool hits_ = true;
};

}  // namespace gttf::detail
