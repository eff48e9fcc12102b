// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/regime.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "gttf/core/root.hpp"
#include "gttf/fit/bias.hpp"
#include "gttf/fit/detail/in_plane_arc.hpp"
#include "gttf/resolution/detail/any_track.hpp"
#include "gttf/resolution/detail/recurling_track.hpp"
#include "gttf/triplet/solenoid.hpp"

namespace gttf {

namespace {

Cartesian<double> point(const Vector3& v) { return {v.x(), v.y(), v.z()}; }
Vector3 vector(const Cartesian<double>& c) { return {c.x, c.y, c.z}; }

using Pair = Eigen::Vector2d;

/// Covariance of a hit within its surface, axes u and v; nothing if one
/// direction is not measured.
std::optional<Eigen::Matrix2d> covariance_in_plane(const TripletCrossing& c) {
  Eigen::Matrix2d information = Eigen::Matrix2d::Zero();
  for (const CoordinateAxis& axis : c.coordinates) {
    const Pair direction(axis.cosine, axis.sine);
    information += direction * direction.transpose() / axis.variance;
  }
  const double scale = information.trace();
  if (!(information.determinant() > 1e-12 * scale * scale)) return std::nullopt;
  return information.inverse();
}

/// The kinks (theta, phi) of three hits, linearised.
struct LocalTriplet {
  Pair rho;  ///< d(kinks)/d(kappa) with the hits fixed
  std::array<Eigen::Matrix2d, 3> by_shift;  ///< of each hit along u and v
  double inv_sin2 = 1;  ///< var(phi) of scattering in the middle layer
  double length = 0;    ///< of both arcs
  double small_bending_limit = Resolution::none;  ///< of xi_ms * b_ms, mm
};

LocalTriplet helix_triplet(const std::array<const TripletCrossing*, 3>& hits) {
  const Triplet<double> t =
      make_triplet(point(hits[0]->position), point(hits[1]->position),
                   point(hits[2]->position));
  LocalTriplet local;
  local.rho = {t.rho_theta, t.rho_phi};
  for (std::size_t k = 0; k < 3; ++k)
    for (int i = 0; i < 2; ++i) {
      const Vector3 h = vector(i == 0 ? t.h_theta[k] : t.h_phi[k]);
      local.by_shift[k].row(i) << h.dot(hits[k]->u), h.dot(hits[k]->v);
    }
  const double sine = sin_mean_theta(t);
  local.inv_sin2 = 1 / (sine * sine);
  local.length = t.first.length + t.second.length;
  local.small_bending_limit = local.length * sine / 2;
  return local;
}

/// The two arcs of a traced track: the kink is the direction in which the
/// second one leaves the middle hit, less the one in which the first arrives.
LocalTriplet traced_triplet(const TripletTrack& track,
                            const std::array<const TripletCrossing*, 3>& hits) {
  const detail::InPlaneArc in = detail::make_arc(track, *hits[0], *hits[1]);
  const detail::InPlaneArc out = detail::make_arc(track, *hits[1], *hits[2]);
  LocalTriplet local;
  local.rho = out.start_by_kappa - in.end_by_kappa;
  local.by_shift = {-in.end_by_start, out.start_by_start - in.end_by_end,
                    out.start_by_end};
  local.inv_sin2 = detail::inverse_sine_squared(track, *hits[1]);
  local.length = in.length + out.length;
  return local;
}

/// Covariance of the kinks from the errors of the three hits.
std::optional<Eigen::Matrix2d> hit_part(
    const LocalTriplet& t, const std::array<const TripletCrossing*, 3>& hits) {
  Eigen::Matrix2d sum = Eigen::Matrix2d::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    const auto covariance = covariance_in_plane(*hits[k]);
    if (!covariance) return std::nullopt;
    sum += t.by_shift[k] * *covariance * t.by_shift[k].transpose();
  }
  return sum;
}

/// Variance of the scattering angle in a plane: that of the middle layer and,
/// with their levers, of those between the hits.
double scattering_part(const TripletTrack& track,
                       const std::array<std::size_t, 3>& hits) {
  const auto at = [&](std::size_t k) { return track.crossings[k].position; };
  double sum = 0;
  for (std::size_t k = hits[0] + 1; k < hits[2]; ++k) {
    const std::size_t end = k <= hits[1] ? hits[0] : hits[2];
    const double lever =
        (at(k) - at(end)).norm() / (at(hits[1]) - at(end)).norm();
    sum += lever * lever * track.crossings[k].kink_variance;
  }
  return sum;
}

/// The local fit: kappa^2/sigma^2 with the covariance of the kinks.
double significance(const Pair& rho, double kappa,
                    const Eigen::Matrix2d& kinks) {
  // rho^T K rho with K the inverse of `kinks`
  const Pair turned(-rho.y(), rho.x());
  const double norm = turned.dot(kinks * turned);
  return std::abs(kappa) * std::sqrt(norm / kinks.determinant());
}

TripletRegime make_regime(const TripletTrack& track,
                          const std::array<std::size_t, 3>& crossings,
                          const RegimeThresholds& thresholds) {
  TripletRegime r;
  std::array<const TripletCrossing*, 3> hits;
  for (std::size_t k = 0; k < 3; ++k) hits[k] = &track.crossings[crossings[k]];
  const LocalTriplet t =
      track.traced ? traced_triplet(track, hits) : helix_triplet(hits);
  const double kappa = track.kappa;
  const double variance = scattering_part(track, crossings);
  r.length = t.length;
  r.sigma_ms = std::sqrt(variance);
  r.b_ms = r.sigma_ms / std::abs(kappa);
  if (r.b_ms > 0) r.xi_ms_limit = t.small_bending_limit / r.b_ms;
  Eigen::Matrix2d scattering = Eigen::Matrix2d::Zero();
  scattering.diagonal() << variance, variance * t.inv_sin2;
  if (variance > 0) r.xi_ms = significance(t.rho, kappa, scattering);
  const auto hit_errors = hit_part(t, hits);
  if (!hit_errors) return r;
  r.gamma_theta = (*hit_errors)(0, 0);
  r.gamma_phi = (*hit_errors)(1, 1);
  r.gamma_phi_theta = (*hit_errors)(0, 1);
  const Eigen::Matrix2d all = *hit_errors + scattering;
  r.mu_theta = std::sqrt(r.gamma_theta / all(0, 0));
  r.mu_phi = std::sqrt(r.gamma_phi / all(1, 1));
  r.xi = significance(t.rho, kappa, all);
  r.regime = classify(r.mu_phi, r.xi, thresholds);
  return r;
}

/// Largest momentum from which on xi(p) stays below `least`: xi falls as 1/p
/// where hit errors dominate. NaN if xi is below it at all momenta down to
/// where it does not exist.
template <class Significance>
double largest_significant(double present, double least,
                           const Significance& xi) {
  constexpr double up = 4, down = 1.25, highest = 1e9 * unit::GeV;
  constexpr int most_steps = 60;  // down to p/6e5
  const auto excess = [&](double log_p) {
    const double value = xi(std::exp(log_p));
    return std::isnan(value) ? -1.0 : std::log(value / least);
  };
  const auto root = [&](double good, double bad) {
    return std::exp(find_root(excess, std::log(good), std::log(bad), 1e-10));
  };
  double p = present;
  if (xi(p) >= least) {
    while (p < highest && xi(p * up) >= least) p *= up;
    return p < highest ? root(p, p * up)
                       : std::numeric_limits<double>::infinity();
  }
  for (int i = 0; i < most_steps; ++i) {
    const double value = xi(p / down);
    if (value >= least) return root(p / down, p);
    if (std::isnan(value)) break;
    p /= down;
  }
  return Resolution::none;
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
    for (std::size_t i = 0; i + 2 < hits.size(); ++i) {
      if (choice != TripletChoice::all) {
        add(i, i + 1, i + 2);
        continue;
      }
      for (std::size_t j = i + 1; j + 1 < hits.size(); ++j)
        for (std::size_t k = j + 1; k < hits.size(); ++k) add(i, j, k);
    }
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
        largest_significant(track_.p, thresholds_.xi_significant,
                            [&](double p) { return xi_of(r.layers, p); });
  }

  double momentum_of_track() const {
    return largest_significant(
        track_.p, thresholds_.xi_significant,
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

RecommendedFit recommend(const Resolution& r,
                         const RegimeThresholds& thresholds) {
  switch (r.regime) {
    case Regime::scattering:
      return r.xi < thresholds.xi_unbiased ? RecommendedFit::common_curvature
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

/// Where hit errors matter, the fits with scattering only are wrong by more
/// than their bias.
FitBiases predict_biases(const Resolution& r,
                         const RegimeThresholds& thresholds) {
  FitBiases biases;
  const int n = r.n_hits - 2;
  if (!(r.mu_phi <= thresholds.mu_small) || n < 1) return biases;
  const double relative = std::sqrt(n) / r.xi;
  const auto of = [&](BiasedFit fit) {
    return predicted_bias(fit, relative, n);
  };
  const Bias local = of(BiasedFit::unregularised);
  const Bias regularised = of(BiasedFit::regularised);
  const Bias common = of(BiasedFit::common_curvature);
  return {local.curvature, regularised.curvature, common.curvature,
          local.pull,      regularised.pull,      common.pull};
}

}  // namespace

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
  result.fit = recommend(r, thresholds);
  result.biases = predict_biases(r, thresholds);
  result.p_significant = finder.momentum_of_track();
  return result;
}

}  // namespace gttf
