// SPDX-License-Identifier: Apache-2.0
// Solves for the coefficients of cubic splines, axis by axis.
#include <utility>

#include "gttf/detector/cubic_spline.hpp"

namespace gttf::detail {

namespace {

/// Many lines of n nodes at once, side by side in rows: row k holds the values
/// f_k of node k of all lines. Finds a_k with a_{k-1} + 4 a_k + a_{k+1} = 6 f_k
/// for k = 0..n-1, from a_{-1} to a_n.
class Lines {
 public:
  Lines(std::size_t nodes, std::size_t length, const std::vector<int>& parity)
      : n_(nodes), length_(length), components_(parity.size()), slope_(nodes) {
    for (std::size_t i = 0; i < components_; ++i) {
      mirrored_ = mirrored_ || parity[i] != 0;
      parity_.push_back(parity[i]);
    }
    // a_k = (6 f_k - a_{k-1}) s_k - s_k a_{k+1} with s_k = 1/(4 - s_{k-1})
    const std::size_t first = mirrored_ ? 0 : 1;
    for (std::size_t k = first; k < n_; ++k) {
      slope_[k].resize(components_);
      for (std::size_t c = 0; c < components_; ++c)
        slope_[k][c] = k > first                    ? 1 / (4 - slope_[k - 1][c])
                       : mirrored_ && parity[c] > 0 ? 0.5
                                                    : 0;
    }
  }

  void solve(const double* values, double* coefficients) {
    f_ = values;
    a_ = coefficients + length_;  // a_0; a_{-1} comes before it
    if (n_ == 2 || (n_ == 3 && !mirrored_)) return solve_short();
    const std::size_t end = n_ - 2;
    no_knot(end);
    const std::size_t first = mirrored_ ? 0 : 1;
    if (mirrored_)  // even: 4 a_0 + 2 a_1 = 6 f_0, odd: a_0 = 0
      each([&](std::size_t i, std::size_t c) {
        a(0)[i] = parity_[c] > 0 ? 1.5 * f(0)[i] : 0;
      });
    else
      no_knot(1);
    for (std::size_t k = first + 1; k < end; ++k)
      each([&](std::size_t i, std::size_t c) {
        a(k)[i] = (6 * f(k)[i] - a(k - 1)[i]) * slope_[k][c];
      });
    for (std::size_t k = end; k-- > first;)
      each([&](std::size_t i, std::size_t c) {
        a(k)[i] -= slope_[k][c] * a(k + 1)[i];
      });
    finish(end);
  }

 private:
  const double* f(std::size_t k) const { return f_ + k * length_; }
  double* a(std::size_t k) const { return a_ + k * length_; }

  template <class Body>
  void each(const Body& body) const {
    for (std::size_t i = 0; i < length_; i += components_)
      for (std::size_t c = 0; c < components_; ++c) body(i + c, c);
  }

  /// One cubic on both sides of node k: the second difference of a there is
  /// that of f.
  void no_knot(std::size_t k) const {
    each([&](std::size_t i, std::size_t) {
      a(k)[i] = f(k)[i] - (f(k - 1)[i] - 2 * f(k)[i] + f(k + 1)[i]) / 6;
    });
  }

  /// Both ends, outwards, from the equations not yet used.
  void finish(std::size_t end) const {
    double* before = a_ - length_;
    each([&](std::size_t i, std::size_t c) {
      if (mirrored_) {
        before[i] = parity_[c] * a(1)[i];
      } else {
        a(0)[i] = 6 * f(1)[i] - 4 * a(1)[i] - a(2)[i];
        before[i] = 6 * f(0)[i] - 4 * a(0)[i] - a(1)[i];
      }
      const double previous = end > 0 ? a(end - 1)[i] : before[i];
      a(end + 1)[i] = 6 * f(end)[i] - 4 * a(end)[i] - previous;
      a(end + 2)[i] = 6 * f(end + 1)[i] - 4 * a(end + 1)[i] - a(end)[i];
    });
  }

  /// Two or three nodes: the parabola f + d x + b x^2/2 around node 1, whose
  /// coefficients are a_k = f - b/6 + d x + b x^2/2.
  void solve_short() const {
    each([&](std::size_t i, std::size_t c) {
      const double middle = f(1)[i];
      double bend = 0, step = middle - f(0)[i];
      if (n_ == 3) {
        bend = f(0)[i] - 2 * middle + f(2)[i];
        step = 0.5 * (f(2)[i] - f(0)[i]);
      } else if (parity_[c] > 0) {
        bend = 2 * step;
        step = bend;
      } else if (parity_[c] < 0) {
        step = middle;
      }
      for (std::size_t k = 0; k < n_ + 2; ++k) {
        const double x = static_cast<double>(k) - 2;
        (a_ - length_)[k * length_ + i] =
            middle - bend / 6 + x * step + 0.5 * x * x * bend;
      }
    });
  }

  std::size_t n_, length_, components_;
  bool mirrored_ = false;
  std::vector<double> parity_;
  std::vector<std::vector<double>> slope_;  ///< s_k, per component
  const double* f_ = nullptr;
  double* a_ = nullptr;
};

}  // namespace

std::vector<double> spline_coefficients(std::vector<double> values,
                                        const SplineGrid& grid) {
  std::vector<std::size_t> shape = grid.nodes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::size_t outer = 1, inner = grid.components;
    for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
    for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    const std::size_t n = shape[axis];
    std::vector<double> coefficients(outer * (n + 2) * inner);
    Lines lines(n, inner, grid.parity[axis]);
    for (std::size_t o = 0; o < outer; ++o)
      lines.solve(values.data() + o * n * inner,
                  coefficients.data() + o * (n + 2) * inner);
    values = std::move(coefficients);
    shape[axis] = n + 2;
  }
  return values;
}

}  // namespace gttf::detail
