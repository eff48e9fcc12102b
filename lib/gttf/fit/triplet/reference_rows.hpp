// SPDX-License-Identifier: Apache-2.0
// ReferenceRows: the triplets of a reference track as rows of the banded
// system, for its covariance.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "gttf/fit/track/errors.hpp"
#include "gttf/fit/triplet/band_system.hpp"
#include "gttf/fit/triplet/triplet_track.hpp"

// InPlaneArc: the piece of a track between two surfaces, linearised.
namespace gttf::detail {

using Wide = DoubleDouble;
/// Products of this scalar by Eigen take ten seconds to compile.
template <int rows, int columns>
using WideBlock = Eigen::Matrix<Wide, rows, columns>;

template <int rows, int inner, int columns>
WideBlock<rows, columns> product(const WideBlock<rows, inner>& a,
                                 const WideBlock<inner, columns>& b) {
  WideBlock<rows, columns> c;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      Wide sum(0);
      for (int k = 0; k < inner; ++k) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  return c;
}

/// By elimination with column pivoting.
template <int n>
WideBlock<n, n> inverse(WideBlock<n, n> m) {
  WideBlock<n, n> x = WideBlock<n, n>::Zero();
  for (int i = 0; i < n; ++i) x(i, i) = Wide(1);
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (abs(m(i, k)) > abs(m(best, k))) best = i;
    for (int j = 0; j < n; ++j) {
      std::swap(m(k, j), m(best, j));
      std::swap(x(k, j), x(best, j));
    }
    const Wide pivot = Wide(1) / m(k, k);
    for (int j = 0; j < n; ++j) {
      m(k, j) *= pivot;
      x(k, j) *= pivot;
    }
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const Wide factor = m(i, k);
      for (int j = 0; j < n; ++j) {
        m(i, j) -= factor * m(k, j);
        x(i, j) -= factor * x(k, j);
      }
    }
  }
  return x;
}

/// The directions (theta, phi) at both ends of the piece as functions of the
/// points (u, v) in which it crosses the two surfaces, and of kappa at the
/// start of the track.
struct InPlaneArc {
  using Matrix2 = WideBlock<2, 2>;
  using Vector2 = WideBlock<2, 1>;

  Matrix2 start_by_start, start_by_end, end_by_start, end_by_end;
  Vector2 start_by_kappa, end_by_kappa;  ///< at fixed points
  double length = 0;                     ///< mm
  double inverse_index = 1;              ///< of a helix, see Segment
};

/// @param from, to  crossings of `track`, or start_crossing()
InPlaneArc make_arc(const TripletTrack& track, const TripletPoint& from,
                    const TripletPoint& to);

/// The start as a crossing of the plane normal to the transverse direction.
TripletPoint start_crossing(const TripletTrack& track);

/// d(d0, z0, phi0, theta, kappa at the start)/d(u, v, phi, theta, kappa at the
/// crossing).
WideBlock<track_dim, track_dim> perigee_jacobian(const TripletTrack& track,
                                                 const TripletPoint& crossing);

/// 1/sin^2(theta) at a crossing: var(phi) over var(theta).
double inverse_sine_squared(const TripletTrack& track,
                            const TripletPoint& crossing);

}  // namespace gttf::detail

namespace gttf::detail {

using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;

/// A measuring crossing, with two independent errors of its position.
struct ReferenceHit {
  std::size_t crossing = 0;  ///< in ReferenceRows::crossings
  /// Shifts (u, v) by one standard deviation of each error, in columns, mm.
  WideBlock<2, 2> error = Eigen::Matrix2d::Zero().cast<Wide>();
  /// The second coordinate is not measured: its standard deviation is
  /// auxiliary, and its error is an additional free parameter of the fit.
  bool unmeasured = false;
};

/// The rows of all triplets, see KinkRows; psi is zero.
struct ReferenceRows {
  /// @param auxiliary_scale  auxiliary standard deviation of unmeasured
  ///   coordinates in units of the length of the adjacent segment, > 0; the
  ///   covariance does not depend on it
  ReferenceRows(const TripletTrack& track, Errors errors,
                double auxiliary_scale);

  std::vector<TripletPoint> crossings;  ///< including a hit at the start
  std::vector<ReferenceHit> hits;
  std::vector<InPlaneArc> arcs;  ///< between hits
  std::size_t surface_hit = 0;   ///< hit on the first measuring layer
  std::vector<KinkRows<Wide>> rows;
  std::vector<Wide> scattering2;        ///< variances of the kink angles theta
  std::vector<PassiveSums<Wide>> sums;  ///< of every segment

 private:
  void set_errors(ReferenceHit& hit, Errors errors, double auxiliary_sigma);
  void set_row(const TripletTrack& track, std::size_t triplet);
  void add_passive(const TripletTrack& track, std::size_t segment);
};

}  // namespace gttf::detail
