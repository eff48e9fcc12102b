// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/override.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/config/named_files.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/layer_node.hpp"

namespace gttf {
namespace {

using Kind = Node::Kind;
using Step = detail::KeyStep;

/// An item of a list, or one of the copies that replace it.
struct Spot {
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  std::size_t item = 0;
  std::size_t copy = all;
};
using Spots = std::vector<Spot>;

class Override {
 public:
  Override(const std::string& text, Diagnostics& diagnostics)
      : source_(std::make_shared<Source>("--set", text, Source::Kind::option)),
        diagnostics_(diagnostics) {}

  Node apply(const Node& root) {
    if (!check_text(*source_, diagnostics_) || !parse()) return root;
    return set(root, steps_);
  }

  /// The value selected by the key, or the nearest part of it.
  const Node* find(const Node& root) {
    if (!parse()) return nullptr;
    for (; !steps_.empty(); steps_.pop_back()) {
      if (const Node* node = find(root, steps_)) return node;
      if (steps_.back().in_brackets) break;  // the list has no such item
    }
    return nullptr;
  }

 private:
  using Steps = std::span<const Step>;

  void report(std::size_t offset, std::size_t length, std::string problem,
              std::string suggestion) {
    Diagnostic d = source_->at(offset, length);
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    diagnostics_.add(std::move(d));
  }
  void report(const Step& step, std::string problem, std::string suggestion) {
    report(step.offset, step.text.size(), std::move(problem),
           std::move(suggestion));
  }

  bool malformed(std::size_t offset, std::string problem) {
    report(offset, 1, std::move(problem),
           "write KEY=VALUE, for example \"layers[L0].material=0.5 %\"");
    return false;
  }

  /// Splits the text at the first `=` outside brackets.
  bool parse() {
    const std::string& text = source_->text();
    std::size_t i = 0;
    while (i < text.size() && text[i] != '=') {
      if (text[i] == '[') {
        int depth = 1;
        const std::size_t begin = ++i;
        for (; i < text.size(); ++i) {
          if (text[i] == '[') ++depth;
          if (text[i] == ']' && --depth == 0) break;
        }
        if (i == text.size())
          return malformed(begin - 1, "the bracket \"[\" is not closed");
        add_step(begin, i, true);
        ++i;
        if (i < text.size() && text[i] == '.') ++i;
      } else {
        const std::size_t begin = i;
        i = std::min(text.find_first_of(".[=", i), text.size());
        add_step(begin, i, false);
        if (i < text.size() && text[i] == '.') ++i;
      }
      if (steps_.back().text.empty())
        return malformed(steps_.back().offset, "empty name in a key");
    }
    if (i == text.size())
      return malformed(i, fmt::format("no \"=\" in {}", in_quotes(text)));
    if (steps_.empty()) return malformed(0, "no key before \"=\"");
    if (trimmed(text.substr(i + 1)).empty()) {
      report(i, 1, "no value after \"=\"", "write null to remove the key");
      return false;
    }
    value_ = parse_yaml_value(source_, i + 1, diagnostics_);
    // also if another option replaces the value
    if (value_) record_named_files(steps_.back().text, *value_);
    return value_.has_value();
  }

  void add_step(std::size_t begin, std::size_t end, bool in_brackets) {
    const std::string_view raw =
        std::string_view(source_->text()).substr(begin, end - begin);
    const std::string_view name = trimmed(raw);
    const std::size_t lead = name.empty() ? 0 : raw.find(name[0]);
    steps_.push_back({std::string(name), in_brackets, begin + lead});
  }

  /// Whether the key begins with a list of layers or of their parts.
  bool begins_with_layers() const { return steps_[0].text == "layers"; }

  /// Whether `steps`, after the first two, continue in an entry of `layers`.
  bool is_in_layer(Steps steps) const {
    return begins_with_layers() && steps.data() == steps_.data() + 2;
  }

  const Node* find(const Node& node, Steps steps) const {
    if (steps.empty()) return &node;
    if (is_in_layer(steps)) {
      for (const detail::KeyPath& path : detail::spellings(node, steps))
        if (const Node* found = find_as_written(node, path)) return found;
      return nullptr;
    }
    return find_as_written(node, steps);
  }
  const Node* find_as_written(const Node& node, Steps steps) const {
    if (steps.empty()) return &node;
    const Step& step = steps[0];
    if (node.kind() != Kind::list) {
      const Node* value = step.in_brackets ? nullptr : node.find(step.text);
      if (value == nullptr) return nullptr;
      const auto [one, rest] = into_gap(step, *value, steps.subspan(1));
      return find(one ? value->items()[0] : *value, rest);
    }
    if (!step.in_brackets) return nullptr;
    auto spot = find_item(node, step.text);
    if (!spot)  // for a repeated layer, the entry applies
      spot = find_item(node, detail::name_without_copy(step.text));
    if (!spot) return nullptr;
    const Node& item = node.items()[spot->item];
    const bool has_copies = detail::is_list_of_copies(item);
    return find(has_copies
                    ? item.items()[spot->copy == Spot::all ? 0 : spot->copy]
                    : item,
                steps.subspan(1));
  }

  /// `dipole` is one gap or a list: `dipole.field` also selects into a list of
  /// one item, and `dipole[0].field` into a gap without a list. Returns whether
  /// the only item is selected, and the remaining steps.
  static std::pair<bool, Steps> into_gap(const Step& step, const Node& value,
                                         Steps rest) {
    if (step.text != "dipole" || rest.empty()) return {false, rest};
    if (value.kind() == Kind::list && value.items().size() == 1 &&
        !rest[0].in_brackets)
      return {true, rest};
    if (value.kind() == Kind::map && rest[0].in_brackets && rest[0].text == "0")
      return {false, rest.subspan(1)};
    return {false, rest};
  }

  bool removes(Steps steps) const {
    return steps.size() == 1 && value_->kind() == Kind::null;
  }

  /// `node` with the value set at the end of the path.
  Node set(const Node& node, Steps steps) {
    if (steps.empty()) return *value_;
    if (node.kind() == Kind::map)
      return is_in_layer(steps) ? set_in_layer(node, steps)
                                : set_key(node, steps);
    if (node.kind() == Kind::list) return set_items(node, steps);
    // `field: none` is replaced by a field; nothing else is dropped silently
    const bool is_field =
        steps_[0].text == "field" && steps.size() + 1 == steps_.size();
    const bool gives_way =
        node.kind() == Kind::null || (is_field && node.text() == "none");
    if (gives_way && !steps[0].in_brackets)
      return set_key(Node::make_map(node.origin(), {}), steps);
    report(steps[0],
           fmt::format("there is no {} in the value {}",
                       in_quotes(steps[0].text), describe(node)),
           "set the whole value");
    return node;
  }

  Node set_key(const Node& node, Steps steps) {
    const Step& step = steps[0];
    std::vector<Node::Entry> entries = node.entries();
    const auto it =
        std::ranges::find_if(entries, [&](const Node::Entry& entry) {
          return entry.key.text() == step.text;
        });
    if (it == entries.end()) {
      // a missing item of a list cannot be set; `materials` is a map, whose
      // names may need brackets
      const bool enters_list =
          steps.size() > 1 && steps[1].in_brackets && step.text != "materials";
      if (removes(steps) || enters_list) {
        std::vector<std::string> known;
        for (const Node::Entry& entry : entries)
          known.push_back(entry.key.text());
        const auto near = nearest(step.text, known);
        report(step, fmt::format("there is no key {}", in_quotes(step.text)),
               near ? fmt::format("did you mean {}?", in_quotes(*near))
                    : fmt::format("known: {}", joined(known)));
        return node;
      }
      const Origin origin{source_, step.offset, step.text.size()};
      const Node empty = Node::make_map(origin, {});
      entries.push_back({Node::make_scalar(origin, step.text, false),
                         set(empty, steps.subspan(1))});
    } else if (removes(steps)) {
      entries.erase(it);
    } else {
      const auto [one, rest] = into_gap(step, it->value, steps.subspan(1));
      it->value = one ? Node::make_list(it->value.origin(),
                                        {set(it->value.items()[0], rest)})
                      : set(it->value, rest);
    }
    return Node::make_map(node.origin(), std::move(entries));
  }

  /// A new value replaces the same quantity in another notation; removing a
  /// value removes it in any notation.
  Node set_in_layer(const Node& layer, Steps steps) {
    if (removes_at_end() && find_as_written(layer, steps))
      return set_key(layer, steps);
    const auto target = detail::spelling_to_set(layer, steps);
    Node cleared = layer;
    bool found = false;
    for (const detail::KeyPath& path : detail::spellings(layer, steps)) {
      const bool stays = !removes_at_end() && target && same(path, *target);
      if (stays || !find_as_written(cleared, path)) continue;
      cleared = without(cleared, path);
      found = true;
    }
    if (removes_at_end() && found) return cleared;
    if (target || removes_at_end())
      return set_key(cleared, target ? Steps(*target) : steps);
    return with_coordinate(cleared, steps);
  }

  bool removes_at_end() const { return value_->kind() == Kind::null; }

  static bool same(const detail::KeyPath& a, const detail::KeyPath& b) {
    return std::ranges::equal(a, b, [](const Step& one, const Step& other) {
      return one.text == other.text && one.in_brackets == other.in_brackets;
    });
  }

  /// Removes the value at a path, and maps that become empty. An item of
  /// `measures` is removed entirely if it has no other error left.
  Node without(const Node& node, Steps steps) const {
    if (node.kind() == Kind::list) {
      const std::optional<Spot> spot = find_item(node, steps[0].text);
      std::vector<Node> items = node.items();
      items[spot->item] = without(items[spot->item], steps.subspan(1));
      if (removes_at_end())
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(spot->item));
      return Node::make_list(node.origin(), std::move(items));
    }
    std::vector<Node::Entry> entries = node.entries();
    const auto it = std::ranges::find_if(entries, [&](const auto& entry) {
      return entry.key.text() == steps[0].text;
    });
    if (steps.size() > 1) it->value = without(it->value, steps.subspan(1));
    if (steps.size() == 1 ||
        (it->value.entries().empty() && it->value.items().empty()))
      entries.erase(it);
    return Node::make_map(node.origin(), std::move(entries));
  }

  /// A layer with an additional item in its list `measures`.
  Node with_coordinate(const Node& layer, Steps steps) {
    const Step& step = steps.back();
    const Origin origin{source_, step.offset, step.text.size()};
    const auto scalar = [&origin](const char* text) {
      return Node::make_scalar(origin, text, false);
    };
    const bool along_u = step.text == "rphi" || step.text == "u";
    const bool is_pitch = steps[steps.size() - 2].text == "pitch";
    std::vector<Node> items = layer.find("measures")->items();
    items.push_back(Node::make_map(
        origin, {{scalar("angle"), scalar(along_u ? "0 deg" : "90 deg")},
                 {scalar(is_pitch ? "pitch" : "sigma"), *value_}}));
    std::vector<Node::Entry> entries = layer.entries();
    for (Node::Entry& entry : entries)
      if (entry.key.text() == "measures")
        entry.value = Node::make_list(entry.value.origin(), std::move(items));
    return Node::make_map(layer.origin(), std::move(entries));
  }

  Node set_items(const Node& whole, Steps steps) {
    const Step& step = steps[0];
    if (!step.in_brackets) {
      report(step,
             fmt::format("{} is not an item of a list", in_quotes(step.text)),
             "select an item, for example \"layers[L0]." + step.text + '"');
      return whole;
    }
    const Node node =
        begins_with_layers() ? with_copies(whole, step.text) : whole;
    const std::optional<Spots> chosen = choose(node, step);
    if (!chosen) return whole;
    std::vector<Node> items = node.items();
    // in reverse order, so that removal does not shift the other items
    for (auto spot = chosen->rbegin(); spot != chosen->rend(); ++spot) {
      Node& item = items[spot->item];
      const bool has_copies = detail::is_list_of_copies(item);
      if (removes(steps) && (!has_copies || spot->copy == Spot::all)) {
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(spot->item));
        continue;
      }
      if (!has_copies) {
        item = set(item, steps.subspan(1));
        continue;
      }
      std::vector<Node> copies = item.items();
      for (std::size_t i = copies.size(); i-- > 0;) {
        if (spot->copy != Spot::all && spot->copy != i) continue;
        if (removes(steps))
          copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(i));
        else
          copies[i] = set(copies[i], steps.subspan(1));
      }
      if (copies.empty())
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(spot->item));
      else
        item = Node::make_list(item.origin(), std::move(copies));
    }
    return Node::make_list(node.origin(), std::move(items));
  }

  /// The list in which the repeated layers named by a selector are replaced by
  /// lists of copies.
  static Node with_copies(const Node& list, std::string_view selector) {
    std::vector<Node> items = list.items();
    const auto split = [&items](std::string_view name) {
      const std::string_view base = detail::name_without_copy(trimmed(name));
      for (Node& item : items) {
        if (base.empty() || detail::name_of_entry(item) != base) continue;
        std::vector<Node> copies = detail::copies_of(item);
        if (!copies.empty())
          item = Node::make_list(item.origin(), std::move(copies));
      }
    };
    split(selector);
    if (const auto ends = ends_of_range(selector)) {
      split(ends->first);
      split(ends->second);
    }
    return Node::make_list(list.origin(), std::move(items));
  }

  /// The item of a list, or copy of a repeated layer, with that name; else the
  /// one of that index.
  static std::optional<Spot> find_item(const Node& list,
                                       std::string_view selector) {
    const std::vector<Node>& items = list.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!detail::is_list_of_copies(items[i])) {
        const std::string_view name = detail::name_of_entry(items[i]);
        if (!name.empty() && name == selector) return Spot{i};
        continue;
      }
      const std::vector<Node>& copies = items[i].items();
      for (std::size_t k = 0; k < copies.size(); ++k) {
        const std::string_view name = detail::name_of_entry(copies[k]);
        if (name == selector) return Spot{i, k};
        if (k == 0 && detail::name_without_copy(name) == selector &&
            !selector.empty())
          return Spot{i};
      }
    }
    std::size_t index = 0;
    const char* last = selector.data() + selector.size();
    const auto [end, error] = std::from_chars(selector.data(), last, index);
    if (error != std::errc() || end != last || index >= items.size())
      return std::nullopt;
    return Spot{index};
  }

  static std::optional<std::pair<std::string_view, std::string_view>>
  ends_of_range(std::string_view selector) {
    const std::size_t colon = selector.find(':');
    if (colon == selector.npos) return std::nullopt;
    return std::pair(trimmed(selector.substr(0, colon)),
                     trimmed(selector.substr(colon + 1)));
  }

  /// All items in a range, including each copy in lists of copies.
  static Spots between(const Node& list, Spot from, Spot to) {
    Spots spots;
    for (std::size_t i = from.item; i <= to.item; ++i) {
      const Node& item = list.items()[i];
      if (!detail::is_list_of_copies(item)) {
        spots.push_back({i});
        continue;
      }
      const bool is_first = i == from.item && from.copy != Spot::all;
      const bool is_last = i == to.item && to.copy != Spot::all;
      const std::size_t end = is_last ? to.copy + 1 : item.items().size();
      for (std::size_t k = is_first ? from.copy : 0; k < end; ++k)
        spots.push_back({i, k});
    }
    return spots;
  }

  std::optional<Spots> choose(const Node& list, const Step& step) {
    const std::string_view selector = step.text;
    if (const auto one = find_item(list, selector)) return Spots{*one};
    if (selector == "*" && !list.items().empty())
      return between(list, Spot{0}, Spot{list.items().size() - 1});
    if (const auto ends = ends_of_range(selector)) {
      const auto from = find_item(list, ends->first);
      const auto to = find_item(list, ends->second);
      if (from && to)
        if (Spots spots = between(list, *from, *to); !spots.empty())
          return spots;
    }
    no_such_item(list, step);
    return std::nullopt;
  }

  void no_such_item(const Node& list, const Step& step) {
    std::vector<std::string> names;
    const auto add = [&names](const Node& item) {
      if (const auto name = detail::name_of_entry(item); !name.empty())
        names.emplace_back(name);
    };
    for (const Node& item : list.items()) {
      add(item);
      if (detail::is_list_of_copies(item))
        for (const Node& copy : item.items()) add(copy);
    }
    if (names.empty()) {
      report(step, fmt::format("there is no item {}", in_quotes(step.text)),
             fmt::format("the list has {} items, counted from 0",
                         list.items().size()));
      return;
    }
    const auto is_name = [&list](std::string_view name) {
      return !name.empty() && find_item(list, name).has_value();
    };
    if (const auto base = detail::name_without_copy(step.text); is_name(base)) {
      report(step,
             fmt::format("layer {} has no surface {}", in_quotes(base),
                         in_quotes(step.text)),
             "its surfaces are numbered from 0 to \"repeat\" - 1");
      return;
    }
    for (const std::string_view side : {" (+z)", " (-z)"}) {
      if (!step.text.ends_with(side)) continue;
      const std::string name =
          step.text.substr(0, step.text.size() - side.size());
      const std::string_view base = detail::name_without_copy(name);
      if (!is_name(name) && !is_name(base)) continue;
      report(step,
             fmt::format("{} is the mirror image of layer {}",
                         in_quotes(step.text), in_quotes(name)),
             fmt::format("set {}, which applies to both",
                         in_quotes("layers[" + name + "]")));
      return;
    }
    const auto near = nearest(step.text, names);
    report(step, fmt::format("there is no layer {}", in_quotes(step.text)),
           near ? fmt::format("did you mean {}?", in_quotes(*near))
                : fmt::format("the layers are {}", joined(names)));
  }

  SourcePtr source_;
  Diagnostics& diagnostics_;
  std::vector<Step> steps_;
  std::optional<Node> value_;
};

/// Replaces lists of copies by the copies.
Node with_copies_as_layers(const Node& root) {
  std::vector<Node::Entry> entries = root.entries();
  for (Node::Entry& entry : entries) {
    if (entry.key.text() != "layers" ||
        std::ranges::none_of(entry.value.items(), detail::is_list_of_copies))
      continue;
    std::vector<Node> layers;
    for (const Node& item : entry.value.items())
      if (detail::is_list_of_copies(item))
        layers.insert(layers.end(), item.items().begin(), item.items().end());
      else
        layers.push_back(item);
    entry.value = Node::make_list(entry.value.origin(), std::move(layers));
    return Node::make_map(root.origin(), std::move(entries));
  }
  return root;
}

}  // namespace

Node apply_overrides(Node root, std::span<const std::string> overrides,
                     Diagnostics& diagnostics) {
  for (const std::string& text : overrides)
    root = Override(text, diagnostics).apply(root);
  return with_copies_as_layers(root);
}

const Node* find_key(const Node& root, const std::string& key) {
  Diagnostics ignored;  // a malformed key selects nothing
  return Override(key + "=null", ignored).find(root);
}

namespace {

/// Whether `wanted` is within a value, and no alias leads there.
bool is_within(const Node& value, const Node& wanted) {
  if (!value.alias().empty()) return false;
  if (&value == &wanted) return true;
  for (const Node::Entry& entry : value.entries())
    if (!entry.merged && is_within(entry.value, wanted)) return true;
  for (const Node& item : value.items())
    if (is_within(item, wanted)) return true;
  return false;
}

void append_keys_in(const Node& node, const std::string& key,
                    std::vector<std::string>& keys) {
  if (node.kind() == Kind::map) {
    for (const Node::Entry& entry : node.entries())
      append_keys_in(entry.value,
                     key.empty() ? entry.key.text()
                                 : fmt::format("{}.{}", key, entry.key.text()),
                     keys);
    return;
  }
  const bool of_maps = !node.items().empty() &&
                       std::ranges::all_of(node.items(), [](const Node& item) {
                         return item.kind() == Kind::map;
                       });
  if (!of_maps) {
    keys.push_back(key);
    return;
  }
  for (std::size_t i = 0; i < node.items().size(); ++i) {
    const std::string_view name = detail::name_of_entry(node.items()[i]);
    append_keys_in(node.items()[i],
                   name.empty() ? fmt::format("{}[{}]", key, i)
                                : fmt::format("{}[{}]", key, name),
                   keys);
  }
}

}  // namespace

bool has_own_place(const Node& root, const std::string& key,
                   const Node& value) {
  constexpr std::string_view list = "layers[";
  if (!key.starts_with(list)) return is_within(root, value);
  const std::string name =
      key.substr(list.size(), key.find("].") - list.size());
  const Node* layers = root.find("layers");
  for (const Node& item : layers->items()) {
    if (detail::name_of_entry(item) != name) continue;
    for (const Node::Entry& entry : item.entries())
      if (!entry.merged && is_within(entry.value, value)) return true;
  }
  return false;
}

std::vector<std::string> keys_in(const Node& root) {
  std::vector<std::string> keys;
  append_keys_in(root, "", keys);
  return keys;
}

}  // namespace gttf
