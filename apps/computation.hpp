// SPDX-License-Identifier: Apache-2.0
// Converts computation options to library types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/show/layer_names.hpp"
#include "gttf/study/toys/toy_state.hpp"
#include "options.hpp"

namespace gttf::app {

/// Sets the level of --simd, or of GTTF_SIMD. Throws UsageError.
void use_simd(const Options& options);

/// --engine
Engine engine_of(const Options& options);

/// --shard k/N. Throws UsageError.
Shard shard_of(const Options& options);

/// --by and --parameter
Grouping grouping_of(const Options& options, Grouping usual);
/// Throws UsageError if it is not a parameter of the tracks: at a layer u, v,
/// tu, tv, p, phi, theta; at the start the others.
std::optional<Parameter> parameter_of(const Options& options, bool at_layer);

/// --columns of a scan; empty unless given. Throws UsageError.
std::vector<std::string> columns_of(const Options& options,
                                    bool at_layer = false);

}  // namespace gttf::app
