// SPDX-License-Identifier: Apache-2.0
// Resolution of a detector for one track.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "gttf/core/track_parameters.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/trajectory/track.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// Form of the fit; both give the same covariance (docs/theory), in a time
/// proportional to the number of layers.
enum class Engine { streaming, triplet };

/// The reason why a resolution does not exist, or ok.
enum class Status {
  ok,
  no_field,        ///< q/p is not measured; everything else exists
  too_few_hits,    ///< fewer measuring layers crossed than the fit needs
  curls_up,        ///< too few hits because the track turns back
  stops,           ///< too few hits because the track stops in a layer
  outside_map,     ///< the track leaves the field map
  not_determined,  ///< the hits do not determine at least one parameter
  no_hit_error,    ///< an error that depends on the track is not positive there
};

/// Which error dominates the curvature; see docs/theory/regimes.md.
enum class Regime { scattering, mixed, hits, weak, unknown };

std::string_view to_string(Engine);
std::string_view to_string(Status);
std::string_view to_string(TrackEnd);
std::string_view to_string(Regime);

/// One crossing of the track with a layer, in order of flight.
struct CrossingInfo {
  std::size_t layer = 0;   ///< index in Detector::layers
  double path = 0;         ///< 3D path from the vertex, mm
  Vector3 position;        ///< mm
  double phi = 0;          ///< azimuth of the direction there, rad
  double theta = 0;        ///< polar angle of the direction, before the layer
  double p = 0;            ///< momentum before the layer, GeV
  double energy_loss = 0;  ///< mean loss in the layer, GeV; 0 unless requested
  double cos_incidence = 1;  ///< |direction . surface normal|
  double x_over_x0 = 0;      ///< along the track
  double theta0 = 0;         ///< projected scattering angle, rad
  bool measured = false;
};

/// A layer at which position and direction of the track are requested.
struct AtLayer {
  std::size_t layer = 0;  ///< index in Detector::layers
  bool own_hit = true;    ///< a measuring layer's own hit is used, too
};

/// Settings that are not properties of the detector or the track.
struct Model {
  Scattering scattering = Scattering::highland;
  Engine engine = Engine::streaming;
  std::optional<BeamSpot> beam_spot = {};  ///< constrains the start
  EnergyLoss loss = EnergyLoss::off;
  std::optional<AtLayer> at = {};  ///< fills Resolution::at
  /// Follow a track by so many turns, half a turn at least, and count every
  /// crossing, see trace(); 0: half a turn, and the first crossing of each
  /// surface only.
  double turns = 0;
};

/// The track at a layer, before its material, from all hits on both sides.
/// Covariances are NaN if they do not exist.
struct StateAtLayer {
  bool exists = false;  ///< the track crosses the layer, and is determined
  bool crossed = false;
  std::size_t crossing = 0;  ///< index in Resolution::crossings
  Matrix5 covariance;        ///< order of OnSurface
  /// u, v, slopes along u and v per depth below the surface, q/p.
  Matrix5 slopes;
  double sigma_p_rel = std::numeric_limits<double>::quiet_NaN();
};

/// Resolution of one track. Numbers that do not exist are NaN; `status` gives
/// the reason. Covariances: symmetric positive semidefinite; mm, rad, e/GeV.
struct Resolution {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  Status status = Status::too_few_hits;
  TrackEnd end = TrackEnd::leaves;
  int n_hits = 0;        ///< measuring layers crossed
  double x_over_x0 = 0;  ///< sum over all crossings
  /// Up to and including the layer of the last hit; NaN without a hit.
  double x_over_x0_tracker = none;
  std::vector<CrossingInfo> crossings;

  Matrix5 perigee;                ///< order of Perigee, all material
  Matrix5 perigee_without_inner;  ///< without first layer's and inner material
  Matrix5 first_hit;              ///< order of OnSurface, after its scattering
  /// On the plane z = const. through the start, order of OnPlane, all
  /// material; NaN for a track within 0.57 deg of that plane.
  Matrix5 start_plane;
  std::optional<StateAtLayer> at;  ///< if requested by Model::at

  /// The point where the track left the field map, if it did.
  std::optional<Vector3> left_map;
  bool stopped = false;  ///< the track stops in the last crossing

  double sigma_p_rel = none;           ///< sigma(p)/p
  double sigma_pt_rel = none;          ///< sigma(pT)/pT
  double sigma_p_rel_hit_only = none;  ///< no scattering
  double sigma_p_rel_ms_only = none;   ///< no hit errors

  double mu_phi = none;    ///< sqrt(share of hit errors in Var(kappa))
  double mu_theta = none;  ///< the same for Var(theta)
  double xi = none;        ///< curvature significance |kappa|/sigma(kappa)
  Regime regime = Regime::unknown;
};

/// The resolution of `track` in `geometry`. Errors: see Resolution::status.
/// Throws std::invalid_argument if the engine of the model does not support its
/// energy loss.
Resolution resolve(const TrackingGeometry& geometry, const Track& track,
                   const Model& model = {});

/// Boundaries between the tracking regimes.
struct RegimeThresholds {
  double mu_small = 0.15;     ///< hit errors are negligible up to this value
  double xi_significant = 3;  ///< curvature not measured below
  double xi_unbiased = 10;    ///< scattering fits biased by 1 % below
};

/// Regime from mu_phi and xi: `weak` for xi < xi_significant, else
/// `scattering` for mu_phi <= mu_small (the scattering-only fit suffices),
/// `hits` for mu_phi >= sqrt(1 - mu_small^2), `mixed` between.
/// Source: [GTTF] section "Tracking Regimes".
Regime classify(double mu_phi, double xi,
                const RegimeThresholds& thresholds = {});

}  // namespace gttf
