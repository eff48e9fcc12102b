// SPDX-License-Identifier: Apache-2.0
// The models of scattering and energy loss, and the choice of a detector.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace gttf {

/// Multiple-scattering model, see docs/reference/language.md.
enum class Scattering { highland, highland_total, highland_1991, rossi, off };

/// Energy-loss model.
enum class EnergyLoss {
  off,
  mean,        ///< mean loss: the curvature changes from layer to layer
  straggling,  ///< mean loss, and its fluctuations as errors of the fit: their
               ///< core, half the width of the central 68 %
  straggling_variance,  ///< the same with the full variance, with tails
};

/// Whether the fit includes fluctuations of the loss as errors.
constexpr bool straggles(EnergyLoss model) {
  return model == EnergyLoss::straggling ||
         model == EnergyLoss::straggling_variance;
}

/// Their names in files and options, in the order of the enumerators.
inline constexpr std::array<std::string_view, 5> scattering_names{
    "highland", "highland-total", "highland-1991", "rossi", "off"};
inline constexpr std::array<std::string_view, 4> energy_loss_names{
    "off", "mean", "straggling", "straggling-variance"};

/// The models selected by `model:` in a detector file; studies and options take
/// precedence.
struct PhysicsModel {
  std::optional<Scattering> scattering;
  std::optional<EnergyLoss> energy_loss;
};

}  // namespace gttf
