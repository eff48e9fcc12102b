// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/npz.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gttf/output/atomic_file.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string npz(const std::vector<Table>& blocks, TableStyle style = {}) {
  std::ostringstream out;
  NpzWriter writer(out, std::move(style));
  for (const Table& block : blocks) writer.write(block);
  writer.finish();
  return out.str();
}

std::size_t number(const std::string& bytes, std::size_t at, std::size_t size) {
  std::size_t value = 0;
  while (size-- > 0)
    value = value << 8U | static_cast<unsigned char>(bytes.at(at + size));
  return value;
}

struct Member {
  std::string head;  // of the array
  std::string data;
  std::size_t crc = 0;
};

// The members, found from the end as readers of ZIP do.
std::map<std::string, Member> members(const std::string& file) {
  std::map<std::string, Member> found;
  const std::size_t end = file.size() - 22;
  REQUIRE(file.substr(end, 4) == "PK\x05\x06");
  std::size_t at = number(file, end + 16, 4);
  for (std::size_t n = number(file, end + 10, 2); n > 0; --n) {
    REQUIRE(file.substr(at, 4) == "PK\x01\x02");
    const std::size_t size = number(file, at + 24, 4);
    const std::size_t length = number(file, at + 28, 2);
    const std::size_t local = number(file, at + 42, 4);
    REQUIRE(file.substr(local, 4) == "PK\x03\x04");
    // the two descriptions of a member agree
    CHECK(file.substr(local + 4, 26) == file.substr(at + 6, 26));
    const std::string array = file.substr(local + 30 + length, size);
    CHECK(array.substr(0, 6) == "\x93NUMPY");
    const std::size_t data = 10 + number(array, 8, 2);
    CHECK(data % 64 == 0);
    found[file.substr(at + 46, length)] = {array.substr(10, data - 10),
                                           array.substr(data),
                                           number(file, at + 16, 4)};
    at += 46 + length;
  }
  CHECK(at == end);
  return found;
}

template <class T>
std::vector<T> values(const std::string& data) {
  std::vector<T> list(data.size() / sizeof(T));
  std::memcpy(list.data(), data.data(), data.size());
  return list;
}

Table block(Texts names, Integers counts, Reals errors) {
  Table table;
  table.add("name", std::move(names));
  table.add("n_hits", std::move(counts));
  table.add("sigma_d0_um", std::move(errors));
  return table;
}

}  // namespace

TEST_CASE("npz: an array for each column, over all blocks") {
  const auto arrays = members(npz({block({"a", "µm é"}, {7, -1}, {0.1, none}),
                                   block({"a"}, {3}, {1 / 3.0})}));
  REQUIRE(arrays.size() == 3);
  const Member& names = arrays.at("name.npy");
  CHECK(names.head.starts_with(
      "{'descr': '<U4', 'fortran_order': False, 'shape': (3,), }"));
  CHECK(names.head.ends_with(" \n"));
  CHECK(values<char32_t>(names.data) ==
        std::vector<char32_t>{U'a', 0, 0, 0, U'µ', U'm', U' ', U'é', U'a', 0, 0,
                              0});
  CHECK(arrays.at("n_hits.npy").head.starts_with("{'descr': '<i8', "));
  CHECK(values<std::int64_t>(arrays.at("n_hits.npy").data) ==
        std::vector<std::int64_t>{7, -1, 3});
  CHECK(arrays.at("sigma_d0_um.npy").head.starts_with("{'descr': '<f8', "));
  const auto errors = values<double>(arrays.at("sigma_d0_um.npy").data);
  CHECK(errors.at(0) == 0.1);
  CHECK(std::isnan(errors.at(1)));
  CHECK(errors.at(2) == 1 / 3.0);
}

TEST_CASE("npz: the chosen columns, in their order") {
  TableStyle style;
  style.columns = {"sigma_d0_um", "name"};
  const std::string file = npz({block({"a"}, {1}, {2.0})}, style);
  CHECK(members(file).size() == 2);
  CHECK(file.find("sigma_d0_um.npy") < file.find("name.npy"));
}

TEST_CASE("npz: the checksum is that of ZIP") {
  // zlib.crc32 of Python, of the head and the eight bytes 1 to 8
  const auto arrays = members(npz({block({""}, {0x0807060504030201}, {0})}));
  CHECK(arrays.at("n_hits.npy").crc == 0xC856CD0C);
}

TEST_CASE("npz: empty texts have a width, invalid bytes a replacement") {
  const auto empty = members(npz({block({""}, {1}, {0})}));
  CHECK(empty.at("name.npy").head.starts_with("{'descr': '<U1', "));
  const auto broken = members(npz({block({"\xff"}, {1}, {0})}));
  CHECK(values<char32_t>(broken.at("name.npy").data) ==
        std::vector<char32_t>{0xFFFD});
}

TEST_CASE("npz: provenance is JSON in an array without dimensions") {
  TableStyle style;
  style.provenance.emplace();
  style.provenance->version = "9";
  const auto arrays = members(npz({block({"a"}, {1}, {0})}, style));
  const Member& provenance = arrays.at("provenance.npy");
  CHECK(provenance.head.find("'shape': (), }") != std::string::npos);
  std::string text;
  for (const char32_t c : values<char32_t>(provenance.data))
    text += static_cast<char>(c);
  CHECK(text.starts_with("{\"program\""));
  CHECK(text.find("\"9\"") != std::string::npos);
}

TEST_CASE("npz: every NaN has the same bytes") {
  CHECK(npz({block({"a"}, {1}, {-none})}) == npz({block({"a"}, {1}, {none})}));
}

TEST_CASE("npz: without rows, an archive without arrays") {
  CHECK(members(npz({})).empty());
}

TEST_CASE("npz: a table that will be too large is known from its rows") {
  CHECK_THROWS_AS(check_npz_size(max_npz_bytes / 8 + 1, 2), OutputError);
  CHECK_NOTHROW(check_npz_size(max_npz_bytes / 8, 2));
  CHECK_THROWS_AS(check_npz_size(std::uint64_t{1} << 63U, 90), OutputError);
  CHECK_NOTHROW(check_npz_size(std::uint64_t{1} << 63U, 0));
}

TEST_CASE("npz: a table that is too large is rejected, not truncated") {
  std::ostringstream out;
  NpzWriter writer(out, {});
  // one long text makes every row of its column as wide
  const std::size_t rows = 1024, width = max_npz_bytes / (4 * rows);
  writer.write(
      block(Texts(rows - 1, "a"), Integers(rows - 1), Reals(rows - 1)));
  CHECK_THROWS_WITH_AS(
      writer.write(block({std::string(width, 'x')}, {1}, {1})),
      "a table of more than 2 GiB does not fit in .npz: select --columns, or "
      "write .csv",
      OutputError);
}

}  // namespace gttf::test::GTTF_TEST_FILE
