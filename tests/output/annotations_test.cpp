// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/ci_report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

template <class Faults>
std::string github(const Faults& faults) {
  std::ostringstream out;
  write_github(out, faults);
  return out.str();
}

nlohmann::json gitlab(const TestReport& report) {
  std::ostringstream out;
  write_code_quality(out, report);
  return nlohmann::json::parse(out.str());
}

TestCase failure() {
  return {"ITS",
          "d0, at 1 GeV: 100 %",
          false,
          "d0 is 50 % more",
          "likely cause: L0\n",
          "a,b:c.yaml",
          7,
          15};
}

}  // namespace

TEST_CASE("github: a failure is one line with all marks escaped") {
  CHECK(github(TestReport{"gate", {failure()}}) ==
        "::error file=a%2Cb%3Ac.yaml,line=7,col=15,title=d0%2C at 1 GeV%3A 100 "
        "%25::d0 is 50 %25 more%0Alikely cause: L0\n");
}

TEST_CASE("github: no annotation for passed checks or unknown locations") {
  TestCase good = failure();
  good.passed = true;
  CHECK(github(TestReport{"gate", {good}}).empty());
  TestCase nowhere = failure();
  nowhere.file.clear();
  nowhere.name = "n";
  nowhere.message = "m\r\nx";
  nowhere.details.clear();
  CHECK(github(TestReport{"gate", {nowhere}}) == "::error title=n::m%0D%0Ax\n");
}

TEST_CASE("github: errors of an input are annotated where they are") {
  Diagnostics diagnostics;
  Diagnostic d;
  d.file = "r.yaml";
  d.line = 3;
  d.column = 9;
  d.path = "requirements[0].max";
  d.problem = "missing unit";
  d.suggestion = "add \"um\"";
  diagnostics.add(d);
  d.severity = Severity::warning;
  d.file = "--p";
  d.line = 0;
  d.path.clear();
  d.suggestion.clear();
  diagnostics.add(d);
  CHECK(github(diagnostics) ==
        "::error file=r.yaml,line=3,col=9::requirements[0].max: missing unit; "
        "add \"um\"\n::warning::missing unit\n");
}

TEST_CASE("gitlab: every failure has the members of a code quality report") {
  TestCase good = failure();
  good.passed = true;
  const auto list = gitlab({"gate", {failure(), good}});
  REQUIRE(list.size() == 1);
  CHECK(list[0]["description"] == "d0, at 1 GeV: 100 %: d0 is 50 % more");
  CHECK(list[0]["check_name"] == "gttf-design check");
  CHECK(list[0]["severity"] == "major");
  CHECK(list[0]["location"]["path"] == "a,b:c.yaml");
  CHECK(list[0]["location"]["lines"]["begin"] == 7);
  CHECK(list[0]["fingerprint"].get<std::string>().size() == 64);
  CHECK(gitlab({"gate", {good}}) == nlohmann::json::array());
}

TEST_CASE("gitlab: a fingerprint is unique, and stable when lines move") {
  const auto print = [](const TestCase& test) {
    return gitlab({"gate", {test}})[0]["fingerprint"].get<std::string>();
  };
  TestCase moved = failure();
  moved.line = 99;
  moved.message = "d0 is 60 % more";
  CHECK(print(moved) == print(failure()));
  TestCase suite = failure(), name = failure(), file = failure();
  suite.suite = "CLD";
  name.name = "z0";
  file.file = "other.yaml";
  CHECK(std::set{print(failure()), print(suite), print(name), print(file)}
            .size() == 4);
}

}  // namespace gttf::test::GTTF_TEST_FILE
