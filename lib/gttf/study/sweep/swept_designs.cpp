// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/sweep/swept_designs.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>

#include "gttf/config/quantity.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/study/optimise/key_probe.hpp"
#include "gttf/study/optimise/read_formulas.hpp"

namespace gttf {
namespace {

// Equality of everything except the location in the file. The bindings name all
// members, so that a new one cannot be forgotten.

bool is_same(const Surface& a, const Surface& b) {
  const auto& [shape, normal, position, u, v, slope, n, e] = a;
  return shape == b.shape && normal == b.normal && position == b.position &&
         u == b.u && v == b.v && slope == b.slope && n == b.normal_vector &&
         e == b.u_vector;
}

bool is_same(const Slab& a, const Slab& b) {
  const auto& [material, thickness, x_over_x0, density, mean_loss, map] = a;
  return material == b.material && thickness == b.thickness &&
         x_over_x0 == b.x_over_x0 && density == b.density &&
         mean_loss == b.mean_loss && map == b.map;
}

bool is_same(const Coordinate& a, const Coordinate& b) {
  const auto& [angle, sigma, error] = a;
  return angle == b.angle && sigma == b.sigma && error == b.error;
}

bool is_same(const Layer& a, const Layer& b) {
  const auto& [name, group, note, surface, material, coordinates, efficiency,
               dead, place] = a;
  const auto same = [](const auto& x, const auto& y) { return is_same(x, y); };
  return name == b.name && group == b.group && note == b.note &&
         is_same(surface, b.surface) &&
         std::ranges::equal(material, b.material, same) &&
         std::ranges::equal(coordinates, b.coordinates, same) &&
         efficiency == b.efficiency && dead == b.dead;
}

/// Whether a surface has others in its place, which must not overlap.
bool is_in_place_of_another(const Detector& detector, std::size_t layer) {
  const Carrier own = carrier(detector.layers[layer].surface);
  for (std::size_t l = 0; l < detector.layers.size(); ++l) {
    const Carrier other = carrier(detector.layers[l].surface);
    if (l != layer && own.same_family(other) &&
        std::abs(own.place - other.place) <= detail::same_place)
      return true;
  }
  return false;
}

}  // namespace

SweptDesigns::SweptDesigns(const StudyRequest& request,
                           const std::optional<Node>& follow,
                           const DetectorInput& input)
    : request_(request),
      input_(input),
      description_(input.text, input.detector.file),
      space_(input.detector) {
  if (follow)
    read_followers(*follow);
  else
    read_values();
}

void SweptDesigns::read_followers(const Node& follow_node) {
  Diagnostics diagnostics, ignored;
  // values are set as texts: the line only carries them to formulas
  detail::FormulaReader formulas(input_, space_, diagnostics, false);
  const Value follow(follow_node, "follow", diagnostics);
  for (std::size_t k = 0; k < request_.vary.size(); ++k) {
    const VariedKey& varied = request_.vary[k];
    const Dimension dimension = detail::dimension_of_key(varied.key);
    std::vector<double> native;
    for (const std::string& text : varied.values)
      if (const auto value = parse_quantity(text, dimension))
        native.push_back(value.value);
    // no formula depends on a text
    if (native.size() != varied.values.size()) continue;
    const auto [low, high] = std::ranges::minmax(native);
    const double step = std::max(std::abs(low), 1e-3) / 16;
    // no formula depends on an angle that turns a surface, or on a count
    const bool may_turn =
        dimension == Dimension::angle || dimension == Dimension::number;
    const Value place(follow_node, "follow", may_turn ? ignored : diagnostics);
    auto key = formulas.probe().probe(
        varied.key, {low, high > low ? high : low + step}, place);
    if (!key) continue;
    DesignVariable variable;
    variable.name = varied.key;
    variable.keys = {space_.keys.size()};
    space_.keys.push_back(std::move(*key));
    space_.variables.push_back(std::move(variable));
    key_of_variable_.push_back(k);
    native_.push_back(std::move(native));
  }
  formulas.read_follow(follow);
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
}

void SweptDesigns::read_values() {
  const FieldKind kind = input_.detector.field.kind;
  // a dipole may lie between two layers
  if (kind != FieldKind::solenoid && kind != FieldKind::none) return;
  for (const VariedKey& key : request_.vary) {
    if (!key.key.starts_with("layers[") && !key.key.starts_with("field.")) {
      changes_.clear();
      return;
    }
    auto& list = changes_.emplace_back();
    for (const std::string& value : key.values)
      list.push_back(change_of(key, value));
  }
  if (!have_own_layers()) changes_.clear();
}

std::optional<SweptDesigns::Change> SweptDesigns::change_of(
    const VariedKey& key, const std::string& value) const {
  std::vector<std::string> overrides = input_.overrides;
  overrides.push_back(key.key + '=' + value);
  try {
    Detector changed = description_.read(overrides).detector;
    const std::vector<Layer>& layers = input_.detector.layers;
    if (changed.layers.size() != layers.size()) return std::nullopt;
    Change change;
    if (key.key.starts_with("field.")) change.field = changed.field;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      // names must stay unique
      if (changed.layers[l].name != layers[l].name) return std::nullopt;
      if (!is_same(changed.layers[l], layers[l]))
        change.layers.emplace_back(l, std::move(changed.layers[l]));
    }
    return change;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool SweptDesigns::have_own_layers() const {
  std::set<std::size_t> taken;
  bool has_field = false;
  for (const auto& key : changes_) {
    std::set<std::size_t> own;
    bool own_field = false;
    for (const std::optional<Change>& change : key) {
      if (!change) continue;
      own_field = own_field || change->field.has_value();
      for (const auto& [layer, content] : change->layers) own.insert(layer);
    }
    if (has_field && own_field) return false;
    has_field = has_field || own_field;
    for (const std::size_t layer : own)
      if (!taken.insert(layer).second) return false;
  }
  return true;
}

std::vector<std::string> SweptDesigns::overrides_of(
    std::size_t combination) const {
  const auto values = values_of_combination(request_.vary, combination);
  std::vector<std::string> overrides = input_.overrides;
  for (std::size_t k = 0; k < values.size(); ++k)
    overrides.push_back(request_.vary[k].key + '=' +
                        request_.vary[k].values[values[k]]);
  if (space_.followers.empty()) return overrides;
  std::vector<double> x;
  for (std::size_t v = 0; v < native_.size(); ++v)
    x.push_back(native_[v][values[key_of_variable_[v]]]);
  const auto numbers = space_.numbers<double>(std::span<const double>(x));
  for (const Follower& f : space_.followers) {
    const DesignKey& key = space_.keys[f.key];
    overrides.push_back(
        key.key + '=' +
        detail::text_of_value(space_.key_value<double>(key, numbers),
                              key.dimension));
  }
  return overrides;
}

std::optional<Detector> SweptDesigns::combined(
    const std::vector<std::size_t>& values) const {
  if (changes_.empty()) return std::nullopt;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!changes_[k][values[k]]) return std::nullopt;
  Detector detector = input_.detector;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Change& change = *changes_[k][values[k]];
    if (change.field) detector.field = *change.field;
    for (const auto& [layer, content] : change.layers)
      detector.layers[layer] = content;
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    for (const auto& [layer, content] : changes_[k][values[k]]->layers)
      if (is_in_place_of_another(detector, layer)) return std::nullopt;
  return detector;
}

Detector SweptDesigns::detector(std::size_t combination) const {
  if (auto found = combined(values_of_combination(request_.vary, combination)))
    return std::move(*found);
  return description_.read(overrides_of(combination)).detector;
}

}  // namespace gttf
