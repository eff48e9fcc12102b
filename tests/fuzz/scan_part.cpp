// SPDX-License-Identifier: Apache-2.0
// Fuzz target: parts of scans, as `scan merge` joins them.
#include "gttf/study/scan/scan_part.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "fuzz/memory_file.hpp"
#include "fuzz/refused.hpp"
#include "gttf/output/csv.hpp"
#include "gttf/output/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const gttf::test::MemoryFile file(bytes, n);
  const std::string path = file.path();
  gttf::test::refused_or_read([&] {
    // The checksum is ignored: few inputs would pass it.
    (void)gttf::csv_checksum_error(path, "part of a scan");
    const auto document = gttf::read_json(gttf::part_lines(path), path);
    const auto parts =
        gttf::ordered_parts({gttf::scan_part_of(document, path)});
    if (parts.size() != 1 || parts[0].from != 0 ||
        parts[0].to != parts[0].total)
      std::abort();
    std::ostringstream out;
    gttf::CsvWriter writer(out, {});
    gttf::join_parts(parts, writer);
  });
  return 0;
}
