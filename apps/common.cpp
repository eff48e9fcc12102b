// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

constexpr int most_digits = 17;  // a double has no more

// An option of the group Track.
void add(CLI::App& command, const char* name, std::optional<std::string>& value,
         const char* type, const std::string& description) {
  command
      .add_option_function<std::string>(
          name, [&value](const std::string& text) { value = text; },
          description)
      ->type_name(type)
      ->group("Track");
}

}  // namespace

void OutputOptions::declare(CLI::App& command, bool long_work) {
  constexpr auto group = "Output";
  command
      .add_option("--format", format,
                  "Format of the result (default: table, or from the ending "
                  "of -o)")
      ->type_name("table|csv|json|markdown")
      ->group(group);
  command
      .add_option("-o,--output", files,
                  "Write to FILE (.csv .json .md .txt) instead of standard "
                  "output; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--precision", precision,
                  "Significant digits, 1 to 17 (default: 3 in tables, exact "
                  "in csv and json)")
      ->type_name("N")
      ->check(CLI::Range(1, most_digits).description(""))
      ->group(group);
  command
      .add_flag("--no-provenance", no_provenance,
                "Leave out version, command line and hashes of inputs")
      ->group(group);
  if (long_work)
    command.add_flag("--no-progress", no_progress, "Draw no progress bar")
        ->group(group);
  command.add_flag("--quiet", quiet, "Say nothing but errors (no warnings)")
      ->group(group);
}

void TrackOptions::declare(CLI::App& command, bool grid) {
  const char* const range = grid ? "VALUES" : "VALUE";
  const std::string how = grid ? ": 1GeV, 1GeV,10GeV or from:to:points" : "";
  const std::string how_angle =
      grid ? ": 90deg, 90deg,60deg or from:to:points" : "";
  add(command, "--p", study.p, range, "Momentum at the vertex" + how);
  add(command, "--pt", study.pt, range, "Transverse momentum instead");
  add(command, "--theta", study.theta, range,
      "Polar angle" + how_angle + " (default: 90 deg)");
  add(command, "--eta", study.eta, range, "Pseudorapidity instead");
  add(command, "--phi", study.phi, "VALUE", "Azimuth (default: 0 deg)");
  declare_start(command);
  declare_particle(command);
  add(command, "--energy-loss", study.energy_loss, "off|mean|straggling",
      "Energy loss (default: off)");
}

void TrackOptions::declare_at(CLI::App& command) {
  add(command, "--at", study.at, "LAYER",
      "Position and direction of the track at this layer, too");
  command
      .add_flag("--without-own-hit", study.without_own_hit,
                "At that layer, leave out its own hit")
      ->group("Track");
}

void TrackOptions::declare_for_fit(CLI::App& command) {
  declare_start(command);
  declare_particle(command);
  add(command, "--p", study.p, "VALUE",
      "Momentum for the scattering angles (default: of a helix through three "
      "hits)");
  add(command, "--energy-loss", study.energy_loss, "off|mean|straggling",
      "Energy loss (default: off)");
}

void TrackOptions::declare_start(CLI::App& command) {
  add(command, "--vertex", study.vertex, "X,Y,Z",
      "Start point (default: the origin)");
  add(command, "--beam-spot", study.beam_spot, "X,Y,Z",
      "Errors of the start point, as one more hit: 10um,5um,30mm or off");
}

void TrackOptions::declare_particle(CLI::App& command) {
  add(command, "--particle", study.particle, "NAME",
      "electron, muon, pion, kaon, proton, ... (default: pion)");
  add(command, "--mass", study.mass, "VALUE", "Mass instead of the particle's");
  add(command, "--charge", study.charge, "NUMBER",
      "Charge instead of the particle's");
  add(command, "--scattering", study.scattering,
      "highland|highland-total|highland-1991|rossi|off",
      "Model of multiple scattering (default: highland)");
}

void declare_threads(CLI::App& command, unsigned& threads) {
  constexpr unsigned most_threads = 4096;
  command
      .add_option("--threads", threads,
                  "Threads; the result is the same for any number (default: "
                  "all cores)")
      ->type_name("N")
      ->check(CLI::Range(0u, most_threads).description(""))
      ->group("Computation");
}

void ComputeOptions::declare(CLI::App& command, Machine machine) {
  constexpr auto group = "Computation";
  command
      .add_option("--engine", engine_name,
                  "Form of the fit, see docs/theory (default: streaming)")
      ->type_name("streaming|triplet")
      ->group(group);
  if (machine == Machine::one_core) return;
  declare_threads(command, threads);
  if (machine == Machine::threads) return;
  declare_simd(command, simd_name);
}

void ComputeOptions::use_simd() const { gttf::app::use_simd(simd_name); }

void declare_simd(CLI::App& command, std::string& name) {
  std::string levels;
  for (const std::string& level : simd_choices())
    levels += (levels.empty() ? "" : "|") + level;
  command
      .add_option("--simd", name,
                  "Vector instructions; last digits depend on them (default: "
                  "auto, the best of the processor, or GTTF_SIMD)")
      ->type_name(levels)
      ->group("Computation");
}

void use_simd(const std::string& name) {
  if (name.empty()) {
    if (const auto fault = simd_environment_fault()) throw UsageError(*fault);
    return;
  }
  check_choice("--simd", name, simd_choices());
  if (name == "auto") {
    set_simd_level(available_simd_levels().back());
  } else if (const auto refusal = set_simd_level(find_simd_level(name))) {
    throw UsageError("--simd " + name + ": " + *refusal);
  }
}

void declare_stats(CLI::App& command, bool& wanted) {
  command
      .add_flag("--stats", wanted,
                "Say on standard error how many tracks took which path")
      ->group("Computation");
}

Engine ComputeOptions::engine() const {
  if (engine_name.empty()) return Engine::streaming;
  check_choice("--engine", engine_name, {"streaming", "triplet"});
  return engine_name == "triplet" ? Engine::triplet : Engine::streaming;
}

void tell_assumed_materials(const StudyRequest& request,
                            std::span<const Detector> detectors, bool quiet) {
  if (quiet || request.energy_loss == EnergyLoss::off) return;
  for (const Detector& detector : detectors)
    if (const std::string text = assumed_materials(detector); !text.empty())
      std::fprintf(stderr, "gttf-design: note: %s: %s\n", detector.name.c_str(),
                   text.c_str());
}

void check_engine(Engine engine, const StudyRequest& request) {
  if (engine == Engine::triplet &&
      request.energy_loss == EnergyLoss::straggling)
    throw UsageError(
        "--engine triplet knows the mean energy loss only: use --energy-loss "
        "mean, or the engine streaming");
}

void declare_overrides(CLI::App& command, std::vector<std::string>& overrides) {
  command
      .add_option("--set", overrides,
                  "Change a key of the detector, as in 'layers[L0].material="
                  "0.5 %'; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group("Detector");
}

void show(const Diagnostics& diagnostics, bool quiet) {
  const bool colour = colours(STDERR_FILENO);
  for (const Diagnostic& d : diagnostics.items())
    if (!quiet || d.severity == Severity::error) {
      const bool of_a_place = !d.file.empty();
      std::fputs(of_a_place ? "" : "gttf-design: ", stderr);
      std::fputs(to_text(d, colour).c_str(), stderr);
    }
}

DetectorInput load_input(const std::string& path,
                         std::span<const std::string> overrides, bool quiet) {
  DetectorInput input = read_detector(path, overrides);
  show(input.warnings, quiet);
  return input;
}

Detector load_detector(const std::string& path,
                       std::span<const std::string> overrides, bool quiet) {
  return load_input(path, overrides, quiet).detector;
}

std::vector<DetectorInput> load_inputs(const StudyRequest& request,
                                       std::span<const std::string> overrides,
                                       bool quiet) {
  std::vector<DetectorInput> inputs;
  Diagnostics faults;
  for (const std::string& path : request.detectors) {
    try {
      inputs.push_back(load_input(path, overrides, quiet));
    } catch (const InputError& error) {
      for (const Diagnostic& d : error.diagnostics().items()) faults.add(d);
    }
  }
  if (faults.has_errors()) throw InputError(std::move(faults));
  return inputs;
}

std::vector<Detector> load_detectors(const StudyRequest& request,
                                     std::span<const std::string> overrides,
                                     bool quiet) {
  std::vector<Detector> detectors;
  for (DetectorInput& input : load_inputs(request, overrides, quiet))
    detectors.push_back(std::move(input.detector));
  return detectors;
}

std::optional<Provenance> provenance_of(
    const std::vector<std::string>& arguments, const OutputOptions& options,
    const StudyRequest* request, std::span<const Detector> detectors) {
  if (options.no_provenance) return std::nullopt;
  Provenance provenance = make_provenance(arguments);
  if (request != nullptr && !request->file.empty())
    provenance.inputs.push_back({request->file, request->sha256});
  for (const Detector& detector : detectors)
    provenance.inputs.push_back({detector.file, detector.sha256});
  return provenance;
}

bool colours(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return isatty(descriptor) != 0;
}

}  // namespace gttf::app
