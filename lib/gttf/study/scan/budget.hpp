// SPDX-License-Identifier: Apache-2.0
// Error budgets as table, document and summary.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf {

/// A line of a budget. The last one of a budget is the sum of all: cause
/// "total", whose shares are 1 but for rounding.
struct BudgetRow {
  std::string layer;  ///< or group; empty for the beam spot
  std::string group;  ///< of the layer, empty if it has none
  std::string
      cause;  ///< "scattering", "straggling", "hit", "beam spot" or "total"
  std::string coordinate;               ///< of hits, unless summed over a group
  double x_over_x0 = Resolution::none;  ///< along the track; scattering, total
  PerParameter variance;                ///< native units, see BudgetPart
  PerParameter share;
};

/// The number of crossings up to the last hit: what comes behind is not seen.
std::size_t crossings_to_last_hit(const Resolution& resolution);

/// In order of flight, up to the last hit; none if the budget does not exist.
std::vector<BudgetRow> budget_rows(const Detector& detector,
                                   const Budget& budget, Grouping grouping);

/// Collects budgets: a row per line of each, columns as in
/// docs/reference/columns.md.
class BudgetTable {
 public:
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point, const Budget& budget, Grouping grouping);
  Table take() &&;

 private:
  PointColumns point_;
  Texts layer_, group_, cause_, coordinate_;
  Reals x_over_x0_;
  std::array<Reals, n_parameters> share_, sigma_;
  bool at_layer_ = false;
};

/// input, resolution (the columns of scan), sum_of_shares, total (the row of
/// the sum), budget (the other rows).
Document budget_document(const Detector& detector, const StudyRequest& request,
                         GridPoint point, const Budget& budget,
                         Grouping grouping);

/// What people read: shares of shown_parameters() in %, or for one parameter
/// scattering and hits of each layer side by side.
Section budget_section(const Detector& detector, const StudyRequest& request,
                       GridPoint point, const Budget& budget, Grouping grouping,
                       std::optional<Parameter> parameter);

}  // namespace gttf
