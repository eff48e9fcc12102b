// SPDX-License-Identifier: Apache-2.0
// ToyFit: a fit of toys by the name that users know.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/fit/triplet/global_fit.hpp"

namespace gttf {

/// A fit and where its scattering angles come from: the true momentum
/// (estimate), each triplet's own curvature, a fit before, or, with all else
/// that the toys of a point can share, the true track (shared).
struct ToyFit {
  FitKind kind = FitKind::general;
  WeightSource weights = WeightSource::estimate;

  friend bool operator==(const ToyFit&, const ToyFit&) = default;
};

/// "general", "general-local", "scattering-updated", ...
std::string name_of(const ToyFit& fit);

/// The fit of that name; "ms" stands for "scattering".
std::optional<ToyFit> find_toy_fit(std::string_view name);

/// All names, for messages.
std::vector<std::string> toy_fit_names();

}  // namespace gttf
