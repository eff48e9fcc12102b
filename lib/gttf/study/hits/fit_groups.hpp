// SPDX-License-Identifier: Apache-2.0
// FitGroups: tracks of a file with hits on the same surfaces, collected for
// vectorised fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gttf/fit/batch_fit.hpp"
#include "gttf/fit/track/hit_scattering.hpp"
#include "gttf/study/hits/hit_track.hpp"

namespace gttf::detail {

class FitGroups {
 public:
  /// @param geometry  must outlive the groups
  /// @param scattering  for simple tracks
  FitGroups(const TrackingGeometry& geometry, FitKind kind,
            const FitOptions& options, const HitScattering& scattering)
      : geometry_(geometry),
        kind_(kind),
        options_(options),
        scattering_(scattering) {
    gttf::clear(result_);
  }

  /// Location of a track.
  struct Slot {
    Slot(std::size_t of_group, std::size_t of_track)
        : group(static_cast<std::uint32_t>(of_group)),
          track(static_cast<std::uint32_t>(of_track)) {}
    std::uint32_t group, track;  // small: an optional one fits two registers
  };

  /// Common properties of the tracks of a group.
  enum class Kind {
    hits,      ///< surfaces with hits, presumed to cross the same others
    surfaces,  ///< all surfaces; paths and scattering angles are to be found
    points,    ///< all surfaces, with known scattering angles
  };

  /// Adds a track prepared by HitTrackBuilder::find() to an existing group of
  /// Kind::hits; returns nothing if it is not simple or no group has its
  /// surfaces.
  /// @param number identifies the track in fit()
  std::optional<Slot> add_hits(const HitTrackBuilder& built,
                               std::size_t number);
  /// Whether groups support a track with its points: a helix without beam spot,
  /// hits with the errors of their layers, no FitDetail::hits.
  bool can_hold(const HitTrackBuilder& built) const;
  /// @param kind  for simple tracks
  Slot add(const HitTrackBuilder& built, Kind kind, std::size_t number);

  /// Computes paths and scattering angles with the vectorised code.
  void find_scattering();
  /// Whether they were found for this track. Otherwise it does not cross the
  /// presumed surfaces and is removed from its group.
  bool is_known(const Slot& place) const;

  /// Fits all tracks added.
  /// @param fit_one  fits a track, given by its number, on the scalar path
  BatchStatistics fit(const FitOneTrack& fit_one);
  /// The fit of a track; valid until the next call.
  const GlobalFit& at(const Slot& place);

  /// Removes the tracks; keeps its memory unless there were very many groups.
  void clear();

 private:
  struct Group {
    Kind kind = Kind::points;
    std::vector<unsigned> key;  ///< surfaces; for Kind::hits those with hits;
                                ///< empty: the group is free
    std::vector<FitSurface> surfaces;
    std::vector<SurfaceRecord> others;  ///< scatter; not of Kind::points
    std::size_t n_hits = 0;
    int n_coordinates = 0;
    Vector3 origin;

    /// Per track added: kappa_ref, theta0_2 of every surface and x, y, z of
    /// every hit; only the latter unless Kind::points.
    std::vector<double> rows;
    std::vector<std::size_t> numbers;  ///< of tracks added
    std::size_t n_added = 0;
    /// The same as columns of tracks that are fitted.
    std::vector<double> columns;
    std::size_t n_tracks = 0;
    std::vector<char> known;            ///< tracks added; empty: not yet
    std::vector<std::size_t> index_of;  ///< of tracks added; empty: all fitted
    std::vector<double> kappa, sigma, chi2, weights, perigee, covariance;
    std::vector<FitStatus> status;

    std::size_t index(std::size_t added) const {
      return index_of.empty() ? added : index_of[added];
    }
    std::size_t row_size() const { return 1 + surfaces.size() + 3 * n_hits; }
    std::size_t first_hit() const { return 1 + surfaces.size(); }
    HitArrays arrays() const;
    void arrange();
    void find_scattering(double bz, const HitScattering& model);
    void forget_unknown();
    BatchStatistics fit(FitKind fit_kind, const FitOptions& options,
                        const FitOneTrack& fit_one);
  };

  void set_key(const HitTrackBuilder& built);
  void make_group(const HitTrackBuilder& built, Kind kind);
  bool find_group(std::span<const unsigned> key, Kind kind);
  Slot put_hits(const HitTrackBuilder& built, std::size_t number);

  const TrackingGeometry& geometry_;
  FitKind kind_;
  FitOptions options_;
  HitScattering scattering_;
  std::vector<unsigned> key_;
  std::size_t last_[3]{};  ///< group of the track before, of each Kind
  std::size_t at_ = 0;     ///< of find_group()
  std::vector<Group> groups_;
  GlobalFit result_;
};

}  // namespace gttf::detail
