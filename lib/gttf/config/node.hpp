// SPDX-License-Identifier: Apache-2.0
// Node: a YAML value with its location. Immutable.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/source.hpp"

namespace gttf {

/// Location of a value: bytes [offset, offset + length) of a source.
struct Origin {
  SourcePtr source;
  std::size_t offset = 0;
  std::size_t length = 1;
};

/// A scalar, list or map, or nothing. Copies share their content; aliases and
/// merge keys are resolved, so readers never see them.
class Node {
 public:
  enum class Kind { null, scalar, list, map };
  struct Entry;

  /// Limits of a text; they bound time and memory for any input.
  static constexpr int max_depth = 64;
  /// Aliases expanded. A layer has about 25; a node takes up to 300 bytes of
  /// memory with its share of the text and of the parser.
  static constexpr std::size_t max_nodes = 500000;

  static Node make_null(Origin origin);
  static Node make_scalar(Origin origin, std::string text, bool is_quoted);
  static Node make_list(Origin origin, std::vector<Node> items);
  static Node make_map(Origin origin, std::vector<Entry> entries);

  Kind kind() const;
  /// Text of a scalar, escapes resolved; empty for the others.
  const std::string& text() const;
  /// Whether it is a quoted scalar (or a block): text, never a number.
  bool is_quoted() const;
  /// Items of a list; empty for the others.
  const std::vector<Node>& items() const;
  /// Entries of a map in their order; empty for the others.
  const std::vector<Entry>& entries() const;
  /// Value of a key or nullptr.
  const Node* find(std::string_view key) const;

  /// Location of use; for `*name` the alias, not the anchor.
  const Origin& origin() const { return origin_; }
  /// Location of the content.
  const Origin& definition() const;
  /// Name of the alias that led here, or empty.
  const std::string& alias() const { return alias_; }
  /// The same content used at another location.
  Node used_at(Origin origin, std::string alias) const;

  /// Number of nodes, including itself and expanded aliases.
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

/// A diagnostic at the location of use.
Diagnostic diagnostic_at(const Node& node);

/// Parses the one YAML document of `source`.
///
/// Refused with location: syntax errors, a second document, text after the end,
/// duplicate keys, keys that are not text, application tags, cyclic and
/// undefined aliases, more than Node::max_depth levels or Node::max_nodes
/// nodes. An empty text is an error that suggests `first_line`.
///
/// @return  the root, or nothing if it cannot be built; errors may have been
///          added in both cases
std::optional<Node> parse_yaml(const SourcePtr& source,
                               std::string_view first_line,
                               Diagnostics& diagnostics);

/// Parses the bytes of `source` from `offset` as one YAML value, for example
/// the part of an option after `=`.
std::optional<Node> parse_yaml_value(const SourcePtr& source,
                                     std::size_t offset,
                                     Diagnostics& diagnostics);

}  // namespace gttf
