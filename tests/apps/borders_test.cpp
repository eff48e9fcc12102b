// SPDX-License-Identifier: Apache-2.0
// Names of files and of what is in them, on their way to a terminal.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("borders: names of files and detectors send nothing to terminals") {
  const Folder folder;
  // ESC, CSI (C1), a mark that turns the direction of writing
  const std::string name =
      "e\x1b[2J\xC2\x9B"
      "31m\xE2\x80\xAEx";
  folder.write(
      name + ".yaml",
      "gttf-detector: 1\nname: \"D\\x1b[2J\\u009b\\u202e\"\n"
      "field: { solenoid: 1 T }\nlayers:\n"
      "  - { name: \"A\\u009d\", repeat: 4, cylinder: { radius: [1 cm, 4 cm], "
      "half_length: 1 m }, material: 1 %, measures: { rphi: 10 um, z: 10 um } "
      "}\n");
  const std::string file = "'" + name + ".yaml'";
  for (const std::string& command :
       {"validate " + file, "show " + file, "validate no" + file,
        "show " + file + " --format csv", "show " + file + " --format json",
        "show " + file + " --format markdown", "validate --github no" + file,
        "resolve " + file + " --p 1GeV --set " + file + "=1",
        "scan " + file + " --p 1GeV,2GeV", file + " x",
        "scan " + file + " --p 1GeV --energy-loss mean",
        "scan " + file + " --p 1GeV -o no/" + file, "show x --bad" + file,
        "budget " + file + " --p 1GeV", "toy merge " + file,
        "fit " + file + " " + file, "export " + file + " --to delphes"}) {
    CAPTURE(command);
    const auto r = run(folder, "gttf-design " + command);
    for (const std::string& text : {r.out, r.err}) {
      CHECK_FALSE(has(text, "\x1b"));
      CHECK_FALSE(has(text, "\xC2\x9B"));
      CHECK_FALSE(has(text, "\xC2\x9D"));
      CHECK_FALSE(has(text, "\xE2\x80\xAE"));
    }
    CHECK((r.code >= 0 && r.code < 70));
  }
  CHECK(run(folder, "gttf-design validate " + file).code == 0);
}

TEST_CASE("borders: standard error is written in one place") {
  for (const auto& entry :
       std::filesystem::directory_iterator(GTTF_SOURCE_DIR "/apps")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".cpp" || name == "messages.cpp") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CAPTURE(name);
    CHECK_FALSE(has(text, "stderr"));
    CHECK_FALSE(has(text, "std::cerr"));
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
