// SPDX-License-Identifier: Apache-2.0
// Exploration: the data of the explorer's page, the input of its module.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/study/check/requirement_file.hpp"
#include "gttf/study/explore/number_list.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// A detector as the program has read it, the tracks through it, and its
/// requirements.
struct Exploration {
  Detector detector;
  StudyRequest request;  ///< particle, start, models, axes
  std::optional<RequirementFile> requirements;  ///< without a baseline
};

/// The data needed by computations, as a list. The numbers of the detector come
/// first, so that lists for the same structure differ only in them.
/// @pre can_be_listed()
NumberList to_list(const Exploration& exploration);
/// The same for a single detector.
NumberList to_list(const Detector& detector);

/// The index in it of the first number of each layer, and the index after those
/// of the last layer.
std::vector<std::size_t> layer_begins(const Detector& detector);

/// The inverse, except for file names and locations; nothing if the list is not
/// that of an Exploration.
std::optional<Exploration> from_list(const NumberList& list);

/// Whether a list can hold the detector: not with a map of the field or of
/// material.
bool can_be_listed(const Detector& detector);

}  // namespace gttf
