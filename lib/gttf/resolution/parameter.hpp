// SPDX-License-Identifier: Apache-2.0
// Parameter: the quantities whose errors budgets and sensitivities explain.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace gttf {

/// p stands for sigma(p)/p, the relative error of q/p; pt for sigma(pT)/pT.
enum class Parameter { p, pt, d0, z0, phi0, theta };

inline constexpr std::size_t n_parameters = 6;
inline constexpr std::array<Parameter, n_parameters> all_parameters{
    Parameter::p,  Parameter::pt,   Parameter::d0,
    Parameter::z0, Parameter::phi0, Parameter::theta};

/// One number for each parameter: `shares[Parameter::d0]`.
struct PerParameter {
  std::array<double, n_parameters> values{};

  double& operator[](Parameter q) {
    return values[static_cast<std::size_t>(q)];
  }
  double operator[](Parameter q) const {
    return values[static_cast<std::size_t>(q)];
  }
};

/// "p", "pt", "d0", "z0", "phi0", "theta".
std::string_view to_string(Parameter);
/// The parameter of that name.
std::optional<Parameter> find_parameter(std::string_view name);

struct Resolution;
/// sigma of every parameter, native units, relative for p and pt; NaN: none.
PerParameter sigmas(const Resolution& resolution);

}  // namespace gttf
