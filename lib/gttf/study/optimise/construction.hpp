// SPDX-License-Identifier: Apache-2.0
// Effect of construction errors on a resulting design.
#pragma once

#include <string>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// The effect of one number that deviates by its rms: changes of the objective,
/// as fractions (of a mean of logarithms: absolute).
struct ConstructionEffect {
  std::string key;
  double rms = 0;  ///< in `unit`
  std::string unit;
  double first = 0;   ///< from the derivative
  double second = 0;  ///< mean change, from the second derivative
  bool by_derivative() const;
};

/// All deviations together.
struct ConstructionResult {
  std::vector<ConstructionEffect> effects;
  double first = 0;      ///< rms of the objective, from derivatives
  double rms = 0;        ///< the same from sampled detectors
  double shift = 0;      ///< their mean
  double high = 0;       ///< 95 % of them are below this change
  double violation = 0;  ///< 95 % of them violate their limits by less
  std::size_t samples = 0;
  std::size_t lost = 0;  ///< without value: a track has lost hits
  /// Whether derivatives agree with the sampled rms.
  bool by_derivatives() const;
};

/// Independent normal errors of the problem's `construction` around the design
/// at x. Numbers that follow another by a formula do not follow its error. The
/// result does not depend on `threads`.
ConstructionResult construction_effects(const DesignProgram& program,
                                        const std::vector<double>& x,
                                        unsigned threads);

}  // namespace gttf
