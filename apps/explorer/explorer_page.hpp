// SPDX-License-Identifier: Apache-2.0
// The explorer's page: one file with style, script, data and the module.
#pragma once

#include <optional>
#include <ostream>

#include "gttf/core/document.hpp"
#include "gttf/output/provenance.hpp"

namespace gttf::app {

/// Whether the program was built with the module (preset wasm).
bool has_explorer_module();

/// Writes the page of an exploration_document(). It loads nothing and runs only
/// its own script.
/// @pre has_explorer_module()
void write_explorer(std::ostream& out, const Document& exploration,
                    const std::optional<Provenance>& provenance);

}  // namespace gttf::app
