// SPDX-License-Identifier: Apache-2.0
// The keys of a study that follow others.
#pragma once

#include <optional>
#include <string>

#include "gttf/config/node.hpp"

namespace gttf {

/// The entry `follow` of a study that read_request() has accepted: formulas,
/// which need the detector to be understood. Nothing if there is none, or no
/// file. Throws InputError if the study cannot be read again.
std::optional<Node> read_follow(const std::string& study);

}  // namespace gttf
