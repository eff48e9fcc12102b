// SPDX-License-Identifier: Apache-2.0
#include "inputs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/node.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/study/request/read_designs.hpp"
#include "gttf/study/scan/track_notes.hpp"
#include "messages.hpp"
#include "usage.hpp"

namespace gttf::app {
namespace {

// Most files are detectors; avoid parsing them twice.
FileKind kind_of(const SourcePtr& source) {
  const std::string& text = source->text();
  if (text.find_first_not_of(" \t\r\n") == text.npos) return FileKind::empty;
  if (text.find("gttf-study") == text.npos &&
      text.find("gttf-requirements") == text.npos &&
      text.find("gttf-optimisation") == text.npos)
    return FileKind::detector;
  // its reader accepts more than YAML, see docs/reference/optimise.md
  if (text.starts_with("gttf-optimisation:") ||
      text.find("\ngttf-optimisation:") != text.npos)
    return FileKind::optimisation;
  Diagnostics ignored;
  const std::optional<Node> root = parse_yaml(source, "", ignored);
  if (root && root->find("gttf-study")) return FileKind::study;
  if (root && root->find("gttf-requirements")) return FileKind::requirements;
  if (root && root->find("gttf-optimisation")) return FileKind::optimisation;
  return FileKind::detector;
}

// Errors in the files are reported first; missing options are irrelevant
// without a readable file.
Diagnostics with_errors_of_detectors(const std::vector<std::string>& files,
                                     const Diagnostics& others) {
  Diagnostics errors;
  for (const std::string& file : files) {
    try {
      read_detector(file);
    } catch (const InputError& error) {
      errors.add(error.diagnostics());
    }
  }
  errors.add(others);
  return errors;
}

}  // namespace

FileKind kind_of(const std::string& file) {
  Diagnostics ignored;  // the reader of the file reports them
  const SourcePtr source = read_source(file, ignored);
  if (!source) return FileKind::detector;
  return kind_of(source);
}

SortedArguments sort_arguments(const Options& options) {
  SortedArguments sorted{{}, options};
  std::vector<std::string> studies, detectors;
  for (const std::string& file : options.arguments) {
    const FileKind kind = kind_of(file);
    // the reader of studies reports an empty file
    const bool study = kind == FileKind::study || kind == FileKind::empty;
    (study ? studies : detectors).push_back(file);
  }
  if (studies.size() > 1)
    throw UsageError("one study at a time, got " + joined(studies));
  if (!studies.empty()) sorted.file = studies.front();
  sorted.options.detectors.insert(sorted.options.detectors.begin(),
                                  detectors.begin(), detectors.end());
  return sorted;
}

void add_usual_tracks(Options& options, const std::string& pt,
                      const std::string& p) {
  if (options.p || options.pt) return;
  const SortedArguments sorted = sort_arguments(options);
  if (!sorted.file.empty() || sorted.options.detectors.empty()) return;
  const std::string& file = sorted.options.detectors.front();
  bool has_barrel = true, is_readable = true;
  if (file != "-") {
    try {
      const Detector detector = read_detector(file, options.overrides).detector;
      has_barrel = std::ranges::any_of(detector.layers, [](const Layer& layer) {
        return layer.measures() && layer.surface.shape == Shape::cylinder;
      });
    } catch (const InputError&) {
      is_readable = false;  // errors are reported when it is read again
    }
  }
  (has_barrel ? options.pt : options.p) = has_barrel ? pt : p;
  if (!options.theta && !options.eta && !has_barrel) options.theta = "0deg";
  if (options.quiet || !is_readable) return;
  std::string note = has_barrel ? "--pt " + pt : "--p " + p;
  if (options.theta)
    note += " --theta " + *options.theta;
  else if (!options.eta)
    note += " --theta 90deg";
  print_note("gttf-design: note: no momentum given; using " + note + '\n');
}

StudyRequest request_of(const Options& options, const std::string& purpose) {
  const SortedArguments sorted = sort_arguments(options);
  if (sorted.file.empty() && sorted.options.detectors.empty())
    throw UsageError("nothing to " + purpose +
                     ": give a detector or a study file");
  try {
    StudyRequest request = read_request(sorted.file, sorted.options);
    if (!request.vary.empty() && purpose != "sweep" && !options.quiet)
      print_note(
          "gttf-design: note: " + sorted.file +
          ": only 'sweep' varies the keys under \"vary\"; here they keep the "
          "values of the detector\n");
    constexpr std::array averaging{"scan", "simulate", "store", "show"};
    if (request.average && !options.quiet &&
        std::ranges::find(averaging, purpose) == averaging.end())
      print_note(
          "gttf-design: note: " + sorted.file +
          ": \"average\" of the study is ignored: these are results of single "
          "tracks\n");
    return request;
  } catch (const InputError& error) {
    if (!sorted.file.empty()) throw;
    throw InputError(with_errors_of_detectors(sorted.options.detectors,
                                              error.diagnostics()));
  }
}

void check_held(const StudyRequest& request, const std::string& purpose,
                std::size_t most) {
  const std::size_t momenta = request.momentum.values.size();
  const std::size_t angles = request.angle.values.size();
  const std::size_t detectors =
      std::max<std::size_t>(1, request.detectors.size());
  if (momenta <= most / angles / detectors) return;
  throw UsageError(
      "too many tracks to " + purpose + ": " + std::to_string(momenta) +
      " momenta, " + std::to_string(angles) + " angles, " +
      std::to_string(detectors) +
      (detectors == 1 ? " detector" : " detectors") + "; at most " +
      std::to_string(most) +
      " tracks fit into memory; give fewer points (scan to CSV has no limit)");
}

Study read_study(const Options& options, const std::string& purpose) {
  StudyRequest request = request_of(options, purpose);
  check_held(request, purpose);
  return load_study(std::move(request), options);
}

Study read_study_of_layers(const Options& options, const std::string& purpose) {
  Study study = read_study(options, purpose);
  std::size_t most_layers = 1;
  for (const Detector& detector : study.detectors)
    most_layers = std::max(most_layers, detector.layers.size());
  check_held(study.request, purpose, most_rows / most_layers);
  return study;
}

Study load_study(StudyRequest request, const Options& options) {
  Study study;
  study.request = std::move(request);
  study.inputs = load_inputs(study.request, options.overrides, options.quiet);
  for (const DetectorInput& input : study.inputs)
    study.detectors.push_back(input.detector);
  print_notes(study.request, study.detectors, options.quiet);
  return study;
}

Detector load_detector(const Options& options) {
  if (options.detectors.size() > 1)
    throw UsageError("one detector at a time, got " +
                     joined(options.detectors));
  const bool has_spot = options.beam_spot && *options.beam_spot != "off";
  DetectorInput input =
      read_detector(options.detectors.front(), options.overrides, has_spot);
  show(input.warnings, options.quiet);
  return std::move(input.detector);
}

void print_assumed_materials(const StudyRequest& request,
                             std::span<const Detector> detectors, bool quiet) {
  if (quiet) return;
  for (const Detector& detector : detectors)
    if (const auto note = assumed_materials_note(request, detector))
      print_note("gttf-design: note: " + *note + '\n');
}

void print_notes(const StudyRequest& request,
                 std::span<const Detector> detectors, bool quiet) {
  print_assumed_materials(request, detectors, quiet);
  if (quiet) return;
  for (const Detector& detector : detectors)
    for (const std::string& warning : start_warnings(request, detector))
      print_note("gttf-design: warning: " + warning + '\n');
}

std::vector<DetectorInput> load_inputs(StudyRequest& request,
                                       std::span<const std::string> overrides,
                                       bool quiet) {
  std::vector<DetectorInput> inputs = read_designs(request, overrides);
  for (const DetectorInput& input : inputs) show(input.warnings, quiet);
  return inputs;
}

RequirementFile requirements_for(const std::string& file,
                                 const StudyRequest& study) {
  StudyOptions options;
  options.detectors = study.detectors;
  return read_requirements(file, options, "", load_baseline);
}

namespace {

/// "IDEA: scattering highland-total" if the models of the detector are used.
std::optional<std::string> own_model(const Detector& detector,
                                     bool chosen_scattering,
                                     bool chosen_energy_loss) {
  std::vector<std::string> parts;
  const PhysicsModel& own = detector.model;
  if (own.scattering && !chosen_scattering)
    parts.push_back("scattering " + std::string(to_string(*own.scattering)));
  if (own.energy_loss && !chosen_energy_loss)
    parts.push_back("energy loss " + std::string(to_string(*own.energy_loss)));
  if (parts.empty()) return std::nullopt;
  return detector.name + ": " + joined(parts);
}

}  // namespace

std::optional<Provenance> provenance_of(const Call& call,
                                        const StudyRequest* request,
                                        std::span<const Detector> detectors) {
  if (call.options.no_provenance) return std::nullopt;
  Provenance provenance = make_provenance(call.command);
  if (request != nullptr && !request->file.empty())
    provenance.inputs.push_back({request->file, request->sha256});
  for (const Detector& detector : detectors)
    // variants are of one file
    if (std::ranges::none_of(provenance.inputs, [&](const InputFile& input) {
          return input.file == detector.file;
        }))
      provenance.inputs.push_back({detector.file, detector.sha256});
  const bool scattering = request != nullptr
                              ? request->chosen.scattering
                              : call.options.scattering.has_value();
  const bool loss = request != nullptr ? request->chosen.energy_loss
                                       : call.options.energy_loss.has_value();
  for (const Detector& detector : detectors)
    if (auto model = own_model(detector, scattering, loss))
      provenance.models.push_back(std::move(*model));
  return provenance;
}

}  // namespace gttf::app
