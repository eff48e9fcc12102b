// SPDX-License-Identifier: Apache-2.0
// The input files of verbs: detectors, studies, baselines, requirements.
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

/// Type of a file, from its keys; a detector if it cannot be read, so that the
/// reader of detectors reports the error. Standard input can still be read
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

/// The arguments FILE... by type, and the options of the track.
struct SortedArguments {
  std::string file;      ///< the study; empty: none
  StudyOptions options;  ///< with the detectors, --detector last
};
/// Throws UsageError if there is more than one study.
SortedArguments sort_arguments(const Options& options);

/// Momenta of scans, reports and figures if none are given.
inline constexpr const char* usual_momenta = "1GeV:100GeV:21";

/// Adds momenta if neither momenta nor a study are given: the transverse
/// momenta `pt` if the first detector has a barrel, otherwise the momenta `p`,
/// along z. Prints a note with them.
void add_usual_tracks(Options& options, const std::string& pt,
                      const std::string& p);

/// The request given by the arguments. Throws UsageError if there is neither a
/// detector nor a study, `purpose` being "scan"; InputError.
StudyRequest request_of(const Options& options, const std::string& purpose);

/// Tracks that fit into memory: a few kB each.
inline constexpr std::size_t most_tracks = 1'000'000;
/// Rows of tables of all layers of each track that fit: about 5 kB each.
inline constexpr std::size_t most_rows = 500'000;

/// Throws UsageError if there are more tracks than `most`. `purpose` as in
/// request_of().
void check_held(const StudyRequest& request, const std::string& purpose,
                std::size_t most = most_tracks);

/// request_of() with its detectors, for tracks in memory; prints warnings about
/// them, and about materials assumed for energy loss. Throws InputError.
Study read_study(const Options& options, const std::string& purpose);
/// The same for a table of all layers of each track.
Study read_study_of_layers(const Options& options, const std::string& purpose);
Study load_study(StudyRequest request, const Options& options);

/// The only detector of the options. Throws UsageError if there are several,
/// InputError.
Detector load_detector(const Options& options);

/// Prints the materials assumed for energy loss.
void print_assumed_materials(const StudyRequest& request,
                             std::span<const Detector> detectors, bool quiet);
/// The same, and the hits that are not counted because layers are crossed
/// again.
void print_notes(const StudyRequest& request,
                 std::span<const Detector> detectors, bool quiet);

/// The detectors of a request and their variants, see read_designs(); prints
/// warnings about them.
std::vector<DetectorInput> load_inputs(StudyRequest& request,
                                       std::span<const std::string> overrides,
                                       bool quiet);

/// The requirements of `file`, to be evaluated with the detectors of a study.
/// Throws InputError with all errors.
RequirementFile requirements_for(const std::string& file,
                                 const StudyRequest& study);

/// Provenance of this call with its inputs; nothing if not requested.
std::optional<Provenance> provenance_of(const Call& call,
                                        const StudyRequest* request,
                                        std::span<const Detector> detectors);

}  // namespace gttf::app
