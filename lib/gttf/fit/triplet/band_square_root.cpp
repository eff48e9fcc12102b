// SPDX-License-Identifier: Apache-2.0
// Rotations of single errors into the band, and substitution.
#include "gttf/fit/triplet/band_square_root.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gttf/core/expect.hpp"

namespace gttf {

BandSquareRoot::BandSquareRoot(const Eigen::VectorXd& diagonal,
                               Eigen::Index n_functions, Eigen::Index block)
    : band_(Eigen::Matrix<double, width, Eigen::Dynamic>::Zero(
          width, diagonal.size())),
      row_scale2_(diagonal.cwiseAbs2()),
      functions_(Eigen::MatrixXd::Zero(n_functions, diagonal.size())),
      remainder_(Eigen::MatrixXd::Zero(n_functions, block)) {
  GTTF_EXPECT(n_functions % block == 0);
  band_.row(0) = diagonal.transpose();
}

void BandSquareRoot::add(Eigen::Index first_row, std::span<const double> kinks,
                         Eigen::VectorXd functions) {
  GTTF_EXPECT(kinks.size() <= static_cast<std::size_t>(width));
  GTTF_EXPECT(first_row + static_cast<Eigen::Index>(kinks.size()) <= rows());
  std::array<double, width> g{};
  std::copy(kinks.begin(), kinks.end(), g.begin());
  const auto n = static_cast<Eigen::Index>(kinks.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    const double entry = g[static_cast<std::size_t>(i)];
    if (entry == 0) continue;
    const Eigen::Index r = first_row + i;
    row_scale2_[r] +=
        kinks[static_cast<std::size_t>(i)] * kinks[static_cast<std::size_t>(i)];
    const double pivot = band_(0, r);
    const double length = std::hypot(pivot, entry);
    const double c = pivot / length, s = entry / length;
    band_(0, r) = length;
    for (Eigen::Index j = i + 1; j < n; ++j) {
      double& l = band_(j - i, r);
      double& x = g[static_cast<std::size_t>(j)];
      const double rotated = c * l + s * x;
      x = c * x - s * l;
      l = rotated;
    }
    const Eigen::VectorXd rotated = c * functions_.col(r) + s * functions;
    functions = c * functions - s * functions_.col(r);
    functions_.col(r) = rotated;
  }
  const Eigen::Index block = remainder_.cols();
  for (Eigen::Index k = 0; k < functions.size(); k += block)
    remainder_.middleRows(k, block) +=
        functions.segment(k, block) * functions.segment(k, block).transpose();
}

bool BandSquareRoot::is_regular() const {
  // An exact zero shows as rounding of the errors rotated into the row. What
  // is left of a row given the rows above is much larger in any real track:
  // its kink or hit errors against the lever arm of an unmeasured coordinate.
  constexpr double rounding = 1e-13;
  for (Eigen::Index r = 0; r < rows(); ++r)
    if (!(band_(0, r) > rounding * std::sqrt(row_scale2_[r]))) return false;
  return true;
}

Eigen::VectorXd BandSquareRoot::solve(Eigen::VectorXd x) const {
  for (Eigen::Index r = 0; r < rows(); ++r) {
    x[r] /= band_(0, r);
    const Eigen::Index below = std::min(width, rows() - r);
    for (Eigen::Index j = 1; j < below; ++j) x[r + j] -= band_(j, r) * x[r];
  }
  return x;
}

}  // namespace gttf
