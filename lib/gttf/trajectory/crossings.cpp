// SPDX-License-Identifier: Apache-2.0
// Finds the surfaces that a track crosses.
#include "gttf/trajectory/crossings.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gttf {

namespace {

using Kind = SurfaceRecord::Kind;
constexpr double min_cos_incidence = 0.01;
/// A track that starts this near to a surface starts on it: rounding must not
/// decide whether it crosses.
constexpr double same_place = 1 * unit::nm;

bool inside(const Line<double>& l, const SurfaceRecord& s,
            const Crossing<double>& x) {
  const double a = l.along + x.forward, b = l.across + x.sideward;
  const double z = l.z + x.arc * l.cot_theta;
  const auto px = [&] { return l.cos_phi * a - l.sin_phi * b; };
  const auto py = [&] { return l.sin_phi * a + l.cos_phi * b; };
  switch (s.kind) {
    case Kind::cylinder:
      return s.v.contains(z);
    case Kind::disk:
      return s.v.contains(std::hypot(a, b));
    case Kind::disk_plane:
      return s.u.contains(px()) && s.v.contains(py());
    case Kind::plane:
      return s.normal == Axis::x ? s.u.contains(py()) && s.v.contains(z)
                                 : s.u.contains(z) && s.v.contains(px());
  }
  return false;
}

/// Is a surface out of reach only because the track bends back? Yes if after
/// half a turn the track still is within the extent of the surface.
Reach out_of_reach(const Line<double>& l, const SurfaceRecord& s) {
  Crossing<double> half_turn{};
  half_turn.sideward = 2 / l.c;
  half_turn.arc = std::numbers::pi / std::abs(l.c);
  return inside(l, s, half_turn) ? Reach::turned_back : Reach::missed;
}

/// Can the formulas of crossing.hpp be used at all?
Reach precheck(const Line<double>& l, const SurfaceRecord& s) {
  switch (s.kind) {
    case Kind::cylinder: {
      const double r2 = s.position * s.position;
      if (std::sqrt(l.r2) > s.position - same_place) return Reach::missed;
      if (l.on_axis && std::abs(l.c) * 0.5 * s.position >= 1)
        return out_of_reach(l, s);
      if (!l.on_axis) {
        const double de = r2 - l.r2;
        const double quad = 4 * (1 + l.across * l.c) - de * l.c * l.c;
        if (4 * l.along * l.along + quad * de < 0) return out_of_reach(l, s);
        if (l.along <= 0 && quad <= 0) return out_of_reach(l, s);
      }
      return Reach::crossed;
    }
    case Kind::plane: {
      const double cos0 = l.cos_phi * s.normal_cos + l.sin_phi * s.normal_sin;
      const double sin0 = l.sin_phi * s.normal_cos - l.cos_phi * s.normal_sin;
      const double gap = s.position - (l.along * cos0 - l.across * sin0);
      if (std::abs(gap) <= same_place) return Reach::missed;
      const double m = gap * l.c * (gap * l.c + 2 * sin0);
      if (gap * cos0 <= 0) return m < 0 ? Reach::crossed : Reach::missed;
      return m <= cos0 * cos0 ? Reach::crossed : out_of_reach(l, s);
    }
    case Kind::disk:
    case Kind::disk_plane: {
      if (l.cos_theta == 0) return Reach::missed;
      const double gap = s.position - l.z;
      if (!(gap * l.cos_theta > same_place * std::abs(l.cos_theta)))
        return Reach::missed;
      const double arc = gap * l.tan_theta;
      return std::abs(l.c) * arc < std::numbers::pi ? Reach::crossed
                                                    : out_of_reach(l, s);
    }
  }
  return Reach::missed;
}

double cos_incidence(const Line<double>& l, const SurfaceRecord& s,
                     const Crossing<double>& x) {
  const bool upright = s.kind == Kind::cylinder || s.kind == Kind::plane;
  return std::abs(upright ? l.sin_theta * x.cos_psi : l.cos_theta);
}

}  // namespace

Reach find_crossing(const Line<double>& l, const SurfaceRecord& s,
                    Crossing<double>& x) {
  const Reach reach = precheck(l, s);
  if (reach != Reach::crossed) return reach;
  x = cross(l, s);
  const bool good = x.arc > 0 && std::isfinite(x.arc_excess) &&
                    inside(l, s, x) &&
                    cos_incidence(l, s, x) >= min_cos_incidence;
  return good ? Reach::crossed : Reach::missed;
}

Crossings<double> find_crossings(const TrackingGeometry& geometry,
                                 const Track& track, Scattering model) {
  Crossings<double> c;
  c.line = make_line<double>(track, geometry.bz());
  const auto surfaces = geometry.surfaces();
  c.list.reserve(surfaces.size());
  for (unsigned i = 0; i < surfaces.size(); ++i) {
    Crossing<double> x;
    const Reach reach = find_crossing(c.line, surfaces[i], x);
    if (reach == Reach::turned_back) c.end = TrackEnd::curls_up;
    if (reach == Reach::crossed) c.list.push_back({i, x});
  }
  std::stable_sort(
      c.list.begin(), c.list.end(),
      [](const auto& a, const auto& b) { return a.at.arc < b.at.arc; });
  for (std::size_t k = 0; k < c.list.size(); ++k) {
    if (!surfaces[c.list[k].surface].measures()) continue;
    if (c.first < 0) c.first = static_cast<int>(k);
    c.last = static_cast<int>(k);
    ++c.n_measuring;
  }
  scatter_all(geometry, model, c);
  return c;
}

}  // namespace gttf
