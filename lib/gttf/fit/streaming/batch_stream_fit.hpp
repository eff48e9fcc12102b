// SPDX-License-Identifier: Apache-2.0
// Vectorised StreamingFitter for any scalar, compiled per instruction set.
#pragma once

#include "gttf/fit/streaming/kinked_helix.hpp"
#include "gttf/fit/streaming/streamed_fit.hpp"
#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/triplet/batch_track.hpp"

namespace gttf::detail {

/// The hits of vectorised tracks as used by the steps of the streaming fit.
template <class S>
struct BatchHits {
  const HitGroup& in;
  std::span<const std::size_t> measured;
  static constexpr bool field = true;

  /// Indices of neighbouring points.
  struct Points {
    std::size_t first;
    std::size_t operator[](std::size_t k) const { return first + k; }
  } points;

  S* inverse_radius;  ///< of hits on curved surfaces

  /// @param room  buffer for one number per hit
  BatchHits(const HitGroup& elements, S* room)
      : in(elements),
        measured(elements.measured, elements.n_hits),
        points{elements.measured[0]},
        inverse_radius(room) {
    for (std::size_t h = 0; h < elements.n_hits; ++h)
      inverse_radius[h] = HitSurface<S>::inverse_radius_of(position(h));
  }

  HitSurface<S> surface(std::size_t i) const {
    const GroupPoint& p = in.points[i];
    const Cartesian<S> hit = position(p.hit);
    if (p.measures)
      return surface_through(p.surface, hit, inverse_radius[p.hit]);
    const Cartesian<S> at = passive_point(p.surface, hit, position(p.next_hit));
    return surface_through(p.surface, at, inverse_radius_at(p.surface, at));
  }
  Cartesian<S> position(std::size_t hit) const {
    const double* const* at = in.hits + 3 * hit;
    return {PackAccess<S>::load(at[0]), PackAccess<S>::load(at[1]),
            PackAccess<S>::load(at[2])};
  }
  std::span<const CoordinateAxis> axes(std::size_t i) const {
    const GroupPoint& p = in.points[i];
    return {p.coordinates, p.n_coordinates};
  }
  S theta0_2(std::size_t i) const {
    return PackAccess<S>::load(in.theta0_2[i]);
  }
};

/// Tracks accepted by find_measured().
template <class S>
MaskOf<S> are_sound(const HitGroup& in, const BatchHits<S>& hits) {
  using std::abs;
  constexpr double closest2 = 1.1e-12;  // mm^2
  const S kappa_ref = PackAccess<S>::load(in.kappa_ref);
  auto sound = both(is_finite(kappa_ref), abs(kappa_ref) > S(0));
  for (std::size_t i = 0; i < in.n_points; ++i) {
    const S theta0_2 = hits.theta0_2(i);
    sound = both(sound, both(theta0_2 >= S(0), is_finite(theta0_2)));
    if (in.points[i].n_coordinates < 2 || i == hits.measured[0]) continue;
    const double* const* at = in.hits + 3 * in.points[i].hit;
    const S x = PackAccess<S>::load(at[0]) - PackAccess<S>::load(at[-3]);
    const S y = PackAccess<S>::load(at[1]) - PackAccess<S>::load(at[-2]);
    sound = both(sound, x * x + y * y > S(closest2));
  }
  return sound;
}

/// A fit that is not possible.
template <class S>
TrackBits refuse_fit(GroupFit& asked) {
  asked.status = FitStatus::not_determined;
  for (std::size_t plane = 0; plane < HitPlane::count; ++plane)
    PackAccess<S>::store(S(GlobalFit::none), asked.out[plane]);
  return all_in_pack<S>;
}

/// The streaming fits of one group of tracks.
template <class S>
class BatchStreamFitter {
 public:
  BatchStreamFitter(const HitGroup& in, S* workspace)
      : in_(in),
        hits_(in, workspace),
        nodes_(reinterpret_cast<HelixNode<S>*>(workspace + in.n_hits),
               in.n_points - in.measured[0]),
        kappa_ref_(PackAccess<S>::load(in.kappa_ref)) {
    begin_.require(are_sound(in, hits_), FitStatus::not_finite);
    if (!begin_.failed()) first_ = prefit_helix(hits_, true, begin_);
  }

  TrackBits fit(GroupFit& asked) {
    if (!can_be_streamed(asked.kind)) return refuse_fit<S>(asked);
    if (begin_.failed()) return 0;
    BatchOutcome<S> outcome = begin_;
    S kappa = PackAccess<S>::load(in_.estimate);
    if (asked.weights == WeightSource::update ||
        asked.weights == WeightSource::local)
      kappa = first_.kappa;
    Reference reference(hits_, nodes_);
    reference.start(first_);
    StreamedFit<Reference> fit(reference);
    constexpr int steps = 2;
    S weight = weight_at(asked.kind, kappa);
    for (int i = 0; i < steps; ++i) {
      if (i > 0) {
        fit.move_kinks();
        reference.move_start(fit.line(), outcome);
        if (asked.weights == WeightSource::update) {
          kappa = reference.first().kappa;
          weight = weight_at(asked.kind, kappa);
        }
      }
      reference.follow(outcome);
      if (outcome.failed()) return 0;
      reference.set_variances(weight);
      fit.solve(outcome);
    }
    reference.move_start(fit.line(), outcome);
    // single tracks take more steps
    outcome.require(fit.is_linear(), FitStatus::not_converged);
    return store(asked, reference, fit, kappa, weight, outcome);
  }

 private:
  using Reference = KinkedHelix<S, BatchHits<S>>;

  /// Factor of theta0_2.
  S weight_at(FitKind kind, const S& kappa) const {
    const S ratio = kappa / kappa_ref_;
    return kind == FitKind::hits ? S(0) : ratio * ratio;
  }

  TrackBits store(const GroupFit& asked, const Reference& reference,
                  const StreamedFit<Reference>& fit, const S& kappa,
                  const S& weight, BatchOutcome<S>& outcome) const {
    using std::sqrt;
    using L = PackAccess<S>;
    L::store(reference.first().kappa, asked.out[HitPlane::kappa]);
    L::store(sqrt(fit.equations().v[4]), asked.out[HitPlane::sigma]);
    L::store(fit.chi2(), asked.out[HitPlane::chi2]);
    L::store(kappa, asked.out[HitPlane::kappa_weights]);
    outcome.require(is_finite(reference.first().kappa + kappa),
                    FitStatus::not_converged);
    if (asked.perigee)
      outcome.require(store_perigee(reference, fit, weight, asked.out),
                      FitStatus::not_converged);
    return L::bits(outcome.good);
  }

  MaskOf<S> store_perigee(const Reference& reference,
                          const StreamedFit<Reference>& fit, const S& weight,
                          PackValues* out) const {
    Helix<S> at = reference.first();
    const Direction<S> direction = direction_of(at);
    const FirstCrossing<S>& x = reference.first_crossing();
    const auto state =
        surface_derivatives(x.normal, point_of(at, direction), x.transport);
    at.position = at.position - Cartesian<S>{S(in_.origin[0]), S(in_.origin[1]),
                                             S(in_.origin[2])};
    const PerigeeOf<S> p = perigee_of(at, direction);
    std::array<Row<S>, track_dim> functions;
    for (std::size_t i = 0; i < track_dim; ++i)
      for (std::size_t j = 0; j < track_dim; ++j) {
        S sum = p.jacobian[i][0] * state[0][j];
        for (std::size_t k = 1; k < track_dim; ++k)
          sum = sum + p.jacobian[i][k] * state[k][j];
        functions[i][j] = j == 4 ? sum + p.jacobian[i][5] : sum;
      }
    const Covariance5<S> c = covariance(fit.equations(), functions);
    S lower[track_dim][track_dim];
    for (std::size_t i = 0; i < track_dim; ++i)
      for (std::size_t j = 0; j <= i; ++j) lower[i][j] = c[i][j];
    add_inner_scattering(in_, at, direction, p, weight, lower);
    return store_track(p.parameters, lower, out);
  }

  const HitGroup& in_;
  BatchHits<S> hits_;
  std::span<HelixNode<S>> nodes_;
  S kappa_ref_;
  BatchOutcome<S> begin_;
  Helix<S> first_;  ///< of prefit()
};

template <class S>
void fit_batch_stream(const HitGroup& in, GroupFit* fits, std::size_t n_fits) {
  BatchStreamFitter<S> fitter(in, reinterpret_cast<S*>(in.workspace));
  for (std::size_t i = 0; i < n_fits; ++i) fits[i].done = fitter.fit(fits[i]);
}

template <class S>
std::size_t batch_stream_workspace(std::size_t n_points, std::size_t n_hits) {
  return n_hits * sizeof(S) + n_points * sizeof(HelixNode<S>);
}

template <class S>
constexpr HitKernel make_stream_kernel() {
  return {PackAccess<S>::width, fit_batch_stream<S>, batch_stream_workspace<S>,
          nullptr};
}

}  // namespace gttf::detail
