// SPDX-License-Identifier: Apache-2.0
// Matches the layers of two detectors and finds the differences.
#include "gttf/study/compare/design_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "gttf/detector/field_map.hpp"
#include "gttf/detector/layer_node.hpp"
#include "gttf/detector/material_map.hpp"
#include "gttf/detector/read_layer.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/study/show/detector_view.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf::detail {
namespace {

std::string length_or_field(double value, double unit, std::string_view name) {
  return fmt::format("{:.6g} {}", value / unit, name);
}

/// A whole field in one cell.
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

namespace {

constexpr int usual_digits = 6, most_digits = 17;

/// write(side, digits) with the fewest digits that distinguish both sides.
template <class Write>
TextPair distinct(const Write& write) {
  TextPair texts;
  for (int digits = usual_digits; digits <= most_digits; ++digits) {
    texts = {write(End::before, digits), write(End::after, digits)};
    if (texts.before != texts.after) break;
  }
  return texts;
}

std::string number(double value, double unit, std::string_view name,
                   int digits) {
  return fmt::format("{:.{}g} {}", value / unit, digits, name);
}

std::string length(double value, int digits) {
  return number(value, unit::mm, "mm", digits);
}

std::string range(double from, double to, int digits) {
  return fmt::format("[{}, {}]", length(from, digits), length(to, digits));
}

/// Surfaces that are not mirror images; mirror images come last.
std::size_t n_rows(const std::vector<const Layer*>& surfaces) {
  const std::string& last = surfaces.back()->name;
  const bool mirrored = surfaces.size() > 1 && name_in_file(last) != last;
  return mirrored ? surfaces.size() / 2 : surfaces.size();
}

std::string position(const std::vector<const Layer*>& surfaces, int digits) {
  const std::size_t n = n_rows(surfaces);
  const double first = surfaces.front()->surface.position;
  return n == 1 ? length(first, digits)
                : range(first, surfaces[n - 1]->surface.position, digits);
}

std::string material(const Layer& layer, int digits) {
  if (layer.material.empty()) return "";
  std::string text = number(layer.x_over_x0(), unit::percent, "%", digits);
  if (layer.material.size() == 1 && !layer.material[0].material.empty())
    text += fmt::format(" ({} {})", length(layer.material[0].thickness, digits),
                        layer.material[0].material);
  // two maps may have one mean
  for (const Slab& slab : layer.material)
    if (slab.map) text += " on average, " + slab.map->path();
  return text;
}

}  // namespace

TextPair number_texts(double before, double after, double unit,
                      std::string_view unit_name) {
  return distinct([&](End end, int digits) {
    return number(end == End::before ? before : after, unit, unit_name, digits);
  });
}

TextPair position_texts(const std::vector<const Layer*>& before,
                        const std::vector<const Layer*>& after) {
  return distinct([&](End end, int digits) {
    return position(end == End::before ? before : after, digits);
  });
}

TextPair extent_texts(const Interval& before, const Interval& after) {
  const bool half =
      before.lower == -before.upper && after.lower == -after.upper;
  return distinct([&](End end, int digits) {
    const Interval& i = end == End::before ? before : after;
    return half ? length(i.upper, digits) : range(i.lower, i.upper, digits);
  });
}

TextPair material_texts(const Layer& before, const Layer& after) {
  return distinct([&](End end, int digits) {
    return material(end == End::before ? before : after, digits);
  });
}

TextPair field_texts(const Field& before, const Field& after) {
  return distinct([&](End end, int digits) {
    const Field& field = end == End::before ? before : after;
    return field.kind == FieldKind::none
               ? std::string("none")
               : number(field.bz, unit::T, "T", digits);
  });
}

std::string layer_text(const std::vector<const Layer*>& surfaces) {
  const Layer& layer = *surfaces.front();
  const Surface& s = layer.surface;
  std::string text =
      fmt::format("{} {}", position_text(s), position(surfaces, usual_digits));
  const std::size_t n = n_rows(surfaces);
  if (n > 1) text = fmt::format("{} x ", n) + text;
  if (n < surfaces.size()) text += " and -z";
  if (!layer.material.empty()) text += ", " + material(layer, usual_digits);
  for (const Coordinate& c : layer.coordinates)
    text += fmt::format(", {} {}", coordinate_name(s, c),
                        number(c.sigma, unit::um, "um", usual_digits));
  return text;
}

namespace {

using Indices = std::vector<std::size_t>;
constexpr std::size_t none = DesignChange::none;

bool same(double a, double b) { return same_number(a, b); }
bool same(const Interval& a, const Interval& b) {
  return same(a.lower, b.lower) && same(a.upper, b.upper);
}

bool symmetric(const Interval& i) { return i.lower == -i.upper; }

struct Entry {
  std::string name;
  Indices surfaces;
};

/// Entries of the file in their order; the surfaces of those in `singly`
/// individually, with their mirror images.
std::vector<Entry> entries_of(const Detector& detector,
                              const std::set<std::string>& singly) {
  const std::vector<std::string> names = entry_names(detector);
  std::vector<Entry> entries;
  std::map<std::tuple<int, int, std::string>, std::size_t> index;
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    const Layer& layer = detector.layers[i];
    const std::string& name =
        singly.contains(name_in_file(names[i])) ? layer.name : names[i];
    const auto [found, is_new] = index.try_emplace(
        {layer.place.line, layer.place.column, name_in_file(name)},
        entries.size());
    // the first surface is not the mirror image
    if (is_new) entries.push_back({name, {}});
    entries[found->second].surfaces.push_back(i);
  }
  return entries;
}

/// Whether the surfaces of an entry are as created by `repeat`: all equal and
/// equally spaced. False if --set has changed one of them.
bool is_regular(const Detector& detector, const Entry& entry) {
  const Layer& first = detector.layers[entry.surfaces.front()];
  const Layer& end = detector.layers[entry.surfaces.back()];
  const bool mirrored =
      entry.surfaces.size() > 1 && name_in_file(end.name) != end.name;
  const std::size_t n = entry.surfaces.size() / (mirrored ? 2 : 1);
  if (n == 1)  // whether it is the only one left of several
    return name_without_copy(name_in_file(entry.name)).empty();
  const Layer& last = detector.layers[entry.surfaces[n - 1]];
  for (std::size_t i = 0; i < n; ++i) {
    const Layer& layer = detector.layers[entry.surfaces[i]];
    const auto same_coordinate = [](const Coordinate& a, const Coordinate& b) {
      return same(a.angle, b.angle) && same(a.sigma, b.sigma);
    };
    if (layer.name != name_of_copy(entry.name, i) ||
        !same(layer.surface.position,
              position_of_copy(first.surface.position, last.surface.position, i,
                               n)) ||
        !same(layer.surface.u, first.surface.u) ||
        !same(layer.surface.v, first.surface.v) ||
        !same(layer.x_over_x0(), first.x_over_x0()) ||
        !same_maps(layer, first) || layer.dead != first.dead ||
        !same(layer.efficiency, first.efficiency) ||
        !std::ranges::equal(layer.coordinates, first.coordinates,
                            same_coordinate))
      return false;
  }
  return true;
}

bool same_surfaces(const Detector& a, const Indices& of_a, const Detector& b,
                   const Indices& of_b) {
  return std::ranges::equal(of_a, of_b, [&](std::size_t i, std::size_t j) {
    const Surface &s = a.layers[i].surface, &t = b.layers[j].surface;
    return are_parallel(s, t) && same(s.position, t.position) &&
           same(s.u, t.u) && same(s.v, t.v);
  });
}

/// Whether one entry equals the other without some of its copies.
bool is_part(const Detector& a, const Indices& part, const Detector& b,
             const Indices& whole) {
  return part.size() < whole.size() &&
         std::ranges::all_of(part, [&](std::size_t i) {
           return std::ranges::any_of(whole, [&](std::size_t j) {
             return a.layers[i].name == b.layers[j].name &&
                    same_surfaces(a, {i}, b, {j});
           });
         });
}

/// Entries whose copies are separate keys, because `repeat` does not describe
/// them or their changes.
std::set<std::string> irregular_entries(const Detector& before,
                                        const Detector& after) {
  std::set<std::string> singly;
  const std::vector<Entry> old = entries_of(before, {}),
                           now = entries_of(after, {});
  for (const auto& [detector, entries] :
       {std::pair(&before, &old), std::pair(&after, &now)})
    for (const Entry& entry : *entries)
      if (!is_regular(*detector, entry)) {
        const std::string name = name_in_file(entry.name);
        const std::string_view entry_name = name_without_copy(name);
        singly.emplace(entry_name.empty() ? name : entry_name);
      }
  std::unordered_map<std::string_view, const Entry*> by_name;
  for (const Entry& entry : old) by_name.try_emplace(entry.name, &entry);
  for (const Entry& entry : now) {
    const auto found = by_name.find(entry.name);
    if (found == by_name.end()) continue;
    const Indices& surfaces = found->second->surfaces;
    if (is_part(before, surfaces, after, entry.surfaces) ||
        is_part(after, entry.surfaces, before, surfaces))
      singly.insert(name_in_file(entry.name));
  }
  return singly;
}

/// By name, then renamed ones by surface; the order of `after`, then what is
/// only in `before`.
std::vector<EntryPair> match(const Detector& before, const Detector& after) {
  const std::set<std::string> singly = irregular_entries(before, after);
  std::vector<Entry> old = entries_of(before, singly);
  std::vector<EntryPair> pairs;
  for (Entry& entry : entries_of(after, singly))
    pairs.push_back({std::move(entry.name), {}, std::move(entry.surfaces)});
  // what is left of each name, the first one last
  std::unordered_map<std::string_view, Indices> by_name;
  for (std::size_t i = old.size(); i-- > 0;) by_name[old[i].name].push_back(i);
  for (EntryPair& pair : pairs) {
    const auto found = by_name.find(pair.name);
    if (found == by_name.end() || found->second.empty()) continue;
    pair.before = std::exchange(old[found->second.back()].surfaces, {});
    found->second.pop_back();
  }
  std::erase_if(old, [](const Entry& entry) { return entry.surfaces.empty(); });
  for (EntryPair& pair : pairs) {
    if (!pair.before.empty()) continue;
    const auto found = std::ranges::find_if(old, [&](const Entry& entry) {
      return same_surfaces(before, entry.surfaces, after, pair.after);
    });
    if (found == old.end()) continue;
    pair.before = std::move(found->surfaces);
    old.erase(found);
  }
  for (Entry& entry : old)
    pairs.push_back({std::move(entry.name), std::move(entry.surfaces), {}});
  return pairs;
}

std::vector<const Layer*> layers_of(const Detector& detector,
                                    const Indices& indices) {
  std::vector<const Layer*> layers;
  for (const std::size_t i : indices) layers.push_back(&detector.layers[i]);
  return layers;
}

class Finder {
 public:
  Finder(const Detector& before, const Detector& after)
      : result_{before, after, match(before, after), {}} {}

  Difference find() && {
    if (auto change = field_change(result_.before.field, result_.after.field))
      add(change->kind, none, std::move(change->key), std::move(change->texts));
    compare_models();
    for (std::size_t i = 0; i < result_.entries.size(); ++i) compare_entry(i);
    return std::move(result_);
  }

 private:
  DesignChange& add(ChangeKind kind, std::size_t entry, std::string key,
                    TextPair texts) {
    DesignChange change;
    change.kind = kind;
    change.entry = entry;
    change.shown.key = std::move(key);
    change.shown.before = std::move(texts.before);
    change.shown.after = std::move(texts.after);
    if (entry != none && !result_.entries[entry].after.empty())
      change.shown.place =
          result_.after.layers[result_.entries[entry].after.front()].place;
    result_.changes.push_back(std::move(change));
    return result_.changes.back();
  }

  void compare_models() {
    const PhysicsModel &a = result_.before.model, &b = result_.after.model;
    if (a.scattering != b.scattering)
      add(ChangeKind::scattering_model, none, "model.scattering",
          {name_of(a.scattering), name_of(b.scattering)});
    if (a.energy_loss != b.energy_loss)
      add(ChangeKind::loss_model, none, "model.energy_loss",
          {name_of(a.energy_loss), name_of(b.energy_loss)});
  }

  template <class Choice>
  static std::string name_of(const std::optional<Choice>& choice) {
    return choice ? std::string(to_string(*choice)) : "";
  }

  void compare_entry(std::size_t entry) {
    const EntryPair& pair = result_.entries[entry];
    const auto key = [&pair](std::string_view tail) {
      return layer_key(pair.name, tail);
    };
    const auto old = layers_of(result_.before, pair.before);
    const auto now = layers_of(result_.after, pair.after);
    if (old.empty() || now.empty()) {
      add(ChangeKind::layer, entry, key(""),
          {old.empty() ? "" : layer_text(old),
           now.empty() ? "" : layer_text(now)});
      return;
    }
    const Layer &a = *old.front(), &b = *now.front();
    const Surface &s = a.surface, &t = b.surface;
    if (!are_parallel(s, t)) {
      add(ChangeKind::layer, entry, key(shape_name(t)),
          {layer_text(old), layer_text(now)});
      return;
    }
    if (old.size() != now.size()) {
      const bool mirror = is_mirrored(old) != is_mirrored(now);
      add(ChangeKind::rows, entry, key(mirror ? "mirror" : "repeat"),
          {layer_text(old), layer_text(now)});
    } else {
      compare_surfaces(entry, old, now);
    }
    if (!same(a.x_over_x0(), b.x_over_x0()) || !same_maps(a, b))
      add(ChangeKind::material, entry, key("material"), material_texts(a, b));
    compare_coordinates(entry, a, b);
    if (!same(a.efficiency, b.efficiency))
      add(ChangeKind::efficiency, entry, key("efficiency"),
          number_texts(a.efficiency, b.efficiency, unit::percent, "%"));
    if (a.dead != b.dead) {
      const auto text = [](const Layer& layer) {
        return layer.dead.empty() ? "none" : to_string(layer.dead);
      };
      add(ChangeKind::dead, entry, key("dead"), {text(a), text(b)});
    }
  }

  static bool is_mirrored(const std::vector<const Layer*>& surfaces) {
    const std::string& last = surfaces.back()->name;
    return name_in_file(last) != last && surfaces.size() > 1;
  }

  void compare_surfaces(std::size_t entry, const std::vector<const Layer*>& old,
                        const std::vector<const Layer*>& now) {
    const std::string& name = result_.entries[entry].name;
    const Surface &s = old.front()->surface, &t = now.front()->surface;
    const bool moved =
        !std::ranges::equal(old, now, [](const Layer* a, const Layer* b) {
          return same(a->surface.position, b->surface.position);
        });
    if (moved)
      add(ChangeKind::position, entry, layer_key(name, position_tail(t)),
          position_texts(old, now));
    for (const std::size_t axis : {0u, 1u}) {
      const Interval& from = axis == 0 ? s.u : s.v;
      const Interval& to = axis == 0 ? t.u : t.v;
      if (same(from, to)) continue;
      add(ChangeKind::extent, entry,
          layer_key(name, extent_tail(t, axis, symmetric(from) ? to : from)),
          extent_texts(from, to))
          .coordinate = axis;
    }
  }

  /// Pairs equal directions first, then directions that differ by less than 45
  /// deg.
  void compare_coordinates(std::size_t entry, const Layer& a, const Layer& b) {
    Indices partner(a.coordinates.size(), none);
    std::vector<bool> taken(b.coordinates.size(), false);
    for (const double turn : {1e-9, 45 * unit::deg})
      for (std::size_t i = 0; i < partner.size(); ++i)
        for (std::size_t j = 0; j < taken.size() && partner[i] == none; ++j)
          if (!taken[j] && std::abs(a.coordinates[i].angle -
                                    b.coordinates[j].angle) < turn) {
            partner[i] = j;
            taken[j] = true;
          }
    const std::string& name = result_.entries[entry].name;
    for (std::size_t i = 0; i < partner.size(); ++i) {
      const std::size_t j = partner[i];
      if (j == none) {
        coordinate(entry, i, none, layer_key(name, sigma_tail(a, i)),
                   {sigma_text(a, i), ""});
        continue;
      }
      const Coordinate &from = a.coordinates[i], &to = b.coordinates[j];
      if (!same(from.angle, to.angle))
        pair(ChangeKind::angle, entry, i, j, layer_key(name, angle_tail(j)),
             number_texts(from.angle, to.angle, unit::mrad, "mrad"));
      if (!same(from.sigma, to.sigma))
        pair(ChangeKind::sigma, entry, i, j, layer_key(name, sigma_tail(b, j)),
             number_texts(from.sigma, to.sigma, unit::um, "um"));
    }
    for (std::size_t j = 0; j < taken.size(); ++j)
      if (!taken[j])
        coordinate(entry, none, j, layer_key(name, sigma_tail(b, j)),
                   {"", sigma_text(b, j)});
  }

  void pair(ChangeKind kind, std::size_t entry, std::size_t i, std::size_t j,
            std::string key, TextPair texts) {
    DesignChange& change = add(kind, entry, std::move(key), std::move(texts));
    change.coordinate = i;
    change.coordinate_after = j;
  }
  void coordinate(std::size_t entry, std::size_t i, std::size_t j,
                  std::string key, TextPair texts) {
    pair(ChangeKind::coordinate, entry, i, j, std::move(key), std::move(texts));
  }

  static std::string sigma_text(const Layer& layer, std::size_t coordinate) {
    const double sigma = layer.coordinates[coordinate].sigma;
    return number_texts(sigma, sigma, unit::um, "um").after;
  }

  Difference result_;
};

void erase(Detector& detector, const Indices& surfaces) {
  std::size_t index = 0;
  std::erase_if(detector.layers, [&](const Layer&) {
    return std::ranges::find(surfaces, index++) != surfaces.end();
  });
}

void exchange_coordinate(Layer& layer, const Layer& source, std::size_t own,
                         std::size_t other) {
  if (own == none)
    layer.coordinates.push_back(source.coordinates[other]);
  else
    layer.coordinates.erase(layer.coordinates.begin() +
                            static_cast<std::ptrdiff_t>(own));
}

}  // namespace

Detector Difference::with(const DesignChange& change, End end) const {
  const bool making = end == End::before;
  Detector result = making ? before : after;
  const Detector& source = making ? after : before;
  if (change.kind == ChangeKind::field || change.kind == ChangeKind::magnet) {
    result.field = source.field;
    return result;
  }
  if (change.kind == ChangeKind::scattering_model) {
    result.model.scattering = source.model.scattering;
    return result;
  }
  if (change.kind == ChangeKind::loss_model) {
    result.model.energy_loss = source.model.energy_loss;
    return result;
  }
  const EntryPair& pair = entries[change.entry];
  const Indices& own = making ? pair.before : pair.after;
  const Indices& other = making ? pair.after : pair.before;
  const std::size_t mine = making ? change.coordinate : change.coordinate_after;
  const std::size_t theirs =
      making ? change.coordinate_after : change.coordinate;
  if (change.kind == ChangeKind::layer || change.kind == ChangeKind::rows) {
    const Layer pattern = own.empty() ? Layer{} : result.layers[own.front()];
    erase(result, own);
    for (const std::size_t i : other) {
      Layer layer = source.layers[i];
      if (change.kind == ChangeKind::rows) {
        layer.material = pattern.material;
        layer.coordinates = pattern.coordinates;
        layer.efficiency = pattern.efficiency;
        layer.dead = pattern.dead;
      }
      result.layers.push_back(std::move(layer));
    }
    return result;
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    Layer& layer = result.layers[own[i]];
    // differences between the surfaces are changed only by `rows`, above
    const Layer& from = source.layers[other[std::min(i, other.size() - 1)]];
    switch (change.kind) {
      case ChangeKind::position:
        layer.surface.position = from.surface.position;
        break;
      case ChangeKind::extent:
        (change.coordinate == 0 ? layer.surface.u : layer.surface.v) =
            change.coordinate == 0 ? from.surface.u : from.surface.v;
        break;
      case ChangeKind::material:
        layer.material = from.material;
        break;
      case ChangeKind::sigma:
        layer.coordinates[mine].sigma = from.coordinates[theirs].sigma;
        break;
      case ChangeKind::angle:
        layer.coordinates[mine].angle = from.coordinates[theirs].angle;
        break;
      case ChangeKind::coordinate:
        exchange_coordinate(layer, from, mine, theirs);
        break;
      case ChangeKind::efficiency:
        layer.efficiency = from.efficiency;
        break;
      case ChangeKind::dead:
        layer.dead = from.dead;
        break;
      case ChangeKind::field:
      case ChangeKind::magnet:
      case ChangeKind::scattering_model:
      case ChangeKind::loss_model:
      case ChangeKind::layer:
      case ChangeKind::rows:
        break;  // above
    }
  }
  return result;
}

bool same_number(double a, double b) {
  // 0.35 % is 0.0035
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

Difference find_difference(const Detector& before, const Detector& after) {
  return Finder(before, after).find();
}

}  // namespace gttf::detail
