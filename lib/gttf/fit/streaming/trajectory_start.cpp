// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/trajectory_start.hpp"

#include <cmath>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/track/prefit.hpp"

namespace gttf::detail {

namespace {

/// Normal equations of a track without kinks.
struct NormalEquations {
  Matrix5 information = Matrix5::Zero();
  Vector5 right = Vector5::Zero();
  double chi2 = 0;
  int n_coordinates = 0;
};

/// How far scattering moves a track from its start until each of the nodes,
/// mm^2.
void set_wander(const TrackHits& track, const KinkedTrajectory& trajectory,
                std::size_t n_nodes, std::vector<double>& wander) {
  wander.clear();
  double angle2 = 0, moment = 0, moment2 = 0, path = 0;
  for (std::size_t k = 0; k < n_nodes; ++k) {
    const TrajectoryNode& n = trajectory.nodes()[k];
    const TrackHit& p = track.points[n.point];
    if (k > 0)
      path += (n.before.position - trajectory.nodes()[k - 1].before.position)
                  .norm();
    wander.push_back(angle2 * path * path - 2 * moment * path + moment2);
    angle2 += p.theta0_2;
    moment += p.theta0_2 * path;
    moment2 += p.theta0_2 * path * path;
  }
}

/// @param wander  of set_wander(), of this trajectory or of one near it
NormalEquations equations_of(const TrackHits& track,
                             const KinkedTrajectory& trajectory,
                             const std::vector<double>& wander) {
  NormalEquations e;
  for (std::size_t k = 0; k < wander.size(); ++k) {
    const TrajectoryNode& n = trajectory.nodes()[k];
    const TrackHit& p = track.points[n.point];
    const auto residual = coordinate_residuals(p, n.before.position);
    for (int q = 0; q < p.n_coordinates; ++q) {
      const CoordinateAxis& a = p.coordinates[static_cast<std::size_t>(q)];
      const Row<double> row = trajectory.row(n, a);
      const Eigen::Map<const Vector5> d(row.data());
      const double w = 1 / (a.variance + wander[k]);
      e.information += w * d * d.transpose();
      e.right += w * residual[q] * d;
      e.chi2 += w * residual[q] * residual[q];
      ++e.n_coordinates;
    }
  }
  return e;
}

/// Levenberg-Marquardt least squares for the first nodes.
class DampedFit {
 public:
  DampedFit(const TrackHits& track, const TrajectoryState& start)
      : track_(track) {
    best_.start(track, start);
  }

  std::size_t n_nodes() const { return best_.nodes().size(); }
  const TrajectoryState& state() const { return best_.first(); }
  /// Of the nodes in the last run.
  double chi2() const { return chi2_; }

  /// @param precise  iterate to convergence; otherwise only approximately
  FitStatus run(std::size_t n_nodes, bool precise) {
    if (const auto s = follow(n_nodes); s != FitStatus::ok) return s;
    set_wander(track_, best_, n_nodes, wander_);
    NormalEquations now = equations_of(track_, best_, wander_);
    chi2_ = now.chi2;
    double damping = precise ? 1e-6 : 1e-3;
    constexpr int most_steps = 60;
    FitStatus failure = FitStatus::not_converged;
    for (int step = 0; step < most_steps; ++step) {
      const Vector5 move = solve(now, damping);
      if (!move.allFinite()) return FitStatus::not_determined;
      const double expected = move.dot(now.information * move);
      KinkedTrajectory next = best_;
      FitStatus s = next.move_start(track_, row_of(move));
      if (s == FitStatus::ok) s = next.follow(track_, n_nodes, false);
      // with the weights of the equations: those of another path have another
      // minimum
      double chi2 = 0;
      if (s == FitStatus::ok) chi2 = equations_of(track_, next, wander_).chi2;
      constexpr double near = 1e-4, nearer = 1e-8, rounding = 1e-9;
      if (s == FitStatus::ok && chi2 <= now.chi2 * (1 + rounding) + near) {
        best_ = std::move(next);
        // of recurling tracks the first linear fits hold only very near
        const double limit = !precise              ? 0.01 * (chi2 + 1)
                             : knows_paths(track_) ? nearer
                                                   : near;
        // of a step that is not damped
        const bool done = expected * (1 + damping) * (1 + damping) < limit;
        set_wander(track_, best_, n_nodes, wander_);
        now = equations_of(track_, best_, wander_);
        chi2_ = now.chi2;
        damping *= 0.1;
        if (done) return FitStatus::ok;
      } else {
        failure = s == FitStatus::ok ? FitStatus::not_converged : s;
        constexpr double nothing = 1e-9;  // of chi2; a choice
        if (s == FitStatus::ok && expected < nothing) break;
        damping = std::max(1e-4, 10 * damping);
        if (damping > 1e12) break;
      }
    }
    // where the path touches a layer, crossings appear and vanish, and chi2 has
    // steps: hits that agree with the path are enough
    if (now.chi2 <= now.n_coordinates) return FitStatus::ok;
    return was_too_slow_ ? FitStatus::stops : failure;
  }

 private:
  /// A particle that stops or, slowed down, turns back before it has reached
  /// the last of the nodes was faster.
  FitStatus follow(std::size_t n_nodes) {
    constexpr double faster = 1.1;
    constexpr int most_steps = 20;
    const FitStatus at_first = best_.follow(track_, n_nodes, false);
    was_too_slow_ = was_too_slow_ || at_first == FitStatus::stops;
    const bool may_turn_back = at_first == FitStatus::not_converged &&
                               part_lost(track_, track_.kappa_ref) > 0;
    if (at_first != FitStatus::stops && !may_turn_back) return at_first;
    const TrajectoryState start = best_.first();
    TrajectoryState first = start;
    for (int i = 0; i < most_steps; ++i) {
      first.qop /= faster;
      best_.start(track_, first);
      const FitStatus s = best_.follow(track_, n_nodes, false);
      if (s != FitStatus::stops && s != FitStatus::not_converged) return s;
    }
    if (may_turn_back) best_.start(track_, start);
    return at_first;
  }

  static Row<double> row_of(const Vector5& v) {
    return {v[0], v[1], v[2], v[3], v[4]};
  }

  /// Columns are scaled to norm one, except columns that are zero.
  Vector5 solve(const NormalEquations& e, double damping) const {
    Matrix5 m = e.information;
    Vector5 right = e.right;
    for (int i = 0; i < track_dim; ++i) {
      if (m(i, i) > 0 && (i != Perigee::kappa || track_.field)) continue;
      m.row(i).setZero();
      m.col(i).setZero();
      m(i, i) = 1;
      right[i] = 0;
    }
    const Vector5 scale = m.diagonal().cwiseSqrt();
    Matrix5 scaled = scale.cwiseInverse().asDiagonal() * m *
                     scale.cwiseInverse().asDiagonal();
    scaled.diagonal().array() += damping;
    const Vector5 move = inverse(scaled) * right.cwiseQuotient(scale);
    return move.cwiseQuotient(scale);
  }

  const TrackHits& track_;
  KinkedTrajectory best_;
  std::vector<double> wander_;  ///< of the equations
  double chi2_ = 0;             ///< of best_
  bool was_too_slow_ = false;   ///< at the beginning of a fit
};

/// Like start_of_arc() for a path of known length, which may turn several times
/// in the field at its start.
Vector3 start_of_path(const TrackHits& track, const Vector3& from,
                      const Vector3& chord, double qop, double path) {
  if (!track.field || !(path > 0)) return chord.normalized();
  // t' = rotation x t: of a helix around the field there, the components of the
  // chord along it and across it are those of the direction, the latter turned
  // by half of the turn
  const Vector3 any = chord.unitOrthogonal(),
                other = chord.cross(any).normalized();
  const Vector3 bend_any = bend_at(track, from, any, qop),
                bend_other = bend_at(track, from, other, qop);
  Vector3 rotation = any.cross(bend_any);
  rotation += any * any.dot(other.cross(bend_other));
  const double rate = rotation.norm();
  if (!(rate > 0)) return chord.normalized();
  const Vector3 axis = rotation / rate;
  const double along = axis.dot(chord) / path, half = 0.5 * rate * path;
  const Vector3 across = chord - axis.dot(chord) * axis;
  if (!(across.norm() > 0) || !(std::abs(along) < 1)) return chord.normalized();
  const Vector3 turned =
      std::cos(half) * across - std::sin(half) * axis.cross(across);
  return along * axis +
         std::copysign(std::sqrt(1 - along * along), std::sin(half)) *
             turned.normalized();
}

/// On the first hit, towards the next hit at sufficient distance.
TrajectoryState towards_next(const TrackHits& track,
                             std::span<const std::size_t> measured,
                             double kappa) {
  TrajectoryState s;
  const TrackHit& first = track.points[measured[0]];
  const bool paths = knows_paths(track);
  const auto chord = [&](std::size_t i) -> Vector3 {
    return track.points[i].position - first.position;
  };
  double length = chord(measured.back()).norm();
  // a recurling track is not a straight line to its last hit
  if (paths)
    for (const std::size_t i : measured)
      length = std::max(length, chord(i).norm());
  std::size_t next = measured[1];
  for (const std::size_t i : measured.subspan(1)) {
    next = i;
    if (chord(i).norm() > 0.01 * length) break;
  }
  s.position = first.position;
  s.qop = track.field ? -kappa / track.flight->field->reference : 0;
  s.direction = paths ? start_of_path(track, first.position, chord(next), s.qop,
                                      track.points[next].path - first.path)
                      : start_of_arc(track, first.position, chord(next), s.qop);
  set_start_columns(track, s);
  return s;
}

TrajectoryStart start_of(FitStatus status, const DampedFit& fit) {
  return {status, fit.state(), fit.chi2()};
}

}  // namespace

TrajectoryStart find_start(const TrackHits& track,
                           std::span<const std::size_t> measured) {
  DampedFit fit(track, towards_next(track, measured, track.kappa_ref));
  const FitStatus at_once = fit.run(fit.n_nodes(), true);
  if (at_once == FitStatus::ok) return start_of(at_once, fit);
  // a straight line finds the first of them, and an arc those within a turn
  DampedFit search(
      track,
      towards_next(track, measured, knows_paths(track) ? track.kappa_ref : 0));
  for (std::size_t n = 3; n < search.n_nodes(); n += 1 + n / 3)
    static_cast<void>(search.run(n, false));
  const FitStatus status = search.run(search.n_nodes(), true);
  return start_of(status, search);
}

TrajectoryStart find_near(const TrackHits& track, const FoundTrack& near) {
  TrajectoryState s;
  s.position = near.position;
  s.direction = near.direction;
  s.qop = near.qop;
  set_start_columns(track, s);
  DampedFit fit(track, s);
  const FitStatus status = fit.run(fit.n_nodes(), true);
  return start_of(status, fit);
}

}  // namespace gttf::detail

namespace gttf {

FoundTrack find_track(const TrackHits& track, const FoundTrack* near) {
  FoundTrack found;
  MeasuredPoints measured;
  find_measured(track, measured);
  found.status = measured.status;
  if (found.status != FitStatus::ok) return found;
  const auto start = near == nullptr
                         ? detail::find_start(track, measured.points)
                         : detail::find_near(track, *near);
  found.status = start.status;
  found.position = start.state.position;
  found.direction = start.state.direction;
  found.qop = start.state.qop;
  found.chi2 = start.chi2;
  return found;
}

}  // namespace gttf
