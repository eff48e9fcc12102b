// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/toys.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gttf/fit/streaming/kinked_trajectory.hpp"
#include "gttf/fit/track/hit_loss.hpp"
#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/track/perigee_transport.hpp"
#include "gttf/fit/triplet/flown_segment.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/toy_flight.hpp"
#include "gttf/resolution/toy_plan.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/flight.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf {

using namespace detail;

namespace {

/// Perigee parameters of a helix from `start` with respect to `origin`.
Vector5 start_perigee(const Line<double>& l, double theta, double phi,
                      const Vector3& start, const Vector3& origin) {
  const Vector3 d = start - origin;
  const PerigeeOf<double> perigee =
      perigee_of<double>({{d.x(), d.y(), d.z()}, theta, phi, l.kappa},
                         {l.sin_theta, l.cos_theta, l.sin_phi, l.cos_phi});
  return Vector5(perigee.parameters);
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// Closer to the z axis a direction has no azimuth.
constexpr double along_z = 1e-6;

Vector5 traced_perigee(const FlightState<0>& s, const Vector3& origin,
                       double kappa) {
  const Vector3 x = s.position - origin;
  const double sine = std::hypot(s.direction.x(), s.direction.y());
  const double theta = std::atan2(sine, s.direction.z());
  Vector5 p;
  if (!(sine > along_z)) {
    p << nan, nan, nan, theta, kappa;
    return p;
  }
  const double across =
      (s.direction.x() * x.y() - s.direction.y() * x.x()) / sine;
  p << across, x.z(), std::atan2(s.direction.y(), s.direction.x()), theta,
      kappa;
  return p;
}

Vector5 plane_parameters(const FlightState<0>& s, double kappa) {
  const double per_z = 1 / s.direction.z();
  Vector5 p;
  p << s.position.x(), s.position.y(), s.direction.x() * per_z,
      s.direction.y() * per_z, kappa;
  return p;
}

/// A track through any field, with energy loss.
class TracedFlight {
 public:
  static constexpr bool loses_energy = true;

  TracedFlight(const ToyPlan& plan, const RandomPlace& place,
               const FlightState<0>& start)
      : plan_(plan), place_(place), state_(start), before_(start) {}

  bool fly(std::size_t k, const SurfaceRecord& surface) {
    before_ = state_;
    const Field& field = *plan_.traced->field;
    const TracedToys::Leg& leg = plan_.traced->legs[k];
    const Landing landing =
        std::isnan(leg.length) ? fly_onto(field, leg.goal, Way::forward, state_)
                               : fly_along(field, leg.goal, leg.length, state_);
    landed_ = landing == Landing::there;
    return landed_ && inside(surface, state_.position);
  }
  /// Continues beyond the edge of the surface or, if it was not reached, from
  /// the beginning of the leg.
  void stay() {
    if (!landed_) state_ = before_;
  }
  Cartesian<double> position() const { return cartesian(state_.position); }

  /// Rotates by small angles along two orthogonal unit vectors.
  void scatter(double first, double second) {
    Vector3& t = state_.direction;
    const Vector3 across = t.unitOrthogonal();
    t = (t + first * across + second * t.cross(across)).normalized();
  }

  /// @return  false if no energy is left
  bool lose_energy(std::size_t k) {
    const TracedToys::Leg& leg = plan_.traced->legs[k];
    if (!(leg.loss.mean > 0)) return true;
    const TrackHits& hits = plan_.prototype.hits;
    const double p = hits.flight->charge / std::abs(state_.qop);
    const double behind = leg.slabs.empty()
                              ? momentum_behind(hits, leg.loss, p).p
                              : simulated_momentum(leg, k, p);
    if (!(behind > 0)) return false;
    state_.qop *= p / behind;
    return true;
  }

 private:
  /// NaN if no energy is left.
  double simulated_momentum(const TracedToys::Leg& leg, std::size_t k,
                            double p) const {
    const double m = plan_.prototype.hits.mass;
    RandomBranch random(place_, branch_of_step(k));
    const double energy =
        std::hypot(p, m) -
        simulate_loss(leg.slabs, plan_.traced->particle, p, leg.paths, random);
    return energy > m ? std::sqrt((energy - m) * (energy + m)) : nan;
  }

  const ToyPlan& plan_;
  const RandomPlace& place_;
  FlightState<0> state_, before_;
  bool landed_ = true;  ///< the last leg ended on its surface
};

/// Parameters of a start that the beam spot displaced.
bool set_traced_truth(const ToyPlan& plan, const FlightState<0>& start,
                      ToyTrack& toy) {
  const TrackHits& hits = plan.prototype.hits;
  const Field& field = *plan.traced->field;
  FlightState<0> s = start;
  if (!std::isnan(plan.prototype.truth[Perigee::phi])) {
    if (fly_onto(field, FlightGoal::perigee(hits.origin), Way::either, s) !=
        Landing::there)
      return false;
    toy.truth = traced_perigee(s, hits.origin, hits.kappa_ref);
  }
  s = start;
  if (fly_onto(field, SurfaceLevel::plane(hits.origin, Vector3::UnitZ()),
               Way::either, s) == Landing::there)
    toy.truth_at_plane = plane_parameters(s, hits.kappa_ref);
  else
    toy.truth_at_plane.setConstant(nan);
  return true;
}

/// Adds all data that do not depend on the path to a plan.
class PlanMaker {
 public:
  PlanMaker(const TrackingGeometry& geometry, const Track& track,
            const std::optional<BeamSpot>& spot)
      : geometry_(geometry) {
    TrackHits& hits = plan_.prototype.hits;
    hits.momentum = track.p;
    hits.mass = track.mass;
    hits.origin = {track.vertex[0], track.vertex[1], track.vertex[2]};
    plan_.spot = spot;
  }

  ToyPlan& plan() { return plan_; }

  void add_spot(double phi, double theta, const Frame& frame) {
    if (!plan_.spot) return;
    TrackHits& hits = plan_.prototype.hits;
    n_normals_ += 3;
    hits.points.push_back(
        make_beam_spot_hit(*plan_.spot, hits.origin, phi, theta, frame));
  }

  /// The next crossing of the reference track.
  /// @param index  of the surface
  void add(std::size_t index, const Vector3& position, double theta0_2,
           const HitLoss& loss) {
    TrackHit hit;
    hit.theta0_2 = theta0_2;
    hit.loss = loss;
    const SurfaceRecord& surface = geometry_.surfaces()[index];
    const ToyStep step =
        make_toy_step(geometry_, surface, position, std::sqrt(theta0_2), hit);
    n_normals_ += step.n_normals();
    if (step.theta0 > 0) n_normals_ += 2;
    if (plan_.traced)
      plan_.traced->legs.push_back({.goal = level_of(hit), .loss = loss});
    plan_.prototype.hits.points.push_back(hit);
    plan_.steps.push_back(step);
    plan_.layers.push_back(index);
  }

  std::shared_ptr<const ToyPlan> take() && {
    // blocks of four
    plan_.n_blocks = (static_cast<std::size_t>(n_normals_) + 3) / 4;
    plan_.prototype.bits.resize(4 * plan_.n_blocks);
    return std::make_shared<const ToyPlan>(std::move(plan_));
  }

 private:
  const TrackingGeometry& geometry_;
  ToyPlan plan_;
  int n_normals_ = 0;
};

std::shared_ptr<const ToyPlan> helix_plan(const TrackingGeometry& geometry,
                                          const Track& track,
                                          const Crossings<double>& reference,
                                          const std::optional<BeamSpot>& spot) {
  PlanMaker maker(geometry, track, spot);
  ToyPlan& plan = maker.plan();
  const Line<double>& line = plan.start = reference.line;
  plan.phi = track.phi;
  plan.theta = std::atan2(line.sin_theta, line.cos_theta);
  TrackHits& hits = plan.prototype.hits;
  hits.field = geometry.bz() != 0;
  hits.kappa_ref = line.kappa;
  maker.add_spot(plan.phi, plan.theta, {});
  for (int k = 0; k <= reference.last; ++k) {
    const auto& x = reference.list[static_cast<std::size_t>(k)];
    maker.add(x.surface, vector_of(position_at(line, x.at)), x.theta0_2, {});
  }
  if (!plan.steps.empty())
    plan.steps.back().theta0 = 0;  // it is the last step: no effect
  plan.begin = {cartesian(hits.origin), direction_of(line)};
  if (!spot && !reference.list.empty())
    plan.begin = path_point(line, reference.list[0].at);
  plan.prototype.truth =
      start_perigee(line, plan.theta, plan.phi, hits.origin, hits.origin);
  plan.prototype.truth_at_plane.setZero();
  return std::move(maker).take();
}

bool has_given_loss(const LossSlab& slab) { return slab.mean_loss.has_value(); }

/// Null unless kernels support traced toys: first crossings of surfaces, each
/// in a region of a uniform field or in a map, without given losses that
/// fluctuate.
std::shared_ptr<const RegionToys> toys_in_regions(const ToyPlan& plan,
                                                  const TracedTrack& reference,
                                                  EnergyLoss model) {
  const TracedToys& traced = *plan.traced;
  const Field& field = *traced.field;
  const TrackHits& hits = plan.prototype.hits;
  if (plan.spot || reference.turns > 0 || !FieldRegionTable::describes(field))
    return nullptr;
  auto toys = std::make_shared<RegionToys>(field);
  toys->model = model;
  std::size_t layers = 0;  // since the last hit
  double path = 0;
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    const SurfaceRecord& surface = plan.steps[k].surface;
    const HitLoss& loss = hits.points[k].loss;
    const TracedToys::Leg& leg = traced.legs[k];
    const auto region = toys->regions.region_of(surface);
    layers = hits.points[k].measures() ? 0 : layers + 1;
    if (surface.kind == SurfaceRecord::Kind::cone || !region ||
        std::ranges::any_of(leg.slabs, has_given_loss) ||
        layers > most_flown_layers)
      return nullptr;
    toys->region.push_back(*region);
    toys->loss.emplace_back(loss, hits.flight->mass);
    const double there = reference.list[k].path;
    toys->lengths.push_back(there - path);
    path = there;
    if (!straggles(model)) continue;
    toys->spread.push_back({loss.sigma, loss.momentum});
    toys->slabs.push_back(leg.slabs);
    toys->paths.push_back(leg.paths);
  }
  toys->flight = {.regions = toys->regions.view(),
                  .region = toys->region,
                  .start_region = toys->regions.region_of(hits.origin),
                  .loss = toys->loss,
                  .spread = toys->spread,
                  .frame = hits.flight->frame,
                  .field = hits.field,
                  .b_ref = field.reference,
                  .mass = hits.flight->mass,
                  .charge = hits.flight->charge,
                  .momentum = hits.momentum};
  return toys;
}

std::shared_ptr<const ToyPlan> traced_plan(
    const TrackingGeometry& geometry, const Track& track,
    const TracedTrack& reference, EnergyLoss model,
    const std::optional<BeamSpot>& spot,
    std::shared_ptr<const TrackingGeometry> own_geometry = nullptr) {
  PlanMaker maker(geometry, track, spot);
  ToyPlan& plan = maker.plan();
  TracedToys& traced = plan.traced.emplace();
  traced.own_geometry = std::move(own_geometry);
  TrackHits& hits = plan.prototype.hits;
  traced.field = &geometry.field();
  traced.particle = {track.mass, track.charge};
  const double sine = std::sin(reference.theta);
  FlightState<0>& start = traced.start;
  start.position = hits.origin;
  start.direction = reference.frame.out_of({sine * std::cos(reference.phi),
                                            sine * std::sin(reference.phi),
                                            std::cos(reference.theta)});
  start.qop = track.charge / track.p;
  hits.field = reference.b_ref != 0;
  hits.kappa_ref = reference.kappa;
  hits.flight = FlightModel{traced.field, reference.frame, track.mass,
                            std::abs(track.charge)};
  maker.add_spot(reference.phi, reference.theta, reference.frame);
  if (plan.spot && reference.turns > 0) hits.points.back().path = 0;
  for (int k = 0; k <= reference.last; ++k) {
    const TracedCrossing& x = reference.list[static_cast<std::size_t>(k)];
    const auto slabs = slabs_at(geometry, x);
    const double paths = 1 / x.cos_incidence;
    HitLoss loss;  // in front of the last hit
    if (k < reference.last)
      loss = hit_loss(slabs, traced.particle, x.p, paths, model, x.stretch);
    loss.path = {};  // toys keep the paths of the reference track
    maker.add(x.surface, x.position, x.theta0_2, loss);
    if (reference.turns > 0) {
      const double before =
          k == 0 ? 0 : reference.list[static_cast<std::size_t>(k - 1)].path;
      traced.legs.back().length = x.path - before;
      hits.points.back().path = x.path;
    }
    if (!straggles(model)) continue;
    traced.legs.back().slabs = slabs;
    traced.legs.back().own_slabs = x.own_slabs;
    traced.legs.back().paths = paths;
  }
  plan.prototype.truth = traced_perigee(start, hits.origin, reference.kappa);
  plan.prototype.truth_at_plane = plane_parameters(start, reference.kappa);
  traced.in_regions = toys_in_regions(plan, reference, model);
  return std::move(maker).take();
}

std::shared_ptr<const ToyPlan> make_plan(const TrackingGeometry& geometry,
                                         const Track& track,
                                         const Model& model) {
  const AnyTrack any(geometry, track, model);
  if (const Crossings<double>* helix = any.helix())
    return helix_plan(any.geometry(), track, *helix, model.beam_spot);
  return traced_plan(any.geometry(), track, *any.traced(), model.loss,
                     model.beam_spot, any.own_geometry());
}

/// Flies one toy, and sets place and axes of its hits.
/// @param pass_step  as of fly_toys()
template <class Path, class PassStep>
bool fly_toy(const ToyPlan& plan, Path path, ToyNormals<double>& normals,
             const PassStep& pass_step, ToyTrack& toy) {
  TrackHit* first = toy.hits.points.data() + (plan.spot ? 1 : 0);
  return fly_toys<double>(
      plan.steps, path, normals,
      [&](std::size_t k, const Cartesian<double>& at) {
        detail::put_on(plan.steps[k].surface, vector_of(at), first[k]);
      },
      pass_step);
}

/// Sets a prototype or an earlier toy to the toy of `place`.
template <class PassStep>
bool simulate_toy(const ToyPlan& plan, const RandomPlace& place,
                  const PassStep& pass_step, ToyTrack& toy) {
  make_words<double>(place, plan.n_blocks, toy.bits.data());
  ToyNormals<double> normals{toy.bits.data()};
  Vector3 displacement = Vector3::Zero();
  if (plan.spot) {
    const double sigma[] = {plan.spot->x, plan.spot->y, plan.spot->z};
    for (int i = 0; i < 3; ++i) {
      double normal;
      normals.take(normal);
      displacement[i] = sigma[i] * normal;
    }
  }
  if (plan.traced) {
    FlightState<0> start = plan.traced->start;
    start.position += displacement;
    if (plan.spot && !set_traced_truth(plan, start, toy)) return false;
    return fly_toy(plan, TracedFlight(plan, place, start), normals, pass_step,
                   toy);
  }
  toy.truth = plan.prototype.truth;
  PathPoint<double> begin = plan.begin;
  if (plan.spot) {
    begin.position = begin.position + cartesian(displacement);
    Line<double> line = plan.start;
    set_line(begin, line);
    toy.truth = start_perigee(line, plan.theta, plan.phi,
                              vector_of(begin.position), toy.hits.origin);
  }
  return fly_toy(plan, HelixFlight<double>(plan.start, begin, !plan.spot),
                 normals, pass_step, toy);
}

/// The uniform numbers by which hits are lost; those of energy losses have the
/// branches of their steps.
constexpr std::uint64_t lost_hits_branch = (std::uint64_t{1} << 32) + 1;

}  // namespace

ToyStep detail::make_toy_step(const TrackingGeometry& geometry,
                              const SurfaceRecord& surface,
                              const Vector3& nominal, double theta0,
                              TrackHit& hit) {
  ToyStep step{.surface = surface, .theta0 = theta0};
  detail::put_on(surface, nominal, hit);
  const auto axes = geometry.axes(surface);
  if (!axes.empty()) set_coordinates(hit, axes);
  step.measures = hit.measures();
  const auto set_error = [&](int i, double u, double v) {
    step.error[i][0] = u;
    step.error[i][1] = v;
  };
  const auto sigma = [&hit](std::size_t q) {
    return std::sqrt(hit.coordinates[q].variance);
  };
  const CoordinateAxis& a = hit.coordinates[0];
  if (hit.n_coordinates == 1) {
    set_error(0, a.cosine * sigma(0), a.sine * sigma(0));
    step.free = true;
    step.free_direction[0] = -a.sine;
    step.free_direction[1] = a.cosine;
    for (int axis = 0; axis < 3; ++axis) step.nominal[axis] = nominal[axis];
  } else if (hit.n_coordinates == 2) {
    // a . shift = sigma_a n_a, b . shift = sigma_b n_b
    const CoordinateAxis& b = hit.coordinates[1];
    const double det = a.cosine * b.sine - a.sine * b.cosine;
    const double first = sigma(0) / det, second = sigma(1) / det;
    set_error(0, b.sine * first, -b.cosine * first);
    set_error(1, -a.sine * second, a.cosine * second);
  }
  return step;
}

ToySimulator::ToySimulator(const TrackingGeometry& geometry, const Track& track,
                           const Model& model)
    : plan_(make_plan(geometry, track, model)) {}

ToySimulator::ToySimulator(const TrackingGeometry& geometry, const Track& track,
                           const TracedTrack& reference, EnergyLoss loss,
                           const std::optional<BeamSpot>& spot)
    : plan_(traced_plan(geometry, track, reference, loss, spot)) {}

const ToyTrack& ToySimulator::prototype() const { return plan_->prototype; }

bool ToySimulator::simulate(const RandomPlace& place, ToyTrack& toy) const {
  return simulate_toy(
      *plan_, place, [](std::size_t) { return false; }, toy);
}

bool ToySimulator::simulate(const RandomPlace& place,
                            std::span<const double> efficiencies, ToyTrack& toy,
                            TrackHits* undisturbed) const {
  const ToyPlan& plan = *plan_;
  toy = plan.prototype;
  std::vector<char> missed(plan.steps.size());
  const auto pass = [&missed](std::size_t k) { return (missed[k] = 1) != 0; };
  if (!simulate_toy(plan, place, pass, toy)) return false;
  if (undisturbed != nullptr) *undisturbed = plan.prototype.hits;
  const auto both = [&](const auto& change) {
    change(toy.hits.points);
    if (undisturbed != nullptr) change(undisturbed->points);
  };
  RandomBranch random(place, lost_hits_branch);
  const std::size_t first = plan.spot ? 1 : 0;
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    // a number for each step, so that those of others stay the same
    const bool lost = random.uniform() >= efficiencies[plan.layers[k]];
    if (lost) both([&](auto& points) { points[first + k].n_coordinates = 0; });
  }
  for (std::size_t k = plan.steps.size(); k-- > 0;)
    if (missed[k] != 0)
      both([&](auto& points) {
        points.erase(points.begin() + static_cast<std::ptrdiff_t>(first + k));
      });
  return true;
}

}  // namespace gttf
