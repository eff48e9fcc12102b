// SPDX-License-Identifier: Apache-2.0
// What differs between two fields, as the key that would be changed.
#include <fmt/format.h>

#include "gttf/detector/field_map.hpp"
#include "gttf/study/compare/design_change.hpp"
#include "gttf/study/show/field_view.hpp"

namespace gttf::detail {
namespace {

std::string length_or_field(double value, double unit, std::string_view name) {
  return fmt::format("{:.6g} {}", value / unit, name);
}

/// All of a field in one cell.
std::string field_text(const Field& field) {
  std::string text;
  for (const auto& [name, value] : field_facts(field))
    if (name == "field") text += (text.empty() ? "" : ", ") + value;
  return text;
}

/// The keys of one gap that differ.
std::vector<FieldChange> changes_of(const DipoleGap& a, const DipoleGap& b,
                                    const std::string& key) {
  std::vector<FieldChange> list;
  const auto add = [&](std::string_view tail, double from, double to,
                       double unit, std::string_view name) {
    if (!same_number(from, to))
      list.push_back({ChangeKind::magnet, fmt::format("{}.{}", key, tail),
                      number_texts(from, to, unit, name)});
  };
  add("field", a.field, b.field, unit::T, "T");
  add("entrance", a.extent.lower, b.extent.lower, unit::mm, "mm");
  add("exit", a.extent.upper, b.extent.upper, unit::mm, "mm");
  return list;
}

std::vector<FieldChange> changes_of(const FieldMap& a, const FieldMap& b) {
  std::vector<FieldChange> list;
  if (!same_number(a.scale(), b.scale()))
    list.push_back(
        {ChangeKind::magnet,
         "field.scale",
         {fmt::format("{:.9g}", a.scale()), fmt::format("{:.9g}", b.scale())}});
  if (!a.offset().isApprox(b.offset(), 1e-12)) {
    const auto text = [](const Vector3& v) {
      return fmt::format("[{}, {}, {}]", length_or_field(v.x(), unit::mm, "mm"),
                         length_or_field(v.y(), unit::mm, "mm"),
                         length_or_field(v.z(), unit::mm, "mm"));
    };
    list.push_back({ChangeKind::magnet,
                    "field.offset",
                    {text(a.offset()), text(b.offset())}});
  }
  return list;
}

bool same_turn(const DipoleGap& a, const DipoleGap& b) {
  return a.normal == b.normal && a.direction == b.direction;
}

}  // namespace

std::optional<FieldChange> field_change(const Field& before,
                                        const Field& after) {
  const FieldChange all{
      ChangeKind::magnet, "field", {field_text(before), field_text(after)}};
  if (before.kind != after.kind) {
    // a solenoid switched on or off
    const bool uniform =
        (before.kind == FieldKind::none ||
         before.kind == FieldKind::solenoid) &&
        (after.kind == FieldKind::none || after.kind == FieldKind::solenoid);
    if (!uniform) return all;
    return FieldChange{ChangeKind::field, "field.solenoid",
                       field_texts(before, after)};
  }
  std::vector<FieldChange> list;
  switch (before.kind) {
    case FieldKind::none:
      return std::nullopt;
    case FieldKind::solenoid:
      if (same_number(before.bz, after.bz)) return std::nullopt;
      return FieldChange{ChangeKind::field, "field.solenoid",
                         field_texts(before, after)};
    case FieldKind::dipole: {
      const std::size_t n = before.dipoles.size();
      if (n != after.dipoles.size()) return all;
      for (std::size_t i = 0; i < n; ++i) {
        const DipoleGap &a = before.dipoles[i], &b = after.dipoles[i];
        if (!same_turn(a, b)) return all;
        const std::string key =
            n == 1 ? "field.dipole" : fmt::format("field.dipole[{}]", i);
        for (FieldChange& change : changes_of(a, b, key))
          list.push_back(std::move(change));
      }
      break;
    }
    case FieldKind::map: {
      if (before.map == after.map) return std::nullopt;
      const FieldMap &a = *before.map, &b = *after.map;
      list = changes_of(a, b);
      // another file, or the same name with other nodes
      if (a.path() != b.path() || !a.same_nodes(b)) return all;
      break;
    }
  }
  if (list.empty()) return std::nullopt;
  return list.size() == 1 ? list.front() : all;
}

}  // namespace gttf::detail
