// SPDX-License-Identifier: Apache-2.0
// Export: a detector as the geometry block of a Delphes card.
#pragma once

#include <string>

#include "gttf/config/diagnostics.hpp"
#include "gttf/detector/detector.hpp"

namespace gttf {

/// The settings Bz and DetectorGeometry of a module TrackCovariance.
struct DelphesGeometry {
  std::string text;
  std::size_t rows = 0;  ///< of layers
  Diagnostics losses;    ///< properties that cannot be expressed in Delphes
};

/// Writes `detector` in Delphes' columns and metres. What cannot be written is
/// reported in `losses` with its location in the description, and is omitted or
/// simplified as stated there.
/// Source: [Delphes26] external/TrackCovariance/SolGeom.cc, SolTrack.cc.
DelphesGeometry to_delphes(const Detector& detector);

}  // namespace gttf
