// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/parameter_columns.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "gttf/core/readable.hpp"
#include "gttf/core/units.hpp"

namespace gttf {
namespace {

struct Writing {
  std::string_view column, symbol, unit_name;
  double unit;       ///< of the column
  double text_unit;  ///< of sigma_text
};

const Writing& writing(Parameter q) {
  static constexpr std::array<Writing, n_parameters> all{{
      {"sigma_p_rel", "sigma(p)/p", "%", 1, unit::percent},
      {"sigma_pt_rel", "sigma(pt)/pt", "%", 1, unit::percent},
      {"sigma_d0_um", "sigma(d0)", "um", unit::um, unit::um},
      {"sigma_z0_um", "sigma(z0)", "um", unit::um, unit::um},
      {"sigma_phi0_mrad", "sigma(phi0)", "mrad", unit::mrad, unit::mrad},
      {"sigma_theta_mrad", "sigma(theta)", "mrad", unit::mrad, unit::mrad},
      {"sigma_x_um", "sigma(x)", "um", unit::um, unit::um},
      {"sigma_y_um", "sigma(y)", "um", unit::um, unit::um},
      {"sigma_tx_mrad", "sigma(tx)", "mrad", unit::mrad, unit::mrad},
      {"sigma_ty_mrad", "sigma(ty)", "mrad", unit::mrad, unit::mrad},
  }};
  return all[static_cast<std::size_t>(q)];
}

}  // namespace

std::string_view sigma_column(Parameter q) { return writing(q).column; }
double sigma_unit(Parameter q) { return writing(q).unit; }
std::string sigma_symbol(Parameter q) { return std::string(writing(q).symbol); }

std::string sigma_text(Parameter q, double sigma) {
  const Writing& w = writing(q);
  return std::isnan(sigma)
             ? "-"
             : fmt::format("{} {}", readable(sigma / w.text_unit, 3),
                           w.unit_name);
}

std::string parameter_list() {
  std::string list;
  for (const Parameter q : all_parameters) {
    if (!list.empty()) list += ", ";
    list += to_string(q);
  }
  return list;
}

std::span<const Parameter> shown_parameters(bool along_beam) {
  using P = Parameter;
  static constexpr std::array beam{P::p, P::x, P::y, P::tx, P::ty};
  static constexpr std::array perigee{P::p,  P::pt,   P::d0,
                                      P::z0, P::phi0, P::theta};
  if (along_beam) return beam;
  return perigee;
}

}  // namespace gttf
