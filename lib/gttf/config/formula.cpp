// SPDX-License-Identifier: Apache-2.0
// Evaluates formulas; parse_formula.cpp reads them.
#include "gttf/config/formula.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/core/expect.hpp"

namespace gttf {

double Formula::evaluate(std::span<const Step> steps,
                         std::span<const double> variables) {
  std::vector<double> stack;
  const auto pop = [&stack] {
    const double top = stack.back();
    stack.pop_back();
    return top;
  };
  const auto unary = [&](auto f) { stack.back() = f(stack.back()); };
  const auto binary = [&](auto f) {
    const double b = pop();
    stack.back() = f(stack.back(), b);
  };
  for (const Step& step : steps) {
    switch (step.code) {
      case Code::constant:
        stack.push_back(step.value);
        break;
      case Code::variable:
        stack.push_back(variables[step.variable]);
        break;
      case Code::add:
        binary([](double a, double b) { return a + b; });
        break;
      case Code::subtract:
        binary([](double a, double b) { return a - b; });
        break;
      case Code::quadratic_sum:
        binary([](double a, double b) { return std::hypot(a, b); });
        break;
      case Code::multiply:
        binary([](double a, double b) { return a * b; });
        break;
      case Code::divide:
        binary([](double a, double b) { return a / b; });
        break;
      case Code::power:
        binary([](double a, double b) { return std::pow(a, b); });
        break;
      case Code::min:
        binary([](double a, double b) { return std::min(a, b); });
        break;
      case Code::max:
        binary([](double a, double b) { return std::max(a, b); });
        break;
      case Code::negate:
        unary([](double a) { return -a; });
        break;
      case Code::sin:
        unary([](double a) { return std::sin(a); });
        break;
      case Code::cos:
        unary([](double a) { return std::cos(a); });
        break;
      case Code::tan:
        unary([](double a) { return std::tan(a); });
        break;
      case Code::sqrt:
        unary([](double a) { return std::sqrt(a); });
        break;
      case Code::exp:
        unary([](double a) { return std::exp(a); });
        break;
      case Code::log:
        unary([](double a) { return std::log(a); });
        break;
      case Code::abs:
        unary([](double a) { return std::abs(a); });
        break;
    }
  }
  GTTF_EXPECT(stack.size() == 1);
  return stack.back();
}

bool Formula::uses(std::size_t variable) const {
  return std::ranges::any_of(steps_, [variable](const Step& step) {
    return step.code == Code::variable && step.variable == variable;
  });
}

}  // namespace gttf
