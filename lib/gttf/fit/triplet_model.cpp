// SPDX-License-Identifier: Apache-2.0
// Hits, segments and passive layers of a reference helix as linear errors.
#include "gttf/fit/triplet_model.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "gttf/fit/perigee.hpp"
#include "gttf/triplet/segment.hpp"

namespace gttf::detail {

namespace {

using Vector2 = Eigen::Vector2d;
using Matrix2 = Eigen::Matrix2d;
using InPlane = Eigen::Matrix<double, 3, 2>;

Cartesian<double> cartesian(const Vector3& v) { return {v[0], v[1], v[2]}; }

Eigen::RowVector3d row(const Cartesian<double>& c) { return {c.x, c.y, c.z}; }

/// The arc of the reference helix between two of its points.
Segment<double> reference_arc(const TripletTrack& track, const Vector3& from,
                              double turn_from, const Vector3& to,
                              double turn_to) {
  return make_segment(cartesian(from), cartesian(to),
                      0.5 * (turn_to - turn_from),
                      track.kappa / std::sin(track.theta));
}

Segment<double> reference_arc(const TripletTrack& track,
                              const TripletCrossing& from,
                              const TripletCrossing& to) {
  return reference_arc(track, from.position, from.turn, to.position, to.turn);
}

/// A direction along the surface with its standard deviation; 0: unmeasured.
struct InPlaneError {
  Vector2 per_sigma;
  bool unmeasured = false;
};

/// Independent errors of the position within the surface. Coordinates that
/// are not orthogonal, or more than two, are combined by their information.
std::vector<InPlaneError> in_plane_errors(
    const std::vector<CoordinateAxis>& coordinates) {
  const CoordinateAxis& first = coordinates.front();
  const auto crosses_first = [&first](const CoordinateAxis& a) {
    constexpr double parallel = 1e-12;  // rad
    return std::abs(first.cosine * a.sine - first.sine * a.cosine) > parallel;
  };
  if (std::none_of(coordinates.begin(), coordinates.end(), crosses_first)) {
    double information = 0;
    for (const CoordinateAxis& a : coordinates) information += 1 / a.variance;
    const Vector2 along(first.cosine, first.sine);
    return {{along / std::sqrt(information), false},
            {Vector2(-first.sine, first.cosine), true}};
  }
  // Rows (cosine, sine)/sigma rotated into upper triangular form
  // [a b; 0 d], whose inverse has the errors as columns.
  double a = 0, b = 0, d2 = 0;
  for (const CoordinateAxis& axis : coordinates) {
    const double sigma = std::sqrt(axis.variance);
    const double x = axis.cosine / sigma, y = axis.sine / sigma;
    const double length = std::hypot(a, x);
    if (length == 0) {
      d2 += y * y;
      continue;
    }
    const double c = a / length, s = x / length;
    const double rest = c * y - s * b;
    d2 += rest * rest;
    b = c * b + s * y;
    a = length;
  }
  const double d = std::sqrt(d2);
  return {{Vector2(1 / a, 0), false}, {Vector2(-b / (a * d), 1 / d), false}};
}

/// State at the first hit -> FirstHit, columns x, y, z, phi, theta, kappa.
Eigen::Matrix<double, FirstHit::size, 6> first_hit_jacobian(
    const TripletTrack& track, const TripletCrossing& first) {
  const PerigeeRows<double> p = perigee_rows(
      reference_arc(track, track.start, 0, first.position, first.turn));
  const auto state = [](const StateRow<double>& r) {
    Eigen::Matrix<double, 1, 6> m;
    m << r.position.x, r.position.y, r.position.z, r.phi, r.theta, r.kappa;
    return m;
  };
  Eigen::Matrix<double, FirstHit::size, 6> j =
      Eigen::Matrix<double, FirstHit::size, 6>::Zero();
  j.row(FirstHit::u).head<3>() = first.u.transpose();
  j.row(FirstHit::v).head<3>() = first.v.transpose();
  j(FirstHit::phi, 3) = 1;
  j(FirstHit::theta, 4) = 1;
  j.row(FirstHit::d0) = state(p.d0);
  j.row(FirstHit::z0) = state(p.z0);
  j.row(FirstHit::phi0) = state(p.phi);
  return j;
}

/// Rows theta, phi: directions at an end of a segment against its end - start.
Eigen::Matrix<double, 2, 3> at_start(const SegmentDerivatives<double>& d) {
  Eigen::Matrix<double, 2, 3> m;
  m << row(d.polar), row(d.azimuth_start);
  return m;
}
Eigen::Matrix<double, 2, 3> at_end(const SegmentDerivatives<double>& d) {
  Eigen::Matrix<double, 2, 3> m;
  m << row(d.polar), row(d.azimuth_end);
  return m;
}

/// How kinks (theta, phi) of a passive layer turn the directions of the track
/// at the hits around it when both hits stay where they are.
struct PassiveWeights {
  Matrix2 leaving;   ///< direction after the hit before
  Matrix2 arriving;  ///< direction before the hit after
};

/// The crossing point m shifts within the surface until the two arcs hit -> m
/// -> hit meet at the given kink.
PassiveWeights passive_weights(const TripletTrack& track,
                               const TripletCrossing& before,
                               const TripletCrossing& passive,
                               const TripletCrossing& after) {
  InPlane axes;
  axes << passive.u, passive.v;
  const auto in = derivatives(reference_arc(track, before, passive));
  const auto out = derivatives(reference_arc(track, passive, after));
  // m is the end of the first arc and the start of the second
  const Matrix2 kink = -(at_start(out) + at_end(in)) * axes;
  const Matrix2 shift = kink.inverse();
  return {at_start(in) * axes * shift, -at_end(out) * axes * shift};
}

class ModelBuilder {
 public:
  ModelBuilder(const TripletTrack& track, Errors errors, double scale)
      : track_(track), errors_(errors), scale_(scale) {
    for (std::size_t i = 0; i < track.crossings.size(); ++i)
      if (track.crossings[i].measures()) hits_.push_back(i);
  }

  TripletModel build() {
    const std::size_t n = hits_.size();
    model_.n_hits = static_cast<Eigen::Index>(n);
    const Eigen::Index rows =
        std::max<Eigen::Index>(0, 2 * (model_.n_hits - 2));
    model_.kink_sigma = model_.rho = Eigen::VectorXd::Zero(rows);
    if (n < 2) return std::move(model_);
    for (std::size_t k = 0; k + 1 < n; ++k) {
      const Segment<double> s = reference_arc(track_, hit(k), hit(k + 1));
      lengths_.push_back(s.length);
      segments_.push_back(derivatives(s));
      model_.smallest_inverse_index =
          std::min(model_.smallest_inverse_index, s.inverse_index);
    }
    first_ = first_hit_jacobian(track_, hit(0));
    model_.first_hit_slope = first_.col(5) -
                             first_.col(3) * segments_[0].azimuth_slope +
                             first_.col(4) * segments_[0].polar_slope;
    for (std::size_t k = 0; k < n; ++k) add_hit(k);
    return std::move(model_);
  }

 private:
  const TripletCrossing& hit(std::size_t k) const {
    return track_.crossings[hits_[k]];
  }

  void add_hit(std::size_t k) {
    const std::size_t n = hits_.size();
    if (k > 0 && k + 1 < n) add_triplet(k);
    for (const InPlaneError& e : in_plane_errors(hit(k).coordinates))
      if (e.unmeasured || errors_ != Errors::scattering_only) add_shift(k, e);
    if (k + 1 == n || errors_ == Errors::hits_only) return;
    for (std::size_t i = hits_[k] + 1; i < hits_[k + 1]; ++i)
      if (track_.crossings[i].kink_variance > 0) add_passive(k, i);
  }

  /// The triplet whose middle is hit k.
  void add_triplet(std::size_t k) {
    const auto r = 2 * static_cast<Eigen::Index>(k - 1);
    model_.rho[r] = segments_[k].polar_slope - segments_[k - 1].polar_slope;
    model_.rho[r + 1] =
        -(segments_[k].azimuth_slope + segments_[k - 1].azimuth_slope);
    if (errors_ == Errors::hits_only) return;
    const double sigma = std::sqrt(hit(k).kink_variance);
    model_.kink_sigma[r] = sigma;
    model_.kink_sigma[r + 1] = sigma / std::sin(track_.theta);
  }

  /// Adds changes of (theta, phi) before or after hit k to its kink, if the
  /// hit is the middle of a triplet.
  void add_kink(NuisanceError& e, std::size_t k, const Vector2& change) const {
    if (k == 0 || k + 1 >= hits_.size()) return;
    const auto r = 2 * static_cast<Eigen::Index>(k - 1);
    if (e.n_rows == 0) e.first_row = r;
    e.n_rows = r + 2 - e.first_row;
    e.kinks[static_cast<std::size_t>(r - e.first_row)] += change[0];
    e.kinks[static_cast<std::size_t>(r - e.first_row + 1)] += change[1];
  }

  void add_direction(NuisanceError& e, const Vector2& change) const {
    e.first_hit += first_.col(4) * change[0] + first_.col(3) * change[1];
  }

  void add_shift(std::size_t k, const InPlaneError& error) {
    const std::size_t n = hits_.size();
    NuisanceError e;
    e.hit = static_cast<Eigen::Index>(k);
    e.unmeasured = error.unmeasured;
    e.in_plane = error.per_sigma;
    if (error.unmeasured)
      e.in_plane *= scale_ * lengths_[std::min(k, lengths_.size() - 1)];
    const Vector3 shift = hit(k).u * e.in_plane[0] + hit(k).v * e.in_plane[1];
    if (k == 0) e.first_hit += first_.leftCols<3>() * shift;
    if (k > 0) {  // the segment before gets longer
      const auto& d = segments_[k - 1];
      add_kink(e, k - 1, at_start(d) * shift);
      if (k == 1) add_direction(e, at_start(d) * shift);
      add_kink(e, k, -at_end(d) * shift);
    }
    if (k + 1 < n) {  // the segment after gets shorter
      const auto& d = segments_[k];
      if (k == 0) add_direction(e, -at_start(d) * shift);
      add_kink(e, k, -at_start(d) * shift);
      add_kink(e, k + 1, at_end(d) * shift);
    }
    model_.nuisances.push_back(e);
  }

  /// Passive crossing i between hits k and k + 1: one error per kink angle.
  void add_passive(std::size_t k, std::size_t i) {
    const TripletCrossing& passive = track_.crossings[i];
    const PassiveWeights w =
        passive_weights(track_, hit(k), passive, hit(k + 1));
    const double sigma = std::sqrt(passive.kink_variance);
    const double sigmas[2] = {sigma, sigma / std::sin(track_.theta)};
    for (int angle = 0; angle < 2; ++angle) {
      NuisanceError e;
      const Vector2 leaving = w.leaving.col(angle) * sigmas[angle];
      add_kink(e, k, leaving);
      add_kink(e, k + 1, -w.arriving.col(angle) * sigmas[angle]);
      if (k == 0) add_direction(e, leaving);
      model_.nuisances.push_back(e);
    }
  }

  const TripletTrack& track_;
  Errors errors_;
  double scale_;
  std::vector<std::size_t> hits_;
  std::vector<double> lengths_;
  std::vector<SegmentDerivatives<double>> segments_;
  Eigen::Matrix<double, FirstHit::size, 6> first_;
  TripletModel model_;
};

}  // namespace

TripletModel make_triplet_model(const TripletTrack& track, Errors errors,
                                double auxiliary_scale) {
  return ModelBuilder(track, errors, auxiliary_scale).build();
}

Matrix5 inner_scattering(const TripletTrack& track) {
  Matrix5 sum = Matrix5::Zero();
  const double sine = std::sin(track.theta);
  for (const TripletCrossing& c : track.crossings) {
    const PerigeeRows<double> p =
        perigee_rows(reference_arc(track, track.start, 0, c.position, c.turn));
    Vector5 phi, theta;
    phi << p.d0.phi, p.z0.phi, p.phi.phi, 0, 0;
    theta << p.d0.theta, p.z0.theta, p.phi.theta, 1, 0;
    sum += c.kink_variance *
           (theta * theta.transpose() + phi * phi.transpose() / (sine * sine));
    if (c.measures()) break;
  }
  return sum;
}

}  // namespace gttf::detail
