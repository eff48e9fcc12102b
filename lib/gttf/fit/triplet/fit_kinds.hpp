// SPDX-License-Identifier: Apache-2.0
// Properties of each kind of fit.
#pragma once

#include <array>
#include <string_view>

#include "gttf/fit/triplet/global_fit.hpp"

namespace gttf::detail {

struct DescribedFit {
  FitKind kind;
  std::string_view name;  ///< for options
  bool hit_errors;        ///< whether hits have errors
  bool scattering;        ///< whether layers scatter with given strength
  bool shareable;         ///< whether the system of one track can be shared
};

/// In the order of FitKind. A function: kernels must not define variables that
/// the linker would share with code for other processors.
constexpr std::array<DescribedFit, 5> described_fits() {
  return {{
      {FitKind::general, "general", true, true, true},
      {FitKind::hits, "hits", true, false, true},
      {FitKind::scattering, "scattering", false, true, true},
      {FitKind::regularised, "regularised", false, false, false},
      {FitKind::common_curvature, "common-curvature", false, false, false},
  }};
}

constexpr DescribedFit describe(FitKind kind) {
  return described_fits()[static_cast<std::size_t>(kind)];
}

static_assert([] {
  for (const DescribedFit& f : described_fits())
    if (describe(f.kind).kind != f.kind) return false;
  return true;
}());

/// One bit for each kind of fit whose hits have errors: used by kernels.
inline constexpr unsigned fits_with_hit_errors = [] {
  unsigned bits = 0;
  for (const DescribedFit& f : described_fits())
    if (f.hit_errors) bits |= 1u << static_cast<unsigned>(f.kind);
  return bits;
}();

constexpr bool uses_hits(FitKind kind) {
  return (fits_with_hit_errors >> static_cast<unsigned>(kind) & 1u) != 0;
}

}  // namespace gttf::detail
