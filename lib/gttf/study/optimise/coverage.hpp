// SPDX-License-Identifier: Apache-2.0
// Coverage: a required number of hits for straight tracks in a range of angles.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gttf {

/// The edge of a layer in r and z as indices of numbers. A straight track from
/// z0 on the axis crosses it at cot(theta) = (z - z0)/r.
struct LayerEdge {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t layer = none;  ///< none: an end of the range of angles
  std::size_t z = none, r = none;
};

/// A number of hits for all angles of a range and all starts on the axis.
struct CoverageLimit {
  std::string name;
  std::size_t hits = 0;
  double cot_from = 0, cot_to = 0;  ///< of theta, ascending
  double vertex_z = 0;              ///< tracks start between -vertex_z and this
  struct Ends {
    LayerEdge first, second;
    bool is_disk = false;
  };
  std::vector<Ends> layers;  ///< of each measuring cylinder and disk
};

/// A transition from one layer to another: one of the required layers is lost
/// at cot(theta) of `leave` and regained at cot(theta) of `enter`. Hits are
/// missing between them if enter > leave.
struct CoverageStep {
  double z0 = 0;  ///< mm, of the track
  LayerEdge leave, enter;
  double cot_leave = 0, cot_enter = 0;
  std::size_t index = 0;  ///< index of its row: the same for the same edge
};

/// The steps for tracks from z0: all hits are there if and only if every enter
/// <= leave. With all lower ends of intervals and all upper ends in ascending
/// order, the j-th layer must be entered before the number of layers falls
/// below `hits` for the j-th time.
/// @param numbers  of the design
/// @param absent   for each layer, whether it is absent; empty: all are present
/// Source: docs/theory/optimisation.md
std::vector<CoverageStep> coverage_steps(const CoverageLimit& limit, double z0,
                                         std::span<const double> numbers,
                                         std::span<const char> absent);

/// The start z0 with the largest missing length: either an end of the range, or
/// a point from which two edges have the same angle.
struct CoverageGap {
  double z0 = 0;
  double missing = 0;  ///< mm at the layer that ends; negative: margin
};
CoverageGap largest_gap(const CoverageLimit& limit,
                        std::span<const double> numbers,
                        std::span<const char> absent);

/// The missing length at a step, mm along the layer that ends (or, at the ends
/// of the range, the one that begins): (cot_enter - cot_leave) r.
template <class S>
S missing_length(const CoverageStep& step, std::span<const S> numbers) {
  constexpr double far = 1e6;  // mm; an edge at the beam
  if (std::isinf(step.cot_leave) || std::isinf(step.cot_enter))
    return S(step.cot_enter > step.cot_leave ? far : -far);
  const auto cot = [&](const LayerEdge& edge, double at_end) {
    return edge.layer == LayerEdge::none
               ? S(at_end)
               : (numbers[edge.z] - S(step.z0)) / numbers[edge.r];
  };
  const S difference =
      cot(step.enter, step.cot_enter) - cot(step.leave, step.cot_leave);
  if (step.leave.layer != LayerEdge::none)
    return difference * numbers[step.leave.r];
  if (step.enter.layer != LayerEdge::none)
    return difference * numbers[step.enter.r];
  return difference;
}

}  // namespace gttf
