// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/nonlinear_program.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace gttf {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Rows and offsets of limits and bounds for a step from x.
struct Linear {
  MatrixXd rows;
  VectorXd offsets;
};

Linear linearised_at(const NonlinearProgram& program, const VectorXd& x,
                     const ProgramValues& values) {
  const Index n = x.size(), m = values.limits.size();
  Linear l{MatrixXd::Zero(m + 2 * n, n), VectorXd::Zero(m + 2 * n)};
  l.rows.topRows(m) = values.jacobian;
  l.offsets.head(m) = values.limits;
  for (Index i = 0; i < n; ++i) {
    l.rows(m + i, i) = -1;
    l.offsets[m + i] = program.lower[i] - x[i];
    l.rows(m + n + i, i) = 1;
    l.offsets[m + n + i] = x[i] - program.upper[i];
  }
  return l;
}

/// Steps for contradictory limits: they may be violated by a common fraction of
/// their present violation, at a penalty.
std::optional<QuadraticStep> elastic_step(const MatrixXd& b, const VectorXd& g,
                                          const Linear& l, Index n_limits) {
  const Index n = g.size();
  const double price = 1e6 * std::max(1.0, g.cwiseAbs().maxCoeff());
  MatrixXd b2 = MatrixXd::Zero(n + 1, n + 1);
  b2.topLeftCorner(n, n) = b;
  b2(n, n) = price;
  VectorXd g2 = VectorXd::Zero(n + 1);
  g2.head(n) = g;
  MatrixXd rows = MatrixXd::Zero(l.rows.rows(), n + 1);
  rows.leftCols(n) = l.rows;
  for (Index i = 0; i < n_limits; ++i)
    if (l.offsets[i] > 0) rows(i, n) = -l.offsets[i];
  auto step = quadratic_step(b2, g2, rows, l.offsets);
  if (!step) return std::nullopt;
  step->d.conservativeResize(n);
  return step;
}

/// The same with a largest step in every variable.
Linear within_radius(Linear l, Index n_limits, double radius) {
  auto bounds = l.offsets.tail(l.offsets.size() - n_limits);
  bounds = bounds.cwiseMax(-radius);
  return l;
}

/// A step that was evaluated.
struct Trial {
  std::optional<QuadraticStep> step;
  double length = 0;  ///< the largest of a variable
  double merit = 0;   ///< before it
  VectorXd x;
  bool has_values = false, good = false;
};

double merit_of(const ProgramValues& v, const VectorXd& prices) {
  return v.f + prices.dot(v.limits.cwiseMax(0));
}

VectorXd gradient_of_lagrangian(const ProgramValues& v,
                                const VectorXd& multipliers) {
  VectorXd g = v.gradient;
  if (multipliers.size() > 0) g += v.jacobian.transpose() * multipliers;
  return g;
}

/// The quasi-Newton update, damped so that b stays positive definite.
void update(MatrixXd& b, const VectorXd& s, VectorXd y) {
  const VectorXd bs = b * s;
  const double sbs = s.dot(bs);
  if (!(sbs > 0)) return;
  const double sy = s.dot(y);
  constexpr double least = 0.2;
  if (sy < least * sbs) {
    const double theta = (1 - least) * sbs / (sbs - sy);
    y = theta * y + (1 - theta) * bs;
  }
  const double product = s.dot(y);
  if (!(product > 1e-300)) return;
  b += y * y.transpose() / product - bs * bs.transpose() / sbs;
}

VectorXd within(const NonlinearProgram& program, const VectorXd& x) {
  return x.cwiseMax(program.lower).cwiseMin(program.upper);
}

}  // namespace

double ProgramValues::violation() const {
  return limits.size() == 0 ? 0 : std::max(0.0, limits.maxCoeff());
}

VectorXd nonnegative_least_squares(const MatrixXd& a, const VectorXd& b) {
  const Index m = a.cols();
  VectorXd u = VectorXd::Zero(m);
  std::vector<Index> passive;
  std::vector<char> is_passive(static_cast<std::size_t>(m), 0);
  const auto flag = [&](Index i) -> char& {
    return is_passive[static_cast<std::size_t>(i)];
  };
  VectorXd norms(m);
  for (Index i = 0; i < m; ++i) norms[i] = a.col(i).norm();
  const Index most = 3 * m + 10;
  for (Index round = 0; round < most; ++round) {
    const VectorXd rest = b - a * u;
    const double rounding = 1e-13 * (b.norm() + (a * u).norm());
    Index best = -1;
    double largest = 0;
    for (Index i = 0; i < m; ++i) {
      if (flag(i) != 0 || norms[i] == 0) continue;
      const double w = a.col(i).dot(rest) / norms[i];
      if (w > std::max(largest, rounding)) {
        largest = w;
        best = i;
      }
    }
    if (best < 0) break;
    passive.push_back(best);
    flag(best) = 1;
    bool first = true;
    while (!passive.empty()) {
      MatrixXd part(a.rows(), static_cast<Index>(passive.size()));
      for (Index k = 0; k < part.cols(); ++k)
        part.col(k) = a.col(passive[static_cast<std::size_t>(k)]);
      const VectorXd z = part.colPivHouseholderQr().solve(b);
      if (first && !(z[part.cols() - 1] > 0)) {
        // included due to rounding
        flag(best) = 0;
        norms[best] = 0;
        passive.pop_back();
        break;
      }
      first = false;
      double share = 1;
      for (Index k = 0; k < z.size(); ++k) {
        const double now = u[passive[static_cast<std::size_t>(k)]];
        if (z[k] <= 0) share = std::min(share, now / (now - z[k]));
      }
      for (Index k = 0; k < z.size(); ++k) {
        double& now = u[passive[static_cast<std::size_t>(k)]];
        now += share * (z[k] - now);
      }
      if (share >= 1) break;
      const double scale = u.cwiseAbs().maxCoeff();
      for (std::size_t k = passive.size(); k-- > 0;) {
        const Index i = passive[k];
        if (u[i] > 1e-14 * scale) continue;
        u[i] = 0;
        flag(i) = 0;
        passive.erase(passive.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
  }
  return u;
}

std::optional<QuadraticStep> quadratic_step(const MatrixXd& b,
                                            const VectorXd& g,
                                            const MatrixXd& rows,
                                            const VectorXd& offsets) {
  // minimises |L^T d + L^-1 g|: with y in its place, the shortest y with h <= G
  // y, from the non-negative least squares of its dual
  const Eigen::LLT<MatrixXd> llt(b);
  if (llt.info() != Eigen::Success) return std::nullopt;
  const Index m = rows.rows(), n = g.size();
  const VectorXd c = llt.matrixL().solve(g);
  // rows of G = -rows L^-T
  MatrixXd e(n + 1, m);
  e.topRows(n) = -llt.matrixL().solve(rows.transpose());
  const VectorXd h = offsets + e.topRows(n).transpose() * c;
  e.row(n) = h.transpose();
  VectorXd scale(m);
  for (Index i = 0; i < m; ++i) {
    const double norm = e.col(i).norm();
    scale[i] = norm > 0 ? norm : 1;
    e.col(i) /= scale[i];
  }
  VectorXd target = VectorXd::Zero(n + 1);
  target[n] = 1;
  const VectorXd u = nonnegative_least_squares(e, target);
  const VectorXd rest = e * u - target;
  // 0: a combination of the rows implies 0 >= 1
  if (!(-rest[n] > 1e-12)) return std::nullopt;
  const VectorXd y = rest.head(n) / -rest[n];
  QuadraticStep step;
  step.d = llt.matrixU().solve(y - c);
  step.multipliers = u.cwiseQuotient(scale) / -rest[n];
  return step;
}

namespace {

/// Limits and bounds that hold a design, and their gradients as columns.
struct ActiveRows {
  std::vector<Index> active;  ///< limits, then lower and upper bounds
  MatrixXd gradients;
};

ActiveRows active_rows(const NonlinearProgram& program,
                       const ProgramResult& result) {
  const ProgramValues& v = result.values;
  const Index n = result.x.size(), m = v.limits.size();
  constexpr double near = 1e-7;
  ActiveRows rows;
  for (Index i = 0; i < m; ++i)
    if (v.limits[i] > -near) rows.active.push_back(i);
  for (Index i = 0; i < n; ++i) {
    const double span = program.upper[i] - program.lower[i];
    if (result.x[i] - program.lower[i] <= near * span)
      rows.active.push_back(m + i);
    if (program.upper[i] - result.x[i] <= near * span)
      rows.active.push_back(m + n + i);
  }
  const Linear l = linearised_at(program, result.x, v);
  rows.gradients = MatrixXd(n, static_cast<Index>(rows.active.size()));
  for (Index k = 0; k < rows.gradients.cols(); ++k)
    rows.gradients.col(k) =
        l.rows.row(rows.active[static_cast<std::size_t>(k)]).transpose();
  return rows;
}

void set_multipliers(const ActiveRows& rows, const VectorXd& u,
                     ProgramResult& result) {
  const Index n = result.x.size(), m = result.values.limits.size();
  result.multipliers = VectorXd::Zero(m);
  result.at_lower = result.at_upper = VectorXd::Zero(n);
  for (Index k = 0; k < u.size(); ++k) {
    const Index i = rows.active[static_cast<std::size_t>(k)];
    if (i < m)
      result.multipliers[i] = u[k];
    else if (i < m + n)
      result.at_lower[i - m] = u[k];
    else
      result.at_upper[i - m - n] = u[k];
  }
}

}  // namespace

void judge(const NonlinearProgram& program, ProgramResult& result) {
  const ProgramValues& v = result.values;
  const ActiveRows rows = active_rows(program, result);
  VectorXd rest = v.gradient, u;
  if (rows.gradients.cols() > 0) {
    u = nonnegative_least_squares(rows.gradients, -v.gradient);
    rest += rows.gradients * u;
  }
  set_multipliers(rows, u, result);
  const double scale = std::max(v.gradient.norm(), least_gradient);
  result.residual = rest.norm() / scale;
  result.violation = v.violation();
}

void take_least_multipliers(const NonlinearProgram& program,
                            ProgramResult& result,
                            const std::vector<std::size_t>& parts_of) {
  constexpr double dependent = 1e-9;  // relative
  const ActiveRows rows = active_rows(program, result);
  const MatrixXd& a = rows.gradients;
  if (a.size() == 0) return;
  auto qr = a.colPivHouseholderQr();
  qr.setThreshold(dependent);
  if (qr.rank() == a.cols()) return;  // they are the only ones
  const VectorXd& g = result.values.gradient;
  const VectorXd u = nonnegative_least_squares(a, -g);
  const double balanced = (a * u + g).norm() + dependent * g.norm();
  // bounds come after the limits
  std::map<std::pair<bool, std::size_t>, std::vector<Index>> whole;
  for (Index k = 0; k < a.cols(); ++k) {
    const auto row =
        static_cast<std::size_t>(rows.active[static_cast<std::size_t>(k)]);
    const bool is_part = row < parts_of.size();
    whole[{is_part, is_part ? parts_of[row] : row}].push_back(k);
  }
  VectorXd least = u;
  for (const auto& [number, parts] : whole) {
    MatrixXd others = a;
    VectorXd own = VectorXd::Zero(g.size());
    for (const Index k : parts) {
      others.col(k).setZero();
      own += u[k] * a.col(k);
    }
    const auto balances = [&](double share) {
      const VectorXd b = -g - share * own;
      return (others * nonnegative_least_squares(others, b) - b).norm() <=
             balanced;
    };
    double low = 0, high = 1;
    if (balances(low)) {
      high = 0;
    } else {
      constexpr int halvings = 50;
      for (int i = 0; i < halvings; ++i) {
        const double middle = 0.5 * (low + high);
        (balances(middle) ? high : low) = middle;
      }
    }
    for (const Index k : parts) least[k] = high * u[k];
  }
  set_multipliers(rows, least, result);
}

ProgramResult minimise(const NonlinearProgram& program, const VectorXd& start,
                       int most_steps) {
  ProgramResult result;
  result.x = within(program, start);
  const auto first = program.evaluate(result.x, true);
  ++result.evaluations;
  if (!first) return result;
  result.exists = true;
  result.values = *first;
  const Index n = result.x.size(), m = result.values.limits.size();
  MatrixXd b = MatrixXd::Identity(n, n);
  VectorXd prices = VectorXd::Zero(m);
  constexpr int most_cuts = 12;  // of a step, by 2 to 4 each
  constexpr double least_step = 1e-12;
  constexpr double no_radius = std::numeric_limits<double>::infinity();
  double radius = no_radius;  // of steps, in every variable
  // limits that no step can improve contradict each other here
  constexpr int most_without_progress = 8;
  constexpr double progress = 0.99;
  bool fresh = true;  // b does not yet approximate the Hessian of the function
  int useless = 0, hopeless = 0;
  double least_violation = result.values.violation();
  const auto is_stopped = [&program] {
    return program.keep_on && !program.keep_on();
  };
  // b may be far too large: from multipliers of limits missed at first
  const auto start_again = [&] {
    b = MatrixXd::Identity(n, n);
    fresh = true;
    radius = no_radius;
  };
  for (int round = 0; round < most_steps; ++round) {
    if (is_stopped()) break;
    const ProgramValues& v = result.values;
    const Linear l = linearised_at(program, result.x, v);
    const auto try_within = [&](double most) {
      Trial trial;
      const Linear near = within_radius(l, m, most);
      trial.step = quadratic_step(b, v.gradient, near.rows, near.offsets);
      if (!trial.step) trial.step = elastic_step(b, v.gradient, near, m);
      if (!trial.step) return trial;
      trial.length = trial.step->d.cwiseAbs().maxCoeff();
      if (trial.length < least_step) return trial;
      const VectorXd multipliers = trial.step->multipliers.head(m);
      for (Index i = 0; i < m; ++i)
        prices[i] =
            std::max(multipliers[i], 0.5 * (prices[i] + multipliers[i]));
      const double slope =
          v.gradient.dot(trial.step->d) - prices.dot(v.limits.cwiseMax(0));
      trial.merit = merit_of(v, prices);
      const auto accepts = [&](const std::optional<ProgramValues>& there) {
        const double rounding = 1e-14 * std::max(1.0, std::abs(trial.merit));
        return there && std::isfinite(there->f) &&
               merit_of(*there, prices) <=
                   trial.merit + 1e-4 * std::min(slope, 0.0) + rounding;
      };
      trial.x = within(program, result.x + trial.step->d);
      const auto next = program.evaluate(trial.x, false);
      trial.has_values = next.has_value();
      trial.good = accepts(next);
      if (trial.good || !next || m == 0) return trial;
      // corrected for the curvature of limits
      Linear corrected = near;
      corrected.offsets.head(m) =
          next->limits - v.jacobian * (trial.x - result.x);
      if (const auto second = quadratic_step(b, v.gradient, corrected.rows,
                                             corrected.offsets)) {
        const VectorXd other = within(program, result.x + second->d);
        if (accepts(program.evaluate(other, false))) {
          trial.x = other;
          trial.good = true;
        }
      }
      return trial;
    };
    Trial trial = try_within(radius);
    if (!trial.step || trial.length < least_step) {
      judge(program, result);
      if (fresh || result.residual < program_balanced) break;
      start_again();
      continue;
    }
    const double small = trial.length;
    if (!trial.good) {
      // rounding hides what is left to gain
      judge(program, result);
      if (result.residual < program_balanced &&
          result.violation < program_feasible)
        break;
      result.rejected = {trial.x};
    }
    if (trial.good) {
      // a good step need not be cut in the next round
      radius *= 4;
    } else {
      for (int cut = 0; !trial.good && cut < most_cuts; ++cut) {
        if (is_stopped()) break;
        radius = trial.length * (trial.has_values ? 0.5 : 0.25);
        trial = try_within(radius);
        if (!trial.step || trial.length < least_step) break;
        if (!trial.good) result.rejected.push_back(trial.x);
      }
    }
    if (!trial.good) {
      if (fresh) break;
      start_again();
      continue;
    }
    const VectorXd& x = trial.x;
    const VectorXd multipliers = trial.step->multipliers.head(m);
    const double merit = trial.merit;
    auto next = program.evaluate(x, true);
    ++result.evaluations;
    if (!next) break;
    const VectorXd s = x - result.x;
    const VectorXd y = gradient_of_lagrangian(*next, multipliers) -
                       gradient_of_lagrangian(v, multipliers);
    if (fresh && s.dot(y) > 0)
      b *= y.dot(y) / s.dot(y);  // its scale before the first update
    update(b, s, y);
    fresh = false;
    const double gain = merit - merit_of(*next, prices);
    result.x = x;
    result.values = std::move(*next);
    useless = gain < 1e-13 * std::max(1.0, std::abs(merit)) ? useless + 1 : 0;
    if (useless >= 3) break;
    const double violation = result.values.violation();
    hopeless = violation > 1e-3 && violation > progress * least_violation
                   ? hopeless + 1
                   : 0;
    if (hopeless >= most_without_progress) break;
    least_violation = std::min(least_violation, violation);
    if (useless > 0 || small < 1e-7) {
      judge(program, result);
      if (result.residual < 1e-10 && result.violation < program_feasible) break;
    }
  }
  judge(program, result);
  return result;
}

}  // namespace gttf
