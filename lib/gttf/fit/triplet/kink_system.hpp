// SPDX-License-Identifier: Apache-2.0
// KinkSystem: the triplets of a track as a linear system for the kinks.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "gttf/fit/track/hits.hpp"
#include "gttf/fit/triplet/band_system.hpp"
#include "gttf/fit/triplet/flight_segment.hpp"
#include "gttf/fit/triplet/solenoid.hpp"

namespace gttf::detail {

using Vector2 = Eigen::Vector2d;
using Matrix2 = Eigen::Matrix2d;
using Matrix32 = Eigen::Matrix<double, 3, 2>;
using Triplets = std::vector<Triplet<double>>;

/// Whether the path increases along the triplet and its end points determine
/// the directions: ok, wrong_order or beyond_pole.
FitStatus check_triplet(const Triplet<double>& triplet);

/// A measured point with its linearisation point.
struct LinearHit {
  std::size_t point = 0;  ///< index in TrackHits::points
  Vector3 measured = Vector3::Zero();
  Vector3 at =
      Vector3::Zero();  ///< linearisation point, measured - error * removed
  Matrix32 error = Matrix32::Zero();  ///< shifts by one standard deviation of
                                      ///< each coordinate
  Vector2 removed = Vector2::Zero();  ///< in standard deviations
  Vector2 sigma = Vector2::Zero();
};

/// A passive layer between hits `before` and `before` + 1.
struct PassivePoint {
  std::size_t point = 0;  ///< index in TrackHits::points
  std::size_t before = 0;
};

/// Rotation of the directions at the adjacent hits by the two kinks (theta,
/// phi) of a passive layer, at fixed hit positions.
struct PassiveKink {
  Matrix2 leaving = Matrix2::Zero();   ///< direction after the hit before
  Matrix2 arriving = Matrix2::Zero();  ///< direction before the hit after
};

/// The triplets of a track, linearised: see KinkRows. Shifts of hits are in
/// standard deviations (measured minus fitted).
struct KinkSystem {
  std::vector<LinearHit> hits;
  std::vector<PassivePoint> passive;
  Triplets triplets;
  std::vector<KinkRows<double>> rows;  ///< of every triplet
  /// Of every segment, if there are any passive layers; as scattering is at
  /// TrackHits::kappa_ref.
  std::vector<PassiveSums<double>> sums;

  /// Between adjacent hits; with TrackHits::flight only.
  std::vector<FlightSegment> segments;

  std::size_t n_triplets() const { return triplets.size(); }

  /// Uses the measured points as linearisation points.
  FitStatus take(const TrackHits& track);

  /// Computes the rows and sums at LinearHit::at.
  /// @param kappa  common curvature of all segments; null: every triplet at the
  ///               circle through its hits; not allowed with TrackHits::flight
  FitStatus linearise(const TrackHits& track, const double* kappa);

  /// q/p on the segment that begins at hit k, for a curvature at the origin.
  /// @return  false if the particle stops before
  bool charge_behind(const TrackHits& track, std::size_t k, double kappa,
                     SlowedCharge& charge) const;
  /// Passive points between hits k and k + 1.
  std::vector<std::size_t> layers_behind(const TrackHits& track,
                                         std::size_t k) const;

 private:
  void add_passive(std::size_t point);
  FitStatus make_triplets(const TrackHits& track, const double* kappa);
  FitStatus make_flown_triplets(const TrackHits& track, double kappa);
  void set_rows(std::size_t triplet);
  FitStatus set_passive(const TrackHits& track);
  FitStatus set_flown_passive(const TrackHits& track, double kappa);
  void add_kink(const TrackHits& track, const PassivePoint& p,
                const PassiveKink& kink);
  /// The arc of a segment, as used by its triplets.
  const Segment<double>& arc_behind(std::size_t hit) const;
};

/// The crossing point of the arc from hit to hit shifts within the passive
/// surface until the two partial arcs join at the given kink; sets
/// PassiveKink::leaving and arriving.
/// @param arc  segment between the two hits
/// @return     false if the surface is not between the hits
bool set_passive_weights(const TrackHit& surface, const Vector3& before,
                         const Vector3& after, const Segment<double>& arc,
                         PassiveKink& kink);

}  // namespace gttf::detail

// WeightedKinks: the KinkSystem of one track with weights, solved.
namespace gttf::detail {

/// The system required by Fitter for one track. Reuses its memory.
class WeightedKinks {
 public:
  using Scalar = double;

  /// Sets a linearised system, which must outlive the following calls.
  void take(const TrackHits& track, const KinkSystem& system);

  std::size_t n_triplets() const { return theta0_2_.size(); }
  const KinkRows<double>& row(std::size_t j) const { return system_->rows[j]; }
  bool has_passive() const { return !system_->sums.empty(); }

  /// Passive layers use the mean of the adjacent triplets.
  void set_scale(double scale) { scale_.assign(n_triplets(), scale); }
  void set_scale(std::size_t triplet, double scale) { scale_[triplet] = scale; }

  void solve(bool hits, double kappa_0, bool errors);
  const BandSolution<double>& solution() const { return solution_; }
  const KeptSteps<double>& steps() const { return steps_; }
  double chi2(double change) const { return chi2_at(steps_, change); }

  /// The solution for the segment after a hit.
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
