// SPDX-License-Identifier: Apache-2.0
// HTML: a page with its figures in one file that needs no network.
#pragma once

#include <optional>
#include <ostream>

#include "gttf/core/page.hpp"
#include "gttf/output/provenance.hpp"

namespace gttf {

/// Writes `page`: style, script and data inside, a policy that forbids loading
/// anything, readable without the script. `provenance` is told at the end. The
/// same page gives the same bytes.
void write_html(std::ostream& out, const Page& page,
                const std::optional<Provenance>& provenance);

}  // namespace gttf
