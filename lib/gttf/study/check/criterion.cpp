// SPDX-License-Identifier: Apache-2.0
// Queries of criteria and baselines; they are read elsewhere.
#include <cmath>

#include "gttf/study/check/baseline.hpp"
#include "gttf/study/check/requirement_file.hpp"

namespace gttf {

double Tolerance::of(double limit) const {
  return absolute + relative * std::abs(limit);
}

bool Criterion::needs_baseline() const {
  if (text_of_baseline) return true;
  for (const auto* limit : {&min, &max, &equal})
    if (*limit && (*limit)->formula.uses(baseline_variable)) return true;
  return false;
}

std::vector<FormulaVariable> limit_variables(const CheckedQuantity& quantity) {
  const Powers momentum{.energy = 1}, angle{.angle = 1};
  return {{"p", momentum},
          {"pT", momentum},
          {"pt", momentum},
          {"theta", angle},
          {"eta", {}},
          {"beta", {}},
          {"baseline", quantity.powers}};
}

std::array<double, n_limit_variables> limit_values(const StudyRequest& grid,
                                                   GridPoint point,
                                                   double baseline) {
  const Track t = grid_track(grid, point);
  const double pt = pt_of(grid, point);
  return {t.p,
          pt,
          pt,
          t.theta,
          eta_of(grid, point),
          t.p / std::hypot(t.p, t.mass),
          baseline};
}

const BaselineDetector* Baseline::find(const Detector& detector) const {
  for (const BaselineDetector& own : detectors)
    if (own.input.detector.name == detector.name) return &own;
  return detectors.size() == 1 ? &detectors.front() : nullptr;
}

}  // namespace gttf
