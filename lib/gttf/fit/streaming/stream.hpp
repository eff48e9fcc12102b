// SPDX-License-Identifier: Apache-2.0
// The streaming fit as a pass over crossings: inwards, where every crossing is
// taken up by any number of fits side by side, and back outwards.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "gttf/fit/streaming/kink_elimination.hpp"
#include "gttf/fit/track/errors.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

// Where the crossings come from is a `Source`: a helix or a traced track, the
// reference of a fit of data, or a group of tracks, one in each element of a
// vector:
//
//   scatters(k)        does scattering at crossing k matter?
//   kinks(k)           what scatter() takes: columns and variances
//   look_ahead(k)      called in between, for work to be done while the
//                      processor waits for divisions
//   coordinates(k, f)  f(Coordinates), or f(DataCoordinate) for a fit of data,
//                      with all that is measured there
//
// What is made of them is a `Fit`: a covariance (LineFit) or a fit of data
// (StreamedFit), with all errors or some:
//
//   on_outside(k)         nothing of crossing k has been taken up yet
//   on_kinks(k, kinks)
//   on_coordinates(k, coordinates)
//   on_inside(k)          all of it has
//
// On the way back the same is called in reverse.

/// A fit that takes up nothing, for those that need not know of some step.
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
  bool is_point;  ///< are these the first two, and independent?
  /// Variance of exact coordinates: 0, and 1 where the rows are 0.
  S exact = S(0);
};

/// One coordinate of a crossing, for a fit of data.
template <class S>
struct DataCoordinate {
  const Row<S>& row;
  const S& residual;  ///< measured minus that of the reference
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

/// Which coordinate measures a point together with the first one? 0: none;
/// others along the same direction measure only one of two.
inline std::size_t independent_axis(std::span<const CoordinateAxis> axes) {
  for (std::size_t q = 1; q < axes.size(); ++q) {
    const double sine =
        axes[0].cosine * axes[q].sine - axes[0].sine * axes[q].cosine;
    if (std::abs(sine) > 1e-9) return q;
  }
  return 0;
}

/// Index of the coordinate that is taken up as number q: two that measure a
/// point come first.
/// @param independent  as independent_axis()
constexpr std::size_t in_order(std::size_t q, std::size_t independent) {
  if (independent < 2) return q;
  return q == 1 ? independent : q == independent ? 1 : q;
}

/// For fits of which there is no way back.
template <class Gain>
struct NoGains {
  static constexpr bool never = true, always = false;
  static constexpr Gain* at(std::size_t) { return nullptr; }
};

/// The covariance of the line: equations without right-hand sides. Outwards it
/// tells about the line what the crossings inside say.
/// @tparam errors     which of them it believes in
/// @tparam Equations  FiveEquations, or SplitEquations
/// @tparam Gains      at(k): where the gain of crossing k goes, or null
template <Errors errors, class Equations, class Gains>
class LineFit : public AnyFit {
 public:
  Equations equations;
  [[no_unique_address]] Gains gains;

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
      if (c.is_point)
        measure_pair<zero>(equations, *c.a, c.exact, *c.b, c.exact);
      else
        measure<zero>(equations, *c.a, c.exact);
    } else if (c.b != nullptr) {
      measure_pair<zero>(equations, *c.a, c.variance_a, *c.b, c.variance_b);
    } else {
      measure<zero>(equations, *c.a, c.variance_a);
    }
  }

 private:
  static constexpr bool is_exact = errors == Errors::scattering_only;
  static constexpr auto zero =
      is_exact ? ZeroVariance::allowed : ZeroVariance::excluded;
};

}  // namespace gttf
