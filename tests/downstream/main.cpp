// SPDX-License-Identifier: Apache-2.0
// Uses the installed library as a stranger would.
#include <gttf/core/version.hpp>
#include <iostream>

int main() { std::cout << "gttf " << gttf::version() << '\n'; }
