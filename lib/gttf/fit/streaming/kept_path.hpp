// SPDX-License-Identifier: Apache-2.0
// KeptPath: the crossings of a path as a source for several passes of the
// streaming fit.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "gttf/core/small_buffer.hpp"
#include "gttf/fit/streaming/streaming.hpp"

namespace gttf {

/// Like PathSource; kinks and rows are computed in the first pass, which must
/// go inwards, and kept for the others, as are the gains of the fit.
template <Path P>
class KeptPath {
 public:
  using S = typename P::Scalar;
  using Gain = typename P::Gain;
  using Kinks = decltype(std::declval<const P&>().kinks(std::size_t()));

  /// @param start  as for PathSource
  KeptPath(const P& path, const StartHit<S>* start)
      : source_(path, start),
        steps_(source_.end()),
        rows_(count_rows()),
        ready_(source_.end()),
        next_row_(0) {
    if (begin() < end()) prepare();
  }

  const P& path() const { return source_.path(); }
  std::size_t begin() const { return source_.begin(); }
  std::size_t end() const { return source_.end(); }
  bool scatters(std::size_t k) const { return source_.scatters(k); }
  const Kinks& kinks(std::size_t k) const { return steps_[k].kinks; }
  /// Computes the next crossing while the fit of this one waits.
  void look_ahead(std::size_t k) {
    if (k == ready_ && k > begin()) prepare();
  }

  template <class F>
  void coordinates(std::size_t k, F&& f) const {
    const Step& step = steps_[k];
    for_coordinates<S>(
        path().axes(k), step.independent,
        [&](std::size_t q, const CoordinateAxis&) -> const Row<S>& {
          return rows_[step.first_row + q];
        },
        f);
  }

  /// Whether the first two coordinates of a crossing determine a point.
  bool is_point(std::size_t k) const { return steps_[k].independent > 0; }

  Gain& gain(std::size_t k) { return steps_[k].gain; }
  const Gain& gain(std::size_t k) const { return steps_[k].gain; }
  /// Of all crossings of the path.
  std::vector<Gain> gains() const {
    std::vector<Gain> list(path().size());
    for (std::size_t k = begin(); k < end(); ++k)
      if (scatters(k)) list[k] = gain(k);
    return list;
  }

 private:
  struct Step {
    Kinks kinks;
    Gain gain;
    std::size_t first_row;
    std::size_t independent;  ///< see independent_axis()
  };

  std::size_t count_rows() const {
    std::size_t n = 0;
    for (std::size_t k = begin(); k < end(); ++k) n += path().axes(k).size();
    return n;
  }

  /// The crossing inside of the last one that was computed.
  void prepare() {
    const std::size_t k = --ready_;
    Step& step = steps_[k];
    step.kinks = path().kinks(k);
    step.first_row = next_row_;
    const auto axes = path().axes(k);
    step.independent = independent_axis(axes);
    for (std::size_t q = 0; q < axes.size(); ++q) {
      const CoordinateAxis& axis = axes[in_order(q, step.independent)];
      Row<S>& row = rows_[next_row_++];
      if constexpr (requires { path().row(k, axis, step.kinks); })
        row = path().row(k, axis, step.kinks);
      else
        row = path().row(k, axis.cosine, axis.sine);
    }
  }

  /// Crossings and rows that need no allocation.
  static constexpr std::size_t few = 16;

  PathSource<P> source_;
  SmallBuffer<Step, few> steps_;
  SmallBuffer<Row<S>, 2 * few> rows_;  ///< in the order of the fit
  std::size_t ready_;  ///< innermost crossing that has been computed
  std::size_t next_row_;
};

}  // namespace gttf
