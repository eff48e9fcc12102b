// SPDX-License-Identifier: Apache-2.0
// LossTables: the slabs of layers and the stopping powers of their media, for
// the kernels.
#pragma once

#include <span>
#include <vector>

#include "gttf/resolution/batch_loss.hpp"
#include "gttf/trajectory/stopping_table.hpp"

namespace gttf::detail {

/// The slabs of all layers, and the stopping powers of their media for
/// particles of one kind. Tables are filled when they are used: one object for
/// each thread.
class LossTables {
 public:
  /// @param layers  of each; not referred to afterwards
  LossTables(std::span<const std::span<const LossSlab>> layers,
             const Projectile& particle, EnergyLoss model);
  LossTables(const LossTables&) = delete;
  LossTables& operator=(const LossTables&) = delete;

  const BatchLoss& view() const { return view_; }

 private:
  std::vector<std::size_t> first_;
  std::vector<BatchSlab> slabs_;
  std::vector<StoppingTable> tables_;
  BatchLoss view_;
};

}  // namespace gttf::detail
