// SPDX-License-Identifier: Apache-2.0
// The triplets of tracks and their local fits: TripletBatch, of helices, by
// kernels; TracedTriplets, of any track.
#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "gttf/resolution/batch_groups.hpp"
#include "gttf/resolution/batch_triplets.hpp"
#include "gttf/resolution/momentum_searches.hpp"
#include "gttf/resolution/regime.hpp"
#include "gttf/resolution/xi_between.hpp"
#include "gttf/trajectory/surfaces_between.hpp"

namespace gttf::detail {

/// The detector in the form used by triplet kernels.
struct TripletGeometry {
  explicit TripletGeometry(const TrackingGeometry& geometry);

  BatchGeometry batch;
  SurfacesBetween between;
  const ModuleIndex* modules;                 ///< of `geometry`; null: few
  std::vector<HitCovariance<double>> errors;  ///< per surface
  const CovarianceKernel& search;
  const TripletKernel& fit;
};

class TripletBatch {
 public:
  /// @param tracks  helices according to follows_helix(); at any momentum
  TripletBatch(const TripletGeometry& geometry, Scattering scattering,
               const TrackArrays& tracks);

  /// Calls take(track, hits) for all of `list` with the measuring surfaces
  /// crossed by each, in order of flight.
  template <class Take>
  void find_hits(std::span<const std::size_t> list, const Take& take) {
    for_each_group(
        list.size(), [&](std::size_t i) { return list[i]; },
        [&](std::size_t i) { return momentum_of(list[i]); },
        [&](std::span<const std::size_t> group) {
          find_near(group.size());
          search(near_);
          for (std::size_t element = 0; element < group.size(); ++element)
            take(list[group[element]], hits_of_element(element));
        });
  }

  /// xi of every triplet.
  void significances(std::span<const AskedXi> asked, std::span<double> xi);

  /// Every triplet, except p_significant, at the momenta of the tracks.
  /// @param thresholds  for the regime
  std::vector<TripletRegime> fit(std::span<const AskedXi> asked,
                                 const RegimeThresholds& thresholds);

 private:
  double momentum_of(std::size_t track) const;
  bool on_axis(std::size_t track) const;
  void set_element(std::size_t element, std::size_t track, double p);
  /// Sets near_ to the surfaces that the first `n` tracks may
  /// cross.
  void find_near(std::size_t n);
  Line<double> line_of_element(std::size_t element) const;
  /// Searches the crossings of all tracks with `surfaces`.
  void search(std::span<const unsigned> surfaces);
  const std::vector<std::size_t>& hits_of_element(std::size_t element);
  /// Where the tracks of a group may be between their first and last hits,
  /// which are on surfaces of `candidates_`.
  StretchBounds stretches(std::span<const AskedXi> asked,
                          std::span<const std::size_t> group);
  /// Sets candidates_ to the surfaces that may count in the triplets of a
  /// group.
  void find_candidates(std::span<const AskedXi> asked,
                       std::span<const std::size_t> group);
  /// Fits asked[i] of every i of a group.
  void fit_group(std::span<const AskedXi> asked,
                 std::span<const std::size_t> group);

  /// Calls work(group) for groups of 0 to n - 1, one track per vector element.
  template <class TrackOf, class MomentumOf, class Work>
  void for_each_group(std::size_t n, const TrackOf& track_of,
                      const MomentumOf& momentum_of, const Work& work) {
    // tracks from the axis and others have different formulas
    for (const bool axis : {true, false}) {
      order_.clear();
      for (std::size_t i = 0; i < n; ++i)
        if (on_axis(track_of(i)) == axis) order_.push_back(i);
      elements_.on_axis = axis;
      const std::size_t width = geometry_.fit.width;
      for (std::size_t i = 0; i < order_.size(); i += width) {
        const std::size_t used = std::min(width, order_.size() - i);
        for (std::size_t element = 0; element < width; ++element) {
          const std::size_t k = order_[i + std::min(element, used - 1)];
          set_element(element, track_of(k), momentum_of(k));
        }
        work(std::span<const std::size_t>(&order_[i], used));
      }
    }
  }

  const TripletGeometry& geometry_;
  const TrackArrays& tracks_;
  std::vector<std::size_t> order_;
  BatchTracks elements_;
  // search; crossed_ and arc_ are by place in the list searched
  std::vector<unsigned> near_;  ///< ascending; all surfaces if they are few
  std::vector<BatchSurface> searched_;
  std::vector<TrackBits> crossed_;
  std::vector<PackValues> arc_;
  std::vector<std::size_t> hits_;
  // fit
  BatchTriplets task_;
  std::vector<std::array<TrackBits, 3>> hit_tracks_;
  std::vector<PackValues> workspace_;
  std::vector<unsigned> candidates_;
  std::array<PackValues, static_cast<std::size_t>(TripletPlane::count)> out_;
};

/// Like TripletBatch, for tracks on any path; traces the requested one.
class TracedTriplets {
 public:
  TracedTriplets(const TrackingGeometry& geometry, const Model& model,
                 const TrackArrays& tracks)
      : geometry_(geometry), model_(model), tracks_(tracks) {}

  template <class Take>
  void find_hits(std::span<const std::size_t> list, const Take& take) {
    for (const std::size_t t : list) take(t, hits_of(t));
  }
  /// From few momenta of a track, of which the first call of a track has all
  /// triplets.
  void significances(std::span<const AskedXi> asked, std::span<double> xi);
  std::vector<TripletRegime> fit(std::span<const AskedXi> asked,
                                 const RegimeThresholds& thresholds) const;

 private:
  std::vector<std::size_t> hits_of(std::size_t track) const;
  /// xi of these triplets of a track at a momentum.
  std::vector<double> xi_at(std::size_t track, double p,
                            std::span<const XiBetween::Layers> triplets) const;

  const TrackingGeometry& geometry_;
  const Model& model_;
  const TrackArrays& tracks_;
  std::map<std::size_t, XiBetween> known_;  ///< by track
};

/// Triplets of a helix whose last hit comes after its outer arc.
std::vector<TripletRegime> recurling_triplets(
    const TrackingGeometry& geometry, const Track& track,
    const Scattering model, const RegimeThresholds& thresholds);

}  // namespace gttf::detail
