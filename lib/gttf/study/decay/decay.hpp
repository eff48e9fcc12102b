// SPDX-License-Identifier: Apache-2.0
// Decay: mass, vertex and recoil resolution of a decaying particle, from the
// covariances of its products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gttf/core/columns.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/trajectory/decay_chain.hpp"

namespace gttf {

/// A collision at rest, in which something recoils against the decay.
struct Collision {
  double sqrt_s = 0;        ///< centre-of-mass energy, GeV
  double sigma_sqrt_s = 0;  ///< its standard deviation, GeV
};

struct DecayOptions {
  DecayParticle decay;
  /// Configurations of the products' directions for each point of the grid.
  std::size_t configurations = 256;
  std::optional<Collision> collision;
  /// Simulated decays for each point, to confirm the errors; 0: none.
  std::uint64_t toys = 0;
  Engine engine = Engine::streaming;
  unsigned threads = 0;  ///< 0: all cores; the result does not depend on it
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

/// Reads a decay given as an option; see parse_decay(). Throws InputError with
/// the location of the error.
DecayParticle read_decay(const std::string& text);

/// Names of the columns of decays().
std::vector<std::string> decay_column_names(bool recoil, bool toys);
/// The columns for the reference page.
std::vector<DescribedColumn> decay_columns();

/// One row for each momentum and angle of the decaying particle and each
/// detector. The particle of the request is ignored; its vertex is the decay
/// vertex.
///
/// Errors are root mean squares over the configurations, weighted by phase
/// space, in which all products have a resolution: the width of the combined
/// distribution of all such decays. The four-momentum of the products is that
/// of their tracks, or of tracks from one common vertex (fit_vertex()). Widths
/// of particles, and errors of a primary vertex, are not included.
/// @return  points of which at least one configuration is measured
std::size_t decays(const StudyRequest& request,
                   std::span<const Detector> detectors,
                   const DecayOptions& options, TableSink& sink);

}  // namespace gttf
