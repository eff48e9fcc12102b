// SPDX-License-Identifier: Apache-2.0
// The main function of every test program.
// Both: with a precompiled header doctest's part for users was read before.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
