// SPDX-License-Identifier: Apache-2.0
// Overrides: `--set key=value` on a description before it is read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gttf/config/node.hpp"

namespace gttf {

/// `root` with each `key=value` applied in turn.
///
/// A key is a path: `name`, `field.solenoid`, `layers[L0].material`. List items
/// are selected by index (from 0), layers also by name; `[a:b]` selects all
/// items from a to b inclusive, `[*]` all. `layers[B[2]]` is one surface of the
/// repeated layer B, which becomes a separate layer; `layers[B]` still selects
/// all of them. A missing key is added; if the quantity is given in another
/// notation (a hit error as `pitch` or in a list, an extent as `z` or
/// `half_length`), the new value replaces it. The value is YAML in flow style;
/// `null` removes the key or item. Errors are added to `diagnostics` with the
/// option as location.
Node apply_overrides(Node root, std::span<const std::string> overrides,
                     Diagnostics& diagnostics);

/// The value selected by a key (`layers[L0].material`), in any notation, else
/// the nearest part that contains it; nullptr if there is none. The key must
/// select a single value: no `[a:b]`, no `[*]`.
const Node* find_key(const Node& root, const std::string& key);

/// Whether the value that find_key() has found is written at that key: not in
/// another layer, from which it came by a merge key, nor where an alias leads.
bool has_own_place(const Node& root, const std::string& key, const Node& value);

/// The keys of all values of a description, in order: "field.solenoid",
/// "layers[L0].cylinder.radius". A list of numbers is one value.
std::vector<std::string> keys_in(const Node& root);

}  // namespace gttf
