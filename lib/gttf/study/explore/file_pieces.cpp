// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/explore/file_pieces.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "gttf/config/text.hpp"
#include "gttf/detector/layer_node.hpp"
#include "gttf/detector/override.hpp"
#include "gttf/study/optimise/key_probe.hpp"

namespace gttf {
namespace {

using Parts = std::vector<std::variant<std::string, std::size_t>>;

std::optional<Node> parsed(const DetectorInput& input) {
  Diagnostics ignored;  // it was read before
  return parse_yaml(std::make_shared<Source>(input.detector.file, input.text),
                    "gttf-detector: 1", ignored);
}

/// A place in the file with a replacement.
struct Edit {
  std::size_t offset = 0, length = 0;
  Parts changed;
  std::set<std::size_t> triggers;
};

/// The node of a handle: find_key() leads to lists, not to their items.
const Node* node_of(const Node& root, const std::string& key) {
  const Node* node = find_key(root, key);
  if (node == nullptr || node->kind() != Node::Kind::list) return node;
  std::size_t item = 0;
  const std::size_t bracket = key.rfind('[');
  if (bracket == key.npos || !key.ends_with(']')) return nullptr;
  std::from_chars(key.data() + bracket + 1, key.data() + key.size(), item);
  return item < node->items().size() ? &node->items()[item] : nullptr;
}

class Cutter {
 public:
  Cutter(const std::string& text, const Node& root,
         std::span<const DesignHandle> handles)
      : text_(text), handles_(handles) {
    for (std::size_t h = 0; h < handles.size(); ++h) {
      const Node* node = node_of(root, handles[h].key);
      if (node == nullptr) continue;
      by_place_[node->definition().offset].insert(h);
      if (has_own_place(root, handles[h].key, *node))
        add({node->origin().offset, node->origin().length, {h}, {h}});
      else
        shared_.insert(h);
    }
    const Node* layers = root.find("layers");
    for (const Node& item : layers->items())
      if (is_anchored(item)) anchored_.emplace(detail::name_of_entry(item));
    for (const Node& item : layers->items()) cut_shared(item);
  }

  std::vector<FilePiece> take() {
    std::vector<FilePiece> pieces;
    std::ranges::stable_sort(edits_, {}, &Edit::offset);
    std::size_t at = 0;
    for (Edit& edit : edits_) {
      if (edit.offset < at) return {};  // values within each other
      if (edit.offset > at)
        pieces.push_back({text_.substr(at, edit.offset - at), {}, {}});
      pieces.push_back({text_.substr(edit.offset, edit.length),
                        std::move(edit.changed),
                        {edit.triggers.begin(), edit.triggers.end()}});
      at = edit.offset + edit.length;
    }
    pieces.push_back({text_.substr(at), {}, {}});
    return pieces;
  }

 private:
  void add(Edit edit) { edits_.push_back(std::move(edit)); }

  /// Where the first key of a block begins: a comment may precede it.
  static std::size_t first_key(const Node& block) {
    std::size_t first = std::string::npos;
    for (const Node::Entry& entry : block.entries())
      if (!entry.merged) first = std::min(first, entry.key.origin().offset);
    return first;
  }

  /// Whether other layers may refer to a layer: "- &name", or with a comment.
  bool is_anchored(const Node& item) const {
    std::string_view before(text_.data(), item.definition().offset);
    for (;;) {
      before = trimmed(before);
      const std::size_t line = before.rfind('\n') + 1;
      const std::size_t comment = before.find('#', line);
      if (comment == before.npos) break;
      before = before.substr(0, comment);
    }
    return before.substr(before.find_last_of(" \t\n") + 1).starts_with('&');
  }

  /// A value written out, with the handles of the layer inserted.
  void write_out(const std::string& layer, const Node& node, Edit& edit) {
    const auto text = [&edit](std::string_view more) {
      if (!edit.changed.empty() &&
          std::holds_alternative<std::string>(edit.changed.back()))
        std::get<std::string>(edit.changed.back()).append(more);
      else
        edit.changed.emplace_back(std::string(more));
    };
    switch (node.kind()) {
      case Node::Kind::map: {
        text("{ ");
        bool first = true;
        for (const Node::Entry& entry : node.entries()) {
          text((first ? "" : ", ") + entry.key.text() + ": ");
          write_out(layer, entry.value, edit);
          first = false;
        }
        text(" }");
        return;
      }
      case Node::Kind::list: {
        text("[");
        bool first = true;
        for (const Node& item : node.items()) {
          if (!first) text(", ");
          write_out(layer, item, edit);
          first = false;
        }
        text("]");
        return;
      }
      default:
        break;
    }
    const auto there = by_place_.find(node.definition().offset);
    std::optional<std::size_t> own;
    if (there != by_place_.end())
      for (const std::size_t h : there->second) {
        // a handle of the value there also changes it for this layer, and so
        // does a value of a layer that this one may refer to
        if (!shared_.contains(h) || anchored_.contains(handles_[h].entry))
          edit.triggers.insert(h);
        if (handles_[h].entry == layer) own = h;
      }
    if (own) {
      edit.changed.emplace_back(*own);
      edit.triggers.insert(*own);
      return;
    }
    text(detail::flow_text(node));
  }

  /// Entries that a layer inherits.
  void cut_shared(const Node& item) {
    const std::string layer(detail::name_of_entry(item));
    const bool in_braces = text_[item.definition().offset] == '{';
    for (const Node::Entry& entry : item.entries()) {
      const bool alias = !entry.value.alias().empty();
      if (!entry.merged && !alias) {
        cut_aliases(layer, entry.value);
        continue;
      }
      Edit edit;
      if (entry.merged) {
        edit.offset =
            in_braces ? item.definition().offset + 1 : first_key(item);
        edit.changed.emplace_back((in_braces ? " " : "") + entry.key.text() +
                                  ": ");
      } else {
        edit.offset = entry.value.origin().offset;
        edit.length = entry.value.origin().length;
      }
      write_out(layer, entry.value, edit);
      if (edit.triggers.empty()) continue;
      if (entry.merged) {
        std::string end = ",";
        if (!in_braces) {
          const std::size_t line = text_.rfind('\n', edit.offset);
          end = '\n' + std::string(edit.offset - line - 1, ' ');
        }
        edit.changed.emplace_back(std::move(end));
      }
      add(std::move(edit));
    }
  }

  /// Aliases within a value that is the layer's own.
  void cut_aliases(const std::string& layer, const Node& value) {
    const auto cut = [&](const Node& part) {
      if (part.alias().empty()) {
        cut_aliases(layer, part);
        return;
      }
      Edit edit;
      edit.offset = part.origin().offset;
      edit.length = part.origin().length;
      write_out(layer, part, edit);
      if (!edit.triggers.empty()) add(std::move(edit));
    };
    for (const Node::Entry& entry : value.entries())
      if (!entry.merged) cut(entry.value);
    for (const Node& item : value.items()) cut(item);
  }

  const std::string& text_;
  std::span<const DesignHandle> handles_;
  std::set<std::size_t> shared_;  ///< handles whose value is written elsewhere
  std::set<std::string> anchored_;  ///< layers
  std::map<std::size_t, std::set<std::size_t>> by_place_;
  std::vector<Edit> edits_;
};

}  // namespace

std::vector<double> values_in_file(const DetectorInput& input,
                                   std::span<const DesignHandle> handles) {
  std::vector<double> values(handles.size(),
                             std::numeric_limits<double>::quiet_NaN());
  const auto root = parsed(input);
  for (std::size_t h = 0; root && h < handles.size(); ++h) {
    const Node* node = node_of(*root, handles[h].key);
    if (node == nullptr || node->kind() != Node::Kind::scalar) continue;
    const auto value = parse_quantity(node->text(), handles[h].dimension);
    if (!value) continue;
    // the same number if it has the unit of the handle
    if (trimmed(node->text()).ends_with(handles[h].unit))
      std::from_chars(node->text().data(),
                      node->text().data() + node->text().size(), values[h]);
    else
      values[h] = value.value / handles[h].factor;
  }
  return values;
}

std::vector<FilePiece> file_pieces(const DetectorInput& input,
                                   std::span<const DesignHandle> handles) {
  const auto root = parsed(input);
  if (!root || root->find("layers") == nullptr) return {};
  return Cutter(input.text, *root, handles).take();
}

std::string file_text(std::span<const FilePiece> pieces,
                      std::span<const DesignHandle> handles,
                      std::span<const double> in_file,
                      std::span<const double> values) {
  std::string text;
  for (const FilePiece& piece : pieces) {
    const bool as_it_is = std::ranges::none_of(
        piece.triggers, [&](std::size_t h) { return values[h] != in_file[h]; });
    if (as_it_is) {
      text += piece.text;
      continue;
    }
    for (const auto& part : piece.changed)
      if (const auto* h = std::get_if<std::size_t>(&part))
        text += text_of(handles[*h], values[*h]);
      else
        text += std::get<std::string>(part);
  }
  return text;
}

}  // namespace gttf
