// SPDX-License-Identifier: Apache-2.0
// sweep: resolutions for all values of some keys of a detector.
#include "gttf/study/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "command_line.hpp"
#include "computation.hpp"
#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/plot/svg_plot.hpp"
#include "gttf/study/request/read_follow.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/sweep/sweep_figure.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "rsvg.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

Reduction reduction_of(const Options& options) {
  if (options.reduce == "mean") return Reduction::mean;
  return options.reduce == "worst" ? Reduction::worst : Reduction::none;
}

std::vector<std::string> with_keys(const StudyRequest& request,
                                   std::vector<std::string> columns) {
  std::vector<std::string> all;
  for (const VariedKey& key : request.vary) all.push_back(key.column);
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

// The columns that fit a terminal.
std::vector<std::string> shown_columns(const Study& study,
                                       const SweepOptions& options) {
  const StudyRequest& request = study.request;
  std::vector<std::string> columns =
      columns_for_reading(request, study.detectors);
  const auto drop = [&columns](std::initializer_list<const char*> names) {
    for (const char* name : names) std::erase(columns, name);
  };
  const bool reduced = options.reduction != Reduction::none;
  if (reduced || request.momentum.values.size() == 1) drop({"p_GeV", "pt_GeV"});
  if (reduced || request.angle.values.size() == 1) drop({"theta_deg", "eta"});
  if (reduced) drop({"at_status"});
  return with_keys(request, std::move(columns));
}

// "ALICE ITS2: pion, p = 1 GeV, theta = 90 deg": data not in the columns.
std::string title(const Study& study, const SweepOptions& options) {
  const StudyRequest& request = study.request;
  std::string text;
  if (study.detectors.size() == 1) text = study.detectors[0].name + ": ";
  text += request.particle.name;
  const std::size_t tracks = n_grid_points(request);
  if (options.reduction != Reduction::none)
    return text +
           fmt::format(", {} of {} track{}",
                       options.reduction == Reduction::mean ? "mean" : "worst",
                       tracks, tracks == 1 ? "" : "s");
  if (request.momentum.values.size() == 1)
    text += fmt::format(
        ", {} = {} GeV",
        request.momentum.variable == MomentumAxis::Variable::pt ? "pt" : "p",
        request.momentum.values[0]);
  if (request.angle.values.size() == 1)
    text += request.angle.variable == AngleAxis::Variable::eta
                ? fmt::format(", eta = {}", request.angle.values[0])
                : fmt::format(", theta = {} deg",
                              in_degrees(request.angle.values[0]));
  return text;
}

// --plot
class PlottedSweep {
 public:
  PlottedSweep(const Options& options, const Study& study,
               const SweepOptions& computation, TableSink& rows)
      : file_(options.sweep_plot),
        format_(image_format_of("--plot", options.sweep_plot)),
        zoom_(options.zoom),
        title_(title(study, computation)) {
    check_given_once("--plot", options.sweep_plot, options.files);
    std::vector<std::string> columns = computation.columns;
    if (columns.empty()) columns = shown_columns(study, computation);
    if (study.detectors.front().field.kind == FieldKind::none)
      std::erase_if(columns, [](const std::string& name) {
        return name == "sigma_p_rel" || name == "sigma_pt_rel";
      });
    else if (computation.columns.empty())
      std::erase(columns,
                 "sigma_p_rel");  // pt is the usual criterion for designs
    std::vector<std::string> names;
    for (const Detector& d : study.detectors) names.push_back(d.name);
    try {
      figure_.emplace(study.request, std::move(names), computation.reduction,
                      columns, rows);
    } catch (const std::invalid_argument& reason) {
      throw UsageError(std::string("--plot: ") + reason.what());
    }
  }

  TableSink& sink() { return *figure_; }
  void write(const std::optional<Provenance>& provenance) {
    try {
      file_.stream() << convert_svg(
          figure_file(figure_->figure(title_), provenance), format_, zoom_);
    } catch (const std::invalid_argument& reason) {
      throw UsageError(std::string("--plot: ") + reason.what());
    }
  }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
  ImageFormat format_;
  double zoom_;
  std::string title_;
  std::optional<SweepFigure> figure_;
};

int run_sweep(const Call& call) {
  const Options& options = call.options;
  check_formats(options);
  use_simd(options);
  BatchStatistics statistics;
  SweepOptions computation;
  computation.scan.engine = engine_of(options);
  computation.scan.threads = options.threads;
  computation.scan.statistics = &statistics;
  computation.reduction = reduction_of(options);

  StudyRequest request = request_of(options, "sweep");
  if (request.vary.empty())
    throw UsageError(
        "nothing to vary: give --vary 'layers[L0].cylinder.radius=20mm:30mm:11'"
        ", or a study with \"vary\"");
  if (!options.columns.empty())
    computation.columns = parse_names(
        "--columns", options.columns,
        sweep_column_names(request.at.has_value(), computation.reduction));
  computation.follow = read_follow(request.file, options.follow);
  const Study study = load_study(std::move(request), options);
  for (const Detector& detector : study.detectors)
    model_of(study.request, detector, computation.scan.engine);
  const auto provenance = provenance_of(call, &study.request, study.detectors);
  Outputs outputs(options, provenance);
  Progress bar("sweep", bar_settings(options));
  computation.scan.progress = [&bar](std::size_t done, std::size_t total) {
    bar.update(done, total);
  };
  const bool all = computation.columns.empty();
  const auto chosen = with_keys(study.request, computation.columns);
  const auto sink =
      outputs.table_sink(title(study, computation),
                         all ? shown_columns(study, computation) : chosen,
                         all ? std::vector<std::string>{} : chosen, &bar);
  std::optional<PlottedSweep> plot;
  if (!options.sweep_plot.empty())
    plot.emplace(options, study, computation, *sink);
  const SweepResult result = sweep(study.request, study.inputs, computation,
                                   plot ? plot->sink() : *sink);
  if (plot) plot->write(provenance);
  outputs.commit();
  if (plot) plot->commit();
  if (result.invalid > 0 && !options.quiet)
    print_note(fmt::format(
        "gttf-design: warning: {} of {} combinations are not valid detectors; "
        "their rows have no values. The first is {}\n",
        result.invalid, result.designs, result.first_invalid));
  if (options.stats) print_statistics(statistics);
  return code_of(result.evaluated);
}

}  // namespace

const Verb sweep_verb{
    "sweep",
    of::sweep,
    "Compute resolutions for a range of values of keys of the detector",
    "Each --vary, or each key under \"vary\" in the study, is a column in "
    "front of\n"
    "the columns of scan; all combinations of values are calculated. With "
    "--reduce,\n"
    "each combination has one row.",
    "sweep detectors/alice_its2.yaml --p 1GeV --vary "
    "'layers[L0].cylinder.radius=20mm:30mm:11'\n"
    "sweep detectors/cld.yaml --p 1GeV,10GeV --vary field.solenoid=1T:4T:7 "
    "--vary "
    "'layers[0:2].material=0.3%,0.5%' -o field.csv\n"
    "sweep configs/barrel.yaml --vary field.solenoid=1T:4T:7 --reduce worst",
    run_sweep};

}  // namespace gttf::app
