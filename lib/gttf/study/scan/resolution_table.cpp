// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/resolution_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gttf {

namespace {

double sigma(const Matrix5& m, int i, double unit) {
  return std::sqrt(m(i, i)) / unit;
}

/// "leaves", "curls up", or where and why it ends otherwise.
std::string end_text(const Detector& detector, const Resolution& r) {
  if (r.left_map)
    return fmt::format("leaves the field map at ({:.6g}, {:.6g}, {:.6g}) mm",
                       r.left_map->x(), r.left_map->y(), r.left_map->z());
  if (r.stopped && !r.crossings.empty())
    return "stops in " + detector.layers[r.crossings.back().layer].name;
  return std::string(to_string(r.end));
}

}  // namespace

bool along_beam(const Detector& detector, const Track& track) {
  const Field& field = detector.field;
  const bool barrel = field.kind == FieldKind::solenoid ||
                      (field.kind == FieldKind::map && field.axis == Axis::z);
  constexpr double near = 20 * unit::deg;
  return !barrel && std::sin(track.theta) < std::sin(near);
}

bool along_beam(const StudyRequest& request,
                std::span<const Detector> detectors) {
  return std::ranges::all_of(detectors, [&](const Detector& detector) {
    return std::ranges::all_of(
        grid_points(request), [&](const GridPoint& point) {
          return along_beam(detector, grid_track(request, point));
        });
  });
}

ResolutionColumns::ResolutionColumns(std::size_t tracks)
    : perigee(15 * tracks),
      start_plane(15 * tracks),
      x_over_x0(tracks),
      p_rel(tracks),
      pt_rel(tracks),
      hit_only(tracks),
      ms_only(tracks),
      mu_phi(tracks),
      mu_theta(tracks),
      xi(tracks),
      n_hits(tracks),
      status(tracks),
      end(tracks) {}

ResolutionArrays ResolutionColumns::views() {
  ResolutionArrays r;
  r.perigee = perigee;
  r.start_plane = start_plane;
  r.sigma_p_rel = p_rel;
  r.sigma_pt_rel = pt_rel;
  r.xi = xi;
  r.x_over_x0 = x_over_x0;
  r.sigma_p_rel_hit_only = hit_only;
  r.sigma_p_rel_ms_only = ms_only;
  r.mu_phi = mu_phi;
  r.mu_theta = mu_theta;
  r.n_hits = n_hits;
  r.status = status;
  r.end = end;
  return r;
}

double ResolutionColumns::sigma(Perigee::Index parameter,
                                std::size_t track) const {
  const auto i = static_cast<std::size_t>(parameter);
  return std::sqrt(perigee[i * (i + 3) / 2 * xi.size() + track]);
}

double ResolutionColumns::sigma_at_start(std::size_t row,
                                         std::size_t track) const {
  return std::sqrt(start_plane[row * (row + 3) / 2 * xi.size() + track]);
}

void ResolutionTable::reserve(std::size_t rows) {
  point_.reserve(rows);
  for (Texts* c : {&regime_, &status_, &end_}) c->reserve(rows);
  for (Integers* c : {&n_hits_, &n_triplets_}) c->reserve(rows);
  for (Reals* c : {&x_over_x0_, &p_rel_, &pt_rel_, &qop_, &d0_, &z0_, &phi0_,
                   &sigma_theta_, &hit_only_, &ms_only_, &mu_phi_, &mu_theta_,
                   &xi_, &x_, &y_, &tx_, &ty_})
    c->reserve(rows);
}

void ResolutionTable::add(const Detector& detector, const StudyRequest& request,
                          GridPoint point, const Resolution& r) {
  point_.add(detector, request, point);
  n_hits_.push_back(r.n_hits);
  n_triplets_.push_back(std::max(0, r.n_hits - 2));
  x_over_x0_.push_back(r.x_over_x0);
  p_rel_.push_back(r.sigma_p_rel);
  pt_rel_.push_back(r.sigma_pt_rel);
  qop_.push_back(sigma(r.perigee, Perigee::qop, 1));
  d0_.push_back(sigma(r.perigee, Perigee::d0, unit::um));
  z0_.push_back(sigma(r.perigee, Perigee::z0, unit::um));
  phi0_.push_back(sigma(r.perigee, Perigee::phi, unit::mrad));
  sigma_theta_.push_back(sigma(r.perigee, Perigee::theta, unit::mrad));
  hit_only_.push_back(r.sigma_p_rel_hit_only);
  ms_only_.push_back(r.sigma_p_rel_ms_only);
  mu_phi_.push_back(r.mu_phi);
  mu_theta_.push_back(r.mu_theta);
  xi_.push_back(r.xi);
  regime_.emplace_back(to_string(r.regime));
  status_.emplace_back(to_string(r.status));
  end_.push_back(end_text(detector, r));
  x_.push_back(sigma(r.start_plane, 0, unit::um));
  y_.push_back(sigma(r.start_plane, 1, unit::um));
  tx_.push_back(sigma(r.start_plane, 2, unit::mrad));
  ty_.push_back(sigma(r.start_plane, 3, unit::mrad));
  at_.add(request, r);
  if (std::isfinite(d0_.back())) ++evaluated_;
}

void ResolutionTable::add(const Detector& detector, const StudyRequest& request,
                          std::size_t first, const TrackArrays& tracks,
                          const ResolutionColumns& r) {
  reserve(rows() + tracks.size);
  const auto append = [](Reals& to, const Reals& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(x_over_x0_, r.x_over_x0);
  append(p_rel_, r.p_rel);
  append(pt_rel_, r.pt_rel);
  append(hit_only_, r.hit_only);
  append(ms_only_, r.ms_only);
  append(mu_phi_, r.mu_phi);
  append(mu_theta_, r.mu_theta);
  append(xi_, r.xi);
  for (std::size_t t = 0; t < tracks.size; ++t) {
    const Track track = tracks.track(t);
    point_.add(detector, request, grid_point(request, first + t), track.p,
               track.theta);
    n_hits_.push_back(r.n_hits[t]);
    n_triplets_.push_back(std::max(0, r.n_hits[t] - 2));
    qop_.push_back(r.sigma(Perigee::qop, t));
    d0_.push_back(r.sigma(Perigee::d0, t) / unit::um);
    z0_.push_back(r.sigma(Perigee::z0, t) / unit::um);
    phi0_.push_back(r.sigma(Perigee::phi, t) / unit::mrad);
    sigma_theta_.push_back(r.sigma(Perigee::theta, t) / unit::mrad);
    regime_.emplace_back(to_string(classify(r.mu_phi[t], r.xi[t])));
    status_.emplace_back(to_string(r.status[t]));
    end_.emplace_back(to_string(r.end[t]));
    x_.push_back(r.sigma_at_start(0, t) / unit::um);
    y_.push_back(r.sigma_at_start(1, t) / unit::um);
    tx_.push_back(r.sigma_at_start(2, t) / unit::mrad);
    ty_.push_back(r.sigma_at_start(3, t) / unit::mrad);
    if (std::isfinite(d0_.back())) ++evaluated_;
  }
}

Table ResolutionTable::take() && {
  Table t;
  t.columns.reserve(39);
  const auto put = [&t](const char* name, auto& cells) {
    t.columns.push_back({name, std::move(cells)});
  };
  std::move(point_).move_to(t);
  put("n_hits", n_hits_);
  put("n_triplets", n_triplets_);
  put("x_over_x0", x_over_x0_);
  put("sigma_p_rel", p_rel_);
  put("sigma_pt_rel", pt_rel_);
  put("sigma_qop_per_GeV", qop_);
  put("sigma_d0_um", d0_);
  put("sigma_z0_um", z0_);
  put("sigma_phi0_mrad", phi0_);
  put("sigma_theta_mrad", sigma_theta_);
  put("sigma_p_rel_hit_only", hit_only_);
  put("sigma_p_rel_ms_only", ms_only_);
  put("mu_phi", mu_phi_);
  put("mu_theta", mu_theta_);
  put("xi", xi_);
  put("regime", regime_);
  put("status", status_);
  put("track_end", end_);
  put("sigma_x_um", x_);
  put("sigma_y_um", y_);
  put("sigma_tx_mrad", tx_);
  put("sigma_ty_mrad", ty_);
  std::move(at_).move_to(t);
  return t;
}

}  // namespace gttf
