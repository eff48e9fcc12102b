// SPDX-License-Identifier: Apache-2.0
// FlownSegment: a FlightSegment through regions of uniform fields, for any
// scalar.
#pragma once

#include <array>

#include "gttf/core/two_by_two.hpp"
#include "gttf/fit/track/batch_flight.hpp"
#include "gttf/fit/triplet/band_system.hpp"
#include "gttf/fit/triplet/batch_hits.hpp"

namespace gttf::detail {

/// The largest number of layers that scatter between two hits, or before the
/// first.
inline constexpr std::size_t most_flown_layers = 8;

/// The hits at the ends of a segment, and their shifts by one standard
/// deviation of each coordinate.
template <class S>
struct SegmentHits {
  std::size_t from_point = 0, to_point = 0;  ///< in HitGroup::points
  Cartesian<S> from, to;
  Cartesian<S> from_error[2], to_error[2];
};

template <class S>
Cartesian<S> position_of_hit(const HitGroup& in, std::size_t hit) {
  const double* const* x = in.hits + 3 * hit;
  using L = PackAccess<S>;
  return {L::load(x[0]), L::load(x[1]), L::load(x[2])};
}

template <class S>
void set_hit_errors(const GroupPoint& point, const Cartesian<S>& at,
                    Cartesian<S> (&error)[2]) {
  const AxisComponents<S> axes = axis_components(point.surface, at.x, at.y);
  for (int c = 0; c < 2; ++c) {
    const S u(point.error[c][0]), v(point.error[c][1]);
    error[c] = {u * axes.u[0] + v * axes.v[0], u * axes.u[1] + v * axes.v[1],
                u * axes.u[2] + v * axes.v[2]};
  }
}

/// Derivatives of the flights of a fit, not initialised: at the begin of
/// HitGroup::workspace.
template <class S>
struct FlownBuffer {
  /// In a segment: of the direction at its start, two; of the curvature; of the
  /// first hit, two; and by two kinks in each layer.
  static constexpr std::size_t most_in_segment = 5 + 2 * most_flown_layers;
  /// At the start of the track: by the variables of a fit, and by two kinks and
  /// a loss in the first hit and in each layer before it.
  static constexpr std::size_t most_variables = 1 + n_errors;
  static constexpr std::size_t most_at_start =
      most_variables + 3 * (most_flown_layers + 1);

  FlightChange<S> segment[most_in_segment], start[most_at_start],
      moved[most_at_start];

  static FlownBuffer& of(const HitGroup& in) {
    return *reinterpret_cast<FlownBuffer*>(in.workspace);
  }
};

/// A track of given momentum from one hit to the next. Angles theta, phi in the
/// frame, at the start and at the end.
template <class S>
struct FlownSegment {
  struct End {
    S angle[2];
    S slope[2];               ///< with the curvature at the origin
    Block<S> by_from, by_to;  ///< with the shifts of the hits: [angle][shift]
  };
  End start, end;
  S sin_theta, cos_theta;  ///< of the mean polar angle
  BatchCharge<S> charge;   ///< in front of the layer at the end
};

/// make_flight_segment(), and the effect of the layers in between on it.
template <class S>
class SegmentShooter {
 public:
  /// @param charge  at the start, behind its layer
  SegmentShooter(const HitGroup& in, const SegmentHits<S>& hits,
                 const BatchCharge<S>& charge)
      : in_(in),
        model_(*in.flight),
        hits_(hits),
        charge_(charge),
        chord_(hits.to - hits.from) {
    using std::sqrt;
    length_ = sqrt(inner(chord_, chord_));
    normal_ = (S(1) / length_) * chord_;
    plane_ = Transverse<S>(normal_);
    // a shift of both hits along a uniform field changes no direction
    const std::size_t first = model_.region[hits.from_point];
    is_uniform_ = true;
    is_straight_ = true;
    for (std::size_t i = hits.from_point; i <= hits.to_point; ++i) {
      if (model_.region[i] != first) is_uniform_ = false;
      if (i > hits.from_point && i < hits.to_point && model_.loses(i))
        is_uniform_ = false;
    }
    const std::size_t last = model_.region[hits.to_point];
    in_one_region_ = first == last;
    for (std::size_t r = std::min(first, last); r <= std::max(first, last); ++r)
      for (const double b : model_.regions.fields[r])
        if (model_.field && b != 0) is_straight_ = false;
    if (const FieldMapView* map = model_.map()) {
      is_uniform_ = is_straight_ = false;
      is_in_map_ = look_up<true>(*map, hits.from, from_);
    } else {
      const auto& b = model_.regions.fields[first];
      from_.field = {S(b[0]), S(b[1]), S(b[2])};
    }
  }

  /// @param sums  of the layers in between, or null
  /// @return      tracks for which it exists
  MaskOf<S> shoot(FlownSegment<S>& segment, PassiveSums<S>* sums) {
    using std::abs;
    Cartesian<S> direction = normal_;
    if (in_one_region_ && !is_straight_) direction = start_of_arc();
    MaskOf<S> good = is_in_map_;
    if (!is_straight_) {
      constexpr int most_steps = 8;
      constexpr double almost = 1e-7;  // then one step leaves rounding only
      auto moving = all_true<S>();
      for (int step = 0; step < most_steps && any(moving); ++step) {
        FlightChange<S> changes[2];
        const Transverse<S> axes(direction);
        changes[0] = {zero(), axes.first};
        changes[1] = {zero(), axes.second};
        auto flight = start(direction);
        fly(flight, changes, 2, false);
        good = both(good, flight.good);
        const InPlane<S> miss = in_plane(hits_.to - flight.x);
        const InPlane<S> turn = aim(changes) * miss;
        const Cartesian<S> next =
            normalised(direction + turn.u * axes.first + turn.v * axes.second);
        direction = {select(moving, next.x, direction.x),
                     select(moving, next.y, direction.y),
                     select(moving, next.z, direction.z)};
        const S tolerance = S(almost) * length_;
        moving = both(moving, !(miss.u * miss.u + miss.v * miss.v <=
                                tolerance * tolerance));
      }
      good = both(good, !moving);
    }
    return both(good, set(direction, segment, sums));
  }

 private:
  using Flight = FlightThroughRegions<S>;
  /// Changes of the direction at the start, of the curvature, shifts of the
  /// first hit unless is_uniform_, and kinks in the layers.
  static constexpr std::size_t by_curvature = 2, by_shift = 3;

  /// Rotated back from the chord by half the turn.
  Cartesian<S> start_of_arc() const {
    const S half = S(0.5) * length_ * charge_.qop;
    return normalised(normal_ - half * cross_of(normal_, from_.field));
  }
  static Cartesian<S> normalised(const Cartesian<S>& v) {
    using std::sqrt;
    return (S(1) / sqrt(inner(v, v))) * v;
  }
  InPlane<S> in_plane(const Cartesian<S>& v) const {
    return {inner(plane_.first, v), inner(plane_.second, v)};
  }
  /// Changes of the start direction per shift of the end in its plane.
  TwoByTwo<S> aim(const FlightChange<S>* changes) const {
    const InPlane<S> a = in_plane(changes[0].position),
                     b = in_plane(changes[1].position);
    return TwoByTwo<S>{{{a.u, b.u}, {a.v, b.v}}}.inverse();
  }

  Flight start(const Cartesian<S>& direction) const {
    return {model_,
            hits_.from,
            direction,
            charge_,
            model_.region[hits_.from_point],
            model_.map() != nullptr ? &from_ : nullptr};
  }

  /// By layer i, see HitGroup::points.
  MaskOf<S> scatters(std::size_t i) const {
    return PackAccess<S>::load(in_.theta0_2[i]) > S(0);
  }

  /// To the plane through the end normal to the chord.
  /// @param changes  the first n are set
  /// @param kinks    whether two changes per layer that scatters are appended
  /// @return         number of changes
  std::size_t fly(Flight& flight, FlightChange<S>* changes, std::size_t n,
                  bool kinks) const {
    for (std::size_t i = hits_.from_point + 1; i < hits_.to_point; ++i) {
      const bool kinked = kinks && any(scatters(i));
      if (!kinked && !model_.loses(i)) continue;
      const SurfaceOfLayer layer{in_.points[i].surface};
      const S from = layer.on_path(flight.x, normal_).value;
      const S to = layer.on_path(hits_.to, normal_).value;
      flight.fly_onto(layer, model_.region[i], 1,
                      S(rest(flight) * (from / (from - to))), {changes, n});
      flight.charge.pass(model_, i, flight.good);
      if (!kinked) continue;
      const FrameDirection<S> angles(model_.frame, flight.t);
      changes[n++] = {zero(), angles.along_theta};
      changes[n++] = {zero(), angles.sine * angles.along_phi};
    }
    flight.fly_onto(PlaneLevel<S>{hits_.to, normal_},
                    model_.region[hits_.to_point], 1, rest(flight),
                    {changes, n});
    return n;
  }
  /// Distance to the plane of the end.
  S rest(const Flight& flight) const {
    return inner(normal_, hits_.to - flight.x);
  }
  static Cartesian<S> zero() { return {S(0), S(0), S(0)}; }

  MaskOf<S> set(const Cartesian<S>& direction, FlownSegment<S>& segment,
                PassiveSums<S>* sums) const {
    FlightChange<S>* const changes = FlownBuffer<S>::of(in_).segment;
    const Transverse<S> axes(direction);
    changes[0] = {zero(), axes.first};
    changes[1] = {zero(), axes.second};
    changes[by_curvature] = {zero(), zero(), true};
    std::size_t by_kink = by_shift;
    if (!is_uniform_)
      for (const Cartesian<S>& error : hits_.from_error)
        changes[by_kink++] = {error, zero()};
    Flight flight = start(direction);
    const std::size_t n = fly(flight, changes, by_kink, sums != nullptr);
    segment.charge = flight.charge;

    const FrameDirection<S> first(model_.frame, direction),
        last(model_.frame, flight.t);
    const Cartesian<S> bend = flight.bend();
    const TwoByTwo<S> aimed = aim(changes);
    const auto angles_by = [](const FrameDirection<S>& at,
                              const Cartesian<S>& change, S(&angle)[2]) {
      angle[0] = inner(at.along_theta, change);
      angle[1] = inner(at.along_phi, change) * at.inverse;
    };
    S start_by[2][2], end_by[2][2];  // [change][angle]
    angles_by(first, axes.first, start_by[0]);
    angles_by(first, axes.second, start_by[1]);
    angles_by(last, changes[0].direction, end_by[0]);
    angles_by(last, changes[1].direction, end_by[1]);
    // the turn of the start by which the end stays where it is
    const auto turned = [](const S(&by)[2][2], const InPlane<S>& turn,
                           int angle) {
      const S sum = by[0][angle] * turn.u;
      return sum + by[1][angle] * turn.v;
    };
    const S later = S(1) / inner(normal_, flight.t);
    S bend_angle[2];
    angles_by(last, bend, bend_angle);
    const auto shift_end = [&](const Cartesian<S>& shift, int column,
                               double sign, Block<S>& at_start,
                               Block<S>& at_end) {
      // off the plane it is reached later
      const S time = later * inner(normal_, shift);
      const InPlane<S> turn = aimed * in_plane(shift - time * flight.t);
      const S s(sign);
      for (int angle = 0; angle < 2; ++angle) {
        at_start[angle][column] = s * turned(start_by, turn, angle);
        at_end[angle][column] =
            s * (turned(end_by, turn, angle) + bend_angle[angle] * time);
      }
    };
    for (int c = 0; c < 2; ++c) {
      shift_end(hits_.to_error[c], c, 1, segment.start.by_to,
                segment.end.by_to);
      if (is_uniform_) {
        shift_end(hits_.from_error[c], c, -1, segment.start.by_from,
                  segment.end.by_from);
        continue;
      }
      const FlightChange<S>& shifted =
          changes[by_shift + static_cast<std::size_t>(c)];
      respond(shifted, aimed, start_by, end_by, last,
              [&](int angle, const S& at_start, const S& at_end) {
                segment.start.by_from[angle][c] = at_start;
                segment.end.by_from[angle][c] = at_end;
              });
    }
    respond(changes[by_curvature], aimed, start_by, end_by, last,
            [&](int angle, const S& at_start, const S& at_end) {
              segment.start.slope[angle] = at_start;
              segment.end.slope[angle] = at_end;
            });
    segment.start.angle[0] = first.theta();
    segment.start.angle[1] = first.phi();
    segment.end.angle[0] = last.theta();
    segment.end.angle[1] = last.phi();
    using std::cos, std::sin;
    const S polar = S(0.5) * (segment.start.angle[0] + segment.end.angle[0]);
    segment.sin_theta = sin(polar);
    segment.cos_theta = cos(polar);
    if (sums != nullptr)
      add_layers({changes + by_kink, n - by_kink}, aimed, start_by, end_by,
                 last, segment, *sums);
    return flight.good;
  }

  /// The changes of the angles at both ends that keep the end where it is.
  template <class Take>
  void respond(const FlightChange<S>& change, const TwoByTwo<S>& aimed,
               const S (&start_by)[2][2], const S (&end_by)[2][2],
               const FrameDirection<S>& last, const Take& take) const {
    const InPlane<S> turn = aimed * in_plane(change.position);
    const S direct[2] = {
        inner(last.along_theta, change.direction),
        inner(last.along_phi, change.direction) * last.inverse};
    for (int angle = 0; angle < 2; ++angle) {
      const S at_start = start_by[0][angle] * turn.u;
      const S at_end = direct[angle] - end_by[0][angle] * turn.u;
      take(angle, S(-(at_start + start_by[1][angle] * turn.v)),
           S(at_end - end_by[1][angle] * turn.v));
    }
  }

  void add_layers(std::span<const FlightChange<S>> kinks,
                  const TwoByTwo<S>& aimed, const S (&start_by)[2][2],
                  const S (&end_by)[2][2], const FrameDirection<S>& last,
                  const FlownSegment<S>& segment, PassiveSums<S>& sums) const {
    std::size_t next = 0;
    const S inv_sin2 = S(1) / (segment.sin_theta * segment.sin_theta);
    for (std::size_t i = hits_.from_point + 1; i < hits_.to_point; ++i) {
      if (!any(scatters(i))) continue;
      S leaving[2][2], arriving[2][2];
      for (int c = 0; c < 2; ++c)
        respond(kinks[next++], aimed, start_by, end_by, last,
                [&](int angle, const S& at_start, const S& at_end) {
                  leaving[angle][c] = at_start;
                  arriving[angle][c] = at_end;
                });
      const S theta0_2 = PackAccess<S>::load(in_.theta0_2[i]);
      const S variance[2] = {theta0_2, theta0_2 * inv_sin2};
      add_layer(leaving, arriving, variance, sums);
    }
  }

  const HitGroup& in_;
  const BatchFlight& model_;
  const SegmentHits<S>& hits_;
  BatchCharge<S> charge_;
  Cartesian<S> chord_;
  S length_;
  Cartesian<S> normal_;
  Transverse<S> plane_;
  bool is_uniform_ = true;   ///< one region without losses in between
  bool is_straight_ = true;  ///< no field
  bool in_one_region_ = true;
  FieldAt<S> from_;  ///< at the first hit
  MaskOf<S> is_in_map_ = all_true<S>();
};

}  // namespace gttf::detail
