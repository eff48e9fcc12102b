// SPDX-License-Identifier: Apache-2.0
// DesignVariant: some keys of a detector changed, under a name.
#pragma once

#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"

namespace gttf {

class Value;

/// A change of a key, as by --set, and its location.
struct DesignVariantKey {
  std::string text;       ///< "layers[L0].material=0.1 %"
  Diagnostic place = {};  ///< in the study file
};

struct DesignVariant {
  std::string name;
  std::vector<DesignVariantKey> keys;  ///< including the model of tracks

  std::vector<std::string> texts() const;
};

/// `[{ name: thin, set: { "layers[L0].material": 0.1 % } }, { name: Rossi,
/// scattering: rossi, energy_loss: mean }]`. Errors are reported: no name, a
/// duplicate name, a variant that changes nothing, an unknown model.
std::vector<DesignVariant> read_variants(const Value& value);

}  // namespace gttf
