// SPDX-License-Identifier: Apache-2.0
// Reads a detector description from YAML.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/detector/detector.hpp"

namespace gttf {

/// A detector, the description it was read from, and the warnings about
/// it.
struct DetectorInput {
  Detector detector;
  Diagnostics warnings;
  std::string text;                    ///< of the file
  std::vector<std::string> overrides;  ///< overrides applied before reading
};

/// Reads `path` ("-": standard input) after applying `overrides`, each
/// `key=value` as in --set 'layers[L0].material=0.5 %'.
/// Throws InputError with all errors.
/// @param beam_spot  whether the tracks have one, which is an additional hit
DetectorInput read_detector(const std::string& path,
                            std::span<const std::string> overrides = {},
                            bool beam_spot = false);

/// The same for text; messages use `name` as the file name.
DetectorInput parse_detector(const std::string& text, const std::string& name,
                             std::span<const std::string> overrides = {},
                             bool beam_spot = false);

/// A description that is read several times with different overrides; the YAML
/// is parsed once.
class DetectorDescription {
 public:
  /// Throws InputError if the text is not YAML.
  DetectorDescription(const std::string& text, const std::string& name);

  /// Like parse_detector(). Thread-safe.
  DetectorInput read(std::span<const std::string> overrides) const;

 private:
  struct Parsed;
  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace gttf
