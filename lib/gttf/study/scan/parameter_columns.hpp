// SPDX-License-Identifier: Apache-2.0
// How errors of the parameters are written: column names, units, text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gttf/resolution/parameter.hpp"

namespace gttf {

/// "sigma_d0_um": the column of scan with the error of this parameter.
std::string_view sigma_column(Parameter q);

/// The unit of that column in native units; 1 for relative errors.
double sigma_unit(Parameter q);

/// "sigma(d0)", "sigma(p)/p".
std::string sigma_symbol(Parameter q);

/// "12.3 um", "0.35 %"; "-" if there is none.
std::string sigma_text(Parameter q, double sigma);

/// "p, pt, d0, z0, phi0, theta, x, y, tx, ty".
std::string parameter_list();

/// Those that tables for people show: of tracks along a beam p, x, y, tx, ty,
/// of others p, pt, d0, z0, phi0, theta.
std::span<const Parameter> shown_parameters(bool along_beam);

}  // namespace gttf
