// SPDX-License-Identifier: Apache-2.0
// Whether a track is determined: one criterion for both engines and for
// batches, based on the five equations.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "gttf/core/double_double.hpp"
#include "gttf/fit/streaming/streaming.hpp"
#include "gttf/fit/streaming/undoubted_variances.hpp"

namespace gttf {

/// A parameter is determined if rounding changes its standard deviation by less
/// (relative): calculations with different rounding agree to 1e-8.
inline constexpr double determined_to = 5e-9;
/// Relative rounding of a number of type S. For DoubleDouble, of a few
/// operations, and 2^12 of them: so much more do the two engines differ than
/// the bound says where the condition number exceeds 1e18.
template <class S>
inline constexpr double rounding_of_scalar = unit_rounding;
template <>
inline constexpr double rounding_of_scalar<DoubleDouble> = 0x1p-90;

/// Relative rounding of the derivatives of a path.
template <Path P>
double rounding_of(const P& path) {
  if constexpr (requires { path.rounding(); })
    return path.rounding();
  else
    return rounding_of_scalar<typename P::Scalar>;
}

namespace detail {

/// Above it an equation does not exist; squared errors of a track are below.
inline constexpr double most_variance = 1e-10 * FiveEquations<double>::nothing;

/// Displacement of the crossing point with each parameter, which determines the
/// coefficients of any coordinate there.
template <Path P>
Row<double> reach_of_parameters(const P& path, std::size_t k) {
  const auto rows = path.on_surface(k);
  Row<double> reach;
  for (std::size_t j = 0; j < track_dim; ++j)
    reach[j] = std::hypot(static_cast<double>(rows[OnSurface::u][j]),
                          static_cast<double>(rows[OnSurface::v][j]));
  return reach;
}

template <class S, std::size_t n>
std::array<double, n> absolute(const std::array<S, n>& numbers) {
  std::array<double, n> a;
  for (std::size_t j = 0; j < n; ++j)
    a[j] = std::abs(static_cast<double>(numbers[j]));
  return a;
}

}  // namespace detail

/// Largest relative change of the standard deviation of a parameter, or of the
/// transverse momentum on a helix, if every coefficient of every coordinate has
/// a rounding error,
///
///   2^-53 sum_h |n_qh| / (sigma_h^2 C_qq) sum_j |N_qj| m_hj,
///
/// or with the rounding of the path instead of a double, with N
/// the covariance of parameter q with the line at the hit h, n = N a, a the
/// coefficients of the coordinate and m >= |a| the displacement of the crossing
/// point with each parameter. First order, worst case of all signs.
/// @param gains  of the scattering, as filled by filter()
/// @return  infinity if an equation does not exist
/// Source: docs/theory/streaming.md, Determined or not
template <Path P, class S = typename P::Scalar>
double change_by_rounding(const P& path, const StartHit<S>* start,
                          const std::vector<typename P::Gain>& gains,
                          const FiveEquations<S>& e) {
  constexpr double all = std::numeric_limits<double>::infinity();
  const std::size_t n = path.fits_momentum() ? track_dim : track_dim - 1;
  for (std::size_t q = 0; q < n; ++q)
    if (!(e.v[q] < S(detail::most_variance))) return all;
  const Covariance5<S> covariance = gttf::covariance(e);
  for (std::size_t q = 0; q < n; ++q)
    if (!(covariance[q][q] < S(detail::most_variance))) return all;
  constexpr std::size_t n_functions = track_dim + 1;
  std::array<Row<S>, n_functions> functions{};
  std::array<double, n_functions> variance{}, change{};
  std::ranges::copy(covariance, functions.begin());
  for (std::size_t q = 0; q < n; ++q)
    variance[q] = static_cast<double>(covariance[q][q]);
  std::size_t n_checked = n;
  if constexpr (requires { path.line(); }) {
    // of kappa/sin(theta), in units of kappa
    const S per_theta = path.kappa() * path.line().cot_theta;
    auto& pt = functions[track_dim];
    for (std::size_t j = 0; j < track_dim; ++j)
      pt[j] = covariance[Perigee::kappa][j] -
              per_theta * covariance[Perigee::theta][j];
    if (path.fits_momentum() && std::isfinite(static_cast<double>(per_theta)))
      variance[n_checked++] = static_cast<double>(
          pt[Perigee::kappa] - per_theta * pt[Perigee::theta]);
  }
  backward_pass(
      path, start, gains, functions,
      [&](const HitStep<S, n_functions>& hit) {
        const Row<double> reach =
            hit.crossing == start_index
                ? detail::absolute(hit.row)
                : detail::reach_of_parameters(path, hit.crossing);
        for (std::size_t q = 0; q < n_checked; ++q) {
          double sum = 0;
          for (std::size_t j = 0; j < track_dim; ++j)
            sum += std::abs(static_cast<double>(hit.inside[q][j])) * reach[j];
          change[q] +=
              std::abs(static_cast<double>(hit.gain[q] / hit.variance)) * sum;
        }
      },
      [](auto&&) {});
  double worst = 0;
  for (std::size_t q = 0; q < n_checked; ++q) {
    const double relative = rounding_of(path) * (change[q] / variance[q]);
    if (!(relative >= 0 && relative < all)) return all;
    worst = std::max(worst, relative);
  }
  return worst;
}

/// Whether the hits determine all parameters of the line, and pT. Arguments as
/// for change_by_rounding().
/// @param gains  returns the gains, which are rarely needed
template <Path P, class GainsOf, class S = typename P::Scalar>
bool is_determined(const P& path, const StartHit<S>* start,
                   const GainsOf& gains, const FiveEquations<S>& e,
                   const UndoubtedVariances& undoubted) {
  return is_undoubted(e.v, path.kappa(), undoubted) ||
         change_by_rounding(path, start, gains(), e) < determined_to;
}

/// A path without the hit of one crossing, whose material remains.
template <Path P>
class WithoutHit {
 public:
  using Scalar = typename P::Scalar;
  using Gain = typename P::Gain;
  static constexpr bool kinks_touch_kappa = P::kinks_touch_kappa;

  WithoutHit(const P& path, std::size_t crossing)
      : path_(path), crossing_(crossing) {
    for (std::size_t k = 0; k < path.size(); ++k) {
      if (k == crossing || !path.surface(k).measures()) continue;
      last_ = static_cast<int>(k);
      if (first_ < 0) first_ = last_;
    }
  }

  std::size_t size() const { return path_.size(); }
  int first() const { return first_; }
  int last() const { return last_; }
  bool fits_momentum() const { return path_.fits_momentum(); }
  Scalar kappa() const { return path_.kappa(); }
  double rounding() const { return rounding_of(path_); }
  const SurfaceRecord& surface(std::size_t k) const { return path_.surface(k); }
  std::span<const CoordinateAxis> axes(std::size_t k) const {
    return k == crossing_ ? std::span<const CoordinateAxis>() : path_.axes(k);
  }
  Row<Scalar> row(std::size_t k, double cosine, double sine) const {
    return path_.row(k, cosine, sine);
  }
  std::array<Row<Scalar>, track_dim> on_surface(std::size_t k) const {
    return path_.on_surface(k);
  }
  auto kinks(std::size_t k) const { return path_.kinks(k); }
  GeneralKinks<Scalar> general_kinks(std::size_t k) const {
    return path_.general_kinks(k);
  }

 private:
  const P& path_;
  std::size_t crossing_;
  int first_ = -1, last_ = -1;
};

}  // namespace gttf
