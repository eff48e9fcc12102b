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

/// A detector, the description it was read from, and what was odd, but not
/// wrong, about that.
struct DetectorInput {
  Detector detector;
  Diagnostics warnings;
  std::string text;                    ///< of the file
  std::vector<std::string> overrides;  ///< applied to it before reading
};

/// Reads `path` ("-": standard input) after applying `overrides`, each
/// `key=value` as in --set 'layers[L0].material=0.5 %'.
/// Throws InputError with everything that is wrong.
DetectorInput read_detector(const std::string& path,
                            std::span<const std::string> overrides = {});

/// The same for a text; `name` stands for the file in messages.
DetectorInput parse_detector(const std::string& text, const std::string& name,
                             std::span<const std::string> overrides = {});

/// A description that is read several times, each time with other overrides:
/// its YAML is parsed once.
class DetectorDescription {
 public:
  /// Throws InputError if the text is not YAML.
  DetectorDescription(const std::string& text, const std::string& name);

  /// As parse_detector(). May be called from several threads at once.
  DetectorInput read(std::span<const std::string> overrides) const;

 private:
  struct Parsed;
  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace gttf
