// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/triplet_covariance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "gttf/fit/triplet/free_parameters.hpp"
#include "gttf/fit/triplet/reference_rows.hpp"

namespace gttf {

namespace {

using namespace detail;
using Eigen::Index;

Index index(std::size_t i) { return static_cast<Index>(i); }

/// a^T b. Products of this scalar by Eigen take ten seconds to compile.
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

/// Remainder of a parameter after elimination of the others: only rounding for
/// a dependent parameter, otherwise at least the lever arm of an unmeasured
/// coordinate relative to the size of the detector.
constexpr double parameter_rounding = 1e-20;

/// The banded system of a reference track, solved: K^-1 = L D L^T, and
/// parameters without any prior, see FreeParameters.
class ReferenceFit {
 public:
  ReferenceFit(const TripletTrack& track, const TripletOptions& options)
      : track_(track),
        system_(track, options.errors, options.auxiliary_scale),
        scatters_(options.errors != Errors::hits_only),
        doubtful_(options.doubtful),
        outer_(without_hits()) {}

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
    if (!solution.regular && !doubtful_) return TripletStatus::singular;
    outer_.add(n_inner(), n_hits, nullptr);
    FreeParameters all = outer_;
    all.add(0, n_inner(), nullptr);
    return all.finish() ? TripletStatus::ok : TripletStatus::not_determined;
  }

  /// Covariance (u, v, phi, theta, kappa) at an end of a segment.
  WideMatrix state(std::size_t segment, SegmentEnd end) const {
    const bool at_start = end == SegmentEnd::start;
    const InPlaneArc& arc = system_.arcs[segment];
    WideMatrix j_transposed = WideMatrix::Zero(n_errors + 1, track_dim);
    const auto set = [&](int first, const InPlaneArc::Matrix2& angles) {
      for (int i = 0; i < 2; ++i) {
        j_transposed(first + i, OnSurface::theta) = angles(0, i);
        j_transposed(first + i, OnSurface::phi) = angles(1, i);
      }
    };
    const InPlaneArc::Matrix2 from = system_.hits[segment].error,
                              to = system_.hits[segment + 1].error;
    j_transposed.block<2, 2>(at_start ? 0 : 2, OnSurface::u) =
        (at_start ? from : to).transpose();
    set(0, product<2, 2, 2>(at_start ? arc.start_by_start : arc.end_by_start,
                            from));
    set(2, product<2, 2, 2>(at_start ? arc.start_by_end : arc.end_by_end, to));
    // errors are fitted minus measured: opposite sign to KinkRows
    set(n_shifts, -Eigen::Matrix2d::Identity().cast<Wide>());
    const InPlaneArc::Vector2& slope =
        at_start ? arc.start_by_kappa : arc.end_by_kappa;
    j_transposed(n_errors, OnSurface::theta) = slope[0];
    j_transposed(n_errors, OnSurface::phi) = slope[1];
    j_transposed(n_errors, OnSurface::qop) = Wide(1);
    return propagated(fitted(segment, end), j_transposed);
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
    // the track at the start has not scattered there yet
    if (system_.surface_hit > 0) add_scattering(0, c);
    return propagated(
        c, perigee_jacobian(track_, system_.crossings[system_.hits[0].crossing])
               .transpose());
  }

 private:
  PassiveKinks<Wide> passive() const {
    return {passive_rows_.data(), Wide(1), system_.sums.data()};
  }

  FreeParameters without_hits() const {
    return {system_, steps_, track_.fit_kappa,
            doubtful_ ? 0 : parameter_rounding};
  }

  /// Hits of the segments of first_hit() and perigee(), and inside of them.
  std::size_t n_inner() const {
    return std::min(system_.surface_hit + 2, system_.hits.size());
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

  /// Covariance of the errors of a segment and, last, kappa.
  WideMatrix fitted(std::size_t segment, SegmentEnd end) const {
    const std::size_t n = system_.rows.size();
    const auto columns =
        std::make_unique<SegmentColumns<Wide>[]>(std::min(segment + 2, n));
    SegmentErrors<Wide> e;
    set_segment_errors<HitAndTurnColumns>(system_.rows.data(), n, passive(),
                                          segment, end, steps_, columns, e);
    const FreeParameters::SegmentErrorColumns errors{segment, columns.get()};
    const bool is_inner = segment + 2 <= n_inner();
    FreeParameters free = is_inner ? outer_ : without_hits();
    free.add(0, is_inner ? n_inner() : system_.hits.size(), &errors);
    free.finish();
    WideMatrix c = free.covariance();
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
  bool scatters_, doubtful_;
  std::vector<PassiveRows<Wide>> passive_rows_;
  KeptSteps<Wide> steps_;
  FreeParameters outer_;  ///< after all hits but n_inner()
};

/// A reflection I - factor v v^T.
struct Reflection {
  Index first = 0;  ///< v is zero above it
  std::vector<Wide> v;
  Wide factor;

  /// That makes column `c` of m zero below its element `c`.
  /// @return  the square of this element, which is then set
  static Wide annihilate(Index c, WideMatrix& m, Reflection& r) {
    r.first = c;
    r.v.assign(m.col(c).data() + c, m.col(c).data() + m.rows());
    Wide square(0);
    for (const Wide& x : r.v) square += x * x;
    const Wide size = sqrt(square);
    const bool is_negative = r.v.front() < Wide(0);
    r.factor = Wide(1) / (square + size * abs(r.v.front()));
    r.v.front() += is_negative ? -size : size;
    m(c, c) = is_negative ? size : -size;
    for (Index i = c + 1; i < m.rows(); ++i) m(i, c) = Wide(0);
    return square;
  }

  /// Columns of m from `begin`.
  void apply(WideMatrix& m, Index begin) const {
    for (Index c = begin; c < m.cols(); ++c) {
      Wide* const x = m.col(c).data() + first;
      Wide sum(0);
      for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] * x[i];
      sum *= factor;
      for (std::size_t i = 0; i < v.size(); ++i) x[i] -= sum * v[i];
    }
  }
};

Wide norm(const auto& list) {
  Wide square(0);
  for (Index i = 0; i < list.size(); ++i) square += list[i] * list[i];
  return sqrt(square);
}

/// A track with energy loss, or a doubtful one, with the accuracy that its hits
/// allow. With the errors n of unit variance of hits and layers, all kinks
/// are
///
///   0 = P p + N n
///
/// p is kappa of the first segment and the unmeasured coordinates. With energy
/// loss the effect of a kink or of a loss fluctuation on the curvature enters
/// all following triplets, so that N is dense. Nothing is squared:
///
///   Q^T (P, N) = [R, N_1; 0, N_2],   N_2^T = U [T; 0],   R, T triangular
///
/// with orthogonal Q and U, leaves the components of U^T n beyond those of T
/// free, with unit variance. The covariance of a function A p + C n is the sum
/// of their squares in C - A R^-1 N_1. The curvature of a segment is the
/// curvature at the start of the track without the changes in between.
/// Source: docs/theory/global-fit.md, orthogonal form;
///         docs/theory/energy-loss.md, triplets
class OrthogonalFit {
 public:
  OrthogonalFit(const TripletTrack& track, const TripletOptions& options)
      : track_(track),
        system_(track, options.errors, options.auxiliary_scale),
        scatters_(options.errors != Errors::hits_only),
        doubtful_(options.doubtful) {}

  const ReferenceRows& system() const { return system_; }

  TripletStatus solve() {
    const std::size_t n_hits = system_.hits.size();
    if (n_hits < system_.surface_hit + 1 || n_hits < (track_.fit_kappa ? 3 : 2))
      return TripletStatus::too_few_hits;
    number_errors();
    const std::size_t n = system_.rows.size();
    kinks_ = WideMatrix::Zero(index(2 * n), n_errors_);
    WideMatrix curvature = WideMatrix::Zero(1, n_errors_);
    for (std::size_t k = 0; k <= n; ++k) {
      Segment& s = segments_.emplace_back();
      set_segment(k, curvature, s);
      for (Index r = 0; r < 2; ++r) {
        if (k < n) kinks_.row(index(2 * k) + r) -= s.at_end.row(r);
        if (k > 0) kinks_.row(index(2 * k) - 2 + r) += s.at_start.row(r);
      }
      if (k < n) add_kinks(k);
      curvature = s.curvature_at_end;
      if (k < n) add_curvature(system_.hits[k + 1].crossing, curvature);
    }
    set_parameters();
    if (!eliminate_parameters()) return TripletStatus::not_determined;
    return factorise_constraints() ? TripletStatus::ok
                                   : TripletStatus::singular;
  }

  /// Covariance of the line on a segment, in parameters at the start.
  WideMatrix line(std::size_t segment) const {
    return fitted(transported(to_start(segment), at_start_of(segment)));
  }

  /// Covariance of (u, v, phi, theta, kappa) just after the first measuring
  /// layer. If no hit follows, the direction comes from inside.
  WideMatrix first_hit() const {
    const std::size_t k = system_.surface_hit;
    const TracedArc& arc = traced(system_.hits[k].crossing);
    const bool has_next = k + 1 < system_.hits.size();
    State state = has_next ? at_start_of(k) : at_end_of(k - 1);
    if (!has_next && scatters_) {
      const std::size_t i = system_.hits[k].crossing;
      state.by_errors.middleCols(kink_of_[i], 3) +=
          gram(arc.local.transpose(), columns_of(i));
    }
    if (!track_.loses_energy || !track_.fit_kappa) return fitted(state);
    WideMatrix behind = WideMatrix::Zero(track_dim, track_dim);
    for (int i = 0; i < OnSurface::qop; ++i) behind(i, i) = Wide(1);
    behind.row(OnSurface::qop) =
        gram(arc.kappa_behind.cast<Wide>(), to_start(k));
    return fitted(transported(behind, state));
  }

  /// With the kinks of layers at the start if that is a hit.
  WideMatrix perigee() const {
    WideMatrix c = line(0);
    if (system_.surface_hit == 0 || !scatters_) return c;
    for (const KinkColumns& kinks : track_.start_kinks) c += added_by(kinks);
    return c;
  }

  /// Contribution of a layer without hits inside it.
  static WideMatrix added_by(const KinkColumns& kinks) {
    const WideMatrix columns = scaled_columns(kinks);
    return gram(columns.transpose(), columns.transpose());
  }

 private:
  /// Directions (theta, phi) at the ends of a segment, and the curvature, as
  /// function of the errors.
  struct Segment {
    WideMatrix at_start, at_end, curvature, curvature_at_end;
  };

  static WideMatrix scaled_columns(const KinkColumns& kinks) {
    WideMatrix columns = kinks.columns;
    for (Index i = 0; i < 3; ++i)
      columns.col(i) *= sqrt(Wide(kinks.variances[i]));
    return columns;
  }
  const TracedArc& traced(std::size_t crossing) const {
    return *system_.crossings[crossing].traced;
  }
  WideMatrix columns_of(std::size_t crossing) const {
    WideMatrix columns = scaled_columns(traced(crossing).kinks);
    if (!track_.fit_kappa) columns.row(Perigee::kappa).setZero();
    return columns;
  }

  /// Two errors of each hit, three of each layer, starting at the first hit.
  void number_errors() {
    n_errors_ = 2 * index(system_.hits.size());
    kink_of_.assign(system_.crossings.size(), -1);
    if (!scatters_) return;
    for (std::size_t i = system_.hits[0].crossing + 1;
         i < system_.crossings.size(); ++i) {
      kink_of_[i] = n_errors_;
      n_errors_ += 3;
    }
  }

  void add_curvature(std::size_t crossing, WideMatrix& curvature) const {
    if (kink_of_[crossing] < 0) return;
    curvature.middleCols(kink_of_[crossing], 3) +=
        columns_of(crossing).row(Perigee::kappa);
  }

  /// Shifts of a hit by the errors.
  WideMatrix shift(std::size_t hit) const {
    WideMatrix x = WideMatrix::Zero(2, n_errors_);
    x.middleCols(2 * index(hit), 2) = system_.hits[hit].error;
    return x;
  }

  void set_segment(std::size_t k, const WideMatrix& curvature,
                   Segment& s) const {
    const InPlaneArc& arc = system_.arcs[k];
    const std::size_t from = system_.hits[k].crossing;
    const std::size_t to = system_.hits[k + 1].crossing;
    const WideMatrix local = traced(to).local;
    // fixed points: the effect of kinks in between at the second is compensated
    WideMatrix end = shift(k + 1), turn = WideMatrix::Zero(2, n_errors_);
    s.curvature = s.curvature_at_end = curvature;
    for (std::size_t i = from + 1; i < to; ++i) {
      if (kink_of_[i] < 0) continue;
      const WideMatrix moved = gram(local.transpose(), columns_of(i));
      end.middleCols(kink_of_[i], 3) -= moved.topRows(2);
      turn.block(0, kink_of_[i], 1, 3) += moved.row(OnSurface::theta);
      turn.block(1, kink_of_[i], 1, 3) += moved.row(OnSurface::phi);
      add_curvature(i, s.curvature_at_end);
    }
    const auto sum = [&](const InPlaneArc::Matrix2& by_start,
                         const InPlaneArc::Matrix2& by_end,
                         const InPlaneArc::Vector2& by_kappa) {
      WideMatrix a = gram(by_start.transpose(), shift(k));
      a += gram(by_end.transpose(), end);
      a += gram(by_kappa.transpose(), curvature);
      return a;
    };
    s.at_start = sum(arc.start_by_start, arc.start_by_end, arc.start_by_kappa);
    s.at_end = sum(arc.end_by_start, arc.end_by_end, arc.end_by_kappa) + turn;
  }

  /// The kinks of the middle hit themselves.
  void add_kinks(std::size_t triplet) {
    const std::size_t crossing = system_.hits[triplet + 1].crossing;
    if (kink_of_[crossing] < 0) return;
    for (int r = 0; r < 2; ++r)
      kinks_(index(2 * triplet) + r, kink_of_[crossing] + r) -=
          sqrt(Wide(traced(crossing).kinks.variances[r]));
  }

  /// Takes P from the kinks: an unmeasured coordinate has no error.
  void set_parameters() {
    const std::size_t n = system_.rows.size();
    for (std::size_t h = 0; h < system_.hits.size(); ++h)
      if (system_.hits[h].unmeasured) free_.push_back(2 * index(h) + 1);
    const Index n_free = index(free_.size());
    parameters_ =
        WideMatrix::Zero(index(2 * n), n_free + (track_.fit_kappa ? 1 : 0));
    for (Index f = 0; f < n_free; ++f) {
      const Index error = free_[static_cast<std::size_t>(f)];
      parameters_.col(f) = kinks_.col(error);
      kinks_.col(error).setZero();
    }
    if (track_.fit_kappa)
      for (std::size_t j = 0; j < n; ++j)
        for (int r = 0; r < 2; ++r)
          parameters_(index(2 * j) + r, n_free) = system_.rows[j].rho[r];
  }

  /// R and N_1, N_2. Columns of P and equations have a length of 1 before: an
  /// equation may be multiplied by any number.
  /// @return  false if a parameter is not determined
  bool eliminate_parameters() {
    const Index n = parameters_.cols();
    if (n > kinks_.rows()) return false;
    for (Index c = 0; c < n; ++c) {
      lengths_.push_back(norm(parameters_.col(c)));
      parameters_.col(c) *= Wide(1) / lengths_.back();
    }
    for (Index r = 0; r < kinks_.rows(); ++r) {
      const Wide a = norm(parameters_.row(r)), b = norm(kinks_.row(r));
      const Wide scale = Wide(1) / sqrt(a * a + b * b);
      parameters_.row(r) *= scale;
      kinks_.row(r) *= scale;
    }
    const double least = doubtful_ ? 0 : parameter_rounding;
    Reflection q;
    for (Index c = 0; c < n; ++c) {
      const Wide before = norm(parameters_.col(c));
      const Wide square = Reflection::annihilate(c, parameters_, q);
      if (!(square > Wide(least) * before * before)) return false;
      q.apply(parameters_, c + 1);
      q.apply(kinks_, 0);
    }
    return true;
  }

  /// U.
  /// @return  false if an equation follows from others, except for rounding:
  ///          their kinks have no errors
  bool factorise_constraints() {
    const Index n = parameters_.cols();
    WideMatrix t = kinks_.bottomRows(kinks_.rows() - n).transpose();
    if (t.cols() > t.rows()) return false;
    for (Index c = 0; c < t.cols(); ++c) t.col(c) *= Wide(1) / norm(t.col(c));
    const double least = doubtful_ ? 0 : pivot_rounding<Wide>;
    for (Index c = 0; c < t.cols(); ++c) {
      Reflection& u = constraints_.emplace_back();
      if (!(Reflection::annihilate(c, t, u) > Wide(least))) return false;
      u.apply(t, c + 1);
    }
    return true;
  }

  /// (u, v, phi, theta, kappa) at an end of a segment.
  struct State {
    WideMatrix by_errors;  ///< unmeasured coordinates included
    WideMatrix by_kappa;
  };

  State at_start_of(std::size_t segment) const {
    const Segment& s = segments_[segment];
    return state_of(segment, s.at_start, s.curvature,
                    system_.arcs[segment].start_by_kappa);
  }
  State at_end_of(std::size_t segment) const {
    const Segment& s = segments_[segment];
    return state_of(segment + 1, s.at_end, s.curvature_at_end,
                    system_.arcs[segment].end_by_kappa);
  }
  /// @param angles  theta and phi
  State state_of(std::size_t hit, const WideMatrix& angles,
                 const WideMatrix& curvature,
                 const InPlaneArc::Vector2& angles_by_kappa) const {
    State state{WideMatrix(track_dim, n_errors_),
                WideMatrix::Zero(track_dim, 1)};
    state.by_errors.topRows(2) = shift(hit);
    state.by_errors.row(OnSurface::theta) = angles.row(0);
    state.by_errors.row(OnSurface::phi) = angles.row(1);
    state.by_errors.row(OnSurface::qop) = curvature;
    state.by_kappa(OnSurface::theta, 0) = angles_by_kappa[0];
    state.by_kappa(OnSurface::phi, 0) = angles_by_kappa[1];
    state.by_kappa(OnSurface::qop, 0) = Wide(1);
    return state;
  }
  static State transported(const WideMatrix& by_state, const State& state) {
    return {gram(by_state.transpose(), state.by_errors),
            gram(by_state.transpose(), state.by_kappa)};
  }
  WideMatrix to_start(std::size_t hit) const {
    return inverse(traced(system_.hits[hit].crossing).local);
  }

  WideMatrix fitted(const State& state) const {
    WideMatrix free_errors = state.by_errors.transpose();
    WideMatrix a(parameters_.cols(), state.by_errors.rows());
    const Index n_free = index(free_.size());
    for (Index f = 0; f < n_free; ++f) {
      const Index error = free_[static_cast<std::size_t>(f)];
      a.row(f) = free_errors.row(error);
      free_errors.row(error).setZero();
    }
    if (track_.fit_kappa) a.row(n_free) = state.by_kappa.transpose();
    // R^T x = a
    for (Index i = 0; i < a.rows(); ++i) {
      const Wide length = lengths_[static_cast<std::size_t>(i)];
      for (Index q = 0; q < a.cols(); ++q) {
        Wide x = a(i, q) / length;
        for (Index k = 0; k < i; ++k) x -= parameters_(k, i) * a(k, q);
        a(i, q) = x / parameters_(i, i);
      }
    }
    free_errors -= gram(kinks_.topRows(a.rows()), a);
    for (const Reflection& u : constraints_) u.apply(free_errors, 0);
    const WideMatrix left =
        free_errors.bottomRows(free_errors.rows() - index(constraints_.size()));
    return gram(left, left);
  }

  const TripletTrack& track_;
  ReferenceRows system_;
  bool scatters_, doubtful_;
  Index n_errors_ = 0;
  std::vector<Index> kink_of_;  ///< first of the three of a crossing, -1: none
  std::vector<Segment> segments_;
  WideMatrix kinks_;           ///< N, then N_1 and N_2
  std::vector<Index> free_;    ///< errors that are free parameters instead
  WideMatrix parameters_;      ///< P, then R
  std::vector<Wide> lengths_;  ///< of the columns of P
  std::vector<Reflection> constraints_;  ///< U
};

Matrix5 rounded(const WideMatrix& c) {
  Matrix5 m = c.cast<double>();
  return m.selfadjointView<Eigen::Lower>();
}

/// Contribution of scattering in the first measuring layer and inside it to the
/// perigee parameters, if there is no hit inside.
Matrix5 inner_scattering(const TripletTrack& track) {
  Matrix5 sum = Matrix5::Zero();
  for (const TripletPoint& c : track.crossings) {
    if (track.traced) {
      sum += OrthogonalFit::added_by(c.traced->kinks).cast<double>();
      if (c.measures()) break;
      continue;
    }
    const Matrix5 j = perigee_jacobian(track, c).cast<double>();
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
  track.start_kinks.clear();
  for (TripletPoint& c : track.crossings) {
    c.kink_variance = 0;
    if (c.traced) c.traced->kinks.variances.setZero();
    if (c.measures()) break;
  }
  return track;
}

/// A track with all variances, and so covariances, multiplied by 2^exponent.
TripletTrack scaled(TripletTrack track, int exponent) {
  const auto scale = [exponent](double& variance) {
    variance = std::ldexp(variance, exponent);
  };
  scale(track.start_kink_variance);
  for (TripletCoordinate& a : track.start_coordinates) scale(a.variance);
  for (TripletPoint& c : track.crossings) {
    scale(c.kink_variance);
    for (TripletCoordinate& a : c.coordinates) scale(a.variance);
    if (c.traced)
      for (double& variance : c.traced->kinks.variances) scale(variance);
  }
  for (KinkColumns& kinks : track.start_kinks)
    for (double& variance : kinks.variances) scale(variance);
  return track;
}

/// The exponent that scales the largest variance to one, so that products of
/// variances stay within the range of doubles.
int exponent_of(const TripletTrack& track, Errors errors) {
  double largest = 0;
  const auto take = [&](const auto& kink_variance, const auto& coordinates) {
    if (errors != Errors::hits_only) largest = std::max(largest, kink_variance);
    if (errors == Errors::scattering_only) return;
    for (const TripletCoordinate& a : coordinates)
      largest = std::max(largest, a.variance);
  };
  take(track.start_kink_variance, track.start_coordinates);
  for (const TripletPoint& c : track.crossings)
    take(c.kink_variance, c.coordinates);
  return largest > 0 && std::isfinite(largest) ? -std::ilogb(largest) : 0;
}

/// @tparam Fit  ReferenceFit or OrthogonalFit
template <class Fit>
TripletCovariance scaled_covariance(const TripletTrack& track,
                                    const TripletOptions& options) {
  constexpr double pole = 0.05, none = std::numeric_limits<double>::quiet_NaN();
  Fit fit(track, options);
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
  Fit bare_fit(bare, options);
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
  const TripletTrack in_range = scaled(track, exponent);
  // a second for a track of so many hits
  constexpr std::ptrdiff_t most_hits = 150;
  const bool is_orthogonal =
      options.doubtful && track.traced &&
      std::ranges::count_if(track.crossings, &TripletPoint::measures) <=
          most_hits;
  TripletCovariance c =
      track.loses_energy || is_orthogonal
          ? scaled_covariance<OrthogonalFit>(in_range, options)
          : scaled_covariance<ReferenceFit>(in_range, options);
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
