// SPDX-License-Identifier: Apache-2.0
// ToyState: all there is to know of a run over toys, or of a part of one.
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

/// One point of the grid and what its toys told so far.
struct ToyPoint {
  Document row;           ///< what is expected: the columns of a scan
  bool has_toys = false;  ///< false: no track to simulate; the status says why
  ToyStatistics statistics;

  /// Those that describe the tracks; stands in the row, too.
  ToyParameters parameters() const;
};

/// Toys from <= i < to of every point; a checkpoint has done some of them.
struct ToyState {
  /// Detectors, tracks, fits, number of toys, seed, version and vector
  /// instructions: parts belong together if and only if these are equal.
  Document study;
  std::vector<FitChoice> fits;
  std::uint64_t toys = 0;  ///< of the whole study, per point
  std::uint64_t seed = 0;
  std::uint64_t from = 0, to = 0;
  std::vector<ToyPoint> points;

  /// Toys of all points in this part, and those done.
  std::uint64_t total() const;
  std::uint64_t done() const;
  bool is_complete() const { return done() == total(); }
  /// Has any point tracks along the beam of a spectrometer or telescope?
  bool any_at_plane() const;
  bool any_without_field() const;
};

/// Shard `index` of `count` (from 1): toys from floor(n (k - 1)/N) to
/// floor(n k/N).
struct Shard {
  std::uint64_t index = 1, count = 1;
};

/// The request for the toys of `detector`: where its layers lose hits, of an
/// average over these at least. Toys of averages draw what is averaged over.
StudyRequest toy_request(StudyRequest request, const Detector& detector);

/// The state at the beginning: the points with what is expected of them.
ToyState plan_toys(const StudyRequest& request,
                   std::span<const Detector> detectors, const Shard& shard);

/// The state as a document (of a part file or checkpoint) and back. Exact.
Document to_document(const ToyState& state);
/// `name` stands in messages. Throws FileError.
ToyState toy_state_of(const Document& document, const std::string& name);

/// Throws FileError if the two are not of the same study or the same part:
/// `name` is where `stored` comes from.
void check_same_run(const ToyState& planned, const ToyState& stored,
                    const std::string& name);

/// Adds up parts of one study, in any order: exactly what one run gives.
/// Throws FileError if they are not all of one study, overlap, are not
/// finished, or if one is missing. `names` stand in messages.
ToyState merge_toys(std::vector<ToyState> parts,
                    const std::vector<std::string>& names);

// Documents compared, and read with names in the messages.

/// Name of the first member of `a` and `b` that is not the same in both
/// ("seed", "detectors[1].sha256"); nothing if they are equal.
std::optional<std::string> first_difference(const Document& a,
                                            const Document& b);

/// Throws FileError if a checkpoint, whose name is `name`, is not of the study
/// that is planned. A member "simd" has a message of its own.
void check_same_study(const Document& planned, const Document& stored,
                      const std::string& name);

}  // namespace gttf
