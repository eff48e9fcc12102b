// SPDX-License-Identifier: Apache-2.0
// JsonText: values of a JSON text that know their places.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/detector/import/foreign_text.hpp"

namespace gttf::detail {

/// A value of a JSON text.
struct JsonValue {
  enum class Kind { null, boolean, number, text, list, map };
  struct Entry;

  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string text = {};
  std::vector<JsonValue> items = {};  ///< of a list
  std::vector<Entry> entries = {};    ///< of a map, in their order
  ForeignWord place = {};             ///< of a list or map its bracket

  bool is(Kind k) const { return kind == k; }
  /// Value of a key of a map, or nullptr; a value of null counts as none.
  const JsonValue* find(std::string_view key) const;
};

struct JsonValue::Entry {
  std::string key;
  JsonValue value;
};

/// Most levels of lists and maps in each other: ACTS needs 12.
inline constexpr std::size_t max_json_depth = 64;

/// The value that the file is, or an error at its place.
std::optional<JsonValue> read_json(const ForeignFile& file);

}  // namespace gttf::detail
