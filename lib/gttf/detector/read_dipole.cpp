// SPDX-License-Identifier: Apache-2.0
// Reads the dipoles of a detector.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gttf/config/text.hpp"
#include "gttf/detector/read_field.hpp"

namespace gttf::detail {
namespace {

const std::vector<std::string>& normal_names() {
  static const std::vector<std::string> names{"x", "y", "z"};
  return names;
}

std::string_view name_of(Axis axis) {
  return normal_names()[static_cast<std::size_t>(axis)];
}

std::optional<Axis> read_axis(const Value& value, std::string_view what) {
  const auto index = value.choice(what, normal_names());
  if (!index) return std::nullopt;
  return static_cast<Axis>(*index);
}

/// A gap and where to report what is wrong with it among others.
struct GapEntry {
  DipoleGap gap;
  Value place;
};

class DipoleReader {
 public:
  DipoleReader(const std::vector<Layer>& layers, bool all_read)
      : layers_(layers), all_read_(all_read) {}

  Field read(const Value& value) {
    if (value.is_list())
      for (const Value& item : value.items()) read_gap(item);
    else
      read_gap(value);
    if (value.is_list() && value.node().items().empty())
      value.error("no dipoles", "write none for a detector without field");
    check_gaps();
    Field field;
    if (std::ranges::all_of(gaps_,
                            [](const auto& e) { return e.gap.field == 0; }))
      return field;
    // one that is switched off keeps its place: keys count the list's items
    field.kind = FieldKind::dipole;
    for (const GapEntry& entry : gaps_) field.dipoles.push_back(entry.gap);
    return field;
  }

 private:
  void read_gap(const Value& value) {
    MapReader map(value,
                  "a dipole: { between: [A, B], field: 1 T, direction: "
                  "y }");
    if (!map) return;
    GapEntry entry{{}, value};
    DipoleGap& gap = entry.gap;
    const auto between = map.find("between");
    const auto entrance = map.find("entrance");
    const auto exit = map.find("exit");
    const auto normal = map.find("normal");
    const auto strength = map.require("field", "1 T");
    const auto direction = map.require("direction", "y");
    map.finish();
    bool good = true;
    if (between && (entrance || exit)) {
      between->error(
          fmt::format("\"between\" and \"{}\" are given, they exclude each "
                      "other",
                      entrance ? "entrance" : "exit"),
          "remove one of the two");
      good = false;
    } else if (between) {
      good = read_between(*between, gap);
      if (normal)
        normal->error("\"normal\" is that of the layers in \"between\"",
                      "remove it");
    } else if (entrance && exit) {
      good = read_faces(*entrance, *exit, gap);
      gap.normal = Axis::z;
      if (normal) {
        const auto axis = read_axis(*normal, "normal");
        good = good && axis;
        gap.normal = axis.value_or(Axis::z);
      }
    } else {
      value.error("the place of the dipole is missing",
                  "add \"between: [LAYER, LAYER]\", or \"entrance\" and "
                  "\"exit\"");
      good = false;
    }
    if (!strength || !direction) return;
    const auto field = read_field_strength(*strength);
    const auto axis = read_axis(*direction, "direction");
    if (!field || !axis || !good) return;
    gap.field = *field;
    gap.direction = *axis;
    if (gap.direction == gap.normal) {
      direction->error(
          fmt::format("the field points along {0}, the normal of the gap's "
                      "faces: no magnet does that",
                      name_of(gap.normal)),
          "give a direction across the normal, or use a map");
      return;
    }
    gaps_.push_back(std::move(entry));
  }

  static bool read_faces(const Value& entrance, const Value& exit,
                         DipoleGap& gap) {
    const auto lower = entrance.quantity(Dimension::length, "cm");
    const auto upper = exit.quantity(Dimension::length, "cm");
    if (!lower || !upper) return false;
    gap.extent = {*lower, *upper};
    if (*lower < *upper) return true;
    exit.error(fmt::format("the exit must lie behind the entrance, got {} and "
                           "{}",
                           describe(entrance.node()), describe(exit.node())),
               "exchange the two");
    return false;
  }

  bool read_between(const Value& value, DipoleGap& gap) {
    const auto items = value.items();
    if (!value.is_list()) {
      value.expected("a list of two layers", "write [LAYER, LAYER]");
      return false;
    }
    if (items.size() != 2) {
      value.error(fmt::format("two layers are needed, {} given", items.size()),
                  "write [LAYER, LAYER]");
      return false;
    }
    std::array<const Layer*, 2> layer{};
    for (std::size_t i = 0; i < 2; ++i) layer[i] = find_layer(items[i]);
    if (!layer[0] || !layer[1]) return false;
    std::array<Axis, 2> normal{};
    for (std::size_t i = 0; i < 2; ++i) {
      const Surface& s = layer[i]->surface;
      if (s.shape == Shape::cylinder) {
        items[i].error(
            fmt::format("{} is a cylinder, the faces of a dipole are planes",
                        in_quotes(layer[i]->name)),
            "name a plane or a disk, or give \"entrance\" and \"exit\"");
        return false;
      }
      normal[i] = s.shape == Shape::disk ? Axis::z : s.normal;
    }
    if (normal[0] != normal[1]) {
      value.error(fmt::format("{} is normal to {}, {} to {}",
                              in_quotes(layer[0]->name), name_of(normal[0]),
                              in_quotes(layer[1]->name), name_of(normal[1])),
                  "name two parallel layers");
      return false;
    }
    gap.normal = normal[0];
    const auto [lower, upper] =
        std::minmax(layer[0]->surface.position, layer[1]->surface.position);
    gap.extent = {lower, upper};
    if (lower < upper) return true;
    value.error("the two layers are at the same place",
                "name the layers before and behind the magnet");
    return false;
  }

  const Layer* find_layer(const Value& value) const {
    const auto name = value.text("the name of a layer");
    if (!name) return nullptr;
    for (const Layer& layer : layers_)
      if (layer.name == *name) return &layer;
    if (!all_read_) return nullptr;
    std::vector<std::string> names;
    for (const Layer& layer : layers_) names.push_back(layer.name);
    const auto near = nearest(*name, names);
    value.error(fmt::format("no layer is called {}", in_quotes(*name)),
                near ? fmt::format("did you mean {}?", in_quotes(*near))
                     : fmt::format("the layers are {}", joined(names)));
    return nullptr;
  }

  void check_gaps() const {
    for (std::size_t j = 1; j < gaps_.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        const DipoleGap &a = gaps_[i].gap, &b = gaps_[j].gap;
        if (a.normal != b.normal) {
          gaps_[j].place.error(
              fmt::format("the gaps {} and {} are normal to {} and {}, and so "
                          "cross each other",
                          i, j, name_of(a.normal), name_of(b.normal)),
              "use a map for magnets at an angle");
          return;
        }
        const Interval both{std::max(a.extent.lower, b.extent.lower),
                            std::min(a.extent.upper, b.extent.upper)};
        if (both.length() <= 0) continue;
        gaps_[j].place.error(
            fmt::format("the gaps {} and {} overlap from {} = {:.6g} to {:.6g} "
                        "mm",
                        i, j, name_of(a.normal), both.lower, both.upper),
            "shorten one of the two");
        return;
      }
  }

  const std::vector<Layer>& layers_;
  bool all_read_;
  std::vector<GapEntry> gaps_;
};

}  // namespace

Field read_dipoles(const Value& value, const std::vector<Layer>& layers,
                   bool all_read) {
  return DipoleReader(layers, all_read).read(value);
}

}  // namespace gttf::detail
