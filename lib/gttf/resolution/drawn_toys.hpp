// SPDX-License-Identifier: Apache-2.0
// DrawnToys: toys that differ in azimuth, vertex and hits.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/resolution/toys.hpp"

namespace gttf {

/// Random variables of a toy in addition to its lost hits.
struct ToySpread {
  bool phi = false;  ///< an azimuth, uniform
  /// A displacement of the start: standard deviations along x, y, z, mm.
  std::optional<std::array<double, 3>> vertex;
};

/// Simulates and fits toys of one point, each along its own reference track and
/// with its own hits: a hit is lost with the inefficiency of its layer, and,
/// together with the material, if the toy is scattered past the edge of the
/// surface.
class DrawnToys {
 public:
  /// @param geometry      must outlive this
  /// @param efficiencies  of every layer; must outlive this
  DrawnToys(const TrackingGeometry& geometry,
            std::span<const double> efficiencies, const Track& track,
            const Model& model, const ToySpread& spread,
            std::span<const FitChoice> fits);

  using TakeFit =
      std::function<void(std::size_t fit, const GlobalFit&, const ToyTrack&)>;
  /// The toy of `place`, independent of earlier ones, and all its
  /// fits.
  /// @return  false, without a fit, if it stops or leaves the field map
  bool run(const RandomPlace& place, const TakeFit& take);

 private:
  const TrackingGeometry& geometry_;
  std::span<const double> efficiencies_;
  Track track_;
  Model model_;
  ToySpread spread_;
  std::vector<FitChoice> fits_;
  std::vector<TrackFitter> fitters_;
  std::optional<ToySimulator> simulator_;  ///< of all toys, or of the last
  ToyTrack toy_;
};

}  // namespace gttf
