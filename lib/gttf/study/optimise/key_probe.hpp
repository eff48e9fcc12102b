// SPDX-License-Identifier: Apache-2.0
// The keys of a description, and their effect on its numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gttf/config/quantity.hpp"
#include "gttf/config/reader.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/study/optimise/design_space.hpp"

namespace gttf::detail {

/// Names of the entries of `layers` matched by a selector: "L0", "L0..L6",
/// "L*", "L1,L3", "*", "a:b". Errors are reported at `value`.
std::vector<std::string> selected_entries(const std::string& selector,
                                          const std::vector<std::string>& all,
                                          const Value& value);

/// Expands a key with a selector of layers.
std::vector<std::string> selected_keys(const std::string& pattern,
                                       const std::vector<std::string>& entries,
                                       const Value& value);

/// "B[2]" of "layers[B[2]].cylinder.radius"; empty for other keys.
std::string layer_of_key(const std::string& key);

/// Whether a key can be written into the file: not that of one surface of a
/// repeated layer. Otherwise an error is reported.
bool check_entry(const std::string& key,
                 const std::vector<std::string>& entries, const Value& value);

/// Dimension of the value of a key.
Dimension dimension_of_key(const std::string& key);

/// "22.4 mm": a value in the unit used by --set.
std::string text_of_value(double value, Dimension dimension);

/// A value in flow style, as for --set.
std::string flow_text(const Node& node);

/// Effect of keys, from reading the description with two values of each.
class KeyProbe {
 public:
  /// @param only_linear  refuse keys in which the numbers are not linear; else
  ///                     a line through both ends is used
  KeyProbe(const DetectorInput& input, const DesignNumbers& design,
           bool only_linear)
      : input_(input),
        design_(design),
        only_linear_(only_linear),
        description_(input.text, input.detector.file) {}

  /// A range for the value of a key.
  struct Range {
    double from = 0, to = 0;  ///< native units
    /// As written by the user; empty: in the unit of --set.
    std::string from_text = {}, to_text = {};
  };

  /// @param range  values at which the description can be read
  /// @return  nothing after an error was reported at `value`
  std::optional<DesignKey> probe(const std::string& key, const Range& range,
                                 const Value& value) const;

  /// Whether two keys may be set together: they share no number or, like the
  /// radii of the first and the last copy of a layer, the effects on those that
  /// they share add up.
  bool are_independent(const DesignKey& a, const DesignKey& b) const;

 private:
  /// Reports why a key that changes more than numbers cannot vary.
  void explain_change(const std::string& key, const std::string& override_text,
                      const Detector& changed, const Value& value) const;
  std::optional<std::vector<double>> numbers_at(const std::string& key,
                                                const std::string& text,
                                                bool report,
                                                const Value& value) const;

  const DetectorInput& input_;
  const DesignNumbers& design_;
  bool only_linear_;
  DetectorDescription description_;
};

}  // namespace gttf::detail
