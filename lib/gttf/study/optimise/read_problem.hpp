// SPDX-License-Identifier: Apache-2.0
// Reads an optimisation: what may change, what is wanted, what has to be kept.
#pragma once

#include <span>
#include <string>

#include "gttf/study/optimise/problem.hpp"

namespace gttf {

/// Reads `path` ("-": standard input). `overrides`: changes of the detector
/// before anything else. `warnings` are added to. Throws InputError with
/// everything that is wrong.
OptimisationProblem read_problem(const std::string& path,
                                 std::span<const std::string> overrides,
                                 const BaselineLoader& load,
                                 Diagnostics& warnings);

}  // namespace gttf

// The keys of a description, and what they do to its numbers.
namespace gttf::detail {

/// Names the entries of `layers` that a selector means: "L0", "L0..L6", "L*",
/// "L1,L3", "*", "a:b". Faults are reported at `value`.
std::vector<std::string> selected_entries(const std::string& selector,
                                          const std::vector<std::string>& all,
                                          const Value& value);

/// The keys that a key with a selector of layers stands for.
std::vector<std::string> selected_keys(const std::string& pattern,
                                       const std::vector<std::string>& entries,
                                       const Value& value);

/// What the value of a key measures.
Dimension dimension_of_key(const std::string& key);

/// "22.4 mm": a value in the unit that --set takes.
std::string text_of_value(double value, Dimension dimension);

/// A value as it is written within brackets, as --set takes it.
std::string flow_text(const Node& node);

/// Finds what keys do: the description is read with two values of each.
class KeyProbe {
 public:
  KeyProbe(const DetectorInput& input, const DesignNumbers& design)
      : input_(input),
        design_(design),
        description_(input.text, input.detector.file) {}

  /// @param from, to  values at which the description can be read
  /// @return  nothing after an error was reported at `value`
  std::optional<DesignKey> probe(const std::string& key, double from, double to,
                                 const Value& value) const;

 private:
  std::optional<std::vector<double>> numbers_at(const std::string& key,
                                                Dimension dimension, double x,
                                                bool report,
                                                const Value& value) const;

  const DetectorInput& input_;
  const DesignNumbers& design_;
  DetectorDescription description_;
};

}  // namespace gttf::detail
