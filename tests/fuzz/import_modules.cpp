// SPDX-License-Identifier: Apache-2.0
// Fuzz target: lists of modules as `export --to modules` writes them.
#include <cstddef>
#include <cstdint>

#include "fuzz/imported.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  gttf::test::import_bytes(bytes, n, gttf::ForeignFormat::modules);
  return 0;
}
