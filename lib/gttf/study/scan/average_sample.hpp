// SPDX-License-Identifier: Apache-2.0
// AverageSample: the tracks and lost hits that an average is taken over where
// it cannot be summed up exactly.
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
/// random order. So is each of the `slices` runs of consecutive numbers, whose
/// lengths differ by one at most, but for as many parts as it has numbers: a
/// sliced Latin hypercube is made of such sequences.
/// Source: [Qian12]
std::vector<double> stratified_numbers(std::size_t n, std::size_t slices,
                                       std::uint64_t stream);

/// Azimuth from which azimuths are counted, fixed to what makes a detector look
/// different from different azimuths: turned about z with all it consists of,
/// it gives the same average. Nothing if it, the field and the start of the
/// tracks look the same from everywhere.
std::optional<double> reference_azimuth(const Detector& detector,
                                        const StudyRequest& request);

/// A sample of azimuths, vertices and lost hits.
///
/// Azimuths follow the golden ratio, phi_k = phi_ref + 2 pi frac((k + 1/2) g):
/// they fill the circle evenly and are in step with no number of modules. The
/// coordinates of the vertices and, for each layer, whether its hit is lost are
/// stratified_numbers() of their own: a layer of efficiency e loses (1 - e) n
/// of n hits but for one.
///
/// The tracks come in slices(), each of which is such a sample by itself; how
/// much these differ tells the error of an average over all.
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
