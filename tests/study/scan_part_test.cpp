// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/scan_part.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/study/scan/scan.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Document part(double from, double to, double total) {
  return Document()
      .set("gttf-scan-part", 1)
      .set("from", from)
      .set("to", to)
      .set("total", total)
      .set("study", Document().set("columns", Document::List()));
}

/// Takes rows and forgets them.
class Nowhere : public TableSink {
 public:
  void write(const Table&) override {}
  void finish() override {}
};

}  // namespace

TEST_CASE("scan: the blocks of a grid fill whole vectors") {
  // 1560 points; an eighth of them does not fill whole vectors
  StudyRequest request;
  for (int i = 0; i < 60; ++i) request.momentum.values.push_back(1.0 + i);
  for (int i = 0; i < 26; ++i) request.angle.values.push_back(1.5 - 0.02 * i);
  const Detector barrel = make_barrel(10, 30, 1000, 2, 0.01, 0.01);
  BatchStatistics statistics;
  Nowhere sink;
  scan(request, {&barrel, 1}, {.threads = 2, .statistics = &statistics}, sink);
  CHECK(statistics.vectorised == 1560);
  CHECK(statistics.half_empty == 0);
}

TEST_CASE("scan_part: invalid row numbers are rejected") {
  CHECK_NOTHROW(scan_part_of(part(0, 3, 6), "p.csv"));
  // the conversion of the second one to an integer has no value
  for (const double faulty : {-1.0, 1e300, 0x1p53 + 2, 0.5}) {
    CAPTURE(faulty);
    CHECK_THROWS_AS(scan_part_of(part(faulty, 3, 6), "p.csv"), FileError);
    CHECK_THROWS_AS(scan_part_of(part(0, faulty, 6), "p.csv"), FileError);
    CHECK_THROWS_AS(scan_part_of(part(0, 3, faulty), "p.csv"), FileError);
  }
}

TEST_CASE("scan_part: a range that ends before it begins is rejected") {
  const auto ordered = [](const std::vector<Document>& documents) {
    std::vector<ScanPart> parts;
    for (const Document& d : documents)
      parts.push_back(scan_part_of(d, "p.csv"));
    return ordered_parts(parts).size();
  };
  CHECK(ordered({part(3, 6, 6), part(0, 3, 6)}) == 2);
  // Taken one after the other these reach from 0 to 6.
  CHECK_THROWS_WITH_AS(ordered({part(0, 8, 6), part(8, 6, 6)}),
                       "\"p.csv\" is damaged: its range of rows is empty",
                       FileError);
}

}  // namespace gttf::test::GTTF_TEST_FILE
