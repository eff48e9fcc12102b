// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "gttf/fit/streaming/residual_column.hpp"
#include "gttf/fit/streaming/trajectory_fit.hpp"
#include "gttf/fit/streaming/trajectory_perigee.hpp"
#include "gttf/fit/streaming/trajectory_start.hpp"
#include "gttf/fit/track/hit_report.hpp"
#include "gttf/fit/track/prefit.hpp"

namespace gttf::detail {

namespace {

using Equations = FiveEquations<double>;
constexpr auto excluded = ZeroVariance::excluded;

Row<double> row_of(const StartColumn& c) {
  return {c[0], c[1], c[2], c[3], c[4]};
}

double product(const Row<double>& a, const Row<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 5; ++i) sum += a[i] * b[i];
  return sum;
}

/// How a random change in a layer follows from the line inside of it.
struct ChangeGain {
  Row<double> gain{};
  double offset = 0;
  double remaining = 0;  ///< variance when the line is known
};

/// The three changes of a layer, in the order in which they are eliminated: the
/// loss last, so that its gain refers to the line before the layer.
struct LayerGains {
  ChangeGain theta, phi, kappa;
};

/// Adds all that `other` knows.
void join(Equations& e, const Equations& other) {
  for (std::size_t i = 0; i < 5; ++i) {
    if (e.v[i] == 0) continue;  // known exactly: kappa without field
    Row<double> equation{};
    equation[i] = 1;
    for (std::size_t j = i + 1; j < 5; ++j)
      equation[j] = other.r[Equations::at(i, j)];
    measure<excluded>(e, equation, other.v[i]);
  }
}

}  // namespace

struct TrajectoryFit::Work {
  explicit Work(const FitOptions& o) : options(o) {}

  FitStatus run(const TrackHits& track);
  FitStatus step(const TrackHits& track);
  FitStatus move(const TrackHits& track, bool& settled);
  void set_weights(const TrackHits& track, double kappa);
  void scatter_outside(const TrajectoryNode& n, Equations& e,
                       ResidualColumn<double>& c, LayerGains& gains) const;
  void report(const TrackHits& track, GlobalFit& result);
  void report_hits(const TrackHits& track, GlobalFit& result);
  void report_loss(const TrackHits& track, std::size_t k,
                   const Equations& before, HitFit& hit) const;

  /// What happens in a node's layer matters if hits lie on both sides.
  bool counts(std::size_t k) const {
    return k > 0 && k + 1 < reference.nodes().size();
  }

  FitOptions options;
  MeasuredPoints measured;
  KinkedTrajectory reference;
  FitWeights weights;
  double kappa_weights = 0;
  int n_steps = 0;
  Equations equations;
  ResidualColumn<double> column;
  Row<double> line{};  ///< fitted minus reference at the start
  std::vector<LayerGains> gains;
  std::vector<Equations> outer;
};

void TrajectoryFit::Work::set_weights(const TrackHits& track, double kappa) {
  weights.ratio = track.kappa_ref == 0 ? 1 : kappa / track.kappa_ref;
  kappa_weights = kappa;
}

void TrajectoryFit::Work::scatter_outside(const TrajectoryNode& n, Equations& e,
                                          ResidualColumn<double>& c,
                                          LayerGains& g) const {
  const auto scatter = [&](const StartColumn& b, double kink, double variance,
                           ChangeGain& out) {
    if (!(variance > 0)) {
      out = {};
      return;
    }
    out.remaining =
        scatter_one(e, c, row_of(b), -kink, variance, out.gain, out.offset);
  };
  scatter(n.by_theta, n.kink_theta, n.variance_theta, g.theta);
  scatter(n.by_phi, n.kink_phi, n.variance_phi, g.phi);
  scatter(n.by_kappa, n.kink_kappa, n.variance_kappa, g.kappa);
}

/// One linear fit around the reference: equations, line, gains.
FitStatus TrajectoryFit::Work::step(const TrackHits& track) {
  if (const auto s = reference.follow(track); s != FitStatus::ok) return s;
  auto& nodes = reference.nodes();
  equations = Equations();
  column = {};
  gains.resize(nodes.size());
  const bool keep = options.detail == FitDetail::hits;
  if (keep) outer.resize(nodes.size());
  for (std::size_t k = nodes.size(); k-- > 0;) {
    TrajectoryNode& n = nodes[k];
    const TrackHit& p = track.points[n.point];
    if (keep) outer[k] = equations;
    if (counts(k)) {
      const Frame& frame = track.flight->frame;
      const double sine =
          0.5 * (FrameAngles(frame, n.before.direction).sin_theta +
                 FrameAngles(frame, n.after.direction).sin_theta);
      n.variance_theta = weights.scattering() * p.theta0_2;
      n.variance_phi = n.variance_theta / (sine * sine);
      n.variance_kappa = straggling_variance(track, p.loss, weights);
      scatter_outside(n, equations, column, gains[k]);
    }
    const auto residual = coordinate_residuals(p, n.before.position);
    for (int q = 0; q < p.n_coordinates; ++q) {
      const CoordinateAxis& a = p.coordinates[static_cast<std::size_t>(q)];
      measure(equations, column, reference.row(n, a), residual[q], a.variance);
    }
  }
  ++n_steps;
  return solve_line(track.field, equations, column, line);
}

/// Moves the reference to the fitted track.
/// @param settled  set to whether it hardly moved
FitStatus TrajectoryFit::Work::move(const TrackHits& track, bool& settled) {
  double change = 0;
  const auto c = covariance(equations);
  for (std::size_t i = 0; i < 5; ++i)
    if (c[i][i] > 0)
      change = std::max(change, std::abs(line[i]) / std::sqrt(c[i][i]));
  Row<double> s = line;
  auto& nodes = reference.nodes();
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (!counts(k)) continue;
    TrajectoryNode& n = nodes[k];
    const auto apply = [&](const ChangeGain& g, const StartColumn& b,
                           double variance, double& kink) {
      if (!(variance > 0)) return;
      const double step = g.offset - product(g.gain, s);
      for (std::size_t i = 0; i < 5; ++i) s[i] += b[static_cast<int>(i)] * step;
      kink += step;
      change = std::max(change, std::abs(step) / std::sqrt(variance));
    };
    // from inside: the loss was eliminated last
    apply(gains[k].kappa, n.by_kappa, n.variance_kappa, n.kink_kappa);
    apply(gains[k].phi, n.by_phi, n.variance_phi, n.kink_phi);
    apply(gains[k].theta, n.by_theta, n.variance_theta, n.kink_theta);
  }
  settled = change < 1e-9;
  return reference.move_start(track, line);
}

FitStatus TrajectoryFit::Work::run(const TrackHits& track) {
  find_measured(track, measured);
  if (measured.status != FitStatus::ok) return measured.status;
  const TrajectoryStart first = find_start(track, measured.points);
  if (first.status != FitStatus::ok) return first.status;
  reference.start(track, first.state);
  double kappa = options.kappa == 0 ? track.kappa_ref : options.kappa;
  if (options.weights != WeightSource::estimate && track.field)
    kappa = kappa_of(track, first.state);
  set_weights(track, kappa);
  n_steps = 0;
  const int steps = 2 + options.relinearisations;
  for (int i = 0; i < steps; ++i) {
    if (i > 0 && options.weights == WeightSource::update && track.field)
      set_weights(track, kappa_of(track, reference.first()));
    if (const auto s = step(track); s != FitStatus::ok) return s;
    bool settled = false;
    if (const auto s = move(track, settled); s != FitStatus::ok) return s;
    if (settled) break;
  }
  return FitStatus::ok;
}

void TrajectoryFit::Work::report_loss(const TrackHits& track, std::size_t k,
                                      const Equations& before,
                                      HitFit& hit) const {
  const TrajectoryNode& n = reference.nodes()[k];
  const HitLoss& loss = track.points[n.point].loss;
  if (!track.field || !(loss.mean > 0)) return;
  const double m = track.flight->mass;
  const double p = momentum_of(track, n.after.qop), energy = std::hypot(p, m);
  hit.energy_loss = std::hypot(momentum_of(track, n.before.qop), m) - energy;
  if (!counts(k) || !(n.variance_kappa > 0)) {
    hit.sigma_energy_loss = weights.scatters ? loss.sigma : 0;
    return;
  }
  const ChangeGain& g = gains[k].kappa;
  Eigen::Matrix<double, 1, 5> gain;
  for (std::size_t i = 0; i < 5; ++i) gain[static_cast<int>(i)] = g.gain[i];
  const double variance =
      g.remaining + covariance_of<1>(square_root(before), gain)(0, 0);
  // kappa ~ 1/p, dE = p dp/E
  const double kappa = kappa_of(track, n.after);
  hit.sigma_energy_loss =
      p * p / (energy * std::abs(kappa)) * std::sqrt(variance);
}

void TrajectoryFit::Work::report_hits(const TrackHits& track,
                                      GlobalFit& result) {
  const auto& nodes = reference.nodes();
  result.hits.resize(measured.points.size());
  Equations inside;  // what the points before the node say
  if (!track.field) inside.v[4] = 0;
  ResidualColumn<double> none;
  LayerGains unused;
  std::size_t hit = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const TrajectoryNode& n = nodes[k];
    const TrackHit& p = track.points[n.point];
    const auto measure_here = [&](Equations& e) {
      for (const CoordinateAxis& a : p.axes())
        measure<excluded>(e, reference.row(n, a), a.variance);
    };
    Equations all_before = inside;
    measure_here(inside);
    if (counts(k)) scatter_outside(n, inside, none, unused);
    if (!p.measures()) continue;
    Equations behind = outer[k];  // this point not included
    if (!track.field) behind.v[4] = 0;
    Equations all_after = inside;
    join(all_after, behind);
    measure_here(all_before);
    if (counts(k)) scatter_outside(n, behind, none, unused);
    join(all_before, behind);
    if (!track.field) all_before.v[4] = all_after.v[4] = 0;
    HitFit& f = result.hits[hit++];
    f.point = n.point;
    f.energy_loss = f.sigma_energy_loss = GlobalFit::none;
    const bool last = k + 1 == nodes.size();
    const Matrix5 root = square_root(all_before);
    f.before = track_state(track, n.before, root);
    f.after =
        last ? f.before : track_state(track, n.after, square_root(all_after));
    if (k == 0) f.before = f.after;
    report_loss(track, k, all_before, f);
    set_fitted(p, n.before.position,
               covariance_of<3>(root, hit_functions(reference, n, p)), f);
  }
}

void TrajectoryFit::Work::report(const TrackHits& track, GlobalFit& result) {
  result.chi2 = column.chi2;
  result.ndf = measured.n_coordinates - (track.field ? 5 : 4);
  result.n_steps = n_steps;
  result.kappa_weights = kappa_weights;
  TrajectoryState first = reference.first();
  set_start_columns(track, first);
  const TrackHit& surface = track.points[measured.points.front()];
  if (fly_onto(*track.flight->field, goal_of(surface), Way::either, first) ==
      Landing::there)
    set_trajectory_perigee(track, measured.points.front(), first,
                           square_root(equations), weights, result);
  if (options.detail != FitDetail::hits) return;
  if (reference.follow(track) == FitStatus::ok) report_hits(track, result);
}

TrajectoryFit::TrajectoryFit(const FitOptions& options)
    : work_(std::make_unique<Work>(options)) {}
TrajectoryFit::~TrajectoryFit() = default;
TrajectoryFit::TrajectoryFit(TrajectoryFit&&) noexcept = default;
TrajectoryFit& TrajectoryFit::operator=(TrajectoryFit&&) noexcept = default;

FitStatus TrajectoryFit::run(const TrackHits& track, FitKind kind,
                             GlobalFit& result) {
  work_->weights.scatters = kind != FitKind::hits;
  const FitStatus status = work_->run(track);
  if (status == FitStatus::ok) work_->report(track, result);
  return status;
}

}  // namespace gttf::detail
