// SPDX-License-Identifier: Apache-2.0
// Tracking regimes as tables, documents and text.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/regime.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {

struct RegimeOptions {
  RegimeThresholds thresholds;
  TripletChoice choice = TripletChoice::consecutive;
  unsigned threads = 0;  ///< 0: all cores; the result does not depend on it
};

/// Calls take(point, regime) for every point of the grid, in order.
BatchStatistics find_regimes(
    const StudyRequest& request, const Detector& detector,
    const RegimeOptions& options,
    const std::function<void(GridPoint, const TrackRegime&)>& take);

/// A track and its regime.
struct RegimeRow {
  PointRow point;
  const Detector& detector;
  const TrackRegime& regime;

  const TrackRegime& result() const { return regime; }
};
struct TripletRow {
  PointRow point;
  const Detector& detector;
  const TripletRegime& triplet;
};

/// All columns of tracks; those of triplets without the ones of the track.
std::vector<DescribedColumn> described_regime_columns();
std::vector<DescribedColumn> described_triplet_columns();

/// A row per track; columns as in docs/reference/columns.md.
class RegimeTable {
 public:
  RegimeTable();
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point, const TrackRegime& regime);
  Table take() && { return std::move(rows_).take(); }

 private:
  RowTable<RegimeRow> rows_;
};

/// A row per triplet.
class TripletTable {
 public:
  TripletTable();
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point, const TrackRegime& regime);
  Table take() && { return std::move(rows_).take(); }

 private:
  RowTable<TripletRow> rows_;
};

/// The row of the track with its triplets.
Document regime_document(const Detector& detector, const StudyRequest& request,
                         GridPoint point, const TrackRegime& regime);

/// Summary of one track and its triplets for the terminal.
std::vector<Section> regime_sections(const Detector& detector,
                                     const StudyRequest& request,
                                     GridPoint point,
                                     const TrackRegime& regime);

}  // namespace gttf
