// SPDX-License-Identifier: Apache-2.0
// regimes: limits of tracks and their triplets, and the fit that suffices.
#include "gttf/study/scan/regimes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "computation.hpp"
#include "gttf/study/scan/row.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

/// The columns that fit a terminal.
Table for_reading(const StudyRequest& request, Table table) {
  const bool by_pt = request.momentum.variable == MomentumAxis::Variable::pt;
  const bool by_eta = request.angle.variable == AngleAxis::Variable::eta;
  std::erase_if(table.columns, [&](const Column& c) {
    if (c.name == "detector") return request.detectors.size() < 2;
    if (c.name == (by_pt ? "p_GeV" : "pt_GeV")) return true;
    if (c.name == (by_eta ? "theta_deg" : "eta")) return true;
    for (const std::string_view start :
         {"particle", "phi_deg", "recurls", "bias_", "pull_", "gamma_",
          "n_triplets", "sigma_ms", "b_ms", "length"})
      if (c.name.starts_with(start)) return true;
    return false;
  });
  return table;
}

// Millions of triplets of a gaseous detector would take hours.
void check_number(const StudyRequest& request, const Detector& detector) {
  constexpr double most = 50000;
  const TrackingGeometry geometry(detector);
  const Model model = model_of(request, detector);
  for (const GridPoint point : grid_points(request)) {
    const double n =
        resolve(geometry, grid_track(request, point), model).n_hits;
    const double number = n * (n - 1) * (n - 2) / 6;
    if (number > most)
      throw UsageError(
          fmt::format("--all-triplets: {} hits in {} make {:.0f} triplets, "
                      "more than {:.0f}; "
                      "leave the option out for consecutive ones",
                      n, detector.name, number, most));
  }
}

void check_thresholds(const Options& options) {
  if (!(options.mu_small > 0 && options.mu_small < std::sqrt(0.5)))
    throw UsageError("--mu must be between 0 and 0.7");
  if (!(options.xi_significant > 0) || !(options.xi_unbiased > 0))
    throw UsageError("--xi-significant and --xi-unbiased must be positive");
}

int run_regimes(const Call& call) {
  const Options& options = call.options;
  check_formats(options);
  check_thresholds(options);
  use_simd(options);
  const Study study = read_study(options, "classify");
  const StudyRequest& request = study.request;
  Outputs outputs(options, provenance_of(call, &request, study.detectors));
  RegimeOptions regime_options;
  regime_options.thresholds.mu_small = options.mu_small;
  regime_options.thresholds.xi_significant = options.xi_significant;
  regime_options.thresholds.xi_unbiased = options.xi_unbiased;
  regime_options.threads = options.threads;
  regime_options.choice = options.all_triplets ? TripletChoice::all
                          : options.recurl     ? TripletChoice::recurling
                                               : TripletChoice::consecutive;
  const bool one = n_grid_points(request) * study.detectors.size() == 1;
  const bool rows = !one || outputs.any_of_rows();
  RegimeTable tracks;
  TripletTable triplets;
  Document::List documents;
  Result result;
  BatchStatistics statistics;
  std::size_t evaluated = 0;
  Status status = Status::ok;
  for (const Detector& detector : study.detectors) {
    if (options.all_triplets) check_number(request, detector);
    statistics +=
        find_regimes(request, detector, regime_options,
                     [&](GridPoint point, const TrackRegime& regime) {
                       // without field there is no regime, but the track has
                       // its mu_theta
                       const bool exists = regime.regime != Regime::unknown ||
                                           regime.status == Status::no_field;
                       evaluated += exists;
                       if (!exists) status = regime.status;
                       if (rows && options.triplets)
                         triplets.add(detector, request, point, regime);
                       else if (rows)
                         tracks.add(detector, request, point, regime);
                       if (outputs.any(Format::json))
                         documents.push_back(
                             regime_document(detector, request, point, regime));
                       if (one)
                         result.summary.sections =
                             regime_sections(detector, request, point, regime);
                     });
  }
  if (rows)
    result.table = options.triplets ? std::move(triplets).take()
                                    : std::move(tracks).take();
  if (!one)
    result.summary.sections = {{"", {}, for_reading(request, result.table)}};
  result.document = one_or_rows(std::move(documents));
  outputs.write(result);
  outputs.commit();
  if (options.stats) print_statistics(statistics);
  return code_of(evaluated, status, options.quiet);
}

}  // namespace

const Verb regimes_verb{
    "regimes",
    of::regimes,
    "Print mu and xi of tracks and triplets, and which fit suffices",
    "",
    "regimes detectors/alice_its2.yaml --p 1GeV\n"
    "regimes configs/paper/regimes-mu3e.yaml --triplets\n"
    "regimes configs/barrel.yaml --all-triplets -o regimes.json",
    run_regimes};

}  // namespace gttf::app
