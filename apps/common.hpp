// SPDX-License-Identifier: Apache-2.0
// Options that verbs share, and what follows from them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/output/progress.hpp"
#include "gttf/output/provenance.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf::app {

/// --format, -o and how results and messages are written.
struct OutputOptions {
  std::string format;              ///< empty: from the ending of each file
  std::vector<std::string> files;  ///< empty: standard output
  int precision = 0;               ///< 0: the format's own
  bool quiet = false;
  bool no_progress = false;
  bool no_provenance = false;

  void declare(CLI::App& command, bool long_work);
};

/// The track or the grid of tracks: --particle, --p, --theta, ...
struct TrackOptions {
  StudyOptions study;

  /// `grid`: momentum and angle may be ranges.
  void declare(CLI::App& command, bool grid);
  /// --at and --without-own-hit.
  void declare_at(CLI::App& command);
  /// What a fit of measured tracks needs of them.
  void declare_for_fit(CLI::App& command);

 private:
  void declare_start(CLI::App& command);
  void declare_particle(CLI::App& command);
};

/// Adds --threads; 0 is all cores.
void declare_threads(CLI::App& command, unsigned& threads);

/// --simd.
void declare_simd(CLI::App& command, std::string& name);
/// Sets the level of that name; empty: automatic. Throws UsageError.
void use_simd(const std::string& name);

/// --stats.
void declare_stats(CLI::App& command, bool& wanted);

/// --engine, --threads and --simd.
struct ComputeOptions {
  /// How much of the machine a verb can use.
  enum class Machine { one_core, threads, threads_and_vectors };

  std::string engine_name;
  std::string simd_name;
  unsigned threads = 0;

  void declare(CLI::App& command, Machine machine);
  Engine engine() const;
  /// Sets the level that --simd asks for. Throws UsageError.
  void use_simd() const;
};

/// Tells, unless `quiet`, of material that energy loss has to guess.
void tell_assumed_materials(const StudyRequest& request,
                            std::span<const Detector> detectors, bool quiet);

/// Throws UsageError if the engine cannot do what is asked.
void check_engine(Engine engine, const StudyRequest& request);

/// Adds --set.
void declare_overrides(CLI::App& command, std::vector<std::string>& overrides);

/// read_detector(), warnings shown unless `quiet`.
DetectorInput load_input(const std::string& path,
                         std::span<const std::string> overrides, bool quiet);
Detector load_detector(const std::string& path,
                       std::span<const std::string> overrides, bool quiet);

/// The detectors of a study. Reads all, so that the faults of all are reported
/// at once.
std::vector<Detector> load_detectors(const StudyRequest& request,
                                     std::span<const std::string> overrides,
                                     bool quiet);

/// The same with their descriptions.
std::vector<DetectorInput> load_inputs(const StudyRequest& request,
                                       std::span<const std::string> overrides,
                                       bool quiet);

/// Writes diagnostics to standard error, in colour on a terminal. Warnings are
/// left out if `quiet`.
void show(const Diagnostics& diagnostics, bool quiet);

/// Provenance of this call with its inputs; nothing if it is not wanted.
std::optional<Provenance> provenance_of(
    const std::vector<std::string>& arguments, const OutputOptions& options,
    const StudyRequest* request, std::span<const Detector> detectors);

/// Whether what is written to `descriptor` may have colours: a terminal, and
/// NO_COLOR (https://no-color.org) is not set.
bool colours(int descriptor);

}  // namespace gttf::app
