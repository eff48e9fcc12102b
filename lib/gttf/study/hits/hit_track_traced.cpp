// SPDX-License-Identifier: Apache-2.0
// Hits of a file to a track in any field, with energy loss.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "gttf/fit/track/hit_loss.hpp"
#include "gttf/study/hits/hit_track.hpp"
#include "gttf/trajectory/fly_onto.hpp"
#include "gttf/trajectory/scattering.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf {
namespace {

constexpr double straightest = 1e6;         // GeV
constexpr double min_cos_incidence = 0.01;  // as trace()

}  // namespace

/// Is the track a helix around z, or a straight line across z?
bool HitTrackBuilder::is_helix(std::span<const FileHit> hits) const {
  if (request_.energy_loss != EnergyLoss::off) return false;
  const Field& field = geometry_.field();
  if (field.kind == FieldKind::solenoid) return true;
  const Vector3 step =
      hits[order_.back()].position - hits[order_.front()].position;
  return field.kind == FieldKind::none &&
         choose_frame(field, step.normalized()).polar == Axis::z;
}

std::string_view HitTrackBuilder::build_traced(std::span<const FileHit> hits) {
  const Vector3 step =
      hits[order_.back()].position - hits[order_.front()].position;
  if (!(step.norm() > 0)) return to_string(FitStatus::coincident_hits);
  track_.flight = FlightModel{
      &geometry_.field(), choose_frame(geometry_.field(), step.normalized()),
      request_.particle.mass, std::abs(request_.particle.charge)};
  for (const std::uint32_t i : order_) add_hit(hits[i], static_cast<int>(i));
  const FoundTrack found = find_track(track_);
  if (found.status != FitStatus::ok) return to_string(found.status);
  trace_detector(found);

  // hits, and the surfaces without one, in order of flight
  track_.points.clear();
  sources_.clear();
  if (request_.beam_spot) {
    track_.points.push_back(make_beam_spot_hit(*request_.beam_spot, vertex_,
                                               traced_.phi, traced_.theta,
                                               traced_.frame));
    sources_.push_back(beam_spot);
  }
  auto crossing = traced_.list.begin();
  double path = -1;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Vector3& x = hits[order_[k]].position;
    const auto layer = static_cast<unsigned>(layers_[order_[k]]);
    const auto own =
        std::ranges::find(traced_.list, layer, &TracedCrossing::surface);
    if (own != traced_.list.end())
      path = own->path;
    else  // beside its edge
      path = k == 0 ? 0 : path + (x - hits[order_[k - 1]].position).norm();
    for (; crossing != traced_.list.end() && crossing->path < path; ++crossing)
      add_traced(*crossing);
    add_hit(hits[order_[k]], static_cast<int>(order_[k]));
    TracedCrossing here;
    if (own != traced_.list.end()) {
      here = *own;
    } else {
      const SurfaceRecord& s = geometry_.surfaces()[layer];
      here.surface = layer;
      here.p = traced_.list.empty() ? 1 : traced_.list.back().p;
      here.cos_incidence =
          std::max(min_cos_incidence,
                   std::abs(surface_normal(s, x).dot(found.direction)));
      here.x_over_x0 = s.x_over_x0 / here.cos_incidence;
    }
    set_material(here, track_.points.back());
  }
  return {};
}

/// The track at its closest approach to the vertex line or, along the beam, on
/// the plane of the vertex.
Track HitTrackBuilder::start_of(const FoundTrack& found) const {
  const Field& field = geometry_.field();
  const double charge = std::abs(request_.particle.charge);
  FlightState<0> s;
  s.position = found.position;
  s.direction = found.direction;
  s.qop = found.qop;
  if (track_.field && std::abs(s.qop) < charge / straightest)
    s.qop = std::copysign(charge / straightest, s.qop);
  const bool around_z = track_.flight->frame.polar == Axis::z;
  const FlightGoal goal = around_z
                              ? FlightGoal::perigee(vertex_)
                              : FlightGoal::plane(vertex_, Vector3::UnitZ());
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
  track.mass = request_.particle.mass;
  track.charge = s.qop < 0 ? -charge : charge;
  track.p = track_.field ? charge / std::abs(s.qop) : options_.momentum;
  return track;
}

/// Follows the track; sets the momentum for which weights are computed.
void HitTrackBuilder::trace_detector(const FoundTrack& found) {
  Track track = start_of(found);
  const double m = track.mass;
  const auto follow = [&] {
    traced_ = trace(geometry_, track, request_.scattering, request_.energy_loss,
                    track_.flight->frame);
  };
  if (!(track.p > 0)) track.p = 1;  // no field, no scattering: any will do
  follow();
  // the momentum was found at the first hit: what was lost before comes on top
  if (track_.field && request_.energy_loss != EnergyLoss::off &&
      traced_.first >= 0) {
    const double at_first =
        traced_.list[static_cast<std::size_t>(traced_.first)].p;
    const double lost = std::hypot(track.p, m) - std::hypot(at_first, m);
    const double energy = std::hypot(track.p, m) + lost;
    track.p = std::sqrt((energy - m) * (energy + m));
    follow();
  }
  momentum_shift_ = 0;
  track_.kappa_ref = traced_.kappa;
  if (track_.field && options_.momentum > 0) {
    momentum_shift_ = options_.momentum - track.p;
    track_.kappa_ref *= track.p / options_.momentum;
  }
}

void HitTrackBuilder::set_material(const TracedCrossing& x,
                                   TrackHit& hit) const {
  const double mass = request_.particle.mass, q = request_.particle.charge;
  const double p = std::max(x.p + momentum_shift_, 1e-3 * x.p);
  if (request_.scattering != Scattering::off && x.x_over_x0 > 0) {
    hit.theta0_2 =
        theta0_squared(scatter_strength(1 / p, mass, q), request_.scattering,
                       x.x_over_x0, std::max(x.x_over_x0, traced_.x_over_x0));
  }
  if (request_.energy_loss != EnergyLoss::off)
    hit.loss = hit_loss(geometry_.slabs(x.surface), {mass, q}, p,
                        1 / x.cos_incidence, request_.energy_loss);
}

void HitTrackBuilder::add_traced(const TracedCrossing& crossing) {
  if (has_hit_[crossing.surface] != 0) return;
  const SurfaceRecord& s = geometry_.surfaces()[crossing.surface];
  TrackHit h;
  h.position = crossing.position;
  std::tie(h.u, h.v) = surface_axes(s, h.position);
  h.cylinder = s.kind == SurfaceRecord::Kind::cylinder;
  set_material(crossing, h);
  if (!(h.theta0_2 > 0) && !(h.loss.mean > 0)) return;
  track_.points.push_back(h);
  sources_.push_back(passive);
}

}  // namespace gttf
