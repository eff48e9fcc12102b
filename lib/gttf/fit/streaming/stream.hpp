// SPDX-License-Identifier: Apache-2.0
// The streaming fit as a pass over crossings: inwards, where every crossing is
// added to any number of fits, and back outwards.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>

#include "gttf/fit/streaming/kink_elimination.hpp"
#include "gttf/fit/streaming/pivot_spread.hpp"
#include "gttf/fit/track/errors.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

// The crossings are provided by a `Source`: a helix or a traced track, the
// reference of a fit of data, or a group of tracks, one per vector
// element:
//
//   scatters(k)        whether scattering at crossing k is relevant
//   kinks(k)           input of scatter(): columns and variances
//   look_ahead(k)      called in between, for work while the processor waits
//   for divisions coordinates(k, f)  f(Coordinates), or f(DataCoordinate) for a
//   fit of data,
//                      for everything measured there
//
// They are used by a `Fit`: a covariance (LineFit) or a fit of data
// (StreamedFit), with all errors or some:
//
//   on_outside(k)         before crossing k is added
//   on_kinks(k, kinks)
//   on_coordinates(k, coordinates)
//   on_inside(k)          after crossing k is added
//
// The backward pass calls the same functions in reverse order.

/// A fit that ignores all calls, as base of fits that do not need every step.
struct AnyFit {
  void on_outside(std::size_t) {}
  template <class Kinks>
  void on_kinks(std::size_t, const Kinks&) {}
  template <class Coordinates>
  void on_coordinates(std::size_t, const Coordinates&) {}
  void on_inside(std::size_t) {}
};

/// One coordinate of a crossing, or two of them.
template <class S>
struct Coordinates {
  std::size_t index_a, index_b;  ///< in the list of the surface
  const Row<S>*a, *b;            ///< their rows; b may be null
  S variance_a, variance_b;
  bool is_point;  ///< whether these are the first two, and independent
  /// Variance of exact coordinates: 0, and 1 where the rows are 0.
  S exact = S(0);
};

/// One coordinate of a crossing, for a fit of data.
template <class S>
struct DataCoordinate {
  const Row<S>& row;
  const S& residual;  ///< measured minus reference
  S variance;
};

/// From the outermost crossing, `end` - 1, to crossing `begin`. Cost linear,
/// memory independent of the number of layers.
template <class Source, class... Fits>
void stream_inwards(Source& source, std::size_t begin, std::size_t end,
                    Fits&... fits) {
  for (std::size_t k = end; k-- > begin;) {
    (fits.on_outside(k), ...);
    if (source.scatters(k)) {
      const auto& kinks = source.kinks(k);
      (fits.on_kinks(k, kinks), ...);
    }
    source.look_ahead(k);
    source.coordinates(
        k, [&](const auto& c) { (fits.on_coordinates(k, c), ...); });
    (fits.on_inside(k), ...);
  }
}

/// From crossing `begin` outwards, to `end` - 1.
template <class Source, class Fit>
void stream_outwards(Source& source, std::size_t begin, std::size_t end,
                     Fit& fit) {
  for (std::size_t k = begin; k < end; ++k) {
    fit.on_inside(k);
    source.coordinates(k, [&](const auto& c) { fit.on_coordinates(k, c); });
    if (source.scatters(k)) fit.on_kinks(k, source.kinks(k));
    fit.on_outside(k);
  }
}

/// Index of a coordinate that determines a point together with the first one;
/// 0: none, because all others have the same direction.
inline std::size_t independent_axis(std::span<const CoordinateAxis> axes) {
  for (std::size_t q = 1; q < axes.size(); ++q) {
    const double sine =
        axes[0].cosine * axes[q].sine - axes[0].sine * axes[q].cosine;
    if (std::abs(sine) > 1e-9) return q;
  }
  return 0;
}

/// Index of the coordinate that is added as number q: two that determine a
/// point come first.
/// @param independent  as independent_axis()
constexpr std::size_t in_order(std::size_t q, std::size_t independent) {
  if (independent < 2) return q;
  return q == 1 ? independent : q == independent ? 1 : q;
}

/// For fits without a backward pass.
template <class Gain>
struct NoGains {
  static constexpr bool never = true, always = false;
  static constexpr Gain* at(std::size_t) { return nullptr; }
};

/// The covariance of the line: equations without right-hand sides. In the
/// outward pass it contains the information of the crossings inside.
/// @tparam errors     the errors taken into account
/// @tparam Equations  FiveEquations, or SplitEquations
/// @tparam Gains      at(k): destination of the gain of crossing k, or null
template <Errors errors, class Equations, class Gains>
class LineFit : public AnyFit {
  static constexpr bool is_exact = errors == Errors::scattering_only;

 public:
  Equations equations;
  [[no_unique_address]] Gains gains;
  /// Whether the equations are right, if hits are exact.
  [[no_unique_address]] std::conditional_t<
      is_exact, PivotSpread<typename Equations::Scalar>, NoColumn>
      spread;

  template <class Kinks>
  void on_kinks([[maybe_unused]] std::size_t k,
                [[maybe_unused]] const Kinks& kinks) {
    if constexpr (errors == Errors::hits_only) {
      return;
    } else if constexpr (Gains::never) {
      scatter<zero, false>(equations, kinks);
    } else {
      auto* const gain = gains.at(k);
      if (Gains::always || gain != nullptr)
        scatter<zero, true>(equations, kinks, gain);
      else
        scatter<zero, false>(equations, kinks);
    }
  }

  /// Of exact coordinates only two of a surface can be independent; a third
  /// would be 0 = rounding error, with infinite weight.
  template <class S>
  void on_coordinates(std::size_t, const Coordinates<S>& c) {
    if constexpr (is_exact) {
      if (c.index_a > 0) return;
      spread.add_reach(*c.a);
      if (!c.is_point) return measure_exactly(equations, *c.a, c.exact, spread);
      spread.add_reach(*c.b);
      measure_exactly(equations, *c.a, c.exact, *c.b, c.exact, spread);
    } else if (c.b != nullptr) {
      measure_pair<zero>(equations, *c.a, c.variance_a, *c.b, c.variance_b);
    } else {
      measure<zero>(equations, *c.a, c.variance_a);
    }
  }

 private:
  static constexpr auto zero =
      is_exact ? ZeroVariance::allowed : ZeroVariance::excluded;
};

}  // namespace gttf
