// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/layer_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gttf/config/quantity.hpp"
#include "gttf/detector/read_layer.hpp"
#include "gttf/detector/surface_outline.hpp"

namespace gttf::detail {
namespace {

using Kind = Node::Kind;

/// The surface described by an entry, as far as names depend on it.
std::optional<Surface> surface_of(const Node& entry) {
  Surface surface;
  const Node* flat = entry.find("plane");
  if (entry.find("ring") != nullptr ||
      (flat != nullptr && flat->find("center") != nullptr)) {
    surface.shape = Shape::plane;
    surface.normal = Axis::none;
    return surface;
  }
  const auto named = std::ranges::find_if(
      shapes, [&entry](const auto& s) { return entry.find(s.first); });
  if (named == shapes.end()) return std::nullopt;
  surface.shape = named->second;
  if (is_round(surface)) return surface;
  const Node* plane = entry.find(named->first);
  const Node* normal = plane->find("normal");
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Node* extent = plane->find(axes[i]);
    if (normal ? normal->text() == axes[i]
               : extent != nullptr && extent->kind() == Kind::scalar) {
      surface.normal = static_cast<Axis>(i);
      return surface;
    }
  }
  return std::nullopt;
}

Node with_value(const Node& map, std::string_view key, const Node& value) {
  std::vector<Node::Entry> entries = map.entries();
  for (Node::Entry& entry : entries)
    if (entry.key.text() == key) entry.value = value;
  return Node::make_map(map.origin(), std::move(entries));
}

std::optional<double> length_of(const Node& node) {
  const Parsed<double> length = parse_quantity(node.text(), Dimension::length);
  return length ? std::optional(length.value) : std::nullopt;
}

/// 0 for u, 1 for v, for the names allowed in a file.
std::optional<std::size_t> axis_named(const Surface& surface,
                                      std::string_view name) {
  const auto axes = axis_names(surface);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (name == axes[i] || name == general_axes[i]) return i;
  return std::nullopt;
}

KeyPath path_to(std::span<const KeyStep> like,
                std::initializer_list<std::string_view> names) {
  KeyPath path;
  for (const std::string_view name : names)
    path.push_back({std::string(name), false, like.back().offset});
  return path;
}

KeyPath path_to_item(std::span<const KeyStep> like, std::size_t index,
                     std::string_view name) {
  KeyPath path = path_to(like, {"measures", "", name});
  path[1] = {std::to_string(index), true, like.back().offset};
  return path;
}

/// A hit error along an axis: `measures.rphi`, `pitch.z`,
/// `measures.pitch.u`.
struct NamedError {
  std::size_t axis;
  bool is_pitch;
};

std::optional<NamedError> named_error(const Node& layer,
                                      std::span<const KeyStep> path) {
  const auto surface = surface_of(layer);
  if (!surface || path.size() < 2 || path.size() > 3) return std::nullopt;
  for (const KeyStep& step : path)
    if (step.in_brackets) return std::nullopt;
  const bool is_pitch = path[path.size() - 2].text == "pitch";
  const bool is_measured =
      path[0].text == "measures" && (path.size() == 2 || is_pitch);
  if (!is_measured && !(is_pitch && path.size() == 2)) return std::nullopt;
  const auto axis = axis_named(*surface, path.back().text);
  if (!axis) return std::nullopt;
  return NamedError{*axis, is_pitch};
}

/// The item of the list `measures` along an axis.
std::optional<std::size_t> item_along(const Node& list, std::size_t axis) {
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Node* angle = list.items()[i].find("angle");
    if (angle == nullptr) continue;
    const auto value = parse_quantity(angle->text(), Dimension::angle);
    if (value && is_along(value.value, axis)) return i;
  }
  return std::nullopt;
}

const Node* list_of_measures(const Node& layer) {
  const Node* measures = layer.find("measures");
  return measures && measures->kind() == Kind::list ? measures : nullptr;
}

}  // namespace

std::string_view name_of_entry(const Node& entry) {
  const Node* name = entry.find("name");
  return name && name->kind() == Kind::scalar ? std::string_view(name->text())
                                              : std::string_view();
}

std::string_view name_without_copy(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == name.npos || !name.ends_with(']')) return {};
  const std::string_view index = name.substr(open + 1, name.size() - open - 2);
  const bool is_index =
      !index.empty() &&
      std::ranges::all_of(index, [](char c) { return c >= '0' && c <= '9'; });
  return is_index ? name.substr(0, open) : std::string_view();
}

std::vector<Node> copies_of(const Node& entry) {
  const Node* repeat = entry.find("repeat");
  const Node* name = entry.find("name");
  const auto surface = surface_of(entry);
  if (!repeat || !name || !surface || surface->is_inclined()) return {};
  const auto rows = parse_integer(repeat->text());
  const std::string_view shape = shape_name(*surface);
  const std::string_view position = position_name(*surface);
  const Node* range = entry.find(shape)->find(position);
  if (!rows || rows.value < 2 ||
      rows.value > static_cast<std::int64_t>(max_layers) || !range ||
      range->items().size() != 2)
    return {};
  const auto first = length_of(range->items()[0]);
  const auto last = length_of(range->items()[1]);
  if (!first || !last) return {};
  std::vector<Node::Entry> single = entry.entries();
  std::erase_if(single,
                [](const Node::Entry& e) { return e.key.text() == "repeat"; });
  const Node pattern = Node::make_map(entry.origin(), std::move(single));
  const auto n = static_cast<std::size_t>(rows.value);
  std::vector<Node> copies;
  copies.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Node at = Node::make_scalar(
        range->origin(),
        fmt::format("{} mm", position_of_copy(*first, *last, i, n)), false);
    const Node own_name = Node::make_scalar(
        name->origin(), name_of_copy(name->text(), i), name->is_quoted());
    copies.push_back(with_value(with_value(pattern, "name", own_name), shape,
                                with_value(*entry.find(shape), position, at)));
  }
  return copies;
}

bool is_list_of_copies(const Node& node) {
  if (node.kind() != Kind::list || node.items().empty()) return false;
  const Node& first = node.items().front();
  return first.kind() == Kind::map &&
         first.origin().source == node.origin().source &&
         first.origin().offset == node.origin().offset;
}

std::vector<KeyPath> spellings(const Node& layer,
                               std::span<const KeyStep> path) {
  std::vector<KeyPath> all{KeyPath(path.begin(), path.end())};
  const auto add = [&all](KeyPath other) { all.push_back(std::move(other)); };
  const Node* list = list_of_measures(layer);
  if (const auto error = named_error(layer, path)) {
    const auto item = list ? item_along(*list, error->axis) : std::nullopt;
    if (item) {
      add(path_to_item(path, *item, "sigma"));
      add(path_to_item(path, *item, "pitch"));
    }
    const auto names = axis_names(*surface_of(layer));
    for (const std::string_view name :
         {names[error->axis], general_axes[error->axis]}) {
      add(path_to(path, {"measures", name}));
      add(path_to(path, {"measures", "pitch", name}));
      add(path_to(path, {"pitch", name}));
    }
  } else if (path.size() == 3 && path[0].text == "measures" &&
             path[1].in_brackets) {
    for (const std::string_view name : {"sigma", "pitch"})
      if (path[2].text == "sigma" || path[2].text == "pitch") {
        add(all.front());
        all.back().back().text = name;
      }
  } else if (path.size() == 2 && path[0].text == "cylinder") {
    if (path[1].text == "z") add(path_to(path, {"cylinder", "half_length"}));
    if (path[1].text == "half_length") add(path_to(path, {"cylinder", "z"}));
  }
  return all;
}

std::optional<KeyPath> spelling_to_set(const Node& layer,
                                       std::span<const KeyStep> path) {
  const auto error = named_error(layer, path);
  const Node* list = list_of_measures(layer);
  if (!error || !list) return KeyPath(path.begin(), path.end());
  const auto item = item_along(*list, error->axis);
  if (!item) return std::nullopt;
  return path_to_item(path, *item, error->is_pitch ? "pitch" : "sigma");
}

}  // namespace gttf::detail
