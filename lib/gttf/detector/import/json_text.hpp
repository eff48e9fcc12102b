// SPDX-License-Identifier: Apache-2.0
// JsonText: values of a JSON text with their locations.
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

  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string text = {};
  std::vector<JsonValue> items = {};   ///< of a list or map
  std::vector<std::string> keys = {};  ///< of a map, one for each item
  ForeignWord place = {};              ///< of a list or map its bracket

  bool is(Kind k) const { return kind == k; }
  /// Value of a key of a map, or nullptr; null is treated as missing.
  const JsonValue* find(std::string_view key) const;
};

/// Maximum nesting of lists and maps; ACTS needs 12.
inline constexpr std::size_t max_json_depth = 64;

/// The value of the file, or an error with its location.
std::optional<JsonValue> read_json(const ForeignFile& file);

}  // namespace gttf::detail
