// SPDX-License-Identifier: Apache-2.0
// Reads the keys of a study that stand in a file with further keys.
#pragma once

#include <string>

#include "gttf/config/reader.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf::detail {

/// detectors, particle, mass, charge, phi, vertex, beam_spot, scattering,
/// energy_loss, at: a request without axes. `path`: of the file, which paths of
/// detectors are relative to. Faults are reported; the map is not finished.
StudyRequest read_setup(MapReader& map, const std::string& path,
                        const StudyOptions& options);

/// The axes of a map that need not have any.
struct GivenAxes {
  bool has_momentum = false, has_angle = false;
  MomentumAxis momentum;
  AngleAxis angle;
};

/// momentum, p or pt; theta or eta. Faults are reported, values then empty.
GivenAxes read_axes(MapReader& map);

}  // namespace gttf::detail
