// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/regime.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/fit/triplet/bias.hpp"
#include "gttf/fit/triplet/in_plane_arc.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/fit/triplet/local_fit.hpp"
#include "gttf/resolution/recurling_track.hpp"
#include "gttf/resolution/regime_parts.hpp"

namespace gttf {

namespace {

using detail::KinksByShift;
using detail::LocalTriplet;
using Hits = std::array<const TripletCrossing*, 3>;

void add_hit(const KinksByShift<double>& by_shift, const TripletCrossing& hit,
             LocalTriplet<double>& local) {
  detail::add_hit(by_shift, detail::hit_covariance(hit.coordinates),
                  local.hits);
}

LocalTriplet<double> helix_triplet(const Hits& hits) {
  const Triplet<double> t =
      make_triplet(cartesian(hits[0]->position), cartesian(hits[1]->position),
                   cartesian(hits[2]->position));
  LocalTriplet<double> local;
  detail::set_helix(t, local);
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 &u = hits[k]->u, &v = hits[k]->v;
    add_hit(detail::kinks_by_shift<double>(
                t, k, {{u.x(), u.y(), u.z()}, {v.x(), v.y(), v.z()}}),
            *hits[k], local);
  }
  return local;
}

/// The two arcs of a traced track: the kink is the direction in which the
/// second one leaves the middle hit, less the one in which the first arrives.
LocalTriplet<double> traced_triplet(const TripletTrack& track,
                                    const Hits& hits) {
  const detail::InPlaneArc in = detail::make_arc(track, *hits[0], *hits[1]);
  const detail::InPlaneArc out = detail::make_arc(track, *hits[1], *hits[2]);
  LocalTriplet<double> local;
  const Eigen::Vector2d rho = out.start_by_kappa - in.end_by_kappa;
  local.rho_theta = rho[0];
  local.rho_phi = rho[1];
  const std::array<Eigen::Matrix2d, 3> by_shift = {
      -in.end_by_start, out.start_by_start - in.end_by_end, out.start_by_end};
  for (std::size_t k = 0; k < 3; ++k) {
    const Eigen::Matrix2d& m = by_shift[k];
    add_hit({m(0, 0), m(0, 1), m(1, 0), m(1, 1)}, *hits[k], local);
  }
  local.inv_sin2 = detail::inverse_sine_squared(track, *hits[1]);
  local.arms = {in.length, out.length};
  local.small_bending_limit = Resolution::none;
  return local;
}

/// Variance of the scattering angle in a plane: that of the middle layer and,
/// with their levers, of those between the hits.
double scattering_part(const TripletTrack& track,
                       const std::array<std::size_t, 3>& hits) {
  const auto at = [&](std::size_t k) {
    return cartesian(track.crossings[k].position);
  };
  double sum = 0;
  for (std::size_t k = hits[0] + 1; k < hits[2]; ++k) {
    const std::size_t end = k <= hits[1] ? hits[0] : hits[2];
    sum += detail::squared_lever(at(k), at(end), at(hits[1])) *
           track.crossings[k].kink_variance;
  }
  return sum;
}

TripletRegime make_regime(const TripletTrack& track,
                          const std::array<std::size_t, 3>& crossings,
                          const RegimeThresholds& thresholds) {
  Hits hits;
  for (std::size_t k = 0; k < 3; ++k) hits[k] = &track.crossings[crossings[k]];
  LocalTriplet<double> t =
      track.traced ? traced_triplet(track, hits) : helix_triplet(hits);
  t.variance = scattering_part(track, crossings);
  const detail::LocalResult<double> fit = detail::fit_locally(t, track.kappa);
  TripletRegime r;
  r.gamma_phi = t.hits.phi;
  r.gamma_theta = t.hits.theta;
  r.gamma_phi_theta = t.hits.theta_phi;
  r.sigma_ms = fit.sigma_ms;
  r.b_ms = fit.b_ms;
  r.arms = t.arms;
  r.length = t.arms[0] + t.arms[1];
  r.mu_phi = fit.mu_phi;
  r.mu_theta = fit.mu_theta;
  r.xi = fit.xi;
  r.xi_ms = fit.xi_ms;
  r.xi_ms_limit = fit.xi_ms_limit;
  r.regime = classify(r.mu_phi, r.xi, thresholds);
  return r;
}

/// @param xi  a function of the momentum, xi_here at p
template <class Significance>
double significant_momentum(double p, double xi_here, double least,
                            const Significance& xi) {
  const auto search = [&](double start) {
    detail::SignificantMomentum s(start, least);
    while (!s.done()) s.take(xi(s.momentum()));
    return s;
  };
  const auto found = search(detail::common_start);
  return detail::must_start_at(p, xi_here, least, found) ? search(p).result()
                                                         : found.result();
}

class Finder {
 public:
  Finder(const TrackingGeometry& geometry, const Track& track,
         const Model& model, const RegimeThresholds& thresholds)
      : geometry_(geometry),
        track_(track),
        model_(model),
        thresholds_(thresholds) {}

  /// Without p_significant.
  std::vector<TripletRegime> triplets(
      TripletChoice choice, std::span<const std::size_t> layers = {}) const {
    const detail::AnyTrack found(geometry_, track_, model_);
    const TripletTrack track = found.triplets(nullptr);
    std::vector<std::size_t> hits;
    for (std::size_t k = 0; k < track.crossings.size(); ++k)
      if (track.crossings[k].measures() &&
          (layers.empty() ||
           std::ranges::binary_search(layers, found.surface(k))))
        hits.push_back(k);
    std::vector<TripletRegime> list;
    const auto add = [&](std::size_t i, std::size_t j, std::size_t k) {
      const std::array<std::size_t, 3> crossings{hits[i], hits[j], hits[k]};
      TripletRegime r = make_regime(track, crossings, thresholds_);
      for (std::size_t h = 0; h < 3; ++h)
        r.layers[h] = found.surface(crossings[h]);
      list.push_back(r);
    };
    detail::for_each_triplet(hits.size(), choice, add);
    return list;
  }

  /// Triplets whose last hit comes after the outer arc.
  std::vector<TripletRegime> recurling_triplets() const {
    const detail::RecurlingTrack t =
        detail::recurling_track(geometry_, track_, model_.scattering);
    std::vector<TripletRegime> list;
    const std::size_t n = t.layers.size();
    for (std::size_t k = std::max<std::size_t>(2, n - t.n_inward); k < n; ++k) {
      TripletRegime r = make_regime(t.track, {k - 2, k - 1, k}, thresholds_);
      r.layers = {t.layers[k - 2], t.layers[k - 1], t.layers[k]};
      r.recurls = true;
      list.push_back(r);
    }
    return list;
  }

  void find_momentum(TripletRegime& r) const {
    if (!r.exists()) return;
    r.p_significant =
        significant_momentum(track_.p, r.xi, thresholds_.xi_significant,
                             [&](double p) { return xi_of(r.layers, p); });
  }

  /// @param xi  of the track
  double momentum_of_track(double xi) const {
    return significant_momentum(
        track_.p, xi, thresholds_.xi_significant,
        [this](double p) { return resolve(geometry_, at(p), model_).xi; });
  }

 private:
  Track at(double p) const {
    Track t = track_;
    t.p = p;
    return t;
  }

  /// xi of the triplet on three surfaces at another momentum; NaN if the track
  /// does not cross them.
  double xi_of(const std::array<std::size_t, 3>& surfaces, double p) const {
    const detail::AnyTrack found(geometry_, at(p), model_);
    std::array<std::size_t, 3> crossings;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto k = found.crossing_of(surfaces[i]);
      if (!k) return Resolution::none;
      crossings[i] = *k;
    }
    return make_regime(found.triplets(nullptr), crossings, thresholds_).xi;
  }

  const TrackingGeometry& geometry_;
  const Track& track_;
  const Model& model_;
  const RegimeThresholds& thresholds_;
};

}  // namespace

RecommendedFit detail::recommend(Regime regime, double xi,
                                 const RegimeThresholds& thresholds) {
  switch (regime) {
    case Regime::scattering:
      return xi < thresholds.xi_unbiased ? RecommendedFit::common_curvature
                                         : RecommendedFit::scattering;
    case Regime::hits:
      return RecommendedFit::hits;
    case Regime::mixed:
    case Regime::weak:
      return RecommendedFit::general;
    case Regime::unknown:
      break;
  }
  return RecommendedFit::none;
}

FitBiases detail::predict_biases(int n_hits, double mu_phi, double xi,
                                 const RegimeThresholds& thresholds) {
  FitBiases biases;
  const int n = n_hits - 2;
  if (!(mu_phi <= thresholds.mu_small) || n < 1) return biases;
  const double relative = std::sqrt(n) / xi;
  const auto of = [&](BiasedFit fit) {
    return predicted_bias(fit, relative, n);
  };
  const Bias local = of(BiasedFit::unregularised);
  const Bias regularised = of(BiasedFit::regularised);
  const Bias common = of(BiasedFit::common_curvature);
  return {local.curvature, regularised.curvature, common.curvature,
          local.pull,      regularised.pull,      common.pull};
}

std::string_view to_string(RecommendedFit fit) {
  switch (fit) {
    case RecommendedFit::scattering:
      return "scattering";
    case RecommendedFit::common_curvature:
      return "common-curvature";
    case RecommendedFit::general:
      return "general";
    case RecommendedFit::hits:
      return "hits";
    case RecommendedFit::none:
      break;
  }
  return "";
}

const TripletRegime* TrackRegime::weakest() const {
  const TripletRegime* weakest = nullptr;
  for (const TripletRegime& t : triplets)
    if (t.exists() && !t.recurls && (!weakest || t.xi < weakest->xi))
      weakest = &t;
  return weakest;
}

std::vector<TripletRegime> find_triplets(const TrackingGeometry& geometry,
                                         const Track& track, const Model& model,
                                         std::span<const std::size_t> layers,
                                         const RegimeThresholds& thresholds) {
  if (!geometry.has_field()) return {};
  return Finder(geometry, track, model, thresholds)
      .triplets(TripletChoice::consecutive, layers);
}

TrackRegime find_regime(const TrackingGeometry& geometry, const Track& track,
                        const Model& model, const RegimeThresholds& thresholds,
                        TripletChoice choice) {
  TrackRegime result;
  result.thresholds = thresholds;
  result.resolution = resolve(geometry, track, model);
  Resolution& r = result.resolution;
  r.regime = classify(r.mu_phi, r.xi, thresholds);
  if (!geometry.has_field()) return result;
  const Finder finder(geometry, track, model, thresholds);
  result.triplets = finder.triplets(choice);
  for (TripletRegime& t : result.triplets) finder.find_momentum(t);
  if (choice == TripletChoice::recurling && geometry.bz() != 0)
    for (const TripletRegime& t : finder.recurling_triplets())
      result.triplets.push_back(t);
  if (r.status != Status::ok) return result;
  result.xi_ms = 1 / r.sigma_p_rel_ms_only;
  result.fit = detail::recommend(r.regime, r.xi, thresholds);
  result.biases = detail::predict_biases(r.n_hits, r.mu_phi, r.xi, thresholds);
  result.p_significant = finder.momentum_of_track(r.xi);
  return result;
}

}  // namespace gttf
