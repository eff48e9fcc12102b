// SPDX-License-Identifier: Apache-2.0
// CovarianceTable: rows of covariances, as fast simulations look them up.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {

/// What rows of the table need of a batch of tracks.
struct CovarianceColumns {
  explicit CovarianceColumns(std::size_t tracks);
  ResolutionArrays views();

  Reals perigee;  ///< as in ResolutionArrays
  std::vector<int> n_hits;
  std::vector<Status> status;
};

/// Collects rows: the point, n_hits, status, and the 15 elements of the upper
/// triangle of Resolution::perigee in mm, rad and e/GeV; columns as in
/// docs/reference/columns.md. Elements that do not exist are empty.
class CovarianceTable {
 public:
  using Columns = CovarianceColumns;
  static constexpr std::size_t n_elements = 15;

  void reserve(std::size_t rows);
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point, const Resolution& r);

  /// Points `first`, `first` + 1, ... of the grid; `tracks`: theirs. Only of
  /// tracks that is_vectorised().
  void add(const Detector& detector, const StudyRequest& request,
           std::size_t first, const TrackArrays& tracks,
           const CovarianceColumns& r);

  std::size_t rows() const { return point_.rows(); }
  /// Rows that have at least one element.
  std::size_t evaluated() const { return evaluated_; }

  Table take() &&;

 private:
  PointColumns point_;
  Integers n_hits_;
  Texts status_;
  std::array<Reals, n_elements> elements_;
  std::size_t evaluated_ = 0;
};

}  // namespace gttf
