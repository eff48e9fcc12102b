// SPDX-License-Identifier: Apache-2.0
// Runs files through a fuzz target, without a fuzzer: what was found once is
// tried again in every build. Usage: fuzz_replay TARGET FOLDER
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "made/fuzz_sources.inc"

namespace {

struct Target {
  const char* name;
  int (*run)(const std::uint8_t*, std::size_t);
};

constexpr Target targets[] = {
#include "made/fuzz_targets.inc"
};

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET FOLDER\n");
    return 2;
  }
  for (const Target& target : targets) {
    if (std::strcmp(target.name, argv[1]) != 0) continue;
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(argv[2]))
      files.insert(entry.path());
    for (const std::filesystem::path& file : files) {
      // The last name on the screen is that of the input that ends the program.
      std::printf("%s\n", file.c_str());
      std::fflush(stdout);
      const std::string text = bytes_of(file);
      target.run(reinterpret_cast<const std::uint8_t*>(text.data()),
                 text.size());
    }
    std::printf("%zu inputs\n", files.size());
    return files.empty() ? 1 : 0;
  }
  std::fprintf(stderr, "fuzz_replay: no target %s\n", argv[1]);
  return 2;
}
