// SPDX-License-Identifier: Apache-2.0
// The outcome of a check as sentences and tables of a report.
#pragma once

#include <optional>

#include "gttf/core/page.hpp"
#include "gttf/study/check/check_view.hpp"

namespace gttf::detail {

/// "5 of 6 requirements are met. Farthest off is ..."
RichText requirement_sentence(const CheckStory& story);

/// A row per requirement and detector: verdict, quantity, range, limit, worst
/// value, where it is found, margin. Its data are the columns of the check.
PageTable requirement_table(const CheckStory& story);

/// Why requirements are not met: a row per failure; none if all are met.
std::optional<PageTable> failure_table(const CheckStory& story);

}  // namespace gttf::detail
