// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/parameter.hpp"

#include <cmath>

#include "gttf/resolution/resolution.hpp"

namespace gttf {

std::string_view to_string(Parameter q) {
  constexpr std::array<std::string_view, n_parameters> names{
      "p", "pt", "d0", "z0", "phi0", "theta", "x", "y", "tx", "ty"};
  return names[static_cast<std::size_t>(q)];
}

std::optional<Parameter> find_parameter(std::string_view name) {
  for (const Parameter q : all_parameters)
    if (to_string(q) == name) return q;
  return std::nullopt;
}

PerParameter sigmas(const Resolution& r) {
  const auto sigma = [&r](int i) { return std::sqrt(r.perigee(i, i)); };
  PerParameter s;
  s[Parameter::p] = r.sigma_p_rel;
  s[Parameter::pt] = r.sigma_pt_rel;
  s[Parameter::d0] = sigma(Perigee::d0);
  s[Parameter::z0] = sigma(Perigee::z0);
  s[Parameter::phi0] = sigma(Perigee::phi);
  s[Parameter::theta] = sigma(Perigee::theta);
  for (int i = 0; i < 4; ++i)
    s[start_plane_parameters[static_cast<std::size_t>(i)]] =
        std::sqrt(r.start_plane(i, i));
  return s;
}

}  // namespace gttf
