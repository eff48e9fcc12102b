// SPDX-License-Identifier: Apache-2.0
// Steps by which errors of kinks and hits pass into functions of the line.
#pragma once

#include <array>
#include <cstddef>

#include "gttf/fit/streaming/kink_elimination.hpp"

namespace gttf {

/// Adds w b_theta b_theta^T + w_phi b_phi b_phi^T: kinks inside of all hits.
template <class S>
void add_kink_variance(const Kink<S>& b, const S& w, const S& w_phi,
                       Covariance5<S>& covariance) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < 3; ++i) {
    const S theta = w * b.theta[i], phi = w_phi * b.phi[i];
    GTTF_UNROLL
    for (std::size_t j = 0; j <= i; ++j)
      covariance[i][j] = covariance[j][i] =
          covariance[i][j] + theta * b.theta[j] + phi * b.phi[j];
    covariance[3][i] = covariance[i][3] = covariance[3][i] + theta;
  }
  covariance[3][3] = covariance[3][3] + w;
}

/// M linear functions, each given by its covariance with the line (a row of
/// `inside`), with a linear function `a` of the line.
template <class S, std::size_t M>
std::array<S, M> covariance_with(const std::array<Row<S>, M>& inside,
                                 const Row<S>& a) {
  std::array<S, M> y;
  for (std::size_t i = 0; i < M; ++i) {
    y[i] = inside[i][0] * a[0];
    for (std::size_t j = 1; j < 5; ++j) y[i] = y[i] + inside[i][j] * a[j];
  }
  return y;
}

/// Covariances of M functions with the two kinks of a layer.
template <class S, std::size_t M>
struct KinkCovariance {
  std::array<S, M> theta, phi;
};

/// Passes a layer outwards: `inside` becomes the covariance with the line
/// outside, s_outside = s_inside + b_theta k_theta + b_phi k_phi.
template <class S, std::size_t M>
KinkCovariance<S, M> pass_outwards(const Kink<S>& b, const KinkGain<S>& gain,
                                   std::array<Row<S>, M>& inside) {
  KinkCovariance<S, M> with = {covariance_with(inside, gain.theta),
                               covariance_with(inside, gain.phi)};
  for (std::size_t i = 0; i < M; ++i) {
    with.theta[i] = -with.theta[i];
    with.phi[i] = -with.phi[i];
    for (std::size_t j = 0; j < 3; ++j)
      inside[i][j] =
          inside[i][j] + with.theta[i] * b.theta[j] + with.phi[i] * b.phi[j];
    inside[i][3] = inside[i][3] + with.theta[i];
  }
  return with;
}

}  // namespace gttf
