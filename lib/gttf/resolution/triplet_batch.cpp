// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/triplet_batch.hpp"

#include "gttf/core/kernels.hpp"

#include <algorithm>
#include <numeric>

namespace gttf::detail {

namespace {

double at(std::span<const double> values, std::size_t i) {
  return values[values.size() == 1 ? 0 : i];
}

}  // namespace

TripletGeometry::TripletGeometry(const TrackingGeometry& geometry)
    : lanes(geometry),
      search(kernels(simd_level()).covariance),
      fit(kernels(simd_level()).triplets) {
  for (const SurfaceRecord& s : geometry.surfaces())
    errors.push_back(hit_covariance(geometry.axes(s)));
}

TripletBatch::TripletBatch(const TripletGeometry& geometry,
                           Scattering scattering, const TrackArrays& tracks)
    : geometry_(geometry),
      tracks_(tracks),
      crossed_(geometry.lanes.surfaces.size()),
      arc_(crossed_.size()),
      crossed_by_(tracks.size),
      hit_lanes_(crossed_.size()),
      workspace_(geometry.fit.workspace(crossed_.size()) / sizeof(LaneValues) +
                 1),
      all_surfaces_(crossed_.size()) {
  std::iota(all_surfaces_.begin(), all_surfaces_.end(), 0u);
  task_.surfaces = geometry.lanes.surfaces.data();
  task_.errors = geometry.errors.data();
  task_.bz = geometry.lanes.bz;
  task_.scattering = scattering;
  task_.tracks = &lanes_;
  task_.hits = hit_lanes_.data();
  task_.workspace = reinterpret_cast<std::byte*>(workspace_.data());
}

double TripletBatch::momentum_of(std::size_t track) const {
  return at(tracks_.p, track);
}

bool TripletBatch::on_axis(std::size_t track) const {
  return at(tracks_.x, track) == 0 && at(tracks_.y, track) == 0;
}

void TripletBatch::set_lane(std::size_t lane, std::size_t track, double p) {
  lanes_.p.value[lane] = p;
  lanes_.theta.value[lane] = at(tracks_.theta, track);
  lanes_.phi.value[lane] = at(tracks_.phi, track);
  lanes_.mass.value[lane] = at(tracks_.mass, track);
  lanes_.charge.value[lane] = at(tracks_.charge, track);
  lanes_.x.value[lane] = at(tracks_.x, track);
  lanes_.y.value[lane] = at(tracks_.y, track);
  lanes_.z.value[lane] = at(tracks_.z, track);
}

void TripletBatch::search() {
  LaneSearch task;
  task.surfaces = geometry_.lanes.surfaces.data();
  task.n_surfaces = crossed_.size();
  task.bz = geometry_.lanes.bz;
  task.tracks = &lanes_;
  task.crossed = crossed_.data();
  task.arc = arc_.data();
  geometry_.search.search(task);
}

const std::vector<std::size_t>& TripletBatch::hits_of_lane(std::size_t lane,
                                                           std::size_t track) {
  hits_.clear();
  std::vector<unsigned>& crossed = crossed_by_[track];
  crossed.clear();
  for (const unsigned i : all_surfaces_) {
    if ((crossed_[i] >> lane & 1) == 0) continue;
    crossed.push_back(i);
    if (geometry_.lanes.surfaces[i].record.measures()) hits_.push_back(i);
  }
  std::ranges::stable_sort(hits_, {},
                           [&](std::size_t i) { return arc_[i].value[lane]; });
  return hits_;
}

void TripletBatch::set_candidates(std::span<const AskedXi> asked,
                                  std::span<const std::size_t> group) {
  candidates_ = crossed_by_[asked[group[0]].track];
  for (std::size_t lane = 1; lane < group.size(); ++lane) {
    const std::size_t track = asked[group[lane]].track;
    if (track == asked[group[lane - 1]].track) continue;
    if (crossed_by_[track] == candidates_) continue;
    candidates_.insert(candidates_.end(), crossed_by_[track].begin(),
                       crossed_by_[track].end());
    std::ranges::sort(candidates_);
    // clang 14 cannot have std::ranges::unique of this library
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()),
                      candidates_.end());
  }
  task_.candidates = candidates_.data();
  task_.n_candidates = candidates_.size();
}

void TripletBatch::fit_group(std::span<const AskedXi> asked,
                             std::span<const std::size_t> group) {
  const auto for_each_hit = [&](const auto& work) {
    for (std::size_t lane = 0; lane < group.size(); ++lane)
      for (std::size_t k = 0; k < 3; ++k)
        work(hit_lanes_[asked[group[lane]].layers[k]][k], lane);
  };
  for_each_hit(
      [](LaneBits& lanes, std::size_t lane) { lanes |= LaneBits{1} << lane; });
  geometry_.fit.fit(task_);
  for_each_hit([](LaneBits& lanes, std::size_t) { lanes = 0; });
}

void TripletBatch::significances(std::span<const AskedXi> asked,
                                 std::span<double> xi) {
  task_.out = nullptr;
  task_.candidates = all_surfaces_.data();
  task_.n_candidates = all_surfaces_.size();
  for_each_group(
      asked.size(), [&](std::size_t i) { return asked[i].track; },
      [&](std::size_t i) { return asked[i].p; },
      [&](std::span<const std::size_t> group) {
        fit_group(asked, group);
        for (std::size_t lane = 0; lane < group.size(); ++lane)
          xi[group[lane]] = task_.xi.value[lane];
      });
}

void TripletBatch::fit(std::span<const AskedXi> asked,
                       const RegimeThresholds& thresholds, TripletArrays& to) {
  const std::size_t n = asked.size();
  const std::pair<std::vector<double>*, TripletPlane> columns[] = {
      {&to.gamma_phi, TripletPlane::gamma_phi},
      {&to.gamma_theta, TripletPlane::gamma_theta},
      {&to.gamma_phi_theta, TripletPlane::gamma_phi_theta},
      {&to.sigma_ms, TripletPlane::sigma_ms},
      {&to.b_ms, TripletPlane::b_ms},
      {&to.mu_phi, TripletPlane::mu_phi},
      {&to.mu_theta, TripletPlane::mu_theta},
      {&to.xi_ms, TripletPlane::xi_ms},
      {&to.xi_ms_limit, TripletPlane::xi_ms_limit}};
  for (const auto& [column, plane] : columns) column->resize(n);
  to.xi.resize(n);
  to.p_significant.assign(n, Resolution::none);
  to.layers.resize(n);
  to.recurls.assign(n, 0);
  to.arms.resize(n);
  to.regime.resize(n);
  const auto value = [&](TripletPlane plane, std::size_t lane) {
    return out_[static_cast<std::size_t>(plane)].value[lane];
  };
  task_.out = out_.data();
  for_each_group(
      n, [&](std::size_t i) { return asked[i].track; },
      [&](std::size_t i) { return asked[i].p; },
      [&](std::span<const std::size_t> group) {
        set_candidates(asked, group);
        fit_group(asked, group);
        for (std::size_t lane = 0; lane < group.size(); ++lane) {
          const std::size_t i = group[lane];
          for (const auto& [column, plane] : columns)
            (*column)[i] = value(plane, lane);
          to.layers[i] = asked[i].layers;
          to.arms[i] = {value(TripletPlane::first_arm, lane),
                        value(TripletPlane::second_arm, lane)};
          to.xi[i] = task_.xi.value[lane];
          to.regime[i] = classify(to.mu_phi[i], to.xi[i], thresholds);
        }
      });
}

}  // namespace gttf::detail
