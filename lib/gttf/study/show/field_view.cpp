// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/show/field_view.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "gttf/core/units.hpp"
#include "gttf/detector/field_map.hpp"

namespace gttf {
namespace {

std::string_view name_of(Axis axis) {
  constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
  return names[static_cast<std::size_t>(axis)];
}

std::string_view name_of(const FieldMap& map, std::size_t axis) {
  constexpr std::array<std::string_view, 2> around{"r", "z"};
  return map.around_z() ? around[axis] : name_of(static_cast<Axis>(axis));
}

/// Place of a grid's axis in the detector; r does not move.
double offset_of(const FieldMap& map, std::size_t axis) {
  if (!map.around_z()) return map.offset()[static_cast<int>(axis)];
  return axis == 0 ? 0 : map.offset().z();
}

std::string kind_of(const Field& field) {
  switch (field.kind) {
    case FieldKind::none:
      return "none";
    case FieldKind::solenoid:
      return "solenoid";
    case FieldKind::dipole:
      return "dipole";
    case FieldKind::map:
      break;
  }
  return "map";
}

std::string dipole_text(const DipoleGap& gap) {
  return fmt::format("dipole {:.6g} T along {}, {} = {:.6g} to {:.6g} mm",
                     gap.field / unit::T, name_of(gap.direction),
                     name_of(gap.normal), gap.extent.lower, gap.extent.upper);
}

std::string grid_text(const FieldMap& map) {
  std::string text;
  for (std::size_t i = 0; i < map.grid().size(); ++i) {
    const GridAxis& axis = map.grid()[i];
    const double offset = offset_of(map, i);
    text += fmt::format("{}{} = {:.6g} to {:.6g} mm in steps of {:.6g} mm{}",
                        i > 0 ? ", " : "", name_of(map, i), axis.first + offset,
                        axis.last() + offset, axis.spacing,
                        map.mirrored(i) && !(map.around_z() && i == 0)
                            ? " and its mirror image"
                            : "");
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> field_facts(
    const Field& field) {
  switch (field.kind) {
    case FieldKind::none:
      return {{"field", "none"}};
    case FieldKind::solenoid:
      return {{"field", fmt::format("solenoid {:.6g} T", field.bz / unit::T)}};
    case FieldKind::dipole:
    case FieldKind::map:
      break;
  }
  std::vector<std::pair<std::string, std::string>> facts;
  if (field.kind == FieldKind::dipole) {
    for (const DipoleGap& gap : field.dipoles)
      facts.emplace_back("field", dipole_text(gap));
  } else {
    const FieldMap& map = *field.map;
    facts.emplace_back("field",
                       fmt::format("map {}, up to {:.6g} T", map.path(),
                                   map.largest() / unit::T));
    facts.emplace_back("grid", grid_text(map));
  }
  facts.emplace_back(
      "polar axis",
      fmt::format("{}, the main direction of the field, unless a track starts "
                  "within 20 deg of it",
                  name_of(field.axis)));
  return facts;
}

Document field_document(const Field& field) {
  Document d;
  d.set("kind", kind_of(field));
  switch (field.kind) {
    case FieldKind::none:
    case FieldKind::solenoid:
      d.set("bz_T", field.bz / unit::T);
      return d;
    case FieldKind::dipole: {
      Document::List gaps;
      for (const DipoleGap& gap : field.dipoles)
        gaps.push_back(
            Document()
                .set("normal", std::string(name_of(gap.normal)))
                .set("extent_mm",
                     Document::List{gap.extent.lower, gap.extent.upper})
                .set("direction", std::string(name_of(gap.direction)))
                .set("field_T", gap.field / unit::T));
      d.set("dipoles", std::move(gaps));
      break;
    }
    case FieldKind::map: {
      const FieldMap& map = *field.map;
      d.set("file", map.path());
      Document::List axes;
      for (std::size_t i = 0; i < map.grid().size(); ++i) {
        const GridAxis& axis = map.grid()[i];
        const double offset = offset_of(map, i);
        axes.push_back(
            Document()
                .set("axis", std::string(name_of(map, i)))
                .set("extent_mm",
                     Document::List{axis.first + offset, axis.last() + offset})
                .set("n_nodes", static_cast<std::int64_t>(axis.nodes))
                .set("mirrored", map.mirrored(i)));
      }
      d.set("grid", std::move(axes));
      d.set("scale", map.scale());
      d.set("largest_T", map.largest() / unit::T);
      break;
    }
  }
  d.set("reference_T", field.reference / unit::T);
  d.set("axis", std::string(name_of(field.axis)));
  return d;
}

}  // namespace gttf
