// SPDX-License-Identifier: Apache-2.0
// scan: resolutions over a grid of momentum and angle.
#include "gttf/study/scan/scan.hpp"

#include <algorithm>
#include <utility>

#include "command_line.hpp"
#include "computation.hpp"
#include "gttf/config/diagnostics.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/readable.hpp"
#include "gttf/output/csv.hpp"
#include "gttf/output/json.hpp"
#include "gttf/output/npz.hpp"
#include "gttf/study/report/report.hpp"
#include "gttf/study/scan/average.hpp"
#include "gttf/study/scan/cracks.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_part.hpp"
#include "gttf/study/show/track_view.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "terminal.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

constexpr int title_digits = 6;
constexpr const char* title_of_part = "title";

// "ALICE ITS2: pion, phi = 0 deg": data not in the columns of the terminal.
std::string title(const StudyRequest& request,
                  const std::vector<Detector>& detectors) {
  std::string text;
  if (detectors.size() == 1) text = detectors[0].name + ": ";
  text += particle_text(request.particle);
  if (!request.average || !request.average->phi)
    text +=
        ", phi = " + readable(in_degrees(request.phi), title_digits) + " deg";
  text += start_text(request.vertex);
  if (request.average) text += ", averages over " + to_string(*request.average);
  return text;
}

// Adds the description of the part to the outputs, which must be csv with exact
// numbers.
void mark_as_part(const ScanPart& part, Outputs& outputs) {
  if (!outputs.only(Format::csv) || !outputs.exact())
    throw UsageError(
        "a shard is a part to be merged: write it with -o PART.csv (or "
        "--format csv), without --precision");
  std::string json;
  append_json(json, to_document(part));
  std::string lines;
  for (std::size_t from = 0; from < json.size();) {
    const std::size_t end = std::min(json.find('\n', from), json.size());
    lines += part_line;
    lines.append(json, from, end - from);
    lines += '\n';
    from = end + 1;
  }
  outputs.set_csv_comment(lines);
}

int merge_scans(const Call& call) {
  const Options& options = call.options;
  const std::vector<std::string> names(options.arguments.begin() + 1,
                                       options.arguments.end());
  if (names.empty())
    throw UsageError("nothing to merge: scan merge PART... -o FILE");
  std::optional<Provenance> provenance = provenance_of(call, nullptr, {});
  std::vector<ScanPart> parts;
  for (const std::string& name : names) {
    parts.push_back(scan_part_of(read_json(part_lines(name), name), name));
    if (const auto error = csv_checksum_error(name, "part of a scan"))
      throw FileError(in_quotes(name) + " is damaged: " + *error);
    if (provenance) provenance->inputs.push_back({name, sha256_of_file(name)});
  }
  parts = ordered_parts(std::move(parts));
  Outputs outputs(options, provenance);
  Progress::Settings settings;
  settings.wanted = false;
  Progress bar("merge", settings);
  const ScanPart& any = parts.front();
  join_parts(parts, *outputs.table_sink(text_of(any.study, title_of_part),
                                        columns_for_reading(any), {}, &bar));
  outputs.commit();
  return good;
}

std::size_t write_rows(const Study& study, const ScanOptions& computation,
                       Outputs& outputs, Progress& bar,
                       const std::vector<std::string>& columns) {
  const auto usual = [&study] {
    return study.request.average
               ? average_columns_for_reading(study.request, study.detectors)
               : columns_for_reading(study.request, study.detectors);
  };
  const auto sink =
      outputs.table_sink(title(study.request, study.detectors),
                         columns.empty() ? usual() : columns, columns, &bar);
  return scan(study.request, study.detectors, computation, *sink);
}

// --full
std::size_t write_documents(const Study& study, const ScanOptions& computation,
                            Outputs& outputs, Progress& bar) {
  const auto writers = outputs.json_rows();
  const std::size_t evaluated =
      scan_documents(study.request, study.detectors, computation,
                     [&writers](const Document& document) {
                       for (const auto& writer : writers)
                         writer->write(document);
                     });
  bar.erase();
  for (const auto& writer : writers) writer->finish();
  return evaluated;
}

void check_full(const Options& options, const Outputs& outputs) {
  if (!options.full) return;
  if (!outputs.only(Format::json))
    throw UsageError("--full is for json: add --format json or -o FILE.json");
  if (!options.columns.empty())
    throw UsageError(
        "--full writes everything; --columns cannot be used with it");
  if (options.stats || !options.shard.empty())
    throw UsageError(std::string(options.stats ? "--stats" : "--shard") +
                     " cannot be used with --full");
}

// Columns without averages.
void check_average(const Options& options, const StudyRequest& request) {
  if (!request.average) return;
  for (const auto& [other, name] :
       {std::pair{options.full, "--full"},
        std::pair{!options.shard.empty(), "--shard"}})
    if (other)
      throw UsageError(std::string(name) + " cannot be used with averages");
}

// Below a table on a terminal.
void draw_scan(const Study& study, unsigned threads) {
  const auto figure = scan_figure(study.request, study.detectors, threads);
  if (!figure) return;
  AtomicFile out("-");
  out.stream() << '\n' << drawn_on_terminal(*figure);
  out.commit();
}

int run_scan(const Call& call) {
  Options options = call.options;
  check_formats(options);
  if (!options.arguments.empty() && options.arguments.front() == "merge")
    return merge_scans(call);
  use_simd(options);
  BatchStatistics statistics;
  ScanOptions computation;
  computation.engine = engine_of(options);
  computation.threads = options.threads;
  computation.statistics = &statistics;

  add_usual_tracks(options, usual_momenta, usual_momenta);
  StudyRequest request = request_of(options, "scan");
  check_average(options, request);
  const auto columns =
      !request.average          ? columns_of(options, request.at.has_value())
      : options.columns.empty() ? std::vector<std::string>()
                                : parse_names("--columns", options.columns,
                                              average_column_names(request));
  const Study study = load_study(std::move(request), options);
  for (const Detector& detector : study.detectors)
    model_of(study.request, detector, computation.engine);
  Outputs outputs(options,
                  provenance_of(call, &study.request, study.detectors));
  check_full(options, outputs);
  // other formats are written row by row
  if (outputs.any(Format::table) || outputs.any(Format::markdown))
    check_held(study.request, "print as a table");
  if (outputs.any(Format::npz) && !study.request.average)
    check_npz_size(n_grid_points(study.request) * study.detectors.size(),
                   columns.empty() ? scan_columns().size() : columns.size());
  if (!options.shard.empty()) {
    ScanPart part =
        plan_scan_part(study.request, study.detectors, options.overrides,
                       columns, computation.engine, shard_of(options));
    part.study.set(title_of_part, title(study.request, study.detectors));
    mark_as_part(part, outputs);
    computation.rows = {part.from, part.to};
  }
  // cracks are the same for all parts
  if (computation.rows.from == 0 && !options.quiet)
    for (const Detector& detector : study.detectors)
      app::show(crack_warnings(study.request, detector), options.quiet);
  Progress bar("scan", bar_settings(options));
  computation.progress = [&bar](std::size_t done, std::size_t total) {
    bar.update(done, total);
  };
  const std::size_t evaluated =
      options.full ? write_documents(study, computation, outputs, bar)
                   : write_rows(study, computation, outputs, bar, columns);
  outputs.commit();
  if (options.stats) print_statistics(statistics);
  if (outputs.is_read_on_terminal() && options.shard.empty() &&
      !study.request.average && !options.no_plot)
    draw_scan(study, options.threads);
  return options.shard.empty() ? code_of(evaluated) : good;
}

}  // namespace

const Verb scan_verb{
    "scan",
    of::scan,
    "Compute resolutions over a grid of momentum and angle",
    "On a terminal the table is followed by a drawing of the first resolution.",
    "scan configs/barrel.yaml\n"
    "scan configs/barrel.yaml -o barrel.csv -o barrel.json\n"
    "scan detectors/alice_its2.yaml --p 0.1GeV:100GeV:60 --eta 0:1.2:4\n"
    "scan configs/barrel.yaml --set 'layers[L1].material=0.1 %'\n"
    "scan study.yaml --shard 2/8 -o part2.csv\n"
    "scan merge part*.csv -o study.csv",
    run_scan};

}  // namespace gttf::app
