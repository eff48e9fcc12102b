// SPDX-License-Identifier: Apache-2.0
// The table of density-effect parameters.
#include <array>

#include "gttf/detector/material.hpp"

namespace gttf {
namespace {

struct Entry {
  std::string_view name;  ///< as in the table of materials
  DensityEffect effect;
};

// c_bar, x0, x1, a, k, delta0. Where the table of materials has another density
// than [Sternheimer84] (beryllium, carbon), as the PDG recalculated them.
constexpr std::array entries = {
    Entry{"air", {10.5961, 1.7418, 4.2759, 0.10914, 3.3994, 0}},
    Entry{"alumina", {3.5682, 0.0402, 2.8665, 0.08500, 3.5458, 0}},
    Entry{"aluminium", {4.2395, 0.1708, 3.0127, 0.08024, 3.6345, 0.12}},
    Entry{"argon", {11.9480, 1.7635, 4.4855, 0.19714, 2.9618, 0}},
    Entry{"beryllium", {2.7847, 0.0592, 1.6922, 0.80392, 2.4339, 0.14}},
    Entry{"borosilicate glass", {3.9708, 0.1479, 2.9933, 0.08270, 3.5224, 0}},
    Entry{"carbon", {2.8926, 0.0090, 2.4817, 0.20762, 2.9532, 0.14}},
    Entry{"CO2", {10.1537, 1.6294, 4.1825, 0.11768, 3.3227, 0}},
    Entry{"copper", {4.4190, -0.0254, 3.2792, 0.14339, 2.9044, 0.08}},
    Entry{"ethane", {9.1043, 1.5107, 3.8743, 0.09627, 3.6095, 0}},
    Entry{"GaAs", {5.3299, 0.1764, 3.6420, 0.07152, 3.3356, 0}},
    Entry{"germanium", {5.1411, 0.3376, 3.6096, 0.07188, 3.3306, 0.14}},
    Entry{"gold", {5.5747, 0.2021, 3.6979, 0.09756, 3.1101, 0.14}},
    Entry{"helium", {11.1393, 2.2017, 3.6122, 0.13443, 5.8347, 0}},
    Entry{"iron", {4.2911, -0.0012, 3.1531, 0.14680, 2.9632, 0.12}},
    Entry{"isobutane", {8.5633, 1.3788, 3.7524, 0.10852, 3.4184, 0}},
    Entry{"Kapton", {3.3497, 0.1509, 2.5631, 0.15972, 3.1921, 0}},
    Entry{"lead", {6.2018, 0.3776, 3.8073, 0.09359, 3.1608, 0.14}},
    Entry{"methane", {9.5243, 1.6263, 3.9716, 0.09253, 3.6257, 0}},
    Entry{"Mylar", {3.3262, 0.1562, 2.6507, 0.12679, 3.3076, 0}},
    Entry{"neon", {11.9041, 2.0735, 4.6421, 0.08064, 3.5771, 0}},
    Entry{"nickel", {4.3115, -0.0566, 3.1851, 0.16496, 2.8430, 0.10}},
    Entry{"nitrogen", {10.5400, 1.7378, 4.1323, 0.15349, 3.2125, 0}},
    Entry{"oxygen", {10.7004, 1.7541, 4.3213, 0.11778, 3.2913, 0}},
    Entry{"paraffin", {2.9551, 0.1289, 2.5084, 0.12087, 3.4288, 0}},
    Entry{"PMMA", {3.3297, 0.1824, 2.6681, 0.11433, 3.3836, 0}},
    Entry{"polycarbonate", {3.3201, 0.1606, 2.6225, 0.12860, 3.3288, 0}},
    Entry{"polyethylene", {3.0016, 0.1370, 2.5177, 0.12108, 3.4292, 0}},
    Entry{"polystyrene", {3.2999, 0.1647, 2.5031, 0.16454, 3.2224, 0}},
    Entry{"quartz", {4.0029, 0.1385, 3.0025, 0.08408, 3.5064, 0}},
    Entry{"scintillator", {3.1997, 0.1464, 2.4855, 0.16101, 3.2393, 0}},
    Entry{"silicon", {4.4355, 0.2015, 2.8716, 0.14921, 3.2546, 0.14}},
    Entry{"silver", {5.0630, 0.0657, 3.1074, 0.24585, 2.6899, 0.14}},
    Entry{"Teflon", {3.4161, 0.1648, 2.7404, 0.10606, 3.4046, 0}},
    Entry{"tin", {5.5340, 0.2879, 3.2959, 0.18689, 2.8576, 0.14}},
    Entry{"titanium", {4.4450, 0.0957, 3.0386, 0.15662, 3.0302, 0.12}},
    Entry{"tungsten", {5.4059, 0.2167, 3.4960, 0.15509, 2.8447, 0.14}},
    Entry{"water", {3.5017, 0.2400, 2.8004, 0.09116, 3.4773, 0}},
    Entry{"xenon", {12.7281, 1.5630, 4.7371, 0.23314, 2.7414, 0}},
};

}  // namespace

DensityEffect tabulated_density_effect(std::string_view name) {
  for (const Entry& row : entries)
    if (row.name == name) return row.effect;
  return {};
}

}  // namespace gttf
