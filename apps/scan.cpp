// SPDX-License-Identifier: Apache-2.0
// scan: resolutions over a grid of momentum and angle.
#include "gttf/study/scan/scan.hpp"

#include <cstdio>
#include <string_view>
#include <utility>

#include "common.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/readable.hpp"
#include "gttf/study/scan/resolution_table.hpp"
#include "gttf/study/scan/track_documents.hpp"
#include "gttf/study/show/track_view.hpp"
#include "outputs.hpp"
#include "parse.hpp"
#include "scan_parts.hpp"
#include "shipped_option.hpp"
#include "toy_options.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

constexpr int title_digits = 6;

// The columns that fit a terminal: the axes as the user gave them and the
// errors. csv and json have all.
std::vector<std::string> columns_for_reading(
    const StudyRequest& request, const std::vector<Detector>& detectors) {
  std::vector<std::string> columns;
  if (request.detectors.size() > 1) columns.emplace_back("detector");
  const bool by_pt = request.momentum.variable == MomentumAxis::Variable::pt;
  const bool by_eta = request.angle.variable == AngleAxis::Variable::eta;
  columns.emplace_back(by_pt ? "pt_GeV" : "p_GeV");
  columns.emplace_back(by_eta ? "eta" : "theta_deg");
  const auto add = [&columns](std::initializer_list<const char*> names) {
    columns.insert(columns.end(), names.begin(), names.end());
  };
  const bool beam = along_beam(request, detectors);
  add({"n_hits", "x_over_x0", "sigma_p_rel"});
  if (request.at)
    add({"at_status", "sigma_u_at_um", "sigma_v_at_um", "sigma_tu_at_mrad",
         "sigma_tv_at_mrad", "sigma_p_at_rel"});
  else if (beam)
    add({"sigma_x_um", "sigma_y_um", "sigma_tx_mrad", "sigma_ty_mrad"});
  else
    add({"sigma_pt_rel", "sigma_d0_um", "sigma_z0_um", "sigma_phi0_mrad",
         "sigma_theta_mrad"});
  add({"status"});
  return columns;
}

// "ALICE ITS2: pion, phi = 0 deg": what the columns for reading leave out.
std::string title(const StudyRequest& request,
                  const std::vector<Detector>& detectors) {
  std::string text;
  if (detectors.size() == 1) text = detectors[0].name + ": ";
  text += particle_text(request.particle) +
          ", phi = " + readable(in_degrees(request.phi), title_digits) + " deg";
  return text + start_text(request.vertex);
}

class Scan : public Verb {
 public:
  Scan() : Verb("scan", "Resolutions over a grid of momentum and angle") {
    takes_study(command().add_option(
        "STUDY", words_,
        "Study file; - is standard input; options win over it. Or merge and "
        "the parts to join"));
    takes_detector(command().add_option("--detector", track_.study.detectors,
                                        "Detector file; repeatable"))
        ->allow_extra_args(false)
        ->group("Detector");
    declare_overrides(command(), overrides_);
    track_.declare(command(), true);
    track_.declare_at(command());
    compute_.declare(command(), ComputeOptions::Machine::threads_and_vectors);
    command()
        .add_option("--shard", shard_,
                    "Make part k of N only, to be joined by scan merge; needs "
                    "-o PART.csv")
        ->type_name("k/N")
        ->group("Computation");
    command()
        .add_flag("--stats", stats_,
                  "Say on standard error how many tracks took which path")
        ->group("Computation");
    command()
        .add_option("--columns", columns_,
                    "Columns to write: p_GeV,sigma_pt_rel or all")
        ->type_name("NAMES")
        ->group("Output");
    command()
        .add_flag("--full", full_,
                  "json: crossings and covariances of every track")
        ->group("Output");
    output_.declare(command(), true);
    command().footer(
        "\nExamples:\n"
        "  gttf-design scan configs/barrel.yaml\n"
        "  gttf-design scan configs/barrel.yaml -o barrel.csv -o barrel.json\n"
        "  gttf-design scan --detector detectors/alice_its2.yaml "
        "--p 0.1GeV:100GeV:60 --eta 0:1.2:4\n"
        "  gttf-design scan configs/barrel.yaml "
        "--set 'layers[L1].material=0.1 %'\n"
        "  gttf-design scan study.yaml --shard 2/8 -o part2.csv\n"
        "  gttf-design scan merge part*.csv -o study.csv");
  }

  int run(const Call& call) override {
    check_formats(output_);
    if (!words_.empty() && words_.front() == "merge")
      return merge_scans(call, {words_.begin() + 1, words_.end()}, output_);
    const std::string study = study_file();
    if (study.empty() && track_.study.detectors.empty())
      throw UsageError("nothing to scan: give a study file or --detector");
    compute_.use_simd();
    BatchStatistics statistics;
    ScanOptions computation;
    computation.engine = compute_.engine();
    computation.threads = compute_.threads;
    computation.statistics = &statistics;

    const StudyRequest request = read_request(study, track_.study);
    std::vector<std::string> columns;
    if (!columns_.empty())
      columns = parse_columns(columns_, request.at.has_value());
    const std::vector<Detector> detectors =
        load_detectors(request, overrides_, output_.quiet);
    check_engine(computation.engine, request);
    tell_assumed_materials(request, detectors, output_.quiet);
    for (const Detector& detector : detectors) model_of(request, detector);
    Outputs outputs(
        output_, provenance_of(call.arguments, output_, &request, detectors));
    if (full_ && !outputs.only(Format::json))
      throw UsageError("--full is for json: add --format json or -o FILE.json");
    if (full_ && !columns.empty())
      throw UsageError(
          "--full writes everything; --columns does not go with "
          "it");

    if (full_ && (stats_ || !shard_.empty()))
      throw UsageError(std::string(stats_ ? "--stats" : "--shard") +
                       " does not go with --full");
    if (!shard_.empty()) {
      const ScanPart part =
          plan_scan_part(request, detectors, overrides_, columns,
                         computation.engine, parse_shard(shard_));
      mark_as_part(part, outputs);
      computation.rows = {part.from, part.to};
    }

    const std::size_t evaluated =
        full_ ? write_documents(request, detectors, computation, outputs)
              : write_rows(request, detectors, computation, outputs, columns);
    outputs.commit();
    if (stats_) std::fputs(text_of(statistics).c_str(), stderr);
    if (evaluated > 0 || !shard_.empty()) return good;
    std::fputs(
        "gttf-design: no track could be evaluated; the column status "
        "tells why\n",
        stderr);
    return no_track;
  }

 private:
  std::string study_file() const {
    if (words_.size() > 1)
      throw UsageError("one study at a time, got " + joined(words_) +
                       "; parts are joined by: scan merge PART... -o FILE");
    return words_.empty() ? "" : words_.front();
  }

  Progress::Settings bar_settings() const {
    Progress::Settings settings;
    settings.wanted = !output_.quiet && !output_.no_progress;
    return settings;
  }

  std::size_t write_rows(const StudyRequest& request,
                         const std::vector<Detector>& detectors,
                         ScanOptions computation, Outputs& outputs,
                         const std::vector<std::string>& columns) const {
    Progress bar("scan", bar_settings());
    computation.progress = [&bar](std::size_t done, std::size_t total) {
      bar.update(done, total);
    };
    const auto sink = outputs.table_sink(
        title(request, detectors),
        columns.empty() ? columns_for_reading(request, detectors) : columns,
        columns, &bar);
    return scan(request, detectors, computation, *sink);
  }

  std::size_t write_documents(const StudyRequest& request,
                              const std::vector<Detector>& detectors,
                              ScanOptions computation, Outputs& outputs) const {
    Progress bar("scan", bar_settings());
    computation.progress = [&bar](std::size_t done, std::size_t total) {
      bar.update(done, total);
    };
    const auto writers = outputs.json_rows();
    const std::size_t evaluated = scan_documents(
        request, detectors, computation, [&writers](const Document& document) {
          for (const auto& writer : writers) writer->write(document);
        });
    bar.erase();
    for (const auto& writer : writers) writer->finish();
    return evaluated;
  }

  std::vector<std::string> words_;  // STUDY, or "merge" and the parts
  std::vector<std::string> overrides_;
  std::string columns_;
  std::string shard_;
  bool full_ = false;
  bool stats_ = false;
  TrackOptions track_;
  ComputeOptions compute_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_scan() { return std::make_unique<Scan>(); }

}  // namespace gttf::app
