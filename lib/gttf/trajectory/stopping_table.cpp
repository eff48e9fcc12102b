// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/stopping_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace gttf::detail {

StoppingTable::StoppingTable() : ranges_(n_ranges) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  none_ = {nan, nan, nan, nan, nan, {}};
}

StoppingTable::StoppingTable(const LossSlab& slab, double mass, double charge)
    : StoppingTable() {
  slab_ = slab;
  particle_ = {mass, charge < 0 ? -1.0 : 1.0};
  const DensityEffect& effect = slab.medium.density_effect;
  for (const double x : {effect.x0, effect.x1}) {
    const double rest = particle_.rest_energy();
    breaks_.push_back(kinetic_energy(rest * std::pow(10., x), rest));
  }
}

StoppingTable StoppingTable::of_given_loss() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  StoppingPiece constant{};
  constant.from = constant.lowest =
      std::bit_cast<double>(static_cast<std::uint64_t>(first_range) << 50);
  constant.to = infinity;
  constant.power[0] = 1;
  StoppingTable table;
  for (Range& range : table.ranges_)
    range = {{constant, constant}, infinity, true};
  return table;
}

void StoppingTable::fill(std::size_t i) {
  const auto begin_of = [](std::size_t range) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(first_range + range)
                                 << 50);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double from = begin_of(i), to = begin_of(i + 1);
  Range& range = ranges_[i];
  range.is_filled = true;
  range.split = infinity;
  // below beta gamma = 0.05 the stopping power is constant
  if (from < 1.5e-3 * particle_.rest_energy()) {
    range.pieces[0] = range.pieces[1] = none_;
    return;
  }
  int n_breaks = 0;
  for (const double at : breaks_)
    if (at > from && at < to) {
      range.split = at;
      ++n_breaks;
    }
  if (n_breaks > 1) {
    range.pieces[0] = range.pieces[1] = none_;
    return;
  }
  // as far as the polynomial of the range is good enough
  double lowest = 0.98 * from;
  for (const double at : breaks_)
    if (at <= from) lowest = std::max(lowest, at);
  if (range.split == infinity) {
    range.pieces[0] = piece(from, to, lowest);
    return;
  }
  range.pieces[0] = piece(from, range.split, lowest);
  range.pieces[1] = piece(range.split, to, range.split);
}

/// The polynomial through the values at the zeros of a Chebyshev polynomial.
StoppingPiece StoppingTable::piece(double from, double to,
                                   double lowest) const {
  constexpr std::size_t n = StoppingPiece::n_powers;
  const StoppingPower power(slab_, particle_);
  StoppingPiece p;
  p.from = from;
  p.to = to;
  p.centre = 0.5 * (from + to);
  p.per_width = 2 / (to - from);
  p.lowest = lowest;
  std::array<double, n> node, value;
  for (std::size_t i = 0; i < n; ++i) {
    node[i] = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) /
                       static_cast<double>(n));
    value[i] = power(p.centre + node[i] / p.per_width);
  }
  // divided differences, then powers of y
  for (std::size_t order = 1; order < n; ++order)
    for (std::size_t i = n; i-- > order;)
      value[i] = (value[i] - value[i - 1]) / (node[i] - node[i - order]);
  std::array<double, n> sum{};
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = n; j-- > 1;) sum[j] = sum[j - 1] - node[i] * sum[j];
    sum[0] = value[i] - node[i] * sum[0];
  }
  for (std::size_t i = 0; i < n; ++i) p.power[i] = sum[i];
  return p;
}

}  // namespace gttf::detail
