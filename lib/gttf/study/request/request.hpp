// SPDX-License-Identifier: Apache-2.0
// Request: the settings of a study, from a study file and command-line options.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/fit/track/beam_spot.hpp"
#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/study/request/average_request.hpp"
#include "gttf/study/request/design_variant.hpp"
#include "gttf/study/request/varied_key.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf {

/// Values of one axis of a scan, in the variable chosen by the user.
struct MomentumAxis {
  enum class Variable { p, pt };
  Variable variable = Variable::p;
  std::vector<double> values;  ///< GeV
  bool is_range = false;       ///< given as from, to, points
  bool is_linear = false;      ///< a range in equal steps, not equal ratios
};
struct AngleAxis {
  enum class Variable { theta, eta };
  Variable variable = Variable::theta;
  std::vector<double> values;  ///< rad for theta, 1 for eta
  bool is_range = false;       ///< given as from, to, points
};

/// Number of toys of every track, and the fits.
struct ToyRequest {
  std::uint64_t toys = 10000;
  std::uint64_t seed = 1;
  std::vector<FitChoice> fits = {FitChoice{}};
};

/// A layer at which position and direction of the track are requested.
struct AtRequest {
  std::string layer;
  bool own_hit = true;    ///< whether the hit of the layer itself is used
  Diagnostic place = {};  ///< of the request, for detectors without it
};

/// A grid of tracks through one or more detectors.
struct StudyRequest {
  std::vector<std::string> detectors;  ///< paths, resolved
  Particle particle;
  MomentumAxis momentum;
  AngleAxis angle;
  double phi = 0;                  ///< rad
  std::array<double, 3> vertex{};  ///< mm
  Scattering scattering = Scattering::highland;
  EnergyLoss energy_loss = EnergyLoss::off;
  /// Whether the study or an option gives each of the two, which then take
  /// precedence over the model of a detector.
  struct {
    bool scattering = false, energy_loss = false;
  } chosen;
  double turns = 0;                   ///< Model::turns
  std::optional<BeamSpot> beam_spot;  ///< off unless given
  std::optional<AtRequest> at;        ///< off unless given
  /// Results are averages, see scan_averages(); off unless given.
  std::optional<AverageRequest> average;
  /// Standard deviations of the vertices of tracks about `vertex` along x, y,
  /// z, mm; used if the vertex is averaged over.
  std::optional<std::array<double, 3>> luminous_region;
  ToyRequest toys;
  std::vector<VariedKey> vary;  ///< keys of the detector varied by a sweep
  /// Designs in addition to each detector; see read_designs().
  std::vector<DesignVariant> variants;
  std::string requirements;  ///< path of a file for a report; empty: none
  std::string file;          ///< the study file; empty if from options only
  std::string sha256;        ///< of the study file; empty if none
};

/// The same keys as text from the command line; unset ones are absent.
struct StudyOptions {
  std::vector<std::string> detectors;
  std::optional<std::string> particle, p, pt, theta, eta, phi, vertex, mass,
      charge, scattering, energy_loss, turns, beam_spot, at, average,
      luminous_region, toys, seed, fits;
  bool without_own_hit = false;
  std::vector<std::string> vary;  ///< each KEY=VALUES
};

/// Option before study file before default. `path` may be empty (options only)
/// or "-" (standard input). `single_point`: the request is for one track, so
/// momentum and angle must have exactly one value each.
/// Throws InputError with all errors.
StudyRequest read_request(const std::string& path, const StudyOptions& options,
                          bool single_point = false);

/// The options used by a fit of measured tracks: particle, vertex, beam spot,
/// scattering, and if given one momentum; no detectors.
/// Throws InputError with all errors.
StudyRequest read_fit_request(const StudyOptions& options);

/// The models for tracks in `detector`: chosen ones, else those of the
/// detector, else the defaults.
Scattering scattering_of(const StudyRequest& request, const Detector& detector);
EnergyLoss energy_loss_of(const StudyRequest& request,
                          const Detector& detector);

/// The size of the luminous region over which vertices are averaged: as given,
/// else that of the beam spot.
std::array<double, 3> luminous_region_of(const StudyRequest& request);

/// The request for a single `detector`: with the models above, as if chosen.
StudyRequest with_model_of(StudyRequest request, const Detector& detector);

/// theta [rad] of value `i` of the angle axis: eta = -ln tan(theta/2).
double theta_of(const AngleAxis& axis, std::size_t i);

/// -ln tan(theta/2); -infinity at theta = pi.
/// @param theta  rad, in [0, pi]
double eta_of(double theta);
/// 2 atan(exp(-eta)), rad.
double theta_at_eta(double eta);

}  // namespace gttf
