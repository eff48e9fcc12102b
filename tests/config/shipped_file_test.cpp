// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/shipped_file.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "support/folder.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

// Replaces the installed folder during its lifetime.
class Installed : public Folder {
 public:
  Installed() {
    std::filesystem::create_directory(*this / "detectors");
    write("detectors/small.yaml", "");
    setenv("GTTF_DESIGN_DATA", path().c_str(), 1);
  }
  ~Installed() { unsetenv("GTTF_DESIGN_DATA"); }
};

std::string found(const std::string& name) {
  return or_shipped(name, name, {"configs", "detectors"});
}

}  // namespace

TEST_CASE("shipped: a bare name, a file name and a path are found") {
  const Installed installed;
  const std::string file = installed / "detectors/small.yaml";
  CHECK(shipped_folder() == installed.path());
  CHECK(found("small") == file);
  CHECK(found("small.yaml") == file);
  CHECK(found("detectors/small.yaml") == file);
}

TEST_CASE("shipped: other names are left unchanged") {
  const Installed installed;
  CHECK(found("smal") == "smal");
  CHECK(found("detectors") == "detectors");  // a folder is not a file
  CHECK(or_shipped("small", "small", {"configs"}) == "small");
}

TEST_CASE("shipped: a local file wins, and so does its name with .yaml") {
  const Installed installed;
  const Folder here;
  const std::string own = here.write("small.yaml", "");
  CHECK(or_shipped(own, "small.yaml", {"detectors"}) == own);
  CHECK(or_shipped(here / "small", "small", {"detectors"}) == here / "small");
}

TEST_CASE("shipped: standard input, nothing, absolute paths and .. never") {
  const Installed installed;
  installed.write("detectors/-", "");
  for (const char* name : {"", "-", "/small.yaml", "../detectors/small.yaml"})
    CHECK(found(name) == name);
}

TEST_CASE("shipped: a missing folder gives none") {
  setenv("GTTF_DESIGN_DATA", "/no/such/folder", 1);
  CHECK(shipped_folder().empty());
  CHECK(found("small") == "small");
  unsetenv("GTTF_DESIGN_DATA");
}

}  // namespace gttf::test::GTTF_TEST_FILE
