// SPDX-License-Identifier: Apache-2.0
// Baseline: resolutions of a study kept in a file, to be compared with later.
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
  /// Read again from the text that the baseline keeps, with its overrides; the
  /// file it came from need not exist any more.
  DetectorInput input;
  /// The columns of scan, numbers exact; one row for every point of
  /// the grid in the order of grid_points().
  Table rows;
};

inline constexpr std::int64_t baseline_format = 1;

/// What the file says:
///
///   provenance      program, version, command line, hashes of the inputs
///   gttf-baseline   version of the format: 1
///   study           particle, axes, phi, vertex, scattering, beam spot, engine
///   columns         names of the columns of `rows`
///   detectors       of each: name, file, sha256, overrides, the lines of its
///                   description, and rows (lists of cells; numbers, then text)
///
/// The same study gives the same bytes.
struct Baseline {
  StudyRequest request;  ///< `detectors` as they were given, `file` empty
  Engine engine = Engine::streaming;
  std::string version;                      ///< of the program that wrote it
  std::string command_line;                 ///< that wrote it
  std::vector<BaselineDetector> detectors;  ///< at least one

  /// The detector to compare with: that of the same name, else the only one,
  /// else nullptr.
  const BaselineDetector* find(const Detector& detector) const;
};

/// The file's content but for `provenance`, which write_json() adds.
Document baseline_document(const StudyRequest& request,
                           std::span<const BaselineDetector> detectors,
                           Engine engine);

/// Reads what write_json() wrote of baseline_document(). `source`: the text of
/// the file, for the places of faults; `document`: the same text, read.
/// Throws InputError: no baseline, a version of the format that is not known, a
/// missing or wrong member, no detector, a description that has errors or not
/// the hash it had.
Baseline read_baseline(const Document& document, const SourcePtr& source);

}  // namespace gttf
