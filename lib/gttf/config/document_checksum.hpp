// SPDX-License-Identifier: Apache-2.0
// The checksum of a document, by which damage to a file is found.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gttf/core/document.hpp"

namespace gttf {

/// Name of the member that holds it.
inline constexpr std::string_view checksum_member = "checksum";

/// SHA-256 of the content of `document`, 64 hexadecimal digits: of all names
/// and values in their order, numbers to the last bit, but not of how they are
/// written (1 and 1.0 are the same). Of the outermost members "provenance" and
/// "checksum" are left out.
std::string checksum_of(const Document& document);

/// The document with its checksum as last member.
Document with_checksum(Document document);

/// Why the content is not what was written; nothing if it is.
std::optional<std::string> checksum_fault(const Document& document);

}  // namespace gttf
