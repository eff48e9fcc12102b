// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/binary_field_map.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "gttf/config/sha256.hpp"
#include "gttf/detector/field_grid_file.hpp"
#include "support/folder.hpp"
#include "support/magnets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const std::vector<GridAxis> axes = {{-20, 10, 5}, {0, 5, 4}, {10, 2.5, 6}};

FieldGrid dipole_grid() { return sample(FringeDipole(), axes); }

std::string bytes_of(const FieldGrid& grid) {
  std::ostringstream out;
  write_binary_field_map(out, grid);
  return out.str();
}

/// The checksum again, after a change of other bytes.
std::string signed_again(std::string bytes) {
  bytes.replace(96, 64, sha256(bytes.substr(0, 96) + bytes.substr(160)));
  return bytes;
}

template <class Number>
std::string changed(std::string bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
  return bytes;
}

/// The reason why a file is refused; empty: it is read.
std::string answer(const std::string& bytes) {
  const Folder folder;
  Diagnostics diagnostics;
  const auto grid = read_field_grid(folder.write("m", bytes), diagnostics);
  CHECK(grid.has_value() == diagnostics.empty());
  if (grid) return "";
  REQUIRE(diagnostics.items().size() == 1);
  return diagnostics.items().front().problem;
}

}  // namespace

TEST_CASE("binary field map: gives back the grid to the last bit") {
  for (const FieldGrid& grid :
       {dipole_grid(),
        sample_around_z(LoopSolenoid(500, 800, 2 * unit::T, 40),
                        axis_from(0, 240, 9), axis_from(-480, 480, 25))}) {
    const Folder folder;
    const std::string path = folder.write("m", bytes_of(grid));
    CHECK(is_binary_field_map(path));
    Diagnostics diagnostics;
    const auto read = read_field_grid(path, diagnostics);
    REQUIRE(read.has_value());
    CHECK(read->around_z == grid.around_z);
    REQUIRE(read->axes.size() == grid.axes.size());
    for (std::size_t i = 0; i < grid.axes.size(); ++i) {
      CHECK(read->axes[i].first == grid.axes[i].first);
      CHECK(read->axes[i].spacing == grid.axes[i].spacing);
      CHECK(read->axes[i].nodes == grid.axes[i].nodes);
    }
    CHECK(read->values == grid.values);
  }
}

TEST_CASE("binary field map: the layout is that of the documentation") {
  const std::string bytes = bytes_of(dipole_grid());
  CHECK(bytes.size() == 192 + 8 * 3 * 5 * 4 * 6);
  CHECK(bytes.substr(1, 10) == "GTTF-field");
  const auto at = [&]<class Number>(std::size_t offset, Number) {
    Number number;
    std::memcpy(&number, bytes.data() + offset, sizeof number);
    return number;
  };
  CHECK(at(16, std::uint32_t{}) == 1);
  CHECK(at(20, std::uint32_t{}) == 3);
  CHECK(at(32, std::uint32_t{}) == 6);
  CHECK(at(40, 0.0) == -20);
  CHECK(at(80, 0.0) == 2.5);
  CHECK(at(88, std::uint64_t{}) == 3 * 5 * 4 * 6);
  CHECK(at(192 + 8, 0.0) == dipole_grid().values[1]);
}

TEST_CASE("binary field map: a damaged file is rejected with the reason") {
  const std::string good = bytes_of(dipole_grid());
  CHECK(answer(good).empty());
  const std::string why = "the field map cannot be read: ";
  CHECK(answer(good.substr(0, 100)) ==
        why + "it is truncated: 100 bytes, the header has 192");
  CHECK(answer(good.substr(0, good.size() - 1)) ==
        why + "3071 bytes, but its grid has 3072");
  CHECK(answer(good + '\0') == why + "3073 bytes, but its grid has 3072");
  for (const std::size_t at : {17U, 30U, 45U, 90U, 100U, 170U, 200U, 3000U}) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    INFO(at);
    CHECK_FALSE(answer(bytes).empty());
  }
  std::string flipped = good;
  flipped[2000] = static_cast<char>(flipped[2000] ^ 1);
  CHECK(answer(flipped) == why +
                               "it was changed or damaged after it was "
                               "written: the checksum differs");
  CHECK(answer(changed(good, 16, std::uint32_t{2})) ==
        why + "version 2 of the format is not known");
}

TEST_CASE("binary field map: a file with a checksum is not trusted") {
  const std::string good = bytes_of(dipole_grid());
  const std::string why =
      "the field map cannot be read: its header is damaged: ";
  const auto refused = [&](std::size_t at, auto number) {
    return answer(signed_again(changed(good, at, number)));
  };
  const double infinite = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused(20, std::uint32_t{4}) == why + "number of axes");
  CHECK(refused(24, std::uint32_t{1}) == why + "number of nodes");
  CHECK(refused(24, ~std::uint32_t{0}) == why + "number of nodes");
  CHECK(refused(40, infinite) == why + "positions of nodes");
  CHECK(refused(64, 0.0) == why + "positions of nodes");
  CHECK(refused(64, nan) == why + "positions of nodes");
  CHECK(refused(88, std::uint64_t{1} << 60) == why + "number of values");
  // a size that overflows to the right one
  std::string huge = good;
  for (const std::size_t at : {24U, 28U, 32U})
    huge = changed(huge, at, std::uint32_t{1} << 30);
  CHECK(answer(signed_again(huge)) == why + "number of nodes");
  CHECK(refused(192, nan) ==
        "the field map cannot be read: the field is not a finite number at "
        "some node");
  CHECK(refused(200, infinite) ==
        "the field map cannot be read: the field is not a finite number at "
        "some node");
}

}  // namespace gttf::test::GTTF_TEST_FILE
