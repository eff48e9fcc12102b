// SPDX-License-Identifier: Apache-2.0
// DesignSampler: random designs that keep the gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// Designs within the bounds of the variables. Layers with a fixed order are
/// sorted and moved apart as far as their gaps require.
class DesignSampler {
 public:
  explicit DesignSampler(const DesignProgram& program);

  /// A function of the seed of the problem and of `index` only.
  std::vector<double> design(std::uint64_t index) const;

  /// The design x with one of its layers in another cluster: of layers with a
  /// fixed order as close as their gaps allow. One for each pair of clusters of
  /// which at least one has several layers.
  std::vector<std::vector<double>> exchanged(
      const std::vector<double>& x) const;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Chain {
    std::vector<std::size_t> variables;
    std::vector<double> gaps;
  };

  void put_in_order(const Chain& chain, std::vector<double>& x) const;
  /// Positions in a chain of the first layer of each cluster, and its end.
  std::vector<std::size_t> clusters(const Chain& chain,
                                    const std::vector<double>& x) const;

  const OptimisationProblem& problem_;
  const DesignSpace& space_;
  std::vector<Chain> chains_;
};

}  // namespace gttf
