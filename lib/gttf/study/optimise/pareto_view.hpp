// SPDX-License-Identifier: Apache-2.0
// A Pareto front as table and figures.
#pragma once

#include <vector>

#include "gttf/core/figure.hpp"
#include "gttf/core/table.hpp"
#include "gttf/study/optimise/pareto_front.hpp"

namespace gttf {

/// Columns: the objectives, all variables, all choices, certificate.
Table pareto_table(const ParetoFront& front);

/// The front with the design of the file on it: a figure for each pair of
/// objectives.
std::vector<Figure> pareto_figures(const ParetoFront& front);

}  // namespace gttf
