// SPDX-License-Identifier: Apache-2.0
// The keys of a study that depend on others.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "gttf/config/node.hpp"

namespace gttf {

/// A map from keys to formulas, which need the detector to be understood: the
/// options, each `KEY=FORMULA`, or else the entry `follow` of a study that
/// read_request() has accepted. Nothing if there is none. Throws InputError if
/// an option has no formula, or the study cannot be read again.
/// @param study  path; may be empty
std::optional<Node> read_follow(const std::string& study,
                                std::span<const std::string> options = {});

}  // namespace gttf
