// SPDX-License-Identifier: Apache-2.0
// Sensitivities as table and as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf {

/// One design parameter, summed over layers that change together.
struct SensitivityRow {
  std::string key;    ///< in the syntax of --set: layers[L0].cylinder.radius
  std::string layer;  ///< or group; empty for field, length, beam spot
  std::string group;  ///< of the layer, empty if it has none
  std::string name;   ///< "radius", "material", "sigma rphi", "field", ...
  Quantity quantity = Quantity::position;
  double value = Resolution::none;  ///< in `unit`; NaN if layers differ
  std::string unit;
  PerParameter elasticity;  ///< % of sigma per % of the value
  PerParameter slope;       ///< d ln(sigma)/d(value), per `unit`
};

/// In order of flight, then parameters that belong to no layer. Angles of
/// coordinates only if they are not along an axis.
std::vector<SensitivityRow> sensitivity_rows(const Detector& detector,
                                             const Sensitivities& list,
                                             Grouping grouping);

/// "1 % less material in layer L1 reduces sigma(d0) by 0.31 %"; for rows by
/// group "1 % less material in vertex ...".
std::string advice(const SensitivityRow& row, Parameter q,
                   Grouping grouping = Grouping::layer, bool at_layer = false);

/// Collects derivatives: columns as in docs/reference/columns.md.
class SensitivityTable {
 public:
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point, const std::vector<SensitivityRow>& rows);
  Table take() &&;

 private:
  PointColumns point_;
  Texts key_, layer_, group_, quantity_, unit_;
  Reals value_;
  std::array<Reals, n_parameters> elasticity_, slope_;
  bool at_layer_ = false;
};

/// For the terminal: a table of elasticities, and the most effective changes;
/// all parameters or one.
std::vector<Section> sensitivity_sections(const Detector& detector,
                                          const StudyRequest& request,
                                          GridPoint point,
                                          const Sensitivities& list,
                                          Grouping grouping,
                                          std::optional<Parameter> parameter);

}  // namespace gttf
