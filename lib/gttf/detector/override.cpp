// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/override.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "gttf/config/text.hpp"

namespace gttf {
namespace {

using Kind = Node::Kind;
using Indices = std::vector<std::size_t>;

/// One step of a path: `.name` or `[selector]`.
struct Step {
  std::string text;
  bool in_brackets = false;
  std::size_t offset = 0;
};

class Override {
 public:
  Override(const std::string& text, Diagnostics& diagnostics)
      : source_(std::make_shared<Source>("--set", text, Source::Kind::option)),
        diagnostics_(diagnostics) {}

  Node apply(const Node& root) {
    if (!check_text(*source_, diagnostics_) || !parse()) return root;
    return set(root, steps_);
  }

  /// What the value would take the place of, or nullptr.
  const Node* find(const Node& root) {
    if (!parse()) return nullptr;
    const Node* node = &root;
    for (const Step& step : steps_) {
      if (!step.in_brackets) {
        node = node->find(step.text);
      } else {
        const auto index = find_item(*node, step.text);
        node = index ? &node->items()[*index] : nullptr;
      }
      if (node == nullptr) break;
    }
    return node;
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
    return value_.has_value();
  }

  void add_step(std::size_t begin, std::size_t end, bool in_brackets) {
    const std::string_view raw =
        std::string_view(source_->text()).substr(begin, end - begin);
    const std::string_view name = trimmed(raw);
    const std::size_t lead = name.empty() ? 0 : raw.find(name[0]);
    steps_.push_back({std::string(name), in_brackets, begin + lead});
  }

  bool removes(Steps steps) const {
    return steps.size() == 1 && value_->kind() == Kind::null;
  }

  /// `node` with the value at the end of the path.
  Node set(const Node& node, Steps steps) {
    if (steps.empty()) return *value_;
    if (node.kind() == Kind::list) return set_items(node, steps);
    if (node.kind() == Kind::map) return set_key(node, steps);
    // `field: none` gives way to a field; nothing else is dropped silently
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
      // an item of a list that is not there cannot be set; `materials` is a
      // map, whose names may need brackets
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
      it->value = set(it->value, steps.subspan(1));
    }
    return Node::make_map(node.origin(), std::move(entries));
  }

  Node set_items(const Node& node, Steps steps) {
    const Step& step = steps[0];
    if (!step.in_brackets) {
      report(step,
             fmt::format("{} is looked for in a list", in_quotes(step.text)),
             "say which item, for example \"layers[L0]." + step.text + '"');
      return node;
    }
    const std::optional<Indices> chosen = choose(node, step);
    if (!chosen) return node;
    std::vector<Node> items = node.items();
    if (removes(steps)) {
      for (auto it = chosen->rbegin(); it != chosen->rend(); ++it)
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(*it));
    } else {
      for (const std::size_t i : *chosen)
        items[i] = set(items[i], steps.subspan(1));
    }
    return Node::make_list(node.origin(), std::move(items));
  }

  /// Index of the item with that name, or that index.
  static std::optional<std::size_t> find_item(const Node& list,
                                              std::string_view selector) {
    const std::vector<Node>& items = list.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Node* name = items[i].find("name");
      if (name && name->kind() == Kind::scalar && name->text() == selector)
        return i;
    }
    std::size_t index = 0;
    const char* last = selector.data() + selector.size();
    const auto [end, error] = std::from_chars(selector.data(), last, index);
    if (error != std::errc() || end != last || index >= items.size())
      return std::nullopt;
    return index;
  }

  std::optional<Indices> choose(const Node& list, const Step& step) {
    const std::string_view selector = step.text;
    const auto range = [](std::size_t from, std::size_t to) {
      Indices indices;
      for (std::size_t i = from; i <= to; ++i) indices.push_back(i);
      return indices;
    };
    if (const auto one = find_item(list, selector)) return Indices{*one};
    if (selector == "*" && !list.items().empty())
      return range(0, list.items().size() - 1);
    const std::size_t colon = selector.find(':');
    if (colon != std::string_view::npos) {
      const auto from = find_item(list, trimmed(selector.substr(0, colon)));
      const auto to = find_item(list, trimmed(selector.substr(colon + 1)));
      if (from && to && *from <= *to) return range(*from, *to);
    }
    no_such_item(list, step);
    return std::nullopt;
  }

  void no_such_item(const Node& list, const Step& step) {
    std::vector<std::string> names;
    for (const Node& item : list.items())
      if (const Node* name = item.find("name")) names.push_back(name->text());
    if (names.empty()) {
      report(step, fmt::format("there is no item {}", in_quotes(step.text)),
             fmt::format("the list has {} items, counted from 0",
                         list.items().size()));
      return;
    }
    const std::string base = step.text.substr(0, step.text.rfind('['));
    if (base != step.text && std::ranges::find(names, base) != names.end()) {
      report(step,
             fmt::format("{} is one of the repeated surfaces of layer {}",
                         in_quotes(step.text), in_quotes(base)),
             fmt::format("set {}, which holds for all of them",
                         in_quotes("layers[" + base + "]")));
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

}  // namespace

Node apply_overrides(Node root, std::span<const std::string> overrides,
                     Diagnostics& diagnostics) {
  for (const std::string& text : overrides)
    root = Override(text, diagnostics).apply(root);
  return root;
}

const Node* find_key(const Node& root, const std::string& key) {
  Diagnostics ignored;  // what is malformed leads nowhere
  return Override(key + "=null", ignored).find(root);
}

}  // namespace gttf
