// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/proof.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "gttf/study/optimise/design_sampler.hpp"

namespace gttf {

bool is_beyond_best_corner(DesignProgram program) {
  const DesignSpace& space = program.space();
  if (!space.followers.empty()) return false;
  std::vector<double> x;
  for (const DesignVariable& v : space.variables) {
    for (const std::size_t k : v.keys)
      for (const NumberSlope& n : space.keys[k].numbers) {
        const DesignNumber::Kind kind = space.design[n.number].kind;
        if (n.slope < 0 || (kind != DesignNumber::Kind::sigma &&
                            kind != DesignNumber::Kind::x_over_x0 &&
                            kind != DesignNumber::Kind::thickness))
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
  if (o.kind == Kind::quantile) return false;
  for (std::size_t i = 0; i < program.n_samples(); ++i) {
    const Sample& s = program.sample(i);
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
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  if (!point.exists) return nothing;
  const ProgramValues& v = point.values;
  const double f = std::exp(v.f);
  // multipliers of G: those of the logarithms, times F and by exp(limit)
  double bound = f;
  for (Eigen::Index i = 0; i < v.limits.size(); ++i)
    bound += f * point.multipliers[i] * -std::expm1(-v.limits[i]);
  Eigen::VectorXd slope = v.gradient;
  if (v.limits.size() > 0) slope += v.jacobian.transpose() * point.multipliers;
  slope *= f;
  const DesignSpace& space = program.space();
  const std::vector<double> x = program.natural(point.x);
  for (std::size_t i = 0; i < space.size(); ++i) {
    const DesignVariable& variable = space.variables[i];
    // from the scaled variable to u
    const double by_u = slope[static_cast<Eigen::Index>(i)] /
                        variable.span_at(x[i]) * (-0.5 * x[i] * x[i] * x[i]);
    const double u = 1 / (x[i] * x[i]);
    const double end = by_u > 0 ? variable.to : variable.from;
    bound += by_u * (1 / (end * end) - u);
  }
  if (program.has_level()) {
    const Eigen::Index level = slope.size() - 1;
    const NonlinearProgram limits = program.program({});
    bound += slope[level] *
             ((slope[level] > 0 ? limits.lower : limits.upper)[level] -
              point.x[level]);
  }
  return bound > 0 ? std::log(bound) : nothing;
}

}  // namespace gttf
