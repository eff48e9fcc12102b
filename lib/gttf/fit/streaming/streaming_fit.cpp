// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/streaming_fit.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/streaming/angle_weights.hpp"
#include "gttf/fit/streaming/kinked_helix.hpp"
#include "gttf/fit/streaming/streamed_fit.hpp"
#include "gttf/fit/streaming/trajectory_perigee.hpp"
#include "gttf/fit/streaming/trajectory_start.hpp"
#include "gttf/fit/track/hit_loss.hpp"
#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/track/prefit.hpp"
#include "gttf/fit/triplet/fit_states.hpp"
#include "gttf/trajectory/energy_loss.hpp"

namespace gttf {

using namespace detail;

namespace {

using Equations = FiveEquations<double>;

/// The measured coordinates of a hit at a node of the reference and, last,
/// kappa as functions of the line at the start.
template <class Reference, class Node>
Eigen::Matrix<double, 3, track_dim> hit_functions(const Reference& reference,
                                                  const Node& node,
                                                  const TrackHit& hit) {
  Eigen::Matrix<double, 3, track_dim> functions =
      Eigen::Matrix<double, 3, track_dim>::Zero();
  for (int q = 0; q < hit.n_coordinates; ++q) {
    const auto row =
        reference.row(node, hit.coordinates[static_cast<std::size_t>(q)]);
    for (int i = 0; i < track_dim; ++i)
      functions(q, i) = row[static_cast<std::size_t>(i)];
  }
  functions(2, 4) = 1;
  return functions;
}

/// Sets residual and covariances of `fit`.
/// @param position    fitted
/// @param covariance  of hit_functions()
void set_fitted(const TrackHit& hit, const Vector3& position,
                const Eigen::Matrix3d& covariance, HitFit& fit) {
  fit.residual = coordinate_residuals(hit, position);
  fit.fitted_covariance = covariance.topLeftCorner<2, 2>();
  fit.fitted_with_kappa = covariance.col(2).head<2>();
  fit.residual_covariance = -fit.fitted_covariance;
  for (int q = 0; q < hit.n_coordinates; ++q)
    fit.residual_covariance(q, q) +=
        hit.coordinates[static_cast<std::size_t>(q)].variance;
}

/// @param normal     of the surface
/// @param transport  of the line from the start to there
TrackState state_on(const Cartesian<double>& normal, const Helix<double>& at,
                    const LineTransport<double>& transport,
                    const FiveEquations<double>& e) {
  const auto rows =
      surface_derivatives(normal, point_of(at, direction_of(at)), transport);
  Eigen::Matrix<double, track_dim + 1, track_dim> functions;
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j < track_dim; ++j)
      functions(i, j) =
          rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  functions.row(5) << 0, 0, 0, 0, 1;
  TrackState s;
  const auto& [x, y, z] = at.position;
  s.parameters << x, y, z, at.theta, std::remainder(at.phi, 2 * unit::pi),
      at.kappa;
  s.covariance = square(detail::times_root(e, functions));
  return s;
}

/// Whether a coordinate is not measured, or too coarse to linearise there.
bool is_coarse(const TrackHits& track, std::span<const std::size_t> measured) {
  const double length = (track.points[measured.back()].position -
                         track.points[measured.front()].position)
                            .norm();
  const double tolerance = 1e-3 * length;
  for (const std::size_t i : measured) {
    if (track.points[i].n_coordinates < 2) return true;
    for (const CoordinateAxis& a : track.points[i].axes())
      if (a.variance > tolerance * tolerance) return true;
  }
  return false;
}

/// A helix as the reference of a single track.
class HelixReference {
 public:
  using Scalar = double;
  using Node = HelixNode<double>;
  /// Convergence limit of the largest step, in standard deviations.
  static constexpr double at_rest = 1e-11;
  /// The momentum in each layer, and not only the curvature.
  static constexpr bool knows_momentum = false;

  /// Finds a helix without scattering near the hits.
  /// @param measured  indices of the measured points
  FitStatus start(const TrackHits& track,
                  std::span<const std::size_t> measured) {
    points_.clear();
    for (std::size_t i = measured.front(); i <= measured.back(); ++i)
      if (track.points[i].measures() || track.points[i].theta0_2 != 0)
        points_.push_back(i);
    nodes_.resize(points_.size());
    hits_.emplace(SingleHits{track, measured, track.field, points_});
    BatchOutcome<double> outcome;
    const Helix<double> first =
        prefit_helix(*hits_, is_coarse(track, measured), outcome);
    if (outcome.failed()) return outcome.status;
    helix_.emplace(*hits_, nodes_);
    helix_->start(first);
    return FitStatus::ok;
  }

  double kappa() const { return helix_->first().kappa; }
  FitStatus follow() {
    BatchOutcome<double> outcome;
    helix_->follow(outcome);
    return outcome.status;
  }
  /// Repeats it before report_hit().
  FitStatus follow_for_report() {
    BatchOutcome<double> outcome;
    crossed_.resize(size());
    helix_->follow(outcome, crossed_);
    return outcome.status;
  }
  void set_variances(const FitWeights& weights) {
    helix_->set_variances(weights.scattering());
  }
  FitStatus move_start(const Row<double>& change) {
    BatchOutcome<double> outcome;
    helix_->move_start(change, outcome);
    return outcome.status;
  }

  FitStatus check(const Equations&, double, const FitWeights&) const {
    return FitStatus::ok;
  }

  bool scatters(std::size_t k) const { return helix_->scatters(k); }
  const HelixKinks<double>& kinks(std::size_t k) const {
    return helix_->kinks(k);
  }
  void look_ahead(std::size_t) const {}
  template <class F>
  void coordinates(std::size_t k, F&& f) const {
    helix_->coordinates(k, f);
  }
  std::size_t size() const { return nodes_.size(); }
  Node& node(std::size_t k) { return nodes_[k]; }
  bool has_field() const { return helix_->has_field(); }
  void has_kinks() { helix_->has_kinks(); }

  std::size_t point(std::size_t k) const { return points_[k]; }

  /// Results at the first hit and at the origin. Positions and directions are
  /// those after the last linear fit.
  void report(const Equations& e, const FitWeights& weights, FitDetail detail,
              GlobalFit& r) const {
    r.kappa = kappa();
    r.sigma = std::sqrt(e.v[4]);
    if (detail == FitDetail::curvature) return;
    const FirstCrossing<double>& x = helix_->first_crossing();
    const TrackState first =
        state_on(x.normal, helix_->first(), x.transport, e);
    set_perigee(hits_->track, hits_->measured.front(), first,
                weights.scattering(), r);
  }

  /// Results at a node.
  void report_hit(std::size_t k, const Equations& before,
                  const Equations& after, const FitWeights&, HitFit& f) const {
    const NodeState<double>& x = crossed_[k];
    const TrackHit& hit = hits_->track.points[points_[k]];
    f.before = state_on(x.normal, x.before, x.transport_before, before);
    f.after = state_on(x.normal, x.after, x.transport_after, after);
    set_fitted(hit, vector_of(x.at.position),
               square(detail::times_root(before, hit_functions(*this, x, hit))),
               f);
  }

  /// Derivatives of a coordinate at a crossing.
  Row<double> row(const NodeState<double>& x, const CoordinateAxis& a) const {
    return plane_row(a.cosine * x.axes.u + a.sine * x.axes.v,
                     slide_arcs(x.normal, x.at), x.at, x.transport_before);
  }

 private:
  std::vector<std::size_t>
      points_;  ///< from the first to the last measured one
  std::vector<Node> nodes_;
  std::optional<SingleHits> hits_;
  std::optional<KinkedHelix<double, SingleHits>> helix_;
  std::vector<NodeState<double>> crossed_;  ///< for report_hit()
};

/// A track through any field as the reference, with energy loss.
class FlownReference {
 public:
  using Scalar = double;
  using Node = TrajectoryNode;
  static constexpr double at_rest = 1e-9;
  static constexpr bool knows_momentum = true;

  FitStatus start(const TrackHits& track,
                  std::span<const std::size_t> measured) {
    track_ = &track;
    first_point_ = measured.front();
    const TrajectoryStart first = find_start(track, measured);
    if (first.status == FitStatus::ok) trajectory_.start(track, first.state);
    return first.status;
  }

  /// At the origin, as TrackHits::kappa_ref.
  double kappa() const {
    const double kappa = kappa_of(*track_, trajectory_.first());
    if (kappa == 0) return 0;
    const double p = momentum_of(*track_, trajectory_.first().qop);
    return kappa * p / momentum_at_start(*track_, p);
  }
  FitStatus follow() { return trajectory_.follow(*track_); }
  FitStatus follow_for_report() { return follow(); }
  void set_variances(const FitWeights& weights) {
    for (Node& n : trajectory_.nodes()) {
      const TrackHit& p = hit(n);
      const Frame& frame = track_->flight->frame;
      const double sine =
          0.5 * (FrameAngles(frame, n.before.direction).sin_theta +
                 FrameAngles(frame, n.after.direction).sin_theta);
      const LayerMomentum at{momentum_of(*track_, n.before.qop),
                             momentum_of(*track_, n.after.qop)};
      n.kinks.w = scattering_weight(*track_, p.loss, weights, at) * p.theta0_2;
      n.kinks.w_phi = n.kinks.w / (sine * sine);
      n.kinks.w_loss = straggling_variance(*track_, p.loss, weights, at) +
                       n.kinks.w * kink_loss_variance(*track_, p, n);
    }
  }
  FitStatus move_start(const Row<double>& change) {
    return trajectory_.move_start(*track_, change);
  }

  /// Of the curvature in the variances of scattering angles, 1/(p beta)^2.
  double angle_power() const {
    const double p = momentum_of(*track_, trajectory_.first().qop);
    const double beta = p / std::hypot(p, track_->flight->mass);
    return 4 - 2 * beta * beta;
  }

  /// Whether the linear fit holds. A track that returns may be at rest far from
  /// a hit that belongs to another crossing.
  ///
  /// For a particle that loses much of its energy:
  /// if the momentum for which TrackHit::theta0_2 and loss are given is a
  /// guess, that in each layer must be about the same, and unless angles follow
  /// the track, it must never be much lower. A particle that is slower by the
  /// error must reach the last hit, and there the error must be that of the
  /// start.
  FitStatus check(const Equations& e, double chi2,
                  const FitWeights& weights) const {
    constexpr double most = 100;  // standard deviations of a hit; a choice
    if (knows_paths(*track_) && !(chi2 <= most * most))
      return FitStatus::not_converged;
    constexpr double much = 0.1;  // a choice
    if (!(part_lost(*track_, kappa()) > much)) return FitStatus::ok;
    if (track_->kappa_is_guess && !is_near_guess(weights))
      return FitStatus::not_converged;
    for (std::size_t k = 0; k + 1 < size(); ++k) {
      const Node& n = trajectory_.nodes()[k];
      const HitLoss& loss = hit(n).loss;
      // angles that follow the track only need a reference that does not stop
      const double behind =
          weights.follow_track
              ? loss.momentum
              : momentum_of(*track_, n.after.qop) * std::abs(weights.ratio);
      if (loss.mean > 0 && !angles_hold(loss, behind, track_->flight->mass))
        return FitStatus::stops;
    }
    return is_linear(std::sqrt(e.v[4])) ? FitStatus::ok : FitStatus::stops;
  }

  bool scatters(std::size_t k) const {
    return is_inside(k) && trajectory_.nodes()[k].kinks.any();
  }
  const GeneralKinks<double>& kinks(std::size_t k) const {
    return trajectory_.nodes()[k].kinks;
  }
  void look_ahead(std::size_t) const {}
  template <class F>
  void coordinates(std::size_t k, F&& f) const {
    const Node& n = trajectory_.nodes()[k];
    const auto residual = coordinate_residuals(hit(n), n.before.position);
    int q = 0;
    for (const CoordinateAxis& a : hit(n).axes())
      f(DataCoordinate<double>{trajectory_.row(n, a), residual[q++],
                               a.variance});
  }
  std::size_t size() const { return trajectory_.nodes().size(); }
  Node& node(std::size_t k) { return trajectory_.nodes()[k]; }
  bool has_field() const { return track_->field; }
  void has_kinks() {}

  std::size_t point(std::size_t k) const {
    return trajectory_.nodes()[k].point;
  }

  /// Also for a fit of the curvature only: the curvature at the origin.
  void report(const Equations& e, const FitWeights& weights, FitDetail,
              GlobalFit& r) const {
    TrajectoryState first = trajectory_.first();
    set_start_columns(*track_, first);
    if (fly_onto(*track_->flight->field, level_of(track_->points[first_point_]),
                 Way::either, first) == Landing::there)
      set_trajectory_perigee(*track_, first_point_, first, square_root(e),
                             weights, r);
  }

  void report_hit(std::size_t k, const Equations& before,
                  const Equations& after, const FitWeights& weights,
                  HitFit& f) const {
    const Node& n = trajectory_.nodes()[k];
    f.energy_loss = f.sigma_energy_loss = GlobalFit::none;
    const Matrix5 root = square_root(before);
    f.before = track_state(*track_, n.before, root);
    f.after = track_state(*track_, n.after, square_root(after));
    report_loss(k, root, weights, f);
    set_fitted(
        hit(n), n.before.position,
        detail::covariance_of<3>(root, hit_functions(trajectory_, n, hit(n))),
        f);
  }

 private:
  const TrackHit& hit(const Node& n) const { return track_->points[n.point]; }
  bool is_near_guess(const FitWeights& weights) const {
    // choices: angles change by up to 1.6, losses are up to 5 % wrong
    const double most = weights.follow_track ? 2 : 1.25;
    const double scale = weights.follow_track ? 1 : std::abs(weights.ratio);
    for (std::size_t k = 0; k + 1 < size(); ++k) {
      const Node& n = trajectory_.nodes()[k];
      const HitLoss& loss = hit(n).loss;
      if (!(loss.mean > 0)) continue;
      const double ratio =
          momentum_of(*track_, n.before.qop) * scale / loss.momentum;
      if (!(ratio < most && ratio > 1 / most)) return false;
    }
    return true;
  }

  /// Whether a particle that is slower by its error reaches the last hit, and
  /// one that is faster is so there by about as much as the linear fit expects:
  /// if it nearly stops there, its error is larger. Both are on the path of the
  /// fit: it is bound to the hits all the way, whereas the path from a start
  /// that is wrong by its error leads elsewhere after a turn.
  bool is_linear(double sigma) const {
    const double slower = std::copysign(sigma, kappa());
    const auto at_end = [&](double change) {
      return trajectory_.end_of_path(*track_, change);
    };
    const MomentumOnPath here = at_end(0), faster = at_end(-slower);
    return std::isfinite(at_end(slower).kappa) &&
           std::abs(faster.kappa - here.kappa) >
               least_slope * here.by_start * sigma;
  }

  /// Changes in the layer of a node matter if there are hits on both sides.
  bool is_inside(std::size_t k) const { return k > 0 && k + 1 < size(); }

  /// @param before  square root of the covariance of the line before the layer
  void report_loss(std::size_t k, const Matrix5& before,
                   const FitWeights& weights, HitFit& f) const {
    const Node& n = trajectory_.nodes()[k];
    const HitLoss& loss = hit(n).loss;
    if (!track_->field || !(loss.mean > 0)) return;
    const double m = track_->flight->mass;
    const double p = momentum_of(*track_, n.after.qop);
    const double energy = std::hypot(p, m);
    f.energy_loss = std::hypot(momentum_of(*track_, n.before.qop), m) -
                    (n.stops ? m : energy);
    if (!is_inside(k) || !(n.kinks.w_loss > 0)) {
      f.sigma_energy_loss = weights.scatters ? loss.sigma : 0;
      return;
    }
    Eigen::Matrix<double, 1, track_dim> gain;
    for (std::size_t i = 0; i < track_dim; ++i)
      gain[static_cast<int>(i)] = n.gain.loss[i];
    const double variance =
        n.gain.loss_variance + detail::covariance_of<1>(before, gain)(0, 0);
    // kappa ~ 1/p, dE = p dp/E
    f.sigma_energy_loss = p * p /
                          (energy * std::abs(kappa_of(*track_, n.after))) *
                          std::sqrt(variance);
  }

  const TrackHits* track_ = nullptr;
  std::size_t first_point_ = 0;
  KinkedTrajectory trajectory_;
};

/// The changes of a layer that are fitted, and their variances.
std::array<double, 2> variances(const HelixKinks<double>& k) {
  return {k.w, k.w_phi};
}
std::array<double, 3> variances(const GeneralKinks<double>& k) {
  return {k.w, k.w_phi, k.w_loss};
}

/// The first of them are angles.
constexpr std::size_t n_angles = 2;

/// The fit of a single track around a reference that follows the fit.
template <class Reference>
class SingleFit {
 public:
  FitStatus run(const TrackHits& track, FitKind kind, const FitOptions& options,
                GlobalFit& result) {
    find_measured(track, measured_);
    if (measured_.status != FitStatus::ok) return measured_.status;
    if (const auto s = reference_.start(track, measured_.points);
        s != FitStatus::ok)
      return s;
    double kappa = options.kappa == 0 ? track.kappa_ref : options.kappa;
    if (options.weights != WeightSource::estimate && track.field)
      kappa = reference_.kappa();
    weights_.scatters = kind != FitKind::hits;
    weights_.widening = 1;
    weights_.follow_track = Reference::knows_momentum && track.field &&
                            options.weights == WeightSource::update &&
                            kind != FitKind::hits;
    set_weights(track, kappa, result);
    const bool keeps = options.detail == FitDetail::hits;
    StreamedFit<Reference> fit(reference_);
    const int steps = 2 + options.relinearisations;
    // A first reference far from the track needs more of them, until at rest.
    constexpr int most_steps = 30;
    constexpr double almost_at_rest = 1e-6;
    bool is_far = false;
    for (int i = 0;; ++i) {
      if (i > 0 && options.weights == WeightSource::update && track.field)
        set_weights(track, reference_.kappa(), result);
      if (const auto s = solve(fit, keeps); s != FitStatus::ok) return s;
      ++result.n_steps;
      const double moved = move(fit);
      if (const auto s = reference_.move_start(fit.line()); s != FitStatus::ok)
        return s;
      if (moved < (is_far ? almost_at_rest : Reference::at_rest)) break;
      if (i + 1 < steps) continue;
      is_far = is_far || !fit.is_linear();
      if (!is_far) break;
      if (i + 1 == steps + most_steps) return FitStatus::not_converged;
    }
    if constexpr (Reference::knows_momentum)
      if (weights_.follow_track)
        if (const auto s = widen_angles(fit, keeps, result); s != FitStatus::ok)
          return s;
    if (const auto s = reference_.check(fit.equations(), fit.chi2(), weights_);
        s != FitStatus::ok)
      return s;
    // covariances of the last linear fit
    result.chi2 = fit.chi2();
    result.ndf =
        measured_.n_coordinates - (track.field ? track_dim : track_dim - 1);
    reference_.report(fit.equations(), weights_, options.detail, result);
    if (keeps && reference_.follow_for_report() == FitStatus::ok)
      report_hits(result);
    return FitStatus::ok;
  }

 private:
  void set_weights(const TrackHits& track, double kappa, GlobalFit& result) {
    weights_.ratio = track.kappa_ref == 0 ? 1 : kappa / track.kappa_ref;
    result.kappa_weights = kappa;
  }

  /// One linear fit around the reference.
  FitStatus solve(StreamedFit<Reference>& fit, bool keeps) {
    if (const auto s = reference_.follow(); s != FitStatus::ok) return s;
    reference_.set_variances(weights_);
    BatchOutcome<double> outcome;
    if (keeps) {
      outer_.resize(reference_.size());
      fit.solve(outcome,
                [this](std::size_t k, const Equations& e) { outer_[k] = e; });
    } else {
      fit.solve(outcome);
    }
    return outcome.status;
  }

  /// Moves the reference to the fitted track except its start.
  /// @return the largest step in standard deviations
  double move(StreamedFit<Reference>& fit) {
    double largest = 0;
    const auto see = [&largest](double change, double variance) {
      if (variance > 0)
        largest = std::max(largest, std::abs(change) / std::sqrt(variance));
    };
    const auto c = covariance(fit.equations());
    for (std::size_t i = 0; i < track_dim; ++i) see(fit.line()[i], c[i][i]);
    chi2_angles_ = 0;
    fit.move_kinks([&](const typename Reference::Node& n, const auto& changes) {
      const auto v = variances(n.kinks);
      for (std::size_t i = 0; i < v.size(); ++i) see(changes[i], v[i]);
      for (std::size_t i = 0; i < n_angles; ++i)
        if (v[i] > 0) chi2_angles_ += n.so_far[i] * n.so_far[i] / v[i];
    });
    return largest;
  }

  /// Repeats the fit with the scattering angles of a slower particle, where
  /// they are larger than those of the fitted momentum.
  FitStatus widen_angles(StreamedFit<Reference>& fit, bool keeps,
                         GlobalFit& result) {
    const double kappa = result.kappa_weights;
    AngleWeights angles(reference_.angle_power());
    constexpr int most_fits = 10;
    for (int i = 0; i < most_fits; ++i) {
      const double sigma = std::sqrt(fit.equations().v[4]);
      if (!angles.improve({.chi2 = fit.chi2(),
                           .ndf = 1.0 * (measured_.n_coordinates - track_dim),
                           .chi2_angles = chi2_angles_,
                           .sigma = sigma / std::abs(reference_.kappa())}))
        break;
      weights_.widening = angles.widening();
      result.kappa_weights = kappa * angles.ratio();
      if (const auto s = solve(fit, keeps); s != FitStatus::ok) return s;
      ++result.n_steps;
      move(fit);
      if (const auto s = reference_.move_start(fit.line()); s != FitStatus::ok)
        return s;
    }
    return FitStatus::ok;
  }

  void report_hits(GlobalFit& result) {
    result.hits.resize(measured_.points.size());
    std::size_t hit = 0;
    smooth(reference_, outer_,
           [&](std::size_t k, const Equations& before, const Equations& after) {
             HitFit& f = result.hits[hit++];
             f.point = reference_.point(k);
             reference_.report_hit(k, before, after, weights_, f);
             if (k + 1 == reference_.size()) f.after = f.before;
             if (k == 0) f.before = f.after;
           });
  }

  MeasuredPoints measured_;
  Reference reference_;
  FitWeights weights_;
  double chi2_angles_ = 0;        ///< of the scattering angles
  std::vector<Equations> outer_;  ///< about the line outside of nodes
};

}  // namespace

struct StreamingFitter::Work {
  FitOptions options;
  GlobalFit result;
  SingleFit<HelixReference> helix;
  SingleFit<FlownReference> flown;  ///< for tracks with a FlightModel
};

StreamingFitter::StreamingFitter(const FitOptions& options)
    : work_(std::make_unique<Work>()) {
  work_->options = options;
}
StreamingFitter::~StreamingFitter() = default;
StreamingFitter::StreamingFitter(StreamingFitter&&) noexcept = default;
StreamingFitter& StreamingFitter::operator=(StreamingFitter&&) noexcept =
    default;

const GlobalFit& StreamingFitter::fit(const TrackHits& hits, FitKind kind) {
  GlobalFit& r = work_->result;
  clear(r);
  r.status = hits.flight ? work_->flown.run(hits, kind, work_->options, r)
                         : work_->helix.run(hits, kind, work_->options, r);
  if (r.status != FitStatus::ok) r.hits.clear();
  return r;
}

}  // namespace gttf
