// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/module_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gttf/resolution/slowing_helix.hpp"
#include "gttf/trajectory/kinetic_energy.hpp"
#include "gttf/trajectory/module_index.hpp"

namespace gttf::detail {

bool ModuleSearch::follow(const Track& track,
                          const std::vector<ModuleAhead>& others) {
  const auto start = make_line<double>(track, geometry_.bz());
  // a larger margin only takes more time
  for (double part = 1. / 64; part < 1; part *= 4) {
    const End end = follow(track, start, others, part * std::abs(start.c));
    if (end != End::bends_more) return end == End::found;
  }
  return false;
}

ModuleSearch::End ModuleSearch::follow(const Track& track,
                                       const Line<double>& start,
                                       const std::vector<ModuleAhead>& others,
                                       double spare) {
  ahead_.clear();
  passed_.clear();
  n_others_ = 0;
  if (find_modules_ahead(geometry_, start, spare, near_, ahead_))
    return End::lost;
  std::ranges::sort(ahead_, {}, &ModuleAhead::earliest);
  const double rest = loss_.rest_energy, most = std::abs(start.c) + spare;
  Line<double> at = start;
  double p = track.p, kinetic = kinetic_energy(p, rest), flown = 0;
  for (ElementPower<double>& medium : media_) medium.from = medium.to = 0;
  const ModuleIndex& modules = *geometry_.modules();
  // up to the others among them: if they change the helix, it may meet modules
  // that were not ahead
  while ((!ahead_.empty() || n_others_ < others.size()) &&
         !modules.has_passed_all(at)) {
    // the first one that is met
    std::optional<Crossing<double>> first;
    std::size_t which = 0;
    for (std::size_t i = 0; i < ahead_.size();) {
      const ModuleAhead& module = ahead_[i];
      if (first && module.earliest > flown + first->arc) break;
      const auto x = cross(at, module.surface);
      if (!x && module.is_sure) return End::lost;
      if (!x && module.latest <= flown) {
        ahead_.erase(ahead_.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      if (x && (!first || x->arc < first->arc)) {
        first = x;
        which = i;
      }
      ++i;
    }
    // or another surface before it
    const double until =
        first ? flown + first->arc : std::numeric_limits<double>::infinity();
    bool is_module = first.has_value();
    for (; n_others_ < others.size(); ++n_others_) {
      const ModuleAhead& other = others[n_others_];
      if (other.earliest > until) break;
      const auto x = cross(at, other.surface);
      if (!x) continue;
      if (!first || x->arc < first->arc) {
        first = x;
        is_module = false;
      }
      break;
    }
    if (!first) break;
    const unsigned surface =
        is_module ? ahead_[which].surface : others[n_others_++].surface;
    if (is_module)
      ahead_.erase(ahead_.begin() + static_cast<std::ptrdiff_t>(which));
    passed_.push_back({surface, first->arc, first->x_over_x0});
    HelixPlace<double>(at, *first).put_into(at);
    flown += first->arc;
    const LayerIncidence<double> incidence(geometry_.surfaces()[surface],
                                           first->cos_psi, first->sin_psi,
                                           at.sin_theta, at.cos_theta);
    kinetic = loss_in_layer<double>(
                  loss_, surface, media_.data(), track.charge * track.charge,
                  incidence.paths, std::abs(incidence.cosine), kinetic)
                  .kinetic;
    const double behind = momentum_of_kinetic(kinetic, rest);
    at.kappa *= p / behind;
    at.c = at.kappa * at.inv_sin_theta;
    p = behind;
    if (!(kinetic > 0)) return End::lost;
    if (!(std::abs(at.c) <= most) && !modules.has_passed_all(at))
      return End::bends_more;
  }
  return End::found;
}

std::optional<Crossing<double>> ModuleSearch::cross(const Line<double>& at,
                                                    unsigned surface) const {
  const SurfaceRecord& s = geometry_.surfaces()[surface];
  Crossing<double> x;
  if (s.kind != SurfaceRecord::Kind::inclined) {
    x.arc = 0;
    if (!find_crossing(at, s, x).crossed) return std::nullopt;
    return x;
  }
  const RectangleCrossing found = cross_rectangle(at, s, s.position);
  if (!(std::abs(found.slope) * at.sin_theta >= min_cos_incidence) ||
      !(found.arc >= -longest_arc_at_start))
    return std::nullopt;
  cross_inclined(
      at, s, refined_arc(at, PlaneGap<double>(at, s, s.position), found.arc),
      s.x_over_x0, x);
  return x;
}

}  // namespace gttf::detail
