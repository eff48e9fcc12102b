// SPDX-License-Identifier: Apache-2.0
// AnyTrack: the crossings of a track, as a helix if possible, else traced.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "gttf/core/double_double.hpp"
#include "gttf/fit/streaming/undoubted_variances.hpp"
#include "gttf/fit/track/path.hpp"
#include "gttf/fit/triplet/triplet_track.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"

namespace gttf::detail {

/// Components of a vector as functions of the line.
using Vector3Rows = Eigen::Matrix<double, 3, track_dim>;
using RowVector5 = Eigen::Matrix<double, 1, track_dim>;

/// Is the track taken as a helix or a straight line: the field is along z or
/// none, no energy is lost, the track does not run along the polar axis, and it
/// crosses no surface but those of find_crossings(), once each?
bool follows_helix(const TrackingGeometry& geometry, const Track& track,
                   const Model& model);
/// The same apart from the energy loss, which may change what is crossed.
bool follows_slowing_helix(const TrackingGeometry& geometry, const Track& track,
                           const Model& model);

/// A track with its crossings: a helix if possible, else traced; both give the
/// same results for a helix.
class AnyTrack {
 public:
  AnyTrack(const TrackingGeometry& geometry, const Track& track,
           const Model& model);
  /// A track that is already traced with `model`.
  AnyTrack(const TrackingGeometry& geometry, const Track& track,
           TracedTrack traced);

  /// With the errors and the material of this track where they depend on it,
  /// without hits where layers are dead.
  const TrackingGeometry& geometry() const { return *geometry_; }
  /// That geometry, for what outlives the track; null: geometry of all tracks.
  std::shared_ptr<const TrackingGeometry> own_geometry() const { return own_; }
  /// Whether all errors of its hits are positive and finite.
  bool has_errors() const { return has_errors_; }
  const Track& track() const { return track_; }
  /// Null if traced.
  const Crossings<double>* helix() const {
    return std::get_if<Crossings<double>>(&found_);
  }
  /// Null if a helix.
  const TracedTrack* traced() const {
    return std::get_if<TracedTrack>(&found_);
  }

  /// f(HelixPath) or f(TracedPath).
  template <class F>
  decltype(auto) with_path(F&& f) const {
    if (const TracedTrack* t = traced()) return f(TracedPath(geometry(), *t));
    return f(HelixPath(geometry(), *helix()));
  }
  /// f(path, start) of a helix in twice the precision of a double, with the
  /// scattering angles of doubles; `start` is null without a beam spot.
  template <class F>
  decltype(auto) with_wide_path(const BeamSpot* spot, F&& f) const {
    const Crossings<DoubleDouble> crossings = wide_helix();
    std::optional<StartHit<DoubleDouble>> start;
    if (spot) start = make_start_hit(crossings.line, *spot);
    return f(HelixPath<DoubleDouble>(geometry(), crossings),
             start ? &*start : nullptr);
  }

  int n_measuring() const;
  const TrackMaterial<double>& material() const;
  TrackEnd end() const;
  std::size_t size() const;
  unsigned surface(std::size_t k) const;  ///< of crossing k
  bool fits_momentum() const { return b_ref() != 0; }
  /// kappa = -q b_ref/p; 0 without field.
  double b_ref() const;
  double kappa() const;
  Frame frame() const { return traced() ? traced()->frame : Frame{}; }

  /// Crossing k in user conventions.
  CrossingInfo crossing(std::size_t k) const;
  std::vector<CrossingInfo> describe_crossings() const;
  /// The crossing of a surface, if there is one.
  std::optional<std::size_t> crossing_of(std::size_t surface) const;
  std::optional<StartHit<double>> start_hit(const BeamSpot* spot) const;
  /// Errors for which the track is certainly determined; `start` may be null.
  UndoubtedVariances undoubted(const StartHit<double>* start) const;
  /// Input of the triplet fit; `spot` may be null.
  /// @param wide  of a helix, in twice the precision of a double
  TripletTrack triplets(const BeamSpot* spot, bool wide) const;

  // Matrices: rows are linear functions of the line at the start,
  // s = (d0, z0, phi0, theta, kappa) in the frame of the fit.

  /// The perigee parameters in the user's axes, with kappa. Parameters that do
  /// not exist are NaN.
  Matrix5 perigee() const;
  /// x, y, dx/dz, dy/dz and kappa on the plane z = const. through the start;
  /// NaN for a track within 0.57 deg of that plane.
  Matrix5 at_start_plane() const;
  /// d(at_start_plane())/d ln(field): a stronger field turns the direction more
  /// on the path to the plane.
  Matrix5 at_start_plane_by_field() const;
  /// u, v, phi, theta, kappa at crossing k, before the layer; user's axes.
  Matrix5 on_surface(std::size_t k) const;
  /// The same just after the layer, where its mean energy loss has changed
  /// kappa.
  Matrix5 after_layer(std::size_t k) const;
  /// The transformation of u, v, phi, theta of the frame and kappa just after
  /// crossing k to the user's axes.
  Matrix5 from_frame_after(std::size_t k) const;
  /// u, v, slopes along u and v per depth, kappa at crossing k, before the
  /// layer.
  Matrix5 slopes_on_surface(std::size_t k) const {
    return slopes_from(k, rows_on_surface(k));
  }
  /// The same from u, v, phi, theta of the frame and kappa at crossing k, given
  /// as arbitrary linear functions.
  Matrix5 slopes_from(std::size_t k, Matrix5 rows) const;

  /// Index of the first measuring crossing.
  std::size_t first() const;

 private:
  Crossings<DoubleDouble> wide_helix() const;
  /// Rows of the crossings from `begin` to `end` - 1.
  std::vector<CrossingInfo> describe_crossings(std::size_t begin,
                                               std::size_t end) const;
  /// u, v, phi, theta in the frame, kappa.
  Matrix5 rows_on_surface(std::size_t k) const;
  /// Path along the track to the plane z = const. through the start.
  RowVector5 path_into_start_plane() const;
  /// dx/dz and dy/dz of the direction at the start.
  Eigen::Matrix<double, 2, track_dim> slopes_at_start(
      const Vector3Rows& change) const;
  /// d(direction)/d(path) at the start; 1/mm.
  Vector3 bend_at_start() const;

  /// Its crossings in *geometry_.
  void find(const Model& model);
  /// Removes hits in dead regions of their layers.
  void drop_dead_hits(const Model& model);
  /// Takes hit errors that depend on the track, and x/X0 that varies over a
  /// surface, from its crossings; of several of a surface the first counts.
  void adapt_geometry();

  const TrackingGeometry* geometry_;
  std::shared_ptr<const TrackingGeometry> own_;  ///< null: shared by all
  bool has_errors_ = true;
  Track track_;
  Vector3 direction_;  ///< at the start
  std::variant<Crossings<double>, TracedTrack> found_;
};

/// cot(theta) at the start, exactly 0 at 90 deg; NaN along z.
double cot_theta(const Track& track);

/// Whether the limits of a fit without scattering and of one with exact hits
/// are computed: where hits are strips, the latter may take most of the time.
enum class Limits { computed, left_out };

/// resolve() with given crossings.
Resolution resolve(const AnyTrack& track, const Model& model,
                   Limits limits = Limits::computed);

template <class S>
using ParameterRows = std::array<Row<S>, n_parameters>;

/// The parameters as linear functions of the line at the start; the rows of the
/// momentum are zero without field.
///
///   d ln p = -d kappa/kappa        d ln pT = -d kappa/kappa + cot(theta)
///   dtheta
///
/// x, y, tx, ty as in AnyTrack::at_start_plane().
ParameterRows<double> parameter_rows(const AnyTrack& track);
/// Their derivatives with respect to ln(field), if the perigee in user
/// conventions is the perigee of the fit.
ParameterRows<double> parameter_rows_by_field(const AnyTrack& track);

}  // namespace gttf::detail
