// SPDX-License-Identifier: Apache-2.0
// Headroom: how far a number of the design may go before a requirement fails.
#pragma once

#include <cstddef>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/resolution/sensitivity.hpp"

namespace gttf {

/// sigma(parameter) <= limit; native units, relative for p and pt.
struct Requirement {
  Parameter parameter = Parameter::d0;
  double limit = 0;
};

/// Layers that are changed together, by a common factor: indices in
/// Detector::layers.
using LayerSet = std::vector<std::size_t>;

/// The worst value of one number that still meets a requirement, everything
/// else as it is: largest x/X0, largest sigma, smallest |field|.
struct Headroom {
  Quantity quantity = Quantity::x_over_x0;
  std::size_t set = Sensitivity::none;  ///< index of the LayerSet
  std::size_t coordinate = Sensitivity::none;
  double value = 0;  ///< at present; of the first layer of the set
  /// Better than `value` if the requirement fails at present; infinity (field:
  /// 0) if every value meets it, NaN if none does.
  double limit = 0;
};

/// Headroom of every set that the track crosses and of the field. Without
/// energy loss sigma grows with every x/X0 and every hit error, so that the
/// limit is unique; with it sigma may fall again, and the limit is the first
/// failure above the present value (steps of 10 %, with the maxima between
/// them). The field is taken from its present value downwards to the first
/// failure.
///
/// Values up to x/X0 = 100 (the validity of Highland's formula) and sigma =
/// 1 km are tried, fields down to a thousandth of the present one.
std::vector<Headroom> find_headroom(const Detector& detector,
                                    const Track& track, const Model& model,
                                    const Requirement& requirement,
                                    const std::vector<LayerSet>& sets);

}  // namespace gttf
