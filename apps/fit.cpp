// SPDX-License-Identifier: Apache-2.0
// fit: fits the measured tracks of a file of hits.
#include "gttf/study/hits/fit_study.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "command_line.hpp"
#include "computation.hpp"
#include "gttf/config/quantity.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/fit/triplet/fit_kinds.hpp"
#include "gttf/study/hits/fit_table.hpp"
#include "gttf/study/show/track_view.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

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

std::string text_of(const FitCounts& counts) {
  const BatchStatistics& s = counts.batch;
  std::ostringstream text;
  const auto line = [&text](std::size_t n, const char* what) {
    if (n > 0) text << "  " << n << ' ' << what << '\n';
  };
  text << counts.tracks << " tracks, vectors " << to_string(simd_level())
       << '\n';
  line(s.vectorised, "vectorised");
  line(s.doubtful, "scalar path: a coarse hit, a strong bend or a failed fit");
  line(s.unsupported,
       "scalar path: field, beam spot, errors or order of hits, too few "
       "coordinates or options not vectorised");
  line(counts.tracks - s.tracks, "not fitted: the hits do not form a track");
  return text.str();
}

constexpr std::array<std::pair<std::string_view, WeightSource>, 3> sources{{
    {"estimate", WeightSource::estimate},
    {"local", WeightSource::local},
    {"update", WeightSource::update},
}};

// The names were checked against the table of options.
FitKind kind_of(std::string_view name) {
  const auto fits = detail::described_fits();
  return std::ranges::find(fits, name, &detail::DescribedFit::name)->kind;
}

WeightSource source_of(std::string_view name) {
  return std::ranges::find(sources, name, [](const auto& v) { return v.first; })
      ->second;
}

HitFileOptions reading_of(const Options& options) {
  return {options.bad_rows == "skip" ? BadRows::skip : BadRows::stop,
          options.unsorted ? TrackOrder::any : TrackOrder::contiguous,
          thread_count(options.threads)};
}

FitStudyOptions study_of(const Options& options) {
  FitStudyOptions result;
  result.kind = kind_of(options.fit);
  result.fit_name = options.fit;
  const std::string source = !options.weights.empty()
                                 ? options.weights
                                 : (options.p ? "estimate" : "update");
  result.fit.weights = source_of(source);
  result.fit.relinearisations = options.iterations;
  result.hits.order =
      options.keep_order ? HitOrder::as_given : HitOrder::along_track;
  const Parsed<double> distance =
      parse_quantity(options.max_distance, Dimension::length);
  if (!distance)
    throw UsageError(
        "--max-distance: " + distance.problem +
        (distance.suggestion.empty() ? "" : "; " + distance.suggestion));
  if (!(distance.value > 0))
    throw UsageError("--max-distance: the distance must be positive, got " +
                     in_quotes(options.max_distance));
  result.hits.max_distance = distance.value;
  result.threads = thread_count(options.threads);
  return result;
}

// Fitted losses are written to the table of residuals.
void request_losses(const Options& options, StudyRequest& request) {
  if (!options.fit_energy_loss) return;
  if (options.residuals.empty())
    throw UsageError(
        "--fit-energy-loss: the losses are in the table of residuals, add "
        "--residuals FILE");
  if (straggles(request.energy_loss)) return;
  if (options.energy_loss)
    throw UsageError(
        "--fit-energy-loss needs straggling: leave out --energy-loss, or give "
        "straggling or straggling-variance");
  request.energy_loss = EnergyLoss::straggling;
}

// With the momentum for the scattering angles.
FitStudyOptions with_momentum(FitStudyOptions study,
                              const StudyRequest& request,
                              const Detector& detector) {
  if (!request.momentum.values.empty())
    study.hits.momentum = request.momentum.values[0];
  if (lacks_momentum(study, request, detector))
    throw UsageError(
        "the detector has no field, so the momentum is not measured: "
        "give --p for the scattering, or --scattering off");
  return study;
}

// --columns; empty: default of the format.
std::vector<std::string> column_names(const Options& options, bool events,
                                      const Detector& detector) {
  if (options.columns.empty()) return {};
  return parse_names(
      "--columns", options.columns,
      fit_column_names({.events = events,
                        .along_beam = is_beam_detector(detector),
                        .momentum = detector.field.kind == FieldKind::none}));
}

class Fitter {
 public:
  explicit Fitter(const Options& options) : options_(options) {}

  int run(const Call& call) {
    check_formats(options_);
    use_simd(options_);
    OutputOptions residual_output = options_;
    residual_output.files = {options_.residuals};
    residual_output.format.clear();
    if (!options_.residuals.empty()) check_formats(residual_output);
    const FitStudyOptions study = study_of(options_);
    const std::string& detector_file = options_.detectors.front();
    if (detector_file == "-" && options_.hits == "-")
      throw UsageError(
          "standard input (\"-\") can be read only once; give the detector as "
          "a file");

    const Detector detector = load_detector(options_);
    StudyRequest request = with_model_of(read_fit_request(options_), detector);
    request_losses(options_, request);
    print_assumed_materials(request, {&detector, 1}, options_.quiet);
    const FitStudyOptions complete = with_momentum(study, request, detector);
    // known after reading the file; computed immediately if needed earlier
    const bool hash_later =
        are_completed_later(options_) &&
        (options_.residuals.empty() || are_completed_later(residual_output));
    HitFileOptions reading = reading_of(options_);
    reading.hashed = hash_later && !options_.no_provenance;
    HitFile file(options_.hits, detector, reading);
    const std::vector<std::string> columns =
        column_names(options_, file.has_events(), detector);
    show(file.messages(), options_.quiet);
    const std::size_t n_warnings = file.messages().items().size();

    auto provenance = provenance_of(call, nullptr, {&detector, 1});
    if (provenance) {
      InputFile& hits = provenance->inputs.emplace_back();
      hits.file = options_.hits;
      hits.pending = hash_later ? file.reader().sha256() : hash_now();
    }
    Outputs outputs(options_, provenance);
    std::optional<Outputs> residual_outputs;
    if (!options_.residuals.empty()) {
      std::vector<std::string> taken = options_.files;
      if (taken.empty()) taken.emplace_back("-");
      for (const std::string& other : taken)
        if (other == options_.residuals)
          throw UsageError("--residuals " + in_quotes(options_.residuals) +
                           ": the tracks are written there already");
      residual_outputs.emplace(residual_output, provenance, "--residuals");
    }
    if (writes_stdout() && reading.bad_rows == BadRows::stop)
      check_all(detector);

    const FitCounts counts = fit_all(detector, request, file, complete, outputs,
                                     residual_outputs, columns);
    outputs.commit();
    if (residual_outputs) residual_outputs->commit();
    report(file, counts, n_warnings);
    if (options_.stats) print_note(text_of(counts));
    return counts.fitted > 0 ? good : no_track;
  }

 private:
  // Hash of the file of hits, computed while the first tracks are fitted.
  std::shared_future<std::string> hash_now() const {
    const bool for_reading =
        options_.files.empty() &&
        (options_.format.empty() || options_.format == "table" ||
         options_.format == "markdown") &&
        options_.residuals.empty();
    if (for_reading) return {};  // shows no inputs
    if (thread_count(options_.threads) > 1) try {
        return std::async(std::launch::async, sha256_of_file, options_.hits);
      } catch (const std::system_error&) {
        ++refused_threads();
      }
    return std::async(std::launch::deferred, sha256_of_file, options_.hits);
  }

  bool writes_stdout() const {
    return options_.files.empty() ||
           std::ranges::find(options_.files, "-") != options_.files.end();
  }

  // Standard output cannot be revoked, so a file is read to its end first; this
  // is impossible for a pipe.
  void check_all(const Detector& detector) const {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(options_.hits, ignored)) return;
    HitFile file(options_.hits, detector, reading_of(options_));
    while (!file.next().empty()) continue;
  }

  FitCounts fit_all(const Detector& detector, const StudyRequest& request,
                    HitFile& file, FitStudyOptions study, Outputs& outputs,
                    std::optional<Outputs>& residual_outputs,
                    const std::vector<std::string>& columns) const {
    Progress bar("fit", bar_settings(options_));
    const auto size = static_cast<double>(file.reader().size());
    if (size > 0)
      study.progress = [&](std::size_t tracks) {
        const double read = static_cast<double>(file.reader().bytes_read());
        bar.update(tracks, static_cast<std::size_t>(
                               static_cast<double>(tracks) * size / read));
      };
    const std::string title =
        detector.name + ": " +
        (options_.hits == "-" ? "standard input" : options_.hits) + ", " +
        particle_text(request.particle) + ", " + options_.fit + " fit";
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
    show(bad, options_.quiet);
    if (options_.quiet) return;
    if (const std::size_t n = file.bad_rows(); n > 0)
      print_note("gttf-design: " + std::to_string(n) + " bad " +
                 (n == 1 ? "row" : "rows") + " left out\n");
    if (counts.fitted == counts.tracks && counts.tracks > 0) return;
    if (counts.tracks == 0)
      print_note("gttf-design: the file has no hits\n");
    else if (counts.fitted == 0)
      print_note(
          "gttf-design: no track could be fitted; see column \"status\" "
          "for the reason\n");
    else
      print_note(
          "gttf-design: " + std::to_string(counts.tracks - counts.fitted) +
          " of " + std::to_string(counts.tracks) +
          " tracks could not be fitted; see column \"status\" for the "
          "reason\n");
  }

  const Options& options_;
};

int run_fit(const Call& call) { return Fitter(call.options).run(call); }

}  // namespace

const Verb fit_verb{"fit",
                    of::fit,
                    "Fit measured tracks: hits in, track parameters out",
                    "",
                    "fit detectors/alice_its2.yaml configs/its2-hits.csv\n"
                    "fit detectors/alice_its2.yaml hits.csv -o tracks.csv "
                    "--residuals residuals.csv\n"
                    "fit detectors/alice_its2.yaml - --particle muon "
                    "--bad-rows skip -o tracks.csv",
                    run_fit};

}  // namespace gttf::app
