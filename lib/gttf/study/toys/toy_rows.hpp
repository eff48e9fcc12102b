// SPDX-License-Identifier: Apache-2.0
// ToyRows: single toys as rows of a table.
#pragma once

#include <cstdint>
#include <string>

#include "gttf/core/table.hpp"
#include "gttf/study/toys/toy_state.hpp"

namespace gttf {

/// Toys of one point; columns as in docs/reference/toys.md.
class ToyRows {
 public:
  /// @param at_plane  with columns for tracks along the beam, see ToyParameters
  ToyRows(const ToyPoint& point, bool at_plane);

  void add(std::uint64_t toy_number, const std::string& fit_name,
           const GlobalFit& fit, const ToyTrack& toy);
  void add(std::uint64_t toy_number, const std::string& fit_name,
           const FittedToys& toys, std::size_t i);
  /// A toy that left the layers of the reference track; nothing was fitted.
  void add_missed(std::uint64_t toy_number);

  Table take() &&;

 private:
  void add(std::uint64_t toy_number, const std::string& fit_name,
           const FittedToy& toy, FitStatus status, double chi2, int ndf);

  /// chi2; true, fitted and sigma of five parameters of the perigee and of four
  /// of the plane.
  static constexpr std::size_t n_numbers = 28;

  std::string detector_;
  double p_ = 0, theta_deg_ = 0;
  ToyParameters parameters_;
  bool at_plane_;
  Texts fit_, status_;
  Integers toy_, ndf_;
  std::array<Reals, n_numbers> numbers_;
};

}  // namespace gttf
