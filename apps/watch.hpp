// SPDX-License-Identifier: Apache-2.0
// --watch: a verb that runs again whenever one of its inputs changes.
#pragma once

#include "verb.hpp"

namespace gttf::app {

/// Runs `work` and, whenever a file that it has read (or looked for) changes,
/// again, until a signal ends the program. Errors are printed and the next
/// change waited for. Throws UsageError if an input or the output is a pipe.
[[noreturn]] int watch(const Call& call, int (*work)(const Call&));

}  // namespace gttf::app
