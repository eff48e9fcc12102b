// SPDX-License-Identifier: Apache-2.0
// export: a detector as a Delphes geometry, a list of modules, its field map in
// binary form, or a lookup table of covariances.
#include <vector>

#include "computation.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/binary_field_map.hpp"
#include "gttf/detector/field_grid_file.hpp"
#include "gttf/detector/import/export.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

// Rejects options without effect on a description.
void check_description_options(const Options& options) {
  for (const Option* option : options.given)
    if (option->group == Group::track || option->group == Group::computation ||
        option->name() == "--format" || option->name() == "--precision" ||
        option->name() == "--no-provenance")
      throw UsageError(std::string(option->name()) +
                       " is for --to lut: a description has no tracks");
  if (options.files.size() > 1) throw UsageError("-o: given more than once");
}

int write_description(const Options& options) {
  check_description_options(options);
  const bool is_card = options.export_format == "delphes";
  const std::string target =
      options.files.empty() ? "-" : options.files.front();
  if (is_card)
    check_ending(target, {".tcl"}, "a card is Tcl");
  else
    check_ending(target, {".csv"}, "a list of modules is CSV");
  const Detector detector = load_detector(options);
  const Exported foreign =
      is_card ? to_delphes(detector) : to_module_list(detector);
  if (!options.lossy && !foreign.losses.empty())
    throw InputError(foreign.losses);
  if (foreign.rows == 0)
    throw UsageError(
        in_quotes(options.detectors.front()) +
        ": Delphes supports none of its layers; nothing is left to write");
  AtomicFile out(target);
  out.stream() << foreign.text;
  out.commit();
  Diagnostics warnings;
  for (Diagnostic d : foreign.losses.items()) {
    d.severity = Severity::warning;
    warnings.add(std::move(d));
  }
  app::show(warnings, options.quiet);
  return good;
}

// The nodes as in the file of the map: scale, offset and symmetry remain in
// the description.
int write_field_map(const Options& options) {
  check_description_options(options);
  if (options.lossy)
    throw UsageError("--lossy is for --to delphes and --to modules");
  const std::string target =
      options.files.empty() ? "-" : options.files.front();
  check_ending(target, {".fieldmap"}, "a field map in binary form");
  const Detector detector = load_detector(options);
  if (!detector.field.map)
    throw UsageError(in_quotes(options.detectors.front()) +
                     ": its field is not a map: field: { map: FILE }");
  Diagnostics diagnostics;
  const auto grid = read_field_grid(detector.field.map->path(), diagnostics);
  if (!grid) throw InputError(std::move(diagnostics));
  AtomicFile out(target);
  write_binary_field_map(out.stream(), *grid);
  out.commit();
  return good;
}

int write_lookup_table(const Call& call) {
  const Options& options = call.options;
  if (options.lossy)
    throw UsageError("--lossy is for --to delphes and --to modules");
  OutputOptions output = options;
  if (output.format.empty() && output.files.empty()) output.format = "csv";
  check_formats(output);
  use_simd(options);
  const Study study = load_study(read_request("", options), options);
  ScanOptions computation{engine_of(options), options.threads, {}};
  for (const Detector& detector : study.detectors)
    model_of(study.request, detector, computation.engine);
  Outputs outputs(output, provenance_of(call, &study.request, study.detectors));
  if (outputs.any(Format::table) || outputs.any(Format::markdown))
    throw UsageError(
        "a lookup table is csv, json or npz: use --format csv or -o FILE.csv");
  Progress bar("export", bar_settings(options));
  computation.progress = [&bar](std::size_t done, std::size_t total) {
    bar.update(done, total);
  };
  const auto sink = outputs.table_sink("", {}, {}, &bar);
  const std::size_t evaluated =
      scan_covariances(study.request, study.detectors, computation, *sink);
  outputs.commit();
  return code_of(evaluated);
}

int run_export(const Call& call) {
  const std::string& format = call.options.export_format;
  return format == "lut"         ? write_lookup_table(call)
         : format == "field-map" ? write_field_map(call.options)
                                 : write_description(call.options);
}

}  // namespace

const Verb export_verb{
    "export",
    of::export_,
    "Convert a detector for other programs: card, list of modules or lookup "
    "table",
    "The options of track, computation and format are for the lookup table, "
    "which is\n"
    "csv or json. The binary form of a field map is for this program.",
    "export detectors/cld.yaml --to delphes -o cld.tcl\n"
    "export detectors/cms_phase2.yaml --to modules -o cms.csv\n"
    "export my_spectrometer.yaml --to field-map -o magnet.fieldmap\n"
    "export detectors/cld.yaml --to lut --pt 0.1GeV:100GeV:50 --eta 0:2.5:26 "
    "-o cld-lut.csv",
    run_export};

}  // namespace gttf::app
