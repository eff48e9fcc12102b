// SPDX-License-Identifier: Apache-2.0
// regimes: what limits tracks and their triplets, and which fit suffices.
#include "gttf/study/regimes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "common.hpp"
#include "detector_grid.hpp"
#include "gttf/core/parallel.hpp"
#include "outputs.hpp"
#include "parse.hpp"
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

class RegimesVerb : public Verb {
 public:
  RegimesVerb()
      : Verb("regimes",
             "mu and xi of tracks and triplets; which fit suffices") {
    constexpr auto group = "Regimes";
    grid_.declare(command());
    command()
        .add_flag("--triplets", rows_of_triplets_,
                  "A row per triplet instead of per track, where there are "
                  "several tracks (and in csv)")
        ->group(group);
    command()
        .add_flag("--all-triplets", all_triplets_,
                  "All triplets of measuring layers, not only consecutive ones")
        ->group(group);
    command()
        .add_flag("--recurl", recurl_,
                  "Also the triplets through the outer arc of a track that "
                  "bends back")
        ->excludes("--all-triplets")
        ->group(group);
    const auto threshold = [&](const char* name, double& value,
                               const std::string& text) {
      command()
          .add_option(name, value, text)
          ->type_name("NUMBER")
          ->group(group);
    };
    threshold("--mu", thresholds_.mu_small,
              "Up to this mu hit errors are neglected (default: 0.15)");
    threshold("--xi-significant", thresholds_.xi_significant,
              "Below this xi the curvature is not measured (default: 3)");
    threshold("--xi-unbiased", thresholds_.xi_unbiased,
              "Below this xi scattering fits are biased (default: 10)");
    declare_threads(command(), threads_);
    output_.declare(command(), false);
    command().footer(
        "\nExamples:\n"
        "  gttf-design regimes detectors/alice_its2.yaml --p 1GeV\n"
        "  gttf-design regimes configs/paper/regimes-mu3e.yaml --triplets\n"
        "  gttf-design regimes configs/barrel.yaml --all-triplets "
        "-o regimes.json");
  }

  int run(const Call& call) override {
    check_formats(output_);
    check_thresholds();
    grid_.read(output_.quiet);
    const StudyRequest& request = grid_.request();
    Outputs outputs(
        output_,
        provenance_of(call.arguments, output_, &request, grid_.detectors()),
        grid_.inputs());
    const TripletChoice choice = all_triplets_ ? TripletChoice::all
                                 : recurl_     ? TripletChoice::recurling
                                               : TripletChoice::consecutive;
    RegimeTable tracks;
    TripletTable triplets;
    Document::List documents;
    Result result;
    std::size_t evaluated = 0;
    Status status = Status::ok;
    std::vector<std::pair<const Detector*, GridPoint>> points;
    grid_.for_each([&](const Detector& detector, GridPoint point) {
      points.emplace_back(&detector, point);
    });
    const auto find = [&](std::size_t i) {
      const auto& [detector, point] = points[i];
      if (all_triplets_) check_number(*detector, point);
      return std::pair(
          i,
          find_regime(TrackingGeometry(*detector), grid_track(request, point),
                      model_of(request, *detector), thresholds_, choice));
    };
    const auto take = [&](const std::pair<std::size_t, TrackRegime>& found) {
      const Detector& detector = *points[found.first].first;
      const GridPoint point = points[found.first].second;
      const TrackRegime& regime = found.second;
      // without field there is no regime, but the track has its mu_theta
      const Resolution& r = regime.resolution;
      const bool exists =
          r.regime != Regime::unknown || r.status == Status::no_field;
      evaluated += exists;
      if (!exists) status = r.status;
      tracks.add(detector, request, point, regime);
      triplets.add(detector, request, point, regime);
      documents.push_back(regime_document(detector, request, point, regime));
      result.summary.sections =
          regime_sections(detector, request, point, regime);
    };
    parallel_in_order(points.size(), thread_count(threads_), find, take);
    result.table = rows_of_triplets_ ? std::move(triplets).take()
                                     : std::move(tracks).take();
    if (documents.size() > 1)
      result.summary.sections = {{"", {}, for_reading(request, result.table)}};
    result.document = documents.size() == 1
                          ? documents.front()
                          : Document().set("rows", std::move(documents));
    outputs.write(result);
    outputs.commit();
    return code_of(evaluated, status, output_.quiet);
  }

 private:
  // Some millions of triplets of a gaseous detector take hours.
  void check_number(const Detector& detector, GridPoint point) const {
    constexpr double most = 50000;
    const StudyRequest& request = grid_.request();
    const double n =
        resolve(TrackingGeometry(detector), grid_track(request, point),
                model_of(request, detector))
            .n_hits;
    const double number = n * (n - 1) * (n - 2) / 6;
    if (number > most)
      throw UsageError(
          fmt::format("--all-triplets: {} hits in {} make {:.0f} triplets, "
                      "more than {:.0f}; "
                      "leave the option out for consecutive ones",
                      n, detector.name, number, most));
  }

  void check_thresholds() const {
    if (!(thresholds_.mu_small > 0 && thresholds_.mu_small < std::sqrt(0.5)))
      throw UsageError("--mu must lie between 0 and 0.7");
    if (!(thresholds_.xi_significant > 0) || !(thresholds_.xi_unbiased > 0))
      throw UsageError("--xi-significant and --xi-unbiased must be positive");
  }

  DetectorGrid grid_;
  unsigned threads_ = 0;
  bool rows_of_triplets_ = false, all_triplets_ = false, recurl_ = false;
  RegimeThresholds thresholds_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_regimes_verb() {
  return std::make_unique<RegimesVerb>();
}

}  // namespace gttf::app
