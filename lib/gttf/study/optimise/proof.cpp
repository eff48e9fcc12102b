// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/proof.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "gttf/study/optimise/design_sampler.hpp"

namespace gttf {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// What a slope by the scaled variables is multiplied by for the change of the
/// tangent, which is linear in the information, to the ends of the ranges.
struct Reach {
  VectorXd down, up;  ///< <= 0, >= 0
};

Reach reach_of(DesignProgram& program, const VectorXd& at) {
  Reach reach{VectorXd::Zero(at.size()), VectorXd::Zero(at.size())};
  const DesignSpace& space = program.space();
  const std::vector<double> x = program.natural(at);
  for (std::size_t i = 0; i < space.size(); ++i) {
    const DesignVariable& variable = space.variables[i];
    const auto to = [&](double end) {
      return -0.5 * x[i] * x[i] * x[i] / variable.span_at(x[i]) *
             (1 / (end * end) - 1 / (x[i] * x[i]));
    };
    reach.down[static_cast<Index>(i)] = std::min(0.0, to(variable.from));
    reach.up[static_cast<Index>(i)] = std::max(0.0, to(variable.to));
  }
  if (program.has_level()) {
    const Index level = at.size() - 1;
    const NonlinearProgram limits = program.program({});
    reach.down[level] = limits.lower[level] - at[level];
    reach.up[level] = limits.upper[level] - at[level];
  }
  return reach;
}

/// The least value of the tangent in the ranges, a logarithm.
double bound_by_tangent(const ProgramValues& v, const VectorXd& multipliers,
                        const Reach& reach) {
  const double f = std::exp(v.f);
  // multipliers of G: those of the logarithms, times F and by exp(limit)
  double bound = f;
  for (Index i = 0; i < v.limits.size(); ++i)
    bound += f * multipliers[i] * -std::expm1(-v.limits[i]);
  VectorXd slope = v.gradient;
  if (v.limits.size() > 0) slope += v.jacobian.transpose() * multipliers;
  bound += f * slope.cwiseProduct(reach.down)
                   .cwiseMin(slope.cwiseProduct(reach.up))
                   .sum();
  return bound > 0 ? std::log(bound) : -std::numeric_limits<double>::infinity();
}

/// Multipliers that make the tangent flat: those of the conditions of an
/// optimum balance all variables alike, but small information has a long way to
/// the end of its range.
VectorXd tangent_multipliers(const ProgramValues& v, const Reach& reach) {
  constexpr double near = 1e-7;  // to a limit or the end of a range
  const Index n = v.gradient.size();
  const VectorXd weights = reach.up.cwiseMax(-reach.down);
  std::vector<Index> active;
  std::vector<VectorXd> columns;
  for (Index i = 0; i < v.limits.size(); ++i)
    if (v.limits[i] > -near) {
      active.push_back(i);
      columns.emplace_back(v.jacobian.row(i).transpose());
    }
  for (Index i = 0; i < n; ++i) {
    if (reach.up[i] <= near * weights[i])
      columns.emplace_back(VectorXd::Unit(n, i));
    if (-reach.down[i] <= near * weights[i])
      columns.emplace_back(-VectorXd::Unit(n, i));
  }
  VectorXd multipliers = VectorXd::Zero(v.limits.size());
  if (columns.empty()) return multipliers;
  Eigen::MatrixXd a(n, static_cast<Index>(columns.size()));
  for (Index k = 0; k < a.cols(); ++k)
    a.col(k) = columns[static_cast<std::size_t>(k)].cwiseProduct(weights);
  const VectorXd u =
      nonnegative_least_squares(a, -v.gradient.cwiseProduct(weights));
  for (std::size_t k = 0; k < active.size(); ++k)
    multipliers[active[k]] = u[static_cast<Index>(k)];
  return multipliers;
}

}  // namespace

bool is_beyond_best_corner(DesignProgram program) {
  const DesignSpace& space = program.space();
  if (!space.followers.empty()) return false;
  // less material slows tracks less, which may be worse
  const bool loses_energy = has_energy_loss(program.problem());
  std::vector<double> x;
  for (const DesignVariable& v : space.variables) {
    for (const std::size_t k : v.keys)
      for (const NumberSlope& n : space.keys[k].numbers) {
        const DesignNumber::Kind kind = space.design[n.number].kind;
        if (n.slope < 0 ||
            (kind != DesignNumber::Kind::sigma &&
             kind != DesignNumber::Kind::x_over_x0 &&
             kind != DesignNumber::Kind::thickness) ||
            (kind != DesignNumber::Kind::sigma && loses_energy))
          return false;
      }
    x.push_back(v.from);
  }
  const auto all = program.all_values(x);
  if (!all) return false;
  for (std::size_t i = 0; i < all->samples.size(); ++i)
    if (program.sample(i).parameter && !std::isnan(program.sample(i).upper) &&
        program.sample(i).is_limit() && all->samples[i] > design_feasible)
      return true;
  return false;
}

bool is_convex(const DesignProgram& program) {
  const DesignSpace& space = program.space();
  const OptimisationProblem& problem = program.problem();
  if (!space.followers.empty() || space.size() == 0) return false;
  for (const DesignVariable& v : space.variables)
    for (const std::size_t k : v.keys)
      for (const NumberSlope& n : space.keys[k].numbers)
        if (space.design[n.number].kind != DesignNumber::Kind::sigma ||
            // through zero: a factor, or one value for all
            std::abs(space.start[n.number] - n.slope * space.keys[k].start) >
                1e-9 * std::abs(space.start[n.number]))
          return false;
  using Kind = Objective::Kind;
  const Objective& o = problem.objective;
  if (o.kind == Kind::quantile || o.kind == Kind::missing) return false;
  for (std::size_t i = 0; i < program.n_samples(); ++i) {
    const Sample& s = program.sample(i);
    if (program.is_of_text(s)) continue;  // no other design is better without
    if (!s.parameter || std::isnan(s.upper)) return false;
  }
  // sums that grow in proportion to 1/x^2 of every variable, and nothing else
  std::vector<std::size_t> sums;
  if (o.kind == Kind::quantity) sums.push_back(o.quantity);
  for (const QuantityLimit& limit : problem.limits) {
    if (limit.min) return false;
    sums.push_back(limit.quantity);
  }
  const auto value = [&](std::size_t q, const std::vector<double>& x) {
    const auto numbers = space.numbers<double>(std::span<const double>(x));
    double sum = 0;
    for (const DesignQuantity::Term& term : problem.quantities[q].terms)
      sum += space.value<double>(term.formula, term.inputs, numbers);
    return sum;
  };
  const auto at_information = [&](const std::vector<double>& u) {
    std::vector<double> x;
    for (const double information : u) x.push_back(1 / std::sqrt(information));
    return x;
  };
  const DesignSampler sampler(program);
  for (const std::size_t q : sums)
    for (std::uint64_t i = 0; i < 8; ++i) {
      std::vector<double> a, b, middle;
      for (const double x : sampler.design(2 * i)) a.push_back(1 / (x * x));
      for (const double x : sampler.design(2 * i + 1)) b.push_back(1 / (x * x));
      for (std::size_t k = 0; k < a.size(); ++k)
        middle.push_back(0.5 * (a[k] + b[k]));
      const double ends =
          0.5 * (value(q, at_information(a)) + value(q, at_information(b)));
      if (std::abs(value(q, at_information(middle)) - ends) >
          1e-10 * std::abs(ends))
        return false;
    }
  return true;
}

double lower_bound(DesignProgram& program, const ProgramResult& point) {
  if (!point.exists) return -std::numeric_limits<double>::infinity();
  const Reach reach = reach_of(program, point.x);
  return std::max(
      bound_by_tangent(point.values, point.multipliers, reach),
      bound_by_tangent(point.values, tangent_multipliers(point.values, reach),
                       reach));
}

}  // namespace gttf
