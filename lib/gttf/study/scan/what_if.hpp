// SPDX-License-Identifier: Apache-2.0
// What if: how bad a layer may get, and what its loss would mean.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/headroom.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf {

/// Layers that the track crosses, under the names of names_by(), in order.
struct NamedSets {
  std::vector<std::string> names;
  std::vector<LayerSet> sets;
};
NamedSets crossed_sets(const Detector& detector, const Resolution& resolution,
                       Grouping grouping);

/// Reads "sigma_d0=30 um" or "sigma_pt_rel<=1 %", of a track at a layer
/// "sigma_u=3 um"; `option` stands for the place in messages. Throws
/// InputError.
Requirement parse_requirement(const std::string& option,
                              const std::string& text, bool at_layer = false);

/// "sigma(d0) <= 30 um".
std::string requirement_text(const Requirement& requirement,
                             bool at_layer = false);

/// One track of one detector, and what to sum over.
struct WhatIf {
  const Detector& detector;
  const StudyRequest& request;
  GridPoint point;
  Grouping grouping = Grouping::large;

  Track track() const { return grid_track(request, point); }
  Model model() const { return model_of(request, detector); }
};

/// Columns: those of the point, requirement, layer, quantity, key (empty where
/// --set has none), value, limit, unit, factor (limit/value), between ("L0 ...
/// L2": how far a position can be moved), status: "ok", "violated" (the
/// requirement fails at present; at the limit it is met), "no limit" or "cannot
/// meet it" (no limit, no factor). The rows of a requirement begin with the
/// number that has to change least; those that cannot meet it come last.
Table headroom_table(const WhatIf& what,
                     std::span<const Requirement> requirements);

/// What people read of such a table, by requirement: the rows with a limit; the
/// others by name.
std::vector<Section> headroom_sections(const Table& headroom);

/// Columns: those of the point, case, layer, n_hits, probability, sigma_...,
/// ratio_... (to the case "all layers"), status. Cases: "all layers"; for each
/// layer "without hit" (its material stays) and "without layer"; "mean" and
/// "rms" of sigma over the hit patterns if an efficiency is below 1.
Table lost_layer_table(const WhatIf& what);

}  // namespace gttf
