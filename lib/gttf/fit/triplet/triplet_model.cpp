// SPDX-License-Identifier: Apache-2.0
// Hits, arcs and passive layers of a reference track as linear errors.
#include "gttf/fit/triplet/triplet_model.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "gttf/fit/triplet/in_plane_arc.hpp"

namespace gttf::detail {

namespace {

using Vector2 = Eigen::Vector2d;
using Matrix2 = Eigen::Matrix2d;

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

/// Columns u, v, phi, theta, kappa at a crossing.
using OutputJacobian = Eigen::Matrix<double, Output::size, track_dim>;

/// State on the surface -> outputs there.
OutputJacobian surface_outputs() {
  OutputJacobian j = OutputJacobian::Zero();
  j(Output::u, OnSurface::u) = 1;
  j(Output::v, OnSurface::v) = 1;
  j(Output::phi, OnSurface::phi) = 1;
  j(Output::theta, OnSurface::theta) = 1;
  return j;
}

/// State at the innermost hit -> outputs at the start.
OutputJacobian start_outputs(const TripletTrack& track,
                             const TripletPoint& innermost) {
  const Matrix5 p = perigee_jacobian(track, innermost);
  OutputJacobian j = OutputJacobian::Zero();
  j.row(Output::d0) = p.row(Perigee::d0);
  j.row(Output::z0) = p.row(Perigee::z0);
  j.row(Output::phi0) = p.row(Perigee::phi);
  j.row(Output::theta0) = p.row(Perigee::theta);
  return j;
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
                               const TripletPoint& before,
                               const TripletPoint& passive,
                               const TripletPoint& after) {
  // at one of the hits it turns the track there only
  const auto is_at = [&passive](const TripletPoint& hit) {
    return (passive.position - hit.position).norm() <= same_place;
  };
  if (is_at(before)) return {-Matrix2::Identity(), Matrix2::Zero()};
  if (is_at(after)) return {Matrix2::Zero(), Matrix2::Identity()};
  const InPlaneArc in = make_arc(track, before, passive);
  const InPlaneArc out = make_arc(track, passive, after);
  // m is the end of the first arc and the start of the second
  const Matrix2 shift = (out.start_by_start - in.end_by_end).inverse();
  return {in.start_by_end * shift, out.end_by_start * shift};
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
      arcs_.push_back(make_arc(track_, hit(k), hit(k + 1)));
      model_.smallest_inverse_index =
          std::min(model_.smallest_inverse_index, arcs_.back().inverse_index);
    }
    at_start_ = start_outputs(track_, hit(0));
    on_surface_ = surface_outputs();
    add_curvature();
    for (std::size_t k = 0; k < n; ++k) add_hit(k);
    return std::move(model_);
  }

 private:
  const TripletPoint& hit(std::size_t k) const { return crossings_[hits_[k]]; }

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
    e.outputs +=
        j.col(OnSurface::theta) * change[0] + j.col(OnSurface::phi) * change[1];
  }

  void add_curvature() {
    for (std::size_t k = 1; is_middle(k); ++k)
      model_.rho.segment<2>(kink_row(k)) =
          arcs_[k].start_by_kappa - arcs_[k - 1].end_by_kappa;
    const auto slope = [](const OutputJacobian& j, const Vector2& angles) {
      return OutputVector(j.col(OnSurface::qop) +
                          j.col(OnSurface::theta) * angles[0] +
                          j.col(OnSurface::phi) * angles[1]);
    };
    model_.output_slope =
        slope(at_start_, arcs_.front().start_by_kappa) +
        slope(on_surface_, ends_on_surface(surface_hit_)
                               ? arcs_[surface_hit_ - 1].end_by_kappa
                               : arcs_[surface_hit_].start_by_kappa);
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
  Vector2 scattering(const TripletPoint& c) const {
    const double sigma = std::sqrt(c.kink_variance);
    return {sigma, sigma * std::sqrt(inverse_sine_squared(track_, c))};
  }

  void add_own_scattering(std::size_t k) {
    const Vector2 sigma = scattering(hit(k));
    if (is_middle(k)) model_.kink_sigma.segment<2>(kink_row(k)) = sigma;
    // the track at the start has not been scattered there yet
    if (k == 0 && model_.start_hit && sigma[0] > 0)
      add_scattered(at_start_, sigma);
    if (ends_on_surface(k)) add_scattered(on_surface_, sigma);
  }

  void add_scattered(const OutputJacobian& j, const Vector2& sigma) {
    for (int angle = 0; angle < 2; ++angle) {
      NuisanceError e;
      add_output(e, j, Vector2::Unit(angle) * sigma[angle]);
      model_.nuisances.push_back(e);
    }
  }

  void add_shift(std::size_t k, const InPlaneError& error) {
    NuisanceError e;
    e.hit = static_cast<Eigen::Index>(k);
    e.unmeasured = error.unmeasured;
    e.in_plane = error.per_sigma;
    if (error.unmeasured)
      e.in_plane *= scale_ * arcs_[std::min(k, arcs_.size() - 1)].length;
    const Vector2& shift = e.in_plane;
    if (k == 0) e.outputs += at_start_.leftCols<2>() * shift;
    if (k == surface_hit_) e.outputs += on_surface_.leftCols<2>() * shift;
    if (k > 0) {  // the segment before gets longer
      add_leaving(e, k - 1, arcs_[k - 1].start_by_end * shift);
      add_arriving(e, k, arcs_[k - 1].end_by_end * shift);
    }
    if (k + 1 < hits_.size()) {  // the segment after gets shorter
      add_leaving(e, k, arcs_[k].start_by_start * shift);
      add_arriving(e, k + 1, arcs_[k].end_by_start * shift);
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
  std::vector<TripletPoint> crossings_;  ///< a start hit included
  std::vector<std::size_t> hits_;        ///< measuring ones
  std::size_t surface_hit_ = 0;          ///< hit on the first measuring layer
  std::vector<InPlaneArc> arcs_;
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
  for (const TripletPoint& c : track.crossings) {
    const Matrix5 j = perigee_jacobian(track, c);
    const Vector5 phi = j.col(OnSurface::phi), theta = j.col(OnSurface::theta);
    sum += c.kink_variance *
           (theta * theta.transpose() +
            phi * phi.transpose() * inverse_sine_squared(track, c));
    if (c.measures()) break;
  }
  return sum;
}

}  // namespace gttf::detail
