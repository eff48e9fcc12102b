// SPDX-License-Identifier: Apache-2.0
// A dense fit of tracks along z through planes in any field, by numerical
// integration over z: the independent opinion on traced tracks.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "gttf/core/matrix.hpp"

namespace gttf::test {

/// State (x, y, dx/dz, dy/dz, q/p) on planes normal to z. Equations of motion
///
///   d(tx)/dz = q/p sqrt(1 + tx^2 + ty^2) (tx ty Bx - (1 + tx^2) By + ty Bz)
///   d(ty)/dz = q/p sqrt(1 + tx^2 + ty^2) ((1 + ty^2) Bx - tx ty By - tx Bz)
///
/// by Runge-Kutta of fourth order in extended precision, derivatives by
/// differences; the fit solves for the state at the start and the kinks of all
/// planes in one dense system.
struct PlaneLeastSquares {
  using Real = long double;
  using State = Eigen::Matrix<Real, 5, 1>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Transport = Eigen::Matrix<Real, 5, 5>;

  /// A plane with its measured directions (cosine x + sine y).
  struct Plane {
    double z = 0;
    double theta0_2 = 0;
    std::vector<Eigen::Vector3d> coordinates = {};  ///< cosine, sine, variance
    double loss = 0;        ///< change of q/p on the way through, absolute
    double loss_slope = 1;  ///< d(q/p after)/d(q/p before)
    /// d(q/p after)/d(tx, ty)
    Eigen::Vector2d loss_by_slopes = Eigen::Vector2d::Zero();
    /// d(q/p after)/d(tx, ty) of a kink that arises in the plane
    Eigen::Vector2d loss_by_kinks = Eigen::Vector2d::Zero();
    double loss_variance = 0;  ///< of q/p
  };
  /// B in GeV/(e mm).
  using Field = std::function<Eigen::Vector3d(const Eigen::Vector3d&)>;

  Matrix covariance;             ///< of all unknowns
  std::vector<Matrix> lines;     ///< state before each plane by unknowns
  std::vector<State> reference;  ///< state before each plane

  /// @param breaks  z at which the field is not smooth
  /// @param omit    plane whose coordinates are left out, -1: none
  PlaneLeastSquares(const State& start, double z, std::vector<Plane> planes,
                    Field field, std::vector<double> breaks, bool fit_kappa,
                    int omit = -1);

  /// Covariance of the state at the start.
  Matrix5 at_start() const;
  /// Covariance of the state before plane k.
  Matrix5 before(std::size_t k) const;

  State integrate(State s, Real from, Real to) const;

 private:
  /// Two angles across the track, of variance theta0^2, as changes of the
  /// slopes:
  ///
  ///   Cov(tx, ty) = theta0^2 N (1 + tx^2, tx ty; tx ty, 1 + ty^2),
  ///   N = 1 + tx^2 + ty^2
  static void add_kinks(const Plane& plane, Eigen::Index k, const State& s,
                        Matrix& line, Matrix& information);

  State slope(const State& s, Real z) const;

  State piece(State s, Real from, Real to) const;

  /// Differences of fourth order.
  Transport transport(const State& s, Real from, Real to) const;

  Field field_;
  std::vector<double> breaks_;
};

}  // namespace gttf::test
