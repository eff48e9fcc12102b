// SPDX-License-Identifier: Apache-2.0
// DesignSpace: maps the variables of a search to the numbers of the detector.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/formula.hpp"
#include "gttf/study/optimise/design_numbers.hpp"

namespace gttf {

/// A number that changes with the value of a key.
struct NumberSlope {
  std::size_t number = 0;
  double slope = 0;  ///< per native unit of the key
};

/// A key as for --set, and its effect on the numbers: it adds slope (value -
/// start) to each.
struct DesignKey {
  std::string key;
  Dimension dimension = Dimension::length;
  double start = 0;  ///< native units; value in the description
  /// The first one depends on no other key.
  std::vector<NumberSlope> numbers;

  bool changes(std::size_t number) const {
    return std::ranges::count(numbers, number, &NumberSlope::number) > 0;
  }
};

/// A variable of a search: one key, several keys set to one value, or several
/// multiplied by one factor.
struct DesignVariable {
  std::string name;
  std::vector<std::size_t> keys;
  bool is_factor = false;
  double from = 0, to = 0, start = 0;  ///< native units
  std::string unit;                    ///< of results; empty: a number
  double unit_value = 1;               ///< that unit in native ones
  /// Whether equal steps of the solver are equal ratios: errors of hits act by
  /// their inverse squares, over ranges of several orders of magnitude.
  bool is_logarithmic = false;
  Diagnostic place;

  /// Whether a value is within the range, except for rounding.
  bool contains(double x) const {
    const double rounding = 1e-9 * (to - from);
    return x >= from - rounding && x <= to + rounding;
  }

  /// Between native units and the scale of the solver: 0 at `from`, 1 at `to`.
  double scaled(double x) const {
    return is_logarithmic ? std::log(x / from) / std::log(to / from)
                          : (x - from) / (to - from);
  }
  double natural(double share) const {
    if (share >= 1) return to;  // the bounds are exact
    if (share <= 0) return from;
    return is_logarithmic ? from * std::pow(to / from, share)
                          : from + share * (to - from);
  }
  /// The derivative of natural() at x in native units.
  double span_at(double x) const {
    return is_logarithmic ? x * std::log(to / from) : to - from;
  }
};

/// Meaning of a name in a formula: a quantity of a layer, or a key.
struct FormulaInput {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t key = none;    ///< index, or
  std::size_t layer = none;  ///< index in Detector::layers; none: not used
  LayerQuantity quantity = LayerQuantity::position;
};

/// A key whose value is a formula of others.
struct Follower {
  std::size_t key = 0;
  Formula formula;
  std::vector<FormulaInput> inputs;  ///< of the variables of the formula
  Diagnostic place;
};

/// The design as a function of its variables. Formulas are ordered so that each
/// depends only on previous ones.
struct DesignSpace {
  DesignNumbers design;  ///< as in the description
  /// The numbers where each key has its DesignKey::start.
  std::vector<double> described;
  std::vector<double> start;  ///< the same, but for what options set
  std::vector<DesignKey> keys;
  std::vector<DesignVariable> variables;
  std::vector<Follower> followers;
  std::vector<double> prices;  ///< of each layer

  explicit DesignSpace(Detector detector)
      : design(std::move(detector)),
        described(design.values()),
        start(described),
        prices(design.detector().layers.size(), 0.0) {}

  /// Makes room for the coordinates and slabs of an option.
  /// @pre no keys
  void include(const Detector& option) {
    design.include(option);
    described = start = design.values();
  }

  std::size_t size() const { return variables.size(); }
  std::vector<double> start_values() const {
    std::vector<double> x;
    for (const DesignVariable& v : variables) x.push_back(v.start);
    return x;
  }

  /// All numbers of the detector, S being double or Dual.
  template <class S>
  std::vector<S> numbers(std::span<const S> x) const {
    std::vector<S> list(start.begin(), start.end());
    for (std::size_t i = 0; i < variables.size(); ++i)
      for (const std::size_t k : variables[i].keys)
        set_key(keys[k],
                variables[i].is_factor ? S(keys[k].start) * x[i] : x[i], list);
    for (const Follower& f : followers)
      set_key(keys[f.key], value<S>(f.formula, f.inputs, list), list);
    return list;
  }

  /// The value of a formula for these numbers.
  template <class S>
  S value(const Formula& formula, std::span<const FormulaInput> inputs,
          const std::vector<S>& list) const {
    std::vector<S> variables_of_formula;
    for (const FormulaInput& input : inputs)
      variables_of_formula.push_back(value<S>(input, list));
    return formula.value<S>(variables_of_formula);
  }

  /// The value of a key that gives these numbers, native units.
  template <class S>
  S key_value(const DesignKey& key, const std::vector<S>& list) const {
    const NumberSlope& n = key.numbers.front();
    return S(key.start) +
           (list[n.number] - S(described[n.number])) / S(n.slope);
  }

 private:
  template <class S>
  void set_key(const DesignKey& key, const S& value,
               std::vector<S>& list) const {
    for (const NumberSlope& n : key.numbers)
      list[n.number] += S(n.slope) * (value - S(key.start));
  }

  template <class S>
  S value(const FormulaInput& input, const std::vector<S>& list) const {
    if (input.key != FormulaInput::none)
      return key_value(keys[input.key], list);
    if (input.layer == FormulaInput::none) return S(0);
    if (input.quantity == LayerQuantity::price) return S(prices[input.layer]);
    return layer_quantity<S>(design, input.layer, input.quantity, list);
  }
};

}  // namespace gttf
