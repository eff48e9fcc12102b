// SPDX-License-Identifier: Apache-2.0
// fit: fits the measured tracks of a file of hits.
#include "gttf/study/fit_study.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "common.hpp"
#include "gttf/config/quantity.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/study/fit_table.hpp"
#include "outputs.hpp"
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

// The columns that fit a terminal. csv and json have all.
std::vector<std::string> columns_for_reading(bool events,
                                             const Detector& detector) {
  std::vector<std::string> columns;
  if (events) columns.emplace_back("event");
  const auto add = [&columns](std::initializer_list<const char*> names) {
    columns.insert(columns.end(), names.begin(), names.end());
  };
  const bool beam = is_beam_detector(detector);
  const bool field = detector.field.kind != FieldKind::none;
  add({"track", "n_hits"});
  if (field) add({"p_GeV", "charge"});
  if (beam)
    add({"x_um", "y_um", "tx", "ty"});
  else
    add({"d0_um", "z0_um", "phi0_rad", "theta_rad"});
  if (field) add({"sigma_p_rel"});
  add({beam ? "sigma_x_um" : "sigma_d0_um"});
  if (!field) add({"p_ms_GeV", "sigma_p_ms_GeV", "p_ms_status"});
  add({"chi2", "ndf", "status"});
  return columns;
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

std::string text_of(const FitCounts& counts) {
  const BatchFitStatistics& s = counts.ways;
  std::ostringstream text;
  const auto line = [&text](std::size_t n, const char* what) {
    if (n > 0) text << "  " << n << ' ' << what << '\n';
  };
  text << counts.tracks << " tracks, vectors " << to_string(simd_level())
       << '\n';
  line(s.in_lanes, "in lanes");
  line(s.doubtful,
       "one by one: a coarse hit, a strong bend or a fit that "
       "failed");
  line(s.not_for_lanes,
       "one by one: hits, field, material between them or options not for "
       "lanes");
  line(counts.tracks - s.tracks, "not fitted: the hits make no track");
  return text.str();
}

class Fit : public Verb {
 public:
  Fit() : Verb("fit", "Fits measured tracks: hits in, track parameters out") {
    takes_detector(command().add_option("DETECTOR", detector_,
                                        "Detector file; - is standard input"))
        ->required();
    command()
        .add_option("HITS", hits_,
                    "Hits, one a line: track,layer,x_mm,y_mm,z_mm in CSV; - is "
                    "standard input")
        ->type_name("FILE")
        ->required();
    declare_overrides(command(), overrides_);
    declare_hits();
    declare_fit();
    track_.declare_for_fit(command());
    command()
        .add_option("--columns", columns_,
                    "Columns to write: track,p_GeV,sigma_p_rel or all")
        ->type_name("NAMES")
        ->group("Output");
    command()
        .add_option("--residuals", residuals_,
                    "Write residuals and pulls of every hit to FILE (.csv "
                    ".json .md .txt)")
        ->type_name("FILE")
        ->group("Output");
    output_.declare(command(), true);
    command().footer(
        "\nExamples:\n"
        "  gttf-design fit detectors/alice_its2.yaml configs/its2-hits.csv\n"
        "  gttf-design fit detectors/alice_its2.yaml hits.csv -o tracks.csv "
        "--residuals residuals.csv\n"
        "  zcat hits.csv.gz | gttf-design fit detectors/alice_its2.yaml - "
        "--particle muon --bad-rows skip -o tracks.csv");
  }

  int run(const Call& call) override {
    check_formats(output_);
    use_simd(simd_name_);
    OutputOptions residual_output = output_;
    residual_output.files = {residuals_};
    residual_output.format.clear();
    if (!residuals_.empty()) check_formats(residual_output);
    const FitStudyOptions study = study_options();
    const HitFileOptions reading = reading_options();
    if (detector_ == "-" && hits_ == "-")
      throw UsageError(
          "standard input (\"-\") can be read only once; give the detector as "
          "a file");

    const Detector detector =
        load_detector(detector_, overrides_, output_.quiet);
    StudyRequest request = read_fit_request(track_.study);
    if (fit_losses_) fit_losses(request);
    tell_assumed_materials(request, {&detector, 1}, output_.quiet);
    const FitStudyOptions complete = with_momentum(study, request, detector);
    HitFile file(hits_, detector, reading);
    std::vector<std::string> columns;
    if (!columns_.empty()) columns = parse_columns(file.has_events(), detector);
    show(file.messages(), output_.quiet);
    const std::size_t n_warnings = file.messages().items().size();

    const auto provenance = provenance_with_hits(call.arguments, detector);
    Outputs outputs(output_, provenance, {detector_, hits_});
    std::optional<Outputs> residual_outputs;
    if (!residuals_.empty()) {
      std::vector<std::string> taken = output_.files;
      if (taken.empty()) taken.emplace_back("-");
      for (const std::string& other : taken)
        if (other == residuals_)
          throw UsageError("--residuals " + in_quotes(residuals_) +
                           ": the tracks go there already");
      residual_outputs.emplace(residual_output, provenance,
                               std::vector<std::string>{detector_, hits_});
    }
    if (writes_stdout() && reading.bad_rows == BadRows::stop)
      check_all(detector);

    const FitCounts counts = fit_all(detector, request, file, complete, outputs,
                                     residual_outputs, columns);
    outputs.commit();
    if (residual_outputs) residual_outputs->commit();
    report(file, counts, n_warnings);
    if (stats_) std::fputs(text_of(counts).c_str(), stderr);
    return counts.fitted > 0 ? good : no_track;
  }

 private:
  void declare_hits() {
    constexpr auto group = "Hits";
    command()
        .add_option("--bad-rows", bad_rows_,
                    "What to do with a line that cannot be read (default: "
                    "stop)")
        ->type_name("stop|skip")
        ->group(group);
    command()
        .add_flag("--unsorted", unsorted_,
                  "Hits of a track may be anywhere in the file; reads all of "
                  "it into memory")
        ->group(group);
    command()
        .add_flag("--keep-order", keep_order_,
                  "Hits of a track are in order of flight in the file")
        ->group(group);
    command()
        .add_option("--max-distance", max_distance_,
                    "Farthest that a hit may be from its layer (default: 1cm)")
        ->type_name("LENGTH")
        ->group(group);
  }

  void declare_fit() {
    constexpr auto group = "Computation";
    command()
        .add_option("--fit", kind_,
                    "Errors that the fit knows of (default: "
                    "general)")
        ->type_name("general|hits|scattering|regularised|common-curvature")
        ->group(group);
    command()
        .add_option("--weights", weights_,
                    "Curvature that the scattering angles are taken at "
                    "(default: update, with --p estimate)")
        ->type_name("estimate|local|update")
        ->group(group);
    command()
        .add_flag("--fit-energy-loss", fit_losses_,
                  "Fit the energy lost in each layer, too: columns of "
                  "--residuals; stands for --energy-loss straggling")
        ->group(group);
    constexpr int most_iterations = 100;
    command()
        .add_option("--iterations", iterations_,
                    "Repeat the fit around its result, at most N times "
                    "(default: 0)")
        ->type_name("N")
        ->check(CLI::Range(0, most_iterations).description(""))
        ->group(group);
    declare_threads(command(), threads_);
    declare_simd(command(), simd_name_);
    declare_stats(command(), stats_);
  }

  HitFileOptions reading_options() const {
    check_choice("--bad-rows", bad_rows_, {"stop", "skip"});
    return {bad_rows_ == "skip" ? BadRows::skip : BadRows::stop,
            unsorted_ ? TrackOrder::any : TrackOrder::contiguous,
            thread_count(threads_)};
  }

  FitStudyOptions study_options() const {
    FitStudyOptions study;
    study.kind = named("--fit", kind_, kinds);
    study.fit_name = kind_;
    const std::string source =
        !weights_.empty() ? weights_ : (track_.study.p ? "estimate" : "update");
    study.fit.weights = named("--weights", source, sources);
    study.fit.relinearisations = iterations_;
    study.hits.order = keep_order_ ? HitOrder::as_given : HitOrder::along_track;
    const Parsed<double> distance =
        parse_quantity(max_distance_, Dimension::length);
    if (!distance)
      throw UsageError(
          "--max-distance: " + distance.problem +
          (distance.suggestion.empty() ? "" : "; " + distance.suggestion));
    if (!(distance.value > 0))
      throw UsageError("--max-distance: the distance must be positive, got " +
                       in_quotes(max_distance_));
    study.hits.max_distance = distance.value;
    study.threads = thread_count(threads_);
    return study;
  }

  // The losses that the fit adjusts stand in the table of residuals.
  void fit_losses(StudyRequest& request) const {
    if (residuals_.empty())
      throw UsageError(
          "--fit-energy-loss: the losses stand in the table of residuals, add "
          "--residuals FILE");
    if (track_.study.energy_loss &&
        request.energy_loss != EnergyLoss::straggling)
      throw UsageError(
          "--fit-energy-loss needs losses that fluctuate: leave out "
          "--energy-loss, or give straggling");
    request.energy_loss = EnergyLoss::straggling;
  }

  static FitStudyOptions with_momentum(FitStudyOptions study,
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

  std::vector<std::string> parse_columns(bool events,
                                         const Detector& detector) const {
    std::vector<std::string> known = all_columns(detector);
    if (!events) std::erase(known, "event");
    if (columns_ == "all") return known;
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= columns_.size();) {
      const std::size_t end =
          std::min(columns_.find(',', begin), columns_.size());
      names.emplace_back(
          trimmed(std::string_view(columns_).substr(begin, end - begin)));
      check_choice("--columns", names.back(), known);
      begin = end + 1;
    }
    return names;
  }

  std::optional<Provenance> provenance_with_hits(
      const std::vector<std::string>& arguments,
      const Detector& detector) const {
    const bool read_later =
        output_.files.empty() &&
        (output_.format.empty() || output_.format == "table" ||
         output_.format == "markdown") &&
        residuals_.empty();
    auto provenance =
        provenance_of(arguments, output_, nullptr, {&detector, 1});
    if (provenance)
      provenance->inputs.push_back(
          {hits_, read_later ? "" : sha256_of_file(hits_)});
    return provenance;
  }

  bool writes_stdout() const {
    return output_.files.empty() ||
           std::ranges::find(output_.files, "-") != output_.files.end();
  }

  // What is on standard output cannot be taken back: a file is read to its end
  // first. A pipe cannot be.
  void check_all(const Detector& detector) const {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(hits_, ignored)) return;
    HitFile file(hits_, detector, reading_options());
    while (!file.next().empty()) continue;
  }

  FitCounts fit_all(const Detector& detector, const StudyRequest& request,
                    HitFile& file, FitStudyOptions study, Outputs& outputs,
                    std::optional<Outputs>& residual_outputs,
                    const std::vector<std::string>& columns) const {
    Progress::Settings settings;
    settings.wanted = !output_.quiet && !output_.no_progress;
    Progress bar("fit", settings);
    const auto size = static_cast<double>(file.reader().size());
    if (size > 0)
      study.progress = [&](std::size_t tracks) {
        const double read = static_cast<double>(file.reader().bytes_read());
        bar.update(tracks, static_cast<std::size_t>(
                               static_cast<double>(tracks) * size / read));
      };
    const std::string title = detector.name + ": " +
                              (hits_ == "-" ? "standard input" : hits_) + ", " +
                              request.particle.name + ", " + kind_ + " fit";
    const auto sink = outputs.table_sink(
        title,
        columns.empty() ? columns_for_reading(file.has_events(), detector)
                        : columns,
        columns, &bar);
    std::unique_ptr<TableSink> residual_sink;
    if (residual_outputs)
      residual_sink = residual_outputs->table_sink(title, {}, {}, &bar);
    return fit_tracks(detector, request, file, study, *sink,
                      residual_sink.get());
  }

  void report(const HitFile& file, const FitCounts& counts,
              std::size_t n_warnings) const {
    Diagnostics bad;
    const auto& all = file.messages().items();
    for (std::size_t i = n_warnings; i < all.size(); ++i) bad.add(all[i]);
    show(bad, output_.quiet);
    if (output_.quiet) return;
    if (const std::size_t n = file.bad_rows(); n > 0)
      std::fprintf(stderr, "gttf-design: %zu bad %s left out\n", n,
                   n == 1 ? "row" : "rows");
    if (counts.fitted == counts.tracks && counts.tracks > 0) return;
    if (counts.tracks == 0)
      std::fputs("gttf-design: the file has no hits\n", stderr);
    else if (counts.fitted == 0)
      std::fputs(
          "gttf-design: no track could be fitted; the column status tells "
          "why\n",
          stderr);
    else
      std::fprintf(stderr,
                   "gttf-design: %zu of %zu tracks could not be fitted; the "
                   "column status tells why\n",
                   counts.tracks - counts.fitted, counts.tracks);
  }

  std::string detector_, hits_;
  std::vector<std::string> overrides_;
  std::string kind_ = "general", weights_, bad_rows_ = "stop";
  std::string max_distance_ = "1cm";
  std::string columns_, residuals_;
  bool unsorted_ = false, keep_order_ = false, fit_losses_ = false;
  int iterations_ = 0;
  unsigned threads_ = 0;
  std::string simd_name_;
  bool stats_ = false;
  TrackOptions track_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_fit() { return std::make_unique<Fit>(); }

}  // namespace gttf::app
