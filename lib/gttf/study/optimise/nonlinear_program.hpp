// SPDX-License-Identifier: Apache-2.0
// NonlinearProgram: minimises a smooth function with smooth constraints, and
// verifies the conditions of an optimum.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

namespace gttf {

/// Values at a point: objective, limits (<= 0 if met), and, if requested, their
/// derivatives.
struct ProgramValues {
  double f = 0;
  Eigen::VectorXd gradient;
  Eigen::VectorXd limits;
  Eigen::MatrixXd jacobian;  ///< a row for each limit

  /// The largest limit, at least 0.
  double violation() const;
};

/// Minimise f(x) with limits(x) <= 0 and lower <= x <= upper. Variables should
/// be scaled to about 1.
struct NonlinearProgram {
  Eigen::VectorXd lower, upper;
  /// The values at x; nothing if there are none (a track has lost a hit).
  std::function<std::optional<ProgramValues>(const Eigen::VectorXd& x,
                                             bool derivatives)>
      evaluate;
  /// Called before every step and every cut of one; false ends the search at
  /// the current point.
  std::function<bool()> keep_on = {};
};

/// Result of a search.
struct ProgramResult {
  bool exists = false;  ///< whether the start had values
  Eigen::VectorXd x;
  ProgramValues values;
  Eigen::VectorXd multipliers;         ///< of the limits, >= 0
  Eigen::VectorXd at_lower, at_upper;  ///< multipliers of the bounds, >= 0
  double residual = 0;   ///< of the conditions of an optimum, relative
  double violation = 0;  ///< largest limit
  int evaluations = 0;   ///< with derivatives
  /// Ends of the last steps that were cut, the longest first.
  std::vector<Eigen::VectorXd> rejected;
};

/// Tolerances of an optimum: for the limits, and for the balance of the
/// gradient by active limits.
inline constexpr double program_feasible = 1e-10;
inline constexpr double program_stationary = 1e-7;
/// A smaller gradient is not a scale: it vanishes at an optimum that no limit
/// holds.
inline constexpr double least_gradient = 0.1;
/// Where no step improves a point, a residual below this is that of an optimum:
/// the objective is off by about its square.
inline constexpr double program_balanced = 1e-8;

/// Sequential quadratic programming from `start`: quasi-Newton (BFGS, damped
/// after Powell), an exact penalty as merit, steps to points without values are
/// reduced. The result contains its own accuracy.
/// Source: [NocedalWright06] chapter 18
ProgramResult minimise(const NonlinearProgram& program,
                       const Eigen::VectorXd& start, int most_steps = 100);

/// Multipliers >= 0 of active limits and bounds at x that best balance the
/// gradient, and the remainder relative to the gradient, or to least_gradient.
void judge(const NonlinearProgram& program, ProgramResult& result);

/// Of the multipliers that balance the gradient equally well, the least of each
/// limit and bound: what relaxing it alone gains. They differ from those of
/// judge() where active limits depend on each other.
/// @param parts_of  for each limit of the program the number of the one of
///                  which it is a point, and with which it is relaxed; empty:
///                  all are separate
void take_least_multipliers(const NonlinearProgram& program,
                            ProgramResult& result,
                            const std::vector<std::size_t>& parts_of = {});

/// u >= 0 that minimises |a u - b|.
/// Source: [LawsonHanson74] chapter 23
Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& a,
                                          const Eigen::VectorXd& b);

/// The shortest d with rows d + offsets <= 0 in the metric d^T b d + 2 g^T d.
struct QuadraticStep {
  Eigen::VectorXd d;
  Eigen::VectorXd multipliers;  ///< >= 0
};
/// Nothing if no d satisfies all of them.
std::optional<QuadraticStep> quadratic_step(const Eigen::MatrixXd& b,
                                            const Eigen::VectorXd& g,
                                            const Eigen::MatrixXd& rows,
                                            const Eigen::VectorXd& offsets);

}  // namespace gttf
