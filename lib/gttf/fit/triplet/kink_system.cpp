// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/kink_system.hpp"

#include <cmath>

#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/triplet/passive_turns.hpp"

namespace gttf::detail {

namespace {

constexpr double closest_transverse = 1e-6;  // mm
constexpr double least_inverse_index = 0.05;

/// Whether two hits define a direction (a transverse one for
/// helices).
bool apart(const TrackHits& track, const Vector3& step) {
  const double square =
      track.flight ? step.squaredNorm() : step.head<2>().squaredNorm();
  return square > closest_transverse * closest_transverse;
}

bool is_finite(const TrackHit& h) {
  double sum = h.position.sum() + h.u.sum() + h.v.sum() + h.theta0_2;
  for (const CoordinateAxis& a : h.axes())
    sum += a.cosine + a.sine + a.variance;
  return std::isfinite(sum);
}

/// Shifts by one standard deviation of each of two coordinates, or of one
/// coordinate and zero along the other direction.
FitStatus set_errors(const TrackHit& h, LinearHit& l) {
  const CoordinateAxis& a = h.coordinates[0];
  if (!(a.variance > 0)) return FitStatus::bad_error;
  l.sigma = {std::sqrt(a.variance), 0};
  if (h.n_coordinates == 1) {
    const double scale = l.sigma[0] / std::hypot(a.cosine, a.sine);
    l.error.col(0) = scale * (a.cosine * h.u + a.sine * h.v);
    l.error.col(1).setZero();
    return FitStatus::ok;
  }
  const CoordinateAxis& b = h.coordinates[1];
  const double det = a.cosine * b.sine - a.sine * b.cosine;
  if (!(b.variance > 0) || std::abs(det) < 1e-12) return FitStatus::bad_error;
  l.sigma[1] = std::sqrt(b.variance);
  // columns of the inverse of rows (cosine, sine)
  l.error.col(0) = l.sigma[0] / det * (b.sine * h.u - b.cosine * h.v);
  l.error.col(1) = l.sigma[1] / det * (a.cosine * h.v - a.sine * h.u);
  return FitStatus::ok;
}

Vector2 shift(const Cartesian<double>& theta, const Cartesian<double>& phi,
              const Eigen::Ref<const Vector3>& e) {
  return {theta.x * e[0] + theta.y * e[1] + theta.z * e[2],
          phi.x * e[0] + phi.y * e[1] + phi.z * e[2]};
}

}  // namespace

FitStatus check_triplet(const Triplet<double>& t) {
  const auto &a = t.first, &b = t.second;
  const bool bent_back = std::abs(a.half_turn) > 0.75 * unit::pi ||
                         std::abs(b.half_turn) > 0.75 * unit::pi;
  constexpr double steep = 0.3;  // rad
  const double kink = polar_kink(a, b);
  if (bent_back || (a.rise * b.rise < 0 && std::abs(kink) > steep))
    return FitStatus::wrong_order;
  if (!(a.inverse_index > least_inverse_index &&
        b.inverse_index > least_inverse_index))
    return FitStatus::beyond_pole;
  return FitStatus::ok;
}

void KinkSystem::add_passive(std::size_t point) {
  PassivePoint& p = passive.emplace_back();
  p.point = point;
  p.before = hits.size() - 1;
}

FitStatus KinkSystem::take(const TrackHits& track) {
  hits.clear();
  passive.clear();
  if (!std::isfinite(track.kappa_ref) || !track.origin.allFinite())
    return FitStatus::not_finite;
  for (std::size_t i = 0; i < track.points.size(); ++i) {
    const TrackHit& h = track.points[i];
    if (!is_finite(h)) return FitStatus::not_finite;
    if (!(h.theta0_2 >= 0)) return FitStatus::bad_error;
    if (!h.measures()) {
      if (h.theta0_2 > 0 && !hits.empty()) add_passive(i);
      continue;
    }
    LinearHit& l = hits.emplace_back();
    l.point = i;
    l.measured = l.at = h.position;
    l.removed.setZero();
    if (const auto status = set_errors(h, l); status != FitStatus::ok)
      return status;
  }
  if (hits.size() < 3) return FitStatus::too_few_hits;
  for (std::size_t k = 0; k + 1 < hits.size(); ++k)
    if (!apart(track, hits[k + 1].measured - hits[k].measured))
      return FitStatus::coincident_hits;
  // material beyond the last hit has no effect
  while (!passive.empty() && passive.back().before + 1 >= hits.size())
    passive.pop_back();
  return FitStatus::ok;
}

FitStatus KinkSystem::make_triplets(const TrackHits& track,
                                    const double* kappa) {
  for (std::size_t j = 0; j < triplets.size(); ++j) {
    const auto x0 = cartesian(hits[j].at), x1 = cartesian(hits[j + 1].at),
               x2 = cartesian(hits[j + 2].at);
    if (!apart(track, hits[j + 1].at - hits[j].at) ||
        !apart(track, hits[j + 2].at - hits[j + 1].at) ||
        !apart(track, hits[j + 2].at - hits[j].at))
      return FitStatus::coincident_hits;
    Triplet<double>& t = triplets[j];
    t = kappa ? make_triplet(x0, x1, x2, *kappa) : make_triplet(x0, x1, x2);
    if (!std::isfinite(t.phi_tilde + t.theta_tilde + t.rho_phi))
      return kappa ? FitStatus::not_converged : FitStatus::beyond_pole;
    if (const auto status = check_triplet(t); status != FitStatus::ok)
      return status;
  }
  return FitStatus::ok;
}

void KinkSystem::set_rows(std::size_t j) {
  const Triplet<double>& t = triplets[j];
  KinkRows<double>& row = rows[j];
  row.psi[0] = t.theta_tilde;
  row.psi[1] = t.phi_tilde;
  row.rho[0] = t.rho_theta;
  row.rho[1] = t.rho_phi;
  row.inv_sin2 = inverse_sin2_mean_theta(t);
  for (std::size_t i = 0; i < 3; ++i) {
    const LinearHit& h = hits[j + i];
    for (int c = 0; c < 2; ++c) {
      const Vector2 g = shift(t.h_theta[i], t.h_phi[i], h.error.col(c));
      for (int r = 0; r < 2; ++r) {
        row.shift[i][r][c] = g[r];
        // kinks at the measured points, relative to the linearisation points
        row.psi[r] += g[r] * h.removed[c];
      }
    }
  }
}

const Segment<double>& KinkSystem::arc_behind(std::size_t hit) const {
  // segments of one triplet have a common circle: use the next one
  return hit < triplets.size() ? triplets[hit].first : triplets.back().second;
}

/// Adds the turns by a layer to the sums of its segment.
void KinkSystem::add_kink(const TrackHits& track, const PassivePoint& p,
                          const PassiveKink& kink) {
  double leaving[2][2], arriving[2][2];
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      leaving[r][c] = kink.leaving(r, c);
      arriving[r][c] = kink.arriving(r, c);
    }
  const double theta0_2 = track.points[p.point].theta0_2;
  const double sine = arc_behind(p.before).sin_theta;
  const double variance[2] = {theta0_2, theta0_2 / (sine * sine)};
  add_layer(leaving, arriving, variance, sums[p.before]);
}

FitStatus KinkSystem::set_passive(const TrackHits& track) {
  for (const PassivePoint& p : passive) {
    PassiveKink kink;
    if (!set_passive_weights(track.points[p.point], hits[p.before].at,
                             hits[p.before + 1].at, arc_behind(p.before), kink))
      return FitStatus::wrong_order;
    add_kink(track, p, kink);
  }
  return FitStatus::ok;
}

FitStatus KinkSystem::linearise(const TrackHits& track, const double* kappa) {
  const std::size_t n = hits.size() - 2;
  triplets.resize(n);
  rows.resize(n);
  const FitStatus status = track.flight ? make_flown_triplets(track, *kappa)
                                        : make_triplets(track, kappa);
  if (status != FitStatus::ok) return status;
  for (std::size_t j = 0; j < n; ++j) set_rows(j);
  sums.assign(passive.empty() ? 0 : n + 1, PassiveSums<double>{});
  return track.flight ? set_flown_passive(track, *kappa) : set_passive(track);
}

bool set_passive_weights(const TrackHit& surface, const Vector3& before,
                         const Vector3& after, const Segment<double>& arc,
                         PassiveKink& kink) {
  const double at_before = distance(surface, before);
  const double at_after = distance(surface, after);
  const Helix<double> start{
      cartesian(before), std::atan2(arc.sin_theta, arc.cos_theta),
      std::atan2(arc.chord_sin, arc.chord_cos) - arc.half_turn, arc.kappa};
  // a cylinder may be crossed between hits that are both outside it
  const bool on_both_sides = at_before * at_after <= 0;
  const double guess = on_both_sides
                           ? arc.arc * at_before / (at_before - at_after)
                           : (surface.position - before).head<2>().norm();
  const double fraction = arc_to(start, surface_of(surface), guess) / arc.arc;
  constexpr double at_hit = 1e-9;
  if (!(fraction > -at_hit && fraction < 1 + at_hit)) return false;
  kink.leaving = kink.arriving = Matrix2::Zero();
  if (fraction < at_hit) {
    kink.leaving = -Matrix2::Identity();
    return true;
  }
  if (fraction > 1 - at_hit) {
    kink.arriving.setIdentity();
    return true;
  }
  const Cartesian<double> middle = advanced(start, fraction * arc.arc).position;
  const double kappa_perp = arc.kappa / arc.sin_theta;
  const Segment<double> in = make_segment(cartesian(before), middle,
                                          fraction * arc.half_turn, kappa_perp);
  const Segment<double> out = make_segment(
      middle, cartesian(after), (1 - fraction) * arc.half_turn, kappa_perp);
  const SurfaceAxes plane = axes_at(surface, vector_of(middle));
  const PassiveTurns<double> turns =
      passive_turns<double>(in, out,
                            {{plane.u[0], plane.u[1], plane.u[2]},
                             {plane.v[0], plane.v[1], plane.v[2]}});
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      kink.leaving(r, c) = turns.leaving[r][c];
      kink.arriving(r, c) = turns.arriving[r][c];
    }
  return kink.leaving.allFinite() && kink.arriving.allFinite();
}

}  // namespace gttf::detail

namespace gttf::detail {

namespace {

void multiply(double (&m)[2][2], double factor) {
  for (auto& row : m)
    for (double& x : row) x *= factor;
}

}  // namespace

void WeightedKinks::take(const TrackHits& track, const KinkSystem& system) {
  system_ = &system;
  theta0_2_.clear();
  for (std::size_t k = 1; k + 1 < system.hits.size(); ++k)
    theta0_2_.push_back(track.points[system.hits[k].point].theta0_2);
  scale_.assign(n_triplets(), 1);
}

void WeightedKinks::solve(bool hits, double kappa_0, bool) {
  hits_ = hits;
  const std::size_t n = n_triplets();
  scattering2_.resize(n);
  for (std::size_t j = 0; j < n; ++j)
    scattering2_[j] = scale_[j] * theta0_2_[j];
  passive_rows_.assign(n, PassiveRows<double>{});
  sums_ = system_->sums;
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const double scale =
        0.5 * (scale_[k > 0 ? k - 1 : 0] + scale_[k < n ? k : n - 1]);
    multiply(sums_[k].arriving, scale);
    multiply(sums_[k].leaving, scale);
    multiply(sums_[k].mixed, scale);
    add_passive_rows(sums_[k], k, n, passive_rows_.data());
  }
  const auto solve_with = [&]<class Columns>() {
    solve_band<Columns>(system_->rows.data(), n, scattering2_.data(), passive(),
                        kappa_0, steps_, solution_);
  };
  if (hits)
    solve_with.template operator()<HitAndTurnColumns>();
  else
    solve_with.template operator()<TurnColumns>();
}

SegmentErrors<double> WeightedKinks::errors(std::size_t segment, SegmentEnd end,
                                            ColumnRing<double>& ring) const {
  SegmentErrors<double> e;
  const auto set = [&]<class Columns>() {
    set_segment_errors<Columns>(system_->rows.data(), n_triplets(), passive(),
                                segment, end, steps_, ring, e);
  };
  if (hits_ && has_passive())
    set.template operator()<HitAndTurnColumns>();
  else if (hits_)
    set.template operator()<HitColumns>();
  else if (has_passive())
    set.template operator()<TurnColumns>();
  return e;
}

const Block<double>& WeightedKinks::turn_variances(std::size_t segment,
                                                   SegmentEnd end) const {
  const PassiveSums<double>& s = sums_[segment];
  return end == SegmentEnd::start ? s.leaving : s.arriving;
}

void WeightedKinks::set_shifts(double change,
                               std::vector<Vector2>& shifts) const {
  const std::size_t n = n_triplets();
  shifts.assign(n + 2, Vector2::Zero());
  if (!hits_) return;
  const auto weighted = weigh_residuals(steps_, change);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < 3; ++i)
      for (int c = 0; c < 2; ++c)
        for (std::size_t r = 0; r < 2; ++r)
          shifts[j + i][c] += system_->rows[j].shift[i][r][c] * weighted[j][r];
}

}  // namespace gttf::detail
