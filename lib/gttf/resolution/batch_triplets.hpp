// SPDX-License-Identifier: Apache-2.0
// Input and output of the triplet code for one instruction set: three hits of a
// track per vector element.
#pragma once

#include "gttf/fit/triplet/local_fit.hpp"
#include "gttf/resolution/batch_task.hpp"

namespace gttf::detail {

/// The numbers of BatchTriplets::out, as in TripletRegime.
enum class TripletPlane {
  gamma_phi,
  gamma_theta,
  gamma_phi_theta,
  sigma_ms,
  b_ms,
  first_arm,
  second_arm,
  mu_phi,
  mu_theta,
  xi_ms,
  xi_ms_limit,
  count
};

struct BatchTriplets {
  const BatchSurface* surfaces = nullptr;
  /// Per surface, along the axes of its record.
  const HitCovariance<double>* errors = nullptr;
  /// In ascending order, all surfaces that a track may cross.
  const unsigned* candidates = nullptr;
  std::size_t n_candidates = 0;
  double bz = 0;
  Scattering scattering{};
  const BatchTracks* tracks = nullptr;
  /// Per surface, the tracks with their first, second and third hit on it.
  const std::array<TrackBits, 3>* hits = nullptr;
  std::byte* workspace =
      nullptr;  ///< TripletKernel::workspace(), aligned to 64
  // results; NaN where the track does not cross the three surfaces
  PackValues xi;
  PackValues* out = nullptr;  ///< by TripletPlane; null: not requested
};

/// The code for one instruction set.
struct TripletKernel {
  std::size_t width;
  void (*fit)(BatchTriplets&);
  std::size_t (*workspace)(std::size_t n_surfaces);
};

}  // namespace gttf::detail
