// SPDX-License-Identifier: Apache-2.0
// TrackHits: the measured points of one track and the passive layers it
// crosses; FitStatus: the reason why they cannot be fitted.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gttf/core/track_parameters.hpp"
#include "gttf/trajectory/frame.hpp"
#include "gttf/trajectory/track.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// Numbers of a fit are NaN unless its status is ok.
enum class FitStatus {
  ok,
  too_few_hits,     ///< fewer than 3 measured points, start included
  not_finite,       ///< an input is NaN or infinite
  bad_error,        ///< a variance is not positive, or axes are parallel
  coincident_hits,  ///< neighbours at the same transverse position
  wrong_order,      ///< the path does not increase from hit to hit
  beyond_pole,  ///< a segment bends close to the pole of its index, 1/n < 0.05
  singular,     ///< K^-1 not positive definite: some kinks have no error
  not_determined,  ///< the coordinates do not determine a parameter
  no_reference,    ///< the fit needs theta0 as a function of the curvature
  no_curvature,    ///< the curvature it must divide by is compatible with 0
  not_converged,   ///< re-linearisation diverges
  outside_map,     ///< the fitted track leaves the field map
  stops,           ///< the fitted track loses all its energy in a layer
  recurls,         ///< crosses a layer again: only streamed fits follow that
};

/// The name used in tables: `too_few_hits`, ...
std::string_view to_string(FitStatus);

/// How the energy lost in a layer changes with the path in it, which is counted
/// in units of its thickness: 1/cos(incidence).
struct LossPath {
  double paths = 1;     ///< of the reference track
  double per_path = 0;  ///< d(mean)/d(paths), GeV; 0: the loss is independent
  /// The part of it that a scattering angle in the layer changes, GeV: average
  /// and standard deviation, see LayerLoss.
  double behind_kink = 0, behind_kink_rms = 0;
};

/// Energy lost in a layer, near the momentum of a reference track, whose mean
/// loss and its derivative are exact: that of a slab whose stopping power is
/// proportional to T^power of the kinetic energy T,
///
///   T_after^n = T^n - constant,  n = 1 - power
struct HitLoss {
  double mean = 0;      ///< GeV, of a particle of that momentum
  double momentum = 1;  ///< before the layer, GeV
  double power = 0;     ///< d ln(stopping power)/d ln(T), not 1
  double sigma = 0;     ///< standard deviation of the loss, GeV; 0: none
  LossPath path = {};
};

/// A point of a track: a hit on a surface, or a passive layer.
struct TrackHit {
  /// Measured point, mm. Along a direction that is not measured, any value
  /// within the surface is allowed; for a passive layer, any point on it near
  /// the track.
  Vector3 position = Vector3::Zero();
  /// Orthogonal unit vectors that span the surface at `position`.
  Vector3 u = Vector3::UnitY(), v = Vector3::UnitZ();
  /// Measured coordinates m = cosine u + sine v, the first n_coordinates.
  std::array<CoordinateAxis, 2> coordinates{};
  int n_coordinates = 0;  ///< 0: passive, 1 or 2
  /// Variance of the scattering angle in a plane, rad^2, for a track of
  /// curvature TrackHits::kappa_ref.
  double theta0_2 = 0;
  HitLoss loss;  ///< used only if TrackHits::flight is set
  /// The surface is the surface of revolution about the z axis through
  /// `position` with these axes (u along r-phi, v along z), not the plane of u
  /// and v. Relevant only if hits move by more than sqrt(radius * precision).
  bool curved = false;
  /// Path along the track from any origin, mm, to distinguish crossings of a
  /// surface: the fit uses the crossing at about this distance from the
  /// previous point. NaN: the first one within half a turn. Set for all points
  /// of a track or for none, and only with TrackHits::flight.
  double path = std::numeric_limits<double>::quiet_NaN();

  bool measures() const { return n_coordinates > 0; }
  std::span<const CoordinateAxis> axes() const {
    return {coordinates.data(), static_cast<std::size_t>(n_coordinates)};
  }
};

/// Input for a fit that follows a track through any field, with energy loss.
struct FlightModel {
  const Field* field = nullptr;  ///< must outlive the hits
  Frame frame;                   ///< in which the fit takes angles
  double mass = 0;               ///< GeV
  double charge = 1;             ///< e, > 0; the sign is that of kappa
};

/// Points of a track in order of flight.
struct TrackHits {
  std::vector<TrackHit> points;
  /// The signed curvature -q B/p [1/mm] for which theta0_2 is given: at kappa
  /// it is theta0_2 (kappa/kappa_ref)^2, i.e. theta0 = b |kappa|. 0: it is
  /// independent of the curvature.
  double kappa_ref = 0;
  /// Whether kappa_ref was found from the hits. A fit with energy loss whose
  /// momentum is far from it has not converged.
  bool kappa_is_guess = false;
  bool field = true;  ///< false: straight tracks, kappa is not a parameter
  /// Without field: the momentum [GeV] for which theta0_2 is given, so that the
  /// fit can compare it with the measured scattering; 0: unknown.
  double momentum = 0;
  double mass = 0;  ///< GeV, of the particle with this momentum
  /// Perigee parameters refer to the line through it along z, z0 to its z.
  Vector3 origin = Vector3::Zero();
  /// For any field and energy loss. Then kappa = -q b_ref/p, with b_ref =
  /// Field::reference, is the value at the origin, before the first layer. Not
  /// set: a helix around z, or straight lines if `field` is false.
  std::optional<FlightModel> flight = {};
};

/// Whether it assigns its points to crossings of the surfaces.
inline bool knows_paths(const TrackHits& track) {
  return !track.points.empty() && !std::isnan(track.points.back().path);
}

/// The measured points among those of a track.
struct MeasuredPoints {
  FitStatus status = FitStatus::ok;  ///< reason why these cannot be fitted
  std::vector<std::size_t> points;   ///< indices in TrackHits::points
  int n_coordinates = 0;
};

/// Checks that all numbers are finite, errors are positive, adjacent points are
/// distinct, and that there are enough points and coordinates; refills
/// `measured`, reusing its memory.
void find_measured(const TrackHits& track, MeasuredPoints& measured);

/// The beam spot as a hit in the plane perpendicular to the transverse
/// direction of the track: constrains d0 and z0 once each. Must be first.
/// @param centre      of the spot, mm
/// @param phi, theta  approximate direction of the track there in the frame, to
///                    a few per cent
TrackHit make_beam_spot_hit(const BeamSpot& spot, const Vector3& centre,
                            double phi, double theta, const Frame& frame = {});

/// Combines any number of measured coordinates of one surface into at most two
/// independent coordinates with the same information about the position.
void set_coordinates(TrackHit& hit, std::span<const CoordinateAxis> axes);

}  // namespace gttf
