// SPDX-License-Identifier: Apache-2.0
// Derivatives of variances, collected on the way back of the streaming fit.
#include "gttf/resolution/sensitivity.hpp"

#include <cmath>

#include "gttf/core/dual.hpp"
#include "gttf/resolution/detail/filtered_track.hpp"

namespace gttf {

namespace {

using detail::FilteredTrack;
using Gains = std::array<double, n_parameters>;

/// What a crossing is differentiated in: its own position and x/X0, and the
/// logarithm of the field.
enum Seed : std::size_t { by_position, by_material, by_field, n_seeds };
using D = Dual<n_seeds>;

Row<double> derivative(const Row<D>& row, std::size_t seed) {
  Row<double> d;
  for (std::size_t i = 0; i < 5; ++i) d[i] = row[i].derivative[seed];
  return d;
}

double dot(const Row<double>& a, const Row<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 5; ++i) sum += a[i] * b[i];
  return sum;
}

/// The angle of a coordinate in the axes of the layer, and the axis into which
/// it turns.
struct UserAngle {
  double value = 0;
  CoordinateAxis turned;
};

UserAngle user_angle(const SurfaceRecord& s, const CoordinateAxis& axis) {
  const auto [u, v] = s.user_axes();
  const double cosine = axis.cosine * u.cosine + axis.sine * u.sine;
  const double sine = axis.cosine * v.cosine + axis.sine * v.sine;
  return {std::atan2(sine, cosine),
          {.cosine = cosine * v.cosine - sine * u.cosine,
           .sine = cosine * v.sine - sine * u.sine}};
}

/// Line with the derivative of the curvature with respect to ln(field).
Line<D> line_of(const Track& track, double bz) {
  Line<D> l = make_line<D>(track, bz);
  l.kappa.derivative[by_field] = l.kappa.value;
  l.c = l.kappa * l.inv_sin_theta;
  return l;
}

/// Derivatives of the variances with respect to the numbers of one crossing.
struct CrossingSlopes {
  PerParameter position, material;
  std::vector<PerParameter> sigma, angle;  ///< of each coordinate
};

class Differentiator {
 public:
  Differentiator(const FilteredTrack& t, const Track& track, const Model& model)
      : t_(t),
        track_(track),
        model_(model),
        line_(line_of(track, t.geometry.bz())),
        weights_(t.parameters),
        slopes_(t.crossings.list.size()) {
    for (const auto& x : t.crossings.list) {
      const SurfaceRecord& s = t.geometry.surfaces()[x.surface];
      at_.push_back(cross(line_, s, D::variable(s.position, by_position),
                          D::variable(s.x_over_x0, by_material)));
    }
  }

  void run() {
    start_of_parameters();
    if (!t_.start())
      for (int k = 0; k <= t_.crossings.first; ++k)
        inner_kinks(static_cast<std::size_t>(k));
    t_.walk_back([this](const auto& step) { hit(step); },
                 [this](const auto& step) { kinks(step); });
    if (model_.scattering == Scattering::highland_total) total_of_material();
  }

  const std::vector<CrossingSlopes>& slopes() const { return slopes_; }
  const PerParameter& field() const { return field_; }
  const std::array<PerParameter, 3>& beam_spot() const { return beam_spot_; }

 private:
  using Hit = HitStep<double, n_parameters>;
  using Kinks = KinkStep<double, n_parameters>;

  const SurfaceRecord& surface(std::size_t k) const {
    return t_.geometry.surfaces()[t_.crossings.list[k].surface];
  }

  /// Where the derivative with respect to a seed at crossing k belongs.
  PerParameter& sum_of(std::size_t k, std::size_t seed) {
    if (seed == by_field) return field_;
    return seed == by_position ? slopes_[k].position : slopes_[k].material;
  }

  /// The relative errors of p and pT are functions of the curvature that
  /// change with it: d(1/kappa) = -1/kappa d ln(field).
  void start_of_parameters() {
    const ParameterCovariance n = t_.covariance_with_line();
    for (std::size_t q = 0; q < n_parameters; ++q)
      field_.values[q] -=
          2 * t_.parameters[q][Perigee::kappa] * n[q][Perigee::kappa];
  }

  /// d(variance) = -2 g/v (inside . da) + (g/v)^2 dv
  void hit(const Hit& step) {
    if (step.crossing == start_index)
      start_hit(step);
    else
      surface_hit(step);
    for (std::size_t q = 0; q < n_parameters; ++q)
      for (std::size_t i = 0; i < 5; ++i)
        weights_[q][i] -= step.gain[q] / step.variance * step.row[i];
  }

  void surface_hit(const Hit& step) {
    const SurfaceRecord& s = surface(step.crossing);
    const CoordinateAxis& axis = t_.geometry.axes(s)[step.coordinate];
    const Crossing<D>& x = at_[step.crossing];
    const Row<D> row = coordinate_row(line_, s, x, axis.cosine, axis.sine);
    for (const std::size_t seed : {by_position, by_field})
      add_row(sum_of(step.crossing, seed), step, derivative(row, seed));
    CrossingSlopes& own = slopes_[step.crossing];
    own.sigma.emplace_back();
    add_variance(own.sigma.back(), step, 2 * std::sqrt(axis.variance));
    const UserAngle angle = user_angle(s, axis);
    const Row<double> turned = coordinate_row(
        t_.crossings.line, s, t_.crossings.list[step.crossing].at,
        angle.turned.cosine, angle.turned.sine);
    own.angle.emplace_back();
    add_row(own.angle.back(), step, turned);
  }

  void start_hit(const Hit& step) {
    const Line<D> fixed = make_line<D>(track_, t_.geometry.bz());
    const BeamSpot& spot = *model_.beam_spot;
    const StartHit<D> h =
        make_start_hit(fixed, D::variable(spot.x, 0), D::variable(spot.y, 1),
                       D::variable(spot.z, 2));
    const bool first = step.coordinate == 0;
    const Row<D>& row = first ? h.transverse : h.longitudinal;
    const D& variance = first ? h.transverse_variance : h.longitudinal_variance;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      add_row(beam_spot_[axis], step, derivative(row, axis));
      add_variance(beam_spot_[axis], step, variance.derivative[axis]);
    }
  }

  static void add_row(PerParameter& sum, const Hit& step,
                      const Row<double>& change) {
    for (std::size_t q = 0; q < n_parameters; ++q)
      sum.values[q] -=
          2 * step.gain[q] / step.variance * dot(step.inside[q], change);
  }

  static void add_variance(PerParameter& sum, const Hit& step, double change) {
    for (std::size_t q = 0; q < n_parameters; ++q) {
      const double weight = step.gain[q] / step.variance;
      sum.values[q] += weight * weight * change;
    }
  }

  /// d(variance) = 2 w (mu.b)(mu.db) + (mu.b)^2 dw for both kinks, where mu
  /// is what the hits from here on weigh: p = -w mu.b
  void kinks(const Kinks& step) {
    if (!(step.w > 0)) return;
    Gains theta, phi;
    for (std::size_t q = 0; q < n_parameters; ++q) {
      theta[q] = -step.theta[q] / step.w;
      phi[q] = -step.phi[q] / step.w_phi;
    }
    add_kinks(step.crossing, theta, phi);
  }

  void inner_kinks(std::size_t k) {
    const auto& x = t_.crossings.list[k];
    if (!(x.theta0_2 > 0)) return;
    const auto b = detail::kink_rows(kink(t_.crossings.line, x.at));
    add_kinks(k, detail::times(weights_, b.theta),
              detail::times(weights_, b.phi));
  }

  /// @param theta, phi  mu.b of the two kinks
  void add_kinks(std::size_t k, const Gains& theta, const Gains& phi) {
    const D total(t_.crossings.x_over_x0);
    const D w =
        theta0_squared(line_, model_.scattering, at_[k].x_over_x0, total);
    const auto b = detail::kink_rows(kink(line_, at_[k]));
    const double inv_sine = t_.crossings.line.inv_sin_theta;
    const double inv_sine2 = inv_sine * inv_sine;
    for (std::size_t q = 0; q < n_parameters; ++q) {
      const double spread = theta[q] * theta[q] + phi[q] * phi[q] * inv_sine2;
      scattering_.values[q] += spread * w.value;
      for (std::size_t seed = 0; seed < n_seeds; ++seed) {
        const Row<double> dt = derivative(b.theta, seed);
        const Row<double> dp = derivative(b.phi, seed);
        sum_of(k, seed).values[q] +=
            2 * w.value *
                (theta[q] * dot(weights_[q], dt) +
                 phi[q] * dot(weights_[q], dp) * inv_sine2) +
            spread * w.derivative[seed];
      }
    }
  }

  /// With one logarithm for all, every layer's x/X0 along the track changes
  /// the scattering of all the others.
  void total_of_material() {
    const double total = t_.crossings.x_over_x0;
    if (!(total > 0)) return;
    const Line<Dual<1>> l = make_line<Dual<1>>(track_, t_.geometry.bz());
    const Dual<1> w = theta0_squared(l, model_.scattering, Dual<1>(1.0),
                                     Dual<1>::variable(total, 0));
    if (!(w.value > 0)) return;
    const double relative = w.derivative[0] / w.value;
    for (std::size_t k = 0; k < at_.size(); ++k)
      for (std::size_t seed = 0; seed < n_seeds; ++seed)
        for (std::size_t q = 0; q < n_parameters; ++q)
          sum_of(k, seed).values[q] += scattering_.values[q] * relative *
                                       at_[k].x_over_x0.derivative[seed];
  }

  using ParameterCovariance = detail::ParameterRows<double>;

  const FilteredTrack& t_;
  const Track& track_;
  const Model& model_;
  Line<D> line_;
  std::vector<Crossing<D>> at_;
  /// mu: each parameter minus what the hits inside have told of it.
  detail::ParameterRows<double> weights_;
  std::vector<CrossingSlopes> slopes_;
  PerParameter field_;       ///< with respect to ln(field)
  PerParameter scattering_;  ///< variance from all scattering
  std::array<PerParameter, 3> beam_spot_;
};

/// Turns derivatives of variances into those of ln(sigma).
class List {
 public:
  List(const PerParameter& total, std::vector<Sensitivity>& items)
      : total_(total), items_(items) {}

  void add(Sensitivity item, const PerParameter& variance_slope) const {
    for (const Parameter q : all_parameters)
      item.slope[q] = variance_slope[q] / (2 * total_[q]);
    items_.push_back(item);
  }

 private:
  const PerParameter& total_;
  std::vector<Sensitivity>& items_;
};

void add_crossing(const TrackingGeometry& geometry, std::size_t layer,
                  const CrossingSlopes& slopes, const List& list) {
  const SurfaceRecord& s = geometry.surfaces()[layer];
  using Q = Quantity;
  constexpr std::size_t none = Sensitivity::none;
  list.add({Q::position, layer, none, s.position, {}}, slopes.position);
  if (s.x_over_x0 > 0)
    list.add({Q::x_over_x0, layer, none, s.x_over_x0, {}}, slopes.material);
  const auto axes = geometry.axes(s);
  for (std::size_t i = 0; i < slopes.sigma.size(); ++i)
    list.add({Q::sigma, layer, i, std::sqrt(axes[i].variance), {}},
             slopes.sigma[i]);
  for (std::size_t i = 0; i < slopes.angle.size(); ++i)
    list.add({Q::angle, layer, i, user_angle(s, axes[i]).value, {}},
             slopes.angle[i]);
}

}  // namespace

std::string_view to_string(Quantity quantity) {
  switch (quantity) {
    case Quantity::position:
      return "position";
    case Quantity::x_over_x0:
      return "x_over_x0";
    case Quantity::sigma:
      return "sigma";
    case Quantity::angle:
      return "angle";
    case Quantity::beam_spot:
      return "beam spot";
    case Quantity::field:
      return "field";
    case Quantity::length:
      return "length";
  }
  return "";
}

PerParameter Sensitivity::elasticity() const {
  PerParameter e;
  for (const Parameter q : all_parameters)
    e[q] = value == 0 ? 0 : slope[q] * value;
  return e;
}

Sensitivities make_sensitivities(const TrackingGeometry& geometry,
                                 const Track& track, const Model& model) {
  Sensitivities result;
  result.resolution = resolve(geometry, track, model);
  result.sigma.values.fill(Resolution::none);
  const Status status = result.resolution.status;
  if (status != Status::ok && status != Status::no_field) return result;

  const FilteredTrack t(geometry, track, model);
  Differentiator differentiator(t, track, model);
  differentiator.run();
  PerParameter total = t.variance();
  if (status == Status::no_field)
    total[Parameter::p] = total[Parameter::pt] = Resolution::none;
  for (const Parameter q : all_parameters)
    result.sigma[q] = std::sqrt(total[q]);

  const List list(total, result.items);
  using Q = Quantity;
  constexpr std::size_t none = Sensitivity::none;
  PerParameter length;
  for (std::size_t k = 0; k < t.crossings.list.size(); ++k) {
    const std::size_t layer = t.crossings.list[k].surface;
    const CrossingSlopes& slopes = differentiator.slopes()[k];
    add_crossing(geometry, layer, slopes, list);
    for (const Parameter q : all_parameters)
      length[q] += slopes.position[q] * geometry.surfaces()[layer].position;
  }
  if (model.beam_spot) {
    const BeamSpot& spot = *model.beam_spot;
    const std::array<double, 3> errors{spot.x, spot.y, spot.z};
    for (std::size_t i = 0; i < 3; ++i)
      list.add({Q::beam_spot, none, i, errors[i], {}},
               differentiator.beam_spot()[i]);
  }
  if (geometry.bz() != 0) {
    PerParameter slope = differentiator.field();
    for (const Parameter q : all_parameters) slope[q] /= geometry.bz();
    list.add({Q::field, none, none, geometry.bz(), {}}, slope);
  }
  list.add({Q::length, none, none, 1, {}}, length);
  return result;
}

}  // namespace gttf
