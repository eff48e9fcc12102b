// SPDX-License-Identifier: Apache-2.0
// The YAML of one entry of `layers`: its copies, and the notations of a key.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/node.hpp"

namespace gttf::detail {

/// One step of a key: `.name` or `[selector]`.
struct KeyStep {
  std::string text;
  bool in_brackets = false;
  std::size_t offset = 0;  ///< in the text of the option
};
using KeyPath = std::vector<KeyStep>;

/// The `name` of an entry; empty if it has none.
std::string_view name_of_entry(const Node& entry);

/// "B" for "B[2]"; empty if the name does not end with an index.
std::string_view name_without_copy(std::string_view name);

/// Expands an entry with `repeat` into one entry for each surface, named like
/// the surfaces: "B[0]", "B[1]", ... Their locations are the location of the
/// entry. Empty if it is not repeated or its positions cannot be read.
std::vector<Node> copies_of(const Node& entry);

/// Whether `node` is a list of copies that replaces their entry. A list in a
/// file is not: its items are not located at its beginning.
bool is_list_of_copies(const Node& node);

/// All notations for `path` in a layer, itself first: a hit error as
/// `measures.rphi`, `pitch.u` or an item of a list, a cylinder's extent as
/// `half_length` or `z`. Only one of them can be present in a file.
std::vector<KeyPath> spellings(const Node& layer,
                               std::span<const KeyStep> path);

/// The path for writing a new value of `path`: unchanged, except in the list of
/// `measures` if the layer has one; nothing if the list lacks the coordinate.
std::optional<KeyPath> spelling_to_set(const Node& layer,
                                       std::span<const KeyStep> path);

}  // namespace gttf::detail
