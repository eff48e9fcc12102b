// SPDX-License-Identifier: Apache-2.0
#include "support/broken.hpp"

#include "gttf/detector/read.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("broken detectors: every error is reported with exactly this text") {
  const auto answer = [](const std::string& file) {
    std::string text;
    try {
      const auto input = gttf::read_detector(file);
      for (const auto& d : input.warnings.items()) text += to_text(d);
      // only what is named so may be read
      CHECK(
          std::filesystem::path(file).filename().string().starts_with("warn_"));
    } catch (const gttf::InputError& e) {
      text = e.what();
    }
    return text;
  };
  CHECK(gttf::test::check_broken("detector", answer) >= 120);
}

}  // namespace gttf::test::GTTF_TEST_FILE
