// SPDX-License-Identifier: Apache-2.0
// The files that verbs read: detectors, studies, baselines, requirements.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "baseline_file.hpp"
#include "gttf/config/diagnostics.hpp"
#include "gttf/config/reader.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/output/provenance.hpp"
#include "gttf/study/check/requirement_file.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "verb.hpp"

namespace gttf::app {

enum class FileKind { detector, study, requirements, optimisation, empty };

/// What a file describes, by its keys; a detector if it cannot be read, so
/// that the reader of detectors reports why. Standard input can still be read
/// afterwards.
FileKind kind_of(const std::string& file);

/// Detectors and a grid of tracks through them.
struct Study {
  StudyRequest request;
  std::vector<DetectorInput> inputs;  ///< with their descriptions
  std::vector<Detector> detectors;

  /// Calls work(detector, point) for every point of every detector.
  template <class Work>
  void for_each(const Work& work) const {
    for (const Detector& detector : detectors)
      for (const GridPoint point : grid_points(request)) work(detector, point);
  }
};

/// The arguments FILE... by what they are, and the options of the track.
struct SortedArguments {
  std::string file;      ///< the study; empty: none
  StudyOptions options;  ///< with the detectors, those of --detector last
};
/// Throws UsageError if there is more than one study.
SortedArguments sort_arguments(const Options& options);

/// What the arguments request. Throws UsageError if there is neither a detector
/// nor a study, `purpose` being "scan"; InputError.
StudyRequest request_of(const Options& options, const std::string& purpose);

/// The same with its detectors; prints warnings about them, and of materials
/// that energy loss has to guess. Throws InputError.
Study read_study(const Options& options, const std::string& purpose);
Study load_study(StudyRequest request, const Options& options);

/// The only detector of the options. Throws UsageError if there are several,
/// InputError.
Detector load_detector(const Options& options);

/// Prints which materials energy loss has to guess.
void print_assumed_materials(const StudyRequest& request,
                             std::span<const Detector> detectors, bool quiet);
/// The same, and which hits are not counted because layers are met again.
void print_notes(const StudyRequest& request,
                 std::span<const Detector> detectors, bool quiet);

/// The detectors of a request and their variants, see read_designs(); prints
/// warnings about them.
std::vector<DetectorInput> load_inputs(StudyRequest& request,
                                       std::span<const std::string> overrides,
                                       bool quiet);

/// The requirements of `file`, to be evaluated with the detectors of a study.
/// Throws InputError with everything that is wrong.
RequirementFile requirements_for(const std::string& file,
                                 const StudyRequest& study);

/// Provenance of this call with its inputs; nothing if it is not wanted.
std::optional<Provenance> provenance_of(const Call& call,
                                        const StudyRequest* request,
                                        std::span<const Detector> detectors);

}  // namespace gttf::app
