// SPDX-License-Identifier: Apache-2.0
// Scattering angles for a batch of tracks, computed only from their hits.
#pragma once

#include <span>

#include "gttf/trajectory/scattering.hpp"

namespace gttf {

struct HitArrays;

/// The model and the particle.
struct HitScattering {
  Scattering model = Scattering::highland;
  double mass = 0;      ///< GeV
  double charge = 1;    ///< e, > 0
  double momentum = 0;  ///< GeV; 0: momentum of the helix
};

/// Finds TrackHit::theta0_2 and TrackHits::kappa_ref of tracks in a field along
/// z from the helix through their first, middle and last hits (hit_path.hpp).
///
/// Some tracks have no result: tracks that turn by more than 60 deg, whose hits
/// do not form a helix, that do not cross the passive surfaces of the list in
/// order and between the adjacent hits, or that cross one of `others` before
/// the last hit.
///
/// @param hits    their surfaces, the last one with a hit; theta0_2 and
///                kappa_ref are not used
/// @param others  surfaces that scatter and are not on the list
/// @param bz      GeV/(e mm)
/// @param model   not Scattering::highland_total
/// @param theta0_2   on surface i of track t at i size + t, rad^2
/// @param kappa_ref  per track, 1/mm
/// @param known      per track, whether there is a result
void find_scattering(const HitArrays& hits,
                     std::span<const SurfaceRecord> others, double bz,
                     const HitScattering& model, std::span<double> theta0_2,
                     std::span<double> kappa_ref, std::span<char> known);

}  // namespace gttf
