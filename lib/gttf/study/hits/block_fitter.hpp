// SPDX-License-Identifier: Apache-2.0
// BlockFitter: the tracks of a part of a file, fitted, as rows of tables.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/study/hits/fit_groups.hpp"
#include "gttf/study/hits/fit_study.hpp"
#include "gttf/study/hits/fit_table.hpp"

namespace gttf::detail {

/// The rows of a block of tracks.
struct FittedBlock {
  Table tracks, residuals;
  std::size_t n = 0, fitted = 0;
  BatchStatistics batch;
};

/// Collects tracks in groups for fit(HitArrays). Reuses its buffers; use one
/// per thread.
class BlockFitter {
 public:
  /// All but `options` must outlive it.
  /// @param with_residuals  rows of hits, too
  BlockFitter(const Detector& detector, const TrackingGeometry& geometry,
              const StudyRequest& request, const FitTableStyle& style,
              const FitStudyOptions& options, bool with_residuals);

  FittedBlock fit(const HitBlock& block);

 private:
  /// What became of a track: not fitted, fitted on the scalar path, or in a
  /// group.
  struct Outcome {
    std::string_view status;
    std::unique_ptr<GlobalFit> scalar;
    std::optional<FitGroups::Place> place;
  };

  void find_outcomes(const HitBlock& block, ResidualTable& residuals,
                     BatchStatistics& batch);
  void add_points(const HitBlock& block, std::size_t track,
                  FitGroups::Kind kind, ResidualTable& residuals,
                  BatchStatistics& batch);

  void fit_left_out(const HitBlock& block);

  const Detector& detector_;
  const TrackingGeometry& geometry_;
  FitTableStyle style_;
  FitKind kind_;
  std::string fit_name_;
  double charge_;
  bool with_residuals_;
  HitTrackBuilder builder_;
  TrackFitter fitter_;
  FitGroups groups_;
  std::vector<Outcome> outcomes_;
  std::vector<std::size_t> waiting_;  ///< tracks without an outcome
};

}  // namespace gttf::detail
