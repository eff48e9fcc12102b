// SPDX-License-Identifier: Apache-2.0
// Reads the keys of a study that are about toys.
#pragma once

#include <optional>

#include "gttf/config/reader.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf::detail {

/// The values given, option before file; absent ones leave the default.
struct ToyKeys {
  std::optional<Value> toys, seed, fits;
};

void read_toys(const ToyKeys& keys, ToyRequest& request);

}  // namespace gttf::detail
