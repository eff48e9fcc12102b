// SPDX-License-Identifier: Apache-2.0
// regimes: what limits tracks and their triplets, and which fit suffices.
#include "gttf/study/scan/regimes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "common.hpp"
#include "detector_grid.hpp"
#include "outputs.hpp"
#include "parse.hpp"
#include "scan_parts.hpp"
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
    threshold("--mu", options_.thresholds.mu_small,
              "Up to this mu hit errors are neglected (default: 0.15)");
    threshold("--xi-significant", options_.thresholds.xi_significant,
              "Below this xi the curvature is not measured (default: 3)");
    threshold("--xi-unbiased", options_.thresholds.xi_unbiased,
              "Below this xi scattering fits are biased (default: 10)");
    declare_threads(command(), options_.threads);
    declare_simd(command(), simd_);
    declare_stats(command(), stats_);
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
    use_simd(simd_);
    grid_.read(output_.quiet);
    const StudyRequest& request = grid_.request();
    Outputs outputs(output_, provenance_of(call.arguments, output_, &request,
                                           grid_.detectors()));
    options_.choice = all_triplets_ ? TripletChoice::all
                      : recurl_     ? TripletChoice::recurling
                                    : TripletChoice::consecutive;
    const bool one = n_grid_points(request) * grid_.detectors().size() == 1;
    const bool rows = !one || outputs.any(Format::csv);
    RegimeTable tracks;
    TripletTable triplets;
    Document::List documents;
    Result result;
    BatchStatistics statistics;
    std::size_t evaluated = 0;
    Status status = Status::ok;
    for (const Detector& detector : grid_.detectors()) {
      if (all_triplets_) check_number(detector);
      statistics += find_regimes(
          request, detector, options_,
          [&](GridPoint point, const TrackRegime& regime) {
            // without field there is no regime, but the track has its mu_theta
            const Resolution& r = regime.resolution;
            const bool exists =
                r.regime != Regime::unknown || r.status == Status::no_field;
            evaluated += exists;
            if (!exists) status = r.status;
            if (rows && rows_of_triplets_)
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
      result.table = rows_of_triplets_ ? std::move(triplets).take()
                                       : std::move(tracks).take();
    if (!one)
      result.summary.sections = {{"", {}, for_reading(request, result.table)}};
    result.document = one_or_rows(std::move(documents));
    outputs.write(result);
    outputs.commit();
    if (stats_) std::fputs(text_of(statistics).c_str(), stderr);
    return code_of(evaluated, status, output_.quiet);
  }

 private:
  // Some millions of triplets of a gaseous detector take hours.
  void check_number(const Detector& detector) const {
    constexpr double most = 50000;
    const StudyRequest& request = grid_.request();
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

  void check_thresholds() const {
    if (!(options_.thresholds.mu_small > 0 &&
          options_.thresholds.mu_small < std::sqrt(0.5)))
      throw UsageError("--mu must lie between 0 and 0.7");
    if (!(options_.thresholds.xi_significant > 0) ||
        !(options_.thresholds.xi_unbiased > 0))
      throw UsageError("--xi-significant and --xi-unbiased must be positive");
  }

  DetectorGrid grid_;
  std::string simd_;
  bool stats_ = false;
  bool rows_of_triplets_ = false, all_triplets_ = false, recurl_ = false;
  RegimeOptions options_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_regimes_verb() {
  return std::make_unique<RegimesVerb>();
}

}  // namespace gttf::app
