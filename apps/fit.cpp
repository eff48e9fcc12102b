// SPDX-License-Identifier: Apache-2.0
// fit: fits the measured tracks of a file of hits.
#include "gttf/study/hits/fit_study.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <future>
#include <sstream>
#include <string_view>
#include <utility>

#include "common.hpp"
#include "fit_options.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/study/hits/fit_table.hpp"
#include "gttf/study/show/track_view.hpp"
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
  line(counts.tracks - s.tracks, "not fitted: the hits make no track");
  return text.str();
}

class Fit : public Verb {
 public:
  Fit() : Verb("fit", "Fits measured tracks: hits in, track parameters out") {
    options_.declare(command());
    command().footer(
        "\nExamples:\n"
        "  gttf-design fit detectors/alice_its2.yaml configs/its2-hits.csv\n"
        "  gttf-design fit detectors/alice_its2.yaml hits.csv -o tracks.csv "
        "--residuals residuals.csv\n"
        "  zcat hits.csv.gz | gttf-design fit detectors/alice_its2.yaml - "
        "--particle muon --bad-rows skip -o tracks.csv");
  }

  int run(const Call& call) override {
    check_formats(options_.output);
    use_simd(options_.simd_name);
    OutputOptions residual_output = options_.output;
    residual_output.files = {options_.residuals};
    residual_output.format.clear();
    if (!options_.residuals.empty()) check_formats(residual_output);
    const FitStudyOptions study = options_.study();
    if (options_.detector == "-" && options_.hits == "-")
      throw UsageError(
          "standard input (\"-\") can be read only once; give the detector as "
          "a file");

    const Detector detector = load_detector(
        options_.detector, options_.overrides, options_.output.quiet);
    StudyRequest request = read_fit_request(options_.track.study);
    options_.ask_for_losses(request);
    tell_assumed_materials(request, {&detector, 1}, options_.output.quiet);
    const FitStudyOptions complete = with_momentum(study, request, detector);
    // known when the file has been read, and if that is too late made at once
    const bool hash_later =
        are_completed_later(options_.output) &&
        (options_.residuals.empty() || are_completed_later(residual_output));
    HitFileOptions reading = options_.reading();
    reading.hashed = hash_later && !options_.output.no_provenance;
    HitFile file(options_.hits, detector, reading);
    const std::vector<std::string> columns =
        options_.column_names(file.has_events(), detector);
    show(file.messages(), options_.output.quiet);
    const std::size_t n_warnings = file.messages().items().size();

    auto provenance =
        provenance_of(call.arguments, options_.output, nullptr, {&detector, 1});
    if (provenance) {
      InputFile& hits = provenance->inputs.emplace_back();
      hits.file = options_.hits;
      hits.pending = hash_later ? file.reader().sha256() : hash_now();
    }
    Outputs outputs(options_.output, provenance);
    std::optional<Outputs> residual_outputs;
    if (!options_.residuals.empty()) {
      std::vector<std::string> taken = options_.output.files;
      if (taken.empty()) taken.emplace_back("-");
      for (const std::string& other : taken)
        if (other == options_.residuals)
          throw UsageError("--residuals " + in_quotes(options_.residuals) +
                           ": the tracks go there already");
      residual_outputs.emplace(residual_output, provenance, "--residuals");
    }
    if (writes_stdout() && reading.bad_rows == BadRows::stop)
      check_all(detector);

    const FitCounts counts = fit_all(detector, request, file, complete, outputs,
                                     residual_outputs, columns);
    outputs.commit();
    if (residual_outputs) residual_outputs->commit();
    report(file, counts, n_warnings);
    if (options_.stats) std::fputs(text_of(counts).c_str(), stderr);
    return counts.fitted > 0 ? good : no_track;
  }

 private:
  // Of the file of hits, made while the first tracks are fitted.
  std::shared_future<std::string> hash_now() const {
    const bool for_reading =
        options_.output.files.empty() &&
        (options_.output.format.empty() || options_.output.format == "table" ||
         options_.output.format == "markdown") &&
        options_.residuals.empty();
    if (for_reading) return {};  // shows no inputs
    const auto when = thread_count(options_.threads) > 1
                          ? std::launch::async
                          : std::launch::deferred;
    return std::async(when, sha256_of_file, options_.hits);
  }

  bool writes_stdout() const {
    return options_.output.files.empty() ||
           std::ranges::find(options_.output.files, "-") !=
               options_.output.files.end();
  }

  // What is on standard output cannot be taken back: a file is read to its end
  // first. A pipe cannot be.
  void check_all(const Detector& detector) const {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(options_.hits, ignored)) return;
    HitFile file(options_.hits, detector, options_.reading());
    while (!file.next().empty()) continue;
  }

  FitCounts fit_all(const Detector& detector, const StudyRequest& request,
                    HitFile& file, FitStudyOptions study, Outputs& outputs,
                    std::optional<Outputs>& residual_outputs,
                    const std::vector<std::string>& columns) const {
    Progress::Settings settings;
    settings.wanted = !options_.output.quiet && !options_.output.no_progress;
    Progress bar("fit", settings);
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
        particle_text(request.particle) + ", " + options_.kind + " fit";
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
    show(bad, options_.output.quiet);
    if (options_.output.quiet) return;
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

  FitVerbOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_fit() { return std::make_unique<Fit>(); }

}  // namespace gttf::app
