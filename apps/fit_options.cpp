// SPDX-License-Identifier: Apache-2.0
#include "fit_options.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/study/hits/fit_table.hpp"
#include "shipped_option.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

constexpr std::array<std::pair<std::string_view, FitKind>, 5> kinds{{
    {"general", FitKind::general},
    {"hits", FitKind::hits},
    {"scattering", FitKind::scattering},
    {"regularised", FitKind::regularised},
    {"common-curvature", FitKind::common_curvature},
}};
constexpr std::array<std::pair<std::string_view, WeightSource>, 3> sources{{
    {"estimate", WeightSource::estimate},
    {"local", WeightSource::local},
    {"update", WeightSource::update},
}};

// The value of that name. Throws UsageError with the nearest name.
template <class Named>
auto named(const std::string& option, const std::string& name,
           const Named& values) {
  std::vector<std::string> names;
  for (const auto& [known, value] : values) {
    if (known == name) return value;
    names.emplace_back(known);
  }
  check_choice(option, name, names);
  return values[0].second;
}

std::vector<std::string> all_columns(const Detector& detector) {
  std::vector<std::string> names;
  for (const Column& column :
       FitTable({.events = true,
       .along_beam = is_beam_detector(detector),
       .momentum = detector.field.kind == FieldKind::none},
                0, 1, "")
           .take()
           .columns)
    names.push_back(column.name);
  return names;
}

}  // namespace

void FitVerbOptions::declare(CLI::App& command) {
  takes_detector(command.add_option("DETECTOR", detector,
                                    "Detector file; - is standard input"))
      ->required();
  command
      .add_option("HITS", hits,
                  "Hits, one a line: track,layer,x_mm,y_mm,z_mm in CSV; - is "
                  "standard input")
      ->type_name("FILE")
      ->required();
  declare_overrides(command, overrides);
  declare_hits(command);
  declare_fit(command);
  track.declare_for_fit(command);
  command
      .add_option("--columns", columns,
                  "Columns to write: track,p_GeV,sigma_p_rel or all")
      ->type_name("NAMES")
      ->group("Output");
  command
      .add_option("--residuals", residuals,
                  "Write residuals and pulls of every hit to FILE (.csv "
                  ".json .md .txt)")
      ->type_name("FILE")
      ->group("Output");
  output.declare(command, true);
}

void FitVerbOptions::declare_hits(CLI::App& command) {
  constexpr auto group = "Hits";
  command
      .add_option("--bad-rows", bad_rows,
                  "What to do with a line that cannot be read (default: "
                  "stop)")
      ->type_name("stop|skip")
      ->group(group);
  command
      .add_flag("--unsorted", unsorted,
                "Hits of a track may be anywhere in the file; reads all of "
                "it into memory")
      ->group(group);
  command
      .add_flag("--keep-order", keep_order,
                "Hits of a track are in order of flight in the file")
      ->group(group);
  command
      .add_option("--max-distance", max_distance,
                  "Farthest that a hit may be from its layer (default: 1cm)")
      ->type_name("LENGTH")
      ->group(group);
}

void FitVerbOptions::declare_fit(CLI::App& command) {
  constexpr auto group = "Computation";
  command
      .add_option("--fit", kind,
                  "Errors that the fit knows of (default: "
                  "general)")
      ->type_name("general|hits|scattering|regularised|common-curvature")
      ->group(group);
  command
      .add_option("--weights", weights,
                  "Curvature that the scattering angles are taken at "
                  "(default: update, with --p estimate)")
      ->type_name("estimate|local|update")
      ->group(group);
  command
      .add_flag("--fit-energy-loss", fit_losses,
                "Fit the energy lost in each layer, too: columns of "
                "--residuals; stands for --energy-loss straggling")
      ->group(group);
  constexpr int most_iterations = 100;
  command
      .add_option("--iterations", iterations,
                  "Repeat the fit around its result, at most N times "
                  "(default: 0)")
      ->type_name("N")
      ->check(CLI::Range(0, most_iterations).description(""))
      ->group(group);
  declare_threads(command, threads);
  declare_simd(command, simd_name);
  declare_stats(command, stats);
}

HitFileOptions FitVerbOptions::reading() const {
  check_choice("--bad-rows", bad_rows, {"stop", "skip"});
  return {bad_rows == "skip" ? BadRows::skip : BadRows::stop,
          unsorted ? TrackOrder::any : TrackOrder::contiguous,
          thread_count(threads)};
}

FitStudyOptions FitVerbOptions::study() const {
  FitStudyOptions result;
  result.kind = named("--fit", kind, kinds);
  result.fit_name = kind;
  const std::string source =
      !weights.empty() ? weights : (track.study.p ? "estimate" : "update");
  result.fit.weights = named("--weights", source, sources);
  result.fit.relinearisations = iterations;
  result.hits.order = keep_order ? HitOrder::as_given : HitOrder::along_track;
  const Parsed<double> distance =
      parse_quantity(max_distance, Dimension::length);
  if (!distance)
    throw UsageError(
        "--max-distance: " + distance.problem +
        (distance.suggestion.empty() ? "" : "; " + distance.suggestion));
  if (!(distance.value > 0))
    throw UsageError("--max-distance: the distance must be positive, got " +
                     in_quotes(max_distance));
  result.hits.max_distance = distance.value;
  result.threads = thread_count(threads);
  return result;
}

void FitVerbOptions::ask_for_losses(StudyRequest& request) const {
  if (!fit_losses) return;
  if (residuals.empty())
    throw UsageError(
        "--fit-energy-loss: the losses stand in the table of residuals, add "
        "--residuals FILE");
  if (track.study.energy_loss && request.energy_loss != EnergyLoss::straggling)
    throw UsageError(
        "--fit-energy-loss needs losses that fluctuate: leave out "
        "--energy-loss, or give straggling");
  request.energy_loss = EnergyLoss::straggling;
}

FitStudyOptions with_momentum(FitStudyOptions study,
                              const StudyRequest& request,
                              const Detector& detector) {
  if (!request.momentum.values.empty())
    study.hits.momentum = request.momentum.values[0];
  if (TrackingGeometry(detector).b_ref() == 0 &&
      request.momentum.values.empty() &&
      request.scattering != Scattering::off && study.kind != FitKind::hits)
    throw UsageError(
        "the detector has no field, so that the momentum is not measured: "
        "give --p for the scattering, or --scattering off");
  return study;
}

std::vector<std::string> FitVerbOptions::column_names(
    bool events, const Detector& of) const {
  if (columns.empty()) return {};
  std::vector<std::string> known = all_columns(of);
  if (!events) std::erase(known, "event");
  if (columns == "all") return known;
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= columns.size();) {
    const std::size_t end = std::min(columns.find(',', begin), columns.size());
    names.emplace_back(
        trimmed(std::string_view(columns).substr(begin, end - begin)));
    check_choice("--columns", names.back(), known);
    begin = end + 1;
  }
  return names;
}

}  // namespace gttf::app
