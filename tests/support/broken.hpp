// SPDX-License-Identifier: Apache-2.0
// Invalid inputs and the exact text of their errors.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace gttf::test {

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Compares the message for each `name`+`ending` in tests/broken/`folder` with
/// `name.expected`; the path of the folder is removed from the message. With
/// GTTF_UPDATE_EXPECTED set, the expected texts are rewritten instead: read the
/// difference before you commit it. Returns the number of files.
inline std::size_t check_broken(
    const std::string& folder,
    const std::function<std::string(const std::string&)>& answer,
    const std::string& ending = ".yaml") {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(GTTF_SOURCE_DIR) / "tests/broken" / folder;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ending) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::string text = answer(file.string());
    const std::string prefix = root.string() + '/';
    for (auto at = text.find(prefix); at != std::string::npos;
         at = text.find(prefix))
      text.erase(at, prefix.size());
    fs::path expected = file;
    expected.replace_extension(".expected");
    if (std::getenv("GTTF_UPDATE_EXPECTED")) {
      std::ofstream(expected, std::ios::binary) << text;
    } else {
      INFO(file.filename().string());
      CHECK(text == content_of(expected));
    }
  }
  return files.size();
}

}  // namespace gttf::test
