// SPDX-License-Identifier: Apache-2.0
// Search: the best design within the limits, and its properties.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/study/optimise/limit_prices.hpp"
#include "gttf/study/optimise/starts.hpp"

namespace gttf {

/// Certificate of a result.
struct Certificate {
  enum class Kind { none, proven, bounded, best_of_starts, local };

  Kind kind = Kind::none;
  double gap = 0;               ///< of the objective to a bound, a fraction
  std::size_t starts = 0;       ///< that were solved
  std::size_t most_starts = 0;  ///< that would have been
  bool is_enough = false;       ///< the others are unlikely to find any optimum
  std::size_t met_limits = 0;   ///< starts that ended within the limits
  std::size_t reached = 0;      ///< starts that ended at this optimum
  std::vector<double> optima;   ///< distinct optima, f, best first
  double residual = 0;
  std::string reason;  ///< of a proof or bound, or why there is none
};
std::string_view to_string(Certificate::Kind kind);

/// The smallest achievable ratio to all requirements, or to the limit of a
/// quantity or mean; or the smallest length by which a gap, envelope or
/// coverage is missed.
struct Infeasible {
  double ratio = 0;            ///< unless it is of a length; above 1
  std::string requirement;     ///< or the quantity, mean, gap, ...
  std::optional<Track> track;  ///< of a requirement
  std::optional<double> missing = std::nullopt;  ///< a length, mm
};

/// A limit of a quantity, mean or length that a design misses.
struct MissedLimit {
  std::string name;
  /// Relative to the limit; of a length in DesignProgram::gap_unit.
  double amount = 0;
  bool is_length = false, is_lower = false;
};
/// The one that it misses most.
std::optional<MissedLimit> missed_most(const DesignProgram& program,
                                       const std::vector<double>& x);

struct SearchResult {
  bool found = false;  ///< a design that meets all limits, verified
  /// As found; may be above 1 if the margin is minimised.
  bool solved = false;
  bool interrupted = false;
  /// Whether it is the design of the file, since an interrupted search has
  /// found none that is better.
  bool is_start = false;
  std::shared_ptr<DesignProgram> program;  ///< of the best combination
  LocalOptimum best;
  /// Whether tracks keep all hits of the start though limits on hits or
  /// coverages, or limits at edges of layers, would allow fewer: no such design
  /// is better.
  bool needs_hits = false;
  double start_f = Resolution::none;
  bool start_is_feasible = false;
  Certificate certificate;
  std::vector<LimitPrice> limits;
  std::vector<BoundPrice> bounds;  ///< of each variable
  std::size_t verify_points = 0;
  double verify_violation = 0;
  /// If no design meets the limits. Then `best`, `limits`, `bounds` and
  /// `certificate` are those of the smallest ratio.
  std::optional<Infeasible> infeasible;
  Effort effort;
};

/// Solves the problem. The result depends only on it and on `local`.
SearchResult search(const OptimisationProblem& problem,
                    const SearchOptions& options);

/// Solves from the starts of the shard `options.state->shard` only; the state
/// is complete afterwards unless the search was ended early. search() continues
/// from the starts of all shards and gives the same result as without shards.
void search_shard(const OptimisationProblem& problem,
                  const SearchOptions& options);

/// Whether a design meets all limits, also at the points of finer grids.
bool is_verified(DesignProgram& program, const std::vector<double>& x,
                 unsigned threads);

/// At most so many combinations are listed.
inline constexpr std::size_t most_combinations = 2000000;

/// All combinations of choices; one if there are no choices. Throws InputError
/// if there are more than most_combinations.
/// @param only_options  choices of layers are left open
std::vector<Combination> combinations_of(const OptimisationProblem& problem,
                                         bool only_options = false);

/// The description as it is, with the prices of the options that are nearest to
/// it: those that change the fewest numbers.
/// @param combinations  as combinations_of() returns
Combination combination_of_file(std::span<const Combination> combinations);

}  // namespace gttf
