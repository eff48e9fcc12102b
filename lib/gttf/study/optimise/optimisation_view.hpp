// SPDX-License-Identifier: Apache-2.0
// The result of a search as table, document and text.
#pragma once

#include <string>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/study/optimise/search.hpp"

namespace gttf {

/// Columns: key, value, unit, start, from, to, at_bound, multiplier.
Table optimisation_table(const SearchResult& result);

/// `cpu_s`: what the search has taken.
Document optimisation_document(const SearchResult& result, double cpu_s);

Summary optimisation_summary(const SearchResult& result);

/// "best of 256 starts: 108 reached it, 3 optima seen".
std::string certificate_text(const SearchResult& result);

/// Comment lines for the head of the description that was found.
std::vector<std::string> best_file_header(const SearchResult& result);

}  // namespace gttf
