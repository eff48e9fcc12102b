// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/headroom.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gttf/core/root.hpp"

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

  /// ln(sigma/limit) after `change`: below 0 if the requirement is met.
  template <class Change>
  double excess(const Change& change) const {
    Detector changed = detector_;
    change(changed);
    const Resolution r = resolve(TrackingGeometry(changed), track_, model_);
    const double sigma = sigmas(r)[requirement_.parameter];
    return std::isnan(sigma) ? infinite : std::log(sigma / requirement_.limit);
  }

  /// The value of a number, up from `present`, at which the requirement first
  /// fails; `set_value` sets it. If it fails at present: down from there, at
  /// which it is first met.
  template <class SetValue>
  double largest(double present, double most, const SetValue& set_value) const {
    const auto at = [&](double logarithm) {
      return excess([&](Detector& d) { set_value(d, std::exp(logarithm)); });
    };
    const double here = std::log(present);
    if (at(here) <= 0) {
      const auto bad = first_failure(at, here, std::log(most));
      return bad ? std::exp(find_root(at, bad->good, bad->bad, tolerance))
                 : infinite;
    }
    const double least = here + std::log(1e-9);
    if (is_monotonic()) {
      if (at(least) > 0) return Resolution::none;
      return std::exp(find_root(at, least, here, tolerance));
    }
    for (double bad = here; bad > least; bad -= step)
      if (at(bad - step) <= 0)
        return std::exp(find_root(at, bad - step, bad, tolerance));
    return Resolution::none;
  }

  double smallest_field() const {
    constexpr double ratio = 0.9, least = 1e-3;
    const double present = reference_of(detector_);
    const auto at = [&](double factor) {
      return excess([&](Detector& d) { scale_field(d.field, factor); });
    };
    double good = 1;
    if (at(1) > 0) {  // a stronger one?
      while (good < 1e3 && at(good) > 0) good /= ratio;
      if (good >= 1e3) return Resolution::none;
      return root_of_field(at, good, good * ratio) * present;
    }
    while (good > least) {
      const double weaker = good * ratio;
      if (at(weaker) > 0) return root_of_field(at, good, weaker) * present;
      good = weaker;
    }
    return 0;
  }

 private:
  static constexpr double step = 0.1;  // of the logarithm of a value

  struct Bracket {
    double good, bad;
  };

  /// Does sigma grow with every x/X0 and every hit error? What is lost in a
  /// layer makes the track behind it softer, which bends it more: with energy
  /// loss sigma may fall again.
  bool is_monotonic() const { return model_.loss == EnergyLoss::off; }

  /// Neighbours between which a function, <= 0 at `from`, first exceeds 0.
  /// Maxima between steps are looked at, too.
  template <class Function>
  std::optional<Bracket> first_failure(const Function& at, double from,
                                       double to) const {
    if (is_monotonic())
      return at(to) > 0 ? std::optional(Bracket{from, to}) : std::nullopt;
    double before = from - step, here = from;
    double f_before = -infinite, f_here = at(here);
    while (here < to) {
      const double next = std::min(here + step, to), f_next = at(next);
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

  /// The maximum of a function with a single one in between, by golden section.
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

  template <class Function>
  static double root_of_field(const Function& at, double good, double bad) {
    return find_root(at, bad, good, tolerance * good);
  }

  const Detector& detector_;
  const Track& track_;
  const Model& model_;
  const Requirement& requirement_;
};

void scale_material(Layer& layer, double factor) {
  for (Slab& slab : layer.material) slab.x_over_x0 *= factor;
}

}  // namespace

std::vector<Headroom> find_headroom(const Detector& detector,
                                    const Track& track, const Model& model,
                                    const Requirement& requirement,
                                    const std::vector<LayerSet>& sets) {
  constexpr double most_material = 100, most_sigma = 1e3 * unit::m;
  const Search search(detector, track, model, requirement);
  std::vector<Headroom> list;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const LayerSet& set = sets[i];
    if (set.empty()) continue;
    const Layer& first = detector.layers[set.front()];
    if (const double present = first.x_over_x0(); present > 0) {
      const double limit = search.largest(
          present, most_material, [&](Detector& d, double value) {
            for (const std::size_t k : set)
              scale_material(d.layers[k], value / present);
          });
      list.push_back(
          {Quantity::x_over_x0, i, Sensitivity::none, present, limit});
    }
    for (std::size_t q = 0; q < first.coordinates.size(); ++q) {
      const double present = first.coordinates[q].sigma;
      const double limit =
          search.largest(present, most_sigma, [&](Detector& d, double value) {
            for (const std::size_t k : set)
              d.layers[k].coordinates[q].sigma *= value / present;
          });
      list.push_back({Quantity::sigma, i, q, present, limit});
    }
  }
  if (const double present = reference_of(detector); present != 0)
    list.push_back({Quantity::field, Sensitivity::none, Sensitivity::none,
                    present, search.smallest_field()});
  return list;
}

}  // namespace gttf
