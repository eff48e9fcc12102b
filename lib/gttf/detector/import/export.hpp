// SPDX-License-Identifier: Apache-2.0
// Export: a detector as descriptions that other programs and `import` read.
#pragma once

#include <cstddef>
#include <string>

#include "gttf/config/diagnostics.hpp"
#include "gttf/detector/detector.hpp"

namespace gttf {

/// A description and what is lost on the way to it.
struct Exported {
  std::string text;
  std::size_t rows = 0;  ///< of layers
  Diagnostics losses;    ///< what cannot be written
};

/// The settings Bz and DetectorGeometry of a module TrackCovariance, in
/// Delphes' columns and metres. What cannot be written is an error of `losses`
/// at its place in the description, and left out or simplified as the error
/// says.
/// Source: [Delphes26] external/TrackCovariance/SolGeom.cc, SolTrack.cc.
Exported to_delphes(const Detector& detector);

/// One line for each surface. Planes by centre, normal, u and size, in numbers
/// that read back as they are; cylinders, disks and cones by the two ends of
/// the line that makes them when it is turned about z. Material is x/X0 alone.
Exported to_module_list(const Detector& detector);

}  // namespace gttf
