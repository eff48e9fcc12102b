// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/triplet_batch.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "gttf/core/kernels.hpp"
#include "gttf/fit/triplet/in_plane_arc.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/recurling_track.hpp"
#include "gttf/trajectory/module_index.hpp"

namespace gttf::detail {

namespace {

double at(std::span<const double> values, std::size_t i) {
  return values[values.size() == 1 ? 0 : i];
}

void sort_once(std::vector<unsigned>& list) {
  std::ranges::sort(list);
  // clang 14 does not compile std::ranges::unique of this library
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

TripletRegime make_regime(const KinkErrors<double>& hits,
                          const std::array<double, 2>& arms,
                          const LocalResult<double>& fit,
                          const RegimeThresholds& thresholds) {
  TripletRegime r;
  r.gamma_phi = hits.phi;
  r.gamma_theta = hits.theta;
  r.gamma_phi_theta = hits.theta_phi;
  r.sigma_ms = fit.sigma_ms;
  r.b_ms = fit.b_ms;
  r.arms = arms;
  r.length = arms[0] + arms[1];
  r.mu_phi = fit.mu_phi;
  r.mu_theta = fit.mu_theta;
  r.xi = fit.xi;
  r.xi_ms = fit.xi_ms;
  r.xi_ms_limit = fit.xi_ms_limit;
  r.regime = classify(r.mu_phi, r.xi, thresholds);
  return r;
}

using Hits = std::array<const TripletPoint*, 3>;

HitCovariance<double> covariance_of(const TripletPoint& hit) {
  return hit_covariance(axes_in_doubles(hit.coordinates));
}

/// Of the helix through three hits.
LocalTriplet<double> triplet_of_helix(const Hits& hits) {
  std::array<LocalHit<double>, 3> local;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 &u = hits[k]->u, &v = hits[k]->v;
    local[k] = {cartesian(hits[k]->position),
                {{u.x(), u.y(), u.z()}, {v.x(), v.y(), v.z()}},
                covariance_of(*hits[k])};
  }
  return helix_triplet(local);
}

/// The two arcs of a traced track: the kink is the direction of the second arc
/// at the middle hit minus the direction of the first.
LocalTriplet<double> triplet_of_arcs(const TripletTrack& track,
                                     const Hits& hits) {
  const InPlaneArc<double> in = make_arc<double>(track, *hits[0], *hits[1]);
  const InPlaneArc<double> out = make_arc<double>(track, *hits[1], *hits[2]);
  LocalTriplet<double> local;
  const Eigen::Vector2d rho = out.start.by_kappa - in.end.by_kappa;
  local.rho_theta = rho[0];
  local.rho_phi = rho[1];
  const std::array<Eigen::Matrix2d, 3> by_shift = {
      -in.end.by_start, out.start.by_start - in.end.by_end, out.start.by_end};
  for (std::size_t k = 0; k < 3; ++k) {
    const Eigen::Matrix2d& m = by_shift[k];
    add_hit(KinksByShift<double>{m(0, 0), m(0, 1), m(1, 0), m(1, 1)},
            covariance_of(*hits[k]), local.hits);
  }
  local.inv_sin2 = inverse_sine_squared(track, *hits[1]);
  local.arms = {in.length, out.length};
  local.small_bending_limit = Resolution::none;
  return local;
}

/// Variance of the scattering angle in a plane, from the middle layer and, with
/// their lever arms, from layers between the hits.
double scattering_part(const TripletTrack& track,
                       const std::array<std::size_t, 3>& hits) {
  const auto at = [&](std::size_t k) {
    return cartesian(track.crossings[k].position);
  };
  double sum = 0;
  for (std::size_t k = hits[0] + 1; k < hits[2]; ++k) {
    const std::size_t end = k <= hits[1] ? hits[0] : hits[2];
    sum += squared_lever(at(k), at(end), at(hits[1])) *
           track.crossings[k].kink_variance;
  }
  return sum;
}

TripletRegime fit_crossings(const TripletTrack& track,
                            const std::array<std::size_t, 3>& crossings,
                            const RegimeThresholds& thresholds) {
  Hits hits;
  for (std::size_t k = 0; k < 3; ++k) hits[k] = &track.crossings[crossings[k]];
  LocalTriplet<double> t =
      track.traced ? triplet_of_arcs(track, hits) : triplet_of_helix(hits);
  t.variance = scattering_part(track, crossings);
  return make_regime(t.hits, t.arms, fit_locally(t, track.kappa), thresholds);
}

/// The first crossing of each surface of a track.
class FirstCrossings {
 public:
  explicit FirstCrossings(const AnyTrack& track)
      : of_surface_(track.geometry().surfaces().size(), nowhere) {
    for (std::size_t k = track.size(); k-- > 0;)
      of_surface_[track.surface(k)] = k;
  }
  std::optional<std::size_t> of(std::size_t surface) const {
    const std::size_t k = of_surface_[surface];
    return k == nowhere ? std::nullopt : std::optional(k);
  }

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::vector<std::size_t> of_surface_;
};

/// Empty if the track does not cross the three layers in this order.
TripletRegime fit_layers(const FirstCrossings& first,
                         const TripletTrack& triplets,
                         const std::array<std::size_t, 3>& layers,
                         const RegimeThresholds& thresholds) {
  std::array<std::size_t, 3> crossings{};
  TripletRegime r;
  r.layers = layers;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto k = first.of(layers[i]);
    if (!k || (i > 0 && *k <= crossings[i - 1])) return r;
    crossings[i] = *k;
  }
  r = fit_crossings(triplets, crossings, thresholds);
  r.layers = layers;
  return r;
}

std::vector<unsigned> all_layers(const TrackingGeometry& geometry) {
  std::vector<unsigned> all(geometry.surfaces().size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

}  // namespace

TripletGeometry::TripletGeometry(const TrackingGeometry& geometry)
    : batch(geometry, all_layers(geometry)),
      between(geometry.surfaces()),
      modules(geometry.modules()),
      search(kernels(simd_level()).covariance),
      fit(kernels(simd_level()).triplets) {
  for (const SurfaceRecord& s : geometry.surfaces())
    errors.push_back(hit_covariance(geometry.axes(s)));
}

TripletBatch::TripletBatch(const TripletGeometry& geometry,
                           Scattering scattering, const TrackArrays& tracks)
    : geometry_(geometry),
      tracks_(tracks),
      near_(geometry.batch.surfaces.size()),
      crossed_(near_.size()),
      arc_(crossed_.size()),
      hit_tracks_(crossed_.size()),
      workspace_(geometry.fit.workspace(crossed_.size()) / sizeof(PackValues) +
                 1) {
  std::iota(near_.begin(), near_.end(), 0u);
  task_.surfaces = geometry.batch.surfaces.data();
  task_.errors = geometry.errors.data();
  task_.bz = geometry.batch.bz;
  task_.scattering = scattering;
  task_.tracks = &elements_;
  task_.hits = hit_tracks_.data();
  task_.workspace = reinterpret_cast<std::byte*>(workspace_.data());
}

double TripletBatch::momentum_of(std::size_t track) const {
  return at(tracks_.p, track);
}

bool TripletBatch::on_axis(std::size_t track) const {
  return at(tracks_.x, track) == 0 && at(tracks_.y, track) == 0;
}

void TripletBatch::set_element(std::size_t element, std::size_t track,
                               double p) {
  elements_.p.value[element] = p;
  elements_.theta.value[element] = at(tracks_.theta, track);
  elements_.phi.value[element] = at(tracks_.phi, track);
  elements_.mass.value[element] = at(tracks_.mass, track);
  elements_.charge.value[element] = at(tracks_.charge, track);
  elements_.x.value[element] = at(tracks_.x, track);
  elements_.y.value[element] = at(tracks_.y, track);
  elements_.z.value[element] = at(tracks_.z, track);
}

Line<double> TripletBatch::line_of_element(std::size_t element) const {
  const auto of = [element](const PackValues& x) { return x.value[element]; };
  return make_line(TrackValues<double>{of(elements_.p), of(elements_.theta),
                                       of(elements_.phi), of(elements_.mass),
                                       of(elements_.charge), of(elements_.x),
                                       of(elements_.y), of(elements_.z)},
                   geometry_.batch.bz, elements_.on_axis);
}

void TripletBatch::find_near(std::size_t n) {
  if (geometry_.modules == nullptr) return;  // all surfaces
  const ModuleIndex& modules = *geometry_.modules;
  near_.assign(modules.others().begin(), modules.others().end());
  for (std::size_t element = 0; element < n; ++element)
    modules.find(line_of_element(element), near_);
  sort_once(near_);
}

void TripletBatch::search(std::span<const unsigned> surfaces) {
  BatchSearch task;
  task.surfaces = geometry_.batch.surfaces.data();
  if (surfaces.size() < geometry_.batch.surfaces.size()) {
    searched_.clear();
    for (const unsigned i : surfaces)
      searched_.push_back(geometry_.batch.surfaces[i]);
    task.surfaces = searched_.data();
  }
  task.n_surfaces = surfaces.size();
  task.bz = geometry_.batch.bz;
  task.tracks = &elements_;
  task.crossed = crossed_.data();
  task.arc = arc_.data();
  geometry_.search.search(task);
}

const std::vector<std::size_t>& TripletBatch::hits_of_element(
    std::size_t element) {
  hits_.clear();
  for (std::size_t k = 0; k < near_.size(); ++k)
    if ((crossed_[k] >> element & 1) != 0 &&
        geometry_.batch.surfaces[near_[k]].record.measures())
      hits_.push_back(k);
  std::ranges::stable_sort(
      hits_, {}, [&](std::size_t k) { return arc_[k].value[element]; });
  for (std::size_t& hit : hits_) hit = near_[hit];
  return hits_;
}

StretchBounds TripletBatch::stretches(std::span<const AskedXi> asked,
                                      std::span<const std::size_t> group) {
  search(candidates_);
  StretchBounds bounds;
  for (std::size_t element = 0; element < group.size(); ++element) {
    const Line<double> line = line_of_element(element);
    std::array<double, 2> arcs{};
    std::array<std::pair<double, double>, 2> ends;  // r, z
    bool crosses_both = true;
    for (const std::size_t end : {0u, 1u}) {
      const std::size_t layer = asked[group[element]].layers[2 * end];
      const auto k = static_cast<std::size_t>(
          std::ranges::lower_bound(candidates_, layer) - candidates_.begin());
      crosses_both = crosses_both && (crossed_[k] >> element & 1) != 0;
      arcs[end] = arc_[k].value[element];
      Crossing<double> x;
      set_from_arc(line, arcs[end], x);
      const Cartesian<double> point = position_at(line, x);
      ends[end] = {std::hypot(point.x, point.y), point.z};
    }
    if (crosses_both)
      bounds.include(ends[0], ends[1], std::abs(arcs[1] - arcs[0]));
  }
  return bounds;
}

void TripletBatch::find_candidates(std::span<const AskedXi> asked,
                                   std::span<const std::size_t> group) {
  find_near(group.size());
  // to look for the hits first takes longer than to look at a few surfaces
  constexpr std::size_t few = 48;
  const bool all_count = task_.scattering == Scattering::highland_total;
  candidates_.clear();
  if (all_count || near_.size() <= few) {
    candidates_ = near_;
  } else {
    for (const std::size_t i : group)
      for (const std::size_t layer : asked[i].layers)
        candidates_.push_back(static_cast<unsigned>(layer));
    sort_once(candidates_);
    geometry_.between.find(stretches(asked, group), candidates_);
    const std::span<const unsigned> others =
        geometry_.modules != nullptr ? std::span<const unsigned>(near_)
                                     : geometry_.between.others();
    for (const unsigned i : others)
      if (!SurfacesBetween::has_place(geometry_.batch.surfaces[i].record))
        candidates_.push_back(i);
    sort_once(candidates_);
  }
  task_.candidates = candidates_.data();
  task_.n_candidates = candidates_.size();
}

void TripletBatch::fit_group(std::span<const AskedXi> asked,
                             std::span<const std::size_t> group) {
  const auto for_each_hit = [&](const auto& work) {
    for (std::size_t element = 0; element < group.size(); ++element)
      for (std::size_t k = 0; k < 3; ++k)
        work(hit_tracks_[asked[group[element]].layers[k]][k], element);
  };
  for_each_hit([](TrackBits& elements, std::size_t element) {
    elements |= TrackBits{1} << element;
  });
  geometry_.fit.fit(task_);
  for_each_hit([](TrackBits& elements, std::size_t) { elements = 0; });
}

void TripletBatch::significances(std::span<const AskedXi> asked,
                                 std::span<double> xi) {
  task_.out = nullptr;
  for_each_group(
      asked.size(), [&](std::size_t i) { return asked[i].track; },
      [&](std::size_t i) { return asked[i].p; },
      [&](std::span<const std::size_t> group) {
        find_candidates(asked, group);
        fit_group(asked, group);
        for (std::size_t element = 0; element < group.size(); ++element)
          xi[group[element]] = task_.xi.value[element];
      });
}

std::vector<TripletRegime> TripletBatch::fit(
    std::span<const AskedXi> asked, const RegimeThresholds& thresholds) {
  std::vector<TripletRegime> list(asked.size());
  task_.out = out_.data();
  for_each_group(
      asked.size(), [&](std::size_t i) { return asked[i].track; },
      [&](std::size_t i) { return asked[i].p; },
      [&](std::span<const std::size_t> group) {
        find_candidates(asked, group);
        fit_group(asked, group);
        for (std::size_t element = 0; element < group.size(); ++element) {
          const std::size_t i = group[element];
          const auto value = [&](TripletPlane plane) {
            return out_[static_cast<std::size_t>(plane)].value[element];
          };
          list[i] = make_regime(
              {value(TripletPlane::gamma_theta),
               value(TripletPlane::gamma_phi_theta),
               value(TripletPlane::gamma_phi)},
              {value(TripletPlane::first_arm), value(TripletPlane::second_arm)},
              {.sigma_ms = value(TripletPlane::sigma_ms),
               .b_ms = value(TripletPlane::b_ms),
               .xi_ms_limit = value(TripletPlane::xi_ms_limit),
               .xi_ms = value(TripletPlane::xi_ms),
               .mu_theta = value(TripletPlane::mu_theta),
               .mu_phi = value(TripletPlane::mu_phi),
               .xi = task_.xi.value[element]},
              thresholds);
          list[i].layers = asked[i].layers;
        }
      });
  return list;
}

std::vector<std::size_t> TracedTriplets::hits_of(std::size_t t) const {
  const AnyTrack track(geometry_, tracks_.track(t), model_);
  std::vector<std::size_t> hits;
  for (std::size_t k = 0; k < track.size(); ++k)
    if (track.geometry().surfaces()[track.surface(k)].measures())
      hits.push_back(track.surface(k));
  return hits;
}

std::vector<TripletRegime> TracedTriplets::fit(
    std::span<const AskedXi> asked, const RegimeThresholds& thresholds) const {
  std::vector<TripletRegime> list;
  std::optional<FirstCrossings> first;
  TripletTrack triplets;
  const AskedXi* of = nullptr;  // the track it belongs to
  for (const AskedXi& a : asked) {
    if (of == nullptr || of->track != a.track || of->p != a.p) {
      Track at = tracks_.track(a.track);
      at.p = a.p;
      const AnyTrack track(geometry_, at, model_);
      triplets = track.triplets(nullptr, false);
      first.emplace(track);
      of = &a;
    }
    list.push_back(fit_layers(*first, triplets, a.layers, thresholds));
  }
  return list;
}

std::vector<double> TracedTriplets::xi_at(
    std::size_t track, double p,
    std::span<const XiBetween::Layers> triplets) const {
  std::vector<AskedXi> asked;
  for (const XiBetween::Layers& layers : triplets)
    asked.push_back({track, p, layers});
  std::vector<double> xi;
  for (const TripletRegime& r : fit(asked, {})) xi.push_back(r.xi);
  return xi;
}

void TracedTriplets::significances(std::span<const AskedXi> asked,
                                   std::span<double> xi) {
  std::map<std::size_t, std::vector<XiBetween::Layers>> new_tracks;
  for (const AskedXi& a : asked)
    if (!known_.contains(a.track)) new_tracks[a.track].push_back(a.layers);
  for (auto& [track, triplets] : new_tracks)
    known_.emplace(track, XiBetween(std::move(triplets)));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const AskedXi& a = asked[i];
    XiBetween& known = known_.at(a.track);
    const auto add = [&](double p) {
      known.add(p, xi_at(a.track, p, known.triplets()));
    };
    if (const auto beside = known.beside(a.p)) add(*beside);
    if (!known.at(a.layers, a.p)) add(a.p);
    xi[i] = *known.at(a.layers, a.p);
  }
}

std::vector<TripletRegime> recurling_triplets(
    const TrackingGeometry& geometry, const Track& track,
    const Scattering model, const RegimeThresholds& thresholds) {
  const RecurlingTrack t = recurling_track(geometry, track, model);
  std::vector<TripletRegime> list;
  const std::size_t n = t.layers.size();
  for (std::size_t k = std::max<std::size_t>(2, n - t.n_inward); k < n; ++k) {
    TripletRegime& r = list.emplace_back(
        fit_crossings(t.track, {k - 2, k - 1, k}, thresholds));
    r.layers = {t.layers[k - 2], t.layers[k - 1], t.layers[k]};
    r.recurls = true;
  }
  return list;
}

}  // namespace gttf::detail
