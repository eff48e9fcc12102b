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

  /// Makes column `c` of m zero below `row`, where it must not be zero.
  static void annihilate(Index row, Index c, WideMatrix& m, Reflection& r) {
    r.first = row;
    r.v.assign(m.col(c).data() + row, m.col(c).data() + m.rows());
    double largest = 0;
    for (const Wide& x : r.v)
      largest = std::max(largest, std::abs(static_cast<double>(x)));
    // squares stay within the range of doubles
    const int exponent = std::ilogb(largest);
    const Wide unit(std::ldexp(1, exponent)), inverse(std::ldexp(1, -exponent));
    Wide square(0);
    for (Wide& x : r.v) {
      x *= inverse;
      square += x * x;
    }
    const Wide size = sqrt(square);
    const bool is_negative = r.v.front() < Wide(0);
    r.factor = Wide(1) / (square + size * abs(r.v.front()));
    r.v.front() += is_negative ? -size : size;
    m(row, c) = unit * (is_negative ? size : -size);
    for (Index i = row + 1; i < m.rows(); ++i) m(i, c) = Wide(0);
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
/// allow: nothing is squared, and limits without scattering or with exact hits
/// have fewer variables instead of large weights.
///
/// Variables are the errors of hits, kinks and passive layers, in units of
/// their standard deviations, the unmeasured coordinates and kappa. From the
/// outermost hit inwards, a segment adds the variables of its inner hit, of its
/// passive layers and of the kinks at its outer hit, and two equations, which
/// join the directions at the outer hit. Each is solved for one variable, which
/// is replaced. The information R, of which R^T R is the inverse covariance,
/// remains: position and direction at the inner hit depend on few variables,
/// and all others are eliminated by reflections.
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
    const WideMatrix outermost = add_hit(n_hits - 1);
    state_ = WideMatrix::Zero(track_dim, n_variables());
    state_.topRows(2) = outermost;
    if (track_.fit_kappa)
      state_(OnSurface::qop, add_variables(1, false)) = Wide(1);
    for (std::size_t k = n_hits - 1; k-- > 0;) {
      if (!add_segment(k)) return TripletStatus::singular;
      eliminate_unused();
    }
    return is_determined() ? TripletStatus::ok : TripletStatus::not_determined;
  }

  /// Covariance of (u, v, phi, theta, kappa) just after the first measuring
  /// layer. If no hit follows, the direction comes from inside.
  WideMatrix first_hit() const {
    const std::size_t k = system_.surface_hit;
    const TracedArc& arc = traced(system_.hits[k].crossing);
    WideMatrix c = fitted(first_hit_);
    if (k + 1 == system_.hits.size() && scatters_) {
      const WideMatrix kinks =
          gram(arc.local.transpose(), columns_of(system_.hits[k].crossing));
      c += gram(kinks.transpose(), kinks.transpose());
    }
    if (!track_.loses_energy || !track_.fit_kappa) return c;
    WideMatrix behind = WideMatrix::Zero(track_dim, track_dim);
    for (int i = 0; i < OnSurface::qop; ++i) behind(i, i) = Wide(1);
    behind.row(OnSurface::qop) =
        gram(arc.kappa_behind.cast<Wide>(), to_start(k));
    return propagated(c, behind.transpose());
  }

  /// With the kinks of layers at the start if that is a hit.
  WideMatrix perigee() const {
    WideMatrix c = propagated(fitted(state_), to_start(0).transpose());
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
  /// Rows of the turns of a segment by its passive layers: directions (theta,
  /// phi) at both ends for fixed points, and the curvature at its end.
  enum Turn : int { leaving, arriving = leaving + 2, curvature = arriving + 2 };
  static constexpr int n_turn_rows = curvature + 1;

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
  WideMatrix to_start(std::size_t hit) const {
    return inverse(traced(system_.hits[hit].crossing).local);
  }

  Index n_variables() const { return info_.cols(); }

  /// The linear functions of the variables that are needed.
  template <class Action>
  void for_functions(const Action& action) {
    for (WideMatrix* m : {&info_, &state_, &first_hit_}) action(*m);
  }

  /// @param with_prior  of unit variance
  /// @return            the index of the first
  Index add_variables(Index n, bool with_prior) {
    const Index first = n_variables();
    for_functions([&](WideMatrix& m) {
      const Index rows = m.rows() + (&m == &info_ && with_prior ? n : 0);
      WideMatrix larger = WideMatrix::Zero(rows, first + n);
      larger.topLeftCorner(m.rows(), first) = m;
      m = std::move(larger);
    });
    if (with_prior)
      for (Index i = 0; i < n; ++i)
        info_(info_.rows() - n + i, first + i) = Wide(1);
    return first;
  }

  /// Independent errors of unit variance, one for each column of `effects` that
  /// is not zero.
  /// @return  `effects` as function of all variables
  WideMatrix add_errors(const WideMatrix& effects) {
    std::vector<Index> nonzero;
    for (Index c = 0; c < effects.cols(); ++c)
      if (!is_zero(effects, c)) nonzero.push_back(c);
    const Index first = add_variables(std::ssize(nonzero), true);
    WideMatrix functions = WideMatrix::Zero(effects.rows(), n_variables());
    for (std::size_t i = 0; i < nonzero.size(); ++i)
      functions.col(first + index(i)) = effects.col(nonzero[i]);
    return functions;
  }

  static bool is_zero(const WideMatrix& m, Index column) {
    for (Index r = 0; r < m.rows(); ++r)
      if (m(r, column) != Wide(0)) return false;
    return true;
  }

  /// @return  the point (u, v)
  WideMatrix add_hit(std::size_t k) {
    const ReferenceHit& hit = system_.hits[k];
    if (!hit.unmeasured) return add_errors(hit.error);
    const Index free = add_variables(1, false);
    WideMatrix point = add_errors(hit.error.col(0));
    point.col(free) = hit.error.col(1);
    return point;
  }

  /// Kinks (theta, phi, curvature) at a hit.
  WideMatrix kinks_at(std::size_t hit) const {
    WideMatrix kinks = WideMatrix::Zero(3, 3);
    const std::size_t crossing = system_.hits[hit].crossing;
    for (int r = 0; r < 2; ++r)
      kinks(r, r) = sqrt(Wide(traced(crossing).kinks.variances[r]));
    kinks.row(2) = columns_of(crossing).row(Perigee::kappa);
    return kinks;
  }

  /// In rows as of Turn.
  WideMatrix passive_turns(std::size_t segment) const {
    const InPlaneArc& arc = system_.arcs[segment];
    const std::size_t from = system_.hits[segment].crossing,
                      to = system_.hits[segment + 1].crossing;
    WideMatrix turns = WideMatrix::Zero(n_turn_rows, 3 * index(to - from - 1));
    const WideMatrix local = traced(to).local;
    for (std::size_t i = from + 1; i < to; ++i) {
      const WideMatrix columns = columns_of(i);
      const WideMatrix moved = gram(local.transpose(), columns);
      const WideMatrix point = moved.topRows(2);
      auto own = turns.middleCols(3 * index(i - from - 1), 3);
      // the point at the end is fixed
      own.middleRows(leaving, 2) = -gram(arc.start_by_end.transpose(), point);
      own.middleRows(arriving, 2) = -gram(arc.end_by_end.transpose(), point);
      own.row(arriving) += moved.row(OnSurface::theta);
      own.row(arriving + 1) += moved.row(OnSurface::phi);
      own.row(curvature) = columns.row(Perigee::kappa);
    }
    return compressed(turns);
  }

  /// Fewer columns with the same covariance.
  static WideMatrix compressed(const WideMatrix& effects) {
    if (effects.cols() <= effects.rows()) return effects;
    WideMatrix m = effects.transpose();
    Reflection u;
    for (Index c = 0; c < m.cols(); ++c) {
      if (is_zero(m.bottomRows(m.rows() - c), c)) continue;
      Reflection::annihilate(c, c, m, u);
      u.apply(m, c + 1);
    }
    return m.topRows(m.cols()).transpose();
  }

  /// @return  false if an equation has no errors
  bool add_segment(std::size_t k) {
    const InPlaneArc& arc = system_.arcs[k];
    const bool has_triplet = k + 2 < system_.hits.size();
    const Index kappa = track_.fit_kappa ? add_variables(1, false) : -1;
    WideMatrix inner = add_hit(k), turns, kinks;
    turns = WideMatrix::Zero(n_turn_rows, n_variables());
    kinks = WideMatrix::Zero(3, n_variables());
    if (scatters_) turns = add_errors(passive_turns(k));
    if (scatters_ && has_triplet) kinks = add_errors(kinks_at(k + 1));
    for (WideMatrix* m : {&inner, &turns, &kinks}) extend(*m);
    const WideMatrix outer = state_.topRows(2);
    const auto angles = [&](const InPlaneArc::Matrix2& by_start,
                            const InPlaneArc::Matrix2& by_end,
                            const InPlaneArc::Vector2& by_kappa, int turn) {
      WideMatrix a = gram(by_start.transpose(), inner);
      a += gram(by_end.transpose(), outer);
      a += turns.middleRows(turn, 2);
      if (track_.fit_kappa) a.col(kappa) += by_kappa;
      return a;
    };
    const WideMatrix at_end =
        angles(arc.end_by_start, arc.end_by_end, arc.end_by_kappa, arriving);
    const Index n_before = track_.fit_kappa ? 1 : 0;
    WideMatrix equations =
        WideMatrix::Zero(n_before + (has_triplet ? 2 : 0), n_variables());
    if (track_.fit_kappa) {
      equations.row(0) =
          state_.row(OnSurface::qop) - turns.row(curvature) - kinks.row(2);
      equations(0, kappa) -= Wide(1);
    }
    if (has_triplet) {
      equations.bottomRows(2) = -at_end - kinks.topRows(2);
      equations.row(n_before) += state_.row(OnSurface::theta);
      equations.row(n_before + 1) += state_.row(OnSurface::phi);
    } else if (k < system_.surface_hit) {
      first_hit_ = state_;
      set_angles(at_end, first_hit_);
    }
    state_ = WideMatrix::Zero(track_dim, n_variables());
    state_.topRows(2) = inner;
    set_angles(angles(arc.start_by_start, arc.start_by_end, arc.start_by_kappa,
                      leaving),
               state_);
    if (track_.fit_kappa) state_(OnSurface::qop, kappa) = Wide(1);
    if (k == system_.surface_hit) first_hit_ = state_;
    return solve_equations(equations, kappa);
  }

  /// With zeros for new variables.
  void extend(WideMatrix& m) const {
    WideMatrix larger = WideMatrix::Zero(m.rows(), n_variables());
    larger.leftCols(m.cols()) = m;
    m = std::move(larger);
  }
  /// @param angles  theta, phi
  static void set_angles(const WideMatrix& angles, WideMatrix& state) {
    state.row(OnSurface::theta) = angles.row(0);
    state.row(OnSurface::phi) = angles.row(1);
  }

  /// Whether no further equation depends on a variable.
  bool is_unused(Index variable) const {
    return is_zero(state_, variable) && is_zero(first_hit_, variable);
  }

  /// Changes of the curvature in a layer that are so much smaller than the
  /// error of a triplet are not solved for: divided by them, all else that is
  /// known about the curvature would be rounding.
  static constexpr double least_loss = 1e-6;

  /// Replaces one variable for each equation: the one with the largest
  /// coefficient that is not used any more, or else any other; the curvature,
  /// which exact hits determine up to its changes by losses, comes last.
  /// @param equations  the first one is that of the curvature, if it is fitted
  /// @param kappa      its variable
  /// @return  false if there is none: an equation follows from others, except
  ///          for rounding, or its kinks have no errors
  bool solve_equations(WideMatrix& equations, Index kappa) {
    std::vector<Index> unused, any;
    for (Index c = 0; c < equations.cols(); ++c) {
      if (c == kappa) continue;
      any.push_back(c);
      if (is_unused(c)) unused.push_back(c);
    }
    const auto largest = [&](Index first, Index last,
                             const std::vector<Index>& columns) {
      Entry entry;
      for (Index r = first; r <= last; ++r)
        for (const Index c : columns)
          if (abs(equations(r, c)) > entry.size)
            entry = {r, c, abs(equations(r, c))};
      return entry;
    };
    Wide of_kappa(0);
    for (Index r = 0; r < equations.rows(); ++r) {
      const Wide size = largest(r, r, any).size;
      if (size > Wide(0)) equations.row(r) *= Wide(1) / size;
      if (kappa >= 0) of_kappa = std::max(of_kappa, abs(equations(r, kappa)));
    }
    Wide by_triplet(0);
    bool is_exact = false;
    for (Index r = 1; r < equations.rows() && kappa >= 0; ++r) {
      const Wide error = largest(r, r, unused).size;
      if (error > Wide(0))
        by_triplet = std::max(by_triplet, abs(equations(r, kappa)) / error);
      else
        is_exact = true;
    }
    const bool may_be_exact = kappa >= 0 && track_.loses_energy;
    for (Index r = 0; r < equations.rows(); ++r) {
      const Index last = r == 0 && kappa >= 0 ? 0 : equations.rows() - 1;
      Entry pivot = largest(r, last, unused);
      const bool is_small =
          r == 0 && kappa >= 0 && !is_exact &&
          Wide(least_loss) * abs(equations(0, kappa)) > pivot.size * by_triplet;
      if (pivot.is_rounding() || is_small) pivot = largest(r, last, any);
      if (pivot.is_rounding() && may_be_exact) {
        pivot = largest(r, last, {kappa});
        if (!(pivot.size > Wide(pivot_rounding<Wide>) * of_kappa)) return false;
      } else if (pivot.is_rounding()) {
        return false;
      }
      equations.row(r).swap(equations.row(pivot.row));
      const WideMatrix equation =
          equations.row(r) * (Wide(1) / equations(r, pivot.column));
      const auto replace = [&](WideMatrix& m) {
        for (Index c = 0; c < m.cols(); ++c)
          if (c != pivot.column && equation(0, c) != Wide(0))
            m.col(c) -= m.col(pivot.column) * equation(0, c);
        m.col(pivot.column).setZero();
      };
      for_functions(replace);
      replace(equations);
    }
    return true;
  }

  struct Entry {
    Index row = 0, column = 0;
    Wide size = Wide(0);

    /// Of an equation whose largest coefficient was 1.
    bool is_rounding() const { return !(size > Wide(pivot_rounding<Wide>)); }
  };

  /// Makes R triangular, without the variables that are not used any more. Rows
  /// of any size keep their digits, as the pivot is the largest element of its
  /// row and column. Source: [CoxHigham98]
  void eliminate_unused() {
    std::vector<Index> order, used;
    for (Index c = 0; c < n_variables(); ++c)
      if (!is_unused(c))
        used.push_back(c);
      else if (!is_zero(info_, c))
        order.push_back(c);
    const Index n_unused = std::ssize(order);
    order.insert(order.end(), used.begin(), used.end());
    WideMatrix m = info_(Eigen::all, order);
    Index row = 0;
    const auto eliminate = [&](Index begin, Index end) {
      Reflection q;
      for (Index c = begin; c < end && row < m.rows(); ++c) {
        Entry pivot;
        for (Index k = c; k < end; ++k)
          for (Index r = row; r < m.rows(); ++r)
            if (abs(m(r, k)) > pivot.size) pivot = {r, k, abs(m(r, k))};
        if (!(pivot.size > Wide(0))) break;
        m.col(c).swap(m.col(pivot.column));
        m.row(row).swap(m.row(pivot.row));
        std::swap(order[static_cast<std::size_t>(c)],
                  order[static_cast<std::size_t>(pivot.column)]);
        Reflection::annihilate(row, c, m, q);
        q.apply(m, c + 1);
        ++row;
      }
    };
    eliminate(0, n_unused);
    const Index first = row;
    eliminate(n_unused, m.cols());
    info_ = WideMatrix(m.block(first, n_unused, row - first, std::ssize(used)));
    order.erase(order.begin(), order.begin() + n_unused);
    state_ = WideMatrix(state_(Eigen::all, order));
    first_hit_ = WideMatrix(first_hit_(Eigen::all, order));
  }

  /// Whether the variables are determined.
  bool is_determined() const {
    if (info_.rows() < info_.cols()) return false;
    const double least = doubtful_ ? 0 : parameter_rounding;
    for (Index c = 0; c < info_.cols(); ++c) {
      const Wide size = norm(info_.col(c));
      if (!(info_(c, c) * info_(c, c) > Wide(least) * size * size))
        return false;
    }
    return true;
  }

  /// Covariance of functions of the variables.
  WideMatrix fitted(const WideMatrix& functions) const {
    WideMatrix a = functions.transpose();
    // R^T x = a
    for (Index i = 0; i < a.rows(); ++i)
      for (Index q = 0; q < a.cols(); ++q) {
        Wide x = a(i, q);
        for (Index k = 0; k < i; ++k) x -= info_(k, i) * a(k, q);
        a(i, q) = x / info_(i, i);
      }
    return gram(a, a);
  }

  const TripletTrack& track_;
  ReferenceRows system_;
  bool scatters_, doubtful_;
  WideMatrix info_;       ///< R
  WideMatrix state_;      ///< after the innermost hit, order of OnSurface
  WideMatrix first_hit_;  ///< as first_hit(), without its kinks
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
  TripletCovariance c =
      track.loses_energy || (options.doubtful && track.traced)
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
