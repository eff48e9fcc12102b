// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/least_quantity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "gttf/study/optimise/layer_choice.hpp"
#include "gttf/study/optimise/least_value.hpp"
#include "gttf/study/optimise/search.hpp"

namespace gttf {
namespace {

constexpr double largest = std::numeric_limits<double>::infinity();

class QuantityOfDesigns {
 public:
  QuantityOfDesigns(const OptimisationProblem& problem, std::size_t quantity)
      : problem_(problem),
        terms_(problem.quantities[quantity].terms),
        space_(problem.space) {
    for (const DesignChoice& choice : problem.choices)
      if (choice.layers.empty()) {
        OptimisationProblem one = problem;
        one.choices = {choice};
        options_.push_back(combinations_of(one));
      } else {
        add_layers(choice);
      }
  }

  double least() {
    std::vector<std::size_t> places(space_.size(), places_in_range),
        at = places;
    for (const auto& list : options_) places.push_back(list.size());
    at.resize(places.size(), 0);
    if (places.empty()) return value(space_.start_values());
    return least_value(std::move(at), places,
                       [this](const std::vector<std::size_t>& now) {
                         return value(design(now));
                       });
  }

 private:
  /// Layers of which some are taken.
  struct Layers {
    std::size_t least, most;
    std::vector<std::vector<std::size_t>> terms;  ///< of each entry
  };

  void add_layers(const DesignChoice& choice) {
    Layers& layers =
        layers_.emplace_back(Layers{choice.least, choice.most, {}});
    is_chosen_.resize(terms_.size(), 0);
    for (const std::string& name : choice.layers) {
      const auto of_entry = layers_of_entry(problem_.input.detector, name);
      std::vector<std::size_t>& terms = layers.terms.emplace_back();
      for (std::size_t t = 0; t < terms_.size(); ++t)
        if (std::ranges::any_of(
                terms_[t].inputs, [&](const FormulaInput& input) {
                  return std::ranges::count(of_entry, input.layer) > 0;
                })) {
          terms.push_back(t);
          is_chosen_[t] = 1;
        }
    }
  }

  /// Sets the options; returns the values of the variables.
  std::vector<double> design(const std::vector<std::size_t>& at) {
    std::vector<double> x;
    for (const DesignVariable& v : space_.variables)
      x.push_back(value_at_place(v, at[x.size()]));
    if (options_.empty()) return x;
    space_.start = problem_.space.start;
    space_.prices = problem_.space.prices;
    for (std::size_t c = 0; c < options_.size(); ++c) {
      const Combination& option = options_[c][at[x.size() + c]];
      for (const auto& [number, value] : option.numbers)
        space_.start[number] = value;
      for (const auto& [layer, price] : option.prices)
        space_.prices[layer] = price;
    }
    return x;
  }

  double value(const std::vector<double>& x) const {
    const std::vector<double> list =
        space_.numbers<double>(std::span<const double>(x));
    if (!keeps_order(problem_, list)) return largest;
    std::vector<double> values;
    for (const DesignQuantity::Term& term : terms_) {
      values.push_back(space_.value<double>(term.formula, term.inputs, list));
      if (!std::isfinite(values.back())) return -largest;
    }
    double sum = 0;
    for (std::size_t t = 0; t < values.size(); ++t)
      if (is_chosen_.empty() || is_chosen_[t] == 0) sum += values[t];
    for (const Layers& layers : layers_) {
      std::vector<double> of_entries;
      for (const auto& terms : layers.terms) {
        of_entries.push_back(0);
        for (const std::size_t t : terms) of_entries.back() += values[t];
      }
      std::ranges::sort(of_entries);
      for (std::size_t i = 0; i < of_entries.size() && i < layers.most; ++i)
        if (i < layers.least || of_entries[i] < 0) sum += of_entries[i];
    }
    return sum;
  }

  const OptimisationProblem& problem_;
  const std::vector<DesignQuantity::Term>& terms_;
  DesignSpace space_;
  std::vector<std::vector<Combination>> options_;  ///< of each choice of them
  std::vector<Layers> layers_;                     ///< of each choice of layers
  std::vector<char> is_chosen_;  ///< terms of layers to choose; empty: none
};

}  // namespace

bool keeps_order(const OptimisationProblem& problem,
                 const std::vector<double>& numbers) {
  return std::ranges::all_of(problem.gaps,
                             [&](const Gap& g) {
                               return numbers[g.outer] - numbers[g.inner] >=
                                      g.min;
                             }) &&
         std::ranges::all_of(problem.envelopes, [&](const Envelope& e) {
           return e.of_choice || (e.is_upper ? numbers[e.number] <= e.bound
                                             : numbers[e.number] >= e.bound);
         });
}

double least_quantity(const OptimisationProblem& problem,
                      std::size_t quantity) {
  return QuantityOfDesigns(problem, quantity).least();
}

}  // namespace gttf
