// SPDX-License-Identifier: Apache-2.0
// Parameter: the quantities whose errors budgets and sensitivities explain.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "gttf/core/matrix.hpp"
#include "gttf/trajectory/line.hpp"

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

namespace detail {

/// The parameters as linear functions of the line at the start, d0 z0 phi0
/// theta kappa; those of the momentum zero without field.
///
///   d ln p = -d kappa/kappa        d ln pT = -d kappa/kappa + cot(theta)
///   dtheta
template <class S>
std::array<std::array<S, 5>, n_parameters> parameter_rows(const Line<S>& l) {
  std::array<std::array<S, 5>, n_parameters> rows;
  for (auto& row : rows) row.fill(S(0));
  const auto at = [&rows](Parameter q) -> std::array<S, 5>& {
    return rows[static_cast<std::size_t>(q)];
  };
  at(Parameter::d0)[Perigee::d0] = S(1);
  at(Parameter::z0)[Perigee::z0] = S(1);
  at(Parameter::phi0)[Perigee::phi] = S(1);
  at(Parameter::theta)[Perigee::theta] = S(1);
  if (l.kappa_column > S(0)) {
    at(Parameter::p)[Perigee::kappa] = S(-1) / l.kappa;
    at(Parameter::pt)[Perigee::kappa] = S(-1) / l.kappa;
    at(Parameter::pt)[Perigee::theta] = l.cot_theta;
  }
  return rows;
}

}  // namespace detail
}  // namespace gttf
