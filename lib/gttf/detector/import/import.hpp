// SPDX-License-Identifier: Apache-2.0
// Import: converts descriptions of other programs to detector files.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gttf/config/diagnostics.hpp"

namespace gttf {

/// Format of a foreign description.
enum class ForeignFormat {
  delphes,  ///< Tcl card of Delphes with a module TrackCovariance, or only the
            ///< rows of its geometry
  fasttracker,   ///< .ini of the ALICE FastTracker: layer.parameter: value
  slac,          ///< four columns of slaclab/TrackingResolution
  corryvreckan,  ///< detectors file (.geo) of Corryvreckan or Allpix Squared
  tklayout,      ///< tkLayout's list of modules, allCoordinates.csv
  acts,          ///< surfaces with material in JSON, as ACTS writes them
  modules        ///< list of modules of `export --to modules`
};

/// All formats with their names for --from.
inline constexpr std::array<std::pair<std::string_view, ForeignFormat>, 7>
    foreign_formats{{
        {"delphes", ForeignFormat::delphes},
        {"fasttracker", ForeignFormat::fasttracker},
        {"slac", ForeignFormat::slac},
        {"corryvreckan", ForeignFormat::corryvreckan},
        {"tklayout", ForeignFormat::tklayout},
        {"acts", ForeignFormat::acts},
        {"modules", ForeignFormat::modules},
    }};

std::string_view to_string(ForeignFormat format);

struct ImportOptions {
  std::optional<ForeignFormat> format;  ///< none: detected from the content
  std::optional<double> tesla;          ///< solenoid field; overrides the file
  std::string name;                     ///< empty: from the name of the file
  /// CSV of what the file does not have: pitches and material by section for
  /// tkLayout, errors by volume for ACTS; empty: none.
  std::string table;
};

/// A detector file and the warnings of the conversion.
struct Imported {
  std::string text;  ///< of the detector file; valid
  ForeignFormat format = ForeignFormat::delphes;
  std::size_t rows = 0;    ///< layers in the file that was read
  std::size_t layers = 0;  ///< entries in the detector file
  Diagnostics notes;  ///< warnings: missing counterparts, suspicious values
};

/// Reads `path` ("-": standard input). Throws InputError with all errors, with
/// locations in that file.
///
/// Source of the formats: Delphes [Delphes26]
/// external/TrackCovariance/SolGeom.cc; O2Physics [FastTracker26]
/// ALICE3/Core/FastTracker.cxx; slaclab/TrackingResolution [SLAC24]
/// trackingerror.py; Corryvreckan's manual [Corryvreckan21], "Detector
/// configuration"; ACTS [ACTS26] Plugins/Json.
Imported import_detector(const std::string& path,
                         const ImportOptions& options = {});

/// The same for text; messages use `name` as the file name.
Imported import_text(const std::string& text, const std::string& name,
                     const ImportOptions& options = {});

}  // namespace gttf
