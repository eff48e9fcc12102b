// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/table_style.hpp"

#include <doctest/doctest.h>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("heading: the unit at the end of a name goes into brackets") {
  CHECK(one_line(heading_of("p_GeV")) == "p [GeV]");
  CHECK(one_line(heading_of("theta_deg")) == "theta [deg]");
  CHECK(one_line(heading_of("sigma_d0_um")) == "sigma(d0) [um]");
  CHECK(one_line(heading_of("sigma_without_inner_material")) ==
        "sigma without inner material");
  CHECK(one_line(heading_of("sigma_phi0_mrad")) == "sigma(phi0) [mrad]");
  CHECK(one_line(heading_of("sigma_qop_per_GeV")) == "sigma(qop) [1/GeV]");
  CHECK(one_line(heading_of("bz_T")) == "bz [T]");
}

TEST_CASE("heading: relative errors and x/X0 are shown in percent") {
  CHECK(one_line(heading_of("sigma_pt_rel")) == "sigma(pt) [%]");
  CHECK(heading_of("sigma_pt_rel").factor == 100);
  CHECK(one_line(heading_of("sigma_p_rel_hit_only")) ==
        "sigma(p) hit only [%]");
  CHECK(one_line(heading_of("x_over_x0")) == "x/X0 [%]");
  CHECK(one_line(heading_of("x_over_x0_inner")) == "x/X0 inner [%]");
  CHECK(heading_of("x_over_x0").factor == 100);
}

TEST_CASE("heading: the letter of a design comes first") {
  CHECK(one_line(heading_of("A_sigma_d0_um")) == "A sigma(d0) [um]");
  CHECK(one_line(heading_of("B_ratio_d0")) == "B ratio d0");
  CHECK(one_line(heading_of("A_x_over_x0")) == "A x/X0 [%]");
  CHECK(heading_of("C_sigma_pt_rel").factor == 100);
  CHECK(heading_of("C_sigma_pt_rel").zeros == gttf::Zeros::keep);
  CHECK(heading_of("pull_width_qop").zeros == gttf::Zeros::keep);
}

TEST_CASE("heading: other names are words") {
  CHECK(one_line(heading_of("n_hits")) == "hits");
  CHECK(one_line(heading_of("cos_incidence")) == "cos incidence");
  CHECK(one_line(heading_of("mu_phi")) == "mu phi");
  CHECK(one_line(heading_of("status")) == "status");
  CHECK(one_line(heading_of("eta")) == "eta");
  CHECK(one_line(heading_of("_s")) == "s");  // no name but a unit's
  CHECK(one_line(heading_of("")).empty());
  CHECK(one_line(heading_of("relative")) == "relative");
}

TEST_CASE("heading: errors keep their zeros, inputs do not") {
  CHECK(heading_of("sigma_d0_um").zeros == gttf::Zeros::keep);
  CHECK(heading_of("sigma").zeros == gttf::Zeros::keep);
  CHECK(heading_of("p_GeV").zeros == gttf::Zeros::strip);
}

}  // namespace gttf::test::GTTF_TEST_FILE
