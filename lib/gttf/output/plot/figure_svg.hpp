// SPDX-License-Identifier: Apache-2.0
// Figures as SVG: in a page, and as files of their own.
#pragma once

#include <optional>
#include <string>

#include "gttf/core/document.hpp"
#include "gttf/core/figure.hpp"
#include "gttf/core/page.hpp"
#include "gttf/output/provenance.hpp"

namespace gttf {

/// An svg element for a page: colours by class, legend hidden, the content
/// described to those who do not see it.
std::string figure_in_page(const Figure& figure);

/// A file: white paper, plain colours, legend above, what made it as metadata.
/// Valid XML in UTF-8; the same figure gives the same bytes.
std::string figure_file(const Figure& figure,
                        const std::optional<Provenance>& provenance = {});

/// What the script of the page needs: axes, frames, series and data, rounded
/// to what a figure shows.
Document figure_document(const Figure& figure);

/// Of a table its data, columns with `name` and `cells`, all digits.
Document table_document(const PageTable& table);

}  // namespace gttf
