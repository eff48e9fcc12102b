// SPDX-License-Identifier: Apache-2.0
// DesignHandle: a value of a detector file that the explorer can change.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gttf/config/quantity.hpp"
#include "gttf/detector/read.hpp"

namespace gttf {

/// A key in the syntax of --set, and the effect of its value on to_list() of
/// the detector: number i = its start + slope (value - start).
struct DesignHandle {
  std::string key;    ///< "layers[VTX1].cylinder.radius"
  std::string entry;  ///< "VTX1"; empty: not of a layer
  std::string label;  ///< "radius", "inner radius", "pitch rphi"
  Dimension dimension = Dimension::length;
  double number = 0;  ///< as written: 17.5 of "17.5 mm"
  std::string unit;   ///< what follows the number: " mm"; " %"; may be empty
  double factor = 1;  ///< factor to native units
  double step = 0;    ///< a small change with which the file is valid
  /// Index and slope per native unit.
  std::vector<std::pair<std::size_t, double>> slopes;

  double start() const { return number * factor; }
};

/// All positions, extents, thicknesses, errors and fields that the description
/// gives as plain quantities, in its order. Excluded are values on which a
/// number of the detector depends nonlinearly (a tilt) or only jointly with
/// another one.
/// @param threads  0: all cores
/// @pre can_be_listed()
std::vector<DesignHandle> find_handles(const DetectorInput& input,
                                       unsigned threads = 1);

/// "17.6 mm": a value of the handle in the notation of the file.
std::string text_of(const DesignHandle& handle, double number);

}  // namespace gttf
