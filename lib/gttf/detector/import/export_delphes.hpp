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
  Diagnostics losses;    ///< what Delphes has no word for
};

/// Writes `detector` in Delphes' columns and metres. What cannot be written is
/// an error of `losses` at its place in the description, and left out or
/// simplified as the error says.
/// Source: [Delphes26] external/TrackCovariance/SolGeom.cc, SolTrack.cc.
DelphesGeometry to_delphes(const Detector& detector);

}  // namespace gttf
