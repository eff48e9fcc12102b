// SPDX-License-Identifier: Apache-2.0
// What errors of construction do to a design that was found.
#pragma once

#include <string>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// The effect of one number that is off by its rms: changes of the objective,
/// as fractions (of a mean of logarithms: absolute).
struct ConstructionEffect {
  std::string key;
  double rms = 0;  ///< in `unit`
  std::string unit;
  double first = 0;   ///< by the derivative
  double second = 0;  ///< mean change, by the second derivative
  bool by_derivative() const;
};

/// All of them together.
struct ConstructionResult {
  std::vector<ConstructionEffect> effects;
  double first = 0;      ///< rms of the objective, by derivatives
  double rms = 0;        ///< the same of sampled detectors
  double shift = 0;      ///< their mean
  double high = 0;       ///< 95 % of them are below this change
  double violation = 0;  ///< 95 % of them miss their limits by less
  std::size_t samples = 0;
  std::size_t lost = 0;  ///< without value: a track has lost hits
  /// Whether derivatives account for the sampled rms.
  bool by_derivatives() const;
};

/// Independent normal errors of the problem's `construction` around the design
/// at x. What follows a number by a formula does not follow its error. The
/// result does not depend on `threads`.
ConstructionResult construction_effects(const DesignProgram& program,
                                        const std::vector<double>& x,
                                        unsigned threads);

}  // namespace gttf
