// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/read_designs.hpp"

#include <algorithm>
#include <utility>

#include "gttf/detector/read_model.hpp"

namespace gttf {
namespace {

// The model that the study or an option has chosen, as keys of detectors.
std::vector<std::string> chosen_model(const StudyRequest& request) {
  std::vector<std::string> keys;
  if (request.chosen.scattering)
    keys.push_back("model.scattering=" +
                   std::string(to_string(request.scattering)));
  if (request.chosen.energy_loss)
    keys.push_back("model.energy_loss=" +
                   std::string(to_string(request.energy_loss)));
  return keys;
}

// Errors of --set name the detector if there are several.
Diagnostics with_detector_named(const Diagnostics& errors,
                                const std::string& path, bool several) {
  Diagnostics named;
  for (Diagnostic d : errors.items()) {
    if (several && d.file == "--set") d.problem += " in " + path;
    named.add(std::move(d));
  }
  return named;
}

// The same for the keys of a variant, at their location in the study.
Diagnostics with_variant_named(const Diagnostics& errors,
                               const DesignVariant& variant) {
  Diagnostics named;
  for (Diagnostic d : errors.items()) {
    const auto key =
        std::ranges::find(variant.keys, d.source_line, &DesignVariantKey::text);
    if (d.file == "--set" && key != variant.keys.end()) {
      Diagnostic at = key->place;
      at.severity = d.severity;
      at.problem = std::move(d.problem);
      at.suggestion = std::move(d.suggestion);
      d = std::move(at);
    }
    named.add(std::move(d));
  }
  return named;
}

// Warnings about a variant that do not apply to its detector.
Diagnostics new_warnings(const Diagnostics& of_variant,
                         const Diagnostics& of_detector) {
  Diagnostics fresh;
  for (const Diagnostic& d : of_variant.items())
    if (std::ranges::none_of(of_detector.items(), [&d](const Diagnostic& o) {
          return o.problem == d.problem && o.line == d.line;
        }))
      fresh.add(d);
  return fresh;
}

}  // namespace

std::vector<DetectorInput> read_designs(
    StudyRequest& request, std::span<const std::string> overrides) {
  std::vector<std::string> common(overrides.begin(), overrides.end());
  if (!request.variants.empty()) {
    for (std::string& key : chosen_model(request))
      common.push_back(std::move(key));
    request.chosen = {};
  }
  std::vector<DetectorInput> inputs;
  std::vector<std::string> paths;
  Diagnostics errors;
  const bool several = request.detectors.size() > 1;
  const bool has_spot = request.beam_spot.has_value();
  for (const std::string& path : request.detectors) {
    DetectorInput base;
    try {
      base = read_detector(path, common, has_spot);
    } catch (const InputError& error) {
      errors.add(with_detector_named(error.diagnostics(), path, several));
      continue;
    }
    paths.push_back(path);
    inputs.push_back(base);
    for (const DesignVariant& variant : request.variants) {
      std::vector<std::string> keys = common;
      for (std::string& text : variant.texts()) keys.push_back(std::move(text));
      try {
        DetectorInput own =
            parse_detector(base.text, base.detector.file, keys, has_spot);
        own.warnings = new_warnings(with_variant_named(own.warnings, variant),
                                    base.warnings);
        own.detector.name = base.detector.name + ", " + variant.name;
        paths.push_back(path);
        inputs.push_back(std::move(own));
      } catch (const InputError& error) {
        errors.add(with_variant_named(error.diagnostics(), variant));
      }
    }
  }
  if (errors.has_errors()) throw InputError(std::move(errors));
  request.detectors = std::move(paths);
  return inputs;
}

}  // namespace gttf
