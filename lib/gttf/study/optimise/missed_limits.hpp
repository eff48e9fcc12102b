// SPDX-License-Identifier: Apache-2.0
// The limits that a design misses, and the values that it does not have, as
// texts.
#pragma once

#include <string>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// Each limit with its value and where, that with the largest excess first:
/// "gap L1-L2, by 10 mm", "n_hits >= 9: 6 instead of 9 at p = 1 GeV, theta = 90
/// deg". Limits on columns are those of the verification.
std::vector<std::string> missed_limits(const DesignProgram& program,
                                       const std::vector<double>& x);

/// The objective or limit that has no value, and where and why: "sigma_d0_um
/// has no value at p = 0.01 GeV, theta = 90 deg: too few hits"; empty: none.
std::string missing_value(const DesignProgram& program,
                          const std::vector<double>& x);

}  // namespace gttf
