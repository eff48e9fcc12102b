// SPDX-License-Identifier: Apache-2.0
// The field of a detector for reading, and as a document.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/detector/field.hpp"

namespace gttf {

/// Names and texts, one line each: `field`, and for dipoles and maps what the
/// program makes of them.
std::vector<std::pair<std::string, std::string>> field_facts(
    const Field& field);

/// Kind, strengths and places; lengths in mm, fields in T.
Document field_document(const Field& field);

}  // namespace gttf
