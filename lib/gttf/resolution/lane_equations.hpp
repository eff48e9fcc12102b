// SPDX-License-Identifier: Apache-2.0
// LaneEquations: five equations per lane, the two vectors of a Pack apart.
#pragma once

#include "gttf/core/pack.hpp"
#include "gttf/fit/streaming/five_equations.hpp"

namespace gttf::detail {

/// Parts of a scalar that are worked on one after the other. The steps on the
/// equations have so many intermediate results that those of a whole Pack do
/// not fit into the registers; those of one vector nearly do.
template <class S>
struct Parts {
  static constexpr std::size_t count = 1;
  using Part = S;
  [[gnu::always_inline]] static const S& get(const S& x, std::size_t) {
    return x;
  }
  [[gnu::always_inline]] static void put(const S& part, std::size_t, S& x) {
    x = part;
  }
};

template <class Isa>
struct Parts<Pack<Isa>> {
  static constexpr std::size_t count = 2;
  using Part = HalfPack<Isa>;
  [[gnu::always_inline]] static Part get(const Pack<Isa>& x, std::size_t i) {
    return Part(i == 0 ? x.low : x.high);
  }
  [[gnu::always_inline]] static void put(const Part& part, std::size_t i,
                                         Pack<Isa>& x) {
    (i == 0 ? x.low : x.high) = part.vector;
  }
};

template <class S>
using Part = typename Parts<S>::Part;

/// The part `i` of every element.
template <class S, std::size_t N>
[[gnu::always_inline]] inline std::array<Part<S>, N> part_of(
    const std::array<S, N>& x, std::size_t i) {
  std::array<Part<S>, N> part;
  GTTF_UNROLL
  for (std::size_t j = 0; j < N; ++j) part[j] = Parts<S>::get(x[j], i);
  return part;
}
template <class S, std::size_t N>
[[gnu::always_inline]] inline void put_part(const std::array<Part<S>, N>& part,
                                            std::size_t i,
                                            std::array<S, N>& x) {
  GTTF_UNROLL
  for (std::size_t j = 0; j < N; ++j) Parts<S>::put(part[j], i, x[j]);
}

template <class S>
struct LaneEquations {
  std::array<FiveEquations<Part<S>>, Parts<S>::count> part;

  FiveEquations<S> whole() const {
    FiveEquations<S> e;
    for (std::size_t i = 0; i < Parts<S>::count; ++i) {
      put_part<S>(part[i].v, i, e.v);
      put_part<S>(part[i].r, i, e.r);
    }
    return e;
  }
};

}  // namespace gttf::detail
