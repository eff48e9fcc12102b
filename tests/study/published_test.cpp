// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/published.hpp"

#include <doctest/doctest.h>

#include "gttf/config/diagnostics.hpp"
#include "gttf/core/units.hpp"
#include "support/folder.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const std::string head = "detector,track,column,value,unit,source,condition\n";

}  // namespace

TEST_CASE("published: values have their units, errors of p become relative") {
  const Folder folder;
  const auto all = read_published(
      folder.write("p.csv", head + "cld,pt=10,sigma_pt_rel,0.25,%,a,b\n"
                                   "its2,pt=1,sigma_d0_um,30,um,a,\n"
                                   "mu3e,pt=0.05,sigma_p_rel,0.5,MeV,a,\n"
                                   "cms,p=5;eta=1.7,sigma_p_rel,1,%,a,\n"));
  REQUIRE(all.size() == 4);
  CHECK(all[0].is_pt);
  CHECK(all[0].eta == 0);
  CHECK_FALSE(all[3].is_pt);
  CHECK(all[3].momentum == 5);
  CHECK(all[3].eta == 1.7);
  CHECK(all[0].sigma == doctest::Approx(0.0025));
  CHECK(all[0].momentum == 10);
  CHECK(all[1].parameter == Parameter::d0);
  CHECK(all[1].sigma == doctest::Approx(30 * unit::um));
  CHECK(all[2].sigma == doctest::Approx(0.01));
  CHECK(published_of(all, "some/folder/cld.yaml").size() == 1);
  CHECK(published_of(all, "cld2.yaml").empty());
}

TEST_CASE("published: the shipped file is readable") {
  CHECK(
      read_published(std::string(GTTF_SOURCE_DIR) + "/detectors/published.csv")
          .size() > 10);
}

TEST_CASE("published: all errors are reported with their places") {
  const Folder folder;
  const std::string path =
      folder.write("p.csv", head +
                                "cld,10 GeV,sigma_pt_rel,0.25,%,a,b\n"
                                "cld,pt=1,sigma_pt,0.25,%,a,b\n"
                                "cld,pt=1,sigma_d0_um,x,um,a,b\n"
                                "cld,pt=1,sigma_d0_um,3,GeV,a,b\n"
                                "cld,pt=1;theta=2,sigma_d0_um,3,um,a,b\n");
  try {
    read_published(path);
    FAIL("no exception");
  } catch (const InputError& error) {
    const auto& items = error.diagnostics().items();
    REQUIRE(items.size() == 5);
    CHECK(items[4].line == 6);
    CHECK(items[0].line == 2);
    CHECK(items[0].problem == "expected a momentum in GeV, got \"10 GeV\"");
    CHECK(items[1].problem == "unknown column \"sigma_pt\"");
    CHECK(items[3].line == 5);
  }
}

TEST_CASE("published: a missing column is reported") {
  const Folder folder;
  CHECK_THROWS_AS(
      read_published(folder.write("p.csv", "detector,track,value\n")),
      InputError);
}

TEST_CASE("published: a resolution that is not positive is rejected") {
  const Folder folder;
  // The last one is a number only before it is divided by the momentum.
  for (const std::string row :
       {"cld,pt=1,sigma_d0_um,0,um,a,b\n", "cld,pt=1,sigma_d0_um,-3,um,a,b\n",
        "cld,p=1,sigma_p_rel,0,MeV,a,b\n",
        "cld,p=1e-300,sigma_p_rel,1e20,GeV,a,b\n"}) {
    CAPTURE(row);
    try {
      read_published(folder.write("p.csv", head + row));
      FAIL("no exception");
    } catch (const InputError& error) {
      const auto& items = error.diagnostics().items();
      REQUIRE(items.size() == 1);
      CHECK(items[0].line == 2);
      CHECK(items[0].problem.starts_with(
          "a resolution must be positive and finite, got "));
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
