// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/headroom.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "gttf/core/root.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/layer_errors.hpp"

namespace gttf {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double tolerance = 1e-11;  // relative, of a limit

double reference_of(const Detector& detector) {
  return TrackingGeometry(detector).b_ref();
}

class Search {
 public:
  Search(const Detector& detector, const Track& track, const Model& model,
         const Requirement& requirement)
      : detector_(detector),
        track_(track),
        model_(model),
        requirement_(requirement) {}

  /// Without the limits, which no requirement is about.
  template <class Change>
  Resolution resolve_with(const Change& change) const {
    Detector changed = detector_;
    change(changed);
    const TrackingGeometry geometry(changed);
    return detail::resolve(detail::AnyTrack(geometry, track_, model_), model_,
                           detail::Limits::left_out);
  }

  /// ln(sigma/limit) after `change`: at most 0 if the requirement is met. A
  /// sigma equal to its limit except for rounding meets it, independently of
  /// the notation of the present value.
  template <class Change>
  double excess(const Change& change) const {
    const Resolution r = resolve_with(change);
    const double sigma = errors_of(r)[requirement_.parameter];
    constexpr double rounding = 1e-11;
    return std::isnan(sigma) ? infinite
                             : std::log(sigma / requirement_.limit) - rounding;
  }

  bool is_met() const {
    return excess([](Detector&) {}) <= 0;
  }

  /// The value of a parameter, above `present`, at which the requirement first
  /// fails; `set_value` sets it. If it fails at present: the value below at
  /// which it is first met.
  template <class SetValue>
  double largest(double present, double most, const SetValue& set_value) const {
    const auto at = [&](double logarithm) {
      return excess([&](Detector& d) { set_value(d, std::exp(logarithm)); });
    };
    const double here = std::log(present), least = here + std::log(1e-9);
    const double sign = at(here) <= 0 ? 1 : -1;
    const auto along = [&](double u) { return sign * at(here + sign * u); };
    const auto found =
        first_change(along, sign > 0 ? std::log(most) - here : here - least);
    if (found)
      return std::exp(
          here + sign * find_root(along, found->good, found->bad, tolerance));
    return sign > 0 ? infinite : Resolution::none;
  }

  /// The position closest to `present` on one side (`direction` 1 or -1),
  /// within `reach`, at which the requirement begins to fail or to be met; NaN
  /// if there is none. `set_value` moves the layers.
  template <class SetValue>
  double change_of_position(double present, double direction, double reach,
                            const SetValue& set_value) const {
    // distances increase linearly at first, then by a factor
    const double scale = std::max(std::abs(present), 1 * unit::mm);
    const auto place = [&](double u) {
      return present + direction * scale * std::expm1(u);
    };
    const double sign =
        excess([&](Detector& d) { set_value(d, present); }) <= 0 ? 1 : -1;
    const auto at = [&](double u) {
      return sign * excess([&](Detector& d) { set_value(d, place(u)); });
    };
    constexpr int fewest_steps = 16;
    const double end = std::log1p(reach / scale);
    const auto found =
        first_step(at, 0, end, std::min(step, end / fewest_steps));
    if (!found) return Resolution::none;
    return place(find_root(at, found->good, found->bad, tolerance));
  }

  /// Maximum move of a position to one side, at most `most`, and the obstacle.
  template <class SetValue>
  std::pair<double, MoveEnd> reach(double present, double direction,
                                   double most, const LayerSet& moved,
                                   const SetValue& set_value) const {
    const auto crossed = [&](double distance) {
      std::vector<std::size_t> layers;
      for (const CrossingInfo& c : resolve_with([&](Detector& d) {
                                     set_value(d,
                                               present + direction * distance);
                                   }).crossings)
        layers.push_back(c.layer);
      return layers;
    };
    const std::vector<std::size_t> order = crossed(0);
    constexpr double growth = 1.3, least = 10 * unit::um;
    double good = 0, bad = least;
    while (bad < most && crossed(bad) == order)
      bad = growth * std::exchange(good, bad);
    if (bad >= most) {
      if (crossed(most) == order) return {most, {}};
      bad = most;
    }
    constexpr double precision = 1e-7;  // relative, of the distance
    while (bad - good > precision * bad) {
      const double middle = 0.5 * (good + bad);
      (crossed(middle) == order ? good : bad) = middle;
    }
    return {good, end_of_move(order, crossed(bad), moved)};
  }

  double smallest_field() const {
    constexpr double range = 1e3;
    const auto at = [&](double factor) {
      return excess([&](Detector& d) { scale_field(d.field, factor); });
    };
    const double sign = at(1) <= 0 ? 1 : -1;  // a stronger one?
    const auto along = [&](double u) { return sign * at(std::exp(-sign * u)); };
    const auto found = first_step(along, 0, std::log(range), step);
    if (found)
      return reference_of(detector_) *
             std::exp(-sign *
                      find_root(along, found->good, found->bad, tolerance));
    return sign > 0 ? 0 : Resolution::none;
  }

 private:
  static constexpr double step = 0.1;  // of the logarithm of a value

  /// Adjacent positions, the first closer to the start of the search.
  struct Bracket {
    double good, bad;
  };

  /// The obstacle that ends a move: a layer no longer crossed, newly crossed,
  /// or in another order with the moving layers.
  static MoveEnd end_of_move(const std::vector<std::size_t>& before,
                             const std::vector<std::size_t>& after,
                             const LayerSet& moved) {
    const auto is_in = [](const std::vector<std::size_t>& list,
                          std::size_t layer) {
      return std::find(list.begin(), list.end(), layer) != list.end();
    };
    for (const std::size_t layer : before)
      if (!is_in(after, layer)) return {layer, false};
    for (const std::size_t layer : after)
      if (!is_in(before, layer)) return {layer, false};
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i)
      if (before[i] != after[i])
        return {is_in(moved, before[i]) ? after[i] : before[i], true};
    return {};
  }

  /// Whether sigma increases with every x/X0 and every hit error. Energy loss
  /// in a layer reduces the momentum, so that the track bends more: sigma may
  /// then decrease again.
  bool is_monotonic() const { return model_.loss == EnergyLoss::off; }

  /// Adjacent points between which a function, <= 0 at 0, first exceeds 0.
  template <class Function>
  std::optional<Bracket> first_change(const Function& at, double to) const {
    if (is_monotonic())
      return at(to) > 0 ? std::optional(Bracket{0, to}) : std::nullopt;
    return first_step(at, 0, to, step);
  }

  /// The same in steps, including maxima between steps.
  template <class Function>
  static std::optional<Bracket> first_step(const Function& at, double from,
                                           double to, double width) {
    double before = from - width, here = from;
    double f_before = -infinite, f_here = at(here);
    while (here < to) {
      const double next = std::min(here + width, to), f_next = at(next);
      if (f_next > 0) return Bracket{here, next};
      if (f_here >= f_before && f_here >= f_next) {
        const double low = std::max(before, from);
        if (const double top = highest(at, low, next); at(top) > 0)
          return Bracket{low, top};
      }
      before = std::exchange(here, next);
      f_before = std::exchange(f_here, f_next);
    }
    return std::nullopt;
  }

  /// The maximum of a unimodal function, by golden section.
  template <class Function>
  static double highest(const Function& at, double low, double high) {
    constexpr double golden = 0.6180339887498949;
    constexpr int sections = 30;  // to 5e-7 of the interval
    double left = high - golden * (high - low),
           right = low + golden * (high - low);
    double f_left = at(left), f_right = at(right);
    for (int i = 0; i < sections; ++i) {
      if (f_left > f_right) {
        high = std::exchange(right, left);
        left = high - golden * (high - low);
        f_right = std::exchange(f_left, at(left));
      } else {
        low = std::exchange(left, right);
        right = low + golden * (high - low);
        f_left = std::exchange(f_right, at(right));
      }
    }
    return f_left > f_right ? left : right;
  }

  const Detector& detector_;
  const Track& track_;
  const Model& model_;
  const Requirement& requirement_;
};

void scale_material(Layer& layer, double factor) {
  for (Slab& slab : layer.material) slab.x_over_x0 *= factor;
}

/// Splits the layers of a set into parts with the same kind of position.
std::vector<LayerSet> alike(const Detector& detector, const LayerSet& set) {
  const auto surface = [&detector](std::size_t layer) -> const Surface& {
    return detector.layers[layer].surface;
  };
  std::vector<LayerSet> parts;
  for (const std::size_t layer : set) {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const LayerSet& part) {
          return are_parallel(surface(part.front()), surface(layer));
        });
    if (found == parts.end())
      parts.push_back({layer});
    else
      found->push_back(layer);
  }
  return parts;
}

/// One entry for each side of `h.value` with a limit, or one without.
/// @param has_end  the number remains positive
template <class SetValue>
void add_moves(const Search& search, const LayerSet& moved, bool has_end,
               const SetValue& set_value, Headroom h,
               std::vector<Headroom>& list) {
  const auto limit_towards = [&](double direction, MoveEnd& end) {
    double most = Headroom::most_position;
    constexpr double nearly = 1 - 1e-6;
    if (has_end && direction * h.value < 0) most = nearly * std::abs(h.value);
    double distance = 0;
    std::tie(distance, end) =
        search.reach(h.value, direction, most, moved, set_value);
    return search.change_of_position(h.value, direction, distance, set_value);
  };
  const double below = limit_towards(-1, h.inner);
  const double above = limit_towards(1, h.outer);
  for (const double limit : {below, above})
    if (!std::isnan(limit)) {
      list.push_back(h);
      list.back().limit = limit;
    }
  if (!std::isnan(below) || !std::isnan(above)) return;
  h.limit = h.met ? infinite : Resolution::none;
  list.push_back(h);
}

void add_positions(const Detector& detector, const Search& search,
                   const LayerSet& moved, Headroom h,
                   std::vector<Headroom>& list) {
  h.quantity = Quantity::position;
  h.layer = moved.front();
  const Surface& first = detector.layers[h.layer].surface;
  h.value = first.position;
  const bool by_factor = moved.size() > 1;
  if (by_factor && h.value == 0) return;
  add_moves(
      search, moved, by_factor || position_name(first) == "radius",
      [&](Detector& d, double value) {
        for (const std::size_t k : moved) {
          double& position = d.layers[k].surface.position;
          position = by_factor ? position * (value / h.value) : value;
        }
      },
      h, list);
}

/// Radius and z of the rings whose modules are crossed.
void add_rings(const Detector& detector, const Search& search,
               const Rings& rings, const LayerSet& modules, Headroom h,
               std::vector<Headroom>& list) {
  h.quantity = Quantity::position;
  for (const RingNumber number : {RingNumber::radius, RingNumber::z}) {
    std::set<std::string> done;
    for (const std::size_t layer : modules) {
      const Ring& ring = *rings.of(layer);
      const std::string owner = ring.owner(number);
      if (!done.insert(owner).second) continue;
      LayerSet moving;
      for (std::size_t k = 0; k < detector.layers.size(); ++k)
        if (const Ring* other = rings.of(k);
            other && other->owner(number) == owner)
          moving.push_back(k);
      h.layer = layer;
      h.value = ring.value(number);
      h.ring_number = number;
      add_moves(
          search, moving, number == RingNumber::radius,
          [&](Detector& d, double value) {
            for (const std::size_t k : moving) {
              const Surface& now = detector.layers[k].surface;
              d.layers[k].surface = moved(
                  now, motion_of(now, *rings.of(k), number), value - h.value);
            }
          },
          h, list);
    }
  }
}

}  // namespace

std::vector<Headroom> find_headroom(const Detector& detector,
                                    const Track& track, const Model& model,
                                    const Requirement& requirement,
                                    const std::vector<LayerSet>& sets) {
  constexpr double most_material = 100, most_sigma = 1e3 * unit::m;
  const Search search(detector, track, model, requirement);
  const Rings rings(detector);
  std::vector<Headroom> list;
  Headroom h;
  h.met = search.is_met();
  const auto add = [&](Quantity quantity, double value, double limit) {
    h.quantity = quantity;
    h.value = value;
    h.limit = limit;
    list.push_back(h);
  };
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const LayerSet& set = sets[i];
    if (set.empty()) continue;
    h.set = i;
    h.layer = set.front();
    const Layer& first = detector.layers[set.front()];
    LayerSet modules, others;
    for (const std::size_t layer : set)
      (rings.of(layer) ? modules : others).push_back(layer);
    for (const LayerSet& moved : alike(detector, others))
      add_positions(detector, search, moved, h, list);
    add_rings(detector, search, rings, modules, h, list);
    if (const double present = first.x_over_x0(); present > 0)
      add(Quantity::x_over_x0, present,
          search.largest(present, most_material,
                         [&](Detector& d, double value) {
                           for (const std::size_t k : set)
                             scale_material(d.layers[k], value / present);
                         }));
    for (std::size_t q = 0; q < first.coordinates.size(); ++q) {
      const double present = first.coordinates[q].sigma;
      h.coordinate = q;
      add(Quantity::sigma, present,
          search.largest(present, most_sigma, [&](Detector& d, double value) {
            for (const std::size_t k : set)
              if (q < d.layers[k].coordinates.size())
                d.layers[k].coordinates[q].sigma *= value / present;
          }));
    }
    h.coordinate = Sensitivity::none;
  }
  h.set = h.layer = Sensitivity::none;
  if (const double present = reference_of(detector); present != 0)
    add(Quantity::field, present, search.smallest_field());
  return list;
}

}  // namespace gttf
