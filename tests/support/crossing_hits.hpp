// SPDX-License-Identifier: Apache-2.0
// The crossings of a track as hits, with known errors or none.
#pragma once

#include <cstdio>
#include <string>

#include "gttf/detector/detector.hpp"
#include "gttf/resolution/resolution.hpp"
#include "support/fitted_files.hpp"

namespace gttf::test {

/// A file of hits with the measured crossings, in order of flight.
/// @param shift  of the hits across z and the radius, in turn to both sides; mm
inline std::string hits_of(const Detector& d, const Resolution& r,
                           double shift = 0) {
  std::string text = header;
  for (const CrossingInfo& c : r.crossings) {
    if (!c.measured) continue;
    const Vector3 across = Vector3::UnitZ().cross(c.position).normalized();
    const Vector3 x = c.position + shift * across;
    shift = -shift;
    char line[200];
    std::snprintf(line, sizeof line, "1,%s,%.12f,%.12f,%.12f\n",
                  d.layers[c.layer].name.c_str(), x.x(), x.y(), x.z());
    text += line;
  }
  return text;
}

}  // namespace gttf::test
