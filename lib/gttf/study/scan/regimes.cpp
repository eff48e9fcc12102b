// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/regimes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "gttf/core/readable.hpp"
#include "gttf/study/request/grid_tracks.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/show/track_view.hpp"

namespace gttf {
namespace {

/// "L0-L1-L2".
std::string triplet_name(const Detector& detector, const TripletRegime& t) {
  std::string name;
  for (const std::size_t k : t.layers) {
    if (!name.empty()) name += '-';
    name += detector.layers[k].name;
  }
  return name;
}

std::string number(double x) { return readable(x, 3); }

std::string momentum_text(double p) {
  if (std::isnan(p)) return "none";
  if (std::isinf(p)) return "any";
  return p < unit::GeV ? readable(p / unit::MeV, 3) + " MeV"
                       : readable(p / unit::GeV, 3) + " GeV";
}

std::string bias_text(double curvature, double pull) {
  return fmt::format("curvature {:+.2g} %, pull {:+.2g}",
                     curvature / unit::percent, pull);
}

Table without_point(Table table) {
  constexpr std::ptrdiff_t point_columns = 7;
  table.columns.erase(table.columns.begin(),
                      table.columns.begin() + point_columns);
  return table;
}

}  // namespace

BatchStatistics find_regimes(
    const StudyRequest& request, const Detector& detector,
    const RegimeOptions& options,
    const std::function<void(GridPoint, const TrackRegime&)>& take) {
  constexpr std::size_t most = 16384;  // at once: memory
  const TrackingGeometry geometry(detector);
  const Model model = model_of(request, detector);
  const std::size_t points = n_grid_points(request);
  BatchStatistics statistics;
  for (std::size_t first = 0; first < points; first += most) {
    const detail::GridTracks grid(request, first,
                                  std::min(most, points - first));
    const TrackArrays tracks = grid.views();
    std::vector<TrackRegime> regimes(tracks.size);
    statistics += find_regimes(geometry, tracks, model, options.thresholds,
                               regimes, options.choice, options.threads);
    for (std::size_t t = 0; t < tracks.size; ++t)
      take(grid_point(request, first + t), regimes[t]);
  }
  return statistics;
}

void RegimeTable::add(const Detector& detector, const StudyRequest& request,
                      GridPoint point, const TrackRegime& regime) {
  const TripletRegime* weakest = regime.weakest();
  point_.add(detector, request, point);
  n_hits_.push_back(regime.n_hits);
  n_triplets_.push_back(std::max(0, regime.n_hits - 2));
  mu_phi_.push_back(regime.mu_phi);
  mu_theta_.push_back(regime.mu_theta);
  xi_.push_back(regime.xi);
  xi_ms_.push_back(regime.xi_ms);
  regime_.emplace_back(to_string(regime.regime));
  fit_.emplace_back(to_string(regime.fit));
  bias_local_.push_back(regime.biases.local);
  bias_regularised_.push_back(regime.biases.regularised);
  bias_common_.push_back(regime.biases.common);
  pull_local_.push_back(regime.biases.local_pull);
  pull_regularised_.push_back(regime.biases.regularised_pull);
  pull_common_.push_back(regime.biases.common_pull);
  p_significant_.push_back(regime.p_significant);
  weakest_.push_back(weakest ? triplet_name(detector, *weakest) : "");
  weakest_xi_.push_back(weakest ? weakest->xi : Resolution::none);
  status_.emplace_back(to_string(regime.status));
}

Table RegimeTable::take() && {
  Table table;
  std::move(point_).move_to(table);
  table.add("n_hits", std::move(n_hits_));
  table.add("n_triplets", std::move(n_triplets_));
  table.add("mu_phi", std::move(mu_phi_));
  table.add("mu_theta", std::move(mu_theta_));
  table.add("xi", std::move(xi_));
  table.add("xi_ms", std::move(xi_ms_));
  table.add("regime", std::move(regime_));
  table.add("recommended_fit", std::move(fit_));
  table.add("bias_local_rel", std::move(bias_local_));
  table.add("bias_regularised_rel", std::move(bias_regularised_));
  table.add("bias_common_rel", std::move(bias_common_));
  table.add("pull_local", std::move(pull_local_));
  table.add("pull_regularised", std::move(pull_regularised_));
  table.add("pull_common", std::move(pull_common_));
  table.add("p_significant_GeV", std::move(p_significant_));
  table.add("weakest_triplet", std::move(weakest_));
  table.add("weakest_xi", std::move(weakest_xi_));
  table.add("status", std::move(status_));
  return table;
}

void TripletTable::add(const Detector& detector, const StudyRequest& request,
                       GridPoint point, const TrackRegime& regime) {
  for (const TripletRegime& t : regime.triplets) {
    point_.add(detector, request, point);
    triplet_.push_back(triplet_name(detector, t));
    recurls_.emplace_back(t.recurls ? "true" : "false");
    mu_phi_.push_back(t.mu_phi);
    mu_theta_.push_back(t.mu_theta);
    gamma_phi_.push_back(t.gamma_phi);
    gamma_theta_.push_back(t.gamma_theta);
    gamma_phi_theta_.push_back(t.gamma_phi_theta);
    sigma_ms_.push_back(t.sigma_ms / unit::mrad);
    b_ms_.push_back(t.b_ms);
    length_.push_back(t.length);
    xi_.push_back(t.xi);
    xi_ms_.push_back(t.xi_ms);
    xi_ms_limit_.push_back(t.xi_ms_limit);
    regime_.emplace_back(to_string(t.regime));
    p_significant_.push_back(t.p_significant);
  }
}

Table TripletTable::take() && {
  Table table;
  std::move(point_).move_to(table);
  table.add("triplet", std::move(triplet_));
  table.add("recurls", std::move(recurls_));
  table.add("mu_phi", std::move(mu_phi_));
  table.add("mu_theta", std::move(mu_theta_));
  table.add("gamma_phi_rad2", std::move(gamma_phi_));
  table.add("gamma_theta_rad2", std::move(gamma_theta_));
  table.add("gamma_phi_theta_rad2", std::move(gamma_phi_theta_));
  table.add("sigma_ms_mrad", std::move(sigma_ms_));
  table.add("b_ms_mm", std::move(b_ms_));
  table.add("length_mm", std::move(length_));
  table.add("xi", std::move(xi_));
  table.add("xi_ms", std::move(xi_ms_));
  table.add("xi_ms_limit", std::move(xi_ms_limit_));
  table.add("regime", std::move(regime_));
  table.add("p_significant_GeV", std::move(p_significant_));
  return table;
}

Document regime_document(const Detector& detector, const StudyRequest& request,
                         GridPoint point, const TrackRegime& regime) {
  RegimeTable track;
  track.add(detector, request, point, regime);
  TripletTable triplets;
  triplets.add(detector, request, point, regime);
  Document document = row_of(std::move(track).take(), 0);
  document.set("triplets", rows_of(without_point(std::move(triplets).take())));
  return document;
}

std::vector<Section> regime_sections(const Detector& detector,
                                     const StudyRequest& request,
                                     GridPoint point,
                                     const TrackRegime& regime) {
  Section track;
  track.title =
      detector.name + ": " + track_text(request, grid_track(request, point));
  auto& facts = track.facts;
  if (regime.regime == Regime::unknown) {
    facts.emplace_back("status", to_string(regime.status));
  } else {
    facts.emplace_back("regime", to_string(regime.regime));
    facts.emplace_back("mu_phi, mu_theta",
                       number(regime.mu_phi) + ", " + number(regime.mu_theta));
    facts.emplace_back("xi (scattering only)",
                       number(regime.xi) + " (" + number(regime.xi_ms) + ")");
    facts.emplace_back("fit that is enough", to_string(regime.fit));
    const FitBiases& b = regime.biases;
    if (!std::isnan(b.local)) {
      facts.emplace_back("bias of scattering-local",
                         bias_text(b.local, b.local_pull));
      facts.emplace_back("bias of regularised",
                         bias_text(b.regularised, b.regularised_pull));
      facts.emplace_back("bias of common-curvature",
                         bias_text(b.common, b.common_pull));
    }
    facts.emplace_back(
        fmt::format("xi >= {:.3g} up to", regime.thresholds.xi_significant),
        momentum_text(regime.p_significant));
    if (const TripletRegime* weakest = regime.weakest())
      facts.emplace_back("weakest triplet", triplet_name(detector, *weakest) +
                                                ", xi " + number(weakest->xi));
  }
  std::vector<Section> sections{track};
  if (regime.triplets.empty()) return sections;
  TripletTable triplets;
  triplets.add(detector, request, point, regime);
  Table table = without_point(std::move(triplets).take());
  std::erase_if(table.columns, [](const Column& c) {
    return c.name.starts_with("gamma_") || c.name == "sigma_ms_mrad" ||
           c.name == "recurls";
  });
  sections.push_back({"Triplets", {}, std::move(table)});
  return sections;
}

}  // namespace gttf
