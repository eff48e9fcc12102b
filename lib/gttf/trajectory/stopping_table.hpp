// SPDX-License-Identifier: Apache-2.0
// StoppingTable: a stopping power as polynomials, for many tracks at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/stopping_piece.hpp"

namespace gttf::detail {

/// The stopping power of a slab's medium for a particle of some mass and unit
/// charge; of electrons and positrons, of which the sign matters, with their
/// radiation. Ranges of kinetic energies, four in each factor of two, are
/// filled when they are first used; in a range in which the formula of the
/// density effect changes there are two pieces.
///
/// Relative error: below 1e-11.
class StoppingTable {
 public:
  /// @param charge  of which the sign is used
  StoppingTable(const LossSlab& slab, double mass, double charge);
  /// 1, at any energy: of a loss that is given, per part of it.
  static StoppingTable of_given_loss();

  /// The piece for a kinetic energy, GeV; NaN if there is none.
  const StoppingPiece& at(double kinetic) {
    // ranges begin at the numbers of two more bits than the exponent
    const std::size_t i =
        static_cast<std::size_t>(std::bit_cast<std::uint64_t>(kinetic) >> 50) -
        first_range;
    if (i >= n_ranges) return none_;
    Range& range = ranges_[i];
    if (!range.is_filled) fill(i);
    return range.pieces[kinetic >= range.split ? 1 : 0];
  }

 private:
  StoppingTable();

  struct Range {
    StoppingPiece pieces[2];
    double split;  ///< between the pieces, GeV
    bool is_filled = false;
  };
  // 1 keV to 1 PeV
  static constexpr std::size_t first_range =
      std::bit_cast<std::uint64_t>(0x1p-20) >> 50;
  static constexpr std::size_t n_ranges =
      (std::bit_cast<std::uint64_t>(0x1p20) >> 50) - first_range;

  void fill(std::size_t i);
  StoppingPiece piece(double from, double to, double lowest) const;

  LossSlab slab_;
  Projectile particle_{};
  StoppingPiece none_;
  std::vector<double> breaks_;  ///< kinetic energies where formulas change
  std::vector<Range> ranges_;
};

}  // namespace gttf::detail
