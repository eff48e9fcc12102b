// SPDX-License-Identifier: Apache-2.0
// Export: descriptions of a detector for other programs and `import`.
#pragma once

#include <cstddef>
#include <string>

#include "gttf/config/diagnostics.hpp"
#include "gttf/detector/detector.hpp"

namespace gttf {

/// A description and the losses of the conversion.
struct Exported {
  std::string text;
  std::size_t rows = 0;  ///< of layers
  Diagnostics losses;    ///< what cannot be written
};

/// The settings Bz and DetectorGeometry of a module TrackCovariance, in
/// Delphes' columns and metres. What cannot be written is reported in `losses`
/// with its location in the description, and is omitted or simplified as stated
/// there.
/// Source: [Delphes26] external/TrackCovariance/SolGeom.cc, SolTrack.cc.
Exported to_delphes(const Detector& detector);

/// One line for each surface. Planes by centre, normal, u and size, in numbers
/// that read back exactly; cylinders, disks and cones by the ends of the line
/// that generates them by rotation about z. Material is only x/X0.
Exported to_module_list(const Detector& detector);

}  // namespace gttf
