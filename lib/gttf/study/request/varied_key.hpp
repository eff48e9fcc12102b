// SPDX-License-Identifier: Apache-2.0
// VariedKey: a key of the detector and its values in a sweep.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gttf/config/reader.hpp"

namespace gttf {

/// A key and its values, in the syntax of --set.
struct VariedKey {
  std::string key;                  ///< "layers[L0].cylinder.radius"
  std::vector<std::string> values;  ///< "20 mm"
  /// Name of its column: the key, followed by "_" and the unit if all values
  /// have the same.
  std::string column;
  std::vector<double> numbers;  ///< values in that unit; empty: texts
};

/// Reads a map from keys to `{ from: 20 mm, to: 30 mm, points: 11 }` (also
/// `spacing: log`), a list, or one value. Errors go to the diagnostics of
/// `value`.
std::vector<VariedKey> read_varied_keys(const Value& value);

/// The same from options, each `KEY=20mm:30mm:11`, `KEY=20mm:30mm:11:log` or
/// `KEY=20mm,25mm`.
std::vector<VariedKey> read_varied_keys(std::span<const std::string> options,
                                        Diagnostics& diagnostics);

/// The number of combinations of values; 1 without keys.
/// @pre it fits into std::size_t, as checked by both functions above
std::size_t n_combinations(std::span<const VariedKey> keys);

/// Value index of each key in a combination; the last key changes fastest.
std::vector<std::size_t> values_of_combination(std::span<const VariedKey> keys,
                                               std::size_t combination);

}  // namespace gttf
