// SPDX-License-Identifier: Apache-2.0
// SquareRootFit: the triplets of a reference track, eliminated from the
// outermost inwards without squaring anything.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "gttf/fit/track/errors.hpp"
#include "gttf/fit/triplet/band_system.hpp"
#include "gttf/fit/triplet/reference_segments.hpp"

namespace gttf::detail {

/// The triplet fit of a reference track for its covariance. With B the columns
/// of all independent errors of unit variance (shifts of hits, kinks, turns by
/// passive layers) and p the parameters without errors (kappa and unmeasured
/// coordinates), the kinks of the triplets are
///
///   0 = B n + P p,   K^-1 = B B^T = L L^T,   B Q = (L, 0)
///
/// Triplets are added from the outermost inwards. Further ones depend on those
/// before only through the point and the direction at the inner hit, so after
/// each triplet four functions of four errors remain (five if kinks change the
/// curvature). Reflections Q give two columns of L; what else the functions
/// depend on is left, and L^-1 P are two equations for the parameters.
/// @tparam n_state  u, v, theta, phi at a hit, and kappa if layers change it
/// Source: [GTTF] eq:kmatrix_inverse, eq:global_fit_sigma;
///         docs/theory/global-fit.md
template <class S, std::size_t n_state>
class SquareRootFit {
 public:
  /// Of (u, v, phi, theta, kappa), or of functions of them.
  using Covariance = Eigen::Matrix<S, track_dim, track_dim>;
  static_assert(n_state == track_dim || n_state == track_dim - 1);

  SquareRootFit(const ReferenceSegments<S>& track, bool fit_kappa,
                Errors errors)
      : track_(&track),
        fits_kappa_(fit_kappa),
        shifts_(errors != Errors::scattering_only),
        scatters_(errors != Errors::hits_only) {}

  /// Adds the inner hit of a segment, the outermost segment first, then one
  /// after the other.
  /// @param scatters  whether it includes the turns by its layers and the kinks
  ///                  at its outer hit
  /// @return  false if kinks have no errors
  bool add_segment(std::size_t k, bool scatters = true) {
    scatters = scatters && scatters_;
    return k + 2 == track_->hits.size() ? (start(k, scatters), true)
                                        : add_triplet(k, scatters);
  }

  /// Keeps the state at the hit that was added last, as seen with all hits
  /// added later.
  void keep_state() {
    for (const auto& list : {errors(), parameters()})
      for (Column& c : list)
        for (std::size_t r = 0; r < n_state; ++r) c[kept + r] = c[state + r];
    keeps_ = true;
  }
  /// Keeps the state at the outermost hit, with its scattering. Requires that
  /// one segment has been added.
  void keep_outermost() {
    keeps_ = true;
    if (!scatters_) return;
    for (const auto& kinks : track_->hits.back().kinks.columns) {
      Column& c = add_error();
      c[kept_direction] = kinks[LayerKinks<S>::theta];
      c[kept_direction + 1] = kinks[LayerKinks<S>::phi];
      if constexpr (changes_kappa)
        c[kept_curvature] = kinks[LayerKinks<S>::curvature];
    }
  }

  /// Whether the parameters are determined.
  /// @param least  fraction of the information on a parameter that remains
  ///               after elimination of the others; at most: rounding
  bool is_determined(double least) const {
    for (std::size_t i = 0; i < n_parameters_; ++i)
      if (!(information_[i][i] * information_[i][i] > S(least) * total_[i]))
        return false;
    return true;
  }

  /// J Cov J^T of (u, v, phi, theta, kappa) at the inner hit, after its
  /// scattering.
  Covariance covariance(const Covariance& j) const {
    return covariance_of(state, j);
  }
  /// The same of the kept state.
  Covariance kept_covariance(const Covariance& j) const {
    return covariance_of(kept, j);
  }

 private:
  /// Functions: the two kinks of a triplet, the state, the kept state.
  enum Row : std::size_t {
    kink,
    state = 2,
    direction = state + 2,
    curvature = direction + 2,
    kept = state + n_state,
    kept_direction = kept + 2,
    kept_curvature = kept_direction + 2,
    n_rows = kept + n_state
  };
  static constexpr bool changes_kappa = n_state == track_dim;
  using Column = std::array<S, n_rows>;
  static constexpr std::size_t most_parameters = 3,
                               most_errors = 2 * n_state + 2 + 3 + track_dim;

  std::span<Column> errors() { return std::span(errors_).first(n_errors_); }
  std::span<Column> parameters() {
    return std::span(parameters_).first(n_parameters_);
  }
  Column& add_error() { return errors_[n_errors_++] = Column{}; }

  using Matrix2 = Eigen::Matrix<S, 2, 2>;

  static Eigen::Index index(std::size_t i) {
    return static_cast<Eigen::Index>(i);
  }
  /// Row r of m x.
  static S product(const Matrix2& m, std::size_t r, const S& x, const S& y) {
    return m(index(r), 0) * x + m(index(r), 1) * y;
  }

  /// How the state at the inner hit and the kinks follow from the points. The
  /// kinks are zero, so a multiple of them may be added to the direction at the
  /// inner hit. With `turn` it no longer is a difference of nearly equal
  /// shifts.
  struct Arc {
    const DirectionByPoints<S>&end, &start;
    const Matrix2& turn;
  };
  Arc arc(std::size_t k) const {
    const InPlaneArc<S>& a = track_->segments[k].arc;
    return {a.end, a.bend, a.turn};
  }

  static void set_kappa(const Arc& a, const S& kappa, Column& c) {
    for (std::size_t r = 0; r < 2; ++r) {
      c[kink + r] = -(a.end.by_kappa[index(r)] * kappa);
      c[direction + r] = a.start.by_kappa[index(r)] * kappa;
    }
    if constexpr (changes_kappa) c[curvature] = kappa;
  }

  /// Adds a kink at the end of the segment.
  static void add_kink(const Arc& a, const S& theta, const S& phi, Column& c) {
    const S outside[] = {theta, phi};
    for (std::size_t r = 0; r < 2; ++r) {
      c[kink + r] += outside[r];
      c[direction + r] += product(a.turn, r, theta, phi);
    }
  }

  /// Replaces a state at the outer hit of a segment by the kinks there and its
  /// contribution to the state at the inner one.
  static void move_inwards(const Arc& a, const S& kappa, Column& c) {
    const S u = c[state], v = c[state + 1];
    const S theta = c[direction], phi = c[direction + 1];
    set_kappa(a, kappa, c);
    for (std::size_t r = 0; r < 2; ++r) {
      c[kink + r] -= product(a.end.by_end, r, u, v);
      c[direction + r] += product(a.start.by_end, r, u, v);
      c[state + r] = S(0);
    }
    add_kink(a, theta, phi, c);
  }

  /// An error of hit k, or its unmeasured coordinate.
  Column shift(const Arc& a, std::size_t k, Eigen::Index error) const {
    const Matrix2& errors = track_->hits[k].error;
    const S u = errors(0, error), v = errors(1, error);
    Column c{};
    c[state] = u;
    c[state + 1] = v;
    for (std::size_t r = 0; r < 2; ++r) {
      c[kink + r] = -product(a.end.by_start, r, u, v);
      c[direction + r] = product(a.start.by_start, r, u, v);
    }
    return c;
  }

  /// Adds hit k and the layers of its segment.
  void add_hit(const Arc& a, std::size_t k, bool scatters) {
    if (shifts_) {
      add_error() = shift(a, k, 0);
      if (!track_->hits[k].unmeasured) add_error() = shift(a, k, 1);
    }
    if (!scatters) return;
    using Turn = TurnsBetween<S>;
    for (const auto& turn : track_->segments[k].turns) {
      Column& c = add_error();
      if constexpr (changes_kappa) set_kappa(a, -turn[Turn::curvature], c);
      add_kink(a, -turn[Turn::arriving], -turn[Turn::arriving + 1], c);
      for (std::size_t r = 0; r < 2; ++r)
        c[direction + r] += turn[Turn::leaving + r];
    }
  }

  /// The outermost segment, which determines nothing.
  void start(std::size_t k, bool scatters) {
    const Matrix2 zero = Eigen::Matrix2d::Zero().template cast<S>();
    const InPlaneArc<S>& both = track_->segments[k].arc;
    const Arc a{both.end, both.start, zero};
    if (fits_kappa_) {
      Column& c = parameters_[n_parameters_++] = Column{};
      set_kappa(a, S(1), c);
      if constexpr (changes_kappa) c[kept_curvature] = S(1);
    }
    const ReferenceHit<S>& outer = track_->hits[k + 1];
    const auto outer_shift = [&](Eigen::Index error) {
      Column c{};
      for (std::size_t r = 0; r < 2; ++r)
        c[state + r] = c[kept + r] = outer.error(index(r), error);
      move_inwards(a, S(0), c);
      return c;
    };
    if (shifts_) {
      add_error() = outer_shift(0);
      if (!outer.unmeasured) add_error() = outer_shift(1);
    }
    if (outer.unmeasured) parameters_[n_parameters_++] = outer_shift(1);
    if (track_->hits[k].unmeasured)
      parameters_[n_parameters_++] = shift(a, k, 1);
    add_hit(a, k, scatters);
    for (const auto& list : {errors(), parameters()})
      for (Column& c : list)
        for (std::size_t r = 0; r < 2; ++r)
          c[kept_direction + r] = -c[kink + r];
  }

  bool add_triplet(std::size_t k, bool scatters) {
    const Arc a = arc(k);
    double size = 0;
    for (Column& c : errors()) {
      for (std::size_t r = direction; r < direction + 2; ++r)
        size = std::max(size, std::abs(static_cast<double>(c[r])));
      move_inwards(a, kappa_of(state, c, false), c);
    }
    for (std::size_t i = 0; i < n_parameters_; ++i) {
      Column& c = parameters_[i];
      move_inwards(a, kappa_of(state, c, i == 0), c);
    }
    add_hit(a, k, scatters);
    if (scatters) add_kinks(a, k + 1);
    const bool solves = track_->hits[k].unmeasured;
    if (solves) solve_for(shift(a, k, 1));
    for (std::size_t i = solves ? 1 : 0; i < 2; ++i)
      if (!eliminate(kink + i, pivot_rounding<S> * size)) return false;
    if (n_errors_ > (keeps_ ? 2 : 1) * n_state)
      n_errors_ = keeps_ ? compress<state, n_rows>(errors())
                         : compress<state, kept>(errors());
    return true;
  }

  /// @param is_first  of the parameters
  S kappa_of(std::size_t first, const Column& c, bool is_first) const {
    if constexpr (changes_kappa)
      return c[first + n_state - 1];
    else
      return S(is_first && fits_kappa_ ? 1 : 0);
  }

  void add_kinks(const Arc& a, std::size_t hit) {
    using Kinks = LayerKinks<S>;
    const auto& columns = track_->hits[hit].kinks.columns;
    for (std::size_t i = 0; i < (changes_kappa ? 3 : 2); ++i) {
      Column& c = add_error();
      if constexpr (changes_kappa)
        set_kappa(a, -columns[i][Kinks::curvature], c);
      add_kink(a, -columns[i][Kinks::theta], -columns[i][Kinks::phi], c);
    }
  }

  /// One combination of the kinks gives an unmeasured coordinate; the second
  /// kink is replaced by the other one.
  void solve_for(const Column& free) {
    using std::sqrt;
    const S x = free[kink], y = free[kink + 1];
    const S length = sqrt(x * x + y * y);
    const S c = x / length, s = y / length, inverse = S(1) / length;
    for (const auto& list : {errors(), parameters()})
      for (Column& column : list) {
        const S solved = c * column[kink] + s * column[kink + 1];
        column[kink + 1] = c * column[kink + 1] - s * column[kink];
        column[kink] = S(0);
        const S shift = solved * inverse;
        for (std::size_t r = state; r < kept; ++r) column[r] -= shift * free[r];
      }
  }

  /// Rotates errors so that a kink depends on one of them only, which is then
  /// a function of the parameters.
  /// @return  false if the kink has no errors, except for rounding
  bool eliminate(std::size_t row, double rounding) {
    using std::abs;
    if (!(keeps_ ? reflect<kink, n_rows>(row, errors())
                 : reflect<kink, kept>(row, errors())))
      return false;
    const Column pivot = errors_[0];
    if (!(abs(pivot[row]) > S(rounding))) return false;
    errors_[0] = errors_[--n_errors_];
    const S inverse = S(1) / pivot[row];
    std::array<S, most_parameters> equation;
    for (std::size_t i = 0; i < n_parameters_; ++i) {
      Column& c = parameters_[i];
      equation[i] = c[row] * inverse;
      for (std::size_t r = 0; r < (keeps_ ? n_rows : kept); ++r)
        c[r] -= equation[i] * pivot[r];
      total_[i] += equation[i] * equation[i];
    }
    add_equation(equation);
    return true;
  }

  /// Rotates an equation of unit variance into the triangle of information.
  void add_equation(std::array<S, most_parameters>& equation) {
    using std::abs, std::sqrt;
    for (std::size_t i = 0; i < n_parameters_; ++i) {
      auto& row = information_[i];
      const S larger = std::max(abs(row[i]), abs(equation[i]));
      if (!(larger > S(0))) continue;
      // squares of the numbers themselves may not be doubles
      const S inverse = S(1) / larger;
      const S x = row[i] * inverse, y = equation[i] * inverse;
      const S length = sqrt(x * x + y * y), unit = S(1) / length;
      const S c = x * unit, s = y * unit;
      row[i] = larger * length;
      for (std::size_t k = i + 1; k < n_parameters_; ++k) {
        const S known = row[k];
        row[k] = c * known + s * equation[k];
        equation[k] = c * equation[k] - s * known;
      }
    }
  }

  /// @param first  of the functions: state or kept
  Covariance covariance_of(std::size_t first, const Covariance& j) const {
    constexpr std::size_t order[] = {0, 1, 3, 2};  // theta and phi swapped
    const auto transformed = [&](const Column& c, const S& kappa) {
      Eigen::Matrix<S, track_dim, 1> functions;
      for (Eigen::Index q = 0; q < track_dim; ++q) {
        S sum = j(q, 4) * kappa;
        for (Eigen::Index i = 0; i < 4; ++i)
          sum += j(q, i) * c[first + order[i]];
        functions[q] = sum;
      }
      return functions;
    };
    Covariance sum = Matrix5::Zero().cast<S>();
    const auto add = [&sum](const Eigen::Matrix<S, track_dim, 1>& x) {
      for (Eigen::Index i = 0; i < track_dim; ++i)
        for (Eigen::Index k = 0; k <= i; ++k) sum(i, k) += x[i] * x[k];
    };
    for (std::size_t c = 0; c < n_errors_; ++c)
      add(transformed(errors_[c], kappa_of(first, errors_[c], false)));
    // F R^-1
    std::array<Eigen::Matrix<S, track_dim, 1>, most_parameters> by;
    for (std::size_t i = 0; i < n_parameters_; ++i) {
      by[i] =
          transformed(parameters_[i], kappa_of(first, parameters_[i], i == 0));
      for (std::size_t k = 0; k < i; ++k) by[i] -= by[k] * information_[k][i];
      by[i] *= S(1) / information_[i][i];
      add(by[i]);
    }
    for (Eigen::Index i = 0; i < track_dim; ++i)
      for (Eigen::Index k = 0; k < i; ++k) sum(k, i) = sum(i, k);
    return sum;
  }

  const ReferenceSegments<S>* track_;
  bool fits_kappa_, shifts_, scatters_, keeps_ = false;
  std::size_t n_errors_ = 0, n_parameters_ = 0;
  std::array<Column, most_errors> errors_;
  std::array<Column, most_parameters> parameters_;
  std::array<std::array<S, most_parameters>, most_parameters> information_{};
  std::array<S, most_parameters> total_{};  ///< without elimination
};

}  // namespace gttf::detail
