// SPDX-License-Identifier: Apache-2.0
// Decay chains: what decays into what, and random configurations of momenta.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/track_parameters.hpp"

namespace gttf {

/// A particle of a decay chain, with its products.
struct DecayParticle {
  std::string name;                          ///< as written
  double mass = 0;                           ///< GeV
  double charge = 0;                         ///< e
  std::vector<DecayParticle> products = {};  ///< empty: it is measured
};

/// Why a text is not a decay, and what to write instead.
struct DecayError {
  std::string problem, suggestion;
  std::size_t position = 0;  ///< of the faulty part in the text
};

/// Reads "B_s0 -> mu+ mu-", "D_s+ -> (phi -> K+ K-) pi+" or
/// "X[50 GeV] -> pi+ pi- K+": a particle, an arrow and at least two products,
/// each a charged particle of find_particle() or a decay in parentheses. Masses
/// of unstable particles are those of [PDG24], widths are neglected; a mass in
/// brackets overrides them.
/// @return  nothing if the text is faulty, with the reason in `error`: unknown
///          or neutral products, charge not conserved, products heavier than
///          their parent
std::optional<DecayParticle> parse_decay(std::string_view text,
                                         DecayError& error);

/// The same as text, with single spaces.
std::string to_string(const DecayParticle& decay);

/// Names of unstable particles whose mass is known, for messages.
std::vector<std::string> unstable_names();

/// The particles that are measured, in the order of the text.
std::vector<const DecayParticle*> measured_products(const DecayParticle& decay);

/// Momenta of the measured products, in the order of measured_products().
struct DecayConfiguration {
  std::vector<Vector3> momenta;  ///< GeV
  /// Relative probability among configurations from uniform numbers.
  double weight = 1;
};

/// Number of uniform numbers for a configuration: two angles for each two-body
/// step, and for decays to n > 2 bodies the n - 2 masses of the remaining
/// systems.
std::size_t decay_dimensions(const DecayParticle& decay);

/// The configuration of these numbers: every decay is isotropic in the rest
/// frame of its parent and follows phase space, polarisation and matrix
/// elements are left out.
/// @param momentum  of the parent, GeV
/// @param uniform   decay_dimensions() numbers in [0, 1)
/// Source: phase space of n > 2 bodies as nested two-body decays with the
///         product of their break-up momenta as weight [Byckling73]
DecayConfiguration decay_configuration(const DecayParticle& decay,
                                       const Vector3& momentum,
                                       std::span<const double> uniform);

/// Point `index` of an even sequence in the unit cube: coordinate j is
/// frac(1/2 + (index + 1) g^-(j + 1)), g > 1 the root of g^(d + 1) = g + 1.
/// Source: [Roberts18], the generalised golden ratio
void even_point(std::size_t index, std::span<double> point);

}  // namespace gttf
