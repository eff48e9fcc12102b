// SPDX-License-Identifier: Apache-2.0
// Values that requirements look at: columns of scans and shares of budgets.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/study/check/checked_quantity.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf::detail {

/// Tables of scans, each made once; many requirements look at one grid.
class ScanCache {
 public:
  ScanCache(std::span<const Detector> detectors, Engine engine,
            unsigned threads)
      : detectors_(detectors), engine_(engine), threads_(threads) {}

  /// All points of the grid, in the order of grid_points().
  const Table& rows(const StudyRequest& grid, std::size_t detector);

 private:
  struct Entry {
    MomentumAxis momentum;
    AngleAxis angle;
    std::size_t detector;
    Table rows;
  };
  std::span<const Detector> detectors_;
  Engine engine_;
  unsigned threads_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

/// A cell as a number; NaN if there is none.
double number_at(const Table& table, std::string_view column, std::size_t row);
std::string text_at(const Table& table, std::string_view column,
                    std::size_t row);

/// Indices of the layers that a share is of; all if it names none.
std::vector<std::size_t> layers_of(const Detector& detector,
                                   const CheckedQuantity& share);

/// Names that a share may have in this detector.
std::vector<std::string> layer_names(const Detector& detector, bool groups);

/// The share at each point; NaN without a budget.
std::vector<double> shares_at(const Detector& detector,
                              const StudyRequest& grid,
                              std::span<const GridPoint> points,
                              const CheckedQuantity& share, unsigned threads);

}  // namespace gttf::detail
