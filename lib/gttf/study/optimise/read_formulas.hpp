// SPDX-License-Identifier: Apache-2.0
// FormulaReader: formulas of the numbers of a design, and keys that follow
// others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gttf/config/formula.hpp"
#include "gttf/config/reader.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/study/optimise/design_space.hpp"
#include "gttf/study/optimise/key_probe.hpp"

namespace gttf::detail {

/// Reads formulas of one description. Errors are reported at the values.
class FormulaReader {
 public:
  /// @param space  gets followers, and the keys that formulas name
  /// @param only_linear  as for KeyProbe
  FormulaReader(const DetectorInput& input, DesignSpace& space,
                Diagnostics& diagnostics, bool only_linear);

  /// Names of the layers in the order of the file.
  const std::vector<std::string>& entries() const { return entries_; }
  /// Indices in Detector::layers of an entry, or of one surface of it.
  std::vector<std::size_t> layers_of(const std::string& entry) const;
  /// The value of a key in the description; or null.
  const Node* find(const std::string& key);
  /// Reports a key that sets a number which another one sets, too.
  bool is_free(const DesignKey& key, const Value& place) const;
  /// Reports a key whose value in the description is not a number.
  bool check_number(const std::string& key, const Value& place);
  const KeyProbe& probe() const { return probe_; }
  /// The index of a key that is read and need not vary, in DesignSpace::keys;
  /// nothing if it has no value in the description.
  std::optional<std::size_t> key_for_reading(const std::string& key);

  /// @param layer   whose quantities have names in the formula; none: of no
  ///                layer
  /// @param inputs  of the variables of the formula
  /// @param powers  dimension of the result; any if not given
  std::optional<Formula> read(const Value& value, std::size_t layer,
                              std::vector<FormulaInput>& inputs,
                              std::optional<Powers> powers);

  /// `{ 'layers[L0..L6].cylinder.half_length': radius / tan(40 deg) }`: adds
  /// followers, each after those that it depends on. Keys that vary must be in
  /// the space.
  void read_follow(const Value& value);

 private:
  /// Nothing if the formula names a key that has no number; an error.
  std::optional<FormulaRules> rules_for(const Value& value, std::size_t layer,
                                        std::vector<FormulaInput>& inputs);
  /// @param place  of the key in a formula
  void explain_unknown_key(const std::string& key, const Value& place);
  std::optional<Follower> read_follower(const std::string& key,
                                        const Value& name, const Value& value);
  /// Whether a follower depends on a number set by another one.
  bool needs(const Follower& a, const Follower& b) const;
  void add_in_order(std::vector<Follower> list);

  const DetectorInput& input_;
  DesignSpace& space_;
  Diagnostics& diagnostics_;
  KeyProbe probe_;
  std::vector<std::string> entries_;
  std::vector<std::string> entry_of_layer_;  ///< of each surface
  std::vector<std::size_t> read_keys_;       ///< only read by formulas
  std::optional<Node> description_;
};

}  // namespace gttf::detail
