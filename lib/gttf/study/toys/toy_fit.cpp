// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toys/toy_fit.hpp"

#include <array>
#include <utility>

namespace gttf {

namespace {

constexpr std::array<std::pair<std::string_view, ToyFit>, 12> fits{{
    {"general", {FitKind::general, WeightSource::estimate}},
    {"general-local", {FitKind::general, WeightSource::local}},
    {"general-updated", {FitKind::general, WeightSource::update}},
    {"general-shared", {FitKind::general, WeightSource::shared}},
    {"hits", {FitKind::hits, WeightSource::estimate}},
    {"hits-shared", {FitKind::hits, WeightSource::shared}},
    {"scattering", {FitKind::scattering, WeightSource::estimate}},
    {"scattering-local", {FitKind::scattering, WeightSource::local}},
    {"scattering-updated", {FitKind::scattering, WeightSource::update}},
    {"scattering-shared", {FitKind::scattering, WeightSource::shared}},
    {"regularised", {FitKind::regularised, WeightSource::estimate}},
    {"common-curvature", {FitKind::common_curvature, WeightSource::estimate}},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> aliases{{
    {"ms", "scattering"},
    {"ms-local", "scattering-local"},
    {"ms-updated", "scattering-updated"},
    {"ms-shared", "scattering-shared"},
    {"hit", "hits"},
    {"regularized", "regularised"},
    {"common_curvature", "common-curvature"},
    {"common", "common-curvature"},
}};

}  // namespace

std::string name_of(const ToyFit& fit) {
  for (const auto& [name, known] : fits)
    if (known == fit) return std::string(name);
  return "unknown";
}

std::optional<ToyFit> find_toy_fit(std::string_view name) {
  for (const auto& [alias, full] : aliases)
    if (name == alias) return find_toy_fit(full);
  for (const auto& [known, fit] : fits)
    if (name == known) return fit;
  return std::nullopt;
}

std::vector<std::string> toy_fit_names() {
  std::vector<std::string> names;
  names.reserve(fits.size());
  for (const auto& [name, fit] : fits) names.emplace_back(name);
  return names;
}

}  // namespace gttf
