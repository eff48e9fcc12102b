// SPDX-License-Identifier: Apache-2.0
// Derivatives of variances of a traced track.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "gttf/fit/streaming/layer_walk.hpp"
#include "gttf/resolution/filtered_track.hpp"
#include "gttf/resolution/layer_errors.hpp"
#include "gttf/resolution/layer_steps.hpp"
#include "gttf/resolution/variance_slopes.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

namespace {

using Traced = FilteredTrack<TracedPath>;

PerParameter not_there() {
  PerParameter p;
  p.values.fill(Resolution::none);
  return p;
}

/// Whether two tracks cross the same layers in the same order.
bool same_list(const AnyTrack& a, const AnyTrack& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a.surface(k) != b.surface(k)) return false;
  return true;
}

/// Variances of a traced track: of the parameters at the start or, with
/// Model::at, at crossing `k`; `on_hit` and `on_kink` as in backward_pass().
template <class OnHit, class OnKink>
PerParameter walk_at(const AnyTrack& track, const Model& model, std::size_t k,
                     OnHit&& on_hit, OnKink&& on_kink) {
  const auto start =
      track.start_hit(model.beam_spot ? &*model.beam_spot : nullptr);
  PerParameter variance;
  variance.values = walk_from_layer(
      TracedPath(track.geometry(), *track.traced()), start ? &*start : nullptr,
      k, model.at->own_hit, parameter_rows_at(track, k), on_hit, on_kink);
  return variance;
}

/// Variances of a changed detector.
class Differences {
 public:
  Differences(const AnyTrack& track, const Model& model)
      : track_(track), model_(model) {}

  /// d(variance)/d(x) at x = 0 by six values around it,
  ///
  ///   f'(0) = (45 (f_1 - f_-1) - 9 (f_2 - f_-2) + f_3 - f_-3)/(60 h)
  ///
  /// with the step h reduced until the track crosses the same layers.
  /// @param change  change(geometry, model, x)
  template <class Change>
  PerParameter slope(double step, const Change& change) const {
    constexpr std::array<Value, 6> around{
        {{1, 45}, {-1, -45}, {2, -9}, {-2, 9}, {3, 1}, {-3, -1}}};
    return slope_by(around, 60, step, change);
  }

  /// The same from values on one side, for functions that exist only there,
  ///
  ///   f'(0) = (-25 f_0 + 48 f_1 - 36 f_2 + 16 f_3 - 3 f_4)/(12 h)
  ///
  /// @param step  h, with the sign of that side
  template <class Change>
  PerParameter slope_beyond(double step, const Change& change) const {
    constexpr std::array<Value, 5> beyond{
        {{0, -25}, {1, 48}, {2, -36}, {3, 16}, {4, -3}}};
    return slope_by(beyond, 12, step, change);
  }

 private:
  /// A function at n steps, and its weight in the slope.
  struct Value {
    int n;
    double weight;
  };

  template <std::size_t size, class Change>
  PerParameter slope_by(const std::array<Value, size>& values,
                        double denominator, double step,
                        const Change& change) const {
    constexpr int most_tries = 4;
    for (int i = 0; i < most_tries; ++i, step *= 0.1) {
      PerParameter sum;
      bool good = true;
      for (const Value& value : values) {
        TrackingGeometry geometry = track_.geometry();
        Model model = model_;
        change(geometry, model, value.n * step);
        const AnyTrack changed(
            geometry, track_.track(),
            trace(geometry, track_.track(), model.scattering, model.loss,
                  track_.frame(), track_.traced()->turns));
        good = same_list(track_, changed);
        if (!good) break;
        const PerParameter variance = variance_of(changed, model);
        const double w = value.weight / (denominator * step);
        for (const Parameter q : all_parameters) sum[q] += w * variance[q];
      }
      if (good) return sum;
    }
    return not_there();
  }

  PerParameter variance_of(const AnyTrack& changed, const Model& model) const {
    if (model.at)
      return walk_at(
          changed, model, *changed.crossing_of(model.at->layer),
          [](const auto&) {}, [](const auto&) {});
    return filtered(changed, TracedPath(changed.geometry(), *changed.traced()),
                    model)
        .variance();
  }

  const AnyTrack& track_;
  const Model& model_;
};

class TracedDifferentiator {
 public:
  TracedDifferentiator(const AnyTrack& track, const Model& model,
                       const SlopeKinds& kinds)
      : track_(track),
        model_(model),
        kinds_(kinds),
        list_(track.traced()->list),
        t_(filtered(track, TracedPath(track.geometry(), *track.traced()),
                    model)),
        differences_(track, model),
        multipliers_(t_.parameters) {
    slopes_.variance = t_.variance();
    slopes_.crossings.resize(list_.size());
    if (kinds.position || kinds.material) steps_.emplace(track, model);
    if (!model.at) return;
    at_ = *track.crossing_of(model.at->layer);
    // steps end at the last hit
    if (at_ > static_cast<std::size_t>(t_.path.last())) steps_.reset();
    multipliers_ = multipliers_inside_ = parameter_rows_at(track, at_);
  }

  VarianceSlopes run() {
    const auto on_hit = [this](const auto& step) { hit(step); };
    const auto on_kinks = [this](const auto& step) { kinks(step); };
    if (model_.at) {
      subtract_other_sides();
      slopes_.variance = walk_at(track_, model_, at_, on_hit, on_kinks);
    } else {
      if (!t_.start())
        for (int k = 0; k <= t_.path.first(); ++k)
          inner_kinks(static_cast<std::size_t>(k));
      t_.walk_back(on_hit, on_kinks);
    }
    if (steps_) steps_->set_slopes(kinds_, slopes_.crossings);
    if (model_.at) set_layers_by_differences();
    if (kinds_.others) {
      if (track_.fits_momentum()) slopes_.field = by_field();
      if (model_.beam_spot) set_beam_spot();
    }
    return std::move(slopes_);
  }

 private:
  using Hit = HitStep<double, n_parameters>;
  using Kinks = KinkStep<double, n_parameters>;

  /// From a layer, one pass goes outwards and the other one inwards.
  bool is_inside(std::size_t crossing) const {
    return model_.at && (crossing == start_index || crossing < at_);
  }
  ParameterRows<double>& multipliers_at(std::size_t crossing) {
    return is_inside(crossing) ? multipliers_inside_ : multipliers_;
  }
  static void subtract(const Hit& step, ParameterRows<double>& multipliers) {
    for (std::size_t q = 0; q < n_parameters; ++q)
      for (std::size_t i = 0; i < track_dim; ++i)
        multipliers[q][i] -= step.gain[q] / step.variance * step.row[i];
  }
  /// What the hits of each side of the layer estimate is known on the other.
  void subtract_other_sides() {
    walk_at(
        track_, model_, at_,
        [this](const auto& step) {
          subtract(step, is_inside(step.crossing) ? multipliers_
                                                  : multipliers_inside_);
        },
        [](const auto&) {});
  }

  void hit(const Hit& step) {
    subtract(step, multipliers_at(step.crossing));
    if (step.crossing == start_index) return;
    const SurfaceRecord& s = t_.path.surface(step.crossing);
    const CoordinateAxis& axis = t_.path.axes(step.crossing)[step.coordinate];
    const auto [u, v] = s.user_axes();
    const std::array<Row<double>, 2> rows{
        t_.path.row(step.crossing, u.cosine, u.sine),
        t_.path.row(step.crossing, v.cosine, v.sine)};
    PerParameter sigma;
    std::array<PerParameter, 2> along;
    for (std::size_t q = 0; q < n_parameters; ++q) {
      const double weight = step.gain[q] / step.variance;
      Row<double> factor = step.inside[q];
      for (double& x : factor) x *= -2 * weight;
      if (steps_)
        steps_->add_row(step.crossing, user_direction(s, axis), q, factor);
      sigma.values[q] = weight * weight * 2 * std::sqrt(axis.variance);
      for (std::size_t part = 0; part < 2; ++part) {
        double product = 0;
        for (std::size_t i = 0; i < track_dim; ++i)
          product += step.inside[q][i] * rows[part][i];
        along[part].values[q] = -2 * weight * product;
      }
    }
    LayerSlopes& own = slopes_.crossings[step.crossing];
    own.resize(t_.path.axes(step.crossing).size());
    own.sigma[step.coordinate] = sigma;
    own.along[step.coordinate] = along;
  }

  void kinks(const Kinks& step) {
    if (!steps_) return;
    const auto share = [](double effect, double variance) {
      return variance > 0 ? -effect / variance : 0;
    };
    const ParameterRows<double>& multipliers = multipliers_at(step.crossing);
    for (std::size_t q = 0; q < n_parameters; ++q)
      steps_->add_kinks(
          step.crossing, q, multipliers[q], share(step.theta[q], step.w),
          share(step.phi[q], step.w_phi), share(step.loss[q], step.w_loss));
  }

  void inner_kinks(std::size_t k) {
    if (!steps_) return;
    const auto b = t_.path.general_kinks(k);
    const auto theta = covariance_with(t_.parameters, b.theta);
    const auto phi = covariance_with(t_.parameters, b.phi);
    const auto loss = covariance_with(t_.parameters, b.loss);
    for (std::size_t q = 0; q < n_parameters; ++q)
      steps_->add_kinks(k, q, t_.parameters[q], theta[q], phi[q], loss[q]);
  }

  /// Whether the parameters at a layer change with this one, because it is that
  /// layer, or changes the path to it.
  bool changes_parameters(std::size_t k) const {
    if (!steps_ || list_[k].surface == list_[at_].surface) return true;
    return model_.loss != EnergyLoss::off && k < at_;
  }

  void set_layers_by_differences() {
    for (std::size_t k = 0; k < list_.size(); ++k) {
      // a surface moves as a whole: the first of its crossings represents all
      if (!changes_parameters(k) || first_of_surface(k) != k ||
          !kinds_.has_layer(list_[k].surface))
        continue;
      for (std::size_t j = k + 1; j < list_.size(); ++j)
        if (list_[j].surface == list_[k].surface)
          slopes_.crossings[j].position = slopes_.crossings[j].material = {};
      if (kinds_.position) slopes_.crossings[k].position = by_position(k);
      if (kinds_.position &&
          t_.path.surface(k).kind == SurfaceRecord::Kind::inclined)
        slopes_.crossings[k].rotations = by_rotations(k);
      if (kinds_.material) slopes_.crossings[k].material = by_thickness(k);
    }
  }

  PerParameter by_thickness(std::size_t k) const {
    const SurfaceRecord& s = t_.path.surface(k);
    if (!(s.x_over_x0 > 0)) return {};
    constexpr double step = 1e-3;  // relative
    PerParameter slope = differences_.slope(
        step, [&](TrackingGeometry& geometry, Model&, double x) {
          geometry.scale_material(list_[k].surface, 1 + x);
        });
    for (const Parameter q : all_parameters) slope[q] /= s.x_over_x0;
    return slope;
  }

  std::size_t first_of_surface(std::size_t k) const {
    const auto first =
        std::ranges::find(list_, list_[k].surface, &TracedCrossing::surface);
    return static_cast<std::size_t>(first - list_.begin());
  }

  PerParameter by_position(std::size_t k) const {
    const double position = t_.path.surface(k).position;
    return by_motion(k, 1, std::numeric_limits<double>::infinity(),
                     [&](TrackingGeometry& geometry, Model&, double by) {
                       geometry.move(list_[k].surface, position + by);
                     });
  }

  std::array<PerParameter, 3> by_rotations(std::size_t k) const {
    const SurfaceRecord& s = t_.path.surface(k);
    const TracedCrossing& x = list_[k];
    const auto rates = rates_of_rotations(s, x.position);
    constexpr double largest = 1e-2;  // rad
    const auto about = [&](PlaneAxis axis) {
      return by_motion(k, rates[axis], largest * x.cos_incidence,
                       [&](TrackingGeometry& geometry, Model&, double by) {
                         geometry.replace(x.surface, rotated(s, axis, by));
                       });
    };
    return {about(u_axis), about(v_axis), about(normal_axis)};
  }

  /// By a number that moves a layer.
  /// @param rate  of the motion along its normal at the crossing
  /// @param largest  step of the number
  template <class Change>
  PerParameter by_motion(std::size_t k, double rate, double largest,
                         const Change& change) const {
    const TracedCrossing& x = list_[k];
    const double before = k == 0 ? x.path : x.path - list_[k - 1].path;
    const double after =
        k + 1 == list_.size() ? before : list_[k + 1].path - x.path;
    constexpr double share = 1e-2;
    const auto step_for = [&](double gap) {
      const double motion = share * gap * x.cos_incidence;
      return std::abs(rate) * largest > motion ? motion / std::abs(rate)
                                               : largest;
    };
    // a layer at the start is not crossed if it is moved backwards
    if (x.path <= longest_arc_at_start && rate != 0) {
      const double ahead =
          SurfaceLevel(t_.path.surface(k)).slope(x.position, x.direction);
      return differences_.slope_beyond(
          std::copysign(step_for(after), ahead * rate), change);
    }
    const double step =
        step_for(std::max(std::min(before, after), 1e-3 * before));
    const Interval range = range_between_faces(track_.geometry(), x, rate);
    const double nearest = std::min(-range.lower, range.upper);
    if (nearest > 0.4 * step)
      return differences_.slope(std::min(step, nearest / 4), change);
    // the bend differs on the other side of a face
    const bool is_up = range.upper > -range.lower;
    const double room = is_up ? range.upper : -range.lower;
    const double beyond = std::min(0.2 * step, room / 5);
    return differences_.slope_beyond(is_up ? beyond : -beyond, change);
  }

  PerParameter by_field() const {
    constexpr double step = 1e-3;  // relative
    return differences_.slope(step,
                              [](TrackingGeometry& geometry, Model&, double x) {
                                geometry.scale_field(1 + x);
                              });
  }

  void set_beam_spot() {
    constexpr double step = 1e-2;  // relative
    const auto by = [&](double BeamSpot::*axis) {
      const double value = (*model_.beam_spot).*axis;
      PerParameter slope = differences_.slope(
          step, [&](TrackingGeometry&, Model& model, double x) {
            (*model.beam_spot).*axis = value * (1 + x);
          });
      for (const Parameter q : all_parameters) slope[q] /= value;
      return slope;
    };
    slopes_.beam_spot = {by(&BeamSpot::x), by(&BeamSpot::y), by(&BeamSpot::z)};
  }

  const AnyTrack& track_;
  const Model& model_;
  const SlopeKinds& kinds_;
  const std::vector<TracedCrossing>& list_;
  Traced t_;
  Differences differences_;
  std::optional<LayerSteps> steps_;
  /// Each parameter minus its estimate from the hits inside.
  ParameterRows<double> multipliers_;
  std::size_t at_ = 0;  ///< crossing of the layer of Model::at
  /// The same for the pass from there inwards.
  ParameterRows<double> multipliers_inside_;
  VarianceSlopes slopes_;
};

}  // namespace

VarianceSlopes traced_slopes(const AnyTrack& track, const Model& model,
                             const SlopeKinds& kinds) {
  return TracedDifferentiator(track, model, kinds).run();
}

}  // namespace gttf::detail
