// SPDX-License-Identifier: Apache-2.0
// Paths: the crossings of a track in the form used by fits, along a helix or
// traced in any field.
#pragma once

#include <concepts>
#include <span>

#include "gttf/fit/streaming/general_kinks.hpp"
#include "gttf/fit/streaming/undoubted_variances.hpp"
#include "gttf/fit/track/beam_spot.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf {

/// The crossings of a track in order of flight, with derivatives with respect
/// to the line at the start, s = (d0, z0, phi0, theta, kappa).
template <class P>
concept Path = requires(const P& path, std::size_t k) {
  typename P::Scalar;
  typename P::Gain;  ///< kept by scatter() for the backward pass
  { P::kinks_touch_kappa } -> std::convertible_to<bool>;
  { path.size() } -> std::same_as<std::size_t>;
  { path.first() } -> std::same_as<int>;  ///< measuring crossing; -1: none
  { path.last() } -> std::same_as<int>;
  { path.fits_momentum() } -> std::same_as<bool>;
  { path.kappa() } -> std::same_as<typename P::Scalar>;
  { path.surface(k) } -> std::same_as<const SurfaceRecord&>;
  { path.axes(k) } -> std::same_as<std::span<const CoordinateAxis>>;
  /// of the coordinate cosine u' + sine v'
  { path.row(k, double(), double()) } -> std::same_as<Row<typename P::Scalar>>;
  /// of (u, v, phi, theta, kappa) on the surface, u and v of Surface
  {
    path.on_surface(k)
    } -> std::same_as<std::array<Row<typename P::Scalar>, track_dim>>;
  path.kinks(k);  ///< input of scatter()
  { path.general_kinks(k) } -> std::same_as<GeneralKinks<typename P::Scalar>>;
};

/// A helix around z, or a straight line, with polar axis z.
template <class S>
class HelixPath {
 public:
  using Scalar = S;
  using Gain = KinkGain<S>;
  static constexpr bool kinks_touch_kappa = false;

  HelixPath(const TrackingGeometry& geometry, const Crossings<S>& crossings)
      : geometry_(geometry),
        crossings_(crossings),
        inv_sin2_(crossings.line.inv_sin_theta * crossings.line.inv_sin_theta) {
  }

  const Line<S>& line() const { return crossings_.line; }
  const Crossing<S>& crossing(std::size_t k) const {
    return crossings_.list[k].at;
  }
  std::size_t size() const { return crossings_.list.size(); }
  int first() const { return crossings_.first; }
  int last() const { return crossings_.last; }
  bool fits_momentum() const { return geometry_.bz() != 0; }
  S kappa() const { return crossings_.line.kappa; }
  const SurfaceRecord& surface(std::size_t k) const {
    return geometry_.surfaces()[crossings_.list[k].surface];
  }
  std::span<const CoordinateAxis> axes(std::size_t k) const {
    return geometry_.axes(surface(k));
  }
  Row<S> row(std::size_t k, double cosine, double sine) const {
    return coordinate_row(crossings_.line, surface(k), crossings_.list[k].at,
                          cosine, sine);
  }
  /// @param kinks  of the same crossing, which have the same terms
  Row<S> row(std::size_t k, const CoordinateAxis& axis,
             const HelixKinks<S>& kinks) const {
    return coordinate_row(crossings_.line, surface(k), crossings_.list[k].at,
                          kinks.columns, axis.cosine, axis.sine);
  }
  std::array<Row<S>, track_dim> on_surface(std::size_t k) const {
    return surface_jacobian(crossings_.line, surface(k), crossings_.list[k].at);
  }
  HelixKinks<S> kinks(std::size_t k) const {
    const TrackCrossing<S>& x = crossings_.list[k];
    return {kink(crossings_.line, x.at), x.theta0_2, x.theta0_2 * inv_sin2_};
  }
  GeneralKinks<S> general_kinks(std::size_t k) const {
    const auto [b, w, w_phi] = kinks(k);
    return {.theta = {b.theta[0], b.theta[1], b.theta[2], S(1), S(0)},
            .phi = {b.phi[0], b.phi[1], b.phi[2], S(0), S(0)},
            .w = w,
            .w_phi = w_phi,
            .loss = {S(0), S(0), S(0), S(0), S(1)},
            .w_loss = S(0)};
  }

 private:
  const TrackingGeometry& geometry_;
  const Crossings<S>& crossings_;
  S inv_sin2_;
};

/// A track traced in any field, in its frame.
class TracedPath {
 public:
  using Scalar = double;
  using Gain = GeneralGain<double>;
  static constexpr bool kinks_touch_kappa = true;

  TracedPath(const TrackingGeometry& geometry, const TracedTrack& track)
      : geometry_(geometry), track_(track) {}

  std::size_t size() const { return track_.list.size(); }
  int first() const { return track_.first; }
  int last() const { return track_.last; }
  bool fits_momentum() const { return track_.b_ref != 0; }
  double kappa() const { return track_.kappa; }
  /// Relative rounding of the derivatives.
  double rounding() const {
    return geometry_.field().map ? map_rounding : unit_rounding;
  }
  const SurfaceRecord& surface(std::size_t k) const {
    return geometry_.surfaces()[track_.list[k].surface];
  }
  std::span<const CoordinateAxis> axes(std::size_t k) const {
    return geometry_.axes(surface(k));
  }
  Row<double> row(std::size_t k, double cosine, double sine) const {
    return track_.list[k].coordinate_row(cosine, sine);
  }
  std::array<Row<double>, track_dim> on_surface(std::size_t k) const {
    std::array<Row<double>, track_dim> rows = track_.list[k].on_surface;
    const auto [u, v] = surface(k).user_axes();
    rows[OnSurface::u] = row(k, u.cosine, u.sine);
    rows[OnSurface::v] = row(k, v.cosine, v.sine);
    return rows;
  }
  GeneralKinks<double> kinks(std::size_t k) const {
    const TracedCrossing& x = track_.list[k];
    return {.theta = x.theta_kink,
            .phi = x.phi_kink,
            .w = x.theta0_2,
            .w_phi = x.theta0_2 * x.inv_sin2,
            .loss = x.loss_kink,
            .w_loss = x.loss_variance + x.kink_loss_variance};
  }
  GeneralKinks<double> general_kinks(std::size_t k) const { return kinks(k); }

 private:
  const TrackingGeometry& geometry_;
  const TracedTrack& track_;
};

}  // namespace gttf
