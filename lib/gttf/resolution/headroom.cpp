// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/headroom.hpp"

#include <algorithm>
#include <cmath>

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

  /// Largest value of a number on which sigma grows; `set_value` sets it.
  template <class SetValue>
  double largest(double present, double most, const SetValue& set_value) const {
    const auto at = [&](double value) {
      return excess([&](Detector& d) { set_value(d, value); });
    };
    if (at(most) <= 0) return infinite;
    double good = present, bad = most;
    if (at(present) > 0) {
      bad = present;
      good = present * 1e-9;
      if (at(good) > 0) return Resolution::none;
    }
    return std::exp(find_root([&](double l) { return at(std::exp(l)); },
                              std::log(good), std::log(bad), tolerance));
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
