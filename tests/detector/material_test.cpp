// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/material.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "gttf/core/units.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("materials: radiation lengths as the PDG prints them in cm") {
  // [PDG24] atomic and nuclear properties. The table holds X0 in g/cm2 and the
  // density; printed values have four digits, so they agree to 1e-3.
  struct Printed {
    const char* name;
    double x0_cm;
  };
  for (const Printed& printed : {Printed{"beryllium", 35.28},
                                 {"carbon", 19.32},
                                 {"aluminium", 8.897},
                                 {"silicon", 9.370},
                                 {"titanium", 3.560},
                                 {"iron", 1.757},
                                 {"nickel", 1.424},
                                 {"copper", 1.436},
                                 {"germanium", 2.302},
                                 {"silver", 0.8543},
                                 {"tin", 1.206},
                                 {"tungsten", 0.3504},
                                 {"gold", 0.3344},
                                 {"lead", 0.5612},
                                 {"diamond", 12.13},
                                 {"Kapton", 28.57},
                                 {"Mylar", 28.54},
                                 {"polyethylene", 50.31},
                                 {"polystyrene", 41.31},
                                 {"PMMA", 34.07},
                                 {"polycarbonate", 34.58},
                                 {"Teflon", 15.84},
                                 {"scintillator", 42.54},
                                 {"water", 36.08},
                                 {"paraffin", 48.22},
                                 {"quartz", 12.29},
                                 {"GaAs", 2.296},
                                 {"alumina", 7.038},
                                 {"borosilicate glass", 12.63},
                                 {"G10", 19.4},
                                 {"air", 3.039e4},
                                 {"argon", 1.176e4},
                                 {"helium", 5.671e5},
                                 {"nitrogen", 3.260e4},
                                 {"methane", 6.965e4},
                                 {"ethane", 3.615e4},
                                 {"CO2", 1.965e4},
                                 {"xenon", 1547}}) {
    INFO(printed.name);
    const Material* material = find_material(printed.name);
    REQUIRE(material);
    CHECK(material->radiation_length / unit::cm ==
          doctest::Approx(printed.x0_cm).epsilon(1e-3));
  }
}

TEST_CASE("materials: mixtures follow from their components") {
  struct Part {
    const char* name;
    double fraction;  ///< by mass
  };
  // g/cm2; the table holds four digits
  const auto x0 = [](const char* name) {
    const Material* m = find_material(name);
    return m->radiation_length / unit::cm * m->density;
  };
  const auto check = [&](const char* name, std::initializer_list<Part> parts) {
    double inverse = 0, z_over_a = 0;
    for (const Part& part : parts) {
      inverse += part.fraction / x0(part.name);
      z_over_a += part.fraction * find_material(part.name)->z_over_a;
    }
    INFO(name);
    CHECK(x0(name) == doctest::Approx(1 / inverse).epsilon(5e-4));
    CHECK(find_material(name)->z_over_a ==
          doctest::Approx(z_over_a).epsilon(5e-4));
  };
  check("AlBeMet", {{"Be", 0.62}, {"Al", 0.38}});
  check("carbon fibre", {{"graphite", 0.7}, {"epoxy", 0.3}});
}

TEST_CASE("materials: values are plausible and have a source") {
  CHECK(builtin_materials().size() >= 25);
  for (const Material& m : builtin_materials()) {
    INFO(m.name);
    CHECK(m.radiation_length > 3 * unit::mm);
    CHECK(m.density > 1e-4);
    CHECK(m.density < 20);
    // from lead to hydrogen-rich plastics
    CHECK((m.z_over_a == 0 || (m.z_over_a > 0.39 && m.z_over_a < 0.63)));
    CHECK((m.mean_excitation == 0 || (m.mean_excitation > 40 * unit::eV &&
                                      m.mean_excitation < 830 * unit::eV)));
    CHECK_FALSE(m.source.empty());
  }
}

TEST_CASE("materials: sorted, and no name means two of them") {
  const auto& all = builtin_materials();
  const auto lower = [](const Material& m) {
    std::string name = m.name;
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    return name;
  };
  CHECK(std::ranges::is_sorted(all, {}, lower));
  std::set<std::string> seen;
  for (std::string name : material_names()) {
    std::erase_if(name, [](char c) { return c == ' ' || c == '-'; });
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    INFO(name);
    CHECK(seen.insert(name).second);
  }
}

TEST_CASE("materials: found by any usual name, the user's own first") {
  const Material* silicon = find_material("silicon");
  CHECK(find_material("Si") == silicon);
  CHECK(find_material("SILICON") == silicon);
  CHECK(find_material("Carbon-Fibre") == find_material("CFRP"));
  CHECK(find_material("kapton") == find_material("polyimide"));
  CHECK(find_material("unobtainium") == nullptr);
  const std::vector<Material> own = {{"Si", 94, 0, 0, 0, ""}};
  CHECK(find_material("si", own) == &own[0]);
}

}  // namespace gttf::test::GTTF_TEST_FILE
