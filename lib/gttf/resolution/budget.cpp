// SPDX-License-Identifier: Apache-2.0
// The way back of the streaming fit as a list of shares.
#include "gttf/resolution/budget.hpp"

#include <cmath>

#include "gttf/resolution/detail/filtered_track.hpp"

namespace gttf {

namespace {

using detail::FilteredTrack;
using Gains = std::array<double, n_parameters>;

/// Adds g_q^2 * weight to every parameter.
void add_squares(PerParameter& sum, const Gains& g, double weight) {
  for (std::size_t q = 0; q < n_parameters; ++q)
    sum.values[q] += g[q] * g[q] * weight;
}

/// Fills parts[k] with the scattering, and `hits` with all hits, in the order
/// of the way back.
struct Collector {
  std::vector<BudgetPart>& scattering;
  std::vector<BudgetPart>& hits;
  const Crossings<double>& c;

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
    part.layer = c.list[step.crossing].surface;
    part.coordinate = step.coordinate;
    add_squares(part.variance, step.gain, 1 / step.variance);
    hits.push_back(part);
  }
  void operator()(const KinkStep<double, n_parameters>& step) const {
    if (!(step.w > 0)) return;
    PerParameter& variance = scattering[step.crossing].variance;
    add_squares(variance, step.theta, 1 / step.w);
    add_squares(variance, step.phi, 1 / step.w_phi);
  }
};

/// Without a start hit the first layer's and all inner material come on top.
void add_inner(const FilteredTrack& t, std::vector<BudgetPart>& scattering) {
  for (int k = 0; k <= t.crossings.first; ++k) {
    const auto index = static_cast<std::size_t>(k);
    const TrackCrossing<double>& x = t.crossings.list[index];
    const detail::KinkRows<double> b =
        detail::kink_rows(kink(t.crossings.line, x.at));
    const double w = x.theta0_2, inv_sine = t.crossings.line.inv_sin_theta;
    PerParameter& variance = scattering[index].variance;
    add_squares(variance, detail::times(t.parameters, b.theta), w);
    add_squares(variance, detail::times(t.parameters, b.phi),
                w * inv_sine * inv_sine);
  }
}

/// Puts each layer's scattering before its hits.
std::vector<BudgetPart> in_order_of_flight(
    const std::vector<BudgetPart>& scattering,
    const std::vector<BudgetPart>& hits) {
  std::vector<BudgetPart> parts;
  parts.reserve(scattering.size() + hits.size());
  auto hit = hits.begin();
  if (hit != hits.end() && hit->cause == Cause::beam_spot)
    parts.push_back(*hit++);
  for (const BudgetPart& part : scattering) {
    parts.push_back(part);
    for (; hit != hits.end() && hit->crossing == part.crossing; ++hit)
      parts.push_back(*hit);
  }
  return parts;
}

}  // namespace

std::string_view to_string(Cause cause) {
  switch (cause) {
    case Cause::scattering:
      return "scattering";
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
  budget.resolution = resolve(geometry, track, model);
  budget.total.values.fill(Resolution::none);
  const Status status = budget.resolution.status;
  if (status != Status::ok && status != Status::no_field) return budget;

  const FilteredTrack t(geometry, track, model);
  std::vector<BudgetPart> scattering(t.crossings.list.size()), hits;
  for (std::size_t k = 0; k < scattering.size(); ++k) {
    scattering[k].crossing = k;
    scattering[k].layer = t.crossings.list[k].surface;
  }
  const Collector collect{scattering, hits, t.crossings};
  t.walk_back(collect, collect);
  if (!t.start()) add_inner(t, scattering);
  budget.parts = in_order_of_flight(scattering, hits);
  budget.total = t.variance();
  if (status == Status::no_field) {
    for (const Parameter q : {Parameter::p, Parameter::pt}) {
      budget.total[q] = Resolution::none;
      for (BudgetPart& part : budget.parts) part.variance[q] = Resolution::none;
    }
  }
  return budget;
}

}  // namespace gttf
