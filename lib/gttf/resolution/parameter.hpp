// SPDX-License-Identifier: Apache-2.0
// Parameter: the quantities analysed by budgets and sensitivities.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace gttf {

/// p stands for sigma(p)/p, the relative error of q/p; pt for sigma(pT)/pT. x,
/// y, tx = dx/dz and ty = dy/dz refer to the plane z = const. through the
/// start, the parameters of tracks along a beam; the others, except p, refer to
/// the perigee.
enum class Parameter { p, pt, d0, z0, phi0, theta, x, y, tx, ty };

inline constexpr std::size_t n_parameters = 10;
inline constexpr std::array<Parameter, n_parameters> all_parameters{
    Parameter::p,    Parameter::pt,    Parameter::d0, Parameter::z0,
    Parameter::phi0, Parameter::theta, Parameter::x,  Parameter::y,
    Parameter::tx,   Parameter::ty};

/// The first rows of Resolution::start_plane.
inline constexpr std::array<Parameter, 4> start_plane_parameters{
    Parameter::x, Parameter::y, Parameter::tx, Parameter::ty};

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

/// "p", "pt", "d0", "z0", "phi0", "theta", "x", "y", "tx", "ty".
std::string_view to_string(Parameter);
/// The parameter with this name.
std::optional<Parameter> find_parameter(std::string_view name);

struct Resolution;
/// sigma of every parameter, native units, relative for p and pt; or NaN.
PerParameter sigmas(const Resolution& resolution);

}  // namespace gttf
