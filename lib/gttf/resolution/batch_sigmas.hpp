// SPDX-License-Identifier: Apache-2.0
// Errors and hits of many tracks, and derivatives of the errors with respect to
// the design, for a search that must not lose hits.
#pragma once

#include <span>
#include <vector>

#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/known_lists.hpp"
#include "gttf/resolution/sensitivity.hpp"

namespace gttf {

/// sigmas() of every track, and the number of its hits.
/// @param parameters  the requested ones; others may be NaN
/// @param threads     0: all cores
/// @param n_hits      number of hits of every track; not filled if empty
/// @param known       used on one thread; may be null
std::vector<PerParameter> sigmas_and_hits(
    const TrackingGeometry& geometry, const TrackArrays& tracks,
    const Model& model, std::span<const Parameter> parameters, unsigned threads,
    std::span<int> n_hits, KnownLists* known = nullptr);

/// Number of coordinates of all surfaces; large enough for the last index in
/// TrackingGeometry::axes().
std::size_t coordinate_count(const TrackingGeometry& geometry);

/// Derivatives that are requested besides those with respect to hit errors and
/// angles. Of traced tracks each of them takes several flights.
struct SlopeKinds {
  bool position = true, material = true;
  bool others = true;  ///< the field and the beam spot
  /// 1 for each layer whose position and material are requested; empty: all.
  std::span<const char> layers = {};

  bool has_layer(std::size_t layer) const {
    return layers.empty() || layers[layer] != 0;
  }
};

/// make_sensitivities(); of traced tracks, slopes that are not requested are 0.
Sensitivities make_sensitivities(const TrackingGeometry& geometry,
                                 const Track& track, const Model& model,
                                 const SlopeKinds& kinds);

/// The derivatives of a variance with respect to position and x/X0 of every
/// layer, and to the error of every coordinate, as in Sensitivity. The number
/// of coordinate c in the order of TrackingGeometry::axes() and track t stands
/// at c size + t. Of each Parameter those with respect to hit errors are
/// requested if any are, the others of all or of none.
struct SlopeArrays {
  LayerArrays position, material, sigma;
  SlopeKinds kinds;

  bool asked_for() const { return sigma.asked_for(); }
};

/// resolve() of a batch, with derivatives.
BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results,
                        const SlopeArrays& slopes, unsigned threads = 1,
                        CodePath path = CodePath::best,
                        KnownLists* known = nullptr);

/// Errors of some parameters of many tracks, and the derivatives of their
/// variances with respect to the numbers of all layers, as in
/// make_sensitivities().
class BatchSensitivities {
 public:
  /// @param parameters  the requested ones; others are not computed
  /// @param n_hits      number of hits of every track; not filled if empty
  /// @param known       used on one thread; may be null
  BatchSensitivities(const TrackingGeometry& geometry,
                     const TrackArrays& tracks, const Model& model,
                     std::span<const Parameter> parameters, unsigned threads,
                     std::span<int> n_hits, KnownLists* known = nullptr,
                     SlopeKinds kinds = {});

  /// NaN: not measured. For a requested parameter.
  double sigma(Parameter q, std::size_t track) const {
    return sigmas_[track][q];
  }
  /// d(sigma^2)/d(number) of all tracks: of a layer, or of a coordinate, an
  /// index in TrackingGeometry::axes(). Empty if it was not requested.
  std::span<const double> by_position(Parameter q, std::size_t layer) const {
    return row(position_, n_layers_, q, layer);
  }
  std::span<const double> by_material(Parameter q, std::size_t layer) const {
    return row(material_, n_layers_, q, layer);
  }
  std::span<const double> by_sigma(Parameter q, std::size_t coordinate) const {
    return row(sigma_, n_coordinates_, q, coordinate);
  }

 private:
  std::span<const double> row(const std::vector<double>& list,
                              std::size_t n_rows, Parameter q,
                              std::size_t i) const {
    if (list.empty()) return {};
    const std::size_t n = sigmas_.size();
    return std::span(list).subspan(
        (index_[static_cast<std::size_t>(q)] * n_rows + i) * n, n);
  }

  std::vector<PerParameter> sigmas_;
  std::array<std::size_t, n_parameters> index_{};  ///< among the requested ones
  std::size_t n_layers_, n_coordinates_;
  std::vector<double> position_, material_, sigma_;
};

}  // namespace gttf
