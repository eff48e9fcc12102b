// SPDX-License-Identifier: Apache-2.0
// Search: the best design within the limits, and its properties.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// A design at which the solver computed derivatives.
struct LookedAt {
  std::vector<double> x;  ///< native units
  double f = 0;
  double violation = 0;  ///< of the limits in the solver
};

struct SearchOptions {
  bool local = false;    ///< one solution from the design of the file
  unsigned threads = 1;  ///< the result does not depend on it
  bool prices = true;    ///< of limits and bounds
  /// Additional starting designs.
  std::vector<std::vector<double>> also_from = {};
  /// Called with the number of starts done; false ends the search early.
  std::function<bool(std::size_t done, std::size_t total)> progress = {};
  /// Called with the designs of each start, one start after the other.
  std::function<void(const DesignProgram& program,
                     const std::vector<LookedAt>& designs)>
      history = {};
};

/// Result of the solver from one start.
struct LocalOptimum {
  bool feasible = false;
  double f = 0;
  double violation = 0;
  std::vector<double> x;             ///< native units
  std::vector<std::size_t> working;  ///< samples in the working set
  ProgramResult result;
};

/// Certificate of a result.
struct Certificate {
  enum class Kind { proven, bounded, best_of_starts, local };

  Kind kind = Kind::local;
  double gap = 0;  ///< of the objective to a bound, a fraction
  std::size_t starts = 0, reached = 0;
  std::vector<double> optima;  ///< distinct optima, f, best first
  double residual = 0;
  std::string reason;  ///< of a proof or bound
};
std::string_view to_string(Certificate::Kind kind);

/// An active limit or bound, and its price.
struct LimitPrice {
  std::string name;
  double value = 0, limit = 0;  ///< in `unit`
  std::string unit;
  bool active = false;
  double multiplier = 0;  ///< -d ln objective / d ln limit; of gaps per mm
  double price = 0;       ///< objective's unit per `price_unit`
  std::string price_unit;
  /// Range of the limit, in `unit`, with the same active set, searched up to 10
  /// % on both sides. None for gaps and inactive limits.
  std::optional<std::pair<double, double>> price_range;
};

struct BoundPrice {
  bool at_lower = false, at_upper = false;
  double multiplier = 0;  ///< per mm, or per unit of the variable
  double price = 0;       ///< objective's unit per `price_unit`
  std::string price_unit;
  /// Whether the objective, or an active limit, depends on the variable; if
  /// not, its value is determined only by quantities and its range.
  bool asked_for = true;
};

/// The smallest achievable ratio to all requirements.
struct Infeasible {
  double ratio = 0;
  std::string requirement;
  Track track;
};

struct SearchResult {
  bool found = false;
  bool interrupted = false;
  std::shared_ptr<DesignProgram> program;  ///< of the best combination
  LocalOptimum best;
  double start_f = Resolution::none;
  bool start_is_feasible = false;
  Certificate certificate;
  std::vector<LimitPrice> limits;
  std::vector<BoundPrice> bounds;  ///< of each variable
  std::size_t verify_points = 0;
  double verify_violation = 0;
  std::optional<Infeasible> infeasible;
  Effort effort;
};

/// Solves the problem. The result depends only on it and on `local`.
SearchResult search(const OptimisationProblem& problem,
                    const SearchOptions& options);

/// All combinations of choices; one if there are no choices. Throws InputError
/// if there are too many.
/// @param only_options  choices of layers are left open
std::vector<Combination> combinations_of(const OptimisationProblem& problem,
                                         bool only_options = false);

}  // namespace gttf
