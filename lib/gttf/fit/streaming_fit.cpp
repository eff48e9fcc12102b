// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming_fit.hpp"

#include <cmath>

#include "gttf/fit/detail/fit_states.hpp"
#include "gttf/fit/detail/hit_report.hpp"
#include "gttf/fit/detail/kinked_helix.hpp"
#include "gttf/fit/detail/prefit.hpp"
#include "gttf/fit/detail/trajectory_fit.hpp"
#include "gttf/fit/kink_elimination.hpp"
#include "gttf/fit/residual_column.hpp"

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

}  // namespace

struct StreamingFitter::Work {
  explicit Work(const FitOptions& o) : options(o), in_flight(o) {}

  FitStatus run(const TrackHits& track);
  bool is_coarse(const TrackHits& track) const;
  void set_weights(const TrackHits& track, double kappa);
  FitStatus step(const TrackHits& track);
  bool move(const TrackHits& track);
  void report(const TrackHits& track);
  void report_hits(const TrackHits& track);
  TrackState state(const Node& node, const Helix& at,
                   const LineTransport& transport, const Equations& e) const;

  /// Scattering of a node matters if hits lie on both sides.
  bool kinks(std::size_t k) const {
    return k > 0 && k + 1 < reference.nodes().size() &&
           reference.nodes()[k].variance_theta > 0;
  }

  FitOptions options;
  bool scatters = true;
  GlobalFit result;
  MeasuredPoints measured;
  KinkedHelix reference;
  double weight_scale = 1;
  Equations equations;
  ResidualColumn<double> column;
  Row<double> line{};  ///< fitted minus reference at the start
  std::vector<KinkGain<double>> gains;
  std::vector<std::array<double, 2>> kink_offsets;
  std::vector<Equations> outer, inner;
  TrajectoryFit in_flight;  ///< for tracks with a FlightModel
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

void StreamingFitter::Work::set_weights(const TrackHits& track, double kappa) {
  const double ratio = track.kappa_ref == 0 ? 1 : kappa / track.kappa_ref;
  weight_scale = scatters ? ratio * ratio : 0;
  result.kappa_weights = kappa;
}

/// One linear fit around the reference: equations, line, gains.
FitStatus StreamingFitter::Work::step(const TrackHits& track) {
  auto& nodes = reference.nodes();
  if (const auto s = reference.follow(track); s != FitStatus::ok) return s;
  equations = Equations();
  column = {};
  gains.resize(nodes.size());
  kink_offsets.resize(nodes.size());
  const bool keep = options.detail == FitDetail::hits;
  if (keep) outer.resize(nodes.size());
  for (std::size_t k = nodes.size(); k-- > 0;) {
    Node& n = nodes[k];
    const TrackHit& p = track.points[n.point];
    const double sine = std::sin(0.5 * (n.before.theta + n.after.theta));
    n.variance_theta = weight_scale * p.theta0_2;
    n.variance_phi = n.variance_theta / (sine * sine);
    if (keep) outer[k] = equations;
    if (kinks(k)) {
      shift_kinks(equations, column, n.columns, -n.kink_theta, -n.kink_phi);
      scatter<excluded, true>(equations, n.columns, n.variance_theta,
                              n.variance_phi, &gains[k], column);
      kink_offsets[k] = {column.kink_theta, column.kink_phi};
    }
    if (!p.measures()) continue;
    const auto residual = coordinate_residuals(p, n.before.position);
    for (int q = 0; q < p.n_coordinates; ++q) {
      const CoordinateAxis& a = p.coordinates[static_cast<std::size_t>(q)];
      measure(equations, column, reference.row(n, a), residual[q], a.variance);
    }
  }
  ++result.n_steps;
  return solve_line(track.field, equations, column, line);
}

/// Moves the reference to the fitted track.
/// @return  true if it hardly moved
bool StreamingFitter::Work::move(const TrackHits& track) {
  double change = 0;
  const Row<double> unit = [this] {
    Row<double> sigma;
    const auto c = covariance(equations);
    for (std::size_t i = 0; i < 5; ++i) sigma[i] = std::sqrt(c[i][i]);
    return sigma;
  }();
  for (std::size_t i = 0; i < 5; ++i)
    if (unit[i] > 0) change = std::max(change, std::abs(line[i]) / unit[i]);
  Row<double> s = line;
  auto& nodes = reference.nodes();
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (!kinks(k)) continue;
    Node& n = nodes[k];
    double theta = kink_offsets[k][0] - n.kink_theta;
    double phi = kink_offsets[k][1] - n.kink_phi;
    for (std::size_t i = 0; i < 5; ++i) {
      theta -= gains[k].theta[i] * s[i];
      phi -= gains[k].phi[i] * s[i];
    }
    n.kink_theta += theta;
    n.kink_phi += phi;
    for (std::size_t i = 0; i < 3; ++i)
      s[i] += n.columns.theta[i] * theta + n.columns.phi[i] * phi;
    s[3] += theta;
    change = std::max(change, std::abs(theta) / std::sqrt(n.variance_theta));
    change = std::max(change, std::abs(phi) / std::sqrt(n.variance_phi));
  }
  Helix& h = reference.first();
  // the start parameters belong to the line before the kink of the first node
  h.position +=
      Vector3(-std::sin(h.phi) * line[0], std::cos(h.phi) * line[0], line[1]);
  h.phi += line[2];
  h.theta += line[3];
  h.kappa += line[4];
  // back along the track onto the first surface, where its state is quoted
  const double s0 = arc_to(h, track.points[nodes.front().point], 0);
  if (std::isfinite(s0)) h = h.advanced(s0);
  return change < 1e-11;
}

FitStatus StreamingFitter::Work::run(const TrackHits& track) {
  find_measured(track, measured);
  if (measured.status != FitStatus::ok) return measured.status;
  const Prefit first = prefit(track, measured.points, is_coarse(track));
  if (first.status != FitStatus::ok) return first.status;
  if (const auto s = reference.start(track, first.start); s != FitStatus::ok)
    return s;
  double kappa = options.kappa == 0 ? track.kappa_ref : options.kappa;
  if (options.weights != WeightSource::estimate && track.field)
    kappa = first.start.kappa;
  set_weights(track, kappa);
  const int steps = 2 + options.relinearisations;
  for (int i = 0; i < steps; ++i) {
    if (i > 0 && options.weights == WeightSource::update && track.field)
      set_weights(track, reference.first().kappa);
    if (const auto s = step(track); s != FitStatus::ok) return s;
    const double sine = std::sin(reference.first().theta + line[3]);
    if (!(sine > 0)) return FitStatus::not_converged;
    if (move(track)) break;
  }
  return FitStatus::ok;
}

TrackState StreamingFitter::Work::state(const Node& node, const Helix& at,
                                        const LineTransport& transport,
                                        const Equations& e) const {
  const auto d = surface_derivatives(node, at, transport);
  Eigen::Matrix<double, 6, 5> functions;
  functions << d, 0, 0, 0, 0, 1;
  TrackState s;
  s.parameters << at.position, at.theta, std::remainder(at.phi, 2 * unit::pi),
      at.kappa;
  s.covariance = covariance_of<6>(e, functions);
  return s;
}

void StreamingFitter::Work::report_hits(const TrackHits& track) {
  const auto& nodes = reference.nodes();
  result.hits.resize(measured.points.size());
  Equations inside;  // what the points before the node say
  if (!track.field) inside.v[4] = 0;
  std::size_t hit = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& n = nodes[k];
    const TrackHit& p = track.points[n.point];
    const Equations before = inside;
    for (const CoordinateAxis& a : p.axes())
      measure<excluded>(inside, reference.row(n, a), a.variance);
    Equations behind = outer[k];  // this point not included
    if (!track.field) behind.v[4] = 0;
    Equations all_after = inside;
    if (kinks(k))
      scatter<excluded, false>(all_after, n.columns, n.variance_theta,
                               n.variance_phi);
    inside = all_after;
    if (!p.measures()) continue;
    HitFit& f = result.hits[hit++];
    f.point = n.point;
    // line before the kink: everything behind seen through it
    Equations all_before = before;
    for (const CoordinateAxis& a : p.axes())
      measure<excluded>(all_before, reference.row(n, a), a.variance);
    if (kinks(k))
      scatter<excluded, false>(behind, n.columns, n.variance_theta,
                               n.variance_phi);
    join(all_before, behind);
    join(all_after, outer[k]);
    if (!track.field) all_before.v[4] = all_after.v[4] = 0;
    f.before = state(n, n.before, n.transport_before, all_before);
    f.after = k + 1 == nodes.size()
                  ? f.before
                  : state(n, n.after, n.transport_after, all_after);
    if (k == 0) f.before = f.after;
    set_fitted(p, n.before.position,
               covariance_of<3>(all_before, hit_functions(reference, n, p)), f);
  }
}

void StreamingFitter::Work::report(const TrackHits& track) {
  // results of the last linear fit, positions and directions after it
  result.kappa = reference.first().kappa;
  result.chi2 = column.chi2;
  result.ndf = measured.n_coordinates - (track.field ? 5 : 4);
  result.sigma = std::sqrt(equations.v[4]);
  if (options.detail == FitDetail::curvature) return;
  const auto& nodes = reference.nodes();
  const TrackState first = state(nodes.front(), reference.first(),
                                 nodes.front().transport_before, equations);
  set_perigee(track, measured.points.front(), first, weight_scale, result);
  if (options.detail != FitDetail::hits) return;
  if (reference.follow(track) == FitStatus::ok) report_hits(track);
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
  if (r.status == FitStatus::ok)
    work_->report(hits);
  else
    r.hits.clear();
  return r;
}

}  // namespace gttf
