// SPDX-License-Identifier: Apache-2.0
// Exploration: what the explorer's page carries, and its module computes with.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/study/check/requirement_file.hpp"
#include "gttf/study/explore/number_list.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// A detector as the program has read it, the tracks through it, and the
/// requirements that it has to meet.
struct Exploration {
  Detector detector;
  StudyRequest request;  ///< particle, start, models, axes
  std::optional<RequirementFile> requirements;  ///< without a baseline
};

/// What computations need of it, as a list. The numbers of the detector come
/// first, so that two lists of detectors of one structure differ in them only.
/// @pre can_be_listed()
NumberList to_list(const Exploration& exploration);
/// The same of a detector alone.
NumberList to_list(const Detector& detector);

/// Where the numbers of each layer begin in it, and where those of the last one
/// end.
std::vector<std::size_t> layer_begins(const Detector& detector);

/// The inverse, up to names of files and places in them; nothing if the list is
/// not one of an Exploration.
std::optional<Exploration> from_list(const NumberList& list);

/// Whether a list can hold the detector: not with a map of the field or of
/// material.
bool can_be_listed(const Detector& detector);

}  // namespace gttf
