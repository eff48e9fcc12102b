// SPDX-License-Identifier: Apache-2.0
// Fuzz target: study files.
#include <cstddef>
#include <cstdint>

#include "fuzz/memory_file.hpp"
#include "fuzz/refused.hpp"
#include "gttf/study/request/request.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const gttf::test::MemoryFile file(bytes, n);
  gttf::test::refused_or_read([&] { gttf::read_request(file.path(), {}); });
  return 0;
}
