// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/missing_hits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gttf/core/random.hpp"
#include "gttf/resolution/layer_errors.hpp"

namespace gttf {

namespace {

/// Measuring layers crossed by the track that may miss their hit. A layer that
/// is crossed several times loses all its hits at once: then the mean number of
/// lost hits is right.
std::vector<std::size_t> inefficient_layers(const Detector& detector,
                                            const Resolution& r) {
  std::vector<std::size_t> layers;
  for (const CrossingInfo& c : r.crossings)
    if (c.measured && detector.layers[c.layer].efficiency < 1 &&
        std::ranges::find(layers, c.layer) == layers.end())
      layers.push_back(c.layer);
  return layers;
}

/// Largest number of missing hits for which the number of patterns is at most
/// `most`.
std::size_t affordable(std::size_t n, std::size_t most) {
  double patterns = 1, of_size = 1;
  for (std::size_t k = 1; k <= n; ++k) {
    of_size *= static_cast<double>(n - k + 1) / static_cast<double>(k);
    patterns += of_size;
    if (patterns > static_cast<double>(most)) return k - 1;
  }
  return n;
}

/// Probability of at most `most` missing hits.
double probability_of_few(const std::vector<double>& efficiencies,
                          std::size_t most) {
  std::vector<double> of_count(most + 1, 0.0);
  of_count[0] = 1;
  for (const double e : efficiencies)
    for (std::size_t k = most + 1; k-- > 0;)
      of_count[k] = of_count[k] * e + (k > 0 ? of_count[k - 1] * (1 - e) : 0);
  return std::accumulate(of_count.begin(), of_count.end(), 0.0);
}

class PatternSum {
 public:
  PatternSum(const Detector& detector, const Track& track, const Model& model,
             std::vector<std::size_t> layers, std::size_t most_missing)
      : geometry_(detector),
        track_(track),
        model_(model),
        layers_(std::move(layers)),
        most_missing_(most_missing) {
    for (const std::size_t i : layers_)
      efficiency_.push_back(detector.layers[i].efficiency);
  }

  /// All patterns with few missing hits.
  void enumerate() {
    std::vector<std::size_t> missing;
    for_each_hit_pattern(
        efficiency_, most_missing_,
        [&](const std::vector<std::size_t>& lost, double probability) {
          missing.clear();
          for (const std::size_t i : lost) missing.push_back(layers_[i]);
          add(missing, probability);
        });
  }

  /// Randomly drawn patterns of equal weight.
  void draw(std::size_t patterns) {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < patterns; ++i) {
      missing.clear();
      std::array<std::uint64_t, 4> bits{};
      for (std::size_t k = 0; k < layers_.size(); ++k) {
        if (k % 4 == 0) bits = random_block({.index = i}, k / 4);
        constexpr double unit = 0x1p-53;
        const double uniform = static_cast<double>(bits[k % 4] >> 11) * unit;
        if (uniform >= efficiency_[k]) missing.push_back(layers_[k]);
      }
      add(missing, 1 / static_cast<double>(patterns));
    }
  }

  double probability_enumerated() const {
    return probability_of_few(efficiency_, most_missing_);
  }

  void finish(EfficiencyAverage& average) const {
    average.covered = covered_;
    average.measured = measured_ / covered_;
    for (const Parameter q : all_parameters) {
      average.mean[q] = sum_[q] / measured_;
      average.rms[q] = std::sqrt(squares_[q] / measured_);
    }
  }

 private:
  void add(const std::vector<std::size_t>& missing, double probability) {
    covered_ += probability;
    TrackingGeometry geometry = geometry_;
    for (const std::size_t i : missing) geometry.drop_hit(i);
    const Resolution r = resolve(geometry, track_, model_);
    if (r.status != Status::ok && r.status != Status::no_field) return;
    measured_ += probability;
    const PerParameter sigma = errors_of(r);
    for (const Parameter q : all_parameters) {
      sum_[q] += probability * sigma[q];
      squares_[q] += probability * sigma[q] * sigma[q];
    }
  }

  TrackingGeometry geometry_;
  const Track& track_;
  const Model& model_;
  std::vector<std::size_t> layers_;
  std::vector<double> efficiency_;
  std::size_t most_missing_;
  double covered_ = 0, measured_ = 0;
  PerParameter sum_, squares_;
};

}  // namespace

Resolution resolve_without(const Detector& detector, const Track& track,
                           const Model& model,
                           std::span<const std::size_t> layers,
                           DroppedMaterial material) {
  Detector changed = detector;
  for (const std::size_t i : layers) {
    changed.layers[i].coordinates.clear();
    if (material == DroppedMaterial::removed)
      changed.layers[i].material.clear();
  }
  return resolve(TrackingGeometry(changed), track, model);
}

EfficiencyAverage average_over_efficiencies(const Detector& detector,
                                            const Track& track,
                                            const Model& model,
                                            std::size_t most_patterns) {
  const Resolution full = resolve(TrackingGeometry(detector), track, model);
  const std::vector<std::size_t> layers = inefficient_layers(detector, full);
  EfficiencyAverage average;
  average.n_inefficient = static_cast<int>(layers.size());
  const std::size_t most_missing = affordable(layers.size(), most_patterns);
  average.most_missing = static_cast<int>(most_missing);
  PatternSum sum(detector, track, model, layers, most_missing);
  constexpr double enough = 0.99;
  if (sum.probability_enumerated() >= enough) {
    sum.enumerate();
  } else {
    average.n_drawn = most_patterns;
    average.most_missing = average.n_inefficient;
    sum.draw(most_patterns);
  }
  sum.finish(average);
  return average;
}

}  // namespace gttf
