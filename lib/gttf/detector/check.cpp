// SPDX-License-Identifier: Apache-2.0
// Checks that involve more than one layer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "gttf/config/text.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/read_layer.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/detector/surface_overlap.hpp"

namespace gttf::detail {
namespace {

struct Item {
  const Layer* layer;
  std::size_t entry;  ///< index in the list of entries
  bool is_first;      ///< of a ring; any other layer
};

std::vector<Item> all_items(const std::vector<LayerEntry>& entries) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < entries.size(); ++i)
    for (std::size_t k = 0; k < entries[i].layers.size(); ++k)
      items.push_back({&entries[i].layers[k], i, k % entries[i].modules == 0});
  return items;
}

void check_coincidence(const std::vector<LayerEntry>& entries,
                       std::vector<Item> items) {
  const auto key = [](const Item& item) {
    return carrier(item.layer->surface);
  };
  std::ranges::stable_sort(items, {}, key);
  std::set<std::pair<std::size_t, std::size_t>> reported;
  for (std::size_t i = 0; i < items.size(); ++i) {
    // the modules of a ring see each other as the first one sees them
    std::size_t next = i + 1;
    if (!items[i].is_first)
      while (next < items.size() && items[next].entry == items[i].entry) ++next;
    for (std::size_t j = next; j < items.size(); ++j) {
      const Surface& a = items[i].layer->surface;
      const Surface& b = items[j].layer->surface;
      const Carrier of_a = carrier(a), of_b = carrier(b);
      if (!of_a.same_family(of_b) || of_b.place - of_a.place > same_place)
        break;
      if (!overlap(a, b)) continue;
      const auto [first, second] = std::minmax(items[i].entry, items[j].entry);
      // one report for two entries, however many of their surfaces coincide
      if (!reported.insert({first, second}).second) continue;
      if (first == second && a.is_inclined()) {
        entries[second].shape.warning(
            "modules of the ring overlap in one plane",
            "a track there has two hits; move every second module, or make "
            "them narrower");
        continue;
      }
      const bool in_order = items[i].entry <= items[j].entry;
      const Layer& one = *items[in_order ? i : j].layer;
      const Layer& other = *items[in_order ? j : i].layer;
      entries[second].shape.error(
          fmt::format("the surface of {} coincides with {} (line {})",
                      in_quotes(other.name), in_quotes(one.name),
                      entries[first].line),
          "move one of the two, or make them one layer with a list of "
          "materials");
    }
  }
}

void check_names(const std::vector<LayerEntry>& entries,
                 const std::vector<Item>& items) {
  std::unordered_map<std::string, std::size_t> first_entry;
  std::set<std::size_t> reported;
  const auto check = [&](const std::string& name, std::size_t entry) {
    if (name.empty()) return;
    const auto [it, is_new] = first_entry.emplace(name, entry);
    if (is_new || it->second == entry || !reported.insert(entry).second) return;
    const LayerEntry& later = entries[entry];
    later.name_value.error(
        fmt::format("the name {} is taken by the layer in line {}",
                    in_quotes(name), entries[it->second].line),
        "names must differ");
  };
  for (std::size_t i = 0; i < entries.size(); ++i) check(entries[i].name, i);
  for (const Item& item : items) check(item.layer->name, item.entry);
}

/// A disk cuts through a barrel if the cylinder passes through its ring.
void check_cuts(const std::vector<LayerEntry>& entries,
                const std::vector<Item>& items) {
  std::vector<Item> barrels;
  for (const Item& item : items)
    if (item.layer->surface.shape == Shape::cylinder) barrels.push_back(item);
  const auto radius = [](const Item& item) {
    return item.layer->surface.position;
  };
  std::ranges::stable_sort(barrels, {}, radius);
  std::set<std::pair<std::size_t, std::size_t>> reported;
  for (const Item& item : items) {
    const Surface& disk = item.layer->surface;
    if (disk.shape != Shape::disk) continue;
    auto it = std::ranges::upper_bound(barrels, disk.v.lower + same_place, {},
                                       radius);
    for (; it != barrels.end() && radius(*it) < disk.v.upper - same_place;
         ++it) {
      const Interval& z = it->layer->surface.v;
      if (disk.position <= z.lower + same_place ||
          disk.position >= z.upper - same_place)
        continue;
      if (!reported.insert({item.entry, it->entry}).second) continue;
      entries[item.entry].shape.warning(
          fmt::format("the disk {} cuts through the barrel {} (line {})",
                      in_quotes(item.layer->name), in_quotes(it->layer->name),
                      entries[it->entry].line),
          "check z and radius of the two");
    }
  }
}

}  // namespace

void check_geometry(const std::vector<LayerEntry>& entries) {
  const std::vector<Item> items = all_items(entries);
  check_names(entries, items);
  check_coincidence(entries, items);
  check_cuts(entries, items);
}

}  // namespace gttf::detail
