// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/construction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gttf/core/parallel.hpp"
#include "gttf/core/random.hpp"

namespace gttf {
namespace {

constexpr std::size_t n_sampled = 1000;
constexpr std::size_t sampled_in_block = 50;

/// The problem with the inaccurate numbers as variables.
OptimisationProblem around(const DesignProgram& program,
                           const std::vector<double>& x) {
  OptimisationProblem problem = program.problem();
  const std::vector<double> numbers =
      program.space().numbers<double>(std::span<const double>(x));
  DesignSpace& space = problem.space;
  space.keys.clear();
  space.variables.clear();
  space.followers.clear();
  for (const ConstructionError& error : problem.construction) {
    const std::vector<char>& absent = program.combination().absent;
    const std::size_t layer =
        space.design[error.key.numbers.front().number].layer;
    if (!absent.empty() && layer != DesignNumber::none && absent[layer] != 0)
      continue;
    if (!std::isfinite(numbers[error.key.numbers.front().number])) continue;
    DesignKey key = error.key;
    key.start = program.space().key_value<double>(error.key, numbers);
    DesignVariable variable;
    variable.name = key.key;
    variable.keys = {space.keys.size()};
    variable.start = key.start;
    variable.from = key.start - error.rms;
    variable.to = key.start + error.rms;
    variable.unit = error.unit;
    variable.unit_value = error.unit_value;
    space.keys.push_back(std::move(key));
    space.variables.push_back(std::move(variable));
  }
  space.described = space.start = numbers;
  space.design.set(numbers);
  return problem;
}

double share_below(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(std::ceil(at))];
}

}  // namespace

bool ConstructionEffect::by_derivative() const {
  return std::abs(first) >= std::abs(second);
}

bool ConstructionResult::by_derivatives() const {
  constexpr double alike = 0.2;  // 1000 samples have a statistical error of 2 %
  return std::abs(first - rms) <= alike * rms && std::abs(shift) <= alike * rms;
}

ConstructionResult construction_effects(const DesignProgram& program,
                                        const std::vector<double>& x,
                                        unsigned threads) {
  ConstructionResult result;
  const OptimisationProblem problem = around(program, x);
  Combination combination = program.combination();
  combination.numbers.clear();  // they are in the start
  DesignProgram here(problem, std::move(combination));
  const DesignSpace& space = here.space();
  const std::vector<double> start = space.start_values();
  const auto at_start = here.all_values(start);
  if (!at_start || space.size() == 0) return result;
  const bool logarithmic = problem.objective.logarithmic;
  const auto change = [&](double f) {
    return logarithmic ? f - at_start->f : std::expm1(f - at_start->f);
  };
  // the maximum of several has no derivative where two are equal
  const auto exact = here.has_level()
                         ? std::nullopt
                         : here.program({}).evaluate(here.scaled(start), true);
  for (std::size_t i = 0; i < space.size(); ++i) {
    const DesignVariable& v = space.variables[i];
    const double rms = 0.5 * (v.to - v.from);
    ConstructionEffect effect{v.name, rms / v.unit_value, v.unit, 0, 0};
    std::vector<double> there = start;
    there[i] = v.to;
    const auto up = here.all_values(there);
    there[i] = v.from;
    const auto down = here.all_values(there);
    if (up && down) {
      const double a = change(up->f), b = change(down->f);
      effect.first = 0.5 * (a - b);
      effect.second = 0.5 * (a + b);
    }
    // one rms is half of the range of the variable
    if (exact)
      effect.first = 0.5 * exact->gradient[static_cast<Eigen::Index>(i)];
    result.first += effect.first * effect.first;
    result.effects.push_back(std::move(effect));
  }
  result.first = std::sqrt(result.first);

  struct Block {
    std::vector<double> changes, violations;
    std::size_t lost = 0;
  };
  std::vector<double> changes, violations;
  parallel_in_order(
      n_sampled / sampled_in_block, thread_count(threads),
      [&](std::size_t block) {
        Block found;
        DesignProgram mine = here;
        std::vector<double> normals(space.size());
        for (std::size_t i = 0; i < sampled_in_block; ++i) {
          fill_normals({problem.seed, 0, block * sampled_in_block + i},
                       normals);
          std::vector<double> there = start;
          for (std::size_t k = 0; k < there.size(); ++k) {
            const DesignVariable& v = space.variables[k];
            there[k] += 0.5 * (v.to - v.from) * normals[k];
          }
          const auto values = mine.all_values(there);
          if (!values) {
            ++found.lost;
            continue;
          }
          found.changes.push_back(change(values->f));
          found.violations.push_back(values->violation());
        }
        return found;
      },
      [&](const Block& block) {
        changes.insert(changes.end(), block.changes.begin(),
                       block.changes.end());
        violations.insert(violations.end(), block.violations.begin(),
                          block.violations.end());
        result.lost += block.lost;
      });
  result.samples = n_sampled;
  const double n = static_cast<double>(changes.size());
  for (const double c : changes) result.shift += c / n;
  for (const double c : changes)
    result.rms += (c - result.shift) * (c - result.shift) / n;
  result.rms = std::sqrt(result.rms);
  constexpr double most_of_them = 0.95;
  result.high = share_below(std::move(changes), most_of_them);
  result.violation = share_below(std::move(violations), most_of_them);
  return result;
}

}  // namespace gttf
