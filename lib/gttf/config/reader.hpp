// SPDX-License-Identifier: Apache-2.0
// Readers: extract typed values from nodes and collect all errors.
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

/// A node with its path (`layers[3].material`) and the diagnostics to report
/// to. Every read returns nothing after it has reported an error.
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
  /// A whole number; `example` is suggested if it is not one.
  std::optional<std::int64_t> integer(std::string_view example = "10") const;
  /// A text that is not empty.
  std::optional<std::string> text(std::string_view what = "a text") const;
  /// true or false.
  std::optional<bool> boolean() const;
  /// Index of the text in `choices`, compared exactly.
  std::optional<std::size_t> choice(
      std::string_view what, const std::vector<std::string>& choices) const;
  /// Items of a list, each with its path; none if it is not a list.
  std::vector<Value> items() const;
  /// The same at a part of its text, for errors; at the whole text if it is not
  /// written literally (escapes, several lines).
  Value part(std::size_t offset, std::size_t length) const;

  /// Adds an error at the location of the node.
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

/// Reads the keys of a map by name. The names requested are the allowed ones:
/// finish() reports all others.
class MapReader {
 public:
  /// Reports if `value` is not a map, and is then false and has no keys.
  explicit MapReader(const Value& value, std::string_view what = "a map");

  explicit operator bool() const { return value_.is_map(); }
  const Value& value() const { return value_; }

  /// The value of an optional key.
  std::optional<Value> find(std::string_view key);
  /// The value of a required key; reports an error if it is missing.
  std::optional<Value> require(std::string_view key, std::string_view example);
  /// Allows keys with this prefix without reading them, for anchors.
  void allow_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  /// Reports keys that were not requested, with the nearest allowed key.
  void finish();

  std::string path_of(std::string_view key) const;

 private:
  Value value_;
  std::vector<std::string> known_;
  std::string prefix_;
};

/// Location of a key in a map, for errors in the key rather than in its value.
Value key_value(const Value& map, const Node::Entry& entry);

}  // namespace gttf
