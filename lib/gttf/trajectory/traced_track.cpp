// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/traced_track.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gttf/core/matrix.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/flight.hpp"
#include "gttf/trajectory/layer_passage.hpp"
#include "gttf/trajectory/scattering.hpp"
#include "gttf/trajectory/surface_level.hpp"
#include "gttf/trajectory/surfaces_ahead.hpp"

namespace gttf {

namespace {

using Kind = SurfaceRecord::Kind;
using State = FlightState<track_dim>;
using detail::min_cos_incidence;
using detail::same_place;

/// d(d0, z0, phi, theta, kappa in the user's axes)/d(s) at the start.
Matrix5 user_parameters(const State& start, const Vector3& bend) {
  const detail::FrameAngles user({Axis::z}, start.direction);
  Matrix5 d = Matrix5::Zero();
  d(Perigee::kappa, Perigee::kappa) = 1;
  const bool along_z = !(user.sin_theta > 1e-6);
  // back to the plane of the perigee parameters, perpendicular to the initial
  // transverse direction e0
  const Vector3 e0 = user.along_phi.cross(Vector3::UnitZ());
  Eigen::Matrix<double, 1, track_dim> slip =
      Eigen::Matrix<double, 1, track_dim>::Zero();
  if (!along_z) slip = e0.transpose() * start.d_position / user.sin_theta;
  const auto position = (start.d_position - start.direction * slip).eval();
  const auto direction = (start.d_direction - bend * slip).eval();
  d.row(Perigee::d0) = user.along_phi.transpose() * position;
  d.row(Perigee::z0) = position.row(2);
  d.row(Perigee::phi) = user.along_phi.transpose() * direction / user.sin_theta;
  d.row(Perigee::theta) = user.along_theta.transpose() * direction;
  if (along_z) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    d.row(Perigee::z0).setConstant(nan);
    d.row(Perigee::phi).setConstant(nan);
  }
  return d;
}

class Tracer {
 public:
  Tracer(const TrackingGeometry& geometry, const Track& track,
         const Frame& frame, const State& start, EnergyLoss loss,
         TracedTrack& out)
      : geometry_(geometry),
        track_(track),
        loss_(loss),
        frame_(frame),
        out_(out),
        bounds_(geometry),
        flight_(geometry.field(), start, bounds_,
                std::max(half_a_turn, 2 * unit::pi * out.turns)) {
    find_ahead(start);
  }

  Vector3 start_bend() const { return flight_.bend(); }

  std::size_t looks() const { return looks_; }

  /// The particle has this q/p, e/GeV, but keeps to the path of the start.
  void keep_to_path(double qop) { own_qop_ = qop; }

  void run() {
    while (!ahead_.is_empty() && !out_.stopped) {
      if (!(crosses_again() ? fly_leg_through_all() : fly_leg())) continue;
      const LegEnd end = flight_.leg_end();
      if (end == LegEnd::open || (crosses_again() && has_left(end))) break;
      if (end == LegEnd::half_turn) {
        turn_back();
        break;
      }
      if (end == LegEnd::map_edge) {
        out_.left_map = flight_.state().position;
        break;
      }
      flight_.next_leg();
    }
  }

 private:
  /// A surface is met.
  struct Event {
    double at;          ///< path in the leg, mm
    std::size_t ahead;  ///< index
    /// At equal path, surfaces are crossed in the order of the detector.
    bool is_after(const Event& e) const {
      return at > e.at || (at == e.at && ahead > e.ahead);
    }
  };

  /// Whether every crossing of a surface counts, not only the first one.
  bool crosses_again() const { return out_.turns > 0; }

  /// Whether a track that may turn forever has no further crossings. Around z
  /// it never returns along z; beyond the edge of a map its path is unknown.
  bool has_left(LegEnd end) {
    const FieldKind kind = geometry_.field().kind;
    if (kind != FieldKind::solenoid && end != LegEnd::map_edge) return false;
    Vector3 x, t;
    flight_.look(flight_.leg(), x, t);
    if (end == LegEnd::map_edge) return bounds_.left_behind(x, t);
    return (x.z() < bounds_.lower.z() && t.z() <= 0) ||
           (x.z() > bounds_.upper.z() && t.z() >= 0);
  }

  void find_ahead(const State& start) {
    const auto surfaces = geometry_.surfaces();
    ahead_.reserve(surfaces.size());
    // around a field along z, and without any, the polar angle stays
    const FieldKind field = geometry_.field().kind;
    const bool is_polar =
        field == FieldKind::solenoid || field == FieldKind::none;
    const double sin_theta = start.direction.head<2>().norm();
    for (unsigned i = 0; i < surfaces.size(); ++i) {
      SurfaceLevel level(surfaces[i]);
      const double value = level.at(start.position);
      const double slope = level.slope(start.position, start.direction);
      const bool only_outwards = level.only_outwards() && !crosses_again();
      if (only_outwards && value > same_place) continue;
      double side = value > 0 ? 1 : -1;
      if (std::abs(value) <= same_place) {
        // it starts on the surface, and crosses it there
        side = only_outwards || slope > 0 ? -1 : 1;
        // or on a cylinder, inwards: it is inside and crosses the far side
        if (only_outwards && !(slope > 0)) level.enclose(start.position);
      }
      // a straight track along a cylinder does not cross it; neither does a
      // track that starts on a surface and runs along it
      const bool steep =
          level.only_outwards() && !(value > same_place)
              ? start.direction.head<2>().norm() >= min_cos_incidence
              : side * slope < 0;
      const bool touches =
          std::abs(value) <= same_place && std::abs(slope) < min_cos_incidence;
      ahead_.add({i, level, side, steep && !touches,
                  only_outwards ? surfaces[i].position : 0,
                  is_polar ? fastest_approach(surfaces[i], sin_theta,
                                              start.direction.z())
                           : 1});
      const std::size_t last = ahead_.size() - 1;
      ahead_.wait(last, ahead_.earliest(last, start.position, 0));
    }
  }

  /// Processes all crossings in the leg. Returns false if a new leg began, or
  /// the track stopped, before its end.
  bool fly_leg() {
    const double begin = flight_.path(), end = begin + flight_.leg();
    events_.clear();
    not_met_.clear();
    bool to_its_end = true;
    while (to_its_end) {
      look_ahead(begin);
      if (events_.empty()) break;
      const Event event = events_.front();
      std::ranges::pop_heap(events_, &Event::is_after);
      events_.pop_back();
      SurfaceAhead& ahead = ahead_[event.ahead];
      flight_.fly_to(event.at);
      if (ahead.level.is_met_twice() &&
          !inside(geometry_.surfaces()[ahead.surface],
                  flight_.state().position)) {
        // it passes the edges, and may return in the same leg
        ahead.side = -ahead.side;
        ahead.passed = !ahead.passed;
        add_event(event.ahead, flight_.find_next_crossing(
                                   ahead.level, ahead.side, event.at));
        continue;
      }
      to_its_end = cross(ahead);
      ahead_.leave(event.ahead);
    }
    if (to_its_end) {
      for (const std::size_t i : not_met_) ahead_.wait(i, end);
      return true;
    }
    for (const Event& event : events_) not_met_.push_back(event.ahead);
    for (const std::size_t i : not_met_) ahead_.wait(i, earliest(i));
    return false;
  }

  /// Finds the surfaces that are met in the leg, until no other one can be met
  /// before the first of them.
  void look_ahead(double begin) {
    const auto until = [&] {
      return begin + (events_.empty() ? flight_.leg() : events_.front().at);
    };
    while (const auto next = ahead_.next_before(until())) {
      const double path = earliest(*next);
      if (path > std::min(until(), ahead_.first_path())) {
        ahead_.wait(*next, path);
        continue;
      }
      ++looks_;
      const SurfaceAhead& ahead = ahead_[*next];
      add_event(*next, flight_.find_crossing(ahead.level, ahead.side));
    }
  }

  /// @param at  path in the leg; NaN: not met in it
  void add_event(std::size_t ahead, double at) {
    if (!(at >= 0)) return not_met_.push_back(ahead);
    events_.push_back({at, ahead});
    std::ranges::push_heap(events_, &Event::is_after);
  }

  double earliest(std::size_t ahead) const {
    return ahead_.earliest(ahead, flight_.state().position, flight_.path());
  }

  /// The same for every crossing, of which a leg has two of a surface at most.
  bool fly_leg_through_all() {
    events_.clear();
    for (std::size_t i = 0; i < ahead_.size(); ++i) {
      double from = 0, side = ahead_[i].side;
      for (int n = 0; n < 2; ++n) {
        const double at =
            flight_.find_next_crossing(ahead_[i].level, side, from);
        if (!(at >= 0)) break;
        events_.push_back({at, i});
        from = at;
        side = -side;
      }
    }
    std::ranges::stable_sort(events_, {}, &Event::at);
    for (const Event& event : events_) {
      SurfaceAhead& ahead = ahead_[event.ahead];
      flight_.fly_to(event.at);
      ahead.side = -ahead.side;
      ahead.crossed = true;
      if (!cross(ahead)) return false;
    }
    return true;
  }

  void turn_back() {
    flight_.fly_to(flight_.leg());
    const Vector3& end = flight_.state().position;
    for (std::size_t i = 0; i < ahead_.size(); ++i) {
      const SurfaceAhead& a = ahead_[i];
      if (!ahead_.is_left(i) && a.approached && !a.crossed &&
          inside(geometry_.surfaces()[a.surface], end) && !has_passed(a, end))
        out_.end = TrackEnd::curls_up;
    }
  }

  /// Whether a track that ends there is behind an inclined plane, or has passed
  /// it by: as ends_before_plane() and ends_within() on a helix.
  bool has_passed(const SurfaceAhead& a, const Vector3& end) const {
    const SurfaceRecord& s = geometry_.surfaces()[a.surface];
    if (s.kind != SurfaceRecord::Kind::inclined) return false;
    // it may have met the plane of another module where a leg began
    return a.passed || a.side * a.level.at(end) < 0 ||
           end.head<2>().squaredNorm() > detail::farthest_end_before(s);
  }

  /// Returns false if the momentum has changed and a new leg has begun, or if
  /// the track stops here.
  bool cross(const SurfaceAhead& a) {
    const SurfaceRecord& record = geometry_.surfaces()[a.surface];
    const State& s = own_qop_ ? slowed() : flight_.state();
    const Vector3 normal = a.level.gradient(s.position);
    const double cos_incidence = std::abs(normal.dot(s.direction));
    if (!inside(record, s.position) || cos_incidence < min_cos_incidence)
      return true;
    TracedCrossing& x = out_.list.emplace_back();
    x.surface = a.surface;
    x.path = flight_.path();
    double x_over_x0 = record.x_over_x0;
    if (geometry_.is_mapped(a.surface)) {
      x_over_x0 = geometry_.x_over_x0_at(a.surface, s.position);
      if (loss_ != EnergyLoss::off)
        x.own_slabs = std::make_shared<const std::vector<LossSlab>>(
            geometry_.slabs_at(a.surface, s.position));
    }
    const auto behind =
        detail::pass_layer({a.level, record, x_over_x0, slabs_at(geometry_, x)},
                           {track_, frame_, out_.b_ref, loss_}, s,
                           flight_.bend(), flight_.slip(normal), x);
    if (!behind) return true;
    out_.stopped = behind->stopped;
    if (own_qop_) {
      own_qop_ = behind->qop;
      return !out_.stopped;
    }
    if (!out_.stopped) flight_.change_qop(behind->qop, behind->d_qop, normal);
    return false;
  }

  /// The state of the flight with the particle's own momentum.
  const State& slowed() {
    slowed_ = flight_.state();
    slowed_.qop = *own_qop_;
    return slowed_;
  }

  const TrackingGeometry& geometry_;
  const Track& track_;
  EnergyLoss loss_;
  const Frame& frame_;
  TracedTrack& out_;
  FlightBounds bounds_;
  Flight<track_dim> flight_;
  std::optional<double> own_qop_;  ///< of a particle that keeps to a path
  State slowed_;
  SurfacesAhead ahead_;
  std::size_t looks_ = 0;      ///< at a surface, in any leg
  std::vector<Event> events_;  ///< in the leg; a heap, the first in front
  std::vector<std::size_t> not_met_;  ///< in the leg, but looked for
};

void count_measuring(const TrackingGeometry& geometry, TracedTrack& out) {
  for (std::size_t k = 0; k < out.list.size(); ++k) {
    if (!geometry.surfaces()[out.list[k].surface].measures()) continue;
    if (out.first < 0) out.first = static_cast<int>(k);
    out.last = static_cast<int>(k);
    ++out.n_measuring;
  }
}

void scatter_all(const Track& track, Scattering model, TracedTrack& out) {
  out.material = scatter_in_order<double>(
      out.list.size(), out.last,
      [&out](std::size_t k) { return out.list[k].x_over_x0; },
      [&](std::size_t k, double total) {
        TracedCrossing& x = out.list[k];
        if (!(x.x_over_x0 > 0)) return;
        x.theta0_2 = theta0_squared(
            scatter_strength(1 / x.p_scatter, track.mass, track.charge), model,
            x.x_over_x0, total);
        x.kink_loss_variance *= x.theta0_2;
      });
}

/// Assigns a stretch of material to every layer: all material up to the last
/// hit, or beyond it, up to the end of the layer.
void set_stretches(TracedTrack& out) {
  double xi = 0, depth = 0;
  for (std::size_t k = 0; k < out.list.size(); ++k) {
    TracedCrossing& x = out.list[k];
    xi += x.stretch.xi;
    x.stretch = {xi, depth};
    depth += x.x_over_x0;
  }
  if (out.last <= 0) return;
  // the last hit is measured before the material of its layer
  const auto last = static_cast<std::size_t>(out.last);
  for (std::size_t k = 0; k < last; ++k)
    out.list[k].stretch.xi = out.list[last - 1].stretch.xi;
}

/// Effect of the fluctuations of the losses on the curvature after the layer.
void straggle_all(const TrackingGeometry& geometry, const Track& track,
                  EnergyLoss loss, TracedTrack& out) {
  set_stretches(out);
  for (TracedCrossing& x : out.list)
    x.loss_variance = detail::loss_variance(
        slabs_at(geometry, x), {track, out.frame, out.b_ref, loss}, x);
}

/// Finds the crossings.
/// @param path_momentum  of trace_on_path(); 0: the particle's own
/// @return  number of surfaces tested
std::size_t follow(const TrackingGeometry& geometry, const Track& track,
                   EnergyLoss loss, std::optional<Frame> frame,
                   TracedTrack& out, double path_momentum = 0) {
  const Vector3 direction = detail::direction_of(track);
  out.frame = frame ? *frame : choose_frame(geometry.field(), direction);
  const Vector3 d = out.frame.into(direction);
  out.phi = std::atan2(d.y(), d.x());
  out.theta = std::atan2(std::hypot(d.x(), d.y()), d.z());
  out.b_ref = geometry.b_ref();
  out.kappa = -track.charge * out.b_ref / track.p;
  State start = detail::start_state(track, out.frame, out.b_ref);
  const double qop = start.qop;
  if (path_momentum > 0) start.qop = track.charge / path_momentum;
  Tracer tracer(geometry, track, out.frame, start, loss, out);
  if (path_momentum > 0) tracer.keep_to_path(qop);
  out.start_bend = tracer.start_bend();
  out.user_parameters = out.frame.polar == Axis::z
                            ? Matrix5(Matrix5::Identity())
                            : user_parameters(start, out.start_bend);
  tracer.run();
  return tracer.looks();
}

void finish(const TrackingGeometry& geometry, const Track& track,
            Scattering scattering, EnergyLoss loss, TracedTrack& out) {
  count_measuring(geometry, out);
  scatter_all(track, scattering, out);
  if (straggles(loss)) straggle_all(geometry, track, loss, out);
}

}  // namespace

TracedTrack trace(const TrackingGeometry& geometry, const Track& track,
                  Scattering scattering, EnergyLoss loss,
                  std::optional<Frame> frame, double turns) {
  TracedTrack out;
  out.turns = turns;
  follow(geometry, track, loss, frame, out);
  finish(geometry, track, scattering, loss, out);
  return out;
}

TracedTrack trace_on_path(const TrackingGeometry& geometry, const Track& track,
                          double path_momentum, Scattering scattering,
                          EnergyLoss loss, const Frame& frame) {
  TracedTrack out;
  follow(geometry, track, loss, frame, out, path_momentum);
  finish(geometry, track, scattering, loss, out);
  return out;
}

std::size_t looks_at_surfaces(const TrackingGeometry& geometry,
                              const Track& track, EnergyLoss loss) {
  TracedTrack out;
  return follow(geometry, track, loss, {}, out);
}

double turns_needed(const TrackingGeometry& geometry, const Track& track) {
  const double x = track.vertex[0], y = track.vertex[1];
  const double start = std::hypot(x, y);
  const double sine = std::sin(track.theta);
  const double along = x * std::cos(track.phi) + y * std::sin(track.phi);
  if (!(along < 0) || !(sine > 0)) return 0;  // outwards from the start on
  // the closest approach to the axis, of a helix or a straight line
  const double across = y * std::cos(track.phi) - x * std::sin(track.phi);
  double nearest = std::abs(across);
  if (geometry.field().kind == FieldKind::solenoid) {
    const double c = -track.charge * geometry.bz() / (track.p * sine);
    nearest = std::abs(c * start * start + 2 * across) /
              (std::hypot(c * along, c * across + 1) + 1);
  }
  for (const SurfaceRecord& s : geometry.surfaces()) {
    if (!s.is_curved()) continue;
    const Interval radius = radii(s);
    // other fields may bend the track anywhere
    const bool is_reached = geometry.field().kind == FieldKind::map ||
                            geometry.field().kind == FieldKind::dipole ||
                            radius.upper > nearest;
    if (is_reached && radius.lower <= start + same_place) return 0.5;
  }
  return 0;
}

}  // namespace gttf
