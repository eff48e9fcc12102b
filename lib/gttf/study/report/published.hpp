// SPDX-License-Identifier: Apache-2.0
// Published resolutions for comparison: detectors/published.csv.
#pragma once

#include <string>
#include <vector>

#include "gttf/resolution/parameter.hpp"

namespace gttf {

/// A published number for a track, at 90 deg unless a pseudorapidity is
/// given.
struct Published {
  std::string detector;  ///< name of the description file without extension
  double momentum = 0;   ///< GeV; at 90 deg p and pT are the same
  bool is_pt = true;     ///< `momentum` is pT
  double eta = 0;
  Parameter parameter = Parameter::pt;
  double sigma = 0;  ///< native units, relative for p and pt
  std::string source, condition;
};

/// Reads the columns detector, track ("pt=1", "p=1", "pt=1;eta=1.7"; GeV),
/// column
/// ("sigma_d0_um" and others of scan), value, unit, source, condition; others
/// are ignored. Throws InputError with all errors.
std::vector<Published> read_published(const std::string& path);

/// Published numbers of a detector, whose file is FOLDER/NAME.yaml.
std::vector<Published> published_of(const std::vector<Published>& all,
                                    const std::string& detector_file);

}  // namespace gttf
