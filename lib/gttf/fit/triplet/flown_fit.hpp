// SPDX-License-Identifier: Apache-2.0
// The fits of hits of tracks through regions of uniform fields, with energy
// loss, for any scalar, compiled for each instruction set.
#pragma once

#include <algorithm>

#include "gttf/fit/streaming/batch_stream_fit.hpp"
#include "gttf/fit/streaming/kinked_flight.hpp"
#include "gttf/fit/triplet/band_system.hpp"
#include "gttf/fit/triplet/batch_fitter.hpp"
#include "gttf/fit/triplet/batch_momentum.hpp"
#include "gttf/fit/triplet/flown_segment.hpp"

namespace gttf::detail {

/// The first two hits, and the layers between them.
template <class S>
struct FlownHead {
  SegmentHits<S> hits;
  PassiveSums<S> passive;
};

/// Whether the hits are precise enough for their distances to be linearisation
/// points.
template <class S>
MaskOf<S> are_precise(const SegmentHits<S>& hits) {
  const Cartesian<S> step = hits.to - hits.from;
  const S limit2 = S(coarse_share * coarse_share) * inner(step, step);
  auto precise = all_true<S>();
  for (const auto* error : {hits.from_error, hits.to_error})
    for (int c = 0; c < 2; ++c)
      precise = both(precise, inner(error[c], error[c]) <= limit2);
  return precise;
}

/// Tracks along a BatchFlight, with the members of HelixTracks.
template <class S>
struct FlownTracks {
  using Head = FlownHead<S>;

  static bool has_field(const HitGroup& in) { return in.flight->field; }

  template <bool layers>
  static MaskOf<S> set_rows(const HitGroup& in, KinkRows<S>* rows,
                            PassiveRows<S>* passive, Head& head);

  static MaskOf<S> store(const HitGroup& in, const Head& head, const S& kappa_0,
                         const SegmentErrors<S>& e, const CurvatureFit<S>& f,
                         const S& passive_scale, const GroupFit& asked);
};

/// Sets HitPlane::momentum.
/// @return  tracks for which it is known
template <class S>
MaskOf<S> store_momentum(const BatchFlight& model,
                         const BatchKinks<S, FlownTracks<S>>& system,
                         const GroupFit& asked) {
  MaskOf<S> good = all_true<S>();
  const KinkSpectrum<S> kinks(&system.row(0), system.n_triplets(),
                              system.theta0_2(), system.passive_rows(),
                              uses_hits(asked.kind));
  PackAccess<S>::store(
      momentum_of_scattering(kinks, model.momentum, model.mass, good),
      asked.out[HitPlane::momentum]);
  return good;
}

/// make_triplet() and KinkSystem::set_rows().
template <class S>
MaskOf<S> set_flown_row(const FlownSegment<S>& a, const FlownSegment<S>& b,
                        const S& kappa, KinkRows<S>& row) {
  using std::abs;
  const S sines = a.sin_theta + b.sin_theta,
          cosines = a.cos_theta + b.cos_theta;
  row.inv_sin2 = (sines * sines + cosines * cosines) / (sines * sines);
  S kink[2] = {b.start.angle[0] - a.end.angle[0],
               b.start.angle[1] - a.end.angle[1]};
  const S turn(2 * unit::pi);
  kink[1] = select(kink[1] > S(unit::pi), kink[1] - turn, kink[1]);
  kink[1] = select(kink[1] < S(-unit::pi), kink[1] + turn, kink[1]);
  for (int r = 0; r < 2; ++r) {
    row.rho[r] = b.start.slope[r] - a.end.slope[r];
    row.psi[r] = kink[r] - row.rho[r] * kappa;
    for (int c = 0; c < 2; ++c) {
      row.shift[0][r][c] = -a.end.by_from[r][c];
      row.shift[1][r][c] = b.start.by_from[r][c] - a.end.by_to[r][c];
      row.shift[2][r][c] = b.start.by_to[r][c];
    }
  }
  constexpr double back = 0.5 * unit::pi;
  return both(abs(kink[1]) <= S(back), is_finite(row.psi[0] + row.rho[1]));
}

template <class S>
template <bool layers>
MaskOf<S> FlownTracks<S>::set_rows(const HitGroup& in, KinkRows<S>* rows,
                                   [[maybe_unused]] PassiveRows<S>* passive,
                                   Head& head) {
  const BatchFlight& model = *in.flight;
  const std::size_t n = in.n_hits - 2;
  MaskOf<S> good = all_true<S>();
  S kappa(0);
  if (model.field) kappa = TrackWithoutKinks<S>(in).curvature(good);
  BatchCharge<S> charge = BatchCharge<S>::at_origin(model, kappa);
  for (std::size_t i = 0; i <= in.measured[0]; ++i) charge.pass(model, i, good);
  FlownSegment<S> segments[2];
  SegmentHits<S> hits;
  hits.to_point = in.measured[0];
  hits.to = position_of_hit<S>(in, 0);
  set_hit_errors(in.points[hits.to_point], hits.to, hits.to_error);
  for (std::size_t k = 0; k + 1 < in.n_hits; ++k) {
    hits.from_point = hits.to_point;
    hits.from = hits.to;
    for (int c = 0; c < 2; ++c) hits.from_error[c] = hits.to_error[c];
    hits.to_point = in.measured[k + 1];
    hits.to = position_of_hit<S>(in, k + 1);
    set_hit_errors(in.points[hits.to_point], hits.to, hits.to_error);
    good = both(good, are_precise(hits));
    FlownSegment<S>& segment = segments[k % 2];
    PassiveSums<S> sums;
    if constexpr (layers) clear(sums);
    good = both(good, SegmentShooter<S>(in, hits, charge)
                          .shoot(segment, layers ? &sums : nullptr));
    charge = segment.charge;
    charge.pass(model, hits.to_point, good);
    if constexpr (layers) add_passive_rows(sums, k, n, passive);
    if (k == 0) {
      head.hits = hits;
      if constexpr (layers) head.passive = sums;
    } else {
      good = both(good, set_flown_row(segments[(k + 1) % 2], segment, kappa,
                                      rows[k - 1]));
    }
  }
  return good;
}

/// The parameters of a track at its start with their covariance.
template <class S>
class FlownStart {
 public:
  explicit FlownStart(const HitGroup& in)
      : in_(in),
        model_(*in.flight),
        first_(in.measured[0]),
        changes_(FlownBuffer<S>::of(in).start) {}

  /// Of a triplet fit: state_on_segment(), for the track behind the first hit.
  void set(const FlownHead<S>& head, const S& kappa_0,
           const SegmentErrors<S>& e, const CurvatureFit<S>& f,
           const S& passive_scale) {
    const SegmentHits<S>& hits = head.hits;
    const S change = f.kappa - kappa_0;
    const auto error = [&](int i) { return e.by_b[i] + change * e.by_a[i]; };
    track_.x = hits.from;
    if (e.has_shifts)
      for (int c = 0; c < 2; ++c)
        track_.x = track_.x - error(c) * hits.from_error[c];
    track_.charge = BatchCharge<S>::at_origin(model_, f.kappa);
    for (std::size_t i = 0; i < first_; ++i)
      track_.charge.pass(model_, i, good_);
    BatchCharge<S> behind = track_.charge;
    behind.pass(model_, first_, good_);
    FlownSegment<S> segment;
    good_ = both(good_,
                 SegmentShooter<S>(in_, hits, behind).shoot(segment, nullptr));
    const auto& start = segment.start;
    S theta = start.angle[0], phi = start.angle[1];
    if (e.has_shifts)  // linear, see state_on_segment()
      for (int c = 0; c < 2; ++c) {
        theta = theta - start.by_from[0][c] * error(c) -
                start.by_to[0][c] * error(c + 2);
        phi = phi - start.by_from[1][c] * error(c) -
              start.by_to[1][c] * error(c + 2);
      }
    if (e.has_turns) {
      theta = theta + error(n_shifts);
      phi = phi + error(n_shifts + 1);
    }
    track_.t = direction_in_frame(model_.frame, theta, phi);
    const FrameDirection<S> at(model_.frame, track_.t);
    const Cartesian<S> by[2] = {at.along_theta, at.sine * at.along_phi};
    const Cartesian<S> zero{S(0), S(0), S(0)};
    const auto turn = [&by](const S& by_theta, const S& by_phi) {
      return by_theta * by[0] + by_phi * by[1];
    };
    changes_[0] = {zero, turn(start.slope[0], start.slope[1]), true};
    for (int c = 0; c < 2; ++c) {
      changes_[1 + c] = {-hits.from_error[c],
                         -turn(start.by_from[0][c], start.by_from[1][c])};
      changes_[3 + c] = {zero, -turn(start.by_to[0][c], start.by_to[1][c])};
      changes_[5 + c] = {zero, by[c]};
    }
    set_covariance(e, f, head.passive, passive_scale);
    n_ = n_variables_ = 1 + n_errors;
    weight_ = f.inner_scale;
  }

  /// Of a streaming fit.
  /// @param weight  factor of theta0_2
  void set(const TrackOnFirstHit<S>& track, const FiveEquations<S>& e,
           const S& weight) {
    track_ = track;
    FlightChange<S> by[track_dim];
    track.set_changes(model_, by);
    // the start parameters as functions of the independent errors
    Row<S> root[track_dim];
    for (std::size_t i = 0; i < track_dim; ++i) {
      Row<S> unit;
      unit.fill(S(0));
      unit[i] = S(1);
      root[i] = express(e, unit);
    }
    for (std::size_t k = 0; k < track_dim; ++k) {
      FlightChange<S>& c = changes_[k];
      c = by[k];
      for (std::size_t i = 0; i < k; ++i) {
        c.position = c.position + root[i][k] * by[i].position;
        c.direction = c.direction + root[i][k] * by[i].direction;
      }
      for (std::size_t l = 0; l < k; ++l) covariance_[k][l] = S(0);
      covariance_[k][k] = e.v[k];
    }
    n_ = n_variables_ = track_dim;
    weight_ = weight;
  }

  /// Back to the start, and the parameters there.
  /// @param curvature  also its value and error; always, if losses before the
  ///                   first hit add to the error
  MaskOf<S> store(const GroupFit& asked, bool curvature) {
    const std::size_t first = first_;
    Flight flight(model_, track_.x, track_.t, track_.charge,
                  model_.region[first]);
    const auto changes = [this] {
      return std::span<FlightChange<S>>(changes_, n_);
    };
    flight.fly_onto(SurfaceOfLayer{in_.points[first].surface},
                    model_.region[first], 0, S(0), changes());
    add_kinks(first, flight);
    for (std::size_t i = first; i-- > 0;) {
      const bool scatters = any(PackAccess<S>::load(in_.theta0_2[i]) > S(0));
      if (!scatters && !model_.loses(i)) continue;
      const SurfaceOfLayer layer{in_.points[i].surface};
      flight.fly_onto(layer, model_.region[i], -1, distance_back(layer, flight),
                      changes());
      add_kinks(i, flight);
      flight.charge.pass_back(model_, i, flight.good);
    }
    good_ = both(good_, flight.good);
    if (curvature || n_losses_ > 0) store_curvature(flight, asked.out);
    if (asked.perigee) store_perigee(flight, asked.out);
    if (asked.start_plane) store_start_plane(flight, asked.out);
    return good_;
  }

 private:
  /// Curvature, shifts of the first two hits, turns: see SegmentErrors.
  static constexpr std::size_t most_variables = FlownBuffer<S>::most_variables,
                               most_changes = FlownBuffer<S>::most_at_start;
  using Flight = FlightThroughRegions<S>;

  void set_covariance(const SegmentErrors<S>& e, const CurvatureFit<S>& f,
                      const PassiveSums<S>& passive, const S& passive_scale) {
    for (auto& row : covariance_)
      for (S& x : row) x = S(0);
    covariance_[0][0] = f.variance;
    const int begin = e.has_shifts ? 0 : n_shifts;
    const int end = e.has_turns ? n_errors : n_shifts;
    for (int i = begin; i < end; ++i) {
      S* const row = covariance_[1 + i];
      const S with_kappa = f.variance * e.by_a[i];
      row[0] = with_kappa;
      for (int j = begin; j <= i; ++j)
        row[1 + j] = with_kappa * e.by_a[j] - e.products[i][j];
      if (i < n_shifts) {
        row[1 + i] = row[1 + i] + S(1);
        continue;
      }
      for (int j = n_shifts; j <= i; ++j)
        row[1 + j] =
            row[1 + j] +
            passive_scale * passive.leaving[i - n_shifts][j - n_shifts];
    }
  }

  /// Scattering, and fluctuations of the loss, that are not part of the fit.
  /// @param flight  at layer i: behind it, or, on the first hit, before it
  void add_kinks(std::size_t i, const Flight& flight) {
    using std::sqrt;
    const S theta0 = sqrt(weight_ * PackAccess<S>::load(in_.theta0_2[i]));
    const FrameDirection<S> at(model_.frame, flight.t);
    const Cartesian<S> zero{S(0), S(0), S(0)};
    changes_[n_++] = {zero, theta0 * at.along_theta};
    changes_[n_++] = {zero, theta0 * at.along_phi};
    if (!model_.straggles(i)) return;
    BatchCharge<S> behind = flight.charge;
    if (i == first_) behind.pass(model_, i, good_);
    const S sigma = sqrt(straggling_variance(model_, i, weight_, good_));
    loss_[n_losses_++] = sigma / behind.curvature_slope(model_);
    changes_[n_++] = {zero, zero, true};
  }

  /// The rows of losses, from those of a unit of the curvature at the start.
  void scale_losses(S (&rows)[most_changes][track_dim]) const {
    std::size_t loss = 0;
    for (std::size_t k = n_variables_; k < n_; ++k) {
      if (!changes_[k].charged) continue;
      for (S& x : rows[k]) x = x * loss_[loss];
      ++loss;
    }
  }

  static S distance_back(const SurfaceOfLayer& layer, const Flight& flight) {
    const LevelOnPath<S> here = layer.on_path(flight.x, flight.t);
    return here.value / here.slope;
  }

  /// @param rows  of every change, and the parameters
  void store(S (&rows)[most_changes][track_dim],
             const S (&parameters)[track_dim], std::size_t parameter_plane,
             std::size_t covariance_plane, PackValues* out) {
    using L = PackAccess<S>;
    scale_losses(rows);
    S sum(0);
    for (std::size_t i = 0; i < track_dim; ++i) {
      L::store(parameters[i], out[parameter_plane + i]);
      sum = sum + parameters[i];
    }
    for (std::size_t i = 0; i < track_dim; ++i) {
      S with[most_variables];  // covariance with the variables
      for (std::size_t k = 0; k < n_variables_; ++k) {
        with[k] = S(0);
        for (std::size_t l = 0; l < n_variables_; ++l)
          with[k] = with[k] + (l <= k ? covariance_[k][l] : covariance_[l][k]) *
                                  rows[l][i];
      }
      for (std::size_t j = 0; j <= i; ++j) {
        S c(0);
        for (std::size_t k = 0; k < n_variables_; ++k)
          c = c + with[k] * rows[k][j];
        for (std::size_t k = n_variables_; k < n_; ++k)
          c = c + rows[k][i] * rows[k][j];
        L::store(c, out[covariance_plane++]);
        if (i == j) sum = sum + c;
      }
    }
    good_ = both(good_, is_finite(sum));
  }

  S kappa_of(const Flight& flight) const {
    return S(model_.field ? -model_.b_ref : 0) * flight.charge.qop;
  }
  S by_kappa(std::size_t change, const Flight& flight) const {
    return model_.field && changes_[change].charged
               ? S(-model_.b_ref) * flight.charge.slope
               : S(0);
  }

  void store_curvature(const Flight& flight, PackValues* out) {
    using std::abs, std::sqrt;
    S sigma(0);  // of one independent error only
    for (std::size_t k = 0; k < n_variables_; ++k)
      sigma = sigma + abs(by_kappa(k, flight)) * sqrt(covariance_[k][k]);
    if (n_losses_ > 0) {
      S variance = sigma * sigma;
      const S slope = flight.charge.curvature_slope(model_);
      for (std::size_t i = 0; i < n_losses_; ++i)
        variance = variance + (slope * loss_[i]) * (slope * loss_[i]);
      sigma = sqrt(variance);
    }
    PackAccess<S>::store(kappa_of(flight), out[HitPlane::kappa]);
    PackAccess<S>::store(sigma, out[HitPlane::sigma]);
    good_ = both(good_, is_finite(sigma));
  }

  void store_perigee(Flight flight, PackValues* out) {
    const Cartesian<S> origin{S(in_.origin[0]), S(in_.origin[1]),
                              S(in_.origin[2])};
    FlightChange<S>* const moved = FlownBuffer<S>::of(in_).moved;
    std::copy_n(changes_, n_, moved);
    flight.enter_region(model_.start_region, {moved, n_});
    flight.fly_to_perigee(origin, {moved, n_});
    good_ = both(good_, flight.good);
    const FrameDirection<S> at({Axis::z}, flight.t);
    const Cartesian<S> from = flight.x - origin;
    const S parameters[track_dim] = {inner(at.along_phi, from), from.z,
                                     at.phi(), at.theta(), kappa_of(flight)};
    S rows[most_changes][track_dim];
    for (std::size_t k = 0; k < n_; ++k) {
      rows[k][Perigee::d0] = inner(at.along_phi, moved[k].position);
      rows[k][Perigee::z0] = moved[k].position.z;
      rows[k][Perigee::phi] =
          inner(at.along_phi, moved[k].direction) * at.inverse;
      rows[k][Perigee::theta] = inner(at.along_theta, moved[k].direction);
      rows[k][Perigee::kappa] = by_kappa(k, flight);
    }
    // a track along z has no perigee
    constexpr double along_z = 1e-6;
    good_ = both(good_, at.sine > S(along_z));
    store(rows, parameters, HitPlane::perigee, HitPlane::covariance, out);
  }

  void store_start_plane(Flight flight, PackValues* out) {
    using std::abs;
    FlightChange<S>* const moved = FlownBuffer<S>::of(in_).moved;
    std::copy_n(changes_, n_, moved);
    const FaceLevel plane{Axis::z, in_.origin[2]};
    const LevelOnPath<S> here = plane.on_path(flight.x, flight.t);
    flight.fly_onto(plane, model_.start_region, 0,
                    S(-(here.value / here.slope)), {moved, n_});
    good_ = both(good_, flight.good);
    const Cartesian<S>& t = flight.t;
    const S per_z = S(1) / t.z;
    good_ = both(good_, abs(per_z) < S(100));
    const S tx = t.x * per_z, ty = t.y * per_z;
    const S parameters[track_dim] = {flight.x.x, flight.x.y, tx, ty,
                                     kappa_of(flight)};
    S rows[most_changes][track_dim];
    for (std::size_t k = 0; k < n_; ++k) {
      const Cartesian<S>& d = moved[k].direction;
      rows[k][0] = moved[k].position.x;
      rows[k][1] = moved[k].position.y;
      rows[k][2] = per_z * (d.x - tx * d.z);
      rows[k][3] = per_z * (d.y - ty * d.z);
      rows[k][4] = by_kappa(k, flight);
    }
    store(rows, parameters, HitPlane::start_plane, HitPlane::start_covariance,
          out);
  }

  const HitGroup& in_;
  const BatchFlight& model_;
  const std::size_t first_;  ///< point of the first hit
  MaskOf<S> good_ = all_true<S>();
  TrackOnFirstHit<S> track_;
  /// By the variables of the fit, then by kinks that are not part of it.
  FlightChange<S>* const changes_;
  std::size_t n_ = 0, n_variables_ = 0;
  S covariance_[most_variables][most_variables];  ///< lower triangle
  S weight_;                                      ///< factor of theta0_2
  /// Standard deviations of the losses among the changes, of the curvature at
  /// the start.
  S loss_[most_flown_layers + 1];
  std::size_t n_losses_ = 0;
};

template <class S>
MaskOf<S> FlownTracks<S>::store(const HitGroup& in, const Head& head,
                                const S& kappa_0, const SegmentErrors<S>& e,
                                const CurvatureFit<S>& f,
                                const S& passive_scale, const GroupFit& asked) {
  FlownStart<S> start(in);
  start.set(head, kappa_0, e, f, passive_scale);
  return start.store(asked, false);
}

/// Particles followed through the layers of their hits, without kinks.
template <class S>
class SlowedParticles {
 public:
  explicit SlowedParticles(const HitGroup& in)
      : in_(in), model_(*in.flight), last_(in.measured[in.n_hits - 1]) {}

  bool any_loss() const {
    for (std::size_t i = 0; i < last_; ++i)
      if (model_.loses(i)) return true;
    return false;
  }

  bool any_straggles() const {
    for (std::size_t i = 0; i < last_; ++i)
      if (model_.straggles(i)) return true;
    return false;
  }

  /// part_lost() is small; from the origin.
  MaskOf<S> lose_little(const S& kappa) const {
    BatchCharge<S> charge = BatchCharge<S>::at_origin(model_, kappa);
    MaskOf<S> good = all_true<S>();
    for (std::size_t i = 0; i < in_.measured[0]; ++i)
      charge.pass(model_, i, good);
    const S begin = kinetic(charge);
    pass(
        charge, in_.measured[0], last_, [](std::size_t) {}, good);
    return both(good, kinetic(charge) >= S(1 - most_lost_by_triplets) * begin);
  }

  /// Certainly those whose linear errors hold, see the checks of
  /// StreamingFitter: of a particle that is slower by its error, angles are
  /// still about those of the reference, and in front of the last layer that of
  /// a faster one changes as much with the start.
  /// @param track  with its fluctuations of the loss
  /// @param sigma  of the curvature on the first hit
  MaskOf<S> are_linear(const KinkedFlight<S>& track, const S& sigma) const {
    using std::abs;
    const BatchCharge<S>& start = track.start.charge;
    const S b(model_.b_ref);
    const S change = sigma / abs(start.qop * b);
    const auto at = [&](const S& factor) {
      return BatchCharge<S>{start.qop * factor, S(1)};
    };
    MaskOf<S> good = all_true<S>();
    BatchCharge<S> slower = at(S(1) + change), here = at(S(1)),
                   faster = at(S(1) - change);
    const auto follow = [&](BatchCharge<S>& charge, const auto& check) {
      std::size_t node = 0;  // of the layer; all that lose have one
      pass(
          charge, in_.measured[0], last_,
          [&](std::size_t i) {
            while (track.node(node).point < i) ++node;
            if (model_.straggles(i))
              charge.change_curvature(model_, track.node(node).so_far[2]);
            check(i);
          },
          good);
    };
    const auto nothing = [](std::size_t) {};
    follow(slower, [&](std::size_t i) {
      good =
          both(good, kinetic(slower) >= S(least_energy * model_.loss[i].after));
    });
    follow(here, nothing);
    follow(faster, nothing);
    return both(good, faster.slope >= S(least_slope) * here.slope);
  }

 private:
  S kinetic(const BatchCharge<S>& charge) const {
    return kinetic_energy(charge.momentum(model_), S(model_.mass));
  }

  /// @param see  called with each layer, after its loss
  template <class See>
  void pass(BatchCharge<S>& charge, std::size_t from, std::size_t to,
            const See& see, MaskOf<S>& good) const {
    for (std::size_t i = from; i < to; ++i) {
      if (!model_.loses(i)) continue;
      charge.pass(model_, i, good);
      see(i);
    }
  }

  const HitGroup& in_;
  const BatchFlight& model_;
  std::size_t last_;  ///< point of the last hit
};

/// The streaming fits of one group of tracks: StreamingFitter.
template <class S>
class FlownStreamFitter {
 public:
  FlownStreamFitter(const HitGroup& in, FlightNode<S>* nodes)
      : in_(in), nodes_(nodes), kappa_ref_(PackAccess<S>::load(in.kappa_ref)) {
    MaskOf<S> good = all_true<S>();
    first_ = TrackWithoutKinks<S>(in).find(good);
    begin_.require(good, FitStatus::not_converged);
  }

  TrackBits fit(GroupFit& asked) {
    if (!can_be_streamed(asked.kind)) return refuse_fit<S>(asked);
    const bool field = in_.flight->field;
    // single tracks have weights for each layer
    if (begin_.failed() || (field && asked.weights == WeightSource::update))
      return 0;
    using std::sqrt;
    BatchOutcome<S> outcome = begin_;
    KinkedFlight<S> reference(in_, nodes_, first_);
    S kappa = PackAccess<S>::load(in_.estimate);
    if (asked.weights == WeightSource::local && field)
      kappa = kappa_of(reference);
    StreamedFit<KinkedFlight<S>> fit(reference);
    constexpr int steps = 2;
    const S weight = weight_at(asked.kind, kappa);
    for (int i = 0; i < steps; ++i) {
      if (i > 0) {
        fit.move_kinks();
        reference.move_start(fit.line(), outcome);
      }
      reference.follow(outcome);
      if (outcome.failed()) return 0;
      reference.set_variances(weight, outcome);
      fit.solve(outcome);
    }
    const SlowedParticles<S> particles(in_);
    // the check takes the fitted losses
    if (particles.any_straggles()) fit.move_kinks();
    reference.move_start(fit.line(), outcome);
    // single tracks take more steps
    outcome.require(fit.is_linear(), FitStatus::not_converged);
    if (particles.any_loss())
      outcome.require(
          particles.are_linear(reference, sqrt(fit.equations().v[4])),
          FitStatus::stops);
    using L = PackAccess<S>;
    L::store(fit.chi2(), asked.out[HitPlane::chi2]);
    L::store(kappa, asked.out[HitPlane::kappa_weights]);
    FlownStart<S> start(in_);
    start.set(reference.start, fit.equations(), weight);
    return L::bits(both(outcome.good, start.store(asked, true)));
  }

 private:
  /// On the first hit.
  S kappa_of(const KinkedFlight<S>& reference) const {
    return -(S(in_.flight->b_ref) * reference.start.charge.qop);
  }
  /// Factor of theta0_2.
  S weight_at(FitKind kind, const S& kappa) const {
    if (kind == FitKind::hits) return S(0);
    const auto known = either(kappa_ref_ > S(0), kappa_ref_ < S(0));
    const S ratio =
        select(known, kappa / select(known, kappa_ref_, S(1)), S(1));
    return ratio * ratio;
  }

  const HitGroup& in_;
  FlightNode<S>* nodes_;
  S kappa_ref_;
  BatchOutcome<S> begin_;
  TrackOnFirstHit<S> first_;
};

/// Tracks that lose little energy even if they are slower by the error.
template <class S>
MaskOf<S> lose_little(const HitGroup& in, const PackValues* out) {
  using std::abs;
  const SlowedParticles<S> particles(in);
  if (!particles.any_loss()) return all_true<S>();
  const S kappa = PackAccess<S>::load(out[HitPlane::kappa].value),
          sigma = PackAccess<S>::load(out[HitPlane::sigma].value);
  return particles.lose_little(S(kappa + kappa / abs(kappa) * sigma));
}

template <class S>
void fit_flown_group(const HitGroup& in, GroupFit* fits, std::size_t n_fits) {
  std::byte* const workspace = in.workspace + sizeof(FlownBuffer<S>);
  if (in.streams) {
    FlownStreamFitter<S> fitter(in,
                                reinterpret_cast<FlightNode<S>*>(workspace));
    for (std::size_t i = 0; i < n_fits; ++i) fits[i].done = fitter.fit(fits[i]);
    return;
  }
  BatchFitter<S, FlownTracks<S>> fitter(in, reinterpret_cast<S*>(workspace));
  const BatchFlight& model = *in.flight;
  for (std::size_t i = 0; i < n_fits; ++i) {
    GroupFit& fit = fits[i];
    fit.done = fitter.fit(fit);
    if (fit.done != 0 && can_be_streamed(fit.kind))
      fit.done &= PackAccess<S>::bits(lose_little<S>(in, fit.out));
    // whose losses before the first hit are only known at the start
    if (!fit.perigee && !fit.start_plane &&
        SlowedParticles<S>(in).any_straggles())
      fit.done = 0;
    if (!fit.momentum || fit.done == 0) continue;
    if (model.field || !(model.momentum > 0)) continue;
    if (in.n_hits > most_momentum_hits)
      fit.done = 0;
    else
      fit.done &=
          PackAccess<S>::bits(store_momentum(model, fitter.kinks(), fit));
  }
}

template <class S>
std::size_t flown_workspace(std::size_t n_points, std::size_t n_hits) {
  return sizeof(FlownBuffer<S>) +
         std::max(BatchFitter<S, FlownTracks<S>>::workspace(n_hits),
                  n_points * sizeof(FlightNode<S>));
}

template <class S>
constexpr HitKernel make_flown_kernel() {
  return {PackAccess<S>::width, fit_flown_group<S>, flown_workspace<S>,
          nullptr};
}

}  // namespace gttf::detail
