// SPDX-License-Identifier: Apache-2.0
// Solutions from many designs: which ones, and what was found from them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gttf/study/optimise/local_search.hpp"
#include "gttf/study/optimise/placement_bound.hpp"
#include "gttf/study/optimise/search_state.hpp"

namespace gttf {

/// How far a search is.
struct SearchProgress {
  std::size_t done = 0, total = 0;  ///< of `what`; total 0: not known
  const char* what = "starts";
  std::string best = {};  ///< the objective of the best design; empty: none yet
};

struct SearchOptions {
  bool local = false;    ///< one solution from the file's design
  unsigned threads = 1;  ///< the result does not depend on it
  bool prices = true;    ///< of limits and bounds
  KeptHits kept = KeptHits::of_start;
  /// Additional starting designs.
  std::vector<std::vector<double>> also_from = {};
  /// Called from time to time, by any thread.
  std::function<void(const SearchProgress&)> progress = {};
  /// Called often, by any thread; false ends the search early.
  std::function<bool()> keep_on = {};
  /// Called with the designs on the way from one start, start after start.
  std::function<void(const DesignProgram& program,
                     const std::vector<LookedAt>& designs)>
      history = {};
  /// Starts that were finished before, to which those of this run are added;
  /// may be null.
  SearchState* state = nullptr;
  /// Called when a start has been added to the state.
  std::function<void(const SearchState& state)> added = {};
  std::size_t search = 0;  ///< StartPlace::search

  bool is_stopped() const { return keep_on && !keep_on(); }
};

/// What was found from all starts of one combination.
struct Found {
  std::optional<LocalOptimum> best;
  std::vector<double> optima;      ///< f of each start that met the limits
  std::vector<LocalOptimum> ends;  ///< of each start that has values
  std::size_t starts = 0;
  std::size_t planned = 0;  ///< starts, also those that have no value
  std::size_t sampled = 0;  ///< starts of a sample that met limits
  bool is_enough = false;   ///< more starts are unlikely to find anything else
  bool interrupted = false;
  Effort effort;
};

/// Two results are one optimum if their f differ by less.
inline constexpr double same_optimum = 1e-6;

/// The different ones of a list of results, f, best first.
std::vector<double> different_optima(std::vector<double> list);

/// The objective of the best design for SearchProgress.
std::string best_so_far(const DesignProgram& program,
                        const std::optional<LocalOptimum>& best);

/// Solutions from the program's own design, `options.also_from` and at most n -
/// 1 others, until these are unlikely to find another optimum, unless all are
/// requested. A problem with many samples is first solved with some
/// of them; the best of each optimum found is then solved with all.
/// @param place  of the first of these starts
/// @param bound  whose design is one of the starts
Found solve_from_starts(
    const DesignProgram& program, std::size_t n, const SearchOptions& options,
    const StartPlace& place,
    const std::optional<PlacementBound>& bound = std::nullopt);

/// Solves from the starts of the shard `options.state->shard` only, and adds
/// them to the state. The arguments are those of solve_from_starts().
/// @return  false if the search was ended early
bool solve_shard(const DesignProgram& program, std::size_t n,
                 const SearchOptions& options, const StartPlace& place,
                 const std::optional<PlacementBound>& bound);

}  // namespace gttf
