// SPDX-License-Identifier: Apache-2.0
// Node: a value of a YAML text that knows its place. Immutable.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/source.hpp"

namespace gttf {

/// Where a value is written: bytes [offset, offset + length) of a source.
struct Origin {
  SourcePtr source;
  std::size_t offset = 0;
  std::size_t length = 1;
};

/// A scalar, list or map, or nothing. Copies share their content; aliases and
/// merge keys are resolved, so that a reader never meets them.
class Node {
 public:
  enum class Kind { null, scalar, list, map };
  struct Entry;

  /// Limits of a text; they bound time and memory whatever it says.
  static constexpr int max_depth = 64;
  static constexpr std::size_t max_nodes = 100000;  ///< aliases expanded

  static Node make_null(Origin origin);
  static Node make_scalar(Origin origin, std::string text, bool is_quoted);
  static Node make_list(Origin origin, std::vector<Node> items);
  static Node make_map(Origin origin, std::vector<Entry> entries);

  Kind kind() const;
  /// Text of a scalar, escapes resolved; empty for the others.
  const std::string& text() const;
  /// A scalar in quotes (or a block), which is text and never a number.
  bool is_quoted() const;
  /// Items of a list; empty for the others.
  const std::vector<Node>& items() const;
  /// Entries of a map in their order; empty for the others.
  const std::vector<Entry>& entries() const;
  /// Value of a key or nullptr.
  const Node* find(std::string_view key) const;

  /// Where it is used; for `*name` the alias, not the anchor.
  const Origin& origin() const { return origin_; }
  /// Where the content is written.
  const Origin& definition() const;
  /// Name of the alias that led here, or empty.
  const std::string& alias() const { return alias_; }
  /// The same content used at another place.
  Node used_at(Origin origin, std::string alias) const;

  /// Number of nodes in it, itself and expanded aliases included.
  std::size_t node_count() const;
  /// 0 for a scalar, else one more than the deepest item.
  int height() const;

 private:
  struct Content;
  Node(std::shared_ptr<const Content> content, Origin origin)
      : content_(std::move(content)), origin_(std::move(origin)) {}

  std::shared_ptr<const Content> content_;
  Origin origin_;
  std::string alias_;
};

struct Node::Entry {
  Node key;
  Node value;
  bool merged = false;  ///< came through `<<`
};

/// "a list", "a map", "nothing", or the text in quotes.
std::string describe(const Node& node);

/// A diagnostic at the place where the node is used.
Diagnostic diagnostic_at(const Node& node);

/// Parses the one YAML document of `source`.
///
/// Refused with a place: syntax errors, a second document, text after the end,
/// duplicate keys, keys that are not text, application tags, cyclic and
/// undefined aliases, more than Node::max_depth levels or Node::max_nodes
/// nodes. An empty text is an error that tells the `first_line` to write.
///
/// @return  the root, or nothing if it cannot be made; errors may have been
///          added in both cases
std::optional<Node> parse_yaml(const SourcePtr& source,
                               std::string_view first_line,
                               Diagnostics& diagnostics);

/// Parses the bytes of `source` from `offset` as one YAML value, as in the
/// part of an option behind `=`.
std::optional<Node> parse_yaml_value(const SourcePtr& source,
                                     std::size_t offset,
                                     Diagnostics& diagnostics);

}  // namespace gttf
