// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/layer_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "gttf/config/text.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/detector/surface_overlap.hpp"
#include "gttf/study/optimise/least_quantity.hpp"
#include "gttf/study/optimise/least_value.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf {
namespace {

using detail::same_place;

void report(Diagnostic place, std::string problem, std::string suggestion,
            Diagnostics& diagnostics) {
  place.problem = std::move(problem);
  place.suggestion = std::move(suggestion);
  diagnostics.add(std::move(place));
}

/// What the numbers of a design depend on, and their ranges in all designs.
class NumberRanges {
 public:
  /// Indices of variables, then of choices.
  using Inputs = std::vector<std::size_t>;

  explicit NumberRanges(const OptimisationProblem& problem)
      : problem_(problem),
        space_(problem.space),
        inputs_(space_.start.size()),
        places_(space_.start.size(), nullptr) {
    for (std::size_t v = 0; v < space_.size(); ++v)
      for (const std::size_t k : space_.variables[v].keys)
        for (const NumberSlope& n : space_.keys[k].numbers)
          add(n.number, {v}, space_.variables[v].place);
    for (std::size_t c = 0; c < problem.choices.size(); ++c)
      for (const ChoiceOption& option : problem.choices[c].options)
        for (const auto& [number, value] : option.numbers)
          add(number, {space_.size() + c}, problem.choices[c].place);
    // each formula depends only on previous ones
    for (const Follower& f : space_.followers) {
      const Inputs all = inputs_of(f);
      for (const NumberSlope& n : space_.keys[f.key].numbers)
        add(n.number, all, f.place);
    }
  }

  const Inputs& inputs(std::size_t number) const { return inputs_[number]; }
  Inputs inputs(std::initializer_list<std::size_t> numbers) const {
    Inputs all;
    for (const std::size_t number : numbers)
      all.insert(all.end(), inputs_[number].begin(), inputs_[number].end());
    return without_repetition(std::move(all));
  }
  bool changes(std::size_t number) const { return !inputs_[number].empty(); }
  /// Of the variable, choice or formula that sets the number.
  const Diagnostic& place(std::size_t number) const { return *places_[number]; }

  /// The least and the largest value of a function of the numbers over the
  /// inputs, as least_value() has it.
  template <class F>
  Interval range(const Inputs& inputs, F&& value) {
    std::vector<std::size_t> places, at;
    for (const std::size_t i : inputs) {
      const bool varies = i < space_.size();
      places.push_back(
          varies ? places_in_range
                 : problem_.choices[i - space_.size()].options.size());
      at.push_back(varies ? places_in_range : 0);
    }
    const auto least = [&](double sign) {
      if (places.empty()) return sign * value(numbers(inputs, at));
      return least_value(at, places, [&](const std::vector<std::size_t>& now) {
        return sign * value(numbers(inputs, now));
      });
    };
    return {least(1), -least(-1)};
  }

  /// Calls f(variables, options) for all options of the choices among the
  /// inputs: range() is then that of the variables, with these options, whose
  /// names are given.
  template <class F>
  void for_all_options(const Inputs& inputs, F&& f) {
    constexpr double most = 4096;
    Inputs variables, choices;
    double n = 1;
    for (const std::size_t i : inputs) {
      (i < space_.size() ? variables : choices).push_back(i);
      if (i >= space_.size())
        n *= static_cast<double>(
            problem_.choices[i - space_.size()].options.size());
    }
    if (n > most) {  // as if choices were ranges
      f(inputs, std::string());
      return;
    }
    for (std::vector<std::size_t> at(choices.size(), 0);;) {
      fixed_.clear();
      std::string names;
      for (std::size_t i = 0; i < choices.size(); ++i) {
        const DesignChoice& choice =
            problem_.choices[choices[i] - space_.size()];
        fixed_.push_back(&choice.options[at[i]]);
        names += fmt::format("{}{} of {}", names.empty() ? "" : ", ",
                             in_quotes(choice.options[at[i]].name),
                             in_quotes(choice.name));
      }
      f(variables, names);
      std::size_t i = 0;
      while (i < at.size() &&
             ++at[i] ==
                 problem_.choices[choices[i] - space_.size()].options.size())
        at[i++] = 0;
      if (i == at.size()) break;
    }
    fixed_.clear();
  }

 private:
  static Inputs without_repetition(Inputs list) {
    std::ranges::sort(list);
    // clang 14 does not compile std::ranges::unique of this library
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  void add(std::size_t number, const Inputs& inputs, const Diagnostic& place) {
    if (inputs.empty()) return;
    Inputs& own = inputs_[number];
    own.insert(own.end(), inputs.begin(), inputs.end());
    own = without_repetition(std::move(own));
    if (places_[number] == nullptr) places_[number] = &place;
  }

  Inputs inputs_of(const Follower& f) const {
    Inputs all;
    const auto join = [&](std::size_t number) {
      all.insert(all.end(), inputs_[number].begin(), inputs_[number].end());
    };
    for (std::size_t i = 0; i < f.inputs.size(); ++i) {
      const FormulaInput& input = f.inputs[i];
      if (!f.formula.uses(i)) continue;
      if (input.key != FormulaInput::none)
        join(space_.keys[input.key].numbers.front().number);
      else if (input.layer != FormulaInput::none)
        for (std::size_t n = space_.design.first_of(input.layer);
             n < space_.design.end_of(input.layer); ++n)
          join(n);
    }
    return without_repetition(std::move(all));
  }

  std::vector<double> numbers(const Inputs& inputs,
                              const std::vector<std::size_t>& at) {
    std::vector<double> x = space_.start_values();
    std::vector<const ChoiceOption*> options = fixed_;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (inputs[i] < space_.size())
        x[inputs[i]] = value_at_place(space_.variables[inputs[i]], at[i]);
      else
        options.push_back(
            &problem_.choices[inputs[i] - space_.size()].options[at[i]]);
    space_.start = space_.described;
    for (const ChoiceOption* option : options)
      for (const auto& [number, value] : option->numbers)
        space_.start[number] = value;
    return space_.numbers<double>(std::span<const double>(x));
  }

  const OptimisationProblem& problem_;
  DesignSpace space_;
  std::vector<Inputs> inputs_;             ///< of each number
  std::vector<const Diagnostic*> places_;  ///< of each number that changes
  std::vector<const ChoiceOption*> fixed_;
};

/// The numbers of a surface.
struct SurfaceNumbers {
  std::size_t position;

  std::size_t lower(std::size_t axis) const { return position + 1 + 2 * axis; }
  std::size_t upper(std::size_t axis) const { return lower(axis) + 1; }
};

class LayerOrder {
 public:
  LayerOrder(OptimisationProblem& problem, Diagnostics& diagnostics)
      : problem_(problem),
        diagnostics_(diagnostics),
        ranges_(problem),
        layers_(problem.input.detector.layers),
        entries_(entry_names(problem.input.detector)) {
    for (std::string& entry : entries_) entry = name_in_file(entry);
    for (const Layer& layer : layers_)
      carriers_.push_back(carrier(layer.surface));
    is_moving_.resize(layers_.size(), 0);
    find_moving();
  }

  void check() {
    for (const Gap& gap : problem_.gaps)
      if (!check_gap(gap)) return;
    for (const std::size_t l : moving_)
      if (!check_edges(l)) return;
    for (const std::size_t l : moving_) keep_extent(l);
    keep_copies_apart();
    for (const std::size_t l : moving_)
      for (std::size_t other = 0; other < layers_.size(); ++other)
        if (!check_pair(l, other)) return;
  }

 private:
  SurfaceNumbers numbers_of(std::size_t layer) const {
    return {problem_.space.design.first_of(layer)};
  }
  const Surface& surface(std::size_t layer) const {
    return layers_[layer].surface;
  }

  bool moves(std::size_t layer) const { return is_moving_[layer] != 0; }
  bool has_edges_that_move(std::size_t layer) const {
    const SurfaceNumbers n = numbers_of(layer);
    for (const std::size_t axis : {0u, 1u})
      if (ranges_.changes(n.lower(axis)) || ranges_.changes(n.upper(axis)))
        return true;
    return false;
  }

  /// In the order of what moves them.
  void find_moving() {
    const DesignSpace& space = problem_.space;
    const auto add = [&](std::size_t number) {
      const DesignNumber& what = space.design[number];
      if ((what.kind == DesignNumber::Kind::position ||
           what.kind == DesignNumber::Kind::extent) &&
          ranges_.changes(number) && !moves(what.layer)) {
        moving_.push_back(what.layer);
        is_moving_[what.layer] = 1;
      }
    };
    const auto add_key = [&](std::size_t key) {
      for (const NumberSlope& n : space.keys[key].numbers) add(n.number);
    };
    for (const DesignVariable& v : space.variables)
      std::ranges::for_each(v.keys, add_key);
    for (const Follower& f : space.followers) add_key(f.key);
    for (const DesignChoice& choice : problem_.choices)
      for (const ChoiceOption& option : choice.options)
        for (const auto& [number, value] : option.numbers) add(number);
  }

  /// A function of the numbers, of designs within gaps and envelopes.
  template <class F>
  auto in_order(F value) const {
    return [this, value](const std::vector<double>& list) {
      return keeps_order(problem_, list)
                 ? value(list)
                 : std::numeric_limits<double>::quiet_NaN();
    };
  }

  /// The order of a gap must be possible.
  bool check_gap(const Gap& gap) {
    const Interval apart =
        distance(gap.inner, gap.outer, ranges_.inputs({gap.inner, gap.outer}));
    if (apart.upper >= -same_place) return true;
    const auto name = [&](std::size_t number) {
      return in_quotes(entries_[problem_.space.design[number].layer]);
    };
    report(
        gap.place,
        fmt::format("{} is never beyond {}", name(gap.outer), name(gap.inner)),
        "list the layers in the order of their positions", diagnostics_);
    return false;
  }

  /// A cylinder has a radius, and a disk no negative one.
  bool check_edges(std::size_t layer) {
    const Shape shape = surface(layer).shape;
    if (shape != Shape::cylinder && shape != Shape::disk) return true;
    const bool is_disk = shape == Shape::disk;
    const SurfaceNumbers n = numbers_of(layer);
    const std::size_t number = is_disk ? n.lower(1) : n.position;
    if (!ranges_.changes(number)) return true;
    const double least =
        ranges_
            .range(ranges_.inputs(number), in_order([number](const auto& list) {
                     return list[number];
                   }))
            .lower;
    if (is_disk ? least >= 0 : least > same_place) return true;
    report(ranges_.place(number),
           fmt::format("the {} of {} can be {:.6g} mm",
                       is_disk ? "inner radius" : "radius",
                       in_quotes(layers_[layer].name), least),
           is_disk ? "a radius must not be negative: write other bounds"
                   : "a radius must be positive: write other bounds",
           diagnostics_);
    return false;
  }

  void add_gap(std::string name, std::size_t inner, std::size_t outer) {
    problem_.gaps.push_back({std::move(name), inner, outer, least_gap});
  }

  /// Keeps the ends of a surface apart.
  void keep_extent(std::size_t layer) {
    const SurfaceNumbers n = numbers_of(layer);
    for (const std::size_t axis : {0u, 1u}) {
      const std::size_t lower = n.lower(axis), upper = n.upper(axis);
      if (!ranges_.changes(lower) && !ranges_.changes(upper)) continue;
      const auto length = [lower, upper](const auto& list) {
        return list[upper] - list[lower];
      };
      // images and copies have the same
      const bool is_image =
          std::ranges::any_of(moving_, [&](std::size_t other) {
            return other < layer && entries_[other] == entries_[layer];
          });
      if (!is_image &&
          ranges_.range(ranges_.inputs({lower, upper}), length).lower <
              least_gap)
        add_gap("extent of " + entries_[layer], lower, upper);
    }
  }

  /// Keeps images and copies of a layer in their order.
  void keep_copies_apart() {
    std::vector<std::size_t> order(layers_.size());
    for (std::size_t l = 0; l < order.size(); ++l) order[l] = l;
    std::ranges::stable_sort(order, {}, [&](std::size_t l) {
      return std::pair(entries_[l], surface(l).position);
    });
    std::string last;  // one gap keeps copies of equal distance
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::size_t a = order[i - 1], b = order[i];
      const std::size_t inner = numbers_of(a).position,
                        outer = numbers_of(b).position;
      if (entries_[a] != entries_[b] || entries_[a] == last ||
          !are_alike(a, b) || surface(a).is_inclined() ||
          !(ranges_.changes(inner) || ranges_.changes(outer)))
        continue;
      if (distance(inner, outer, ranges_.inputs({inner, outer})).lower >=
          least_gap)
        continue;
      add_gap(fmt::format("gap {}-{}", layers_[a].name, layers_[b].name), inner,
              outer);
      last = entries_[a];
    }
  }

  Interval distance(std::size_t inner, std::size_t outer,
                    const NumberRanges::Inputs& inputs) {
    return ranges_.range(inputs, [inner, outer](const auto& list) {
      return list[outer] - list[inner];
    });
  }

  /// Whether they may coincide if their positions do.
  bool are_alike(std::size_t a, std::size_t b) const {
    return carriers_[a].same_family(carriers_[b]) &&
           surface(a).is_inclined() == surface(b).is_inclined();
  }

  bool may_overlap(std::size_t a, std::size_t b,
                   const NumberRanges::Inputs& inputs) {
    if (!has_edges_that_move(a) && !has_edges_that_move(b))
      return detail::overlap(surface(a), surface(b));
    if (surface(a).shape != surface(b).shape || surface(a).is_inclined())
      return true;
    const SurfaceNumbers m = numbers_of(a), n = numbers_of(b);
    for (const std::size_t axis : {0u, 1u}) {
      if (axis == 0 && surface(a).shape != Shape::plane) continue;
      const auto overlap = [m, n, axis](const auto& list) {
        return std::min(list[m.upper(axis)], list[n.upper(axis)]) -
               std::max(list[m.lower(axis)], list[n.lower(axis)]);
      };
      if (!(ranges_.range(inputs, overlap).upper > same_place)) return false;
    }
    return true;
  }

  /// Whether b stays beyond a: gaps keep it there, or the position of a layer
  /// that they keep there.
  bool is_ordered(std::size_t a, std::size_t b) {
    std::vector<std::size_t> reached{outermost_of(a)};
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (std::size_t next = 0; next < layers_.size(); ++next)
        if (outermost_of(next) == next &&
            std::ranges::count(reached, next) == 0 &&
            (has_gap(reached[i], next) ||
             (i > 0 && is_always_beyond(reached[i], next))))
          reached.push_back(next);
    return std::ranges::count(reached, outermost_of(b)) > 0;
  }

  /// Stands for the images and copies of a layer.
  std::size_t outermost_of(std::size_t layer) {
    const auto [at, is_new] = outermost_.try_emplace(entries_[layer], layer);
    if (is_new)
      for (std::size_t l = 0; l < layers_.size(); ++l)
        if (entries_[l] == entries_[layer] &&
            surface(l).position > surface(at->second).position)
          at->second = l;
    return at->second;
  }

  bool has_gap(std::size_t inner, std::size_t outer) const {
    const auto entry_of = [&](std::size_t number) -> const std::string& {
      return entries_[problem_.space.design[number].layer];
    };
    return std::ranges::any_of(problem_.gaps, [&](const Gap& gap) {
      return entry_of(gap.inner) == entries_[inner] &&
             entry_of(gap.outer) == entries_[outer];
    });
  }

  /// Without gaps. A layer that is left out takes its gaps along.
  bool is_always_beyond(std::size_t inner, std::size_t outer) {
    if (!are_alike(inner, outer) ||
        std::ranges::any_of(problem_.choices, [&](const DesignChoice& c) {
          return std::ranges::count(c.layers, entries_[inner]) > 0;
        }))
      return false;
    const auto [at, is_new] = beyond_.try_emplace(std::pair(inner, outer));
    if (is_new) {
      const std::size_t own = numbers_of(inner).position,
                        other = numbers_of(outer).position;
      at->second =
          positions(other).lower > positions(own).upper + same_place ||
          distance(own, other, ranges_.inputs({own, other})).lower > same_place;
    }
    return at->second;
  }

  /// Whether at most one of them is chosen.
  bool exclude_each_other(std::size_t a, std::size_t b) const {
    return std::ranges::any_of(problem_.choices, [&](const DesignChoice& c) {
      return c.most == 1 && std::ranges::count(c.layers, entries_[a]) > 0 &&
             std::ranges::count(c.layers, entries_[b]) > 0;
    });
  }

  /// @return false after an error was reported
  bool check_pair(std::size_t a, std::size_t b) {
    if (!are_alike(a, b) || entries_[a] == entries_[b]) return true;
    if (b < a && moves(b)) return true;  // each pair once
    const std::size_t own = numbers_of(a).position,
                      other = numbers_of(b).position;
    const auto touch = [](const Interval& apart) {
      return apart.lower <= same_place && apart.upper >= -same_place;
    };
    const Interval mine = positions(own), theirs = positions(other);
    if (!touch({theirs.lower - mine.upper, theirs.upper - mine.lower}) ||
        exclude_each_other(a, b))
      return true;
    if (is_ordered(a, b) || is_ordered(b, a)) return true;
    bool good = true;
    ranges_.for_all_options(
        ranges_.inputs({own, own + 1, own + 2, own + 3, own + 4, other,
                        other + 1, other + 2, other + 3, other + 4}),
        [&](const NumberRanges::Inputs& variables, const std::string& options) {
          if (!good) return;
          const Interval apart = distance(own, other, variables);
          good = !touch(apart) || !may_overlap(a, b, variables);
          if (!good) report_pair(a, b, apart, options);
        });
    return good;
  }

  void report_pair(std::size_t a, std::size_t b, const Interval& apart,
                   const std::string& options) {
    const SurfaceNumbers own = numbers_of(a);
    std::size_t number = own.position;
    for (const std::size_t n : {own.lower(0), own.upper(0), own.lower(1),
                                own.upper(1), numbers_of(b).position})
      if (!ranges_.changes(number)) number = n;
    // in the order of the description
    const double mine = surface(a).position, theirs = surface(b).position;
    const bool is_inner =
        mine < 0 && theirs < 0 ? mine >= theirs : mine <= theirs;
    const std::string &inner = layers_[is_inner ? a : b].name,
                      &outer = layers_[is_inner ? b : a].name;
    const bool coincide =
        apart.lower >= -same_place && apart.upper <= same_place;
    const bool always = coincide && options.empty();
    report(
        ranges_.place(number),
        fmt::format("layers {} and {} can {}{}", in_quotes(inner),
                    in_quotes(outer), coincide ? "coincide" : "change places",
                    options.empty() ? "" : " with " + options),
        always ? "let their positions differ, or write other bounds"
               : fmt::format(
                     "add \"keep: [{{ gap: {{ between: [{}, {}], min: 1 "
                     "mm }} }}]\", or other {}",
                     entries_[is_inner ? a : b], entries_[is_inner ? b : a],
                     coincide ? "values" : "bounds"),
        diagnostics_);
  }

  /// The range of a position; computed once.
  const Interval& positions(std::size_t number) {
    const auto [at, is_new] = positions_.try_emplace(number);
    if (is_new)
      at->second =
          ranges_.range(ranges_.inputs(number),
                        [number](const auto& list) { return list[number]; });
    return at->second;
  }

  OptimisationProblem& problem_;
  Diagnostics& diagnostics_;
  NumberRanges ranges_;
  const std::vector<Layer>& layers_;
  std::vector<std::string> entries_;  ///< of each layer
  std::vector<Carrier> carriers_;     ///< of each layer
  std::vector<std::size_t> moving_;   ///< layers
  std::vector<char> is_moving_;       ///< each layer
  std::map<std::size_t, Interval> positions_;
  std::map<std::string, std::size_t> outermost_;
  std::map<std::pair<std::size_t, std::size_t>, bool> beyond_;
};

}  // namespace

void check_order(OptimisationProblem& problem, Diagnostics& diagnostics) {
  LayerOrder(problem, diagnostics).check();
}

void check_dipoles(const OptimisationProblem& problem,
                   Diagnostics& diagnostics) {
  const std::vector<DipoleGap>& dipoles = problem.input.detector.field.dipoles;
  if (dipoles.empty()) return;
  NumberRanges ranges(problem);
  const std::vector<double>& start = problem.space.start;
  // entrance, exit and field of each, at the end of the list
  const auto face = [&](std::size_t dipole, bool is_exit) {
    return start.size() - 3 * (dipoles.size() - dipole) + (is_exit ? 1 : 0);
  };
  const auto least_distance = [&](std::size_t from, std::size_t to) {
    return ranges
        .range(ranges.inputs({from, to}),
               [&](const std::vector<double>& list) {
                 return keeps_order(problem, list)
                            ? list[to] - list[from]
                            : std::numeric_limits<double>::quiet_NaN();
               })
        .lower;
  };
  const auto report_faces = [&](std::size_t from, std::size_t to,
                                std::string text) {
    report(ranges.place(ranges.changes(to) ? to : from), std::move(text),
           "narrow the ranges, or let one follow the other", diagnostics);
  };
  for (std::size_t i = 0; i < dipoles.size(); ++i) {
    const std::size_t entrance = face(i, false), exit = face(i, true);
    if ((ranges.changes(entrance) || ranges.changes(exit)) &&
        !(least_distance(entrance, exit) > 0)) {
      report_faces(entrance, exit,
                   dipoles.size() == 1
                       ? "entrance and exit of the dipole can change places"
                       : fmt::format("entrance and exit of dipole {} can "
                                     "change places",
                                     i));
      return;
    }
    for (std::size_t k = 0; k < dipoles.size(); ++k) {
      const std::size_t next = face(k, false);
      if (start[next] < start[exit] || k == i ||
          !(ranges.changes(exit) || ranges.changes(next)) ||
          least_distance(exit, next) >= 0)
        continue;
      report_faces(exit, next,
                   fmt::format("dipoles {} and {} can overlap", i, k));
      return;
    }
  }
}

}  // namespace gttf
