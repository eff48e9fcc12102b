// SPDX-License-Identifier: Apache-2.0
// Parts of the reader of requirement files.
#pragma once

#include <optional>
#include <vector>

#include "gttf/config/reader.hpp"
#include "gttf/study/check/requirement_file.hpp"
#include "gttf/study/request/read_setup.hpp"

namespace gttf::detail {

/// What the head of the file says to each requirement.
struct RequirementHead {
  StudyRequest request;
  GivenAxes grid;             ///< of the file, its study or its baseline
  bool has_baseline = false;  ///< named; perhaps not readable
};

/// The criteria of one entry: one for each quantity that it names. Faults are
/// reported; what is returned then is of no meaning.
std::vector<Criterion> read_criteria(const Value& entry,
                                     const RequirementHead& head);

/// The quantities of an entry: `what`, `coverage` or `budget`.
std::vector<CheckedQuantity> read_quantities(MapReader& map,
                                             const RequirementHead& head);

/// Fills axes and points from `at` and `within`.
void read_points(MapReader& map, const RequirementHead& head,
                 Criterion& criterion);

/// The limits that an entry may have, as they stand in it.
struct LimitKeys {
  std::optional<Value> min, max, is, relative_to_baseline, tolerance;
};
LimitKeys find_limits(MapReader& map);

/// Fills the limits of `criterion` for its quantity.
void read_limits(const Value& entry, const LimitKeys& keys, bool has_baseline,
                 Criterion& criterion);

}  // namespace gttf::detail
