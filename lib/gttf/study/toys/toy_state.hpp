// SPDX-License-Identifier: Apache-2.0
// ToyState: the complete state of a run over toys, or of a part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/core/document.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/toys/toy_statistics.hpp"

namespace gttf {

/// A grid point and the statistics accumulated for it.
struct ToyPoint {
  Document row;           ///< expected values: the columns of a scan
  bool has_toys = false;  ///< false: no track to simulate; see the status
  ToyStatistics statistics;

  /// The parameters that describe the tracks; also given in the row.
  ToyParameters parameters() const;
};

/// Toys from <= i < to of every point; a checkpoint contains some of them.
struct ToyState {
  /// Detectors, tracks, fits, number of toys, seed, version and vector
  /// instructions: parts belong together if and only if these are equal.
  Document study;
  std::vector<FitChoice> fits;
  std::uint64_t toys = 0;  ///< of the whole study, per point
  std::uint64_t seed = 0;
  std::uint64_t from = 0, to = 0;
  std::vector<ToyPoint> points;

  /// Number of toys of all points in this part, and the number done.
  std::uint64_t total() const;
  std::uint64_t done() const;
  bool is_complete() const { return done() == total(); }
  /// Whether any tracks are along the beam of a spectrometer or telescope.
  bool any_at_plane() const;
  bool any_without_field() const;
};

/// Shard `index` of `count` (from 1): toys from floor(n (k - 1)/N) to
/// floor(n k/N).
struct Shard {
  std::uint64_t index = 1, count = 1;
};

/// The request for the toys of `detector`: an average if its layers lose hits.
/// Toys of averages draw the variables that are averaged over.
StudyRequest toy_request(StudyRequest request, const Detector& detector);

/// The initial state: the points with their expected resolutions.
ToyState plan_toys(const StudyRequest& request,
                   std::span<const Detector> detectors, const Shard& shard);

/// The state as a document (of a part file or checkpoint) and back. Exact.
Document to_document(const ToyState& state);
/// `name` is used in messages. Throws FileError.
ToyState toy_state_of(const Document& document, const std::string& name);

/// Throws FileError if the two are not of the same study or the same part:
/// `name` is the file of `stored`.
void check_same_run(const ToyState& planned, const ToyState& stored,
                    const std::string& name);

/// Merges parts of one study, in any order; the result is identical to a single
/// run. Throws FileError if they belong to different studies, overlap, are
/// unfinished, or incomplete. `names` are used in messages.
ToyState merge_toys(std::vector<ToyState> parts,
                    const std::vector<std::string>& names);

// Comparison of documents, and reading with names in messages.

/// Name of the first member that differs between `a` and `b` ("seed",
/// "detectors[1].sha256"); nothing if they are equal.
std::optional<std::string> first_difference(const Document& a,
                                            const Document& b);

/// Throws FileError if the checkpoint `name` does not belong to the planned
/// study. The member "simd" has a specific message.
void check_same_study(const Document& planned, const Document& stored,
                      const std::string& name);

}  // namespace gttf
