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
/// A key is a path: `name`, `field.solenoid`, `layers[L0].material`. A list is
/// entered by index (from 0), a list of layers also by name; `[a:b]` takes all
/// from a to b, both included, and `[*]` all. `layers[B[2]]` is one surface of
/// the repeated layer B, which becomes a layer of its own; `layers[B]` still is
/// all of them. A key that is not there is added; if the value is written in
/// another way (a hit error as `pitch` or in a list, an extent as `z` or
/// `half_length`), the new one takes its place. The value is YAML as within
/// brackets; `null` removes the key or item. Errors are added to `diagnostics`
/// with the option as their place.
Node apply_overrides(Node root, std::span<const std::string> overrides,
                     Diagnostics& diagnostics);

/// The value that a key (`layers[L0].material`) leads to, in whatever way it is
/// written, else the nearest part that holds it; nullptr if there is none. The
/// key names one value: no `[a:b]`, no `[*]`.
const Node* find_key(const Node& root, const std::string& key);

/// Whether the value that find_key() has found is written at that key: not in
/// another layer, from which it came by a merge key, nor where an alias leads.
bool has_own_place(const Node& root, const std::string& key, const Node& value);

/// The keys of all values of a description, in its order: "field.solenoid",
/// "layers[L0].cylinder.radius". A list of numbers is one value.
std::vector<std::string> keys_in(const Node& root);

}  // namespace gttf
