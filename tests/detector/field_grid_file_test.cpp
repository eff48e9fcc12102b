// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/field_grid_file.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/folder.hpp"
#include "support/magnets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// The message for the file `text`; empty if it is a valid map.
std::string answer(const std::string& text) {
  const Folder folder;
  const std::string path = folder.write("m.csv", text);
  Diagnostics diagnostics;
  const auto grid = read_field_grid(path, diagnostics);
  std::string all;
  for (const Diagnostic& d : diagnostics.items()) all += to_text(d);
  CHECK(grid.has_value() == all.empty());
  const std::string prefix = folder.path() + '/';
  for (auto at = all.find(prefix); at != all.npos; at = all.find(prefix))
    all.erase(at, prefix.size());
  return all;
}

FieldGrid read(const std::string& text) {
  const Folder folder;
  Diagnostics diagnostics;
  const auto grid = read_field_grid(folder.write("m.csv", text), diagnostics);
  for (const Diagnostic& d : diagnostics.items()) FAIL(to_text(d));
  REQUIRE(grid.has_value());
  return *grid;
}

/// A field whose values are those of its position.
Vector3 marked(const Vector3& x) {
  return unit::T * Vector3(x.x() + 0.5, x.y() - 3 * x.z(), 1 + x.z());
}

const std::vector<GridAxis> small = {{-2, 1, 3}, {0, 5, 2}, {10, 2.5, 4}};

const std::string head = "x[mm] y[mm] z[mm] Bx[T] By[T] Bz[T]\n";

/// Eight nodes at 0 and 1 mm.
std::string cube(const std::string& header = head) {
  std::string text = header;
  for (const char* x : {"0", "1"})
    for (const char* y : {"0", "1"})
      for (const char* z : {"0", "1"})
        text += std::string(x) + ' ' + y + ' ' + z + " 0 1 0\n";
  return text;
}

std::string replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("field grid file: is read back as written") {
  const FieldGrid written = sample(marked, small);
  const FieldGrid grid = read(text_of(written));
  REQUIRE(grid.axes.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(grid.axes[i].first == small[i].first);
    CHECK(grid.axes[i].spacing == doctest::Approx(small[i].spacing));
    CHECK(grid.axes[i].nodes == small[i].nodes);
  }
  REQUIRE(grid.values.size() == written.values.size());
  for (std::size_t i = 0; i < grid.values.size(); ++i)
    CHECK(std::abs(grid.values[i] - written.values[i]) < 1e-7 * unit::T);
}

TEST_CASE("field grid file: the order of loops and columns does not matter") {
  const FieldGrid written = sample(marked, small);
  std::vector<int> loops = {0, 1, 2};
  do {
    for (const bool backwards : {false, true}) {
      std::string text =
          "# made for a test\n# Bz (kG); x (cm); |B| [T]; "
          "By (kG); y(cm), Bx(kG), z (cm)\n\n";
      const auto a = static_cast<std::size_t>(loops[0]),
                 b = static_cast<std::size_t>(loops[1]),
                 c = static_cast<std::size_t>(loops[2]);
      std::array<int, 3> i{};
      for (i[a] = 0; i[a] < small[a].nodes; ++i[a])
        for (i[b] = 0; i[b] < small[b].nodes; ++i[b])
          for (i[c] = 0; i[c] < small[c].nodes; ++i[c]) {
            Vector3 x;
            for (std::size_t j = 0; j < 3; ++j)
              x[static_cast<int>(j)] =
                  small[j].first +
                  small[j].spacing *
                      (backwards && j == b ? small[j].nodes - 1 - i[j] : i[j]);
            const Vector3 field = marked(x) / unit::kG;
            char line[200];
            std::snprintf(line, sizeof line,
                          "%.9g,\t%.9g ; 7 +%.9e %.9g %.9g  %.9g \r\n",
                          field.z(), x.x() / 10, field.y() + 1000, x.y() / 10,
                          field.x(), x.z() / 10);
            text += line;
          }
      const FieldGrid grid = read(text);
      REQUIRE(grid.values.size() == written.values.size());
      for (std::size_t k = 0; k < grid.values.size(); ++k) {
        const double shift = k % 3 == 1 ? 1000 * unit::kG : 0;
        CHECK(std::abs(grid.values[k] - shift - written.values[k]) <
              1e-6 * unit::T);
      }
    }
  } while (std::ranges::next_permutation(loops).found);
}

TEST_CASE("field grid file: reads grids around the axis") {
  const FieldGrid grid = read(
      "r[m] z[m] Br[mT] Bz[mT]\n0 -1 0 1\n0 0 0 2\n0 1 0 3\n0.5 -1 4 5\n"
      "0.5 0 6 7\n0.5 1 8 9\n");
  CHECK(grid.around_z);
  CHECK(grid.axes[0].nodes == 2);
  CHECK(grid.axes[0].last() == doctest::Approx(500));
  CHECK(grid.axes[1].first == -1000);
  CHECK(grid.values[9] == doctest::Approx(7 * unit::mT));
}

TEST_CASE("field grid file: every error is reported with exactly this text") {
  CHECK(answer(cube()).empty());
  CHECK(answer("") ==
        "m.csv:1:1: error: the field map is empty; begin with a line \"x[mm] "
        "y[mm] z[mm] Bx[T] By[T] Bz[T]\"\n");
  CHECK(answer("0 0 0 1 2 3\n") ==
        "m.csv:1:1: error: the names of the columns are missing\n"
        "    1 | 0 0 0 1 2 3\n"
        "      | ^~~~~~~~~~~ begin with a line \"x[mm] y[mm] z[mm] Bx[T] By[T] "
        "Bz[T]\"\n");
  CHECK(answer(cube("x[mm] y z[mm] Bx[T] By[T] Bz[T]\n")) ==
        "m.csv:1:7: error: the column \"y\" has no unit\n"
        "    1 | x[mm] y z[mm] Bx[T] By[T] Bz[T]\n"
        "      |       ^ write the unit in brackets: y[mm]\n");
  CHECK(answer(cube("x[mm] y[mm] z[mm] Bx[T] By[T] Bz[Tesla]\n")) ==
        "m.csv:1:31: error: \"Tesla\" is not a unit of a magnetic field\n"
        "    1 | x[mm] y[mm] z[mm] Bx[T] By[T] Bz[Tesla]\n"
        "      |                               ^~~~~~~~~ use T, kG or mT\n");
  CHECK(answer("x[mm] y[mm] z[mm] Bx[T] By[T]\n0 0 0 1 2\n") ==
        "m.csv:1:1: error: the column \"Bz\" is missing\n"
        "    1 | x[mm] y[mm] z[mm] Bx[T] By[T]\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~ a map has the columns x y z Bx "
        "By Bz\n");
  CHECK(answer(cube("x[mm] x[mm] y[mm] z[mm] Bx[T] By[T] Bz[T]\n")) ==
        "m.csv:1:7: error: the column \"x[mm]\" is given twice\n"
        "    1 | x[mm] x[mm] y[mm] z[mm] Bx[T] By[T] Bz[T]\n"
        "      |       ^~~~~\n");
  CHECK(
      answer(replaced(cube(), "1 0 1 0 1 0", "1 0 1 0 nan 0")) ==
      "m.csv:7:9: error: \"nan\" is not a finite number\n"
      "    7 | 1 0 1 0 nan 0\n"
      "      |         ^~~ give every node a value, or leave out that part of "
      "the grid\n");
  CHECK(answer(replaced(cube(), "1 0 1 0 1 0", "1 0 1 0 1.5D-3 0")) ==
        "m.csv:7:9: error: \"1.5D-3\" is not a number\n"
        "    7 | 1 0 1 0 1.5D-3 0\n"
        "      |         ^~~~~~ write exponents with an E: 1.5E-3\n");
  CHECK(answer(replaced(cube(), "1 0 1 0 1 0", "1 0 1 0 1")) ==
        "m.csv:7:1: error: fewer numbers than the 6 columns in the header\n"
        "    7 | 1 0 1 0 1\n"
        "      | ^~~~~~~~~ write one node per line\n");
  CHECK(answer(replaced(cube(), "1 0 1 0 1 0", "1 0 1 0 1 0 9")) ==
        "m.csv:7:1: error: more numbers than the 6 columns in the header\n"
        "    7 | 1 0 1 0 1 0 9\n"
        "      | ^~~~~~~~~~~~~ write one node per line\n");
  CHECK(answer(replaced(cube(), "1 1 1 0 1 0\n", "")) ==
        "m.csv:8:1: error: 7 nodes, but the grid of 2 x x 2 y x 2 z has 8\n"
        "    8 | 1 1 0 0 1 0\n"
        "      | ^~~~~~~~~~~ the file is truncated, or nodes are missing\n");
  CHECK(
      answer(replaced(cube(), "1 0 1 0 1 0\n", "")) ==
      "m.csv:7:1: error: the node at y = 1 mm is found where y = 0 mm is "
      "expected\n"
      "    7 | 1 1 0 0 1 0\n"
      "      | ^~~~~~~~~~~ sort the nodes as nested loops over the coordinates "
      "write them, evenly spaced, none twice and none left out\n");
  CHECK(answer(head + "0 0 0 0 1 0\n0 0 0 0 1 0\n") ==
        "m.csv:2:1: error: all nodes have the same x\n"
        "    2 | 0 0 0 0 1 0\n"
        "      | ^~~~~~~~~~~ a grid has at least two values of each "
        "coordinate\n");
  CHECK(
      answer("r[mm] z[mm] Br[T] Bz[T]\n0 0 0 1\n0 1 0 1\n0 2.5 0 1\n"
             "1 0 0 1\n1 1 0 1\n1 2.5 0 1\n") ==
      "m.csv:4:1: error: z = 2.5 mm, but the spacing of the first nodes makes "
      "z = 2 mm\n"
      "    4 | 0 2.5 0 1\n"
      "      | ^~~~~~~~~ the nodes must be evenly spaced along each axis; "
      "interpolate the map to a regular grid\n");
  CHECK(answer(head) ==
        "m.csv:1:1: error: no nodes below the names of the columns\n"
        "    1 | x[mm] y[mm] z[mm] Bx[T] By[T] Bz[T]\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ write one line per "
        "node\n");
}

namespace {

/// A map of several blocks of 256 KiB, which are parsed in parallel.
const std::vector<GridAxis> many = {{-30, 1.5, 41}, {0, 5, 40}, {10, 2.5, 42}};

}  // namespace

TEST_CASE("field grid file: a file of many blocks is read as a whole") {
  const FieldGrid written = sample(marked, many);
  const std::string text = text_of(written);
  REQUIRE(text.size() > std::size_t{3} << 20);
  const FieldGrid grid = read(text);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(grid.axes[i].first == many[i].first);
    CHECK(grid.axes[i].nodes == many[i].nodes);
  }
  REQUIRE(grid.values.size() == written.values.size());
  double worst = 0;
  for (std::size_t i = 0; i < grid.values.size(); ++i)
    worst = std::max(worst, std::abs(grid.values[i] - written.values[i]));
  CHECK(worst < 1e-7 * unit::T);
}

TEST_CASE("field grid file: an error far down has its line") {
  const std::string text = text_of(sample(marked, many));
  // the second to last line
  const std::size_t begin =
      text.rfind('\n', text.rfind('\n', text.size() - 2) - 1);
  const std::string wrong =
      text.substr(0, begin + 1) + "x" + text.substr(begin + 1);
  const std::size_t nodes = 41 * 40 * 42;
  CHECK(answer(wrong).starts_with("m.csv:" + std::to_string(nodes) +
                                  ":1: error: \"x30\" is not a number\n"));
  // that node is found only when the whole file is known
  const std::string missing =
      text.substr(0, begin + 1) + text.substr(text.find('\n', begin + 1) + 1);
  CHECK(answer(missing).starts_with("m.csv:" + std::to_string(nodes) +
                                    ":1: error: the node at z = 112.5 mm is "
                                    "found where z = 110 mm is expected\n"));
}

TEST_CASE("field grid file: a pipe is read like a file, with errors") {
  const Folder folder;
  const auto through_pipe = [&](const std::string& text) {
    const std::string pipe = folder / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const std::jthread writer([&] { std::ofstream(pipe) << text; });
    Diagnostics diagnostics;
    const auto grid = read_field_grid(pipe, diagnostics);
    std::filesystem::remove(pipe);
    if (grid) return std::to_string(grid->values.size()) + " values";
    return diagnostics.items().front().problem;
  };
  CHECK(through_pipe(cube()) == "24 values");
  CHECK(through_pipe(replaced(cube(), "1 0 1 0 1 0\n", "")) ==
        "the node at y = 1 mm is found where y = 0 mm is expected");
  CHECK(through_pipe("") == "the field map is empty");
}

TEST_CASE("field grid file: binary data and folders are rejected") {
  CHECK(answer(cube() + std::string(1, '\0')) ==
        "m.csv: error: the field map cannot be read: not a text file: it "
        "contains bytes of value 0\n");
  Diagnostics diagnostics;
  CHECK_FALSE(read_field_grid(Folder().path(), diagnostics));
  CHECK(diagnostics.has_errors());
}

}  // namespace gttf::test::GTTF_TEST_FILE
