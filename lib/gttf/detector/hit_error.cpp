// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/hit_error.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "gttf/detector/surface_outline.hpp"

namespace gttf {

namespace {

/// Indices of the variables.
enum Variable : std::size_t {
  p,
  pt,
  pT,
  theta,
  phi,
  alpha,
  beta,
  z,
  r,
  drift,
  bz,
  n_variables
};

}  // namespace

std::vector<FormulaVariable> hit_error_variables() {
  const Powers energy{.energy = 1}, angle{.angle = 1}, length{.length = 1};
  return {{"p", energy},     {"pt", energy},      {"pT", energy},
          {"theta", angle},  {"phi", angle},      {"alpha", angle},
          {"beta", angle},   {"z", length},       {"r", length},
          {"drift", length}, {"bz", {.field = 1}}};
}

HitError::HitError(Formula formula, const Surface& surface, double drift_to)
    : formula_(std::move(formula)), drift_to_(drift_to) {
  const Interval along_z = extent(surface, Axis::z), radius = radii(surface);
  nominal_ = value({.p = 1 * unit::GeV,
                    .theta = 90 * unit::deg,
                    .z = 0.5 * (along_z.lower + along_z.upper),
                    .r = 0.5 * (radius.lower + radius.upper),
                    .bz = 1 * unit::T});
}

bool HitError::uses_drift() const { return formula_.uses(drift); }

double HitError::value(const HitErrorInput& at) const {
  std::array<double, n_variables> values;
  values[p] = at.p;
  values[pt] = values[pT] = at.p * std::sin(at.theta);
  values[theta] = at.theta;
  values[phi] = at.phi;
  values[alpha] = at.alpha;
  values[beta] = at.beta;
  values[z] = at.z;
  values[r] = at.r;
  values[drift] = drift_to_ - std::abs(at.z);
  values[bz] = at.bz;
  return formula_(values);
}

}  // namespace gttf
