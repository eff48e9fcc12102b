// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/reader.hpp"

#include <doctest/doctest.h>

#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using test::contains;
using test::text_of;

namespace {

Value root_of(const std::string& text, Diagnostics& diagnostics) {
  const auto source = std::make_shared<Source>("f.yaml", text);
  const auto root = parse_yaml(source, "a: 1", diagnostics);
  REQUIRE(root);
  return {*root, "", diagnostics};
}

}  // namespace

TEST_CASE("map reader: unknown keys are reported with the nearest known") {
  Diagnostics faults;
  MapReader map(root_of("radius: 1 mm\nhalf_lenght: 2 mm\nx-y: 1\n", faults));
  map.allow_prefix("x-");
  CHECK(map.find("radius")->quantity(Dimension::length) == 1);
  CHECK_FALSE(map.find("half_length"));
  map.finish();
  CHECK(text_of(faults) ==
        "f.yaml:2:1: error: half_lenght: unknown key \"half_lenght\"\n"
        "    2 | half_lenght: 2 mm\n"
        "      | ^~~~~~~~~~~ did you mean \"half_length\"? allowed: radius, "
        "half_length\n");
}

TEST_CASE("map reader: all errors of a map are reported at once") {
  Diagnostics faults;
  MapReader map(root_of("a: x\nb: [1]\nc: {d: 1}\ne: maybe\n", faults));
  CHECK_FALSE(map.find("a")->quantity(Dimension::angle));
  CHECK_FALSE(map.find("b")->text());
  CHECK_FALSE(map.find("c")->integer());
  CHECK_FALSE(map.find("e")->boolean());
  CHECK_FALSE(map.require("f", "1"));
  map.finish();
  CHECK(faults.items().size() == 5);
}

TEST_CASE("map reader: something else than a map has no keys") {
  Diagnostics faults;
  MapReader map(root_of("[1, 2]", faults), "a layer");
  CHECK_FALSE(bool(map));
  CHECK_FALSE(map.find("a"));
  CHECK_FALSE(map.require("a", "1"));
  map.finish();
  CHECK(text_of(faults) ==
        "f.yaml:1:1: error: expected a layer, got a list\n"
        "    1 | [1, 2]\n      | ^\n");
}

TEST_CASE("value: paths name list items and odd keys") {
  Diagnostics faults;
  MapReader map(root_of("list: [a, b]\n'a key': 1\n", faults));
  CHECK(map.find("list")->items()[1].path() == "list[1]");
  CHECK(map.find("a key")->path() == "[a key]");
}

TEST_CASE("value: true and false only, other words are corrected") {
  Diagnostics faults;
  MapReader map(root_of("a: true\nb: false\nc: Yes\n", faults));
  CHECK(map.find("a")->boolean() == true);
  CHECK(map.find("b")->boolean() == false);
  CHECK_FALSE(map.find("c")->boolean());
  CHECK(contains(text_of(faults), "^~~ write true"));
}

TEST_CASE("value: an error in an alias is reported where it is set") {
  Diagnostics faults;
  MapReader map(root_of("a: &a 5 mrad\nb: *a\n", faults));
  CHECK_FALSE(map.find("b")->quantity(Dimension::length));
  CHECK(contains(text_of(faults),
                 "f.yaml:2:4: error: b: expected a length, "
                 "got an angle (\"5 mrad\") (*a is set in "
                 "line 1)"));
}

TEST_CASE("value: only the wrong part of a text is underlined") {
  Diagnostics faults;
  MapReader map(root_of("a: 5 mn\n", faults));
  CHECK_FALSE(map.find("a")->quantity(Dimension::length));
  CHECK(faults.items()[0].column == 6);
  CHECK(faults.items()[0].length == 2);
}

}  // namespace gttf::test::GTTF_TEST_FILE
