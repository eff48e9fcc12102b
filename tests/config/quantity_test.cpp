// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/quantity.hpp"

#include <doctest/doctest.h>

#include <clocale>
#include <tuple>

#include "gttf/core/units.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

double value(std::string_view text, Dimension dimension) {
  const auto parsed = parse_quantity(text, dimension);
  INFO(parsed.problem);
  REQUIRE(bool(parsed));
  return parsed.value;
}

std::string problem(std::string_view text, Dimension dimension) {
  return parse_quantity(text, dimension).problem;
}

}  // namespace

// Products of two doubles: equal to the last bit, so no tolerance is needed.
TEST_CASE("quantity: every unit of the language has its factor") {
  CHECK(value("3 nm", Dimension::length) == 3 * unit::nm);
  CHECK(value("3um", Dimension::length) == 3 * unit::um);
  CHECK(value("3 \u00B5m", Dimension::length) == 3 * unit::um);
  CHECK(value("3 \u03BCm", Dimension::length) == 3 * unit::um);
  CHECK(value("22.4 mm", Dimension::length) == 22.4);
  CHECK(value("-1.5cm", Dimension::length) == -15);
  CHECK(value("1.2 m", Dimension::length) == 1200);
  CHECK(value("5 eV", Dimension::energy) == 5 * unit::eV);
  CHECK(value("5eV", Dimension::energy) == 5 * unit::eV);
  CHECK(value("5 keV", Dimension::energy) == 5 * unit::keV);
  CHECK(value("105 MeV/c2", Dimension::energy) == 105 * unit::MeV);
  CHECK(value("0.1GeV", Dimension::energy) == 0.1);
  CHECK(value("1e3 GeV/c", Dimension::energy) == 1000);
  CHECK(value("2 TeV", Dimension::energy) == 2000);
  CHECK(value("0.5 T", Dimension::field) == 0.5 * unit::T);
  CHECK(value("5 kG", Dimension::field) == doctest::Approx(0.5 * unit::T));
  CHECK(value("500 mT", Dimension::field) == doctest::Approx(0.5 * unit::T));
  CHECK(value("2 rad", Dimension::angle) == 2);
  CHECK(value("40 mrad", Dimension::angle) == 40 * unit::mrad);
  CHECK(value("4 urad", Dimension::angle) == 4 * unit::urad);
  CHECK(value("180 deg", Dimension::angle) == doctest::Approx(unit::pi));
  CHECK(value("0.2 g/cm3", Dimension::density) == 0.2);
  CHECK(value("200 kg/m^3", Dimension::density) == doctest::Approx(0.2));
  CHECK(value("1.5 %", Dimension::fraction) == doctest::Approx(0.015));
  CHECK(value("0.015", Dimension::fraction) == 0.015);
  CHECK(value("+2", Dimension::number) == 2);
  CHECK(value(" 3 mm ", Dimension::length) == 3);
  CHECK(value("0 mm", Dimension::length) == 0);
}

TEST_CASE("quantity: a missing unit is reported with the number and a unit") {
  const auto parsed = parse_quantity("22", Dimension::length, "um");
  CHECK(parsed.problem == "missing unit: expected a length, got \"22\"");
  CHECK(parsed.suggestion == "add a unit, for example \"22 um\"");
  CHECK(parse_quantity("2", Dimension::field).suggestion ==
        "add a unit, for example \"2 T\"");
}

TEST_CASE("quantity: a wrong dimension is named") {
  CHECK(problem("5 mrad", Dimension::length) ==
        "expected a length, got an angle (\"5 mrad\")");
  CHECK(problem("5 mm", Dimension::number) ==
        "expected a number, got a length (\"5 mm\")");
  CHECK(problem("5 %", Dimension::length) ==
        "expected a length, got a fraction (\"5 %\")");
  CHECK(problem("5 T/c", Dimension::energy) ==
        "unknown unit \"T/c\" in \"5 T/c\"");
}

TEST_CASE("quantity: text that is not a decimal number is rejected") {
  for (const char* text :
       {"",         "mm",        "nan mm",    ".inf mm", "-inf mm", "infinity",
        "1e400 mm", "1e-400 mm", "0x10 mm",   "0o7 mm",  "010 mm",  "1,5 mm",
        "1 000 mm", "1_000 mm",  "1.2.3 mm",  "--1 mm",  "+-1 mm",  "1 mm mm",
        "1/2 mm",   "1e308 m",   "1e-323 nm", "e5 mm",   ". mm"}) {
    INFO(text);
    CHECK_FALSE(bool(parse_quantity(text, Dimension::length)));
  }
  CHECK(parse_quantity("1,5 mm", Dimension::length).suggestion ==
        "write \"1.5 mm\"");
  CHECK(parse_quantity("-007 mm", Dimension::length).suggestion ==
        "write \"-7 mm\"");
}

TEST_CASE("quantity: an unknown unit is reported with the nearest") {
  const auto parsed = parse_quantity("5 MM", Dimension::length);
  CHECK(parsed.suggestion == "did you mean \"5 mm\"?");
  CHECK(parsed.offset == 2);
  CHECK(parsed.length == 2);
}

TEST_CASE("quantity: of units as near, the one that begins alike is meant") {
  for (const auto& [text, dimension, meant] :
       {std::tuple("150 mn", Dimension::length, "150 mm"),
        std::tuple("150 mu", Dimension::length, "150 um"),
        std::tuple("20 cmm", Dimension::length, "20 cm"),
        std::tuple("5 microns", Dimension::length, "5 um"),
        std::tuple("1 GV", Dimension::energy, "1 GeV"),
        std::tuple("1 MV", Dimension::energy, "1 MeV"),
        std::tuple("40 mard", Dimension::angle, "40 mrad"),
        std::tuple("40 degrees", Dimension::angle, "40 deg"),
        std::tuple("2 Tesla", Dimension::field, "2 T"),
        std::tuple("2 g/cc", Dimension::density, "2 g/cm3"),
        std::tuple("2 percent", Dimension::fraction, "2 %")})
    CHECK(parse_quantity(text, dimension).suggestion ==
          "did you mean \"" + std::string(meant) + "\"?");
  // a name of another dimension does not help
  CHECK(parse_quantity("2 tesla", Dimension::length).suggestion ==
        "a length is in nm, um, mm, cm, m");
}

TEST_CASE("quantity: the locale changes nothing") {
  // a locale with a decimal comma, where one is installed
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"})
    if (std::setlocale(LC_ALL, name)) break;
  CHECK(value("1.5 mm", Dimension::length) == 1.5);
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("integer: only whole decimal numbers, also with an exponent") {
  CHECK(parse_integer("160").value == 160);
  CHECK(parse_integer("-3").value == -3);
  for (const char* text : {"1.5", "1e-2", "1.25e1", "1e16", "0x10", "010",
                           "01e2", "9999999999999999999", "", "ten", "3 mm"}) {
    INFO(text);
    CHECK_FALSE(bool(parse_integer(text)));
  }
  CHECK(parse_integer("1e2").value == 100);
  CHECK(parse_integer("-2.5e1").value == -25);
  CHECK(parse_integer("9e15").value == 9'000'000'000'000'000);
  CHECK(parse_integer("100.0").suggestion == "write \"100\"");
}

}  // namespace gttf::test::GTTF_TEST_FILE
