// SPDX-License-Identifier: Apache-2.0
// Converts the backward pass of the streaming fit to a list of shares.
#include "gttf/resolution/budget.hpp"

#include <algorithm>
#include <optional>

#include "gttf/fit/streaming/layer_walk.hpp"
#include "gttf/resolution/filtered_track.hpp"
#include "gttf/resolution/layer_errors.hpp"

namespace gttf {

namespace {

using Gains = std::array<double, n_parameters>;

/// Errors of a track from one layer; straggling only if requested.
struct LayerParts {
  BudgetPart scattering;
  std::optional<BudgetPart> straggling;
  /// Share in the variance of the change of curvature; the rest is the effect
  /// of scattering angles on the loss.
  double straggled = 0;
};

/// Adds g_q^2 * weight to every parameter.
void add_squares(PerParameter& sum, const Gains& g, double weight) {
  for (std::size_t q = 0; q < n_parameters; ++q)
    sum.values[q] += g[q] * g[q] * weight;
}

/// Contribution of a random change of the curvature in a layer.
void add_loss(const Gains& g, double weight, LayerParts& parts) {
  if (parts.straggling)
    add_squares(parts.straggling->variance, g, weight * parts.straggled);
  add_squares(parts.scattering.variance, g, weight * (1 - parts.straggled));
}

/// Fills layers[k], and `hits` with all hits, in backward order.
struct Collector {
  std::vector<LayerParts>& layers;
  std::vector<BudgetPart>& hits;

  void operator()(const HitStep<double, n_parameters>& step) const {
    BudgetPart part;
    if (step.crossing == start_index) {
      part.cause = Cause::beam_spot;
      if (step.coordinate == 0) hits.push_back(part);
      add_squares(hits.front().variance, step.gain, 1 / step.variance);
      return;
    }
    part.cause = Cause::hit;
    part.crossing = step.crossing;
    part.layer = layers[step.crossing].scattering.layer;
    part.coordinate = step.coordinate;
    add_squares(part.variance, step.gain, 1 / step.variance);
    hits.push_back(part);
  }
  void operator()(const KinkStep<double, n_parameters>& step) const {
    LayerParts& parts = layers[step.crossing];
    if (step.w > 0) {
      add_squares(parts.scattering.variance, step.theta, 1 / step.w);
      add_squares(parts.scattering.variance, step.phi, 1 / step.w_phi);
    }
    if (step.w_loss > 0) add_loss(step.loss, 1 / step.w_loss, parts);
  }
};

/// Without a start hit, adds the first layer and all inner material.
template <Path P>
void add_inner(const detail::FilteredTrack<P>& t,
               std::vector<LayerParts>& layers) {
  for (int k = 0; k <= t.path.first(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    const auto b = t.kinks(k);
    PerParameter& variance = layers[index].scattering.variance;
    add_squares(variance, covariance_with(t.parameters, b.theta), b.w);
    add_squares(variance, covariance_with(t.parameters, b.phi), b.w_phi);
    if (b.w_loss > 0)
      add_loss(covariance_with(t.parameters, b.loss), b.w_loss, layers[index]);
  }
}

/// Moves the contributions of the material of a layer in front of its hits.
std::vector<BudgetPart> in_order_of_flight(
    const std::vector<LayerParts>& layers,
    const std::vector<BudgetPart>& hits) {
  std::vector<BudgetPart> parts;
  parts.reserve(2 * layers.size() + hits.size());
  auto hit = hits.begin();
  if (hit != hits.end() && hit->cause == Cause::beam_spot)
    parts.push_back(*hit++);
  for (const LayerParts& layer : layers) {
    parts.push_back(layer.scattering);
    if (layer.straggling) parts.push_back(*layer.straggling);
    for (; hit != hits.end() && hit->crossing == layer.scattering.crossing;
         ++hit)
      parts.push_back(*hit);
  }
  return parts;
}

/// A part for every layer, still without variance.
template <Path P>
std::vector<LayerParts> empty_parts(const detail::AnyTrack& track,
                                    const P& path) {
  std::vector<LayerParts> layers(path.size());
  for (std::size_t k = 0; k < layers.size(); ++k) {
    BudgetPart part;
    part.crossing = k;
    part.layer = track.surface(k);
    layers[k].scattering = part;
    part.cause = Cause::straggling;
    const TracedTrack* traced = track.traced();
    if (traced == nullptr || !(traced->list[k].loss_variance > 0)) continue;
    layers[k].straggling = part;
    layers[k].straggled = traced->list[k].loss_variance /
                          static_cast<double>(path.general_kinks(k).w_loss);
  }
  return layers;
}

template <Path P>
void fill(const detail::FilteredTrack<P>& t, Budget& budget) {
  std::vector<LayerParts> layers = empty_parts(t.track, t.path);
  std::vector<BudgetPart> hits;
  const Collector collect{layers, hits};
  t.walk_back(collect, collect);
  if (!t.start()) add_inner(t, layers);
  budget.parts = in_order_of_flight(layers, hits);
  budget.total = t.variance();
}

/// The same of the track at crossing k.
template <Path P, class S = typename P::Scalar>
void fill_at(const detail::AnyTrack& track, const P& path,
             const StartHit<S>* start, std::size_t k, bool own_hit,
             Budget& budget) {
  std::vector<LayerParts> layers = empty_parts(track, path);
  std::vector<BudgetPart> hits;
  const Collector collect{layers, hits};
  const detail::ParameterRows<double> rows =
      detail::parameter_rows_at(track, k);
  detail::ParameterRows<S> functions;
  for (std::size_t q = 0; q < n_parameters; ++q)
    for (std::size_t i = 0; i < track_dim; ++i) functions[q][i] = S(rows[q][i]);
  // the beam spot comes first, its two coordinates as one part
  if (start) {
    hits.emplace_back();
    hits.front().cause = Cause::beam_spot;
  }
  const auto on_hit = [&](const HitStep<S, n_parameters>& step) {
    BudgetPart part;
    if (step.crossing == start_index)
      return add_squares(hits.front().variance, detail::in_doubles(step.gain),
                         1 / static_cast<double>(step.variance));
    part.cause = Cause::hit;
    part.crossing = step.crossing;
    part.layer = layers[step.crossing].scattering.layer;
    part.coordinate = step.coordinate;
    add_squares(part.variance, detail::in_doubles(step.gain),
                1 / static_cast<double>(step.variance));
    hits.push_back(part);
  };
  const auto on_kink = [&](const KinkStep<S, n_parameters>& step) {
    collect(detail::in_doubles(step));
  };
  const auto variance =
      walk_from_layer(path, start, k, own_hit, functions, on_hit, on_kink);
  for (std::size_t q = 0; q < n_parameters; ++q)
    budget.total.values[q] = static_cast<double>(variance[q]);
  std::ranges::stable_sort(hits, [](const BudgetPart& a, const BudgetPart& b) {
    const auto place = [](const BudgetPart& part) {
      return part.cause == Cause::beam_spot ? 0 : part.crossing + 1;
    };
    return place(a) < place(b);
  });
  budget.parts = in_order_of_flight(layers, hits);
}

/// At the layer of Model::at, which the track crosses. Of a helix in twice the
/// precision of a double where doubles do not determine the track, and if the
/// hit of the layer itself is excluded without a request.
void fill_at_layer(const detail::AnyTrack& track, const Model& model,
                   const StateAtLayer& at, Budget& budget) {
  const BeamSpot* const spot = model.beam_spot ? &*model.beam_spot : nullptr;
  const bool own_hit = model.at->own_hit;
  const auto in_path = [&](const auto& path, const auto* start) {
    fill_at(track, path, start, at.crossing, own_hit, budget);
  };
  track.with_path([&](const auto& path) {
    const auto start = track.start_hit(spot);
    const bool plain =
        track.traced() ||
        (own_hit &&
         detail::filtered(track, path, model)
             .is_determined(track.undoubted(start ? &*start : nullptr)));
    if (plain)
      in_path(path, start ? &*start : nullptr);
    else
      track.with_wide_path(spot, in_path);
  });
}

}  // namespace

std::string_view to_string(Cause cause) {
  switch (cause) {
    case Cause::scattering:
      return "scattering";
    case Cause::straggling:
      return "straggling";
    case Cause::hit:
      return "hit";
    case Cause::beam_spot:
      return "beam spot";
  }
  return "";
}

PerParameter Budget::share(const BudgetPart& part) const {
  PerParameter share;
  for (const Parameter q : all_parameters)
    share[q] = part.variance[q] / total[q];
  return share;
}

PerParameter Budget::sum_of_shares() const {
  PerParameter sum;
  for (const BudgetPart& part : parts) {
    const PerParameter own = share(part);
    for (const Parameter q : all_parameters) sum[q] += own[q];
  }
  return sum;
}

Budget make_budget(const TrackingGeometry& geometry, const Track& track,
                   const Model& model) {
  Budget budget;
  const detail::AnyTrack t(geometry, track, model);
  budget.resolution = detail::resolve(t, model);
  budget.total.values.fill(Resolution::none);
  const Status status = budget.resolution.status;
  if (status != Status::ok && status != Status::no_field) return budget;
  if (const auto& at = budget.resolution.at) {
    if (!at->exists) return budget;
    fill_at_layer(t, model, *at, budget);
  } else {
    detail::with_filtered_track(
        t, model, [&](const auto& filtered) { fill(filtered, budget); });
  }
  if (status == Status::no_field) {
    for (const Parameter q : {Parameter::p, Parameter::pt}) {
      budget.total[q] = Resolution::none;
      for (BudgetPart& part : budget.parts) part.variance[q] = Resolution::none;
    }
  }
  return budget;
}

}  // namespace gttf
