// SPDX-License-Identifier: Apache-2.0
// FitGroups: tracks of a file that have hits on the same surfaces, collected to
// be fitted in lanes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "gttf/fit/batch_fit.hpp"
#include "gttf/study/hit_track.hpp"

namespace gttf::detail {

class FitGroups {
 public:
  /// @param geometry  must outlive the groups
  FitGroups(const TrackingGeometry& geometry, FitKind kind,
            const FitOptions& options)
      : geometry_(geometry), kind_(kind), options_(options) {
    gttf::clear(result_);
  }

  /// Where a track is put.
  struct Place {
    std::size_t group, track;
  };

  /// Is a track for lanes? No beam spot, hits with the errors of their layers,
  /// and, where all of them are points, no passive layer between them.
  bool takes(const HitTrackBuilder& built) const;
  Place add(const HitTrackBuilder& built);
  /// The same, without its points, for a simple track, if add() has made its
  /// group before; otherwise nothing.
  std::optional<Place> add_simple(const HitTrackBuilder& built);

  /// Fits all tracks added.
  BatchFitStatistics fit();
  /// The fit of a track; valid until the next call.
  const GlobalFit& at(const Place& place);

  /// Forgets the tracks; keeps its memory unless there were very many groups.
  void clear();

 private:
  struct Group {
    std::vector<unsigned> key;  ///< surfaces, those of hits first
    std::vector<FitSurface> surfaces;
    std::size_t n_hits = 0, n_tracks = 0;
    int n_coordinates = 0;
    Vector3 origin;
    /// Per track: kappa_ref, theta0_2 of every surface, x, y, z of every hit.
    std::vector<double> rows;
    std::vector<double> arranged;
    std::vector<double> kappa, sigma, chi2, weights, perigee, covariance;
    std::vector<FitStatus> status;

    std::size_t row_size() const { return 1 + surfaces.size() + 3 * n_hits; }
    BatchFitStatistics fit(FitKind kind, const FitOptions& options);
  };

  void choose_points(const HitTrackBuilder& built);
  void set_key(const HitTrackBuilder& built);
  Group make_group(const HitTrackBuilder& built) const;
  bool find_group(std::span<const unsigned> key);

  const TrackingGeometry& geometry_;
  FitKind kind_;
  FitOptions options_;
  std::vector<std::size_t> points_;  ///< of the track that matter
  std::vector<unsigned> key_;
  std::size_t last_ = 0;  ///< group of the track before
  std::vector<Group> groups_;
  GlobalFit result_;
};

}  // namespace gttf::detail
