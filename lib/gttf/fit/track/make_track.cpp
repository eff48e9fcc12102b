// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/make_track.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gttf/fit/streaming/kinked_trajectory.hpp"
#include "gttf/fit/track/hit_loss.hpp"
#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/fit/track/prefit.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/flight.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf {

bool is_missing(const HitLayers& layers, const MadeTrack& made,
                std::size_t surface) {
  return made.has_hit[surface] == 0 &&
         layers.geometry.surfaces()[surface].x_over_x0 > 0;
}

namespace {

using detail::any_coarse_across;
using detail::arc_to_surface;
using detail::follow_arcs;
using detail::is_coarse_across;
using detail::set_errors;
using detail::weighted_line;

using detail::min_cos_incidence;

constexpr double straightest = 1e6;  // GeV

/// Arguments of the functions below.
struct Maker {
  const HitLayers& layers;
  const TrackModel& model;
  std::span<const MeasuredHit> hits;
  HitList& h;
  MadeTrack& made;
};

bool any_missing(Maker& m) {
  for (std::size_t i = 0; i < m.made.has_hit.size(); ++i)
    if (is_missing(m.layers, m.made, i)) return true;
  return false;
}

/// Records which surfaces have a hit; usually as for the previous track.
void mark_layers(Maker& m) {
  if (m.h.layer == m.made.marked) return;
  for (const int layer : m.made.marked)
    m.made.has_hit[static_cast<std::size_t>(layer)] = 0;
  m.made.any_repeated = false;
  for (const int layer : m.h.layer) {
    char& has_hit = m.made.has_hit[static_cast<std::size_t>(layer)];
    m.made.any_repeated = m.made.any_repeated || has_hit != 0;
    has_hit = 1;
  }
  m.made.marked = m.h.layer;
  m.made.any_missing = any_missing(m);
}

/// Whether hit k is measured in the same crossing of the same module as hit j
/// after it. A returning track crosses it in the opposite direction.
/// @param direction  of the track at a hit: of (index)
template <class Directions>
bool share_crossing(const Maker& m, std::size_t k, std::size_t j,
                    const Directions& direction) {
  if (m.h.surface[k] != m.h.surface[j] ||
      m.hits[m.h.order[k]].module != m.hits[m.h.order[j]].module)
    return false;
  const SurfaceRecord& s = m.layers.geometry.surfaces()[m.h.surface[k]];
  const auto through = [&](std::size_t i) {
    return surface_normal(s, m.h.position(i)).dot(direction(i));
  };
  return (through(k) > 0) == (through(j) > 0);
}

void add_hit(Maker& m, const MeasuredHit& hit, int index) {
  const auto layer =
      static_cast<std::size_t>(m.h.layer[static_cast<std::size_t>(index)]);
  const SurfaceRecord& s = m.layers.geometry.surfaces()[layer];
  TrackHit& h = m.made.track.points.emplace_back(m.layers.hit_of_layer[layer]);
  m.made.sources.push_back(index);
  m.made.surfaces.push_back(static_cast<unsigned>(layer));
  detail::put_on(s, hit.position, h);
  set_errors(m.layers, hit, layer, h);
}

bool find_path(Maker& m) {
  const bool spot = m.model.beam_spot.has_value();
  const std::size_t n = m.h.x.size();
  const Vector3 first = spot ? m.model.vertex : m.h.position(0),
                last = m.h.position(n - 1);
  const double c = circle_curvature(
      cartesian(first), cartesian(m.h.position((n - (spot ? 1 : 0)) / 2)),
      cartesian(last));
  if (!std::isfinite(c)) return false;
  m.h.path.first.c = m.made.track.field ? c : 0;
  follow_arcs(m.h, first);

  // z over the arc, from hits that measure both
  const auto sum = [&](bool all) {
    ArcLine<double> line;
    for (std::size_t k = 0; k < n; ++k)
      if (all || m.layers.geometry.surfaces()[m.h.surface[k]].n_axes >= 2)
        line.add(m.h.arcs[k].length, m.h.z[k]);
    return line;
  };
  ArcLine<double> line = any_coarse_across(m.layers, m.h)
                             ? weighted_line(m.h, (last - first).norm())
                             : sum(false);
  const auto is_line = [&] { return line.n > 1 && line.determinant() > 0; };
  if (!is_line()) line = sum(true);
  if (!is_line()) return false;
  m.h.path = make_path(cartesian(first), cartesian(last), m.h.path.first.c,
                       m.h.arcs.back(), line);
  return std::isfinite(m.h.path.first.cos_phi + m.h.path.first.sin_phi +
                       m.h.path.cos_theta);
}

/// x/X0 along the track up to its last hit: to the layer of that hit or, if the
/// track passes outside its edges, to the last measuring one.
/// @param list       crossings in order of flight
/// @param thickness  x/X0 of a crossing
template <class Crossing, class Thickness>
TrackMaterial<double> material_of(const Maker& m,
                                  const std::vector<Crossing>& list,
                                  unsigned last_layer,
                                  const Thickness& thickness) {
  int last = -1;
  bool met = false;
  for (std::size_t k = 0; k < list.size() && !met; ++k) {
    met = list[k].surface == last_layer;
    if (met || m.layers.geometry.surfaces()[list[k].surface].measures())
      last = static_cast<int>(k);
  }
  return sum_material<double>(
      list.size(), last, [&](std::size_t k) { return thickness(list[k]); });
}

/// Follows the helix from its perigee through the detector.
void cross_detector(Maker& m, double kappa) {
  const auto perigee =
      perigee_of_path(m.h.path.first, cartesian(m.model.vertex));
  m.made.offset = perigee.offset;
  m.made.crossings.line =
      line_of_path(m.h.path, perigee, kappa, m.made.strength);
  // crossings with a hit are needed only for the sum
  const bool all = m.model.scattering == Scattering::highland_total;
  const auto surfaces = m.layers.geometry.surfaces();
  auto& list = m.made.crossings.list;
  for (unsigned i = 0; i < surfaces.size(); ++i) {
    if (!all && !is_missing(m.layers, m.made, i)) continue;
    TrackCrossing<double>& x = list.emplace_back();
    x.surface = i;
    if (!find_crossing(m.made.crossings.line, surfaces[i], x.at).crossed)
      list.pop_back();
  }
  std::ranges::stable_sort(list, {}, [](const auto& x) { return x.at.arc; });
  if (!all) return;
  m.made.crossings.material =
      material_of(m, list, m.h.surface.back(),
                  [](const auto& x) { return x.at.x_over_x0; });
  std::erase_if(list, [&m](const auto& x) {
    return !is_missing(m.layers, m.made, x.surface);
  });
}

/// Finds the surfaces crossed without a hit, and the scattering of the layers.
void follow_path(Maker& m) {
  const double bz = m.layers.geometry.bz(), charge = std::abs(m.model.charge);
  const double kappa = kappa_of_path(m.h.path, bz, charge);
  const double p =
      m.made.track.field ? charge * std::abs(bz / kappa) : m.model.momentum;
  m.made.crossings.list.clear();
  m.made.crossings.material = {};
  m.made.offset = 0;
  m.made.track.kappa_ref = kappa;
  if (m.model.scattering == Scattering::off) return;
  // or scattering for another momentum along the same path
  const bool other = m.model.momentum > 0;
  m.made.strength = scatter_strength(1 / (other ? m.model.momentum : p),
                                     m.model.mass, charge);
  if (other && m.made.track.field)
    m.made.track.kappa_ref *= p / m.model.momentum;
  if (m.model.scattering == Scattering::highland_total || m.made.any_missing)
    cross_detector(m, kappa);
}

/// Whether a hit after hit k is measured in the same crossing, and then carries
/// the material.
bool is_measured_again(const Maker& m, std::size_t k) {
  if (!m.made.any_repeated) return false;
  const HitPath<double>& path = m.h.path;
  const auto direction = [&](std::size_t i) {
    const double sine = m.h.arcs[i].sin_turn(), cosine = m.h.arcs[i].cos_turn();
    return Vector3(path.first.cos_phi * cosine - path.first.sin_phi * sine,
                   path.first.sin_phi * cosine + path.first.cos_phi * sine,
                   path.cos_theta / path.sin_theta);
  };
  for (std::size_t j = k + 1; j < m.h.x.size(); ++j) {
    const double turn =
        std::abs(path.first.c) * (m.h.arcs[j].length - m.h.arcs[k].length);
    if (turn < unit::pi && share_crossing(m, k, j, direction)) return true;
  }
  return false;
}

/// Scattering angles of the hits, from the direction of the path there.
void find_scattering(Maker& m) {
  m.h.theta0_2.assign(m.h.x.size(), 0);
  if (m.model.scattering == Scattering::off) return;
  for (std::size_t k = 0; k < m.h.x.size(); ++k) {
    const std::size_t surface = m.h.surface[k];
    const SurfaceRecord& s = m.layers.geometry.surfaces()[surface];
    if (s.x_over_x0 > 0 && !is_measured_again(m, k))
      m.h.theta0_2[k] = theta0_squared(
          m.h.path, m.h.arcs[k], s, m.layers.log_x_over_x0[surface], m.h.x[k],
          m.h.y[k], m.made.strength, m.model.scattering,
          m.made.crossings.material.to_last_hit);
  }
}

void add_passive(Maker& m, const TrackCrossing<double>& crossing) {
  const double theta0_2 =
      theta0_squared(m.made.strength, m.model.scattering, crossing.at.x_over_x0,
                     m.made.crossings.material.to_last_hit);
  if (!(theta0_2 > 0)) return;
  const SurfaceRecord& s = m.layers.geometry.surfaces()[crossing.surface];
  TrackHit& h = m.made.track.points.emplace_back();
  m.made.sources.push_back(MadeTrack::passive);
  m.made.surfaces.push_back(crossing.surface);
  detail::put_on(s, vector_of(position_at(m.made.crossings.line, crossing.at)),
                 h);
  h.theta0_2 = theta0_2;
}

std::string_view follow(Maker& m) {
  if (!find_path(m)) return to_string(FitStatus::coincident_hits);
  follow_path(m);
  find_scattering(m);
  return {};
}

/// Whether the track is a helix around z, or a straight line transverse to z.
bool is_helix(const Maker& m) {
  if (m.model.energy_loss != EnergyLoss::off || m.layers.geometry.has_maps())
    return false;
  const Field& field = m.layers.geometry.field();
  if (field.kind == FieldKind::solenoid) return true;
  const Vector3 step =
      m.hits[m.h.order.back()].position - m.hits[m.h.order.front()].position;
  return field.kind == FieldKind::none &&
         choose_frame(field, step.normalized()).polar == Axis::z;
}

/// The track at its closest approach to the vertex line or, along the beam, on
/// the plane of the vertex.
Track start_of(Maker& m, const FoundTrack& found) {
  const Field& field = m.layers.geometry.field();
  const double charge = std::abs(m.model.charge);
  FlightState<0> s;
  s.position = found.position;
  s.direction = found.direction;
  s.qop = found.qop;
  if (m.made.track.field && std::abs(s.qop) < charge / straightest)
    s.qop = std::copysign(charge / straightest, s.qop);
  const bool around_z = m.made.track.flight->frame.polar == Axis::z;
  const FlightGoal goal =
      around_z
          ? FlightGoal::perigee(m.model.vertex)
          : FlightGoal(SurfaceLevel::plane(m.model.vertex, Vector3::UnitZ()));
  FlightState<0> start = s;
  if (fly_onto(field, goal, Way::either, start) != Landing::there ||
      (start.position - s.position).dot(s.direction) > 0) {
    start = s;
    start.position -= 1 * unit::um * s.direction;
  }
  Track track;
  track.vertex = {start.position.x(), start.position.y(), start.position.z()};
  const Vector3& t = start.direction;
  track.theta = std::atan2(std::hypot(t.x(), t.y()), t.z());
  track.phi = std::atan2(t.y(), t.x());
  track.mass = m.model.mass;
  track.charge = !m.made.track.field ? m.model.charge
                 : s.qop < 0         ? -charge
                                     : charge;
  m.made.charge = track.charge;
  track.p = m.made.track.field ? charge / std::abs(s.qop) : m.model.momentum;
  return track;
}

bool knows_losses(const TrackHits& track) {
  return std::ranges::any_of(track.points,
                             [](const TrackHit& h) { return h.loss.mean > 0; });
}

/// Sets the material up to the last hit, and the momentum for which weights are
/// computed.
/// @param track  as traced
void set_reference(Maker& m, const Track& track) {
  const auto last_layer = static_cast<unsigned>(m.h.layer[m.h.order.back()]);
  m.made.traced.material =
      material_of(m, m.made.traced.list, last_layer,
                  [](const TracedCrossing& x) { return x.x_over_x0; });
  m.made.momentum_shift = 0;
  m.made.track.kappa_ref = m.made.traced.kappa;
  m.made.track.kappa_is_guess = !(m.model.momentum > 0);
  if (m.made.track.field && m.model.momentum > 0) {
    m.made.momentum_shift = m.model.momentum - track.p;
    m.made.track.kappa_ref *= track.p / m.model.momentum;
  }
}

/// By how much the mean curvature of a particle between its first and last hit
/// exceeds that of its path, relative; infinite if it stops before.
double excess_curvature(const Maker& m, double path_momentum) {
  const std::vector<TracedCrossing>& list = m.made.traced.list;
  const auto last_layer = static_cast<unsigned>(m.h.layer[m.h.order.back()]);
  if (m.made.traced.stopped &&
      std::ranges::find(list, last_layer, &TracedCrossing::surface) ==
          list.end())
    return std::numeric_limits<double>::infinity();
  double length = 0, turn = 0, length_to_hit = 0, turn_to_hit = 0;
  const TracedCrossing* before = nullptr;
  for (const TracedCrossing& x : list) {
    const bool has_hit = m.made.has_hit[x.surface] != 0;
    if (before == nullptr && !has_hit) continue;
    if (before != nullptr) {
      length += x.path - before->path;
      turn += (x.path - before->path) / x.p;
    }
    before = &x;
    if (!has_hit) continue;
    length_to_hit = length;
    turn_to_hit = turn;
  }
  return length_to_hit > 0 ? path_momentum * turn_to_hit / length_to_hit - 1
                           : 0;
}

/// Follows a particle whose losses are not known yet on the path through its
/// hits, which was found without them: with losses it might go elsewhere. The
/// mean curvature between its hits is that of the path, or it just reaches the
/// last one.
/// @return  whether its losses change the path
bool trace_path(Maker& m, const FoundTrack& found) {
  Track track = start_of(m, found);
  const double path_momentum = track.p;
  constexpr double faster = 1.1, small = 0.01;
  constexpr int most_steps = 40;
  double too_slow = 0, too_fast = 0;
  int i = 0;
  for (; i < most_steps; ++i) {
    m.made.traced = trace_on_path(m.layers.geometry, track, path_momentum,
                                  m.model.scattering, m.model.energy_loss,
                                  m.made.track.flight->frame);
    const double excess = excess_curvature(m, path_momentum);
    if (std::abs(excess) < small) break;
    (excess > 0 ? too_slow : too_fast) = track.p;
    const bool is_between = too_slow > 0 && too_fast > 0;
    const bool is_narrow = is_between && too_fast < (1 + small) * too_slow;
    if (is_narrow && track.p == too_fast) break;
    if (is_narrow)
      track.p = too_fast;
    else if (is_between)
      track.p = 0.5 * (too_slow + too_fast);
    else
      track.p *= excess > 0 ? faster : 1 / faster;
  }
  set_reference(m, track);
  return i > 0;
}

/// Follows the track; sets the momentum for which weights are computed.
/// @param turns       of trace()
/// @param last_layer  the surface of the last hit from which it was found
/// @param crossed     how often the track crosses it until there
void trace_detector(Maker& m, const FoundTrack& found, double turns,
                    unsigned last_layer, std::ptrdiff_t crossed) {
  Track track = start_of(m, found);
  const double mass = track.mass;
  const auto follow_it = [&] {
    m.made.traced =
        trace(m.layers.geometry, track, m.model.scattering, m.model.energy_loss,
              m.made.track.flight->frame, turns);
  };
  if (!(track.p > 0)) track.p = 1;  // no field, no scattering: irrelevant
  // without a beam spot, the momentum was determined at the first hit: add the
  // loss before it, unless it is known from an earlier pass
  const bool is_first = !knows_losses(m.made.track);
  bool adds_loss = m.made.track.field &&
                   m.model.energy_loss != EnergyLoss::off && !m.model.beam_spot;
  if (adds_loss && !is_first) {
    track.p = detail::momentum_at_start(m.made.track, track.p);
    adds_loss = false;
  }
  follow_it();
  // it has reached its last hit, hence was faster
  const auto is_too_slow = [&] {
    const TracedTrack& t = m.made.traced;
    const bool curls_up = is_first && m.model.energy_loss != EnergyLoss::off &&
                          t.end == TrackEnd::curls_up;
    return (t.stopped || curls_up) &&
           std::ranges::count(t.list, last_layer, &TracedCrossing::surface) <
               crossed;
  };
  constexpr double faster = 1.1;
  constexpr int most_steps = 20;
  for (int i = 0; i < most_steps && is_too_slow(); ++i) {
    track.p *= faster;
    follow_it();
  }
  if (adds_loss && m.made.traced.first >= 0) {
    const double at_first =
        m.made.traced.list[static_cast<std::size_t>(m.made.traced.first)].p;
    const double lost = std::hypot(track.p, mass) - std::hypot(at_first, mass);
    const double energy = std::hypot(track.p, mass) + lost;
    track.p = std::sqrt((energy - mass) * (energy + mass));
    follow_it();
  }
  set_reference(m, track);
}

void set_material(Maker& m, const TracedCrossing& x, TrackHit& hit) {
  const double mass = m.model.mass, q = m.made.charge;
  const auto shifted = [&m](double p) {
    return std::max(p + m.made.momentum_shift, 1e-3 * p);
  };
  if (m.model.scattering != Scattering::off && x.x_over_x0 > 0) {
    hit.theta0_2 = theta0_squared(
        scatter_strength(1 / shifted(x.p_scatter), mass, q), m.model.scattering,
        x.x_over_x0, std::max(x.x_over_x0, m.made.traced.material.to_last_hit));
  }
  if (m.model.energy_loss != EnergyLoss::off)
    hit.loss = hit_loss(slabs_at(m.layers.geometry, x), {mass, q}, shifted(x.p),
                        1 / x.cos_incidence, m.model.energy_loss, x.stretch);
}

/// Like is_measured_again(), for a traced track: its direction turns as in the
/// field at hit k, by twice the angle of each chord from hit to hit.
/// @param x crossing with the surface of hit k
bool is_measured_again(const Maker& m, std::size_t k, const TracedCrossing& x,
                       double qop) {
  if (!m.made.any_repeated) return false;
  FlightState<0> s;
  s.position = x.position;
  s.direction = x.direction;
  s.qop = qop;
  const Vector3 bend =
      Flight<0>(m.layers.geometry.field(), s, FlightBounds(m.layers.geometry))
          .bend();
  const double strength = bend.norm();
  // modules are close to each other, and the estimate is rough
  constexpr double most_turn = 0.5;
  double turn = 0;
  const auto direction = [&](std::size_t i) -> Vector3 {
    if (i == k || !(strength > 0)) return x.direction;
    return std::cos(turn) * x.direction + std::sin(turn) / strength * bend;
  };
  for (std::size_t j = k + 1; j < m.h.order.size(); ++j) {
    const double chord = (m.h.position(j) - m.h.position(j - 1)).norm();
    turn += 2 * std::asin(std::min(1.0, 0.5 * strength * chord));
    if (!(turn < most_turn)) return false;
    if (share_crossing(m, k, j, direction)) return true;
  }
  return false;
}

// of the size of the track; choices
constexpr double far = 0.01, near = 0.1;

/// Whether the track turns by more than half a circle: later hits approach the
/// first one.
/// @param size  set to the largest distance from it otherwise
bool turns_back(const Maker& m, double& size) {
  const Vector3 first = m.h.position(0);
  size = 0;
  for (std::size_t k = 1; k < m.h.order.size(); ++k) {
    const double distance = (m.h.position(k) - first).norm();
    if (distance < (1 - far) * size) return true;
    size = std::max(size, distance);
  }
  return false;
}

/// Whether the track crosses a layer again, or turns by more than half a
/// circle: a layer has distant hits.
bool comes_back(const Maker& m) {
  double size = 0;
  if (turns_back(m, size)) return true;
  const std::size_t n = m.h.order.size();
  for (std::size_t k = 0; m.made.any_repeated && k < n; ++k)
    for (std::size_t j = k + 1; j < n; ++j)
      if (m.h.surface[k] == m.h.surface[j] &&
          (m.h.position(k) - m.h.position(j)).norm() > far * size)
        return true;
  return false;
}

/// The transverse vector product.
double across(const Vector3& a, const Vector3& b) {
  return a.x() * b.y() - a.y() * b.x();
}

/// Of the circle through three points in the transverse plane.
Vector3 circle_centre(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 ab = b - a, ac = c - a;
  const double twice = 2 * across(ab, ac), ab2 = ab.head<2>().squaredNorm(),
               ac2 = ac.head<2>().squaredNorm();
  return {a.x() + (ac.y() * ab2 - ab.y() * ac2) / twice,
          a.y() + (ab.x() * ac2 - ac.x() * ab2) / twice, 0};
}

/// Whether the hits are certainly on less than half a turn of a helix from the
/// vertex. Otherwise surfaces without a hit may be crossed again, and there may
/// be turns between two hits.
bool is_within_half_a_turn(Maker& m) {
  if (!find_path(m)) return false;
  constexpr double certain = 0.9;  // of half a turn; a choice
  const std::size_t n = m.h.x.size();
  const Vector3 middle = m.h.position(n / 2), last = m.h.position(n - 1),
                centre = circle_centre(m.h.position(0), middle, last);
  const double sense = across(middle - m.h.position(0), last - middle);
  double turn = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Vector3 chord =
        m.h.position(k) - (k > 0 ? m.h.position(k - 1) : m.model.vertex);
    // a chord of more than half a turn has the centre on its other side
    if (k > 0 && !(across(chord, centre - m.h.position(k)) * sense > 0))
      return false;
    turn += 2 * std::asin(std::min(1.0, 0.5 * std::abs(m.h.path.first.c) *
                                            chord.head<2>().norm()));
  }
  if (!(turn < certain * half_a_turn)) return false;
  // one more turn before a hit makes the steps in z before it at least three
  // times smaller than those of a line through all hits
  constexpr double straight = 0.25;  // a choice
  for (std::size_t k = 1; k < n; ++k) {
    const double step = m.h.z[k] - m.h.z[k - 1],
                 line = m.h.path.first.cot *
                        (m.h.arcs[k].length - m.h.arcs[k - 1].length);
    if (!(std::abs(step - line) <=
          straight * (std::abs(step) + std::abs(line))))
      return false;
  }
  return true;
}

/// Whether the track flies towards the axis from `start` to `next` and crosses
/// curved surfaces inwards.
bool crosses_inwards(const Maker& m, const Vector3& start,
                     const Vector3& next) {
  const Vector3 step = next - start;
  if (!(start.head<2>().dot(step.head<2>()) < 0)) return false;
  Track track;
  track.vertex = {start.x(), start.y(), start.z()};
  track.phi = std::atan2(step.y(), step.x());
  track.theta = std::atan2(step.head<2>().norm(), step.z());
  track.p = straightest;
  track.charge = m.model.charge;
  return turns_needed(m.layers.geometry, track) > 0;
}

/// The same at the vertex or at the first hit.
bool crosses_inwards(const Maker& m) {
  const Vector3 first = m.h.position(0);
  return crosses_inwards(m, m.model.vertex, first) ||
         // the direction to a distant hit does not depend on coarse coordinates
         (crosses_inwards(m, first, m.h.position(1)) &&
          (!any_coarse_across(m.layers, m.h) ||
           crosses_inwards(m, first, m.h.position(m.h.x.size() - 1))));
}

/// Whether the hits include every crossing of a track that flies inwards, so
/// that a helix through them needs no other surface.
bool has_all_crossings(Maker& m) {
  if (m.model.scattering == Scattering::highland_total || !find_path(m))
    return false;
  // kinks and errors of the hits change the closest approach to the axis
  constexpr double certainly_inside = 0.99;
  const Cartesian<double> closest =
      perigee_of_path(m.h.path.first, Cartesian<double>{0, 0, 0}).position;
  const double inside = certainly_inside * std::hypot(closest.x, closest.y);
  const auto surfaces = m.layers.geometry.surfaces();
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const SurfaceRecord& s = surfaces[i];
    const bool is_reached =
        s.is_curved() &&
        !(s.kind == SurfaceRecord::Kind::cylinder && s.position < inside);
    if (is_reached && s.x_over_x0 > 0 && std::ranges::count(m.h.surface, i) < 2)
      return false;
  }
  return true;
}

/// The points of a track that is traced: its hits, and the surfaces without
/// one. The better the path is known, the better are crossings and losses.
class TracedPoints {
 public:
  /// @param returns  the track may cross surfaces again: its hits are in order
  ///                 of flight and are assigned to crossings, and points have
  ///                 paths
  TracedPoints(Maker& m, bool returns) : m_(m), returns_(returns), size_(0) {
    for (std::size_t k = 1; k < m.h.order.size(); ++k)
      size_ = std::max(size_, (m.h.position(k) - m.h.position(0)).norm());
  }

  std::string_view build() {
    const std::size_t n = m_.h.order.size();
    const Vector3 step = m_.h.position(returns_ ? 1 : n - 1) - m_.h.position(0);
    if (!(step.norm() > 0)) return to_string(FitStatus::coincident_hits);
    m_.made.track.flight =
        FlightModel{&m_.layers.geometry.field(),
                    choose_frame(m_.layers.geometry.field(), step.normalized()),
                    m_.model.mass, std::abs(m_.model.charge)};
    if (follows_turns() && m_.made.track.field &&
        m_.layers.geometry.field().kind == FieldKind::solenoid)
      return build_best();
    m_.made.track.kappa_ref = curvature_of_hits();
    return build(add_first_points(step), {});
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  bool follows_turns() const { return returns_ && m_.model.turns > 0; }

  struct FirstHelix {
    FoundTrack track;
    std::size_t n_hits = 0;  ///< up to the last of the three
    double turn = 0;         ///< there, rad
    double distance = 0;     ///< in z from the hit between, mm
  };

  /// The best of the tracks that begin with the first hits, before it turns
  /// far, or with helices through three hits, in both senses of rotation and
  /// with any number of turns in between.
  std::string_view build_best() {
    const Vector3 step = m_.h.position(1) - m_.h.position(0);
    m_.made.track.kappa_ref = curvature_of_hits();
    std::string_view why = build(add_first_points(step), {});
    FoundTrack best = found_;
    TrackHits track = m_.made.track;
    std::vector<int> sources = m_.made.sources;
    constexpr int enough = 2;  // to compare; a choice
    int n_consistent = why.empty() ? 1 : 0;
    for (const FirstHelix& helix : first_helices()) {
      m_.made.track.points.clear();
      if (!build(helix.n_hits, helix.track).empty()) continue;
      if (!why.empty() || found_.chi2 < best.chi2) {
        best = found_;
        track = m_.made.track;
        sources = m_.made.sources;
      }
      why = {};
      if (++n_consistent == enough) break;
    }
    m_.made.track = std::move(track);
    m_.made.sources = std::move(sources);
    return why;
  }

  /// Helices through three hits, those first that come closest to the one
  /// between in z.
  std::vector<FirstHelix> first_helices() const {
    std::vector<FirstHelix> helices;
    const std::size_t n = m_.h.order.size();
    // at sufficient distances
    const auto next_after = [&](std::size_t k, std::size_t other) {
      std::size_t i = k + 1;
      while (i + 1 < n && !(distance(i, k) > near * size_ &&
                            distance(i, other) > near * size_))
        ++i;
      return i;
    };
    std::size_t a = next_after(0, 0);
    if (a + 1 == n) a = n / 2;
    const std::size_t b = next_after(a, 0);
    const Vector3 begin = m_.h.position(0), middle = m_.h.position(a),
                  end = m_.h.position(b),
                  centre = circle_centre(begin, middle, end);
    const double radius = (begin - centre).head<2>().norm();
    if (!std::isfinite(radius)) return helices;
    const auto azimuth = [&](const Vector3& x) {
      return std::atan2(x.y() - centre.y(), x.x() - centre.x());
    };
    for (const int sense : {1, -1}) {
      const auto turn_between = [&](const Vector3& from, const Vector3& to) {
        const double turn = sense * (azimuth(to) - azimuth(from));
        return turn - 2 * unit::pi * std::floor(turn / (2 * unit::pi));
      };
      for (double to_middle = turn_between(begin, middle);
           to_middle < 2 * unit::pi * turns(); to_middle += 2 * unit::pi)
        for (double turn = to_middle + turn_between(middle, end);
             turn < 2 * unit::pi * turns(); turn += 2 * unit::pi) {
          if (!(turn > 0)) continue;
          FirstHelix& h = helices.emplace_back();
          const double slope = (end.z() - begin.z()) / turn;
          h.turn = turn;
          h.n_hits = b + 1;
          h.distance = std::abs(middle.z() - begin.z() - slope * to_middle);
          Vector3 t = sense * Vector3::UnitZ().cross(begin - centre);
          t.z() = slope;
          h.track.position = begin;
          h.track.direction = t.normalized();
          h.track.qop = -sense * std::hypot(t.x(), t.y()) / t.norm() /
                        (radius * m_.layers.geometry.bz());
        }
    }
    std::ranges::stable_sort(helices, {}, &FirstHelix::turn);
    std::ranges::stable_sort(helices, {}, &FirstHelix::distance);
    constexpr std::size_t most = 4;  // a choice
    if (helices.size() > most) helices.resize(most);
    return helices;
  }

  double distance(std::size_t i, std::size_t k) const {
    return (m_.h.position(i) - m_.h.position(k)).head<2>().norm();
  }

  /// Follows a track, assigns its hits and fits it again, until the fitted
  /// track crosses the layers that were fitted, and with their losses.
  /// @param known  hits that are assigned first
  /// @param first  a track near them; not set: to be found from the points
  std::string_view build(std::size_t known,
                         const std::optional<FoundTrack>& first) {
    const std::size_t n = m_.h.order.size();
    // the layers change the path, and the momentum changes the losses, which
    // are powers of it near that of the last pass
    constexpr int most_passes = 20;
    std::array<double, 2> before{};  // momenta of the last pass
    std::vector<int> layers_before;
    bool is_known = false;
    const FoundTrack* last = nullptr;  // of this search
    for (int pass = 0; pass < most_passes;) {
      const FoundTrack found =
          first && last == nullptr ? *first : find_track(m_.made.track, last);
      if (found.status != FitStatus::ok) return to_string(found.status);
      found_ = found;
      if (follows_turns()) last = &found_;
      bool is_rough = false;  // it may have gone elsewhere
      if (pass == 0 && !returns_ && is_slowed())
        is_rough = trace_path(m_, found);
      else
        trace_detector(m_, found, turns(), m_.h.surface[known - 1],
                       crossings_until(known - 1));
      if (assign(known, found) < known)
        return to_string(FitStatus::not_converged);
      const std::array<double, 2> now = momenta();
      const bool is_settled =
          m_.model.energy_loss == EnergyLoss::off || are_near(now, before);
      if (is_known && returns_ && is_settled && !stops_before() &&
          layers() == layers_before) {
        build_points(found);
        return {};
      }
      is_known = known == n && (m_.model.energy_loss == EnergyLoss::off ||
                                (pass > 0 && is_settled));
      before = is_rough ? std::array<double, 2>{} : now;
      // with the losses of a wrong momentum it leads away from later hits
      const bool is_extended = known < n && is_settled;
      if (is_extended) {
        const std::size_t more = std::max<std::size_t>(1, known / 2);
        const std::size_t assigned = assign(std::min(n, known + more), found);
        if (assigned == known && layers() == layers_before)
          return to_string(FitStatus::not_converged);
        pass = assigned == known ? pass + 1 : 0;
        known = assigned;
      } else {
        ++pass;
      }
      build_points(found);
      if (returns_) layers_before = layers();
      if (is_known && !returns_) return {};
    }
    return to_string(FitStatus::not_converged);
  }

  /// The layers on the path to the last hit: hits, and the surfaces of others.
  std::vector<int> layers() const {
    std::vector<int> layers;
    const auto& list = m_.made.traced.list;
    std::size_t next = 0;
    for (std::size_t k = 0; k < crossing_of_.size(); ++k) {
      for (; next < list.size() && list[next].path < path_of_[k]; ++next)
        if (!has_hit(next))
          layers.push_back(-1 - static_cast<int>(list[next].surface));
      layers.push_back(static_cast<int>(k));
    }
    return layers;
  }

  /// Momenta at the start and at the last hit assigned, GeV. The latter changes
  /// more.
  std::array<double, 2> momenta() const {
    const std::vector<TracedCrossing>& list = m_.made.traced.list;
    const double start = list.empty() ? 0 : list.front().p;
    return {start, list.empty() ? 0 : list[last_crossing()].p};
  }

  /// Of the hits assigned.
  std::size_t last_crossing() const {
    const auto last = std::find_if(crossing_of_.rbegin(), crossing_of_.rend(),
                                   [](std::size_t i) { return i != none; });
    return last == crossing_of_.rend() ? 0 : *last;
  }

  const MeasuredHit& hit(std::size_t k) const { return m_.hits[m_.h.order[k]]; }

  /// Whether a HitLoss for one momentum is precise enough for the other.
  static bool are_near(const std::array<double, 2>& a,
                       const std::array<double, 2>& b) {
    constexpr double small = 0.01;
    return std::abs(a[0] - b[0]) <= small * b[0] &&
           std::abs(a[1] - b[1]) <= small * b[1];
  }

  /// Whether the losses may change the path.
  bool is_slowed() const {
    return m_.made.track.field && m_.model.energy_loss != EnergyLoss::off;
  }

  /// Of the helix through three of the hits; 0: the field is not along z, or
  /// they do not determine it.
  double curvature_of_hits() {
    const TrackingGeometry& geometry = m_.layers.geometry;
    double size = 0;
    if (geometry.field().kind != FieldKind::solenoid || turns_back(m_, size) ||
        !find_path(m_))
      return 0;
    return kappa_of_path(m_.h.path, geometry.bz(), std::abs(m_.model.charge));
  }

  /// Of trace(). A path that is not known well yet may reach the last hit after
  /// a larger turn than the track; by how much is a choice.
  double turns() const {
    constexpr double half = 0.5, wider = 1.25, more = 0.25;
    if (m_.model.turns > 0)
      return returns_ ? wider * std::max(m_.model.turns, half) + more
                      : m_.model.turns;
    return returns_ ? half : 0;
  }

  /// @param phi, theta  of the track there, in its frame
  void add_beam_spot(double phi, double theta) {
    m_.made.track.points.push_back(
        make_beam_spot_hit(*m_.model.beam_spot, m_.model.vertex, phi, theta,
                           m_.made.track.flight->frame));
    m_.made.sources.push_back(MadeTrack::beam_spot);
  }

  /// The beam spot and the hits; of a track that turns only the first ones.
  /// @param step  along the track
  /// @return  the number of hits
  std::size_t add_first_points(const Vector3& step) {
    std::vector<TrackHit>& points = m_.made.track.points;
    points.clear();
    m_.made.sources.clear();
    if (m_.model.beam_spot) {
      const Vector3 from_spot = m_.h.position(0) - m_.model.vertex;
      const Vector3 d = m_.made.track.flight->frame.into(
          from_spot.norm() > 0 ? from_spot : step);
      add_beam_spot(std::atan2(d.y(), d.x()),
                    std::atan2(std::hypot(d.x(), d.y()), d.z()));
    }
    const auto is_determined = [&points] {
      int n_coordinates = 0;
      for (const TrackHit& h : points) n_coordinates += h.n_coordinates;
      return points.size() >= 3 && n_coordinates >= track_dim;
    };
    std::size_t n = 0;
    while (n < m_.h.order.size() &&
           !(follows_turns() && is_determined() && turns_far(n))) {
      add_hit(m_, hit(n), static_cast<int>(m_.h.order[n]));
      // their tangential planes are crossed inwards, too
      if (returns_) points.back().curved = false;
      ++n;
    }
    return n;
  }

  /// Whether the direction changes much until hit k: there may be turns before
  /// it.
  bool turns_far(std::size_t k) const {
    constexpr double much = 1;  // rad; a choice
    const Vector3 begin = chord(1), end = chord(k);
    return !(begin.dot(end) > std::cos(much) * begin.norm() * end.norm());
  }

  /// Finds the crossing of each of the first `n` hits: of a track that returns,
  /// the nearest one of its surface after the previous hit.
  /// @return  number of hits before the first without a crossing. A hit may be
  ///          beyond the edge of its surface; of a track that returns, if its
  ///          path leads there.
  std::size_t assign(std::size_t n, const FoundTrack& found) {
    const auto& list = m_.made.traced.list;
    crossing_of_.clear();
    path_of_.clear();
    std::size_t from = 0;
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t best = none;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = returns_ ? from : 0; i < list.size(); ++i) {
        if (list[i].surface != m_.h.surface[k]) continue;
        if (returns_ && k > 0 && i == crossing_of_.back() && !may_share(k))
          continue;
        const double distance = (list[i].position - m_.h.position(k)).norm();
        if (distance < least) {
          least = distance;
          best = i;
        }
      }
      double path = best != none ? list[best].path
                    : k > 0      ? path_of_.back() + chord(k).norm()
                                 : 0;
      if (best == none && returns_ &&
          !(from < list.size() && leads_to(k, list[from], found, path)))
        break;
      crossing_of_.push_back(best);
      path_of_.push_back(path);
      if (returns_ && best != none) from = best;
    }
    return crossing_of_.size();
  }

  /// How often the layer of hit k is crossed until there, at least.
  std::ptrdiff_t crossings_until(std::size_t k) const {
    std::ptrdiff_t n = 1;
    for (std::size_t i = 0; returns_ && i < k; ++i)
      if (m_.h.surface[i] == m_.h.surface[k] &&
          !(m_.h.surface[i + 1] == m_.h.surface[i] && may_share(i + 1)))
        ++n;
    return n;
  }

  /// Whether hits are behind the end of a particle that stops.
  bool stops_before() const {
    return m_.made.traced.stopped && !crossing_of_.empty() &&
           crossing_of_.back() == none;
  }

  /// To hit k from the hit before it.
  Vector3 chord(std::size_t k) const {
    return m_.h.position(k) - m_.h.position(k - 1);
  }

  /// Whether the path from a crossing leads through the surface of hit k near
  /// it.
  /// @param path  set to the distance from the start, if so
  bool leads_to(std::size_t k, const TracedCrossing& from,
                const FoundTrack& found, double& path) const {
    TrackHit h;
    detail::put_on(m_.layers.geometry.surfaces()[m_.h.surface[k]],
                   m_.h.position(k), h);
    h.curved = false;
    FlightState<0> s;
    s.position = from.position;
    s.direction = from.direction;
    s.qop = std::copysign(std::abs(m_.model.charge) / from.p, found.qop);
    const double length = length_to(m_.h.position(k), s);
    if (fly_along(m_.layers.geometry.field(), detail::level_of(h), length, s) !=
        Landing::there)
      return false;
    path = from.path + length;
    return (s.position - m_.h.position(k)).norm() < near * size_;
  }

  /// The path to the point of a helix around z with about this azimuth and z;
  /// in other fields the distance.
  double length_to(const Vector3& x, const FlightState<0>& from) const {
    const Field& field = m_.layers.geometry.field();
    const Vector3 step = x - from.position, &t = from.direction;
    const double turn_per_path = -from.qop * m_.layers.geometry.bz();
    if (field.kind != FieldKind::solenoid || turn_per_path == 0)
      return step.norm();
    // a chord is turned by half of the turn of its arc
    const double half = std::copysign(1.0, turn_per_path) *
                        std::atan2(t.x() * step.y() - t.y() * step.x(),
                                   t.x() * step.x() + t.y() * step.y());
    const double first = (2 * half + (half < 0 ? 2 * unit::pi : 0)) /
                         std::abs(turn_per_path),
                 turn = 2 * unit::pi / std::abs(turn_per_path);
    const double n =
        t.z() == 0 ? 0 : std::round((step.z() / t.z() - first) / turn);
    return first + std::max(0.0, n) * turn;
  }

  /// Whether hit k may be measured in the same crossing as the hit before it.
  bool may_share(std::size_t k) const {
    return !(chord(k).norm() > far * size_);
  }

  bool has_hit(std::size_t crossing) const {
    return returns_
               ? std::ranges::find(crossing_of_, crossing) != crossing_of_.end()
               : m_.made.has_hit[m_.made.traced.list[crossing].surface] != 0;
  }

  void add_passive(std::size_t crossing) {
    if (has_hit(crossing)) return;
    const TracedCrossing& x = m_.made.traced.list[crossing];
    TrackHit h;
    detail::put_on(m_.layers.geometry.surfaces()[x.surface], x.position, h);
    if (returns_) h.path = x.path;
    set_material(m_, x, h);
    if (!(h.theta0_2 > 0) && !(h.loss.mean > 0)) return;
    m_.made.track.points.push_back(h);
    m_.made.sources.push_back(MadeTrack::passive);
  }

  /// The crossing of a hit beyond the edge of its surface.
  TracedCrossing extended(std::size_t k, const FoundTrack& found) const {
    const SurfaceRecord& s = m_.layers.geometry.surfaces()[m_.h.surface[k]];
    TracedCrossing x;
    x.surface = m_.h.surface[k];
    x.position = m_.h.position(k);
    x.direction = found.direction;
    x.p = m_.made.traced.list.empty() ? 1 : m_.made.traced.list.back().p;
    x.p_scatter = x.p;
    x.cos_incidence =
        std::max(min_cos_incidence,
                 std::abs(surface_normal(s, x.position).dot(found.direction)));
    x.x_over_x0 = s.x_over_x0 / x.cos_incidence;
    return x;
  }

  /// Whether a later hit of the same module belongs to the crossing of hit k.
  bool shares_crossing(std::size_t k) const {
    if (crossing_of_[k] == none) return false;
    for (std::size_t j = k + 1;
         j < crossing_of_.size() && crossing_of_[j] == crossing_of_[k]; ++j)
      if (hit(j).module == hit(k).module) return true;
    return false;
  }

  /// The material whose fluctuations act together ends at the last hit, before
  /// its layer, and not where the traced path does.
  void end_stretch() {
    if (!straggles(m_.model.energy_loss)) return;
    const std::size_t last = last_crossing();
    std::vector<TracedCrossing>& list = m_.made.traced.list;
    const auto own_xi = [&](const TracedCrossing& x) {
      return energy_loss(slabs_at(m_.layers.geometry, x),
                         {m_.model.mass, m_.made.charge}, x.p,
                         1 / x.cos_incidence)
          .xi;
    };
    double xi = 0;
    for (std::size_t i = 0; i < last; ++i) xi += own_xi(list[i]);
    for (std::size_t i = 0; i < last; ++i) list[i].stretch.xi = xi;
    if (last < list.size()) list[last].stretch.xi = xi + own_xi(list[last]);
  }

  /// Hits and the surfaces without one, in order of flight; hits of one
  /// crossing share its material, which is assigned to the last of them.
  void build_points(const FoundTrack& found) {
    MadeTrack& made = m_.made;
    made.track.points.clear();
    made.sources.clear();
    made.surfaces.clear();
    if (m_.model.beam_spot) {
      add_beam_spot(made.traced.phi, made.traced.theta);
      if (returns_) made.track.points.back().path = 0;
    }
    const auto& list = made.traced.list;
    if (returns_) {
      made.traced.material = sum_material<double>(
          list.size(), static_cast<int>(last_crossing()),
          [&list](std::size_t i) { return list[i].x_over_x0; });
      end_stretch();
    }
    std::size_t next = 0;
    for (std::size_t k = 0; k < crossing_of_.size(); ++k) {
      const std::size_t own = crossing_of_[k];
      const double path = path_of_[k];
      for (; next < list.size() && list[next].path < path; ++next)
        add_passive(next);
      add_hit(m_, hit(k), static_cast<int>(m_.h.order[k]));
      TrackHit& h = made.track.points.back();
      if (returns_) h.path = path;
      const TracedCrossing x = own != none ? list[own] : extended(k, found);
      if (!(returns_ ? shares_crossing(k)
                     : is_measured_again(m_, k, x, found.qop)))
        set_material(m_, x, h);
    }
  }

  Maker& m_;
  bool returns_;
  double size_;  ///< of the track: the largest distance from its first hit, mm
  std::vector<std::size_t> crossing_of_;  ///< of each hit, or none
  std::vector<double> path_of_;           ///< to each hit from the start, mm
  FoundTrack found_;                      ///< of the last search
};

}  // namespace

MadeTrack::MadeTrack(const HitLayers& layers, const TrackModel& model)
    : has_hit(layers.geometry.surfaces().size()) {
  track.field = layers.geometry.has_field();
  track.origin = model.vertex;
  if (!track.field && model.scattering != Scattering::off)
    track.momentum = model.momentum;
  track.mass = model.mass;
}

void MadeTrack::clear() {
  track.points.clear();
  sources.clear();
  surfaces.clear();
  track.kappa_ref = 0;
  track.kappa_is_guess = false;
  track.flight.reset();
  simple = false;
}

std::string_view follow_track(const HitLayers& layers, const TrackModel& model,
                              std::span<const MeasuredHit> hits, HitList& h,
                              MadeTrack& made) {
  Maker m{layers, model, hits, h, made};
  mark_layers(m);
  const bool helix = is_helix(m);
  const bool may_return =
      model.turns > 0 &&
      (comes_back(m) || (layers.geometry.field().kind == FieldKind::solenoid &&
                         !is_within_half_a_turn(m)));
  if (may_return || (crosses_inwards(m) && !(helix && has_all_crossings(m))))
    return TracedPoints(m, true).build();
  if (!helix) return TracedPoints(m, false).build();
  made.simple = made.track.field && h.layer_errors && !model.beam_spot &&
                !made.any_repeated &&
                model.scattering != Scattering::highland_total &&
                !(made.any_missing && any_coarse_across(layers, h));
  return made.simple ? std::string_view() : follow(m);
}

/// Hits and the surfaces without one, in order of flight.
std::string_view make_track(const HitLayers& layers, const TrackModel& model,
                            std::span<const MeasuredHit> hits, HitList& h,
                            MadeTrack& made) {
  Maker m{layers, model, hits, h, made};
  if (m.made.track.flight) return {};  // has them
  if (m.made.simple)
    if (const auto why = follow(m); !why.empty()) return why;
  if (m.model.beam_spot) {
    m.made.track.points.push_back(make_beam_spot_hit(
        *m.model.beam_spot, m.model.vertex,
        std::atan2(m.h.path.first.sin_phi, m.h.path.first.cos_phi),
        std::atan2(m.h.path.sin_theta, m.h.path.cos_theta)));
    m.made.sources.push_back(MadeTrack::beam_spot);
    m.made.surfaces.push_back(0);
  }
  const Vector3 first = m.model.beam_spot ? m.model.vertex : m.h.position(0);
  auto crossing = m.made.crossings.list.begin();
  for (std::size_t k = 0; k < m.h.order.size(); ++k) {
    const double arc =
        m.made.offset + (is_coarse_across(m.layers, m.h, k)
                             ? arc_to_surface(m.layers, m.h, first, k)
                             : m.h.arcs[k].length);
    for (; crossing != m.made.crossings.list.end() && crossing->at.arc < arc;
         ++crossing)
      add_passive(m, *crossing);
    add_hit(m, hits[m.h.order[k]], static_cast<int>(m.h.order[k]));
    m.made.track.points.back().theta0_2 = m.h.theta0_2[k];
  }
  return {};
}

}  // namespace gttf
