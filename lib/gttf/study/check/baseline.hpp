// SPDX-License-Identifier: Apache-2.0
// Baseline: resolutions of a study saved in a file for later comparison.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gttf/config/source.hpp"
#include "gttf/core/document.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// Results of one detector of a baseline.
struct BaselineDetector {
  /// Read from the text stored in the baseline, with its overrides; the
  /// original file is not needed.
  DetectorInput input;
  /// The columns of scan, numbers exact; one row for every point of
  /// the grid in the order of grid_points().
  Table rows;
};

inline constexpr std::int64_t baseline_format = 1;

/// Content of the file:
///
///   provenance      program, version, command line, hashes of the inputs
///   gttf-baseline   version of the format: 1
///   study           particle, axes, phi, vertex, scattering, beam spot, engine
///   columns         names of the columns of `rows`
///   detectors       for each: name, file, sha256, overrides, the lines of its
///                   description, and rows (lists of cells; numbers, then text)
///
/// The same study gives the same bytes.
struct Baseline {
  StudyRequest request;  ///< `detectors` as given, `file` empty
  Engine engine = Engine::streaming;
  std::string version;                      ///< of the program that wrote it
  std::string command_line;                 ///< that wrote it
  std::vector<BaselineDetector> detectors;  ///< at least one

  /// The detector to compare with: the one with the same name, else the only
  /// one, else nullptr.
  const BaselineDetector* find(const Detector& detector) const;
};

/// The content of the file except `provenance`, which write_json() adds.
Document baseline_document(const StudyRequest& request,
                           std::span<const BaselineDetector> detectors,
                           Engine engine);

/// Reads a file written by write_json() from baseline_document(). `source`: the
/// text of the file, for locations of errors; `document`: the parsed text.
/// Throws InputError if it is not a baseline, for an unknown format version, a
/// missing or invalid member, no detector, or a description with errors or a
/// different hash.
Baseline read_baseline(const Document& document, const SourcePtr& source);

}  // namespace gttf
