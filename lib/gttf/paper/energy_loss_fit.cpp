// SPDX-License-Identifier: Apache-2.0
#include "gttf/paper/energy_loss_fit.hpp"

#include <cmath>

namespace gttf {
namespace {

using Vector2 = Eigen::Vector2d;

/// d(kinks of a triplet)/d(curvature) of either segment.
struct SplitSlope {
  Vector2 first, second;
};

SplitSlope split_slope(const Triplet<double>& t) {
  const auto a = derivatives(t.first), b = derivatives(t.second);
  return {{-a.polar_slope, -a.azimuth_slope},
          {b.polar_slope, -b.azimuth_slope}};
}

/// A segment of the track: its curvature and the derivatives with respect to
/// the curvature of the first segment and to the energy.
struct SegmentCurvature {
  double kappa = 0;
  double slope = 1;     ///< d kappa/d kappa_01
  double per_loss = 0;  ///< d kappa/d(energy lost before), 1/(mm GeV)
};

/// NaN after the particle has stopped.
std::vector<SegmentCurvature> curvatures(const TrackLosses& losses,
                                         double kappa) {
  const double qb = std::copysign(losses.charge_times_b, kappa);
  const double p = qb / kappa, m2 = losses.mass * losses.mass;
  const double e = std::sqrt(p * p + m2);
  std::vector<SegmentCurvature> list;
  double lost = 0;
  for (std::size_t k = 0; k <= losses.mean.size(); ++k) {
    const double e_k = e - lost, p_k = std::sqrt(e_k * e_k - m2);
    const double kappa_k = e_k > losses.mass ? qb / p_k : NAN;
    const double ratio = kappa_k / kappa;
    list.push_back({kappa_k, ratio * ratio * (p / e) * (e_k / p_k),
                    kappa_k * e_k / (p_k * p_k)});
    if (k < losses.mean.size()) lost += losses.mean[k];
  }
  return list;
}

/// Weight of the segment after the middle hit.
double weight_behind(const Triplet<double>& t) {
  return t.second.length / (t.first.length + t.second.length);
}

/// d(kinks)/d(loss) times the standard deviations of the losses: -G of them.
Eigen::MatrixXd loss_columns(std::span<const Triplet<double>> triplets,
                             const TrackLosses& losses, double kappa) {
  const auto segments = curvatures(losses, kappa);
  const auto n = static_cast<Eigen::Index>(triplets.size());
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(2 * n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto jj = static_cast<std::size_t>(j);
    const SplitSlope s = split_slope(triplets[jj]);
    for (Eigen::Index l = 0; l <= j; ++l) {
      // the first segment does not include the loss at its own end
      Vector2 change = s.second * segments[jj + 1].per_loss;
      if (l < j) change += s.first * segments[jj].per_loss;
      columns.block<2, 1>(2 * j, l) =
          change * losses.sigma[static_cast<std::size_t>(l)];
    }
  }
  return columns;
}

/// Repeats `step`, a fit at a curvature, until the curvature converges.
template <class Step>
LossFit iterate(const TripletEquations& equations, const Step& step) {
  LossFit fit;
  fit.track = solve(equations);
  constexpr int most = 20;
  constexpr double enough = 1e-13;
  for (int i = 0; i < most && fit.track.status == FitStatus::ok; ++i) {
    const double kappa = fit.track.kappa;
    fit.equations = step(kappa);
    if (!fit.equations.psi.allFinite()) {
      fit.track = {};
      break;
    }
    fit.track = solve(fit.equations);
    if (std::abs(fit.track.kappa - kappa) < enough * std::abs(kappa))
      return fit;
  }
  if (fit.track.status == FitStatus::ok)
    fit.track.status = FitStatus::not_converged;
  return fit;
}

}  // namespace

LocalLossCorrection local_loss_correction(const Triplet<double>& t,
                                          double kappa, double p, double mass,
                                          double loss) {
  const double beta = p / std::hypot(p, mass);
  const double change = kappa * loss / (beta * p);
  const double first = t.first.index * t.first.length;
  const double second = t.second.index * t.second.length;
  const double both = first + second;
  return {.kappa_first = kappa - second / both * change,
          .kappa_second = kappa + first / both * change,
          .rotation = first * second / (2 * both) * change};
}

TripletEquations with_losses(const TripletEquations& equations,
                             std::span<const Triplet<double>> triplets,
                             const TrackLosses& losses, double kappa,
                             LossMap map) {
  TripletEquations e = equations;
  const auto segments = curvatures(losses, kappa);
  const double qb = std::copysign(losses.charge_times_b, kappa);
  const double p = qb / kappa, beta = p / std::hypot(p, losses.mass);
  double lost = 0;  // momentum
  for (std::size_t j = 0; j < triplets.size(); ++j) {
    const auto r = static_cast<Eigen::Index>(2 * j);
    if (map == LossMap::series) {
      const double dp = losses.mean[j] / beta;
      const double f = (lost + weight_behind(triplets[j]) * dp) / qb;
      e.psi.segment<2>(r) -= equations.rho.segment<2>(r) * f * kappa * kappa;
      e.rho.segment<2>(r) *= 1 + 2 * f * kappa;
      lost += dp;
      continue;
    }
    const SplitSlope s = split_slope(triplets[j]);
    const SegmentCurvature &a = segments[j], &b = segments[j + 1];
    e.rho.segment<2>(r) = s.first * a.slope + s.second * b.slope;
    e.psi.segment<2>(r) += s.first * (a.kappa - a.slope * kappa) +
                           s.second * (b.kappa - b.slope * kappa);
  }
  return e;
}

LossFit fit_with_losses(const TripletEquations& equations,
                        std::span<const Triplet<double>> triplets,
                        const TrackLosses& losses, LossMap map) {
  LossFit fit = iterate(equations, [&](double kappa) {
    return with_losses(equations, triplets, losses, kappa, map);
  });
  fit.losses = losses.mean;
  return fit;
}

LossFit fit_track_and_losses(const TripletEquations& equations,
                             std::span<const Triplet<double>> triplets,
                             const TrackLosses& losses) {
  LossFit fit = iterate(equations, [&](double kappa) {
    TripletEquations e = with_losses(equations, triplets, losses, kappa);
    e.append(-loss_columns(triplets, losses, kappa));
    return e;
  });
  fit.losses = losses.mean;
  if (fit.track.status != FitStatus::ok) return fit;
  const auto n = static_cast<Eigen::Index>(losses.mean.size());
  const Eigen::VectorXd sigma =
      Eigen::Map<const Eigen::VectorXd>(losses.sigma.data(), n);
  const Eigen::VectorXd eps = sigma.cwiseProduct(fit.track.errors.tail(n));
  for (Eigen::Index l = 0; l < n; ++l)
    fit.losses[static_cast<std::size_t>(l)] += eps[l];
  fit.loss_covariance = sigma.asDiagonal() *
                        fit.track.covariance.bottomRightCorner(n, n) *
                        sigma.asDiagonal();
  fit.loss_with_kappa = sigma.cwiseProduct(fit.track.with_kappa.tail(n));
  return fit;
}

}  // namespace gttf
