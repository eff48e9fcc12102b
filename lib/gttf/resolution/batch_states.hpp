// SPDX-License-Identifier: Apache-2.0
// States of many tracks at a layer.
#pragma once

#include "gttf/resolution/batch.hpp"

namespace gttf {

/// StateAtLayer of every track, at the layer given by Model::at; triangles as
/// in ResolutionArrays. For a track that does not cross the layer or has no
/// resolution, `crossed` is 0 and the numbers are NaN.
struct StateArrays {
  std::span<double> covariance, slopes, sigma_p_rel;
  std::span<double> p;  ///< momentum before the layer, GeV
  std::span<char> crossed;

  bool asked_for() const { return !crossed.empty(); }
};

/// resolve() of a batch, with states at a layer.
BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results,
                        const StateArrays& states, unsigned threads = 1,
                        CodePath path = CodePath::best);

}  // namespace gttf
