// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/formula.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "gttf/core/units.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const Powers length{.length = 1};
const Powers angle{.angle = 1};
const Powers momentum{.energy = 1};

/// pT = 5 GeV, theta = 30 deg, eta = 2, baseline = 0.2 of the required
/// dimension.
FormulaRules rules(const Powers& powers = {}) {
  return {
      {{"pT", momentum}, {"theta", angle}, {"eta", {}}, {"baseline", powers}},
      powers,
      3};
}
constexpr std::array<double, 4> values{5, 30 * unit::deg, 2, 0.2};

double value(const std::string& text, const Powers& powers = {}) {
  const auto formula = parse_formula(text, rules(powers));
  INFO(text << ": " << formula.problem);
  REQUIRE(formula);
  return formula.value(values);
}

/// "problem | suggestion @ the part that is wrong"
std::string fault(const std::string& text, const Powers& powers = {}) {
  const auto formula = parse_formula(text, rules(powers));
  if (formula) return "";
  const std::string part = formula.offset < text.size()
                               ? text.substr(formula.offset, formula.length)
                               : "END";
  return formula.problem + " | " + formula.suggestion + " @ " + part;
}

}  // namespace

TEST_CASE("formula: numbers, units and operators have their values") {
  CHECK(value("3") == 3);
  CHECK(value(".5") == 0.5);
  CHECK(value("1.5e-3") == 1.5e-3);
  CHECK(value("0.2 %") == doctest::Approx(0.002));
  CHECK(value("30 um", length) == doctest::Approx(0.03));
  CHECK(value("30um", length) == doctest::Approx(0.03));
  CHECK(value("30 \u00B5m", length) == doctest::Approx(0.03));
  CHECK(value("2 * 3 + 4") == 10);
  CHECK(value("2 + 3 * 4") == 14);
  CHECK(value("2 * (3 + 4)") == 14);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("24 / 4 / 3") == 2);
  CHECK(value("-2 ^ 2") == -4);
  CHECK(value("2 ^ 3 ^ 2") == 512);
  CHECK(value("2 ^ -1") == 0.5);
  CHECK(value("--3") == 3);
  CHECK(value("+3") == 3);
}

TEST_CASE("formula: a unit binds to its number, before / and *") {
  CHECK(value("10 GeV / 5 GeV") == 2);
  CHECK(value("pT / GeV") == 5);
  CHECK(value("pT / MeV") == doctest::Approx(5000));
  CHECK(value("pT / (1 GeV/c)") == 5);
  CHECK(value("10 GeV/c / pT") == 2);
}

TEST_CASE("formula: (+) is the root of the sum of squares") {
  CHECK(value("3 (+) 4") == 5);
  CHECK(value("3 \u2295 4") == 5);
  CHECK(value("2 (+) 3 (+) 6") == doctest::Approx(7));
  CHECK(value("3(+)4") == 5);
  CHECK(value("1 + (3 (+) 4)") == 6);
}

TEST_CASE("formula: as experiments write resolutions") {
  const double expected = std::hypot(0.00003 * 5, 0.002);
  CHECK(value("0.003 % * pT / GeV (+) 0.2 %") == doctest::Approx(expected));
  CHECK(value("0.003 % / GeV * pT (+) 0.2 %") == doctest::Approx(expected));
  CHECK(value("0.003 % * (pT / 1 GeV) (+) 0.2 %") == doctest::Approx(expected));
  // impact parameter: a (+) b/(p sin^(3/2) theta), p = pT/sin(theta)
  CHECK(value("5 um (+) 15 um * GeV / (pT / sin(theta) * sin(theta)^(3/2))",
              length) ==
        doctest::Approx(std::hypot(0.005, 0.015 / (5 * std::sqrt(0.5)))));
}

TEST_CASE("formula: functions and constants") {
  CHECK(value("sin(theta)") == doctest::Approx(0.5));
  CHECK(value("cos(60 deg)") == doctest::Approx(0.5));
  CHECK(value("tan(45 deg)") == doctest::Approx(1));
  CHECK(value("sqrt(9 mm * 1 mm)", length) == 3);
  CHECK(value("exp(log(3))") == doctest::Approx(3));
  CHECK(value("abs(-eta)") == 2);
  CHECK(value("min(3, eta)") == 2);
  CHECK(value("max(1 mm, 2 mm)", length) == 2);
  CHECK(value("pi * rad", angle) == doctest::Approx(180 * unit::deg));
}

TEST_CASE("formula: a percentage next to the baseline is of the baseline") {
  CHECK(value("baseline + 0.1 %") == doctest::Approx(0.2 * 1.001));
  CHECK(value("baseline - 0.1 %") == doctest::Approx(0.2 * 0.999));
  CHECK(value("baseline + 0.1 %", length) == doctest::Approx(0.2 * 1.001));
  CHECK(value("baseline + 1 um", length) == doctest::Approx(0.201));
  CHECK(value("1.001 * baseline", length) == doctest::Approx(0.2 * 1.001));
  CHECK(value("baseline + 0.001") == doctest::Approx(0.201));
  CHECK(value("baseline + 0.1 % + 1 um", length) ==
        doctest::Approx(0.2 * 1.001 + 0.001));
}

TEST_CASE("formula: the variables used are known") {
  const auto formula = parse_formula("baseline * 2 + 1 um", rules(length));
  CHECK(formula.value.uses(3));
  CHECK_FALSE(formula.value.uses(0));
  CHECK(parse_formula("  1 um  ", rules(length)).value.text() == "1 um");
}

TEST_CASE("formula: a value that does not exist is not finite") {
  CHECK_FALSE(std::isfinite(value("1 / (eta - 2)")));
  CHECK_FALSE(std::isfinite(value("sqrt(-eta)")));
}

TEST_CASE("formula: errors of dimension are reported with their place") {
  CHECK(fault("30", length) ==
        "missing unit: expected a length, got \"30\" | add a unit, for example "
        "\"30 um\" @ 30");
  CHECK(fault("1 mrad", length) ==
        "expected a length, got an angle (\"1 mrad\") | it is in um @ 1 mrad");
  CHECK(fault("1 %", length) ==
        "expected a length, got a fraction (\"1 %\") | it is in um @ 1 %");
  CHECK(fault("0.1 % * pT (+) 0.3 %") ==
        "cannot add a momentum or energy and a number | give the coefficient "
        "its unit: \"0.1 % / GeV * pT\", or \"0.1 % * pT / GeV\" @ (+)");
  CHECK(fault("0.1 % * pT") ==
        "expected a number, got a momentum or energy (\"0.1 % * pT\") | divide "
        "pT by its unit: \"pT / GeV\" @ 0.1 % * pT");
  CHECK(fault("1 um + 1 mrad", length) ==
        "cannot add a length and an angle |  @ +");
  CHECK(fault("1 um / GeV", length) ==
        "expected a length, got a value in um/GeV (\"1 um / GeV\") | it is in "
        "um @ 1 um / GeV");
  CHECK(fault("sin(eta)") ==
        "sin takes an angle, got a number | write for example sin(theta), or "
        "multiply by rad @ eta");
  CHECK(fault("log(pT)") ==
        "log takes a number, got a momentum or energy | divide by a unit @ pT");
  CHECK(fault("2 ^ pT") ==
        "an exponent is a number, got a momentum or energy |  @ pT");
  CHECK(fault("pT ^ eta") ==
        "the exponent of a momentum or energy must be a constant |  @ eta");
  CHECK(fault("min(1 um, 2)", length) == "min of a length and a number |  @ ,");
}

TEST_CASE("formula: a percentage of an unknown quantity is rejected") {
  const std::string advice =
      "a percentage of an unknown quantity | write \"baseline + 0.1 %\", which "
      "is "
      "0.1 % of baseline, or multiply: \"1.001 * baseline\" @ 0.1 %";
  CHECK(fault("0.1 % + baseline") == advice);
  CHECK(fault("2 * baseline + 0.1 %") == advice);
  CHECK(fault("baseline (+) 0.1 %") == advice);
}

TEST_CASE("formula: errors of syntax are reported with their place") {
  CHECK(fault("") == "the formula ends too early |  @ END");
  CHECK(fault("3 +") == "the formula ends too early |  @ END");
  CHECK(fault("3 (+)") == "the formula ends too early |  @ END");
  CHECK(fault("(+) 3") == "a value is missing before \"(+)\" |  @ (+)");
  CHECK(fault("(3 + 4") == "the bracket \"(\" is not closed | add \")\" @ (");
  CHECK(fault("3 + 4)") == "closing bracket without an opening one |  @ )");
  CHECK(fault("3 4") ==
        "\"4\" is not expected here | write an operator: + - * / ^ or (+) @ 4");
  CHECK(fault("0.1 % pT") ==
        "\"pT\" is not expected here | write an operator: + - * / ^ or (+) @ "
        "pT");
  CHECK(fault("3 pT") ==
        "an operator is missing before \"pT\" | write \"3 * pT\" @ pT");
  CHECK(fault("30 Um", length) ==
        "unknown unit \"Um\" | did you mean \"30 um\"? @ Um");
  CHECK(fault("pt") == "unknown name \"pt\" | did you mean \"pT\"? @ pt");
  CHECK(fault("sine(theta)") ==
        "unknown name \"sine\" | did you mean \"sin\"? @ sine");
  CHECK(fault("sin theta") ==
        "the brackets of \"sin\" are missing | write sin(...) @ sin");
  CHECK(fault("min(3)") == "\"min\" takes 2 values | write min(a, b) @ min(3");
  CHECK(fault("0,5") == "a decimal comma | use a decimal point @ 0,");
  CHECK(fault("2 ** 3") == "\"**\" is not known | write ^ for a power @ **");
  CHECK(fault("1 + 2 (+) 3") ==
        "a quadratic and a plain sum are mixed | use brackets @ (+)");
  CHECK(fault("1e999") ==
        "\"1e999\" is too large or too small for a number |  @ 1e999");
  CHECK(fault("3 $ 4") ==
        "\"$\" is not expected here | write an operator: + - * / ^ or (+) @ $");
}

TEST_CASE("formula: deep nesting is rejected, not followed") {
  const std::string deep(100000, '(');
  CHECK(fault(deep) == "brackets are nested too deeply |  @ (");
  const std::string signs(100000, '-');
  CHECK(fault(signs + "1") == "brackets are nested too deeply |  @ -");
}

}  // namespace gttf::test::GTTF_TEST_FILE
