// SPDX-License-Identifier: Apache-2.0
// SplitColumn: the right-hand sides of SplitEquations, and the steps of a fit
// of data on both.
#pragma once

#include "gttf/fit/streaming/residual_column.hpp"
#include "gttf/fit/streaming/split_equations.hpp"

namespace gttf::detail {

template <class S>
struct SplitColumn {
  std::array<ResidualColumn<Part<S>>, Parts<S>::count> part{};

  ResidualColumn<S> whole() const {
    ResidualColumn<S> column;
    for (std::size_t i = 0; i < Parts<S>::count; ++i) {
      put_part<S>(part[i].z, i, column.z);
      Parts<S>::put(part[i].chi2, i, column.chi2);
    }
    return column;
  }
};

/// Adds one coordinate with its residual.
template <class S>
[[gnu::noinline, gnu::flatten]] void measure(SplitEquations<S>& e,
                                             SplitColumn<S>& column,
                                             const Row<S>& x, const S& y,
                                             const S& v) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i)
    measure(e.part[i], column.part[i], part_of<S>(x, i), Parts<S>::get(y, i),
            Parts<S>::get(v, i));
}

template <class S>
[[gnu::noinline, gnu::flatten]] void scatter(SplitEquations<S>& e,
                                             SplitColumn<S>& column,
                                             const HelixKinks<S>& kinks,
                                             const std::array<S, 2>& so_far,
                                             KinkGain<S>& gain,
                                             std::array<S, 2>& offset) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i) {
    KinkGain<Part<S>> gain_of_part;
    std::array<Part<S>, 2> offset_of_part;
    scatter(e.part[i], column.part[i], part_of(kinks, i), part_of<S>(so_far, i),
            gain_of_part, offset_of_part);
    put_part<S>(gain_of_part.theta, i, gain.theta);
    put_part<S>(gain_of_part.phi, i, gain.phi);
    put_part<S>(offset_of_part, i, offset);
  }
}

template <class S>
[[gnu::noinline, gnu::flatten]] void scatter(SplitEquations<S>& e,
                                             SplitColumn<S>& column,
                                             const GeneralKinks<S>& kinks,
                                             const std::array<S, 3>& so_far,
                                             GeneralGain<S>& gain,
                                             std::array<S, 3>& offset) {
  const bool loses = any(kinks.w_loss > S(0));
  for (std::size_t i = 0; i < Parts<S>::count; ++i) {
    GeneralGain<Part<S>> gain_of_part;
    std::array<Part<S>, 3> offset_of_part;
    scatter(e.part[i], column.part[i], part_of(kinks, i), loses,
            part_of<S>(so_far, i), gain_of_part, offset_of_part);
    put_part(gain_of_part, i, gain);
    put_part<S>(offset_of_part, i, offset);
  }
}

}  // namespace gttf::detail
