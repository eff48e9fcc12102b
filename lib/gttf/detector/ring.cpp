// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "gttf/config/text.hpp"

namespace gttf {
namespace {

using Vector = std::array<double, 3>;

Vector combined(double a, const Vector& x, double b, const Vector& y) {
  return {a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]};
}

Vector cross_product(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
          a[0] * b[1] - a[1] * b[0]};
}

double product(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// x turned by an angle about a unit vector (Rodrigues).
Vector turned(const Vector& x, const Vector& axis, double angle) {
  const Vector side = cross_product(axis, x);
  const Vector in_plane = combined(std::cos(angle), x, std::sin(angle), side);
  return combined(1, in_plane, (1 - std::cos(angle)) * product(axis, x), axis);
}

Surface mirror_image(const Surface& plane) {
  Surface s = plane;
  s.normal_vector[2] = -s.normal_vector[2];
  s.u_vector[2] = -s.u_vector[2];
  s.v = {-s.v.upper, -s.v.lower};
  return s;
}

Vector middle_of(const Surface& plane) {
  const double u = 0.5 * (plane.u.lower + plane.u.upper),
               v = 0.5 * (plane.v.lower + plane.v.upper);
  return combined(
      1, combined(plane.position, plane.normal_vector, u, plane.u_vector), v,
      plane.v_vector());
}

/// A name "R[2][5] (-z)" taken apart: "R[2]" and " (-z)"; no base: without an
/// index.
struct NameParts {
  std::string base, side;
};

NameParts without_index(std::string name) {
  NameParts parts;
  for (const char* side : {" (+z)", " (-z)"})
    if (name.ends_with(side)) {
      parts.side = side;
      name.resize(name.size() - parts.side.size());
    }
  const std::size_t open = name.rfind('[');
  if (!name.ends_with(']') || open == name.npos || open == 0 ||
      open + 2 == name.size())
    return parts;
  for (std::size_t i = open + 1; i + 1 < name.size(); ++i)
    if (!detail::is_digit(name[i])) return parts;
  parts.base = name.substr(0, open);
  return parts;
}

/// The number that was written, without the rounding of its way to the plane
/// and back.
double as_written(double value, double in_units) {
  constexpr double zero = 1e-10;
  const double number = std::stod(fmt::format("{:.12g}", value / in_units));
  return std::abs(number) < zero ? 0 : number * in_units;
}

}  // namespace

std::string to_string(RingNumber number) {
  constexpr std::array<const char*, 4> names{"radius", "z", "tilt", "turn"};
  return names[static_cast<std::size_t>(number)];
}

std::optional<RingPlace> ring_place(const Surface& plane) {
  constexpr double on_axis = 1e-4, in_plane = 2e-6;  // mm, rad
  const Vector middle = middle_of(plane);
  const double radius = std::hypot(middle[0], middle[1]);
  if (!(radius > on_axis)) return std::nullopt;
  const double cosine = middle[0] / radius, sine = middle[1] / radius;
  const auto along_r = [&](const Vector& a) {
    return a[0] * cosine + a[1] * sine;
  };
  const auto along_phi = [&](const Vector& a) {
    return a[1] * cosine - a[0] * sine;
  };
  const Vector v = plane.v_vector();
  if (std::abs(along_phi(v)) > in_plane) return std::nullopt;
  // v = cos(tilt) e_z - sin(tilt) e_r, normal = cos(turn) n0 + sin(turn) e_phi
  const double tilt = std::atan2(-along_r(v), v[2]);
  const Vector& n = plane.normal_vector;
  const double forward = along_r(n) * std::cos(tilt) + n[2] * std::sin(tilt);
  return RingPlace{radius, middle[2], tilt, std::atan2(along_phi(n), forward),
                   std::atan2(middle[1], middle[0])};
}

std::string Ring::owner(RingNumber n) const {
  return is_list[static_cast<std::size_t>(n)]
             ? fmt::format("{}[{}]", entry, index)
             : entry;
}

std::string Ring::key_tail(RingNumber n) const {
  return is_list[static_cast<std::size_t>(n)]
             ? fmt::format("ring.{}[{}]", to_string(n), index)
             : "ring." + to_string(n);
}

Rings::Rings(const Detector& detector) {
  of_layer_.assign(detector.layers.size(), -1);
  // rings of one entry and side, which have one name but for an index
  using Entry = std::tuple<int, int, std::string>;
  std::map<Entry, std::vector<std::size_t>> entries;
  std::string last;
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    const Layer& layer = detector.layers[i];
    if (!layer.surface.is_inclined()) continue;
    const NameParts parts = without_index(layer.name);
    if (parts.base.empty()) continue;
    const std::string name = parts.base + parts.side;
    if (i > 0 && of_layer_[i - 1] >= 0 && name == last) {
      of_layer_[i] = of_layer_[i - 1];
      continue;
    }
    const std::optional<RingPlace> place = ring_place(layer.surface);
    if (!place) continue;
    last = name;
    of_layer_[i] = static_cast<int>(rings_.size());
    Ring ring;
    ring.entry = parts.base;
    ring.side = parts.side;
    const double side = ring.side.empty() ? 1 : -1;
    ring.values = {as_written(place->radius, unit::mm),
                   as_written(side * place->z, unit::mm),
                   as_written(side * place->tilt, unit::deg),
                   as_written(place->turn, unit::deg)};
    entries[{layer.place.line, layer.place.column, parts.side}].push_back(
        rings_.size());
    rings_.push_back(std::move(ring));
  }
  for (const auto& [entry, members] : entries) {
    if (members.size() < 2) continue;
    for (std::size_t k = 0; k < members.size(); ++k) {
      Ring& ring = rings_[members[k]];
      ring.index = k;
      ring.entry = without_index(ring.entry).base;
      for (std::size_t n = 0; n < ring.values.size(); ++n)
        ring.is_list[n] = std::ranges::any_of(members, [&](std::size_t other) {
          return rings_[other].values[n] != ring.values[n];
        });
    }
  }
}

RigidMotion motion_of(const Surface& module, const Ring& ring, RingNumber n) {
  const Surface s = !ring.side.empty() ? mirror_image(module) : module;
  const Vector centre = middle_of(s);
  const double radius = std::hypot(centre[0], centre[1]);
  const Vector e_r{centre[0] / radius, centre[1] / radius, 0};
  RigidMotion motion;
  switch (n) {
    case RingNumber::radius:
      motion.translation = e_r;
      break;
    case RingNumber::z:
      motion.translation = {0, 0, 1};
      break;
    case RingNumber::tilt:  // the normal turns towards v
      motion.rotation = {e_r[1], -e_r[0], 0};
      break;
    case RingNumber::turn:
      motion.rotation = s.v_vector();
      break;
  }
  if (!ring.side.empty()) {
    // a rotation is an axial vector
    motion.translation[2] = -motion.translation[2];
    motion.rotation[0] = -motion.rotation[0];
    motion.rotation[1] = -motion.rotation[1];
  }
  return motion;
}

Surface moved(const Surface& plane, const RigidMotion& motion, double by) {
  const Vector centre = combined(1, middle_of(plane), by, motion.translation);
  Vector normal = plane.normal_vector, u = plane.u_vector;
  const double rate =
      std::hypot(motion.rotation[0], motion.rotation[1], motion.rotation[2]);
  if (rate > 0) {
    const Vector axis = combined(1 / rate, motion.rotation, 0, {});
    normal = turned(normal, axis, rate * by);
    u = turned(u, axis, rate * by);
  }
  return make_inclined_plane(centre, normal, u,
                             {plane.u.length(), plane.v.length()});
}

}  // namespace gttf
