// SPDX-License-Identifier: Apache-2.0
// Headroom: how far a number of the design may go before a requirement fails.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/detector/ring.hpp"
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

/// How far a position may go on one side: as long as the track crosses the same
/// layers in the same order.
struct MoveEnd {
  /// The layer that would be passed, missed or met (index in
  /// Detector::layers); none: none within Headroom::most_position.
  std::size_t layer = Sensitivity::none;
  bool passed = false;  ///< passed; else its edge is there
};

/// The worst value of one number that still meets a requirement, everything
/// else as it is: largest x/X0, largest sigma, smallest |field|, and the
/// nearest position on either side.
struct Headroom {
  static constexpr double most_position = 1e3 * unit::m;

  Quantity quantity = Quantity::x_over_x0;
  std::size_t set = Sensitivity::none;    ///< index of the LayerSet
  std::size_t layer = Sensitivity::none;  ///< that `value` is of
  std::size_t coordinate = Sensitivity::none;
  double value = 0;  ///< at present; of the first layer of the set
  /// Infinity (field: 0) if every value meets the requirement, NaN if none
  /// does. If it fails at present: the value at which it is met.
  double limit = 0;
  bool met = true;  ///< at present
  /// Of a position: of all modules of the ring that `layer` belongs to.
  std::optional<RingNumber> ring_number = {};
  MoveEnd inner, outer;  ///< of positions: below and above `value`
};

/// Headroom of every set that the track crosses and of the field. Without
/// energy loss sigma grows with every x/X0 and every hit error, so that the
/// limit is unique; with it sigma may fall again, and the limit is the first
/// failure above the present value (steps of 10 %, with the maxima between
/// them). The field is taken from its present value downwards to the first
/// failure.
///
/// A position is moved to both sides until the requirement first fails or, if
/// it fails at present, is first met, at most to where the track would cross
/// other layers or these in another order: one entry for each side with a
/// limit, or one without. Layers of a set move by a common factor, those that
/// lie alike (cylinders, disks, planes normal to one axis) together. The
/// modules of a ring move with its radius and its z, whether crossed or not.
///
/// Values up to x/X0 = 100 (the validity of Highland's formula), sigma = 1 km
/// and positions of 1 km are tried, fields down to a thousandth of the present
/// one.
std::vector<Headroom> find_headroom(const Detector& detector,
                                    const Track& track, const Model& model,
                                    const Requirement& requirement,
                                    const std::vector<LayerSet>& sets);

}  // namespace gttf
