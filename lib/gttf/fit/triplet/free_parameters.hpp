// SPDX-License-Identifier: Apache-2.0
// FreeParameters: elimination of the unmeasured coordinates of a track.
#pragma once

#include <array>
#include <cstddef>

#include "gttf/fit/triplet/band_system.hpp"
#include "gttf/fit/triplet/reference_rows.hpp"

namespace gttf::detail {

/// The information of the kinks about parameters without a prior: the
/// unmeasured coordinates x, in units of their auxiliary standard deviation,
/// and kappa. With K^-1 = L D L^T and M = L^-1 (B, rho), it is M^T D^-1 M.
///
/// Hits are added from the outermost inwards, each with the triplet that it
/// starts. The rows of M of all further triplets depend on x only through the
/// last two rows and the coordinates of the last two hits, which are six
/// numbers. Of seven coordinates, one combination therefore appears in no
/// further row. It is eliminated, so that the cost of a hit is constant.
/// Source: docs/theory/global-fit.md, coordinates that are not measured
class FreeParameters {
 public:
  /// The errors of a segment whose covariance is needed.
  struct SegmentErrorColumns {
    std::size_t segment;
    /// L^-1 of them, of triplets 0 to segment + 1.
    const SegmentColumns<Wide>* columns;
  };

  /// @param rounding  a parameter is not determined if its information after
  ///   elimination of the others is at most this fraction of the information
  ///   before
  FreeParameters(const ReferenceRows& system, const KeptSteps<Wide>& steps,
                 bool fit_kappa, double rounding)
      : system_(&system),
        steps_(&steps),
        fit_kappa_(fit_kappa),
        rounding_(rounding) {}

  /// Adds hits end - 1 to begin, from the outermost inwards.
  /// @param errors  required for the hits of the segment and all further ones
  void add(std::size_t begin, std::size_t end,
           const SegmentErrorColumns* errors);

  /// Eliminates the remaining parameters, after the innermost hit.
  /// @return  whether all are determined
  bool finish();

  /// The covariance of the errors and, last, kappa that is due to the
  /// parameters. Requires finish().
  WideBlock<n_errors + 1, n_errors + 1> covariance() const;

 private:
  /// Coordinates that further rows depend on.
  static constexpr int most = 6;
  /// Columns of the information: coordinates, kappa, functions.
  static constexpr int kappa = most + 1, first_function = kappa + 1,
                       n_columns = first_function + n_errors + 1;
  /// By the remaining coordinates.
  using Row = std::array<Wide, most + 1>;

  void add_coordinate(std::size_t hit, const SegmentErrorColumns* errors);
  void add_triplet(std::size_t triplet, const SegmentErrorColumns* errors);
  void separate_one();
  void eliminate(int column);
  void remove(int column);
  Wide& information(int i, int k) {
    return i < k ? information_[k][i] : information_[i][k];
  }

  const ReferenceRows* system_;
  const KeptSteps<Wide>* steps_;
  bool fit_kappa_;
  double rounding_;
  bool determined_ = true;
  int n_ = 0;       ///< remaining coordinates
  Row hits_[3];     ///< the coordinates of this hit and the next two
  Row rows_[2][2];  ///< of M, of this triplet and the next one
  Wide information_[n_columns][n_columns];  ///< lower triangle
  Wide before_[kappa + 1];                  ///< diagonal, without elimination
};

}  // namespace gttf::detail
