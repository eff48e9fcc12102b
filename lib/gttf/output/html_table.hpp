// SPDX-License-Identifier: Apache-2.0
// Tables of a page as HTML.
#pragma once

#include <string>

#include "gttf/core/page.hpp"

namespace gttf {

/// The table with its caption; a folded one under its title as a handle.
std::string html_table(const PageTable& table);

}  // namespace gttf
