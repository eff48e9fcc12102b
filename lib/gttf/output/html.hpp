// SPDX-License-Identifier: Apache-2.0
// HTML: a page with its figures in one file, without network access.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "gttf/core/document.hpp"
#include "gttf/core/page.hpp"
#include "gttf/output/provenance.hpp"

namespace gttf {

/// Writes `page`: style, script and data inside, a policy that forbids loading
/// anything, readable without the script. `provenance` is listed at the end.
/// The same page gives the same bytes.
void write_html(std::ostream& out, const Page& page,
                const std::optional<Provenance>& provenance);

// Parts that are also used by other pages.

/// "sha256-...": the script that a policy of a page allows to run.
std::string script_hash(std::string_view script);

/// A document for a script element of the type application/json.
std::string script_json(const Document& document);

// Tables of a page as HTML.

/// The table with its caption; a collapsed one under its title as a handle.
std::string html_table(const PageTable& table);

}  // namespace gttf
