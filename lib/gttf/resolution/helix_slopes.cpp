// SPDX-License-Identifier: Apache-2.0
// Derivatives of variances from the backward pass of the streaming fit.
#include <cmath>

#include "gttf/core/dual.hpp"
#include "gttf/resolution/filtered_track.hpp"
#include "gttf/resolution/variance_slopes.hpp"

namespace gttf::detail {

namespace {

using Gains = std::array<double, n_parameters>;

/// The variables of the derivatives of a crossing: its position and x/X0, and
/// the logarithm of the field.
enum Seed : std::size_t { by_position, by_material, by_field, n_seeds };
using D = Dual<n_seeds>;

/// The columns of the two kinks with all five components.
struct KinkSlopes {
  Row<D> theta, phi;
};

KinkSlopes kink_rows(const Kink<D>& b) {
  return {{b.theta[0], b.theta[1], b.theta[2], D(1), D(0)},
          {b.phi[0], b.phi[1], b.phi[2], D(0), D(0)}};
}

Row<double> derivative(const Row<D>& row, std::size_t seed) {
  Row<double> d;
  for (std::size_t i = 0; i < track_dim; ++i) d[i] = row[i].derivative[seed];
  return d;
}

double dot(const Row<double>& a, const Row<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < track_dim; ++i) sum += a[i] * b[i];
  return sum;
}

/// Line with the derivative of the curvature with respect to ln(field).
Line<D> line_of(const Track& track, double bz) {
  Line<D> l = make_line<D>(track, bz);
  l.kappa.derivative[by_field] = l.kappa.value;
  l.c = l.kappa * l.inv_sin_theta;
  return l;
}

/// @tparam S  scalar of the filter; derivatives are computed in doubles
template <class S>
class Differentiator {
 public:
  using HelixTrack = FilteredTrack<HelixPath<S>>;

  Differentiator(const HelixTrack& t, const Track& track, const Model& model)
      : t_(t),
        found_(*t.track.helix()),
        track_(track),
        model_(model),
        line_(line_of(track, t.track.geometry().bz())),
        weights_(t.parameters),
        slopes_(found_.list.size()) {
    for (std::size_t k = 0; k < t.path.size(); ++k) {
      const SurfaceRecord& s = t.path.surface(k);
      at_.push_back(cross(line_, s, D::variable(s.position, by_position),
                          D::variable(s.x_over_x0, by_material)));
    }
  }

  void run() {
    start_of_parameters();
    if (!t_.start())
      for (int k = 0; k <= t_.path.first(); ++k) inner_kinks(k);
    t_.walk_back([this](const auto& step) { hit(step); },
                 [this](const auto& step) { kinks(step); });
    if (model_.scattering == Scattering::highland_total) total_of_material();
  }

  const std::vector<LayerSlopes>& slopes() const { return slopes_; }
  const PerParameter& field() const { return field_; }
  const std::array<PerParameter, 3>& beam_spot() const { return beam_spot_; }

 private:
  using Hit = HitStep<double, n_parameters>;
  using Kinks = KinkStep<double, n_parameters>;

  const TrackingGeometry& geometry() const { return t_.track.geometry(); }
  const SurfaceRecord& surface(std::size_t k) const {
    return t_.path.surface(k);
  }

  /// Destination of the derivative with respect to a seed at crossing k.
  PerParameter& sum_of(std::size_t k, std::size_t seed) {
    if (seed == by_field) return field_;
    return seed == by_position ? slopes_[k].position : slopes_[k].material;
  }

  /// Parameters whose dependence on the line changes with the field.
  void start_of_parameters() {
    const auto n = t_.with_line();
    const auto change = parameter_rows_by_field(t_.track);
    for (std::size_t q = 0; q < n_parameters; ++q)
      field_.values[q] += 2 * dot(change[q], n[q]);
    if (t_.start()) return;
    for (int k = 0; k <= t_.path.first(); ++k) {
      const auto b = t_.kinks(k);
      for (std::size_t q = 0; q < n_parameters; ++q) {
        const Row<double>& row = t_.parameters[q];
        field_.values[q] +=
            2 * (b.w * dot(row, b.theta) * dot(change[q], b.theta) +
                 b.w_phi * dot(row, b.phi) * dot(change[q], b.phi));
      }
    }
  }

  /// d(variance) = -2 g/v (inside . da) + (g/v)^2 dv
  void hit(const Hit& step) {
    if (step.crossing == start_index)
      start_hit(step);
    else
      surface_hit(step);
    for (std::size_t q = 0; q < n_parameters; ++q)
      for (std::size_t i = 0; i < track_dim; ++i)
        weights_[q][i] -= step.gain[q] / step.variance * step.row[i];
  }

  void surface_hit(const Hit& step) {
    const SurfaceRecord& s = surface(step.crossing);
    const CoordinateAxis& axis = t_.path.axes(step.crossing)[step.coordinate];
    const Crossing<D>& x = at_[step.crossing];
    const Row<D> row = coordinate_row(line_, s, x, axis.cosine, axis.sine);
    for (const std::size_t seed : {by_position, by_field})
      add_row(sum_of(step.crossing, seed), step, derivative(row, seed));
    LayerSlopes& own = slopes_[step.crossing];
    own.resize(t_.path.axes(step.crossing).size());
    add_variance(own.sigma[step.coordinate], step,
                 2 * std::sqrt(axis.variance));
    const auto [u, v] = s.user_axes();
    for (std::size_t i = 0; i < 2; ++i) {
      const CoordinateAxis& part = i == 0 ? u : v;
      add_row(own.along[step.coordinate][i], step,
              in_doubles(t_.path.row(step.crossing, part.cosine, part.sine)));
    }
  }

  void start_hit(const Hit& step) {
    const Line<D> fixed = make_line<D>(track_, geometry().bz());
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

  /// d(variance) = 2 w (mu.b)(mu.db) + (mu.b)^2 dw for both kinks, where mu is
  /// the weight of the hits from here on: p = -w mu.b
  void kinks(const Kinks& step) {
    if (!(step.w > 0)) return;
    Gains theta, phi;
    for (std::size_t q = 0; q < n_parameters; ++q) {
      theta[q] = -step.theta[q] / step.w;
      phi[q] = -step.phi[q] / step.w_phi;
    }
    add_kinks(step.crossing, theta, phi);
  }

  void inner_kinks(int k) {
    const auto b = t_.kinks(k);
    if (!b.any()) return;
    add_kinks(static_cast<std::size_t>(k), covariance_with(weights_, b.theta),
              covariance_with(weights_, b.phi));
  }

  /// @param theta, phi  mu.b of the two kinks
  void add_kinks(std::size_t k, const Gains& theta, const Gains& phi) {
    const D total(found_.material.to_last_hit);
    const D w =
        theta0_squared(line_, model_.scattering, at_[k].x_over_x0, total);
    const KinkSlopes b = kink_rows(kink(line_, at_[k]));
    const double inv_sine = found_.line.inv_sin_theta;
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

  /// With one logarithm for all, the x/X0 along the track of every layer up to
  /// the last hit changes the scattering of all the others.
  void total_of_material() {
    const double total = found_.material.to_last_hit;
    if (!(total > 0)) return;
    const Line<Dual<1>> l = make_line<Dual<1>>(track_, geometry().bz());
    const Dual<1> w = theta0_squared(l, model_.scattering, Dual<1>(1.0),
                                     Dual<1>::variable(total, 0));
    if (!(w.value > 0)) return;
    const double relative = w.derivative[0] / w.value;
    for (std::size_t k = 0; k <= static_cast<std::size_t>(found_.last); ++k)
      for (std::size_t seed = 0; seed < n_seeds; ++seed)
        for (std::size_t q = 0; q < n_parameters; ++q)
          sum_of(k, seed).values[q] += scattering_.values[q] * relative *
                                       at_[k].x_over_x0.derivative[seed];
  }

  const HelixTrack& t_;
  const Crossings<double>& found_;
  const Track& track_;
  const Model& model_;
  Line<D> line_;
  std::vector<Crossing<D>> at_;
  /// mu: each parameter minus its estimate from the hits inside.
  ParameterRows<double> weights_;
  std::vector<LayerSlopes> slopes_;
  PerParameter field_;       ///< with respect to ln(field)
  PerParameter scattering_;  ///< variance from all scattering
  std::array<PerParameter, 3> beam_spot_;
};

}  // namespace

VarianceSlopes helix_slopes(const AnyTrack& track, const Model& model) {
  VarianceSlopes slopes;
  with_filtered_track(track, model, [&]<Path P>(const FilteredTrack<P>& t) {
    if constexpr (!P::kinks_touch_kappa) {
      Differentiator differentiator(t, track.track(), model);
      differentiator.run();
      slopes = {t.variance(), differentiator.slopes(), differentiator.field(),
                differentiator.beam_spot()};
    }
  });
  return slopes;
}

}  // namespace gttf::detail
