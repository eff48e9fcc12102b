// SPDX-License-Identifier: Apache-2.0
// The best subset of layers, by branch and bound.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

struct LayerChoiceResult {
  Combination combination;  ///< the best one, or the one closest to the limits
  DesignProgram::AllValues values;
  double combinations = 0;  ///< total number
  bool interrupted = false;
  /// Lower bound of f of all combinations within the limits; the best one's if
  /// the search was not interrupted.
  double lowest = 0;
};

/// @param looked_at  combinations so far
/// @param f          of the best of them; whether it is within all limits
using LayerChoiceProgress =
    std::function<void(std::size_t looked_at, double f, bool feasible)>;

/// Whether a choice selects some of several layers, and bounds are known:
/// errors are minimised, or quantities without absent layers, and tracks do not
/// lose energy in layers.
bool has_layer_bounds(const OptimisationProblem& problem);

/// Indices in Detector::layers of an entry of the description.
std::vector<std::size_t> layers_of_entry(const Detector& detector,
                                         const std::string& name);

/// The number of combinations of all choices.
double count_combinations(const OptimisationProblem& problem);

/// Searches the best combination of the choices of layers; combinations not
/// evaluated are proven not to be better.
/// @param program for the other chosen options; its Combination has an empty
///                name for each choice of layers
/// @param keep_on called from time to time; false ends the search early
/// @param progress called after each combination that was evaluated
/// @return         nothing if no combination has values
/// @pre has_layer_bounds(), and no variables
/// Source: docs/theory/optimisation.md
std::optional<LayerChoiceResult> best_layers(
    DesignProgram& program, const std::function<bool()>& keep_on,
    const LayerChoiceProgress& progress = {});

}  // namespace gttf
