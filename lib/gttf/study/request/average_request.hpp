// SPDX-License-Identifier: Apache-2.0
// AverageRequest: the variables over which results of a study are averaged.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/reader.hpp"

namespace gttf {

/// Averages are always over the patterns of hits given by the efficiencies, and
/// over these:
struct AverageRequest {
  bool phi = false;        ///< all azimuths of the track
  bool vertex = false;     ///< starts in the luminous region
  std::size_t tracks = 0;  ///< of a sample, if one is needed; 0: the default

  friend bool operator==(const AverageRequest&,
                         const AverageRequest&) = default;
};

/// "phi, vertex and hits"
std::string to_string(const AverageRequest& average);

/// Default number of tracks of a sample: for azimuths only, for anything else;
/// and the maximum.
inline constexpr std::size_t usual_azimuths = 64, usual_sample = 256,
                             most_sample = 100'000;

}  // namespace gttf

namespace gttf::detail {

/// `phi`, `[phi, vertex]`, `{ over: [phi, vertex], tracks: 256 }` or `off`;
/// nothing for `off` or after an error.
std::optional<AverageRequest> read_average(const Value& value);

/// The option --average: `phi,vertex:256` as a node for
/// read_average().
Node average_option(const std::string& text, Diagnostics& diagnostics);

}  // namespace gttf::detail
