// SPDX-License-Identifier: Apache-2.0
// The figure of a sweep: one error against the values of its first key.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gttf/core/figure.hpp"
#include "gttf/core/table.hpp"
#include "gttf/study/sweep/sweep.hpp"

namespace gttf {

/// Collects one column of the rows of a sweep and forwards the rows.
class SweepFigure : public TableSink {
 public:
  /// @param columns of the rows; the first error is shown
  /// @param next     receives all rows; must outlive this
  /// Throws std::invalid_argument, with the reason, if the sweep has no such
  /// figure: the first key has no numbers, no column is an error, or there
  /// would be more curves than can be distinguished.
  SweepFigure(const StudyRequest& request, std::vector<std::string> detectors,
              Reduction reduction, const std::vector<std::string>& columns,
              TableSink& next);

  void write(const Table& block) override;
  void finish() override { next_.finish(); }
  PreparedBlock prepare(const Table& block) const override {
    return next_.prepare(block);
  }
  void write_prepared(const Table& block, const PreparedBlock& text) override;

  /// After the last row. Throws std::invalid_argument if no row has a value.
  Figure figure(const std::string& title) const;

 private:
  void keep(const Table& block);
  /// The label that identifies a curve: "layers[L1].material = 0.3 %".
  std::string curve_text(std::size_t curve) const;

  const StudyRequest& request_;
  std::vector<std::string> detectors_;
  std::size_t points_, curves_;
  std::string column_;
  TableSink& next_;
  Reals values_;
};

}  // namespace gttf
