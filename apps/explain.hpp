// SPDX-License-Identifier: Apache-2.0
// The one catch of the program: errors become text and an exit code.
#pragma once

#include <functional>

namespace gttf::app {

/// The exit code of `work`, or that of the exception that it has thrown, which
/// is printed.
int explained(const std::function<int()>& work) noexcept;

/// Reports that memory is exhausted, without using any.
void explain_memory();

}  // namespace gttf::app
