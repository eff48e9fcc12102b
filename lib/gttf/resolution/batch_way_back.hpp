// SPDX-License-Identifier: Apache-2.0
// The way back outwards: what scattering and hits of every layer add to the
// variance of every parameter, for a batch.
#pragma once

#include <algorithm>

#include "gttf/fit/streaming/stream.hpp"
#include "gttf/resolution/batch_search.hpp"
#include "gttf/resolution/start_plane.hpp"

namespace gttf::detail {

/// What the way back needs of a crossing; rows of coordinates stand apart.
template <class S>
struct BatchStep {
  KinkGain<S> gain;
  HelixKinks<S> kinks;
  S weight, weight_phi;  ///< 1/(variance of the kinks), 0 if there are none
};

template <class S>
std::size_t batch_workspace(std::size_t n_crossings,
                            std::size_t n_coordinates) {
  return n_crossings * sizeof(BatchStep<S>) + n_coordinates * sizeof(Row<S>);
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

/// All coordinates of a crossing; none where it is not fitted.
template <class S>
struct FittedRows {
  const Row<S>* rows;
  std::size_t n;
  const double* weights;  ///< 1/variance of each
};

/// Part of the list of crossings, innermost first, as a source of them.
template <class S>
struct BatchStretch {
  const BatchTask& task;
  const BatchStep<S>* steps;  ///< of all crossings
  const Row<S>* rows;         ///< behind those of the first crossing

  bool scatters(std::size_t k) const { return task.list[k].kinked != 0; }
  const BatchStep<S>& kinks(std::size_t k) const { return steps[k]; }
  template <class F>
  void coordinates(std::size_t k, F&& f) {
    const ListedSurface& c = task.list[k];
    const BatchSurface& s = task.surfaces[c.surface];
    const std::size_t n = c.fitted != 0 ? s.record.n_axes : 0;
    rows -= n;
    f(FittedRows<S>{rows, n, s.weights});
  }
};

/// A function of the line on its way outwards.
template <class S>
struct BatchFunction {
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
  constexpr std::size_t width = PackAccess<S>::width;
  constexpr std::size_t line = std::min<std::size_t>(width, 8);
  PackAccess<S>::store(x, to);
  GTTF_UNROLL
  for (std::size_t i = line; i <= width; i += line)
    __builtin_prefetch(to + width + i - 1, 1);
}

/// Takes one function through some crossings. It stays in registers: one
/// function after the other is faster than all of them side by side.
template <class S>
class FunctionWalk : public AnyFit {
 public:
  FunctionWalk(const BatchTask& task, BatchFunction<S>& function)
      : task_(task),
        function_(function),
        f_(function.with_line),
        by_hits_(function.by_hits) {}
  ~FunctionWalk() {
    function_.with_line = f_;
    function_.by_hits = by_hits_;
  }
  FunctionWalk(const FunctionWalk&) = delete;
  FunctionWalk& operator=(const FunctionWalk&) = delete;

  void on_coordinates(std::size_t k, const FittedRows<S>& c) {
    part_ = S(0);
    if (c.n > 0) {
      for (std::size_t q = 0; q < c.n; ++q) {
        const S gain = dot(f_, c.rows[q]);
        part_ = part_ + gain * gain * S(c.weights[q]);
      }
      by_hits_ = by_hits_ + part_;
    }
    if (function_.hits != nullptr)
      write_lanes(part_, function_.hits + place(k));
    part_ = S(0);
  }
  void on_kinks(std::size_t, const BatchStep<S>& step) {
    // s_outside = s_inside + b_theta k_theta + b_phi k_phi
    const Kink<S>& b = step.kinks.columns;
    const S theta = dot(f_, step.gain.theta), phi = dot(f_, step.gain.phi);
    part_ = theta * theta * step.weight + phi * phi * step.weight_phi;
    GTTF_UNROLL
    for (std::size_t j = 0; j < 3; ++j)
      f_[j] = f_[j] - theta * b.theta[j] - phi * b.phi[j];
    f_[3] = f_[3] - theta;
  }
  void on_outside(std::size_t k) {
    if (function_.scattering == nullptr) return;
    double* to = function_.scattering + place(k);
    if (task_.list[k].inner != 0) part_ = part_ + PackAccess<S>::load(to);
    write_lanes(part_, to);
  }

 private:
  std::size_t place(std::size_t k) const {
    return task_.list[k].surface * task_.budget_stride;
  }

  const BatchTask& task_;
  BatchFunction<S>& function_;
  Row<S> f_;
  S by_hits_, part_;
};

template <class S>
[[gnu::noinline, gnu::flatten]] void take_outwards(BatchStretch<S> stretch,
                                                   std::size_t begin,
                                                   std::size_t end,
                                                   BatchFunction<S>& function) {
  FunctionWalk<S> walk(stretch.task, function);
  stream_outwards(stretch, begin, end, walk);
}

/// Squares of the changes that the kinks of a crossing make, times variance.
template <class S>
[[gnu::noinline, gnu::flatten]] void set_kink_parts(
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
[[gnu::noinline, gnu::flatten]] void set_columns(
    const ParameterChanges<S>& changes, const Covariance5<S>& line,
    std::array<Row<S>, n_parameters>& with_line) {
  for (std::size_t j = 0; j < track_dim; ++j) {
    const auto column = changes.of(
        {line[0][j], line[1][j], line[2][j], line[3][j], line[4][j]});
    GTTF_UNROLL
    for (std::size_t q = 0; q < n_parameters; ++q) with_line[q][j] = column[q];
  }
}

template <class S>
class BatchWayBack {
 public:
  BatchWayBack(const BatchTask& task, const Line<S>& line)
      : task_(task),
        changes_(line),
        inv_sin2_(line.inv_sin_theta * line.inv_sin_theta),
        sin2_(line.sin_theta * line.sin_theta),
        steps_(reinterpret_cast<BatchStep<S>*>(task.workspace)),
        rows_(reinterpret_cast<Row<S>*>(
            task.workspace + task.n_crossings * sizeof(BatchStep<S>))) {}

  /// To be filled on the way in.
  BatchStep<S>* steps() const { return steps_; }
  Row<S>& next_row() { return rows_[n_rows_++]; }

  /// @param inside  covariance of the line in front of the first hits
  void run(const Covariance5<S>& inside) {
    set_functions(inside);
    for (std::size_t k = 0; k < task_.n_crossings; ++k) prepare(k);
    BatchStretch<S> stretch{task_, steps_, rows_ + n_rows_};
    for (std::size_t begin = 0; begin < task_.n_crossings;) {
      const std::size_t end = std::min(begin + at_once, task_.n_crossings);
      for (std::size_t i = 0; i < n_functions_; ++i)
        take_outwards(stretch, begin, end, functions_[i]);
      for (; begin < end; ++begin) stretch.coordinates(begin, [](auto&&) {});
    }
    store_share(Parameter::p, BatchPlane::mu_phi);
    store_share(Parameter::theta, BatchPlane::mu_theta);
  }

 private:
  /// Crossings whose steps and rows stay in the nearest cache while one
  /// function after the other passes them.
  static constexpr std::size_t at_once =
      32768 / (sizeof(BatchStep<S>) + 2 * sizeof(Row<S>));

  /// The parameters for which something is asked.
  void set_functions(const Covariance5<S>& inside) {
    std::array<Row<S>, n_parameters> with_line;
    set_columns(changes_, inside, with_line);
    for (std::size_t q = 0; q < n_parameters; ++q) {
      const auto parameter = static_cast<Parameter>(q);
      const bool share =
          (parameter == Parameter::p && asked_for(BatchPlane::mu_phi)) ||
          (parameter == Parameter::theta && asked_for(BatchPlane::mu_theta));
      double* const scattering = task_.scattering_variance[q];
      double* const hits = task_.hit_variance[q];
      if (!share && scattering == nullptr && hits == nullptr) continue;
      BatchFunction<S>& f = functions_[n_functions_++];
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
    const ListedSurface& c = task_.list[k];
    BatchStep<S>& step = steps_[k];
    if (c.kinked != 0) {
      step.weight = select(step.kinks.w > S(0), S(1) / step.kinks.w, S(0));
      step.weight_phi = step.weight * sin2_;
    }
    if (c.inner == 0) return;
    const S w = task_.mixed
                    ? select(PackAccess<S>::mask(c.inner), step.kinks.w, S(0))
                    : step.kinks.w;
    set_kink_parts(changes_, step.kinks.columns, w, w * inv_sin2_, inner_);
    for (std::size_t i = 0; i < n_functions_; ++i)
      if (double* const to = functions_[i].scattering; to != nullptr)
        PackAccess<S>::store(
            inner_[static_cast<std::size_t>(functions_[i].parameter)],
            to + c.surface * task_.budget_stride);
  }

  /// sqrt of the part of the variance that is of hits.
  void store_share(Parameter parameter, std::size_t plane) const {
    using std::sqrt;
    if (!asked_for(plane)) return;
    for (std::size_t i = 0; i < n_functions_; ++i)
      if (const BatchFunction<S>& f = functions_[i]; f.parameter == parameter)
        write_lanes(sqrt(f.by_hits / f.variance), task_.out[plane]);
  }

  const BatchTask& task_;
  const ParameterChanges<S> changes_;
  const S inv_sin2_, sin2_;
  BatchStep<S>* steps_;
  Row<S>* rows_;
  std::size_t n_rows_ = 0;
  std::array<BatchFunction<S>, n_parameters> functions_;
  std::size_t n_functions_ = 0;
  typename ParameterChanges<S>::Values inner_;
};

}  // namespace gttf::detail
