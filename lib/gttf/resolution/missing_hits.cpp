// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/missing_hits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "gttf/core/random.hpp"
#include "gttf/fit/streaming/fits_without.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/layer_errors.hpp"
#include "gttf/trajectory/loss_fluctuation.hpp"

namespace gttf {

namespace {

/// Without the limits, which take most of the time if hits are strips.
Resolution errors_only(const TrackingGeometry& geometry, const Track& track,
                       const Model& model) {
  return detail::resolve(detail::AnyTrack(geometry, track, model), model,
                         detail::Limits::left_out);
}

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
    const Resolution r = errors_only(geometry, track_, model_);
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

/// The parameters and the line, as functions of the line at the start.
class LayerLosses::Fits {
 public:
  Fits(const TrackingGeometry& geometry, const Track& track, const Model& model)
      : track_(geometry, track, model),
        start_(track_.start_hit(model.beam_spot ? &*model.beam_spot : nullptr)),
        undoubted_(track_.undoubted(start_ ? &*start_ : nullptr)),
        loses_energy_(model.loss != EnergyLoss::off),
        // with one logarithm, or one width of all fluctuations, every layer
        // depends on all up to the last hit
        depends_on_all_(model.scattering == Scattering::highland_total ||
                        straggles(model.loss)) {
    for (std::size_t k = 0; k < track_.size(); ++k)
      crossings_.push_back({track_.surface(k), k});
    std::ranges::sort(crossings_);
    if (model.engine != Engine::streaming || model.at || !track_.has_errors() ||
        !has_hits(track_.n_measuring()))
      return;
    const detail::ParameterRows<double> parameters =
        detail::parameter_rows(track_);
    Functions functions{};
    std::ranges::copy(parameters, functions.begin());
    for (std::size_t i = 0; i < track_dim; ++i)
      functions[n_parameters + i][i] = 1;
    track_.with_path([&]<Path P>(const P& path) {
      last_hit_ = static_cast<std::size_t>(path.last());
      fits_.emplace<FitsWithout<P, n_functions>>(
          path, start_ ? &*start_ : nullptr, functions);
    });
    all_ = variances({0, 0}, true);
  }

  std::optional<RemainingErrors> without(std::span<const std::size_t> layers,
                                         DroppedMaterial material) const {
    if (std::holds_alternative<std::monostate>(fits_)) return std::nullopt;
    std::vector<std::size_t> crossings;
    for (const std::size_t layer : layers)
      for (auto x = std::ranges::lower_bound(crossings_,
                                             std::pair(layer, std::size_t{0}));
           x != crossings_.end() && x->first == layer; ++x)
        crossings.push_back(x->second);
    if (crossings.empty()) return std::nullopt;
    std::ranges::sort(crossings);
    crossings.erase(std::unique(crossings.begin(), crossings.end()),
                    crossings.end());
    const std::size_t first = crossings.front(), last = crossings.back();
    const Stretch stretch{first, last + 1};
    const bool kept = material == DroppedMaterial::kept;
    if (last + 1 - first != crossings.size() ||
        (depends_on_all_ && (!kept || last >= last_hit_)) ||
        (loses_energy_ && !kept))
      return std::nullopt;
    RemainingErrors errors;
    errors.n_hits = track_.n_measuring();
    for (const std::size_t k : crossings)
      if (track_.geometry().surfaces()[track_.surface(k)].measures())
        --errors.n_hits;
    if (!has_hits(errors.n_hits)) return std::nullopt;
    const Variances v = variances(stretch, kept);
    if (!is_determined(v)) return std::nullopt;
    for (std::size_t q = 0; q < n_parameters; ++q)
      errors.sigma.values[q] = std::sqrt(v[q]);
    if (!track_.fits_momentum())
      errors.sigma[Parameter::p] = errors.sigma[Parameter::pt] =
          Resolution::none;
    return errors;
  }

 private:
  static constexpr std::size_t n_functions = n_parameters + track_dim;
  using Functions = std::array<Row<double>, n_functions>;
  using Variances = std::array<double, n_functions>;
  /// From one crossing to before another one.
  struct Stretch {
    std::size_t begin, end;
  };

  bool has_hits(int n) const {
    return n > 0 && n + (start_ ? 1 : 0) >= (track_.fits_momentum() ? 3 : 2);
  }

  Variances variances(const Stretch& s, bool scatters) const {
    return std::visit(
        [&]<class F>(const F& fits) -> Variances {
          if constexpr (std::is_same_v<F, std::monostate>)
            return {};
          else
            return fits.variances(s.begin, s.end, scatters);
        },
        fits_);
  }

  /// Whether the line is certainly determined: the variances of the equations
  /// are at most those of its parameters. Where much is lost with a layer, a
  /// fit decides.
  bool is_determined(const Variances& v) const {
    constexpr double largest = 1e4;
    std::array<double, track_dim> line;
    for (std::size_t i = 0; i < track_dim; ++i) {
      line[i] = v[n_parameters + i];
      if (!(line[i] <= largest * all_[n_parameters + i])) return false;
    }
    return is_undoubted(line, track_.kappa(), undoubted_);
  }

  detail::AnyTrack track_;
  std::optional<StartHit<double>> start_;
  UndoubtedVariances undoubted_;
  bool loses_energy_, depends_on_all_;
  std::size_t last_hit_ = 0;
  /// Surface and crossing, sorted.
  std::vector<std::pair<std::size_t, std::size_t>> crossings_;
  /// Nothing if every case takes a fit of its own.
  std::variant<std::monostate, FitsWithout<HelixPath<double>, n_functions>,
               FitsWithout<TracedPath, n_functions>>
      fits_;
  Variances all_{};
};

LayerLosses::LayerLosses(const TrackingGeometry& geometry, const Track& track,
                         const Model& model)
    : fits_(std::make_unique<const Fits>(geometry, track, model)) {}
LayerLosses::LayerLosses(LayerLosses&&) noexcept = default;
LayerLosses& LayerLosses::operator=(LayerLosses&&) noexcept = default;
LayerLosses::~LayerLosses() = default;

std::optional<RemainingErrors> LayerLosses::without(
    std::span<const std::size_t> layers, DroppedMaterial material) const {
  return fits_->without(layers, material);
}

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
  return errors_only(TrackingGeometry(changed), track, model);
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
