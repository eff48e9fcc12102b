// SPDX-License-Identifier: Apache-2.0
// The best way to take some of many layers, by branch and bound.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

struct LayerChoiceResult {
  Combination combination;  ///< the best one, or the one nearest to the limits
  DesignProgram::AllValues values;
  double combinations = 0;  ///< that there are
  bool interrupted = false;
};

/// Whether a choice takes some of several layers, and bounds are known: errors
/// are minimised, or quantities of which absent layers have none.
bool has_layer_bounds(const OptimisationProblem& problem);

/// Indices in Detector::layers of an entry of the description.
std::vector<std::size_t> layers_of_entry(const Detector& detector,
                                         const std::string& name);

/// Looks for the best combination of the choices of layers; what it does not
/// look at is proven to be no better.
/// @param program  of the options that are chosen besides; its Combination has
///                 an empty name for each choice of layers
/// @param keep_on  asked now and then; false ends the search early
/// @return         nothing if no combination has values
/// @pre has_layer_bounds(), and no variables
/// Source: docs/theory/optimisation.md
std::optional<LayerChoiceResult> best_layers(
    DesignProgram& program, const std::function<bool()>& keep_on);

}  // namespace gttf
