// SPDX-License-Identifier: Apache-2.0
// Tracking regimes as tables, documents and text.
#pragma once

#include <functional>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/regime.hpp"
#include "gttf/study/scan/point_columns.hpp"

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

/// A row per track; columns as in docs/reference/columns.md.
class RegimeTable {
 public:
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point, const TrackRegime& regime);
  Table take() &&;

 private:
  PointColumns point_;
  Integers n_hits_, n_triplets_;
  Reals mu_phi_, mu_theta_, xi_, xi_ms_, p_significant_, weakest_xi_;
  Texts regime_, fit_, weakest_, status_;
  Reals bias_local_, bias_regularised_, bias_common_;
  Reals pull_local_, pull_regularised_, pull_common_;
};

/// A row per triplet.
class TripletTable {
 public:
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point, const TrackRegime& regime);
  Table take() &&;

 private:
  PointColumns point_;
  Texts triplet_, recurls_, regime_;
  Reals mu_phi_, mu_theta_, gamma_phi_, gamma_theta_, gamma_phi_theta_;
  Reals sigma_ms_, b_ms_, length_, xi_, xi_ms_, xi_ms_limit_, p_significant_;
};

/// The row of the track with its triplets.
Document regime_document(const Detector& detector, const StudyRequest& request,
                         GridPoint point, const TrackRegime& regime);

/// What people read of one track and its triplets.
std::vector<Section> regime_sections(const Detector& detector,
                                     const StudyRequest& request,
                                     GridPoint point,
                                     const TrackRegime& regime);

}  // namespace gttf
