// SPDX-License-Identifier: Apache-2.0
// The way back outwards: what scattering and hits of every layer add to the
// variance of every parameter, in lanes.
#pragma once

#include <algorithm>

#include "gttf/resolution/lane_steps.hpp"
#include "gttf/resolution/start_plane.hpp"

namespace gttf::detail {

/// What the way back needs of a crossing; rows of coordinates stand apart.
template <class S>
struct LaneStep {
  KinkGain<S> gain;
  LaneKink<S> kink;
  S weight, weight_phi;  ///< 1/(variance of the kinks), 0 if there are none
};

template <class S>
std::size_t lane_workspace(std::size_t n_crossings, std::size_t n_coordinates) {
  return n_crossings * sizeof(LaneStep<S>) + n_coordinates * sizeof(Row<S>);
}

template <class S>
[[gnu::always_inline]] inline S dot(const Row<S>& a, const Row<S>& b) {
  S sum = a[4] * b[4];
  GTTF_UNROLL
  for (std::size_t j = 0; j < 4; ++j) sum = sum + a[3 - j] * b[3 - j];
  return sum;
}

/// What changes of the line mean for each Parameter.
template <class S>
class ParameterChanges {
 public:
  using Values = std::array<S, n_parameters>;

  explicit ParameterChanges(const Line<S>& l)
      : inverse_kappa_(S(1) / l.kappa), cot_theta_(l.cot_theta), plane_(l) {}

  [[gnu::always_inline]] Values of(const Row<S>& s) const {
    const S p = -(s[4] * inverse_kappa_);
    const auto [x, y, tx, ty] = plane_.change(s);
    return {p, p + cot_theta_ * s[3], s[0], s[1], s[2], s[3], x, y, tx, ty};
  }

 private:
  S inverse_kappa_, cot_theta_;
  StartPlane<S> plane_;
};

/// Part of the list of crossings, innermost first.
template <class S>
struct LaneStretch {
  std::size_t begin, end;
  const LaneStep<S>* steps;  ///< of all crossings
  const Row<S>* rows;        ///< behind those of crossing `begin`
};

/// A function of the line on its way outwards.
template <class S>
struct LaneFunction {
  Parameter parameter;
  S variance;        ///< in front of the first hits; if a share is asked for
  S by_hits;         ///< part of it by the hits so far
  Row<S> with_line;  ///< its covariance with the line
  /// Where the variances of the layers go; or null.
  double *scattering, *hits;
};

/// Also asks for the place of the next lanes: results are many short pieces
/// far apart, which no processor sees coming. The last number in each of its
/// cache lines, since arrays need not begin with a line.
template <class S>
[[gnu::always_inline]] inline void write_lanes(const S& x, double* to) {
  constexpr std::size_t width = Lane<S>::width;
  constexpr std::size_t line = std::min<std::size_t>(width, 8);
  Lane<S>::store(x, to);
  GTTF_UNROLL
  for (std::size_t i = line; i <= width; i += line)
    __builtin_prefetch(to + width + i - 1, 1);
}

/// Takes one function through some crossings. It stays in registers: one
/// function after the other is faster than all of them side by side.
template <class S>
[[gnu::noinline, gnu::flatten]] void follow_in_lanes(
    const LaneFit& task, const LaneStretch<S>& stretch,
    LaneFunction<S>& function) {
  Row<S> f = function.with_line;
  S by_hits = function.by_hits;
  const Row<S>* rows = stretch.rows;
  for (std::size_t k = stretch.begin; k < stretch.end; ++k) {
    const LaneCrossing& c = task.list[k];
    const LaneSurface& s = task.surfaces[c.surface];
    const std::size_t place = c.surface * task.budget_stride;
    S part(0);
    if (c.fitted != 0) {
      rows -= s.record.n_axes;
      for (unsigned q = 0; q < s.record.n_axes; ++q) {
        const S gain = dot(f, rows[q]);
        part = part + gain * gain * S(s.weights[q]);
      }
      by_hits = by_hits + part;
    }
    if (function.hits != nullptr) write_lanes(part, function.hits + place);
    part = S(0);
    if (c.kinked != 0) {
      // s_outside = s_inside + b_theta k_theta + b_phi k_phi
      const LaneStep<S>& step = stretch.steps[k];
      const Kink<S>& b = step.kink.b;
      const S theta = dot(f, step.gain.theta), phi = dot(f, step.gain.phi);
      part = theta * theta * step.weight + phi * phi * step.weight_phi;
      GTTF_UNROLL
      for (std::size_t j = 0; j < 3; ++j)
        f[j] = f[j] - theta * b.theta[j] - phi * b.phi[j];
      f[3] = f[3] - theta;
    }
    if (function.scattering == nullptr) continue;
    double* to = function.scattering + place;
    if (c.inner != 0) part = part + Lane<S>::load(to);
    write_lanes(part, to);
  }
  function.with_line = f;
  function.by_hits = by_hits;
}

/// Squares of the changes that the kinks of a crossing make, times variance.
template <class S>
[[gnu::noinline, gnu::flatten]] void kinks_in_lanes(
    const ParameterChanges<S>& changes, const Kink<S>& b, const S& w,
    const S& w_phi, std::array<S, n_parameters>& parts) {
  const auto theta =
      changes.of({b.theta[0], b.theta[1], b.theta[2], S(1), S(0)});
  const auto phi = changes.of({b.phi[0], b.phi[1], b.phi[2], S(0), S(0)});
  GTTF_UNROLL
  for (std::size_t q = 0; q < n_parameters; ++q)
    parts[q] = theta[q] * theta[q] * w + phi[q] * phi[q] * w_phi;
}

/// Covariances of all parameters with the line.
template <class S>
[[gnu::noinline, gnu::flatten]] void columns_in_lanes(
    const ParameterChanges<S>& changes, const Covariance5<S>& line,
    std::array<Row<S>, n_parameters>& with_line) {
  for (std::size_t j = 0; j < 5; ++j) {
    const auto column = changes.of(
        {line[0][j], line[1][j], line[2][j], line[3][j], line[4][j]});
    GTTF_UNROLL
    for (std::size_t q = 0; q < n_parameters; ++q) with_line[q][j] = column[q];
  }
}

template <class S>
class LaneWayBack {
 public:
  LaneWayBack(const LaneFit& task, const Line<S>& line)
      : task_(task),
        changes_(line),
        inv_sin2_(line.inv_sin_theta * line.inv_sin_theta),
        sin2_(line.sin_theta * line.sin_theta),
        steps_(reinterpret_cast<LaneStep<S>*>(task.workspace)),
        rows_(reinterpret_cast<Row<S>*>(
            task.workspace + task.n_crossings * sizeof(LaneStep<S>))) {}

  /// To be filled on the way in.
  LaneStep<S>& step(std::size_t k) { return steps_[k]; }
  Row<S>& next_row() { return rows_[n_rows_++]; }

  /// @param inside  covariance of the line in front of the first hits
  void run(const Covariance5<S>& inside) {
    set_functions(inside);
    for (std::size_t k = 0; k < task_.n_crossings; ++k) prepare(k);
    LaneStretch<S> stretch{0, 0, steps_, rows_ + n_rows_};
    while (stretch.begin < task_.n_crossings) {
      stretch.end = std::min(stretch.begin + at_once, task_.n_crossings);
      for (std::size_t i = 0; i < n_functions_; ++i)
        follow_in_lanes(task_, stretch, functions_[i]);
      for (; stretch.begin < stretch.end; ++stretch.begin) {
        const LaneCrossing& c = task_.list[stretch.begin];
        if (c.fitted != 0)
          stretch.rows -= task_.surfaces[c.surface].record.n_axes;
      }
    }
    store_share(Parameter::p, LanePlane::mu_phi);
    store_share(Parameter::theta, LanePlane::mu_theta);
  }

 private:
  /// Crossings whose steps and rows stay in the nearest cache while one
  /// function after the other passes them.
  static constexpr std::size_t at_once =
      32768 / (sizeof(LaneStep<S>) + 2 * sizeof(Row<S>));

  /// The parameters for which something is asked.
  void set_functions(const Covariance5<S>& inside) {
    std::array<Row<S>, n_parameters> with_line;
    columns_in_lanes(changes_, inside, with_line);
    for (std::size_t q = 0; q < n_parameters; ++q) {
      const auto parameter = static_cast<Parameter>(q);
      const bool share =
          (parameter == Parameter::p && asked_for(LanePlane::mu_phi)) ||
          (parameter == Parameter::theta && asked_for(LanePlane::mu_theta));
      double* const scattering = task_.scattering_variance[q];
      double* const hits = task_.hit_variance[q];
      if (!share && scattering == nullptr && hits == nullptr) continue;
      LaneFunction<S>& f = functions_[n_functions_++];
      f.parameter = parameter;
      f.with_line = with_line[q];
      if (share) f.variance = changes_.of(f.with_line)[q];
      f.by_hits = S(0);
      f.scattering = scattering;
      f.hits = hits;
    }
  }

  bool asked_for(std::size_t plane) const {
    return task_.out[plane] != nullptr;
  }

  /// What is the same for all functions.
  void prepare(std::size_t k) {
    const LaneCrossing& c = task_.list[k];
    LaneStep<S>& step = steps_[k];
    if (c.kinked != 0) {
      step.weight = select(step.kink.w > S(0), S(1) / step.kink.w, S(0));
      step.weight_phi = step.weight * sin2_;
    }
    if (c.inner == 0) return;
    const S w = task_.mixed ? select(Lane<S>::mask(c.inner), step.kink.w, S(0))
                            : step.kink.w;
    kinks_in_lanes(changes_, step.kink.b, w, w * inv_sin2_, inner_);
    for (std::size_t i = 0; i < n_functions_; ++i)
      if (double* const to = functions_[i].scattering; to != nullptr)
        Lane<S>::store(
            inner_[static_cast<std::size_t>(functions_[i].parameter)],
            to + c.surface * task_.budget_stride);
  }

  /// sqrt of the part of the variance that is of hits.
  void store_share(Parameter parameter, std::size_t plane) const {
    using std::sqrt;
    if (!asked_for(plane)) return;
    for (std::size_t i = 0; i < n_functions_; ++i)
      if (const LaneFunction<S>& f = functions_[i]; f.parameter == parameter)
        write_lanes(sqrt(f.by_hits / f.variance), task_.out[plane]);
  }

  const LaneFit& task_;
  const ParameterChanges<S> changes_;
  const S inv_sin2_, sin2_;
  LaneStep<S>* steps_;
  Row<S>* rows_;
  std::size_t n_rows_ = 0;
  std::array<LaneFunction<S>, n_parameters> functions_;
  std::size_t n_functions_ = 0;
  typename ParameterChanges<S>::Values inner_;
};

}  // namespace gttf::detail
