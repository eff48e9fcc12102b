// SPDX-License-Identifier: Apache-2.0
// SplitEquations: five equations per vector element with the two vectors of a
// Pack separated, and the steps of the streaming fit on them.
#pragma once

#include "gttf/core/pack.hpp"
#include "gttf/fit/streaming/general_kinks.hpp"
#include "gttf/fit/streaming/pivot_spread.hpp"

namespace gttf::detail {

/// Parts of a scalar that are processed one after the other. The steps on the
/// equations have so many intermediate results that those of a whole Pack do
/// not fit into the registers; the results of one vector nearly do.
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
struct SplitEquations {
  using Scalar = S;

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

template <class S>
[[gnu::always_inline]] inline HelixKinks<Part<S>> part_of(
    const HelixKinks<S>& kinks, std::size_t i) {
  return {
      {part_of<S>(kinks.columns.theta, i), part_of<S>(kinks.columns.phi, i)},
      Parts<S>::get(kinks.w, i),
      Parts<S>::get(kinks.w_phi, i)};
}
template <class S>
[[gnu::always_inline]] inline GeneralKinks<Part<S>> part_of(
    const GeneralKinks<S>& kinks, std::size_t i) {
  return {.theta = part_of<S>(kinks.theta, i),
          .phi = part_of<S>(kinks.phi, i),
          .w = Parts<S>::get(kinks.w, i),
          .w_phi = Parts<S>::get(kinks.w_phi, i),
          .loss = part_of<S>(kinks.loss, i),
          .w_loss = Parts<S>::get(kinks.w_loss, i)};
}
template <class S>
[[gnu::always_inline]] inline void put_part(const GeneralGain<Part<S>>& part,
                                            std::size_t i,
                                            GeneralGain<S>& gain) {
  put_part<S>(part.theta, i, gain.theta);
  put_part<S>(part.phi, i, gain.phi);
  put_part<S>(part.loss, i, gain.loss);
  Parts<S>::put(part.loss_variance, i, gain.loss_variance);
}

// The steps are separate functions that leave their results in memory.
// In a single function the compiler would run out of registers and
// spill.

/// Forces the equations into memory at this point, where the next step uses
/// them as operands. Otherwise the compiler stores them elsewhere.
template <class S>
[[gnu::always_inline]] inline void stand_in_memory(FiveEquations<S>& e) {
  asm volatile("" : "+m"(e));
}

/// Adds one coordinate; two coordinates.
template <ZeroVariance z, class S>
[[gnu::noinline, gnu::flatten]] void measure(SplitEquations<S>& e,
                                             const Row<S>& a, const S& va) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i)
    measure<z>(e.part[i], part_of<S>(a, i), Parts<S>::get(va, i));
}
template <ZeroVariance z, class S>
[[gnu::noinline, gnu::flatten]] void measure_pair(SplitEquations<S>& e,
                                                  const Row<S>& a, const S& va,
                                                  const Row<S>& b,
                                                  const S& vb) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i) {
    measure<z>(e.part[i], part_of<S>(a, i), Parts<S>::get(va, i));
    stand_in_memory(e.part[i]);
  }
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i)
    measure<z>(e.part[i], part_of<S>(b, i), Parts<S>::get(vb, i));
}

/// Adds the part `i` of an exact coordinate.
template <class S>
[[gnu::always_inline]] inline void measure_part_exactly(SplitEquations<S>& e,
                                                        const Row<S>& a,
                                                        const S& va,
                                                        PivotSpread<S>& spread,
                                                        std::size_t i) {
  Row<Part<S>> x = part_of<S>(a, i);
  x[0] = Parts<S>::get(without_rounding(a), i);
  PivotSquares<Part<S>> squares;
  measure<ZeroVariance::allowed>(e.part[i], x, Parts<S>::get(va, i), squares);
  const auto by_reach2 = Parts<S>::get(spread.by_reach2, i);
  Parts<S>::put(Parts<S>::get(spread.sum, i) + squares.sum(by_reach2), i,
                spread.sum);
}

/// Adds one exact coordinate; two.
template <class S>
[[gnu::noinline, gnu::flatten]] void measure_exactly(SplitEquations<S>& e,
                                                     const Row<S>& a,
                                                     const S& va,
                                                     PivotSpread<S>& spread) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i)
    measure_part_exactly(e, a, va, spread, i);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void measure_exactly(
    SplitEquations<S>& e, const Row<S>& a, const S& va, const Row<S>& b,
    const S& vb, PivotSpread<S>& spread) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i) {
    measure_part_exactly(e, a, va, spread, i);
    stand_in_memory(e.part[i]);
  }
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i)
    measure_part_exactly(e, b, vb, spread, i);
}

template <ZeroVariance z, bool keep_gain, class S>
[[gnu::noinline, gnu::flatten]] void scatter(SplitEquations<S>& e,
                                             const HelixKinks<S>& kinks,
                                             KinkGain<S>* gain = nullptr) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i) {
    KinkGain<Part<S>> of_part;
    const HelixKinks<Part<S>> part = part_of(kinks, i);
    scatter<z, keep_gain>(e.part[i], part.columns, part.w, part.w_phi,
                          &of_part);
    if constexpr (keep_gain) {
      put_part<S>(of_part.theta, i, gain->theta);
      put_part<S>(of_part.phi, i, gain->phi);
    }
  }
}

template <ZeroVariance z, bool keep_gain, class S>
[[gnu::noinline, gnu::flatten]] void scatter(SplitEquations<S>& e,
                                             const GeneralKinks<S>& kinks,
                                             GeneralGain<S>* gain = nullptr) {
  for (std::size_t i = 0; i < Parts<S>::count; ++i) {
    const GeneralKinks<Part<S>> part = part_of(kinks, i);
    GeneralGain<Part<S>> of_part;
    NoColumn none;
    scatter_angles<z>(e.part[i], part, of_part.theta, of_part.phi, none);
    of_part.loss_variance =
        scatter_loss<z>(e.part[i], part.loss, part.w_loss, of_part.loss, none);
    if constexpr (keep_gain) put_part<S>(of_part, i, *gain);
  }
}

/// As for whole equations; kappa is not known yet where there is no field.
template <class S>
[[gnu::noinline, gnu::flatten]] void join(SplitEquations<S>& e,
                                          const SplitEquations<S>& other) {
  for (std::size_t part = 0; part < Parts<S>::count; ++part) {
    const FiveEquations<Part<S>>& o = other.part[part];
    for (std::size_t i = 0; i < track_dim; ++i) {
      Row<Part<S>> row;
      for (std::size_t j = 0; j < track_dim; ++j)
        row[j] = j > i    ? o.r[FiveEquations<Part<S>>::at(i, j)]
                 : j == i ? Part<S>(1)
                          : Part<S>(0);
      measure<ZeroVariance::excluded>(e.part[part], row, o.v[i]);
    }
  }
}

/// Covariance of the line, one vector of the pack after the other, so that it
/// nearly stays in registers.
template <class S>
[[gnu::noinline, gnu::flatten]] void set_covariance(const SplitEquations<S>& e,
                                                    bool has_field,
                                                    Covariance5<S>& c) {
  for (std::size_t i = 0; i < Parts<S>::count; ++i) {
    FiveEquations<Part<S>> part = e.part[i];
    if (!has_field) part.v[4] = Part<S>(0);
    const Covariance5<Part<S>> of_part = covariance(part);
    GTTF_UNROLL
    for (std::size_t j = 0; j < track_dim; ++j)
      put_part<S>(of_part[j], i, c[j]);
  }
}

}  // namespace gttf::detail
