// SPDX-License-Identifier: Apache-2.0
// Derivatives of errors as a list of what can be changed.
#include "gttf/resolution/sensitivity.hpp"

#include <cmath>

#include "gttf/detector/surface_outline.hpp"
#include "gttf/resolution/variance_slopes.hpp"

namespace gttf {

namespace {

/// Turns derivatives of variances into those of ln(sigma).
class List {
 public:
  List(const PerParameter& total, std::vector<Sensitivity>& items)
      : total_(total), items_(items) {}

  void add(Sensitivity item, const PerParameter& variance_slope) const {
    for (const Parameter q : all_parameters)
      item.slope[q] = variance_slope[q] / (2 * total_[q]);
    items_.push_back(item);
  }

 private:
  const PerParameter& total_;
  std::vector<Sensitivity>& items_;
};

void add_crossing(const TrackingGeometry& geometry, std::size_t layer,
                  const detail::LayerSlopes& slopes, const List& list) {
  const SurfaceRecord& s = geometry.surfaces()[layer];
  using Q = Quantity;
  constexpr std::size_t none = Sensitivity::none;
  list.add({Q::position, layer, none, s.position, {}}, slopes.position);
  if (s.x_over_x0 > 0)
    list.add({Q::x_over_x0, layer, none, s.x_over_x0, {}}, slopes.material);
  const auto axes = geometry.axes(s);
  for (std::size_t i = 0; i < slopes.sigma.size(); ++i)
    list.add({Q::sigma, layer, i, std::sqrt(axes[i].variance), {}},
             slopes.sigma[i]);
  for (std::size_t i = 0; i < slopes.angle.size(); ++i)
    list.add({Q::angle, layer, i, detail::user_angle(s, axes[i]).value, {}},
             slopes.angle[i]);
}

}  // namespace

std::string_view to_string(Quantity quantity) {
  switch (quantity) {
    case Quantity::position:
      return "position";
    case Quantity::x_over_x0:
      return "x_over_x0";
    case Quantity::sigma:
      return "sigma";
    case Quantity::angle:
      return "angle";
    case Quantity::beam_spot:
      return "beam spot";
    case Quantity::field:
      return "field";
    case Quantity::length:
      return "length";
  }
  return "";
}

PerParameter Sensitivity::elasticity() const {
  PerParameter e;
  for (const Parameter q : all_parameters)
    e[q] = value == 0 ? 0 : slope[q] * value;
  return e;
}

Sensitivities make_sensitivities(const TrackingGeometry& geometry,
                                 const Track& track, const Model& model) {
  Sensitivities result;
  const detail::AnyTrack t(geometry, track, model);
  result.resolution = detail::resolve(t, model);
  result.sigma.values.fill(Resolution::none);
  const Status status = result.resolution.status;
  if (status != Status::ok && status != Status::no_field) return result;

  if (result.resolution.at && !result.resolution.at->exists) return result;
  const auto slopes_of_track = [&] {
    if (!t.helix()) return detail::traced_slopes(t, model);
    if (!model.at) return detail::helix_slopes(t, model);
    const detail::AnyTrack traced(
        geometry, track,
        trace(t.geometry(), track, model.scattering, model.loss, t.frame()));
    return detail::traced_slopes(traced, model);
  };
  detail::VarianceSlopes slopes = slopes_of_track();
  PerParameter& total = slopes.variance;
  if (status == Status::no_field)
    total[Parameter::p] = total[Parameter::pt] = Resolution::none;
  for (const Parameter q : all_parameters)
    result.sigma[q] = std::sqrt(total[q]);

  const List list(total, result.items);
  using Q = Quantity;
  constexpr std::size_t none = Sensitivity::none;
  PerParameter length;
  for (std::size_t k = 0; k < t.size(); ++k) {
    const std::size_t layer = t.surface(k);
    const detail::LayerSlopes& own = slopes.crossings[k];
    add_crossing(t.geometry(), layer, own, list);
    const SurfaceRecord& s = geometry.surfaces()[layer];
    // a cone grows with its radius at z = 0
    const double place =
        s.kind == SurfaceRecord::Kind::cone ? carrier(s).place : s.position;
    for (const Parameter q : all_parameters)
      length[q] += own.position[q] * place;
  }
  if (model.beam_spot) {
    const BeamSpot& spot = *model.beam_spot;
    const std::array<double, 3> errors{spot.x, spot.y, spot.z};
    for (std::size_t i = 0; i < 3; ++i)
      list.add({Q::beam_spot, none, i, errors[i], {}}, slopes.beam_spot[i]);
  }
  if (geometry.has_field()) {
    PerParameter slope = slopes.field;
    for (const Parameter q : all_parameters) slope[q] /= geometry.b_ref();
    list.add({Q::field, none, none, geometry.b_ref(), {}}, slope);
  }
  list.add({Q::length, none, none, 1, {}}, length);
  return result;
}

}  // namespace gttf
