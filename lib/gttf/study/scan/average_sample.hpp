// SPDX-License-Identifier: Apache-2.0
// AverageSample: the tracks and lost hits of an average that cannot be summed
// exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// n numbers, one in each of n equal parts of (0, 1), at random within it, in
/// random order. Each of the `slices` runs of consecutive numbers, whose
/// lengths differ by at most one, has the same property for as many parts as it
/// has numbers: a sliced Latin hypercube consists of such sequences. Source:
/// [Qian12]
std::vector<double> stratified_numbers(std::size_t n, std::size_t slices,
                                       std::uint64_t stream);

/// Azimuth from which azimuths are counted, fixed to the part that breaks the
/// symmetry of the detector about z, so that a rotation of the whole detector
/// does not change the average. Nothing if the detector, the field and the
/// start of the tracks are symmetric about z.
std::optional<double> reference_azimuth(const Detector& detector,
                                        const StudyRequest& request);

/// A sample of azimuths, vertices and lost hits.
///
/// Azimuths follow the golden ratio, phi_k = phi_ref + 2 pi frac((k + 1/2) g):
/// they cover the circle evenly and do not resonate with any number of modules.
/// Each coordinate of the vertices and, for each layer, the loss of its hit has
/// separate stratified_numbers(): a layer of efficiency e loses (1 - e) n of n
/// hits, to within one.
///
/// The tracks form slices(), each of which is such a sample by itself; the
/// error of the average over all tracks follows from their differences.
class AverageSample {
 public:
  /// @param n           tracks
  /// @param loses_hits  layers lose hits by their efficiencies
  AverageSample(const StudyRequest& request, const Detector& detector,
                std::size_t n, bool loses_hits);

  std::size_t size() const { return phi_.size(); }
  std::size_t slices() const { return slices_; }
  std::size_t slice_of(std::size_t k) const { return slice_[k]; }
  double phi(std::size_t k) const { return phi_[k]; }
  const std::array<double, 3>& vertex(std::size_t k) const {
    return vertex_[k];
  }
  /// Layers that lose their hit, if there is one, in ascending order.
  const std::vector<std::size_t>& lost(std::size_t k) const { return lost_[k]; }

 private:
  std::size_t slices_;
  std::vector<std::size_t> slice_;  ///< of each track
  std::vector<double> phi_;
  std::vector<std::array<double, 3>> vertex_;
  std::vector<std::vector<std::size_t>> lost_;
};

}  // namespace gttf
