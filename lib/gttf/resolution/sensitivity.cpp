// SPDX-License-Identifier: Apache-2.0
// Converts derivatives of errors to a list of design parameters.
#include "gttf/resolution/sensitivity.hpp"

#include <cmath>
#include <unordered_map>

#include "gttf/detector/surface_outline.hpp"
#include "gttf/resolution/batch_sigmas.hpp"
#include "gttf/resolution/variance_slopes.hpp"

namespace gttf {

namespace {

/// Converts derivatives of variances to derivatives of ln(sigma).
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

/// The contribution of a coordinate if its direction rotates from u towards v.
PerParameter by_angle(const detail::UserDirection& direction,
                      const std::array<PerParameter, 2>& along) {
  PerParameter sum;
  for (const Parameter q : all_parameters)
    sum[q] = direction.cosine * along[1][q] - direction.sine * along[0][q];
  return sum;
}

/// Rotations of a plane about its centre C; the crossing is at X - C = a u + b
/// v. They are rotations about the crossing and a motion along the normal
/// there, by b for a rotation about u and by -a for one about v. The rotation
/// about the crossing increases the component of a strip along v by tan(m) = (m
/// . t)/(n . t), decreases that along u by as much, and changes the path in the
/// material by tan(beta) and -tan(alpha).
/// Source: docs/theory/surfaces.md
void add_rotations(const TrackingGeometry& geometry, std::size_t layer,
                   const CrossingInfo& x, const detail::LayerSlopes& slopes,
                   const List& list) {
  const auto add = [&](const PerParameter& about_u, const PerParameter& about_v,
                       const PerParameter& about_normal) {
    constexpr std::size_t none = Sensitivity::none;
    list.add({Quantity::about_u, layer, none, 0, {}}, about_u);
    list.add({Quantity::about_v, layer, none, 0, {}}, about_v);
    list.add({Quantity::about_normal, layer, none, 0, {}}, about_normal);
  };
  if (slopes.rotations) {
    const auto& known = *slopes.rotations;
    return add(known[0], known[1], known[2]);
  }
  const SurfaceRecord& s = geometry.surfaces()[layer];
  using V = Vector3;
  const auto vector = [](const std::array<double, 3>& e) {
    return V(e[0], e[1], e[2]);
  };
  const V n = vector(s.normal_vector), u = vector(s.u_vector),
          v = vector(s.v_vector());
  const V t(std::sin(x.theta) * std::cos(x.phi),
            std::sin(x.theta) * std::sin(x.phi), std::cos(x.theta));
  const double tan_alpha = t.dot(u) / t.dot(n), tan_beta = t.dot(v) / t.dot(n);
  const auto rates = detail::rates_of_rotations(s, x.position);
  PerParameter about_u, about_v, about_normal;
  for (const Parameter q : all_parameters) {
    const double material =
        s.x_over_x0 > 0 ? s.x_over_x0 * slopes.material[q] : 0;
    about_u[q] =
        rates[detail::u_axis] * slopes.position[q] + tan_beta * material;
    about_v[q] =
        rates[detail::v_axis] * slopes.position[q] - tan_alpha * material;
  }
  const auto axes = geometry.axes(s);
  for (std::size_t i = 0; i < slopes.along.size(); ++i) {
    const detail::UserDirection m = detail::user_direction(s, axes[i]);
    const double tan_m = m.cosine * tan_alpha + m.sine * tan_beta;
    const PerParameter turned = by_angle(m, slopes.along[i]);
    for (const Parameter q : all_parameters) {
      about_u[q] += tan_m * slopes.along[i][1][q];
      about_v[q] -= tan_m * slopes.along[i][0][q];
      about_normal[q] += turned[q];
    }
  }
  add(about_u, about_v, about_normal);
}

/// @param all   the geometry of all tracks
/// @param geometry  with the errors of this one
void add_crossing(const TrackingGeometry& all, const TrackingGeometry& geometry,
                  std::size_t layer, const detail::LayerSlopes& slopes,
                  const List& list) {
  const SurfaceRecord& s = all.surfaces()[layer];
  using Q = Quantity;
  constexpr std::size_t none = Sensitivity::none;
  list.add({Q::position, layer, none, s.position, {}}, slopes.position);
  if (s.x_over_x0 > 0)
    list.add({Q::x_over_x0, layer, none, s.x_over_x0, {}}, slopes.material);
  const auto axes = geometry.axes(s);
  for (std::size_t i = 0; i < slopes.sigma.size(); ++i)
    list.add({Q::sigma, layer, i, std::sqrt(axes[i].variance), {}},
             slopes.sigma[i]);
  for (std::size_t i = 0; i < slopes.along.size(); ++i) {
    const detail::UserDirection m = detail::user_direction(s, axes[i]);
    list.add({Q::angle, layer, i, m.angle(), {}}, by_angle(m, slopes.along[i]));
  }
}

/// From x/X0 at the crossings of layers whose material varies to the mean of
/// the layer, with which the whole map becomes thicker.
/// @param geometry  of all tracks
void refer_to_means(const TrackingGeometry& geometry, const detail::AnyTrack& t,
                    std::vector<detail::LayerSlopes>& crossings) {
  for (std::size_t k = 0; k < t.size(); ++k) {
    const double mean = geometry.surfaces()[t.surface(k)].x_over_x0;
    if (!geometry.is_mapped(t.surface(k)) || !(mean > 0)) continue;
    const CrossingInfo x = t.crossing(k);
    for (const Parameter q : all_parameters)
      crossings[k].material[q] *= x.x_over_x0 * x.cos_incidence / mean;
  }
}

void add(const PerParameter& from, PerParameter& to) {
  for (const Parameter q : all_parameters) to[q] += from[q];
}

/// The crossings of each surface of a track.
struct SurfaceCrossings {
  std::size_t first, count;
};
std::unordered_map<std::size_t, SurfaceCrossings> crossings_by_surface(
    const detail::AnyTrack& t) {
  std::unordered_map<std::size_t, SurfaceCrossings> crossings;
  for (std::size_t k = 0; k < t.size(); ++k)
    ++crossings.try_emplace(t.surface(k), SurfaceCrossings{k, 0})
          .first->second.count;
  return crossings;
}

/// Adds what a layer does in further crossings to its first one.
void join_crossings(
    const detail::AnyTrack& t,
    const std::unordered_map<std::size_t, SurfaceCrossings>& by_surface,
    std::vector<detail::LayerSlopes>& crossings) {
  for (std::size_t k = 0; k < t.size(); ++k) {
    const std::size_t first = by_surface.at(t.surface(k)).first;
    if (first == k) continue;
    detail::LayerSlopes &own = crossings[first], &again = crossings[k];
    add(again.position, own.position);
    add(again.material, own.material);
    for (std::size_t i = 0; i < own.sigma.size(); ++i)
      add(again.sigma[i], own.sigma[i]);
    for (std::size_t i = 0; i < own.along.size(); ++i)
      for (const std::size_t part : {0U, 1U})
        add(again.along[i][part], own.along[i][part]);
  }
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
    case Quantity::about_u:
      return "about u";
    case Quantity::about_v:
      return "about v";
    case Quantity::about_normal:
      return "about normal";
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
  return make_sensitivities(geometry, track, model, SlopeKinds{});
}

Sensitivities make_sensitivities(const TrackingGeometry& geometry,
                                 const Track& track, const Model& model,
                                 const SlopeKinds& kinds) {
  Sensitivities result;
  const detail::AnyTrack t(geometry, track, model);
  result.resolution = detail::resolve(t, model);
  result.sigma.values.fill(Resolution::none);
  const Status status = result.resolution.status;
  if (status != Status::ok && status != Status::no_field) return result;

  if (result.resolution.at && !result.resolution.at->exists) return result;
  const auto slopes_of_track = [&] {
    if (!t.helix()) return detail::traced_slopes(t, model, kinds);
    if (!model.at) return detail::helix_slopes(t, model);
    const detail::AnyTrack traced(
        geometry, track,
        trace(t.geometry(), track, model.scattering, model.loss, t.frame()));
    return detail::traced_slopes(traced, model, kinds);
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
  if (geometry.has_maps()) refer_to_means(geometry, t, slopes.crossings);
  const auto by_surface = crossings_by_surface(t);
  join_crossings(t, by_surface, slopes.crossings);
  for (std::size_t k = 0; k < t.size(); ++k) {
    const std::size_t layer = t.surface(k);
    const detail::LayerSlopes& own = slopes.crossings[k];
    const SurfaceCrossings& its_crossings = by_surface.at(layer);
    if (its_crossings.first != k) continue;
    add_crossing(geometry, t.geometry(), layer, own, list);
    const SurfaceRecord& s = geometry.surfaces()[layer];
    // the lever arms of a rotation differ between crossings
    if (s.kind == SurfaceRecord::Kind::inclined && its_crossings.count == 1)
      add_rotations(t.geometry(), layer, t.crossing(k), own, list);
    // a cone scales with its radius at z = 0
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
