// SPDX-License-Identifier: Apache-2.0
// ToyRows: single toys as rows of a table.
#pragma once

#include <cstdint>
#include <string>

#include "gttf/core/document.hpp"
#include "gttf/core/table.hpp"
#include "gttf/fit/global_fit.hpp"

namespace gttf {

/// Toys of one point; columns as in docs/reference/toys.md.
class ToyRows {
 public:
  /// @param expected  the row of the point, see ToyPoint
  explicit ToyRows(const Document& expected);

  void add(std::uint64_t toy, const std::string& fit_name, const GlobalFit& fit,
           const Vector5& truth);
  /// A toy that left the layers of the reference track; nothing was fitted.
  void add_missed(std::uint64_t toy);

  Table take() &&;

 private:
  static constexpr std::size_t n_numbers = 16;

  std::string detector_;
  double p_ = 0, theta_deg_ = 0;
  Texts fit_, status_;
  Integers toy_, ndf_;
  std::array<Reals, n_numbers> numbers_;
};

}  // namespace gttf
