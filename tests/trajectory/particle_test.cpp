// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/track.hpp"

#include <doctest/doctest.h>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("particle: a sign after the name sets the charge") {
  CHECK(find_particle("pi+")->charge == 1);
  CHECK(find_particle("pi-")->charge == -1);
  CHECK(find_particle("mu+")->charge == 1);
  CHECK(find_particle("e-")->charge == -1);
  CHECK(find_particle("positron")->charge == 1);
  CHECK(find_particle("antiproton")->charge == -1);
  CHECK(names_charge("pi+"));
  CHECK(names_charge("antimuon"));
  CHECK_FALSE(names_charge("pion"));
  CHECK_FALSE(names_charge("proton"));
}

TEST_CASE("particle: names without a sign have their usual charge") {
  for (const char* name : {"electron", "muon", "pion", "kaon"})
    CHECK(find_particle(name)->charge == -1);
  for (const char* name : {"proton", "deuteron", "triton"})
    CHECK(find_particle(name)->charge == 1);
  CHECK(find_particle("alpha")->charge == 2);
  CHECK(find_particle("helium3")->charge == 2);
}

TEST_CASE("particle: masses in GeV, [PDG24] rounded to 1 keV") {
  CHECK(find_particle("electron")->mass ==
        doctest::Approx(0.000511).epsilon(1e-5));
  CHECK(find_particle("muon")->mass == doctest::Approx(0.105658).epsilon(1e-5));
  CHECK(find_particle("pion")->mass == 0.13957039);
  CHECK(find_particle("Kaon")->mass == doctest::Approx(0.493677).epsilon(1e-6));
  CHECK(find_particle("p")->mass == doctest::Approx(0.938272).epsilon(1e-6));
  CHECK(find_particle("d")->mass == doctest::Approx(1.875613).epsilon(1e-6));
  CHECK(find_particle("t")->mass == doctest::Approx(2.808921).epsilon(1e-6));
  CHECK(find_particle("He3")->mass == doctest::Approx(2.808391).epsilon(1e-6));
  CHECK(find_particle("alpha")->mass ==
        doctest::Approx(3.727379).epsilon(1e-6));
}

TEST_CASE("particle: every listed name is known, others are not") {
  for (const std::string& name : particle_names()) {
    INFO(name);
    CHECK(find_particle(name));
  }
  CHECK_FALSE(find_particle("neutrino"));
  CHECK_FALSE(find_particle(""));
}

}  // namespace gttf::test::GTTF_TEST_FILE
