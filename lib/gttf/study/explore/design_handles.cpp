// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/explore/design_handles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "gttf/config/text.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/detector/override.hpp"
#include "gttf/study/explore/exploration.hpp"

namespace gttf {
namespace {

constexpr std::string_view layers = "layers[";

/// The keys that may be changed and the dimension of their values; by the path
/// of a key within the layer.
std::optional<Dimension> dimension_of(std::string_view tail, bool in_layer) {
  if (!in_layer) return Dimension::field;
  if (tail.starts_with("efficiency") || tail.starts_with("drift") ||
      tail.starts_with("dead"))
    return std::nullopt;
  const bool fraction =
      tail.starts_with("material") && !tail.ends_with("thickness");
  return fraction ? Dimension::fraction : Dimension::length;
}

/// The number at the beginning of a text, and the remaining text.
std::optional<std::pair<double, std::string>> split_number(
    std::string_view text) {
  text = trimmed(text);
  double number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  return std::pair(number, std::string(end, text.data() + text.size()));
}

/// "cylinder.radius" -> "radius", "disk.radius[0]" -> "inner radius".
std::string label_of(std::string_view tail) {
  std::string_view rest = tail;
  const std::size_t dot = rest.find('.');
  const std::string_view first = rest.substr(0, dot);
  std::string_view name = dot == rest.npos ? rest : rest.substr(dot + 1);
  std::optional<std::size_t> item;
  if (const std::size_t bracket = name.find('[');
      bracket != name.npos && name.ends_with(']')) {
    item = static_cast<std::size_t>(std::atoi(name.data() + bracket + 1));
    name = name.substr(0, bracket);
  }
  const auto of_two = [&](std::string_view a, std::string_view b) {
    return std::string(*item == 0 ? a : b);
  };
  if (first.starts_with("material")) {
    std::string label = tail.ends_with("thickness") ? "thickness" : "x/X0";
    const std::size_t bracket = tail.find('[');
    if (bracket != tail.npos)
      label += fmt::format(" {}", std::atoi(tail.data() + bracket + 1) + 1);
    return label;
  }
  if (first.starts_with("measures") || first.starts_with("pitch")) {
    const std::string what = first.starts_with("pitch") ? "pitch" : "error";
    if (dot == rest.npos) return what;
    if (name == "sigma" && first.find('[') != first.npos)
      return fmt::format("{} {}", what,
                         std::atoi(first.data() + first.find('[') + 1) + 1);
    return what + ' ' + std::string(name);
  }
  if (!item) {
    std::string label(name);
    std::ranges::replace(label, '_', '-');
    return label;
  }
  if (first == "disk" && name == "radius")
    return of_two("inner radius", "outer radius");
  if (name == "size") return of_two("width u", "width v");
  if (name == "center")
    return fmt::format("center {}", "xyz"[std::min<std::size_t>(*item, 2)]);
  if (name == "z" || name == "x" || name == "y" || name == "radius")
    return fmt::format("{} {}", name, *item == 0 ? "first" : "last");
  return fmt::format("{} {}", name, *item + 1);
}

/// The list of the detector with other values of some keys; nothing if the
/// changed description cannot be read or has a different structure.
class Probe {
 public:
  explicit Probe(const DetectorInput& input)
      : input_(input),
        description_(input.text, input.detector.file),
        start_(to_list(input.detector)) {}

  const NumberList& start() const { return start_; }

  std::optional<std::vector<double>> at(
      std::span<const std::string> changes) const {
    std::vector<std::string> overrides = input_.overrides;
    overrides.insert(overrides.end(), changes.begin(), changes.end());
    try {
      NumberList list = to_list(description_.read(overrides).detector);
      if (list.texts != start_.texts ||
          list.numbers.size() != start_.numbers.size())
        return std::nullopt;
      return std::move(list.numbers);
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  /// Rounding of a number of the list.
  double rounding(double value) const {
    return 1e-11 * std::max(1e-3, std::abs(value));
  }

 private:
  const DetectorInput& input_;
  DetectorDescription description_;
  NumberList start_;
};

/// A step that does not change the order of the layers.
double step_of(const DesignHandle& handle) {
  constexpr double share = 1e-4, length_at_zero = 1e-3;
  if (handle.number != 0) return share * handle.number;
  return length_at_zero / handle.factor;
}

/// Handles of different entries, which are changed simultaneously.
using Handles = std::span<DesignHandle* const>;

std::vector<std::string> changes_by(Handles handles,
                                    std::span<const double> steps) {
  std::vector<std::string> changes;
  for (std::size_t h = 0; h < handles.size(); ++h)
    changes.push_back(handles[h]->key + '=' +
                      text_of(*handles[h], handles[h]->number + steps[h]));
  return changes;
}

std::vector<double> steps_of(Handles handles) {
  std::vector<double> steps;
  for (const DesignHandle* handle : handles) steps.push_back(handle->step);
  return steps;
}

/// Whether simultaneous changes of these handles add up.
bool add_up(const Probe& probe, Handles handles,
            std::span<const double> steps) {
  std::vector<double> expected = probe.start().numbers;
  for (std::size_t h = 0; h < handles.size(); ++h)
    for (const auto& [n, slope] : handles[h]->slopes)
      expected[n] += slope * steps[h] * handles[h]->factor;
  const auto all = probe.at(changes_by(handles, steps));
  if (!all) return false;
  for (std::size_t n = 0; n < expected.size(); ++n)
    if (std::abs((*all)[n] - expected[n]) > probe.rounding(expected[n]))
      return false;
  return true;
}

/// The lists with two changes of these values, each by its step. If a layer
/// touches another one, both changes go to the free side.
struct TwoLists {
  std::array<double, 2> sides{};
  std::array<std::vector<double>, 2> lists;
};
std::optional<TwoLists> two_lists(const Probe& probe, Handles handles) {
  for (const auto& sides :
       {std::array{1., -2.}, std::array{1., 2.}, std::array{-1., -2.}}) {
    TwoLists two{sides, {}};
    bool good = true;
    for (std::size_t i = 0; good && i < 2; ++i) {
      std::vector<double> steps;
      for (const DesignHandle* handle : handles)
        steps.push_back(sides[i] * step_of(*handle));
      auto list = probe.at(changes_by(handles, steps));
      good = list.has_value();
      if (good) two.lists[i] = std::move(*list);
    }
    if (good) return two;
  }
  return std::nullopt;
}

/// Fills the slopes of handles, given the handle to which each number belongs.
/// A handle has no slopes if no number depends on it, or if one does so
/// nonlinearly.
void fill_slopes(const Probe& probe, const TwoLists& two, Handles handles,
                 std::span<const std::size_t> owners) {
  const auto& [sides, lists] = two;
  const std::vector<double>& start = probe.start().numbers;
  std::vector<bool> is_linear(handles.size(), true);
  for (DesignHandle* handle : handles) {
    handle->step = sides[0] * step_of(*handle);
    handle->slopes.clear();
  }
  for (std::size_t n = 0; n < start.size(); ++n) {
    const double rise = lists[1][n] - lists[0][n];
    if (rise == 0 && lists[0][n] == start[n]) continue;
    const std::size_t own = handles.size() == 1 ? 0 : owners[n];
    if (own >= handles.size()) continue;
    DesignHandle& handle = *handles[own];
    const double step = step_of(handle);
    const double slope =
        rise / ((sides[1] * step - sides[0] * step) * handle.factor);
    const double expected = start[n] + slope * handle.step * handle.factor;
    const double size =
        std::max(std::abs(start[n]), std::abs(slope * handle.start()));
    if (std::abs(lists[0][n] - expected) > probe.rounding(size))
      is_linear[own] = false;
    // short decimal slopes are exact, differences are not
    constexpr double decimal = 1e6, near = 1e-9;
    const double round = std::round(slope * decimal) / decimal;
    const bool is_round = std::abs(slope - round) < near * std::abs(slope);
    handle.slopes.emplace_back(n, is_round ? round : slope);
  }
  for (std::size_t h = 0; h < handles.size(); ++h)
    if (!is_linear[h]) handles[h]->slopes.clear();
}

/// Positions of the numbers of entries in the list.
class EntryNumbers {
 public:
  EntryNumbers(const Detector& detector, const Node& root)
      : begin_(layer_begins(detector)) {
    for (const Layer& layer : detector.layers)
      places_.emplace_back(layer.place.line, layer.place.column);
    root_ = &root;
  }

  /// For each number of the list the index of the handle whose entry contains
  /// it; handles.size() if there is none.
  std::vector<std::size_t> owners(Handles handles, std::size_t size) const {
    std::vector<std::size_t> owners(size, handles.size());
    std::map<std::pair<int, int>, std::size_t> of_place;
    for (std::size_t h = 0; h < handles.size(); ++h)
      if (const Node* node = find_key(
              *root_, fmt::format("{}{}]", layers, handles[h]->entry))) {
        const Diagnostic place = diagnostic_at(*node);
        of_place[{place.line, place.column}] = h;
      }
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (const auto found = of_place.find(places_[i]); found != of_place.end())
        std::fill(owners.begin() + static_cast<long>(begin_[i]),
                  owners.begin() + static_cast<long>(begin_[i + 1]),
                  found->second);
    return owners;
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::pair<int, int>> places_;
  const Node* root_;
};

/// Fills step and slopes of handles of different entries. They are changed
/// simultaneously, which reads the description three times; if the changes
/// cannot be combined, or do not add up, each half of them is tried.
void find_slopes(const Probe& probe, const EntryNumbers& numbers,
                 Handles handles) {
  const auto in_halves = [&] {
    if (handles.size() == 1) return;
    const std::size_t half = handles.size() / 2;
    find_slopes(probe, numbers, handles.first(half));
    find_slopes(probe, numbers, handles.subspan(half));
  };
  const auto two = two_lists(probe, handles);
  if (!two) return in_halves();
  fill_slopes(probe, *two, handles,
              numbers.owners(handles, probe.start().numbers.size()));
  if (handles.size() == 1) return;
  // the steps differ from each other, so that the change of a number by the
  // handle of another entry is seen; a handle that is not linear would be, too
  std::vector<DesignHandle*> linear, other;
  for (DesignHandle* handle : handles)
    (handle->slopes.empty() ? other : linear).push_back(handle);
  std::vector<double> steps = steps_of(linear);
  for (std::size_t h = 0; h < steps.size(); ++h)
    steps[h] *= 0.5 + 0.5 * static_cast<double>(h + 1) /
                          static_cast<double>(steps.size());
  if (!add_up(probe, linear, steps)) return in_halves();
  // perhaps another entry moved their numbers
  for (DesignHandle*& handle : other) find_slopes(probe, numbers, {&handle, 1});
}

/// If two handles of an entry change the same number jointly, removes the later
/// one. Entries do not depend on each other: all of them are changed at once,
/// and in halves if the result is not a valid detector.
std::vector<DesignHandle*> without_products(const Probe& probe,
                                            Handles handles) {
  if (handles.empty() || add_up(probe, handles, steps_of(handles)))
    return {handles.begin(), handles.end()};
  const auto is_first = [&](std::size_t i) {
    return handles[i]->entry != handles[i - 1]->entry;
  };
  std::size_t middle = handles.size() / 2;
  while (middle > 0 && !is_first(middle)) --middle;
  if (middle == 0) {
    middle = 1;
    while (middle < handles.size() && !is_first(middle)) ++middle;
  }
  std::vector<DesignHandle*> good;
  if (middle == handles.size()) {  // all of one entry
    for (DesignHandle* handle : handles) {
      good.push_back(handle);
      if (!add_up(probe, good, steps_of(good))) good.pop_back();
    }
    return good;
  }
  for (const Handles part : {handles.first(middle), handles.subspan(middle)})
    std::ranges::copy(without_products(probe, part), std::back_inserter(good));
  return good;
}

/// The keys whose values are plain quantities.
std::vector<DesignHandle> candidates(const Node& root) {
  std::vector<DesignHandle> found;
  const auto add = [&](const std::string& key, const Node& node) {
    if (node.kind() != Node::Kind::scalar || node.is_quoted()) return;
    DesignHandle handle;
    handle.key = key;
    const bool in_layer = key.starts_with(layers);
    if (!in_layer && !key.starts_with("field.")) return;
    std::string tail = key.substr(key.find('.') + 1);
    if (in_layer) {
      const std::size_t end = key.find("].");
      if (end == key.npos) return;
      handle.entry = key.substr(layers.size(), end - layers.size());
      tail = key.substr(end + 2);
    }
    auto dimension = dimension_of(tail, in_layer);
    if (!dimension) return;
    // faces of a magnet are lengths
    if (!in_layer && !parse_quantity(node.text(), *dimension))
      dimension = Dimension::length;
    const auto value = parse_quantity(node.text(), *dimension);
    const auto parts = split_number(node.text());
    if (!value || !parts) return;
    handle.dimension = *dimension;
    handle.label = label_of(tail);
    handle.number = parts->first;
    handle.unit = parts->second;
    const auto one = parse_quantity("1" + handle.unit, *dimension);
    if (!one) return;
    handle.factor = one.value;
    found.push_back(std::move(handle));
  };
  for (const std::string& key : keys_in(root)) {
    const Node* node = find_key(root, key);
    if (node == nullptr) continue;
    if (node->kind() == Node::Kind::list)
      for (std::size_t i = 0; i < node->items().size(); ++i)
        add(fmt::format("{}[{}]", key, i), node->items()[i]);
    else
      add(key, *node);
  }
  return found;
}

}  // namespace

std::vector<DesignHandle> find_handles(const DetectorInput& input,
                                       unsigned threads) {
  Diagnostics ignored;  // the description was read before
  const auto parsed =
      parse_yaml(std::make_shared<Source>(input.detector.file, input.text),
                 "gttf-detector: 1", ignored);
  if (!parsed) return {};
  const Node root = apply_overrides(*parsed, input.overrides, ignored);
  std::vector<DesignHandle> all = candidates(root);
  const Probe probe(input);
  const EntryNumbers numbers(input.detector, root);
  // the first handles of all entries, the second ones, ...; the field, which is
  // no number of a layer, by itself
  std::vector<std::vector<DesignHandle*>> rounds, others;
  std::map<std::string, std::size_t> tried;
  for (DesignHandle& handle : all) {
    if (handle.entry.empty()) {
      others.push_back({&handle});
      continue;
    }
    const std::size_t round = tried[handle.entry]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(&handle);
  }
  std::ranges::move(others, std::back_inserter(rounds));
  parallel_in_order(
      rounds.size(), thread_count(threads),
      [&](std::size_t i) {
        find_slopes(probe, numbers, rounds[i]);
        return true;
      },
      [](bool) {});
  std::vector<DesignHandle*> good;
  for (DesignHandle& handle : all)
    if (!handle.slopes.empty()) good.push_back(&handle);
  std::vector<DesignHandle> handles;
  for (DesignHandle* handle : without_products(probe, good))
    handles.push_back(std::move(*handle));
  return handles;
}

std::string text_of(const DesignHandle& handle, double number) {
  return fmt::format("{}{}", number, handle.unit);
}

}  // namespace gttf
