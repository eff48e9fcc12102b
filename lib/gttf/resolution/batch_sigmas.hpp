// SPDX-License-Identifier: Apache-2.0
// Errors and hits of many tracks, and derivatives of the errors with respect to
// the design, for a search that must not lose hits.
#pragma once

#include <span>
#include <vector>

#include "gttf/resolution/batch.hpp"

namespace gttf {

/// sigmas() of every track, and the number of its hits.
/// @param threads  0: all cores
/// @param n_hits   number of hits of every track; not filled if empty
std::vector<PerParameter> sigmas_and_hits(const TrackingGeometry& geometry,
                                          const TrackArrays& tracks,
                                          const Model& model, unsigned threads,
                                          std::span<int> n_hits);

/// Number of coordinates of all surfaces; large enough for the last index in
/// TrackingGeometry::axes().
std::size_t coordinate_count(const TrackingGeometry& geometry);

/// The derivatives of a variance with respect to position and x/X0 of every
/// layer, and to the error of every coordinate, as in Sensitivity. The number
/// of coordinate c in the order of TrackingGeometry::axes() and track t stands
/// at c size + t. For each Parameter, all three are requested or none.
struct SlopeArrays {
  LayerArrays position, material, sigma;
};

/// resolve() of a batch, with derivatives.
BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results,
                        const SlopeArrays& slopes, unsigned threads = 1,
                        CodePath path = CodePath::best);

/// Errors of some parameters of many tracks, and their derivatives with respect
/// to the numbers of all layers, as in make_sensitivities().
class BatchSensitivities {
 public:
  /// @param parameters  the requested ones; others are not computed
  /// @param n_hits      number of hits of every track; not filled if empty
  BatchSensitivities(const TrackingGeometry& geometry,
                     const TrackArrays& tracks, const Model& model,
                     std::span<const Parameter> parameters, unsigned threads,
                     std::span<int> n_hits);

  /// NaN: not measured. For a requested parameter.
  double sigma(Parameter q, std::size_t track) const {
    return sigmas_[track][q];
  }
  /// d ln(sigma)/d(number): of a layer, or of a coordinate, an index in
  /// TrackingGeometry::axes().
  double by_position(Parameter q, std::size_t layer, std::size_t track) const {
    return at(position_, n_layers_, q, layer, track);
  }
  double by_material(Parameter q, std::size_t layer, std::size_t track) const {
    return at(material_, n_layers_, q, layer, track);
  }
  double by_sigma(Parameter q, std::size_t coordinate,
                  std::size_t track) const {
    return at(sigma_, n_coordinates_, q, coordinate, track);
  }

 private:
  double at(const std::vector<double>& list, std::size_t n_rows, Parameter q,
            std::size_t row, std::size_t track) const {
    return list[(index_[static_cast<std::size_t>(q)] * n_rows + row) *
                    sigmas_.size() +
                track];
  }

  std::vector<PerParameter> sigmas_;
  std::array<std::size_t, n_parameters> index_{};  ///< among the requested ones
  std::size_t n_layers_, n_coordinates_;
  std::vector<double> position_, material_, sigma_;
};

}  // namespace gttf
