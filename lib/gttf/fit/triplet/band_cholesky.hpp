// SPDX-License-Identifier: Apache-2.0
// BandCholesky: K^-1 = L L^T for kinks in the order theta_0, phi_0, theta_1...
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace gttf::detail {

/// Symmetric positive definite matrix with 5 sub-diagonals: triplets that share
/// a hit. The factor keeps the band; cost linear in the number of rows.
class BandCholesky {
 public:
  static constexpr std::size_t width = 6;  ///< diagonal and sub-diagonals

  void reset(std::size_t rows) {
    rows_ = rows;
    band_.assign(rows * width, 0.0);
  }
  std::size_t rows() const { return rows_; }

  /// Element of row i and column j, i - 5 <= j <= i.
  double& at(std::size_t i, std::size_t j) {
    return band_[i * width + (width - 1) - (i - j)];
  }
  double at(std::size_t i, std::size_t j) const {
    return band_[i * width + (width - 1) - (i - j)];
  }

  /// Replaces the matrix by L, diagonal inverted.
  /// @return  false if the matrix is not positive definite to rounding
  bool factor() {
    for (std::size_t i = 0; i < rows_; ++i) {
      const std::size_t begin = first(i);
      const double before = at(i, i);
      for (std::size_t j = begin; j < i; ++j) {
        double sum = at(i, j);
        for (std::size_t k = begin > first(j) ? begin : first(j); k < j; ++k)
          sum -= at(i, k) * at(j, k);
        at(i, j) = sum * at(j, j);
      }
      double pivot = before;
      for (std::size_t j = begin; j < i; ++j) pivot -= at(i, j) * at(i, j);
      constexpr double rounding = 1e-14;
      if (!(pivot > rounding * before)) return false;
      at(i, i) = 1 / std::sqrt(pivot);
    }
    return true;
  }

  /// x <- L^-1 x; the first `zeros` entries are known to be zero.
  void forward(double* x, std::size_t zeros = 0) const {
    for (std::size_t i = zeros; i < rows_; ++i) {
      double sum = x[i];
      for (std::size_t j = first(i) > zeros ? first(i) : zeros; j < i; ++j)
        sum -= at(i, j) * x[j];
      x[i] = sum * at(i, i);
    }
  }

  /// x <- L^-T x.
  void backward(double* x) const {
    for (std::size_t i = rows_; i-- > 0;) {
      x[i] *= at(i, i);
      for (std::size_t j = first(i); j < i; ++j) x[j] -= at(i, j) * x[i];
    }
  }

 private:
  static std::size_t first(std::size_t i) {
    return i < width ? 0 : i - (width - 1);
  }

  std::size_t rows_ = 0;
  std::vector<double> band_;
};

}  // namespace gttf::detail
