// SPDX-License-Identifier: Apache-2.0
// The backward pass outwards: contributions of scattering and hits of every
// layer to the variance of every parameter, and their derivatives with respect
// to the layer, for a batch.
#pragma once

#include <algorithm>
#include <type_traits>

#include "gttf/core/dual.hpp"
#include "gttf/fit/streaming/general_kinks.hpp"
#include "gttf/fit/streaming/stream.hpp"
#include "gttf/fit/track/beam_spot.hpp"
#include "gttf/resolution/batch_loss.hpp"
#include "gttf/resolution/batch_planes.hpp"
#include "gttf/resolution/batch_search.hpp"
#include "gttf/resolution/start_plane.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf::detail {

/// Data of a crossing for the backward pass; rows are stored separately.
/// @tparam K, G  HelixKinks and KinkGain, or GeneralKinks and GeneralGain
template <class S, class K = HelixKinks<S>, class G = KinkGain<S>>
struct BatchStep {
  G gain;
  K kinks;
  S weight, weight_phi;  ///< 1/(variance of the kinks), 0 if there are none
};
/// The same with energy loss.
template <class S>
struct LossStep : BatchStep<S, GeneralKinks<S>, GeneralGain<S>> {
  S weight_loss;  ///< the same of kappa, for the part that is due to angles
  S straggling;   ///< variance of kappa that is not; if losses fluctuate
};

/// Derivatives of the kinks of a crossing with respect to the position of the
/// surface, and of the logarithm of their variance also with respect to its
/// x/X0. Rows of coordinates are stored separately.
template <class S>
struct KinkSlopes {
  Kink<S> columns;
  S log_by_position, log_by_material;
};

template <class S, class Step>
std::size_t backward_pass_workspace(const BatchTask& task) {
  return task.n_crossings * (sizeof(Step) + sizeof(KinkSlopes<S>)) +
         2 * task.n_coordinates * sizeof(Row<S>);
}

template <class S>
[[gnu::always_inline]] inline S dot(const Row<S>& a, const Row<S>& b) {
  S sum = a[4] * b[4];
  GTTF_UNROLL
  for (std::size_t j = 0; j < 4; ++j) sum = sum + a[3 - j] * b[3 - j];
  return sum;
}

/// Effect of changes of the line on each Parameter.
template <class S>
class ParameterChanges {
 public:
  using Origin = Line<S>;
  using Values = std::array<S, n_parameters>;
  static constexpr bool is_helix = true;

  explicit ParameterChanges(const Line<S>& l)
      : inverse_kappa_(S(1) / l.kappa),
        cot_theta_(l.cot_theta),
        sin2_(l.sin_theta * l.sin_theta),
        plane_(l) {}

  [[gnu::always_inline]] Values of(const Row<S>& s) const {
    const S p = -(s[4] * inverse_kappa_);
    const auto [x, y, tx, ty] = plane_.change(s);
    return {p, p + cot_theta_ * s[3], s[0], s[1], s[2], s[3], x, y, tx, ty};
  }
  /// 1/(variance of phi kinks), from the weight of theta kinks.
  template <class Kinks>
  S phi_weight(const S& weight, const Kinks&) const {
    return weight * sin2_;
  }

 private:
  S inverse_kappa_, cot_theta_, sin2_;
  StartPlane<S> plane_;
};

/// All coordinates of a crossing; none if it is not fitted.
template <class S>
struct FittedRows {
  const Row<S>* rows;
  const Row<S>* slopes;  ///< of rows, by the position; or null
  std::size_t n;
  const double* weights;  ///< 1/variance of each; null: see axes
  const ElementAxis* axes;

  [[gnu::always_inline]] S weight(std::size_t q) const {
    if (axes == nullptr) return S(weights[q]);
    return S(1) / PackAccess<S>::load(axes[q].variance);
  }
};

/// Of a coordinate of a crossing.
template <class S>
[[gnu::always_inline]] inline S error_of(const ListedSurface& at,
                                         const BatchSurface& s, std::size_t q) {
  using std::sqrt;
  if (at.axes == nullptr) return S(std::sqrt(s.axes[q].variance));
  return sqrt(PackAccess<S>::load(at.axes[q].variance));
}

/// Part of the list of crossings, innermost first, as a source of them.
template <class S, class Step>
struct BatchStretch {
  const BatchTask& task;
  const Step* steps;         ///< of all crossings
  const Row<S>* rows;        ///< after those of the first crossing
  const Row<S>* row_slopes;  ///< the same

  bool scatters(std::size_t k) const { return task.list[k].kinked != 0; }
  const Step& kinks(std::size_t k) const { return steps[k]; }
  template <class F>
  void coordinates(std::size_t k, F&& f) {
    const ListedSurface& c = task.list[k];
    const BatchSurface& s = task.surfaces[c.surface];
    const std::size_t n = c.fitted != 0 ? s.record.n_axes : 0;
    rows -= n;
    row_slopes -= n;
    f(FittedRows<S>{rows, row_slopes, n, s.weights, c.axes});
  }
};

/// Calls f(Coordinates) for the rows of a crossing that have been kept; those
/// of tracks without it are 0.
/// @return  their number
template <class S, class F>
[[gnu::always_inline]] inline std::size_t for_kept_coordinates(
    const BatchTask& task, std::size_t k, const Row<S>* rows, F&& f) {
  const ListedSurface& c = task.list[k];
  if (c.fitted == 0) return 0;
  const BatchSurface& s = task.surfaces[c.surface];
  const auto variance = [&](const auto& x) {
    return task.mixed ? select(PackAccess<S>::mask(c.fitted), S(x), S(1))
                      : S(x);
  };
  const auto variance_of = [&](unsigned q) {
    if (c.axes != nullptr) [[unlikely]]
      return variance(PackAccess<S>::load(c.axes[q].variance));
    return variance(s.axes[q].variance);
  };
  for (unsigned q = 0; q < s.record.n_axes; q += 2) {
    const bool two = q + 1 < s.record.n_axes;
    const unsigned second = two ? q + 1 : q;
    f(Coordinates<S>{q, second, rows + q, two ? rows + second : nullptr,
                     variance_of(q), variance_of(second),
                     q == 0 && s.is_point(), variance(0.0)});
  }
  return s.record.n_axes;
}

/// A function of the line in the outward pass.
template <class S>
struct BatchFunction {
  Parameter parameter;
  S variance;        ///< in front of the first hits; if a share is requested
  S by_hits;         ///< part of it by the hits so far
  Row<S> with_line;  ///< its covariance with the line
  Row<S> rest;       ///< the function minus its estimate from the hits so far
  /// Destination of the variances of the layers and derivatives; or null.
  double *scattering, *hits, *position, *material, *sigma;
};

/// Also prefetches the destination of the next tracks: results are many short
/// pieces far apart, which processors do not predict. Uses the last number in
/// each of its cache lines, since arrays need not begin at a line.
template <class S>
[[gnu::always_inline]] inline void write_elements(const S& x, double* to) {
  constexpr std::size_t width = PackAccess<S>::width;
  constexpr std::size_t line = std::min<std::size_t>(width, 8);
  PackAccess<S>::store(x, to);
  GTTF_UNROLL
  for (std::size_t i = line; i <= width; i += line)
    __builtin_prefetch(to + width + i - 1, 1);
}

/// Propagates one function through some crossings. It stays in registers: one
/// function after the other is faster than all of them together.
/// @tparam with_slopes     whether derivatives are requested; see
///                         docs/theory/sensitivity.md
/// @tparam with_positions  whether those with respect to positions are
template <class S, bool with_slopes, bool with_positions>
class FunctionWalk : public AnyFit {
 public:
  /// @param slopes  of the kinks of all crossings; null if not requested
  FunctionWalk(const BatchTask& task, const KinkSlopes<S>* slopes,
               BatchFunction<S>& function)
      : task_(task),
        slopes_(slopes),
        function_(function),
        f_(function.with_line),
        by_hits_(function.by_hits) {
    if constexpr (with_positions) rest_ = function.rest;
  }
  FunctionWalk(const FunctionWalk&) = delete;
  FunctionWalk& operator=(const FunctionWalk&) = delete;

  /// To be called at the end. Not by a destructor, which would be called after
  /// an exception, too, and bring the tables of exceptions into the kernels.
  void put_back() const {
    function_.with_line = f_;
    function_.by_hits = by_hits_;
    if constexpr (with_positions) function_.rest = rest_;
  }

  void on_coordinates(std::size_t k, const FittedRows<S>& c) {
    part_ = S(0);
    if constexpr (with_slopes) by_material_ = S(0);
    if constexpr (with_positions) by_position_ = S(0);
    if (c.n > 0) {
      for (std::size_t q = 0; q < c.n; ++q) {
        const S gain = dot(f_, c.rows[q]);
        part_ = part_ + gain * gain * c.weight(q);
        if constexpr (with_slopes) add_slopes(k, c, q, gain);
      }
      by_hits_ = by_hits_ + part_;
    }
    if (function_.hits != nullptr)
      write_elements(part_, function_.hits + place(k));
    part_ = S(0);
  }
  void on_kinks(std::size_t, const LossStep<S>& step) {
    // s_outside = s_inside + b_theta k_theta + b_phi k_phi + b_loss k_loss
    const GeneralKinks<S>& b = step.kinks;
    const S loss = dot(f_, step.gain.loss);
    GTTF_UNROLL
    for (std::size_t j = 0; j < track_dim; ++j)
      f_[j] = f_[j] - loss * b.loss[j];
    const S theta = dot(f_, step.gain.theta), phi = dot(f_, step.gain.phi);
    part_ = theta * theta * step.weight + phi * phi * step.weight_phi +
            loss * loss * step.weight_loss;
    GTTF_UNROLL
    for (std::size_t j = 0; j < track_dim; ++j)
      f_[j] = f_[j] - theta * b.theta[j] - phi * b.phi[j];
  }
  void on_kinks([[maybe_unused]] std::size_t k, const BatchStep<S>& step) {
    // s_outside = s_inside + b_theta k_theta + b_phi k_phi
    const Kink<S>& b = step.kinks.columns;
    const S theta = dot(f_, step.gain.theta), phi = dot(f_, step.gain.phi);
    part_ = theta * theta * step.weight + phi * phi * step.weight_phi;
    if constexpr (with_slopes)
      if (function_.material != nullptr)
        by_material_ = part_ * slopes_[k].log_by_material;
    if constexpr (with_positions) {
      const KinkSlopes<S>& change = slopes_[k];
      S turn = S(0);
      GTTF_UNROLL
      for (std::size_t j = 0; j < 3; ++j)
        turn = turn + rest_[j] * (theta * change.columns.theta[j] +
                                  phi * change.columns.phi[j]);
      by_position_ =
          by_position_ + S(2) * turn + part_ * change.log_by_position;
    }
    GTTF_UNROLL
    for (std::size_t j = 0; j < 3; ++j)
      f_[j] = f_[j] - theta * b.theta[j] - phi * b.phi[j];
    f_[3] = f_[3] - theta;
  }
  void on_outside(std::size_t k) {
    put(k, part_, function_.scattering);
    if constexpr (with_slopes) put(k, by_material_, function_.material);
    if constexpr (with_positions) put(k, by_position_, function_.position);
  }

 private:
  std::size_t place(std::size_t k) const {
    return task_.list[k].row * task_.budget_stride;
  }

  /// Adds to the value there, if scattering inside all hits contributed to it.
  void put(std::size_t k, S x, double* to) const {
    if (to == nullptr) return;
    to += place(k);
    if (task_.list[k].inner != 0) x = x + PackAccess<S>::load(to);
    write_elements(x, to);
  }

  /// A hit: d(variance) = -2 g/v (with line . da) + (g/v)^2 dv
  void add_slopes(std::size_t k, const FittedRows<S>& c, std::size_t q,
                  const S& gain) {
    const ListedSurface& at = task_.list[k];
    const BatchSurface& s = task_.surfaces[at.surface];
    const S weight = gain * c.weight(q);
    write_elements(
        S(2) * error_of<S>(at, s, q) * weight * weight,
        function_.sigma + (at.first_coordinate + in_order(q, s.independent)) *
                              task_.budget_stride);
    if constexpr (with_positions) {
      by_position_ = by_position_ - S(2) * weight * dot(f_, c.slopes[q]);
      GTTF_UNROLL
      for (std::size_t j = 0; j < track_dim; ++j)
        rest_[j] = rest_[j] - weight * c.rows[q][j];
    }
  }

  template <int>
  struct Nothing {};

  const BatchTask& task_;
  const KinkSlopes<S>* slopes_;
  BatchFunction<S>& function_;
  Row<S> f_;
  S by_hits_, part_;
  template <class T, int i>
  using OfPositions = std::conditional_t<with_positions, T, Nothing<i>>;
  [[no_unique_address]] OfPositions<Row<S>, 0> rest_;
  [[no_unique_address]] OfPositions<S, 1> by_position_;
  [[no_unique_address]] std::conditional_t<with_slopes, S, Nothing<2>>
      by_material_;
};

template <class S, bool with_slopes, bool with_positions, class Step>
[[gnu::noinline, gnu::flatten]] void take_outwards(
    BatchStretch<S, Step> stretch, std::size_t begin, std::size_t end,
    const KinkSlopes<S>* slopes, BatchFunction<S>& function) {
  FunctionWalk<S, with_slopes, with_positions> walk(stretch.task, slopes,
                                                    function);
  stream_outwards(stretch, begin, end, walk);
  walk.put_back();
}

/// The same line with another number type.
template <class To, class From>
Line<To> converted(const Line<From>& l) {
  return {To(l.sin_theta),
          To(l.cos_theta),
          To(l.cot_theta),
          To(l.cot2_theta),
          To(l.tan_theta),
          To(l.inv_sin_theta),
          To(l.kappa),
          To(l.c),
          To(l.kappa_column),
          To(l.along),
          To(l.across),
          To(l.z),
          To(l.r2),
          To(l.cos_phi),
          To(l.sin_phi),
          {To(l.strength.scale), To(l.strength.log_charge_beta)},
          l.on_axis};
}

/// Derivatives of a crossing with respect to position and x/X0 of the surface.
/// @param cross_at  cross_at(line, by_position, by_material): the crossing,
/// with
///                  the indices of the derivatives
/// @param row_of    row_of(line, crossing, kinks, q): of a coordinate
/// @param rows of the coordinates, with respect to the position
template <class S, class CrossAt, class RowOf>
[[gnu::always_inline]] inline void set_slopes_with(
    const Line<S>& line, const BatchSurface& s, Scattering scattering,
    const CrossAt& cross_at, const RowOf& row_of, KinkSlopes<S>& slopes,
    Row<S>* rows, std::size_t n_rows) {
  using D = Dual<2, S>;
  constexpr int by_position = 0, by_material = 1;
  const Line<D> l = converted<D>(line);
  const Crossing<D> x = cross_at(l, by_position, by_material);
  const Kink<D> b = kink(l, x);
  GTTF_UNROLL
  for (std::size_t j = 0; j < 3; ++j) {
    slopes.columns.theta[j] = b.theta[j].derivative[by_position];
    slopes.columns.phi[j] = b.phi[j].derivative[by_position];
  }
  slopes.log_by_position = slopes.log_by_material = S(0);
  if (s.record.x_over_x0 > 0) {
    const D w = theta0_squared(l, scattering, x.x_over_x0, D(0.0));
    const S inverse = select(w.value > S(0), S(1) / w.value, S(0));
    slopes.log_by_position = w.derivative[by_position] * inverse;
    slopes.log_by_material = w.derivative[by_material] * inverse;
  }
  for (std::size_t q = 0; q < n_rows; ++q) {
    const Row<D> row = row_of(l, x, b, q);
    GTTF_UNROLL
    for (std::size_t j = 0; j < track_dim; ++j)
      rows[q][j] = row[j].derivative[by_position];
  }
}

template <class S>
[[gnu::noinline, gnu::flatten]] void set_crossing_slopes(
    const Line<S>& line, const BatchSurface& s, Scattering scattering,
    KinkSlopes<S>& slopes, Row<S>* rows, std::size_t n_rows) {
  using D = Dual<2, S>;
  set_slopes_with(
      line, s, scattering,
      [&s](const Line<D>& l, int by_position, int by_material) {
        return cross(l, s.record,
                     D::variable(S(s.record.position), by_position),
                     D::variable(S(s.record.x_over_x0), by_material));
      },
      [&s](const Line<D>& l, const Crossing<D>& x, const Kink<D>& b,
           std::size_t q) {
        return coordinate_row(l, s.record, x, b, s.axes[q].cosine,
                              s.axes[q].sine);
      },
      slopes, rows, n_rows);
}

/// The same for a plane of each track.
template <class S>
[[gnu::noinline, gnu::flatten]] void set_plane_slopes(
    const Line<S>& line, const BatchSurface& s, const ListedSurface& c,
    Scattering scattering, KinkSlopes<S>& slopes, Row<S>* rows,
    std::size_t n_rows) {
  using D = Dual<2, S>;
  const PackPlane<S> plane(*c.planes);
  set_slopes_with(
      line, s, scattering,
      [&](const Line<D>& l, int by_position, int by_material) {
        return cross_near(l, plane, D::variable(plane.position, by_position),
                          D::variable(plane.x_over_x0, by_material),
                          D(PackAccess<S>::load(c.planes->arc)));
      },
      [&](const Line<D>& l, const Crossing<D>& x, const Kink<D>& b,
          std::size_t q) {
        const PackAxis<S> axis(c.axes[q]);
        return leaning_row(l, plane, x, b, D(axis.cosine), D(axis.sine));
      },
      slopes, rows, n_rows);
}

/// Only the derivative of the logarithm of the variance with respect to x/X0.
template <class S>
[[gnu::noinline, gnu::flatten]] void set_material_slope(const Line<S>& line,
                                                        const BatchSurface& s,
                                                        const ListedSurface& c,
                                                        Scattering scattering,
                                                        KinkSlopes<S>& slopes) {
  using D = Dual<1, S>;
  slopes.log_by_material = S(0);
  if (!(s.record.x_over_x0 > 0)) return;
  // along the track it is proportional to that at normal incidence
  D along;
  if (c.planes != nullptr) {
    const PackPlane<S> plane(*c.planes);
    along.derivative[0] = cross_near(line, plane, plane.position, S(1),
                                     PackAccess<S>::load(c.planes->arc))
                              .x_over_x0;
    along.value = along.derivative[0] * plane.x_over_x0;
  } else {
    along.derivative[0] =
        cross(line, s.record, S(s.record.position), S(1)).x_over_x0;
    along.value = along.derivative[0] * S(s.record.x_over_x0);
  }
  const D w = theta0_squared(converted<D>(line), scattering, along, D(0.0));
  slopes.log_by_material =
      select(w.value > S(0), w.derivative[0] / w.value, S(0));
}

/// Squared changes by the kinks of a crossing, times variance.
template <class S, class Changes>
[[gnu::noinline, gnu::flatten]] void set_kink_parts(
    const Changes& changes, const Kink<S>& b, const S& w, const S& w_phi,
    std::array<S, n_parameters>& parts) {
  const auto theta =
      changes.of({b.theta[0], b.theta[1], b.theta[2], S(1), S(0)});
  const auto phi = changes.of({b.phi[0], b.phi[1], b.phi[2], S(0), S(0)});
  GTTF_UNROLL
  for (std::size_t q = 0; q < n_parameters; ++q)
    parts[q] = theta[q] * theta[q] * w + phi[q] * phi[q] * w_phi;
}

template <class S, class Changes>
[[gnu::noinline, gnu::flatten]] void set_kink_parts(
    const Changes& changes, const GeneralKinks<S>& b, const S& w,
    const S& w_phi, const S& w_loss, std::array<S, n_parameters>& parts) {
  const auto theta = changes.of(b.theta), phi = changes.of(b.phi),
             loss = changes.of(b.loss);
  GTTF_UNROLL
  for (std::size_t q = 0; q < n_parameters; ++q)
    parts[q] = theta[q] * theta[q] * w + phi[q] * phi[q] * w_phi +
               loss[q] * loss[q] * w_loss;
}

/// Their derivatives with respect to the columns, along `change`.
template <class S, class Changes>
[[gnu::noinline, gnu::flatten]] void set_kink_slopes(
    const Changes& changes, const Kink<S>& b, const Kink<S>& change, const S& w,
    const S& w_phi, std::array<S, n_parameters>& slopes) {
  const auto row = [&](const std::array<S, 3>& c, double theta) {
    return changes.of({c[0], c[1], c[2], S(theta), S(0)});
  };
  const auto theta = row(b.theta, 1), phi = row(b.phi, 0);
  const auto theta_slope = row(change.theta, 0), phi_slope = row(change.phi, 0);
  GTTF_UNROLL
  for (std::size_t q = 0; q < n_parameters; ++q)
    slopes[q] =
        S(2) * (theta[q] * theta_slope[q] * w + phi[q] * phi_slope[q] * w_phi);
}

/// Covariances of all parameters with the line.
template <class S, class Changes>
[[gnu::noinline, gnu::flatten]] void set_columns(
    const Changes& changes, const Covariance5<S>& line,
    std::array<Row<S>, n_parameters>& with_line) {
  for (std::size_t j = 0; j < track_dim; ++j) {
    const auto column = changes.of(
        {line[0][j], line[1][j], line[2][j], line[3][j], line[4][j]});
    GTTF_UNROLL
    for (std::size_t q = 0; q < n_parameters; ++q) with_line[q][j] = column[q];
  }
}

/// For tracks whose derivatives this pass calculates itself.
struct NoOtherSlopes {
  template <class Functions>
  void operator()(const Functions&, std::size_t) const {}
};

/// @tparam Step  BatchStep<S>, or LossStep<S>: then derivatives by position and
/// material are calculated by `slopes` of run()
/// @tparam Changes  of the parameters by the line; derivatives are those of
/// helices
template <class S, class Step = BatchStep<S>,
          class Changes = ParameterChanges<S>>
class BatchBackwardPass {
  static constexpr bool can_differentiate =
      Changes::is_helix && std::is_same_v<Step, BatchStep<S>>;
  static constexpr bool loses_energy = std::is_same_v<Step, LossStep<S>>;

 public:
  BatchBackwardPass(const BatchTask& task, const typename Changes::Origin& line)
      : task_(task),
        line_(line),
        changes_(line),
        steps_(reinterpret_cast<Step*>(task.workspace)),
        slopes_(reinterpret_cast<KinkSlopes<S>*>(steps_ + task.n_crossings)),
        rows_(reinterpret_cast<Row<S>*>(slopes_ + task.n_crossings)) {}

  const Changes& changes() const { return changes_; }
  /// Filled during the inward pass.
  Step* steps() const { return steps_; }
  Row<S>& next_row() { return rows_[n_rows_++]; }
  /// Space for the rows of all crossings, to be filled at once: the outermost
  /// has the first.
  Row<S>* rows() {
    n_rows_ = task_.n_coordinates;
    return rows_;
  }
  /// Memory of all steps and rows.
  std::byte* rest() const {
    return reinterpret_cast<std::byte*>(rows_ + 2 * task_.n_coordinates);
  }

  /// All crossings.
  /// The slopes of a row are at its own position, after all rows.
  BatchStretch<S, Step> stretch() const {
    return {task_, steps_, rows_ + n_rows_, rows_ + 2 * n_rows_};
  }

  /// @param inside  covariance of the line in front of the first hits
  /// @param start   the first of them, if it is a beam spot; or null
  /// @param slopes  called with the functions before they are propagated:
  ///                calculates derivatives in another pass
  template <class Slopes = NoOtherSlopes>
  void run(const Covariance5<S>& inside, const StartHit<S>* start,
           Slopes&& slopes = {}) {
    set_functions(inside);
    if (start != nullptr) pass_start(*start);
    slopes(functions_, n_functions_);
    BatchStretch<S, Step> stretch = this->stretch();
    next_slopes_ = rows_ + 2 * n_rows_;
    for (std::size_t k = 0; k < task_.n_crossings; ++k) prepare(k);
    for (std::size_t begin = 0; begin < task_.n_crossings;) {
      const std::size_t end = std::min(begin + at_once, task_.n_crossings);
      for (std::size_t i = 0; i < n_functions_; ++i) {
        if constexpr (can_differentiate)
          if (functions_[i].sigma != nullptr) {
            if (with_positions_)
              take_outwards<S, true, true>(stretch, begin, end, slopes_,
                                           functions_[i]);
            else
              take_outwards<S, true, false>(stretch, begin, end, slopes_,
                                            functions_[i]);
            continue;
          }
        if constexpr (loses_energy)
          if (functions_[i].sigma != nullptr && !with_positions_ &&
              !with_materials_) {
            take_outwards<S, true, false>(stretch, begin, end, nullptr,
                                          functions_[i]);
            continue;
          }
        if (is_propagated(functions_[i]))
          take_outwards<S, false, false>(stretch, begin, end, nullptr,
                                         functions_[i]);
      }
      for (; begin < end; ++begin) stretch.coordinates(begin, [](auto&&) {});
    }
    store_share(Parameter::p, BatchPlane::mu_phi);
    store_share(Parameter::theta, BatchPlane::mu_theta);
  }

 private:
  /// Number of crossings whose steps and rows stay in the first-level cache
  /// while all functions are propagated one after the other.
  static constexpr std::size_t at_once =
      32768 / (sizeof(Step) + 2 * sizeof(Row<S>));

  /// The parameters with requested results.
  void set_functions(const Covariance5<S>& inside) {
    std::array<Row<S>, n_parameters> with_line;
    set_columns(changes_, inside, with_line);
    std::array<Row<S>, n_parameters> rows;
    const auto any_of = [](const auto& list) {
      return std::any_of(std::begin(list), std::end(list),
                         [](const double* to) { return to != nullptr; });
    };
    with_materials_ = any_of(task_.material_slope);
    with_positions_ = any_of(task_.position_slope);
    if (with_positions_ || (loses_energy && with_materials_)) {
      Covariance5<S> unit;
      for (std::size_t i = 0; i < track_dim; ++i)
        for (std::size_t j = 0; j < track_dim; ++j)
          unit[i][j] = S(i == j ? 1 : 0);
      set_columns(changes_, unit, rows);
    }
    for (std::size_t q = 0; q < n_parameters; ++q) {
      const auto parameter = static_cast<Parameter>(q);
      const bool share = has_share(parameter);
      double* const scattering = task_.scattering_variance[q];
      double* const hits = task_.hit_variance[q];
      double* const position = task_.position_slope[q];
      double* const sigma = task_.sigma_slope[q];
      if (!share && scattering == nullptr && hits == nullptr &&
          sigma == nullptr)
        continue;
      BatchFunction<S>& f = functions_[n_functions_++];
      f.parameter = parameter;
      f.with_line = with_line[q];
      if (share) f.variance = changes_.of(f.with_line)[q];
      f.by_hits = S(0);
      f.scattering = scattering;
      f.hits = hits;
      f.position = position;
      f.material = task_.material_slope[q];
      f.sigma = sigma;
      f.rest = f.position != nullptr || (loses_energy && f.material != nullptr)
                   ? rows[q]
                   : Row<S>{};
    }
  }

  bool has_share(Parameter parameter) const {
    return (parameter == Parameter::p && asked_for(BatchPlane::mu_phi)) ||
           (parameter == Parameter::theta && asked_for(BatchPlane::mu_theta));
  }

  /// Whether anything but derivatives is requested of it.
  bool is_propagated(const BatchFunction<S>& f) const {
    return f.scattering != nullptr || f.hits != nullptr ||
           has_share(f.parameter);
  }

  /// The contribution of a beam spot to the variances and functions.
  void pass_start(const StartHit<S>& start) {
    const auto pass = [](const Row<S>& row, const S& variance,
                         BatchFunction<S>& f) {
      const S gain = dot(f.with_line, row), weight = gain / variance;
      f.by_hits = f.by_hits + gain * weight;
      for (std::size_t j = 0; j < track_dim; ++j)
        f.rest[j] = f.rest[j] - weight * row[j];
    };
    for (std::size_t i = 0; i < n_functions_; ++i) {
      pass(start.transverse, start.transverse_variance, functions_[i]);
      pass(start.longitudinal, start.longitudinal_variance, functions_[i]);
    }
  }

  bool asked_for(std::size_t plane) const {
    return task_.out[plane] != nullptr;
  }

  /// Data common to all functions.
  void prepare(std::size_t k) {
    const ListedSurface& c = task_.list[k];
    Step& step = steps_[k];
    if (c.kinked != 0) {
      step.weight = select(step.kinks.w > S(0), S(1) / step.kinks.w, S(0));
      step.weight_phi = changes_.phi_weight(step.weight, step.kinks);
      if constexpr (std::is_same_v<Step, LossStep<S>>) {
        const S& w = step.kinks.w_loss;
        step.weight_loss = select(w > S(0), angle_part(step) / (w * w), S(0));
      }
    }
    if constexpr (can_differentiate) prepare_slopes(k);
    if (c.inner == 0) return;
    const auto masked = [&](const S& x) {
      return task_.mixed ? select(PackAccess<S>::mask(c.inner), x, S(0)) : x;
    };
    const S w = masked(step.kinks.w), w_phi = masked(step.kinks.w_phi);
    if constexpr (std::is_same_v<Step, BatchStep<S>>)
      set_kink_parts(changes_, step.kinks.columns, w, w_phi, inner_);
    else
      set_kink_parts(changes_, step.kinks, w, w_phi, masked(angle_part(step)),
                     inner_);
    for (std::size_t i = 0; i < n_functions_; ++i)
      if (double* const to = functions_[i].scattering; to != nullptr)
        PackAccess<S>::store(
            inner_[static_cast<std::size_t>(functions_[i].parameter)],
            to + c.row * task_.budget_stride);
    if constexpr (can_differentiate) put_slopes(k, w, w_phi);
  }

  /// The variance of kappa behind a layer that is due to scattering angles.
  S angle_part(const Step& step) const {
    const S& all = step.kinks.w_loss;
    return straggles(task_.loss->model) ? all - step.straggling : all;
  }

  /// Of the scattering inside of all hits.
  void put_slopes(std::size_t k, const S& w, const S& w_phi) {
    const ListedSurface& c = task_.list[k];
    const BatchStep<S>& step = steps_[k];
    const KinkSlopes<S>& change = slopes_[k];
    typename Changes::Values by_position;
    if (with_positions_)
      set_kink_slopes(changes_, step.kinks.columns, change.columns, w, w_phi,
                      by_position);
    for (std::size_t i = 0; i < n_functions_; ++i) {
      const BatchFunction<S>& f = functions_[i];
      const auto q = static_cast<std::size_t>(f.parameter);
      const std::size_t place = c.row * task_.budget_stride;
      if (f.position != nullptr)
        PackAccess<S>::store(
            by_position[q] + inner_[q] * change.log_by_position,
            f.position + place);
      if (f.material != nullptr)
        PackAccess<S>::store(inner_[q] * change.log_by_material,
                             f.material + place);
    }
  }

  void prepare_slopes(std::size_t k) {
    const ListedSurface& c = task_.list[k];
    const BatchSurface& s = task_.surfaces[c.surface];
    KinkSlopes<S>& slopes = slopes_[k];
    // values of crossings that a track does not have are arbitrary
    const auto in = [this](TrackBits elements, S& x) {
      if (task_.mixed) x = select(PackAccess<S>::mask(elements), x, S(0));
    };
    const TrackBits scattering = c.kinked | c.inner;
    if (!with_positions_) {
      if (!with_materials_ || scattering == 0) return;
      set_material_slope(line_, s, c, task_.scattering, slopes);
      in(scattering, slopes.log_by_material);
      return;
    }
    const std::size_t n_rows = c.fitted != 0 ? s.record.n_axes : 0;
    next_slopes_ -= n_rows;
    if (c.planes != nullptr)
      set_plane_slopes(line_, s, c, task_.scattering, slopes, next_slopes_,
                       n_rows);
    else
      set_crossing_slopes(line_, s, task_.scattering, slopes, next_slopes_,
                          n_rows);
    if (!task_.mixed) return;
    for (std::size_t j = 0; j < 3; ++j) {
      in(scattering, slopes.columns.theta[j]);
      in(scattering, slopes.columns.phi[j]);
    }
    in(scattering, slopes.log_by_position);
    in(scattering, slopes.log_by_material);
    for (std::size_t q = 0; q < n_rows; ++q)
      for (S& element : next_slopes_[q]) in(c.fitted, element);
  }

  /// sqrt of the share of hits in the variance.
  void store_share(Parameter parameter, std::size_t plane) const {
    using std::sqrt;
    if (!asked_for(plane)) return;
    for (std::size_t i = 0; i < n_functions_; ++i)
      if (const BatchFunction<S>& f = functions_[i]; f.parameter == parameter)
        write_elements(sqrt(f.by_hits / f.variance), task_.out[plane]);
  }

  const BatchTask& task_;
  const typename Changes::Origin& line_;
  const Changes changes_;
  Step* steps_;
  KinkSlopes<S>* slopes_;
  Row<S>* rows_;
  std::size_t n_rows_ = 0;
  Row<S>* next_slopes_ = nullptr;  ///< after the rows of the next crossing
  bool with_materials_ = false, with_positions_ = false;
  std::array<BatchFunction<S>, n_parameters> functions_;
  std::size_t n_functions_ = 0;
  typename Changes::Values inner_;
};

}  // namespace gttf::detail
