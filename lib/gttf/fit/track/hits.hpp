// SPDX-License-Identifier: Apache-2.0
// TrackHits: the measured points of one track, and what it crosses unmeasured;
// FitStatus: why they cannot be fitted.
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
  beyond_pole,      ///< a segment bends up to the pole of its index, 1/n < 0.05
  singular,         ///< K^-1 not positive definite: some kinks have no error
  not_determined,   ///< the coordinates leave a parameter free
  no_reference,     ///< the fit needs theta0 as a function of the curvature
  no_curvature,     ///< the curvature it must divide by is compatible with 0
  not_converged,    ///< re-linearisation runs away
  outside_map,      ///< the fitted track leaves the field map
  stops,            ///< the fitted track loses all its energy in a layer
  recurls,          ///< crosses a layer again: only streamed fits follow that
};

/// The name as it stands in tables: `too_few_hits`, ...
std::string_view to_string(FitStatus);

/// Energy lost in a layer, near the momentum of a reference track:
///
///   mean (p/momentum)^power +- sigma
struct HitLoss {
  double mean = 0;      ///< GeV, of a particle of that momentum
  double momentum = 1;  ///< before the layer, GeV
  double power = 0;     ///< d ln(mean)/d ln(p)
  double sigma = 0;     ///< standard deviation of the loss, GeV; 0: none
};

/// A point of a track: a hit on a surface, or a passive layer.
struct TrackHit {
  /// Measured point, mm. Along a direction that is not measured any value will
  /// do that lies within the surface; for a passive layer any point of it near
  /// the track.
  Vector3 position = Vector3::Zero();
  /// Orthogonal unit vectors that span the surface at `position`.
  Vector3 u = Vector3::UnitY(), v = Vector3::UnitZ();
  /// Measured coordinates m = cosine u + sine v; the first n_coordinates count.
  std::array<CoordinateAxis, 2> coordinates{};
  int n_coordinates = 0;  ///< 0: passive, 1 or 2
  /// Variance of the scattering angle in a plane, rad^2, for a track of
  /// curvature TrackHits::kappa_ref.
  double theta0_2 = 0;
  HitLoss loss;  ///< counts only where TrackHits::flight is set
  /// The surface is that of revolution about the z axis through `position` with
  /// these axes (u along r-phi, v along z), not the plane of u and v. Matters
  /// only if hits move by more than sqrt(radius * precision).
  bool curved = false;
  /// Path along the track from anywhere, mm, to tell crossings of a surface
  /// apart: the fit looks for the one about as far behind the point before.
  /// NaN: the first within half a turn. Set for all points of a track or none,
  /// and only where TrackHits::flight is.
  double path = std::numeric_limits<double>::quiet_NaN();

  bool measures() const { return n_coordinates > 0; }
  std::span<const CoordinateAxis> axes() const {
    return {coordinates.data(), static_cast<std::size_t>(n_coordinates)};
  }
};

/// What a fit must know to follow a track through any field, losing energy.
struct FlightModel {
  const Field* field = nullptr;  ///< must outlive the hits
  Frame frame;                   ///< in which the fit takes angles
  double mass = 0;               ///< GeV
  double charge = 1;             ///< e, > 0; the sign is that of kappa
};

/// Points of a track in order of flight.
struct TrackHits {
  std::vector<TrackHit> points;
  /// The signed curvature -q B/p [1/mm] for which the theta0_2 hold: at kappa
  /// they are theta0_2 (kappa/kappa_ref)^2, i.e. theta0 = b |kappa|. 0: they
  /// hold whatever the curvature.
  double kappa_ref = 0;
  bool field = true;  ///< false: straight tracks, kappa is not a parameter
  /// Without field: the momentum [GeV] for which the theta0_2 hold, so that the
  /// fit can tell how the measured scattering compares; 0: not known.
  double momentum = 0;
  double mass = 0;  ///< GeV, to go with it
  /// Perigee parameters refer to the line through here along z, z0 to its z.
  Vector3 origin = Vector3::Zero();
  /// In any field and with energy loss. Then kappa = -q b_ref/p, with
  /// b_ref = Field::reference, is that at the origin, before the first layer.
  /// Not set: a helix around z, or straight lines if `field` is false.
  std::optional<FlightModel> flight = {};
};

/// Does it say which crossings of the surfaces its points are?
inline bool knows_paths(const TrackHits& track) {
  return !track.points.empty() && !std::isnan(track.points.back().path);
}

/// The measured points among those of a track.
struct MeasuredPoints {
  FitStatus status = FitStatus::ok;  ///< why these cannot be fitted
  std::vector<std::size_t> points;   ///< indices in TrackHits::points
  int n_coordinates = 0;
};

/// Checks that all numbers are finite, errors positive, no two neighbours at
/// one place, and that there are enough points and coordinates; `measured` is
/// filled anew and keeps its memory.
void find_measured(const TrackHits& track, MeasuredPoints& measured);

/// The beam spot as a hit in the plane across the transverse direction of the
/// track: constrains d0 and z0 once each. To be put first.
/// @param centre      of the spot, mm
/// @param phi, theta  direction of the track there in the frame, to a few per
///                    cent
TrackHit make_beam_spot_hit(const BeamSpot& spot, const Vector3& centre,
                            double phi, double theta, const Frame& frame = {});

/// Combines measured coordinates of one surface, any number, into at most two
/// independent ones with the same information about the position.
void set_coordinates(TrackHit& hit, std::span<const CoordinateAxis> axes);

}  // namespace gttf
