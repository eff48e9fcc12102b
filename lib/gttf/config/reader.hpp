// SPDX-License-Identifier: Apache-2.0
// Readers: take typed values out of nodes and collect everything wrong.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/node.hpp"
#include "gttf/config/quantity.hpp"

namespace gttf {

/// A node with its path (`layers[3].material`) and where to report faults.
/// Every read returns nothing after it has reported why.
class Value {
 public:
  Value(Node node, std::string path, Diagnostics& diagnostics)
      : node_(std::move(node)),
        path_(std::move(path)),
        diagnostics_(&diagnostics) {}

  const Node& node() const { return node_; }
  const std::string& path() const { return path_; }
  Diagnostics& diagnostics() const { return *diagnostics_; }
  bool is_scalar() const { return node_.kind() == Node::Kind::scalar; }
  bool is_list() const { return node_.kind() == Node::Kind::list; }
  bool is_map() const { return node_.kind() == Node::Kind::map; }
  /// A scalar with exactly this text.
  bool is(std::string_view text) const {
    return is_scalar() && node_.text() == text;
  }

  /// A quantity in native units; see parse_quantity.
  std::optional<double> quantity(Dimension dimension,
                                 std::string_view example_unit = {}) const;
  /// A whole number; `example` is shown where there is none.
  std::optional<std::int64_t> integer(std::string_view example = "10") const;
  /// A text that is not empty.
  std::optional<std::string> text(std::string_view what = "a text") const;
  /// true or false.
  std::optional<bool> boolean() const;
  /// Index of the text in `choices`, compared exactly.
  std::optional<std::size_t> choice(
      std::string_view what, const std::vector<std::string>& choices) const;
  /// Items of a list, each with its path; none of anything else.
  std::vector<Value> items() const;
  /// The same at a part of its text, for faults; at all of it if the text is
  /// not written as it is read (escapes, several lines).
  Value part(std::size_t offset, std::size_t length) const;

  /// Adds a fault at the place of the node.
  void error(std::string problem, std::string suggestion = {}) const;
  void warning(std::string problem, std::string suggestion = {}) const;
  /// error("expected WHAT, got ...").
  void expected(std::string_view what, std::string suggestion = {}) const;

 private:
  template <class Number>
  std::optional<Number> report(const Parsed<Number>& parsed) const;
  void add(Severity severity, std::string problem,
           std::string suggestion) const;

  Node node_;
  std::string path_;
  Diagnostics* diagnostics_;
};

/// Reads the keys of a map by name. The names asked for are the allowed ones:
/// finish() reports all others.
class MapReader {
 public:
  /// Reports if `value` is not a map, and then is false and has no keys.
  explicit MapReader(const Value& value, std::string_view what = "a map");

  explicit operator bool() const { return value_.is_map(); }
  const Value& value() const { return value_; }

  /// The value of an optional key.
  std::optional<Value> find(std::string_view key);
  /// The value of a key that must be there; reports if it is not.
  std::optional<Value> require(std::string_view key, std::string_view example);
  /// Allows keys that begin so, unread: a place for anchors.
  void allow_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  /// Reports keys that nobody asked for, with the nearest allowed one.
  void finish();

  std::string path_of(std::string_view key) const;

 private:
  Value value_;
  std::vector<std::string> known_;
  std::string prefix_;
};

/// Place of a map's key, for faults of the key rather than of its value.
Value key_value(const Value& map, const Node::Entry& entry);

}  // namespace gttf
