// SPDX-License-Identifier: Apache-2.0
// SearchState: the results of a search from its starts, for checkpoints and
// parts.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/study/optimise/design_program.hpp"
#include "gttf/study/toys/toy_state.hpp"

namespace gttf {

/// The position of a start in a run.
struct StartPlace {
  /// 0: the search of the problem; then those of the front, in their order.
  std::size_t search = 0;
  std::size_t combination = 0;
  std::size_t stage = 0;  ///< sets of starts of one combination follow another
  std::size_t start = 0;

  auto operator<=>(const StartPlace&) const = default;
};

/// Where the solver ended from a start. Limits and multipliers are those at x.
struct StartRecord {
  bool exists = false;  ///< if not, the other members are meaningless
  double f = 0;
  double violation = 0;
  std::vector<double> x;             ///< as the program scales it
  std::vector<std::size_t> working;  ///< as LocalOptimum::working
  Effort effort;
};

/// Starts that are finished, of all or of one shard of a search.
struct SearchState {
  /// Everything that results depend on: parts belong together if and only if
  /// these are equal.
  Document study;
  std::string file;  ///< path of the study
  Shard shard;       ///< start i is of shard 1 + i mod count
  bool is_complete = false;
  std::map<StartPlace, StartRecord> starts;
};

/// The state at the beginning.
SearchState plan_search(const OptimisationProblem& problem, bool local,
                        const Shard& shard = {});

/// The state as a document (of a part file or checkpoint) and back. Exact.
Document to_document(const SearchState& state);
/// `name` appears in messages. Throws FileError.
SearchState search_state_of(const Document& document, const std::string& name);

/// Throws FileError if the two are not of the same study or the same part:
/// `name` is where `stored` comes from.
void check_same_run(const SearchState& planned, const SearchState& stored,
                    const std::string& name);

/// The starts of all parts of one search, in any order. Throws FileError if
/// they are not all of one study, overlap, are not finished, or if one is
/// missing. `names` appear in messages.
SearchState merge_searches(std::vector<SearchState> parts,
                           const std::vector<std::string>& names);

/// How to read the problem of a part again. Throws FileError if the part does
/// not contain it.
struct StudyOfPart {
  std::string file;
  std::vector<std::string> overrides;
  std::size_t starts = 0;
  bool solves_all_starts = false;
  std::uint64_t seed = 0;
};
StudyOfPart study_of(const SearchState& state, const std::string& name);

}  // namespace gttf
