// SPDX-License-Identifier: Apache-2.0
// The fit in the limit of exact hits, and whether the limit exists.
#pragma once

#include "gttf/fit/streaming/determination.hpp"
#include "gttf/fit/streaming/kept_path.hpp"
#include "gttf/fit/streaming/point_chain.hpp"

namespace gttf {

/// The limit of exact hits.
struct ScatteringLimit {
  /// Of kappa. NaN if there is no such limit: without kinks to absorb the
  /// differences, exact hits contradict each other.
  double variance = std::numeric_limits<double>::quiet_NaN();
  /// Whether the variance, if there is one, is not lost in rounding.
  bool is_right = true;

  bool exists() const { return !std::isnan(variance); }
};

namespace detail {

/// Kinks with variances multiplied by `factor`.
template <class S>
HelixKinks<S> scaled(HelixKinks<S> kinks, const S& factor) {
  kinks.w = kinks.w * factor;
  kinks.w_phi = kinks.w_phi * factor;
  return kinks;
}
template <class S>
GeneralKinks<S> scaled(GeneralKinks<S> kinks, const S& factor) {
  kinks.w = kinks.w * factor;
  kinks.w_phi = kinks.w_phi * factor;
  kinks.w_loss = kinks.w_loss * factor;
  return kinks;
}

/// Adds exact coordinates, each with its rounding as error, and checks that
/// they are independent: a coordinate that follows from the others
/// over-determines the line.
template <Path P>
class ExactHits : public AnyFit {
 public:
  /// @param factor  of all variances of kinks, which scales the largest to 1
  ExactHits(const P& path, double factor) : path_(path), factor_(factor) {}

  template <class Kinks>
  void on_kinks(std::size_t, const Kinks& kinks) {
    scatter<ZeroVariance::allowed, false>(equations_, scaled(kinks, factor_));
  }
  /// Like LineFit, at most two per surface.
  void on_coordinates(std::size_t k, const Coordinates<double>& c) {
    if (c.index_a > 0) return;
    spread_.add_reach(*c.a);
    if (c.is_point) spread_.add_reach(*c.b);
    const Row<double> reach = reach_of_parameters(path_, k);
    for (std::size_t j = 0; j < track_dim; ++j)
      widest_[j] = std::max(widest_[j], reach[j]);
    take(*c.a, reach);
    if (c.is_point) take(*c.b, reach);
  }
  void take(const Row<double>& a, const Row<double>& reach) {
    // A coefficient that is only rounding contains no information in directions
    // that are still unknown.
    constexpr double unknown = 1e20;
    double variance = 0, size2 = 0;
    Row<double> z = a, size = reach;
    for (std::size_t j = 0; j < track_dim; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const double r = equations_.r[FiveEquations<double>::at(i, j)];
        z[j] -= z[i] * r;
        size[j] += size[i] * std::abs(r);
      }
      const double v = equations_.v[j];
      if (v < unknown) size2 += v * size[j] * size[j];
      if (v < unknown || is_known(z[j] * z[j], rounding_of(size[j] * size[j])))
        variance += v * z[j] * z[j];
    }
    const double least = rounding_of(way2());
    consistent_ = consistent_ && is_known(variance, rounding_of(size2) + least);
    add_exactly(equations_, a, least, spread_);
  }

  /// @param plain  the limit is known to exist
  ScatteringLimit limit(bool plain) const {
    const double v = equations_.v[Perigee::kappa];
    const double reach = widest_[Perigee::kappa];
    const bool exists =
        plain || (consistent_ && v < most_variance &&
                  is_known(v * reach * reach, rounding_of(way2())));
    if (!exists) return {};
    return {.variance = v / factor_, .is_right = spread_.is_small()};
  }

 private:
  /// Squared displacement of a point by a kink of variance 1, upper bound.
  double way2() const {
    return widest_[Perigee::phi] * widest_[Perigee::phi] +
           widest_[Perigee::theta] * widest_[Perigee::theta];
  }
  static double rounding_of(double square) {
    return unit_rounding * unit_rounding * square;
  }
  static bool is_known(double variance, double rounding) {
    return rounding < determined_to * determined_to * variance;
  }

  const P& path_;
  double factor_;
  FiveEquations<double> equations_;
  PivotSpread<double> spread_;
  Row<double> widest_{};  ///< reaches so far
  bool consistent_ = true;
};

/// Variance of the widest kink below which all are scaled: there
/// FiveEquations::exact is no longer small compared with that of a thin layer.
inline constexpr double least_unscaled = 1e-50;

/// Largest variance of a kink.
template <Path P>
double widest_kink(KeptPath<P>& source) {
  double widest = 0;
  for (std::size_t k = source.begin(); k < source.end(); ++k)
    if (source.scatters(k))
      widest = std::max(widest, static_cast<double>(source.kinks(k).w));
  return widest;
}

/// Whether hits on two layers of one kind are so close that they may contradict
/// each other; modules of a ring, at one distance in other directions, are not.
inline bool are_close(const SurfaceRecord& a, const SurfaceRecord& b) {
  constexpr double close = 1e-5;  // rounding is below 1e-8
  if (a.kind != b.kind || a.normal != b.normal ||
      !(std::abs(a.position - b.position) <= close * std::abs(a.position)))
    return false;
  return a.kind != SurfaceRecord::Kind::inclined ||
         (std::abs(a.normal_vector[0] - b.normal_vector[0]) <= close &&
          std::abs(a.normal_vector[1] - b.normal_vector[1]) <= close &&
          std::abs(a.normal_vector[2] - b.normal_vector[2]) <= close);
}

/// Whether every hit has a separate kink and a separate position. Then none
/// follows from the others, nor from an exact start if the first kink moves it.
template <Path P>
bool scatters_at_every_hit(const KeptPath<P>& source,
                           const StartHit<double>* start) {
  const P& path = source.path();
  if (start) {
    const auto first = static_cast<std::size_t>(path.first());
    if (!(std::abs(path.general_kinks(first).phi[0]) > least_lever))
      return false;
  }
  const SurfaceRecord* last = nullptr;
  for (std::size_t k = source.begin(); k < source.end(); ++k) {
    const SurfaceRecord& s = path.surface(k);
    if (!s.measures()) continue;
    if (source.scatters(k) && !(source.kinks(k).w > 0)) return false;
    if (last != nullptr && are_close(s, *last)) return false;
    last = &s;
  }
  return true;
}

/// Whether the path scatters only at its hits, all of which are points. Then a
/// chain of points gives the limit.
/// @param source  without a start hit
template <class S>
bool is_point_chain(const KeptPath<HelixPath<S>>& source) {
  for (std::size_t k = source.begin(); k < source.end(); ++k) {
    const SurfaceRecord& s = source.path().surface(k);
    if (s.measures() ? !source.is_point(k) : s.x_over_x0 > 0) return false;
  }
  return true;
}

/// 1/Var(kappa) from the points of a helix.
/// @param source  without a start hit
template <class S>
S chain_information(const KeptPath<HelixPath<S>>& source) {
  const HelixPath<S>& path = source.path();
  PointChain<S> chain{};
  for (std::size_t k = source.end(); k-- > source.begin();) {
    if (!path.surface(k).measures()) continue;
    const HelixKinks<S>& kinks = source.kinks(k);
    const auto point =
        exact_point(path.line(), path.crossing(k), kinks.columns);
    if (k + 1 == source.end())
      chain.start(point);
    else
      chain.add(point, S(1) / kinks.w, S(1) / kinks.w_phi);
  }
  return chain.information;
}

}  // namespace detail

/// Var(kappa) from scattering only. The variances of all kinks are scaled to
/// at most 1, and the result, which is proportional to them, is scaled back.
/// @param source  of the path, after the fit
/// @param start   the beam spot as a hit at the start point; may be null
template <Path P>
ScatteringLimit scattering_limit(KeptPath<P>& source,
                                 const StartHit<double>* start) {
  const P& path = source.path();
  const double widest = detail::widest_kink(source);
  if (!(widest > 0)) return {};
  const bool plain = detail::scatters_at_every_hit(source, start);
  if (plain && widest > detail::least_unscaled) {
    if constexpr (requires { path.line(); })
      if (!start && detail::is_point_chain(source))
        return {.variance = 1 / detail::chain_information(source)};
    PathFit<Errors::scattering_only, P> fit;
    stream_inwards(source, source.begin(), source.end(), fit);
    detail::finish(path, start, fit);
    return {.variance = fit.equations.v[Perigee::kappa],
            .is_right = fit.spread.is_small()};
  }
  detail::ExactHits<P> fit(path, 1 / widest);
  stream_inwards(source, source.begin(), source.end(), fit);
  if (start) {
    fit.take(start->transverse, detail::absolute(start->transverse));
    fit.take(start->longitudinal, detail::absolute(start->longitudinal));
  }
  return fit.limit(plain);
}

}  // namespace gttf
