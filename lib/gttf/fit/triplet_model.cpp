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

/// The arc of the reference helix between two crossings.
Segment<double> reference_arc(const TripletTrack& track,
                              const TripletCrossing& from,
                              const TripletCrossing& to) {
  return make_segment(cartesian(from.position), cartesian(to.position),
                      0.5 * (to.turn - from.turn),
                      track.kappa / std::sin(track.theta));
}

/// The start as a crossing of the plane across the transverse direction.
TripletCrossing start_crossing(const TripletTrack& track) {
  return {.position = track.start,
          .turn = 0,
          .u = {-std::sin(track.phi), std::cos(track.phi), 0},
          .v = Vector3::UnitZ(),
          .coordinates = track.start_coordinates,
          .kink_variance = 0};
}

/// The arc from the start; of no length if the crossing is the start itself.
Segment<double> arc_from_start(const TripletTrack& track,
                               const TripletCrossing& to) {
  if (to.position != track.start)
    return reference_arc(track, start_crossing(track), to);
  return {.chord = 0,
          .rise = 0,
          .chord_cos = std::cos(track.phi),
          .chord_sin = std::sin(track.phi),
          .half_turn = 0,
          .shape = arc_shape(0.0),
          .arc = 0,
          .length = 0,
          .sin_theta = std::sin(track.theta),
          .cos_theta = std::cos(track.theta),
          .kappa = track.kappa,
          .inverse_index = 1,
          .index = 1};
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

using OutputJacobian = Eigen::Matrix<double, Output::size, 6>;

/// State (x, y, z, phi, theta, kappa) on the surface -> outputs there.
OutputJacobian surface_jacobian(const TripletCrossing& surface) {
  OutputJacobian j = OutputJacobian::Zero();
  j.row(Output::u).head<3>() = surface.u.transpose();
  j.row(Output::v).head<3>() = surface.v.transpose();
  j(Output::phi, 3) = 1;
  j(Output::theta, 4) = 1;
  return j;
}

/// State at the innermost hit -> outputs at the start.
OutputJacobian perigee_jacobian(const TripletTrack& track,
                                const TripletCrossing& innermost) {
  const PerigeeRows<double> p = perigee_rows(arc_from_start(track, innermost));
  const auto state = [](const StateRow<double>& r) {
    Eigen::Matrix<double, 1, 6> m;
    m << r.position.x, r.position.y, r.position.z, r.phi, r.theta, r.kappa;
    return m;
  };
  OutputJacobian j = OutputJacobian::Zero();
  j.row(Output::d0) = state(p.d0);
  j.row(Output::z0) = state(p.z0);
  j.row(Output::phi0) = state(p.phi);
  j(Output::theta0, 4) = 1;
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
    model_.start_hit = !track.start_coordinates.empty();
    if (model_.start_hit) crossings_.push_back(start_crossing(track));
    crossings_.insert(crossings_.end(), track.crossings.begin(),
                      track.crossings.end());
    for (std::size_t i = 0; i < crossings_.size(); ++i)
      if (crossings_[i].measures()) hits_.push_back(i);
    surface_hit_ = model_.start_hit ? 1 : 0;
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
    at_start_ = perigee_jacobian(track_, hit(0));
    on_surface_ = surface_jacobian(hit(surface_hit_));
    add_curvature();
    for (std::size_t k = 0; k < n; ++k) add_hit(k);
    return std::move(model_);
  }

 private:
  const TripletCrossing& hit(std::size_t k) const {
    return crossings_[hits_[k]];
  }

  /// Is hit k the middle of a triplet?
  bool is_middle(std::size_t k) const { return k > 0 && k + 1 < hits_.size(); }

  /// Two segments meet in a kink; its rows.
  static Eigen::Index kink_row(std::size_t k) {
    return 2 * static_cast<Eigen::Index>(k - 1);
  }

  /// Adds a change of (theta, phi) of the direction after hit k.
  void add_leaving(NuisanceError& e, std::size_t k, const Vector2& change) {
    add_kink(e, k, change);
    if (k == 0) add_output(e, at_start_, change);
    if (k == surface_hit_) add_output(e, on_surface_, change);
  }

  /// Adds a change of (theta, phi) of the direction before hit k. If no hit
  /// follows the first measuring layer, its direction comes from inside.
  void add_arriving(NuisanceError& e, std::size_t k, const Vector2& change) {
    add_kink(e, k, -change);
    if (ends_on_surface(k)) add_output(e, on_surface_, change);
  }

  bool ends_on_surface(std::size_t k) const {
    return k == surface_hit_ && k + 1 == hits_.size();
  }

  void add_kink(NuisanceError& e, std::size_t k, const Vector2& change) const {
    if (!is_middle(k)) return;
    const Eigen::Index r = kink_row(k);
    if (e.n_rows == 0) e.first_row = r;
    e.n_rows = r + 2 - e.first_row;
    e.kinks[static_cast<std::size_t>(r - e.first_row)] += change[0];
    e.kinks[static_cast<std::size_t>(r - e.first_row + 1)] += change[1];
  }

  static void add_output(NuisanceError& e, const OutputJacobian& j,
                         const Vector2& change) {
    e.outputs += j.col(4) * change[0] + j.col(3) * change[1];
  }

  void add_curvature() {
    for (std::size_t k = 1; is_middle(k); ++k) {
      const auto &before = segments_[k - 1], &after = segments_[k];
      const Eigen::Index r = kink_row(k);
      model_.rho[r] = after.polar_slope - before.polar_slope;
      model_.rho[r + 1] = -(after.azimuth_slope + before.azimuth_slope);
    }
    const auto slope = [](const OutputJacobian& j, double phi, double theta) {
      return OutputVector(j.col(5) + j.col(3) * phi + j.col(4) * theta);
    };
    const auto& first = segments_.front();
    model_.output_slope =
        slope(at_start_, -first.azimuth_slope, first.polar_slope);
    const bool ends = ends_on_surface(surface_hit_);
    const auto& next = segments_[ends ? surface_hit_ - 1 : surface_hit_];
    model_.output_slope +=
        slope(on_surface_, ends ? next.azimuth_slope : -next.azimuth_slope,
              next.polar_slope);
  }

  /// All errors of hit k and of the passive layers behind it.
  void add_hit(std::size_t k) {
    for (const InPlaneError& e : in_plane_errors(hit(k).coordinates))
      if (e.unmeasured || errors_ != Errors::scattering_only) add_shift(k, e);
    if (errors_ == Errors::hits_only) return;
    add_own_scattering(k);
    if (k + 1 == hits_.size()) return;
    for (std::size_t i = hits_[k] + 1; i < hits_[k + 1]; ++i)
      if (crossings_[i].kink_variance > 0) add_passive(k, i);
  }

  /// Standard deviations of the scattering angles theta and phi.
  Vector2 scattering(const TripletCrossing& c) const {
    const double sigma = std::sqrt(c.kink_variance);
    return {sigma, sigma / std::sin(track_.theta)};
  }

  void add_own_scattering(std::size_t k) {
    const Vector2 sigma = scattering(hit(k));
    if (is_middle(k)) model_.kink_sigma.segment<2>(kink_row(k)) = sigma;
    if (!ends_on_surface(k)) return;
    for (int angle = 0; angle < 2; ++angle) {
      NuisanceError e;
      add_output(e, on_surface_, Vector2::Unit(angle) * sigma[angle]);
      model_.nuisances.push_back(e);
    }
  }

  void add_shift(std::size_t k, const InPlaneError& error) {
    NuisanceError e;
    e.hit = static_cast<Eigen::Index>(k);
    e.unmeasured = error.unmeasured;
    e.in_plane = error.per_sigma;
    if (error.unmeasured)
      e.in_plane *= scale_ * lengths_[std::min(k, lengths_.size() - 1)];
    const Vector3 shift = hit(k).u * e.in_plane[0] + hit(k).v * e.in_plane[1];
    if (k == 0) e.outputs += at_start_.leftCols<3>() * shift;
    if (k == surface_hit_) e.outputs += on_surface_.leftCols<3>() * shift;
    if (k > 0) {  // the segment before gets longer
      add_leaving(e, k - 1, at_start(segments_[k - 1]) * shift);
      add_arriving(e, k, at_end(segments_[k - 1]) * shift);
    }
    if (k + 1 < hits_.size()) {  // the segment after gets shorter
      add_leaving(e, k, -at_start(segments_[k]) * shift);
      add_arriving(e, k + 1, -at_end(segments_[k]) * shift);
    }
    model_.nuisances.push_back(e);
  }

  /// Passive crossing i between hits k and k + 1: one error per kink angle.
  void add_passive(std::size_t k, std::size_t i) {
    const PassiveWeights w =
        passive_weights(track_, hit(k), crossings_[i], hit(k + 1));
    const Vector2 sigma = scattering(crossings_[i]);
    for (int angle = 0; angle < 2; ++angle) {
      NuisanceError e;
      add_leaving(e, k, w.leaving.col(angle) * sigma[angle]);
      add_arriving(e, k + 1, w.arriving.col(angle) * sigma[angle]);
      model_.nuisances.push_back(e);
    }
  }

  const TripletTrack& track_;
  Errors errors_;
  double scale_;
  std::vector<TripletCrossing> crossings_;  ///< a start hit included
  std::vector<std::size_t> hits_;           ///< measuring ones
  std::size_t surface_hit_ = 0;  ///< hit on the first measuring layer
  std::vector<double> lengths_;
  std::vector<SegmentDerivatives<double>> segments_;
  OutputJacobian at_start_;    ///< of the state at hit 0
  OutputJacobian on_surface_;  ///< of the state at surface_hit_
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
    const PerigeeRows<double> p = perigee_rows(arc_from_start(track, c));
    const Vector5 phi{p.d0.phi, p.z0.phi, p.phi.phi, 0, 0};
    const Vector5 theta{p.d0.theta, p.z0.theta, p.phi.theta, 1, 0};
    sum += c.kink_variance *
           (theta * theta.transpose() + phi * phi.transpose() / (sine * sine));
    if (c.measures()) break;
  }
  return sum;
}

}  // namespace gttf::detail
