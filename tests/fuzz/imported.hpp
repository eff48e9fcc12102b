// SPDX-License-Identifier: Apache-2.0
// Bytes as a description of another program: refused, or a valid detector.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/memory_file.hpp"
#include "fuzz/refused.hpp"
#include "gttf/detector/import/import.hpp"
#include "gttf/detector/read.hpp"

namespace gttf::test {

/// Imports the bytes; a detector file rejected by our own reader is a finding.
inline void import_bytes(const std::uint8_t* bytes, std::size_t n,
                         ForeignFormat format, const std::string& table = {}) {
  const std::string text(reinterpret_cast<const char*>(bytes), n);
  ImportOptions options;
  options.format = format;
  options.table = table;
  // Without a field in the file none is left out; a card has its own.
  if (format != ForeignFormat::delphes) options.tesla = 2;
  std::string detector;
  refused_or_read([&] { detector = import_text(text, "fuzz", options).text; });
  if (detector.empty()) return;
  try {
    parse_detector(detector, "imported.yaml");
  } catch (const InputError&) {
    std::abort();
  }
}

/// The same with a table of the user: what follows the first line that begins
/// with =; without such a line `usual`, which is right.
inline void import_with_table(const std::uint8_t* bytes, std::size_t n,
                              ForeignFormat format, std::string_view usual) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), n);
  const std::size_t end = std::min(text.find("\n="), n);
  const std::string_view table = end < n ? text.substr(end + 2) : usual;
  const MemoryFile file(reinterpret_cast<const std::uint8_t*>(table.data()),
                        table.size());
  import_bytes(bytes, end, format, file.path());
}

}  // namespace gttf::test
