// SPDX-License-Identifier: Apache-2.0
// What a ToyBatch gives.
#pragma once

#include <vector>

#include "gttf/resolution/batch_toys.hpp"
#include "support/hit_list.hpp"

namespace gttf::test {

/// Space for n toys with this number of fits each.
struct ToyOutput {
  ToyOutput(std::size_t n, std::size_t n_fits)
      : missed(n), fits(n_fits, FitOutput(n)), truth(5 * n) {}

  BatchStatistics run(ToyBatch& batch, const RandomPlace& first) {
    std::vector<FitArrays> arrays;
    for (FitOutput& f : fits) arrays.push_back(f.all_views());
    return batch.run(first, {missed, arrays, truth});
  }

  std::vector<char> missed;
  std::vector<FitOutput> fits;
  std::vector<double> truth;
};

}  // namespace gttf::test
