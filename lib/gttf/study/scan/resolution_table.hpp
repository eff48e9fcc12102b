// SPDX-License-Identifier: Apache-2.0
// ResolutionTable: rows of resolutions in the columns of the user's contract.
#pragma once

#include <cstddef>
#include <span>

#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/at_columns.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {

/// Does a track run along the beam of a spectrometer or telescope: position and
/// slopes say of it what perigee parameters cannot?
bool along_beam(const Detector& detector, const Track& track);
/// Do all tracks of the request, in all detectors?
bool along_beam(const StudyRequest& request,
                std::span<const Detector> detectors);

/// What rows of the table need of a batch of tracks.
struct ResolutionColumns {
  explicit ResolutionColumns(std::size_t tracks);
  ResolutionArrays views();
  /// Error of a parameter (index in Perigee) of a track.
  double sigma(Perigee::Index parameter, std::size_t track) const;

  /// Error of a row of Resolution::start_plane.
  double sigma_at_start(std::size_t row, std::size_t track) const;

  Reals perigee, start_plane;  ///< as in ResolutionArrays
  Reals x_over_x0, p_rel, pt_rel, hit_only, ms_only, mu_phi, mu_theta, xi;
  std::vector<int> n_hits;
  std::vector<Status> status;
  std::vector<TrackEnd> end;
};

/// Collects rows; columns as in docs/reference/columns.md. Those of a layer
/// only where they are asked for.
class ResolutionTable {
 public:
  using Columns = ResolutionColumns;
  /// @param at_layer  with the columns of a layer
  explicit ResolutionTable(bool at_layer = false) : at_(at_layer) {}

  void reserve(std::size_t rows);
  /// Values of the request's axes are written as the user gave them.
  void add(const Detector& detector, const StudyRequest& request,
           GridPoint point, const Resolution& r);
  /// Points `first`, `first` + 1, ... of the grid; `tracks`: theirs. Only of
  /// tracks that is_vectorised().
  void add(const Detector& detector, const StudyRequest& request,
           std::size_t first, const TrackArrays& tracks,
           const ResolutionColumns& r);

  std::size_t rows() const { return point_.rows(); }
  /// Rows that have at least one resolution.
  std::size_t evaluated() const { return evaluated_; }

  Table take() &&;

 private:
  PointColumns point_;
  Integers n_hits_, n_triplets_;
  Reals x_over_x0_, p_rel_, pt_rel_, qop_, d0_, z0_, phi0_, sigma_theta_;
  Reals hit_only_, ms_only_, mu_phi_, mu_theta_, xi_;
  Texts regime_, status_, end_;
  Reals x_, y_, tx_, ty_;
  AtColumns at_;
  std::size_t evaluated_ = 0;
};

}  // namespace gttf
