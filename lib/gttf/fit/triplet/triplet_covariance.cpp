// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/triplet_covariance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gttf/fit/triplet/reference_rows.hpp"

namespace gttf {

namespace {

using namespace detail;
using Eigen::Index;

Index index(std::size_t i) { return static_cast<Index>(i); }

/// a^T b. Eigen's products of this scalar take ten seconds to compile.
WideMatrix gram(const WideMatrix& a, const WideMatrix& b) {
  WideMatrix product = WideMatrix::Zero(a.cols(), b.cols());
  for (Index i = 0; i < a.cols(); ++i)
    for (Index k = 0; k < b.cols(); ++k)
      for (Index r = 0; r < a.rows(); ++r) product(i, k) += a(r, i) * b(r, k);
  return product;
}

/// J C J^T of a symmetric C, from J^T.
WideMatrix propagated(const WideMatrix& c, const WideMatrix& j_transposed) {
  return gram(j_transposed, gram(c, j_transposed));
}

/// R^-1 b with R lower triangular, in place.
void solve_lower(const WideMatrix& r, WideMatrix& b) {
  for (Index c = 0; c < b.cols(); ++c)
    for (Index i = 0; i < r.rows(); ++i) {
      for (Index k = 0; k < i; ++k) b(i, c) -= r(i, k) * b(k, c);
      b(i, c) /= r(i, i);
    }
}

/// Turns a matrix into its Cholesky factor, R R^T.
/// @return  false if a row is, but for rounding, one of those before
bool factorise(WideMatrix& m) {
  // What remains of a parameter after the others: of a dependent one only
  // rounding, else at least the lever arm of an unmeasured coordinate against
  // the reach of the detector.
  constexpr double rounding = 1e-20;
  for (Index i = 0; i < m.rows(); ++i)
    for (Index k = 0; k <= i; ++k) {
      const Wide before = m(i, k);
      for (Index l = 0; l < k; ++l) m(i, k) -= m(i, l) * m(k, l);
      if (k < i) {
        m(i, k) /= m(k, k);
        continue;
      }
      if (!(m(i, i) > Wide(rounding) * before)) return false;
      m(i, i) = sqrt(m(i, i));
    }
  return true;
}

using Column = std::vector<std::array<Wide, 2>>;  ///< of triplets 0, 1, ...

/// x.y over the first n triplets.
/// @param x  of a triplet: pointer to its theta and phi
template <class X>
Wide dot(const X& x, const Column& y, std::size_t n) {
  Wide sum(0);
  for (std::size_t j = 0; j < std::min(n, y.size()); ++j)
    for (std::size_t r = 0; r < 2; ++r) sum += x(j)[r] * y[j][r];
  return sum;
}

/// The columns of a segment, of all triplets.
struct KeptColumns {
  struct Item {
    SegmentColumns<Wide> columns;
  };
  std::vector<Item> list;

  SegmentColumns<Wide>& operator[](std::size_t j) { return list[j].columns; }
};

/// The banded system of a reference track, solved. Its parameters without any
/// prior are the unmeasured coordinates, in units of their auxiliary standard
/// deviation, and, last, kappa:
///
///   K^-1 = L D L^T,  M = L^-1 (B, rho),  Cov^-1 = M^T D^-1 M = R R^T
class ReferenceFit {
 public:
  ReferenceFit(const TripletTrack& track, const TripletOptions& options)
      : track_(track),
        system_(track, options.errors, options.auxiliary_scale),
        scatters_(options.errors != Errors::hits_only) {}

  const ReferenceRows& system() const { return system_; }

  TripletStatus solve() {
    const std::size_t n_hits = system_.hits.size();
    if (n_hits < system_.surface_hit + 1 || n_hits < (track_.fit_kappa ? 3 : 2))
      return TripletStatus::too_few_hits;
    const std::size_t n = system_.rows.size();
    passive_rows_.assign(n, PassiveRows<Wide>{});
    for (std::size_t k = 0; k < system_.sums.size(); ++k)
      add_passive_rows(system_.sums[k], k, n, passive_rows_.data());
    BandSolution<Wide> solution;
    solve_band<HitAndTurnColumns>(system_.rows.data(), n,
                                  system_.scattering2.data(), passive(),
                                  Wide(0), steps_, solution);
    if (!solution.regular) return TripletStatus::singular;
    return set_free_parameters() ? TripletStatus::ok
                                 : TripletStatus::not_determined;
  }

  /// Covariance (u, v, phi, theta, kappa) at an end of a segment.
  WideMatrix state(std::size_t segment, SegmentEnd end) const {
    const bool at_start = end == SegmentEnd::start;
    const InPlaneArc& arc = system_.arcs[segment];
    Eigen::Matrix<double, n_errors + 1, track_dim> j_transposed;
    j_transposed.setZero();
    const auto set = [&](int first, const Eigen::Matrix2d& angles) {
      for (int i = 0; i < 2; ++i) {
        j_transposed(first + i, OnSurface::theta) = angles(0, i);
        j_transposed(first + i, OnSurface::phi) = angles(1, i);
      }
    };
    const Eigen::Matrix2d &from = system_.hits[segment].error,
                          &to = system_.hits[segment + 1].error;
    j_transposed.block<2, 2>(at_start ? 0 : 2, OnSurface::u) =
        (at_start ? from : to).transpose();
    set(0, (at_start ? arc.start_by_start : arc.end_by_start) * from);
    set(2, (at_start ? arc.start_by_end : arc.end_by_end) * to);
    // errors are fitted minus measured: the other sign than in KinkRows
    set(n_shifts, -Eigen::Matrix2d::Identity());
    const Eigen::Vector2d& slope =
        at_start ? arc.start_by_kappa : arc.end_by_kappa;
    j_transposed(n_errors, OnSurface::theta) = slope[0];
    j_transposed(n_errors, OnSurface::phi) = slope[1];
    j_transposed(n_errors, OnSurface::qop) = 1;
    return propagated(fitted(segment, end), j_transposed.cast<Wide>());
  }

  /// The state on the first measuring layer, after its scattering. If no hit
  /// follows, its direction comes from inside.
  WideMatrix first_hit() const {
    const std::size_t k = system_.surface_hit;
    if (k + 1 < system_.hits.size()) return state(k, SegmentEnd::start);
    WideMatrix c = state(k - 1, SegmentEnd::end);
    add_scattering(k, c);
    return c;
  }

  WideMatrix perigee() const {
    WideMatrix c = state(0, SegmentEnd::start);
    // the track at the start has not been scattered there yet
    if (system_.surface_hit > 0) add_scattering(0, c);
    const Matrix5 j =
        perigee_jacobian(track_, system_.crossings[system_.hits[0].crossing]);
    return propagated(c, j.transpose().cast<Wide>());
  }

 private:
  PassiveKinks<Wide> passive() const {
    return {passive_rows_.data(), Wide(1), system_.sums.data()};
  }

  /// Adds the scattering in the layer of a hit.
  void add_scattering(std::size_t hit, WideMatrix& c) const {
    if (!scatters_) return;
    const TripletPoint& layer = system_.crossings[system_.hits[hit].crossing];
    const Wide variance(layer.kink_variance);
    c(OnSurface::theta, OnSurface::theta) += variance;
    c(OnSurface::phi, OnSurface::phi) +=
        variance * Wide(inverse_sine_squared(track_, layer));
  }

  /// Unmeasured coordinates, innermost first, and kappa.
  /// @return  false if some of them are not determined
  bool set_free_parameters() {
    const std::size_t n = system_.rows.size();
    std::vector<Column> m;
    free_of_.assign(system_.hits.size(), -1);
    for (std::size_t k = 0; k < system_.hits.size(); ++k) {
      if (!system_.hits[k].unmeasured) continue;
      free_of_[k] = index(m.size());
      Column& x = m.emplace_back(std::min(k + 1, n));
      for (std::size_t i = 0; i < 3 && i <= k; ++i)
        for (std::size_t r = 0; k - i < n && r < 2; ++r)
          x[k - i][r] = system_.rows[k - i].shift[i][r][1];
      substitute(steps_, x);
    }
    if (track_.fit_kappa) {
      Column& x = m.emplace_back(n);
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t r = 0; r < 2; ++r) x[j][r] = steps_[j].a[r];
    }
    weighted_ = m;
    for (Column& x : weighted_)
      for (std::size_t j = 0; j < x.size(); ++j)
        for (std::size_t r = 0; r < 2; ++r)
          x[j][r] *= steps_[j].pivots.inverse[r];
    root_.resize(index(m.size()), index(m.size()));
    for (std::size_t i = 0; i < m.size(); ++i)
      for (std::size_t k = 0; k <= i; ++k)
        root_(index(i), index(k)) =
            dot([&](std::size_t j) { return m[i][j].data(); }, weighted_[k],
                m[i].size());
    return factorise(root_);
  }

  /// Covariance of the errors of a segment and, last, kappa.
  WideMatrix fitted(std::size_t segment, SegmentEnd end) const {
    const std::size_t n = system_.rows.size();
    KeptColumns columns;
    columns.list.resize(std::min(segment + 2, n));
    SegmentErrors<Wide> e;
    set_segment_errors<HitAndTurnColumns>(system_.rows.data(), n, passive(),
                                          segment, end, steps_, columns, e);
    // d(errors, kappa)/d(free parameters), in columns: their own share in the
    // errors, less what the kinks say about the errors
    WideMatrix z = WideMatrix::Zero(root_.rows(), n_errors + 1);
    for (std::size_t f = 0; f < weighted_.size(); ++f)
      for (int i = 0; i < n_errors; ++i)
        z(index(f), i) = -dot([&](std::size_t j) { return columns[j][i]; },
                              weighted_[f], columns.list.size());
    for (std::size_t h = 0; h < 2; ++h)
      if (const Index f = free_of_[segment + h]; f >= 0)
        z(f, h == 0 ? 1 : 3) += Wide(1);
    if (track_.fit_kappa) z(root_.rows() - 1, n_errors) = Wide(1);
    solve_lower(root_, z);
    WideMatrix c = gram(z, z);
    const PassiveSums<Wide>& sums = system_.sums[segment];
    const Block<Wide>& turns =
        end == SegmentEnd::start ? sums.leaving : sums.arriving;
    for (int i = 0; i < n_errors; ++i)
      for (int k = 0; k <= i; ++k) {
        Wide& x = c(i, k);
        x -= e.products[i][k];
        if (k >= n_shifts)
          x += turns[i - n_shifts][k - n_shifts];
        else if (i == k)
          x += Wide(1);
        c(k, i) = x;
      }
    return c;
  }

  const TripletTrack& track_;
  ReferenceRows system_;
  bool scatters_;
  std::vector<PassiveRows<Wide>> passive_rows_;
  KeptSteps<Wide> steps_;
  std::vector<Index> free_of_;    ///< free parameter of each hit, -1: none
  std::vector<Column> weighted_;  ///< D^-1 M
  WideMatrix root_;               ///< R
};

Matrix5 rounded(const WideMatrix& c) {
  Matrix5 m = c.cast<double>();
  return m.selfadjointView<Eigen::Lower>();
}

/// What the scattering of the first measuring layer and of everything inside it
/// adds to the perigee parameters, if no hit lies inside.
Matrix5 inner_scattering(const TripletTrack& track) {
  Matrix5 sum = Matrix5::Zero();
  for (const TripletPoint& c : track.crossings) {
    const Matrix5 j = perigee_jacobian(track, c);
    const Vector5 phi = j.col(OnSurface::phi), theta = j.col(OnSurface::theta);
    sum += c.kink_variance *
           (theta * theta.transpose() +
            phi * phi.transpose() * inverse_sine_squared(track, c));
    if (c.measures()) break;
  }
  return sum;
}

/// The track without scattering in the first measuring layer and inside it.
TripletTrack without_inner_scattering(TripletTrack track) {
  track.start_kink_variance = 0;
  for (TripletPoint& c : track.crossings) {
    c.kink_variance = 0;
    if (c.measures()) break;
  }
  return track;
}

/// A track with all variances multiplied by 2^exponent: covariances are, too.
TripletTrack scaled(TripletTrack track, int exponent) {
  const auto scale = [exponent](double& variance) {
    variance = std::ldexp(variance, exponent);
  };
  scale(track.start_kink_variance);
  for (CoordinateAxis& a : track.start_coordinates) scale(a.variance);
  for (TripletPoint& c : track.crossings) {
    scale(c.kink_variance);
    for (CoordinateAxis& a : c.coordinates) scale(a.variance);
  }
  return track;
}

/// The exponent that makes the largest variance one: products of variances
/// have the range of doubles.
int exponent_of(const TripletTrack& track, Errors errors) {
  double largest = 0;
  const auto take = [&](const auto& kink_variance, const auto& coordinates) {
    if (errors != Errors::hits_only) largest = std::max(largest, kink_variance);
    if (errors == Errors::scattering_only) return;
    for (const CoordinateAxis& a : coordinates)
      largest = std::max(largest, a.variance);
  };
  take(track.start_kink_variance, track.start_coordinates);
  for (const TripletPoint& c : track.crossings)
    take(c.kink_variance, c.coordinates);
  return largest > 0 && std::isfinite(largest) ? -std::ilogb(largest) : 0;
}

TripletCovariance scaled_covariance(const TripletTrack& track,
                                    const TripletOptions& options) {
  constexpr double pole = 0.05, none = std::numeric_limits<double>::quiet_NaN();
  ReferenceFit fit(track, options);
  const ReferenceRows& system = fit.system();
  TripletCovariance c;
  c.n_hits = static_cast<int>(system.hits.size() - system.surface_hit);
  c.index_pole = std::ranges::any_of(system.arcs, [](const InPlaneArc& arc) {
    return arc.inverse_index < pole;
  });
  c.first_hit.fill(none);
  c.perigee = c.perigee_without_inner = c.first_hit;
  c.variance_kappa = none;
  c.status = fit.solve();
  if (c.status != TripletStatus::ok) return c;
  c.first_hit = rounded(fit.first_hit());
  c.perigee = c.perigee_without_inner = rounded(fit.perigee());
  c.variance_kappa = c.perigee(Perigee::kappa, Perigee::kappa);
  if (options.errors == Errors::hits_only) return c;
  if (system.surface_hit == 0) {
    c.perigee += inner_scattering(track);
    return c;
  }
  // inner material lies between hits and is part of the fit
  const TripletTrack bare = without_inner_scattering(track);
  ReferenceFit bare_fit(bare, options);
  if (bare_fit.solve() == TripletStatus::ok)
    c.perigee_without_inner = rounded(bare_fit.perigee());
  else
    c.perigee_without_inner.fill(none);
  return c;
}

}  // namespace

TripletCovariance triplet_covariance(const TripletTrack& track,
                                     const TripletOptions& options) {
  const int exponent = exponent_of(track, options.errors);
  TripletCovariance c = scaled_covariance(scaled(track, exponent), options);
  const auto scale_back = [exponent](double x) {
    return std::ldexp(x, -exponent);
  };
  c.variance_kappa = scale_back(c.variance_kappa);
  for (Matrix5* m : {&c.first_hit, &c.perigee, &c.perigee_without_inner})
    *m = m->unaryExpr(scale_back);
  return c;
}

std::vector<FittedPosition> fitted_positions(const TripletTrack& track,
                                             const TripletOptions& options) {
  std::vector<FittedPosition> list;
  ReferenceFit fit(track, options);
  if (fit.solve() != TripletStatus::ok) return list;
  const std::size_t last = fit.system().hits.size() - 1;
  for (std::size_t k = fit.system().surface_hit; k <= last; ++k) {
    const Matrix5 c = rounded(k < last ? fit.state(k, SegmentEnd::start)
                                       : fit.state(last - 1, SegmentEnd::end));
    list.push_back(
        {c.topLeftCorner<2, 2>(), c.block<2, 1>(OnSurface::u, OnSurface::qop)});
  }
  return list;
}

}  // namespace gttf
