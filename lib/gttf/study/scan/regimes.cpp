// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/regimes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "gttf/core/readable.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"
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

}  // namespace

BatchStatistics find_regimes(
    const StudyRequest& request, const Detector& detector,
    const RegimeOptions& options,
    const std::function<void(GridPoint, const TrackRegime&)>& take) {
  constexpr std::size_t most = 16384;  // at once, to limit memory
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

namespace {

using RegimeShared = ResolutionColumns<RegimeRow>;

constexpr std::string_view hits_matter =
    "no resolution, no field, hit errors matter";
constexpr std::string_view one_coordinate = "a hit has one coordinate";

constexpr auto columns_of_track =
    joined_columns(
        point_columns<RegimeRow>,
        std::to_array<ColumnOf<RegimeRow>>({
            RegimeShared::n_hits,
            RegimeShared::n_triplets,
            RegimeShared::mu_phi,
            RegimeShared::mu_theta,
            RegimeShared::xi,
            {{"xi_ms", "1", "xi without hit errors", "no resolution, no field"},
             [](const RegimeRow& r) { return r.regime.xi_ms; }},
            RegimeShared::regime,
            {{"recommended_fit", "",
              "the [sufficient fit](../theory/regimes.md#the-sufficient-fit)"},
             [](const RegimeRow& r) { return to_string(r.regime.fit); }},
            {{"bias_local_rel", "1",
              "predicted bias of the curvature by the fit `scattering-local`",
              hits_matter},
             [](const RegimeRow& r) { return r.regime.biases.local; }},
            {{"bias_regularised_rel", "1", "the same by `regularised`",
              hits_matter},
             [](const RegimeRow& r) { return r.regime.biases.regularised; }},
            {{"bias_common_rel", "1", "the same by `common-curvature`",
              hits_matter},
             [](const RegimeRow& r) { return r.regime.biases.common; }},
            {{"pull_local", "1", "mean pull of `scattering-local`",
              hits_matter},
             [](const RegimeRow& r) { return r.regime.biases.local_pull; }},
            {{"pull_regularised", "1", "the same of `regularised`",
              hits_matter},
             [](const RegimeRow& r) {
               return r.regime.biases.regularised_pull;
             }},
            {{"pull_common", "1", "the same of `common-curvature`",
              hits_matter},
             [](const RegimeRow& r) { return r.regime.biases.common_pull; }},
            {{"p_significant_GeV", "GeV",
              "largest momentum at which xi reaches the threshold, of tracks "
              "in "
              "this direction",
              "nowhere"},
             [](const RegimeRow& r) { return r.regime.p_significant; }},
            {{"weakest_triplet", "", "the one with the smallest xi"},
             [](const RegimeRow& r) {
               const TripletRegime* weakest = r.regime.weakest();
               return weakest ? triplet_name(r.detector, *weakest)
                              : std::string();
             }},
            {{"weakest_xi", "1", "its xi", "no triplet"},
             [](const RegimeRow& r) {
               const TripletRegime* weakest = r.regime.weakest();
               return weakest ? weakest->xi : Resolution::none;
             }},
            RegimeShared::status,
        }));

constexpr auto columns_of_triplet = std::to_array<ColumnOf<TripletRow>>({
    {{"triplet", "", "the three layers"},
     [](const TripletRow& r) { return triplet_name(r.detector, r.triplet); }},
    {{"recurls", "",
      "`true` if its last hit comes after the outer arc (`--recurl`)"},
     [](const TripletRow& r) -> std::string_view {
       return r.triplet.recurls ? "true" : "false";
     }},
    {{"mu_phi", "1", "as in `scan`, of the local fit", one_coordinate},
     [](const TripletRow& r) { return r.triplet.mu_phi; }},
    {{"mu_theta", "1", "as in `scan`, of the local fit", one_coordinate},
     [](const TripletRow& r) { return r.triplet.mu_theta; }},
    {{"gamma_phi_rad2", "rad^2", "variance of the kink in phi from hit errors"},
     [](const TripletRow& r) { return r.triplet.gamma_phi; }},
    {{"gamma_theta_rad2", "rad^2", "the same in theta"},
     [](const TripletRow& r) { return r.triplet.gamma_theta; }},
    {{"gamma_phi_theta_rad2", "rad^2", "covariance of the two"},
     [](const TripletRow& r) { return r.triplet.gamma_phi_theta; }},
    {{"sigma_ms_mrad", "mrad", "scattering angle in a plane"},
     [](const TripletRow& r) { return r.triplet.sigma_ms / unit::mrad; }},
    {{"b_ms_mm", "mm", "`sigma_ms` over the curvature"},
     [](const TripletRow& r) { return r.triplet.b_ms; }},
    {{"length_mm", "mm", "sum of the two arcs"},
     [](const TripletRow& r) { return r.triplet.length; }},
    {{"xi", "1", "as in `scan`, of the local fit", one_coordinate},
     [](const TripletRow& r) { return r.triplet.xi; }},
    {{"xi_ms", "1", "the same without hit errors",
      "a hit has one coordinate; without scattering"},
     [](const TripletRow& r) { return r.triplet.xi_ms; }},
    {{"xi_ms_limit", "1", "a sin(theta)/(2 b_MS), small bending",
      "without scattering"},
     [](const TripletRow& r) { return r.triplet.xi_ms_limit; }},
    {{"regime", "", "as in `scan`, of the local fit"},
     [](const TripletRow& r) { return to_string(r.triplet.regime); }},
    {{"p_significant_GeV", "GeV", "as above, of the local fit", "nowhere"},
     [](const TripletRow& r) { return r.triplet.p_significant; }},
});

constexpr auto columns_of_triplet_and_track =
    joined_columns(point_columns<TripletRow>, columns_of_triplet);

/// Rows of the triplets of a track.
void add_triplets(RowTable<TripletRow>& rows, const Detector& detector,
                  const PointRow& point, const TrackRegime& regime) {
  for (const TripletRegime& t : regime.triplets) rows.add({point, detector, t});
}

/// The table of the triplets of one track, which is described elsewhere.
Table triplets_of(const Detector& detector, const TrackRegime& regime) {
  RowTable<TripletRow> rows(columns_of_triplet);
  add_triplets(rows, detector, {}, regime);
  return std::move(rows).take();
}

}  // namespace

std::vector<DescribedColumn> described_regime_columns() {
  return described(columns_of_track);
}
std::vector<DescribedColumn> described_triplet_columns() {
  return described(columns_of_triplet);
}

RegimeTable::RegimeTable() : rows_(columns_of_track) {}

void RegimeTable::add(const Detector& detector, const StudyRequest& request,
                      GridPoint point, const TrackRegime& regime) {
  rows_.add({PointRows(detector, request).at(point), detector, regime});
}

TripletTable::TripletTable() : rows_(columns_of_triplet_and_track) {}

void TripletTable::add(const Detector& detector, const StudyRequest& request,
                       GridPoint point, const TrackRegime& regime) {
  add_triplets(rows_, detector, PointRows(detector, request).at(point), regime);
}

Document regime_document(const Detector& detector, const StudyRequest& request,
                         GridPoint point, const TrackRegime& regime) {
  RegimeTable track;
  track.add(detector, request, point, regime);
  Document document = row_of(std::move(track).take(), 0);
  document.set("triplets", rows_of(triplets_of(detector, regime)));
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
    facts.emplace_back("sufficient fit", to_string(regime.fit));
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
  Table table = triplets_of(detector, regime);
  std::erase_if(table.columns, [](const Column& c) {
    return c.name.starts_with("gamma_") || c.name == "sigma_ms_mrad" ||
           c.name == "recurls";
  });
  sections.push_back({"Triplets", {}, std::move(table)});
  return sections;
}

}  // namespace gttf
