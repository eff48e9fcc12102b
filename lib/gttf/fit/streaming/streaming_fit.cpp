// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/streaming_fit.hpp"

#include <cmath>

#include "gttf/fit/streaming/streamed_fit.hpp"
#include "gttf/fit/streaming/trajectory_fit.hpp"
#include "gttf/fit/track/hit_report.hpp"
#include "gttf/fit/track/single_hits.hpp"
#include "gttf/fit/triplet/fit_states.hpp"

namespace gttf {

using namespace detail;

namespace {

using Equations = FiveEquations<double>;
constexpr auto excluded = ZeroVariance::excluded;

/// Covariance of linear functions of the start parameters.
template <int n>
Eigen::Matrix<double, n, n> covariance_of(
    const Equations& e, const Eigen::Matrix<double, n, 5>& functions) {
  Eigen::Matrix<double, n, 5> z;
  for (int i = 0; i < n; ++i) {
    Row<double> a;
    for (int j = 0; j < 5; ++j)
      a[static_cast<std::size_t>(j)] = functions(i, j);
    const Row<double> x = express(e, a);
    for (int j = 0; j < 5; ++j) {
      const auto index = static_cast<std::size_t>(j);
      z(i, j) = x[index] * std::sqrt(e.v[index]);
    }
  }
  return z * z.transpose();
}

/// Derivatives of coordinates at a crossing.
struct CoordinateRows {
  Row<double> row(const Crossed<double>& x, const CoordinateAxis& a) const {
    return plane_row(a.cosine * x.axes.u + a.sine * x.axes.v, x.normal, x.at,
                     x.transport_before);
  }
};

/// @param normal     of the surface
/// @param transport  of the line from the start to there
TrackState state_on(const Cartesian<double>& normal,
                    const HelixState<double>& at,
                    const LineTransport<double>& transport,
                    const Equations& e) {
  const auto rows =
      surface_derivatives(normal, point_of(at, direction_of(at)), transport);
  Eigen::Matrix<double, 6, 5> functions;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      functions(i, j) =
          rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  functions.row(5) << 0, 0, 0, 0, 1;
  TrackState s;
  s.parameters << at.x, at.y, at.z, at.theta,
      std::remainder(at.phi, 2 * unit::pi), at.kappa;
  s.covariance = covariance_of<6>(e, functions);
  return s;
}

}  // namespace

struct StreamingFitter::Work {
  using Fit = StreamedFit<double, SingleHits>;

  explicit Work(const FitOptions& o) : options(o), in_flight(o) {}

  FitStatus run(const TrackHits& track);
  bool is_coarse(const TrackHits& track) const;
  void set_points(const TrackHits& track);
  void set_weights(const TrackHits& track, double kappa);
  FitStatus iterate(const TrackHits& track, Fit& fit);
  FitStatus step(Fit& fit);
  bool move(Fit& fit, LaneOutcome<double>& outcome) const;
  void report(const TrackHits& track, Fit& fit);
  void report_hits(const TrackHits& track, const Fit& fit);

  FitOptions options;
  bool scatters = true;
  GlobalFit result;
  MeasuredPoints measured;
  std::vector<std::size_t> points;  ///< from the first to the last measured one
  std::vector<StreamNode<double>> nodes;
  double weight_scale = 1;
  std::vector<Equations> outer;          ///< about the line outside of nodes
  std::vector<Crossed<double>> crossed;  ///< by the fitted track
  TrajectoryFit in_flight;               ///< for tracks with a FlightModel
};

/// Is a coordinate not measured, or too coarsely to linearise at the hits?
bool StreamingFitter::Work::is_coarse(const TrackHits& track) const {
  const double length = (track.points[measured.points.back()].position -
                         track.points[measured.points.front()].position)
                            .norm();
  const double tolerance = 1e-3 * length;
  for (const std::size_t i : measured.points) {
    if (track.points[i].n_coordinates < 2) return true;
    for (const CoordinateAxis& a : track.points[i].axes())
      if (a.variance > tolerance * tolerance) return true;
  }
  return false;
}

void StreamingFitter::Work::set_points(const TrackHits& track) {
  points.clear();
  for (std::size_t i = measured.points.front(); i <= measured.points.back();
       ++i)
    if (track.points[i].measures() || track.points[i].theta0_2 != 0)
      points.push_back(i);
  nodes.resize(points.size());
}

void StreamingFitter::Work::set_weights(const TrackHits& track, double kappa) {
  const double ratio = track.kappa_ref == 0 ? 1 : kappa / track.kappa_ref;
  weight_scale = scatters ? ratio * ratio : 0;
  result.kappa_weights = kappa;
}

/// One linear fit around the reference: equations, line, gains.
FitStatus StreamingFitter::Work::step(Fit& fit) {
  LaneOutcome<double> outcome;
  fit.follow(outcome, [](std::size_t, const Crossed<double>&) {});
  if (outcome.failed()) return outcome.status;
  if (options.detail == FitDetail::hits) {
    outer.resize(nodes.size());
    fit.solve(weight_scale, outcome,
              [this](std::size_t k, const Equations& e) { outer[k] = e; });
  } else {
    fit.solve(weight_scale, outcome);
  }
  ++result.n_steps;
  return outcome.status;
}

/// Moves the reference to the fitted track.
/// @return  true if it hardly moved
bool StreamingFitter::Work::move(Fit& fit, LaneOutcome<double>& outcome) const {
  double change = 0;
  const auto c = covariance(fit.equations());
  for (std::size_t i = 0; i < 5; ++i)
    if (c[i][i] > 0)
      change = std::max(change, std::abs(fit.line()[i]) / std::sqrt(c[i][i]));
  fit.move_kinks([&](const StreamNode<double>& n, double theta, double phi) {
    change = std::max(change, std::abs(theta) / std::sqrt(n.variance_theta));
    change = std::max(change, std::abs(phi) / std::sqrt(n.variance_phi));
  });
  fit.move_start(outcome);
  return change < 1e-11;
}

FitStatus StreamingFitter::Work::iterate(const TrackHits& track, Fit& fit) {
  const int steps = 2 + options.relinearisations;
  for (int i = 0; i < steps; ++i) {
    if (i > 0 && options.weights == WeightSource::update && track.field)
      set_weights(track, fit.first().kappa);
    if (const auto s = step(fit); s != FitStatus::ok) return s;
    LaneOutcome<double> outcome;
    const bool at_rest = move(fit, outcome);
    if (outcome.failed()) return outcome.status;
    if (at_rest) break;
  }
  return FitStatus::ok;
}

FitStatus StreamingFitter::Work::run(const TrackHits& track) {
  find_measured(track, measured);
  if (measured.status != FitStatus::ok) return measured.status;
  set_points(track);
  const SingleHits hits{track, measured.points, track.field, points};
  LaneOutcome<double> outcome;
  const HelixState<double> first =
      prefit_helix(hits, is_coarse(track), outcome);
  if (outcome.failed()) return outcome.status;
  double kappa = options.kappa == 0 ? track.kappa_ref : options.kappa;
  if (options.weights != WeightSource::estimate && track.field)
    kappa = first.kappa;
  set_weights(track, kappa);
  Fit fit(hits, nodes);
  fit.start(first);
  if (const auto s = iterate(track, fit); s != FitStatus::ok) return s;
  report(track, fit);
  return FitStatus::ok;
}

void StreamingFitter::Work::report_hits(const TrackHits& track,
                                        const Fit& fit) {
  result.hits.resize(measured.points.size());
  Equations inside;  // what the points before the node say
  if (!track.field) inside.v[4] = 0;
  std::size_t hit = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const StreamNode<double>& n = nodes[k];
    const Crossed<double>& x = crossed[k];
    const TrackHit& p = track.points[points[k]];
    const auto measure_all = [&](Equations& e) {
      for (std::size_t q = 0; q < p.axes().size(); ++q)
        measure<excluded>(e, n.rows[q], p.coordinates[q].variance);
    };
    const auto pass_kinks = [&](Equations& e) {
      if (fit.kinks(k))
        scatter<excluded, false>(e, n.columns, n.variance_theta,
                                 n.variance_phi);
    };
    // line before the kink: everything behind seen through it
    Equations all_before = inside;
    measure_all(inside);
    Equations behind = outer[k];  // this point not included
    if (!track.field) behind.v[4] = 0;
    pass_kinks(inside);
    if (!p.measures()) continue;
    Equations all_after = inside;
    HitFit& f = result.hits[hit++];
    f.point = points[k];
    measure_all(all_before);
    pass_kinks(behind);
    join(all_before, behind);
    join(all_after, outer[k]);
    if (!track.field) all_before.v[4] = all_after.v[4] = 0;
    f.before = state_on(x.normal, x.before, x.transport_before, all_before);
    f.after = k + 1 == nodes.size()
                  ? f.before
                  : state_on(x.normal, x.after, x.transport_after, all_after);
    if (k == 0) f.before = f.after;
    set_fitted(
        p, vector_of(x.at.position),
        covariance_of<3>(all_before, hit_functions(CoordinateRows{}, x, p)), f);
  }
}

void StreamingFitter::Work::report(const TrackHits& track, Fit& fit) {
  // results of the last linear fit, positions and directions after it
  result.kappa = fit.first().kappa;
  result.chi2 = fit.chi2();
  result.ndf = measured.n_coordinates - (track.field ? 5 : 4);
  result.sigma = std::sqrt(fit.equations().v[4]);
  if (options.detail == FitDetail::curvature) return;
  const Crossed<double>& x = fit.first_crossing();
  const TrackState first =
      state_on(x.normal, fit.first(), x.transport_before, fit.equations());
  set_perigee(track, measured.points.front(), first, weight_scale, result);
  if (options.detail != FitDetail::hits) return;
  crossed.resize(nodes.size());
  LaneOutcome<double> outcome;
  fit.follow(outcome, [this](std::size_t k, const Crossed<double>& c) {
    crossed[k] = c;
  });
  if (!outcome.failed()) report_hits(track, fit);
}

StreamingFitter::StreamingFitter(const FitOptions& options)
    : work_(std::make_unique<Work>(options)) {}
StreamingFitter::~StreamingFitter() = default;
StreamingFitter::StreamingFitter(StreamingFitter&&) noexcept = default;
StreamingFitter& StreamingFitter::operator=(StreamingFitter&&) noexcept =
    default;

const GlobalFit& StreamingFitter::fit(const TrackHits& hits, FitKind kind) {
  GlobalFit& r = work_->result;
  clear(r);
  if (hits.flight) {
    r.status = work_->in_flight.run(hits, kind, r);
    if (r.status != FitStatus::ok) r.hits.clear();
    return r;
  }
  work_->scatters = kind != FitKind::hits;
  r.status = work_->run(hits);
  if (r.status != FitStatus::ok) r.hits.clear();
  return r;
}

}  // namespace gttf
