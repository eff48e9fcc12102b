// SPDX-License-Identifier: Apache-2.0
// Headroom: the range of a design parameter within which a requirement is met.
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

/// Limit of a position on one side: the track must cross the same layers in the
/// same order.
struct MoveEnd {
  /// The layer that would be passed, missed or crossed (index in
  /// Detector::layers); none: none within Headroom::most_position.
  std::size_t layer = Sensitivity::none;
  bool passed = false;  ///< passed; otherwise its edge is reached
};

/// The worst value of one design parameter that still meets a requirement, all
/// others unchanged: largest x/X0, largest sigma, smallest |field|, and the
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
  /// For a position: of all modules of the ring that contains `layer`.
  std::optional<RingNumber> ring_number = {};
  MoveEnd inner, outer;  ///< of positions: below and above `value`
};

/// Headroom of every set crossed by the track and of the field. Without energy
/// loss sigma increases with every x/X0 and every hit error, so the limit is
/// unique; with energy loss sigma may decrease again, and the limit is the
/// first failure above the present value (steps of 10 %, with the maxima
/// between them). The field is decreased from its present value to the first
/// failure.
///
/// A position is moved to both sides until the requirement first fails or, if
/// it fails at present, is first met, as long as the track crosses the same
/// layers in the same order: one entry for each side with a limit, or one entry
/// without. Layers of a set with the same kind of position (cylinders, disks,
/// planes normal to one axis) move together by a common factor. The modules of
/// a ring move with its radius and its z, whether crossed or not.
///
/// Values up to x/X0 = 100 (the validity of Highland's formula), sigma = 1 km
/// and positions of 1 km are searched, fields down to a thousandth of the
/// present one.
std::vector<Headroom> find_headroom(const Detector& detector,
                                    const Track& track, const Model& model,
                                    const Requirement& requirement,
                                    const std::vector<LayerSet>& sets);

}  // namespace gttf
