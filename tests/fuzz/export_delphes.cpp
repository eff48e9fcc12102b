// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a detector as a card of Delphes, which must be read as a
// detector that has the same card.
#include "gttf/detector/import/export.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "fuzz/refused.hpp"
#include "gttf/detector/import/import.hpp"
#include "gttf/detector/read.hpp"

namespace {

// Without the comment at its top, which names the file.
std::string rows_of(const gttf::Detector& detector) {
  const std::string text = gttf::to_delphes(detector).text;
  return text.substr(text.find('\n'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const std::string text(reinterpret_cast<const char*>(bytes), n);
  std::optional<gttf::Detector> detector;
  gttf::test::refused_or_read(
      [&] { detector = gttf::parse_detector(text, "fuzz.yaml").detector; });
  // A time limit for one input is one for few layers.
  if (!detector || detector->layers.size() > 100) return 0;
  const gttf::Exported card = gttf::to_delphes(*detector);
  if (card.rows == 0) return 0;  // `export` writes no such card
  gttf::ImportOptions options;
  options.format = gttf::ForeignFormat::delphes;
  try {
    const gttf::Imported back = gttf::import_text(card.text, "fuzz", options);
    const auto again = gttf::parse_detector(back.text, "imported.yaml");
    if (rows_of(again.detector) != rows_of(*detector)) std::abort();
  } catch (const gttf::InputError&) {
    std::abort();
  }
  return 0;
}
