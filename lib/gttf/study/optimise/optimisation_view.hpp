// SPDX-License-Identifier: Apache-2.0
// The result of a search as table, document and text.
#pragma once

#include <string>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/study/optimise/optimise.hpp"

namespace gttf {

/// Columns: key, value, unit, start, from, to, at_bound, multiplier.
Table optimisation_table(const SearchResult& result);

/// Columns: start, evaluation, objective, violation, and the variables as
/// `KEY [unit]`.
/// @param start  number of the start
Table history_table(const DesignProgram& program,
                    const std::vector<LookedAt>& designs, std::int64_t start);

/// @param cpu_s  what the search has taken
Document optimisation_document(const OptimisationResults& results,
                               double cpu_s);

Summary optimisation_summary(const OptimisationResults& results);

/// "rms 0.4 % by derivatives; 95 % of 1000 detectors within +0.7 %".
std::string construction_text(const ConstructionResult& c);

/// "best of 256 starts: 108 reached it, 3 optima seen".
std::string certificate_text(const SearchResult& result);

/// Comment lines for the head of the resulting description.
std::vector<std::string> best_file_header(const SearchResult& result);

}  // namespace gttf
