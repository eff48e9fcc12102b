// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/layer_choice.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "gttf/study/show/layer_names.hpp"

namespace gttf {
namespace {

enum class State : char { undecided, taken, absent };

struct Entry {
  std::size_t choice = 0;  ///< index in OptimisationProblem::choices
  std::string name;
  std::vector<std::size_t> layers;
};

double ways_to_take(const DesignChoice& choice) {
  double sum = 0, combinations = 1;
  for (std::size_t k = 0; k <= choice.most; ++k) {
    if (k >= choice.least) sum += combinations;
    combinations *= static_cast<double>(choice.layers.size() - k) /
                    static_cast<double>(k + 1);
  }
  return sum;
}

class LayerSearch {
 public:
  LayerSearch(DesignProgram& program, const std::function<bool()>& keep_on,
              const LayerChoiceProgress& progress)
      : program_(program),
        keep_on_(keep_on),
        progress_(progress),
        choices_(program.problem().choices) {
    const Detector& detector = program.problem().input.detector;
    for (std::size_t c = 0; c < choices_.size(); ++c)
      for (const std::string& name : choices_[c].layers)
        entries_.push_back({c, name, layers_of_entry(detector, name)});
    for (std::size_t e = 0; e < entries_.size(); ++e) order_.push_back(e);
    states_.assign(entries_.size(), State::undecided);
  }

  std::optional<LayerChoiceResult> run() {
    exchange();
    branch();
    if (!best_) return std::nullopt;
    best_->interrupted = stopped_;
    best_->lowest = std::min(best_->values.f, lowest_left_);
    best_->combinations = 1;
    for (const DesignChoice& choice : choices_)
      if (!choice.layers.empty()) best_->combinations *= ways_to_take(choice);
    return best_;
  }

 private:
  std::size_t count(std::size_t choice, State state) const {
    std::size_t n = 0;
    for (std::size_t e = 0; e < entries_.size(); ++e)
      n += entries_[e].choice == choice && states_[e] == state ? 1 : 0;
    return n;
  }

  Combination combination() const {
    Combination c = program_.combination();
    c.absent.assign(program_.space().design.detector().layers.size(), 0);
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      if (states_[e] == State::taken) {
        std::string& names = c.chosen[entries_[e].choice];
        names += (names.empty() ? "" : ",") + entries_[e].name;
      }
      if (states_[e] == State::absent)
        for (const std::size_t l : entries_[e].layers) c.absent[l] = 1;
    }
    return c;
  }

  static bool is_better(const DesignProgram::AllValues& a,
                        const DesignProgram::AllValues& b) {
    const double va = a.violation(), vb = b.violation();
    if ((va <= design_feasible) != (vb <= design_feasible))
      return va <= design_feasible;
    return va <= design_feasible ? a.f < b.f - objective_rounding
                                 : va < vb * (1 - objective_rounding);
  }

  /// Evaluates a combination without undecided layers.
  /// @return whether it is the best so far
  bool look() {
    if (!looked_at_.insert(states_).second) return false;
    const Combination here = combination();
    program_.set_absent(here.absent);
    const auto values = program_.all_values({});
    const bool better = values && (!best_ || is_better(*values, best_->values));
    if (better) best_ = LayerChoiceResult{here, *values, 0, false, 0};
    if (progress_ && best_)
      progress_(looked_at_.size(), best_->values.f,
                best_->values.violation() <= design_feasible);
    return better;
  }

  /// A good initial combination: exchanges, adds or removes one layer as long
  /// as the result improves.
  void exchange() {
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      std::size_t left = choices_[c].most;
      // evenly distributed
      const std::size_t n = choices_[c].layers.size();
      std::size_t i = 0;
      for (std::size_t e = 0; e < entries_.size(); ++e) {
        if (entries_[e].choice != c) continue;
        const bool take = left > 0 && (i * choices_[c].most) / n !=
                                          ((i + 1) * choices_[c].most) / n;
        states_[e] = take ? State::taken : State::absent;
        left -= take ? 1 : 0;
        ++i;
      }
    }
    look();
    for (bool again = true; again && !stopped();) {
      again = false;
      std::vector<State> best = states_;
      const auto attempt = [&](std::size_t a, std::size_t b) {
        std::swap(states_[a], states_[b]);
        if (look()) {
          best = states_;
          again = true;
        }
        std::swap(states_[a], states_[b]);
      };
      for (std::size_t a = 0; a < entries_.size(); ++a) {
        const std::size_t c = entries_[a].choice;
        const std::size_t taken = count(c, State::taken);
        const bool may_change = states_[a] == State::taken
                                    ? taken > choices_[c].least
                                    : taken < choices_[c].most;
        if (may_change) {
          const State before = states_[a];
          states_[a] = before == State::taken ? State::absent : State::taken;
          if (look()) {
            best = states_;
            again = true;
          }
          states_[a] = before;
        }
        for (std::size_t b = a + 1; b < entries_.size(); ++b)
          if (entries_[b].choice == c && states_[a] != states_[b])
            attempt(a, b);
      }
      states_ = best;
    }
    // important decisions come first not of std::ranges: Clang 14 cannot
    // compile libstdc++'s subrange
    std::stable_partition(order_.begin(), order_.end(), [&](std::size_t e) {
      return states_[e] == State::taken;
    });
    states_.assign(entries_.size(), State::undecided);
  }

  bool stopped() {
    if (!keep_on_()) stopped_ = true;
    return stopped_;
  }

  /// Decides entries that are determined by the numbers of layers.
  void settle() {
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      const std::size_t taken = count(c, State::taken);
      const std::size_t open = count(c, State::undecided);
      const bool full = taken >= choices_[c].most;
      if (!full && taken + open > choices_[c].least) continue;
      for (std::size_t e = 0; e < entries_.size(); ++e)
        if (entries_[e].choice == c && states_[e] == State::undecided)
          states_[e] = full ? State::absent : State::taken;
    }
  }

  /// Leaves only undecided and taken layers in the program; returns the former.
  std::vector<UndecidedLayers> leave_open() {
    program_.set_absent(combination().absent);
    std::vector<UndecidedLayers> undecided;
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      UndecidedLayers of_choice;
      for (std::size_t e = 0; e < entries_.size(); ++e)
        if (entries_[e].choice == c && states_[e] == State::undecided)
          of_choice.entries.push_back(entries_[e].layers);
      if (of_choice.entries.empty()) continue;
      of_choice.most = choices_[c].most - count(c, State::taken);
      undecided.push_back(std::move(of_choice));
    }
    return undecided;
  }

  /// Decisions, and lower bounds of what is possible with them.
  struct Node {
    double violation = 0, f = 0;
    std::size_t number = 0;  ///< in the order they were found
    std::vector<State> states = {};

    bool operator<(const Node& other) const {
      return std::tie(violation, f, number) <
             std::tie(other.violation, other.f, other.number);
    }
  };

  /// With the decisions so far; nothing if no combination can be better.
  std::optional<Node> bounded() {
    Node node{0, -std::numeric_limits<double>::infinity(), n_nodes_++, states_};
    const std::vector<UndecidedLayers> undecided = leave_open();
    for (const bool weighted : {false, true}) {
      const auto bound = program_.bound(undecided, weighted);
      if (!bound || (best_ && !is_better(*bound, best_->values)))
        return std::nullopt;
      if (bound->violation() > design_feasible)
        node.violation = std::max(node.violation, bound->violation());
      node.f = std::max(node.f, bound->f);
    }
    return node;
  }

  bool can_be_better(const Node& node) const {
    DesignProgram::AllValues bound;
    bound.f = node.f;
    bound.others = node.violation;
    return !best_ || is_better(bound, best_->values);
  }

  /// Evaluates the decisions so far if all are made; else keeps them, unless
  /// nothing better is possible.
  void keep() {
    settle();
    if (std::ranges::count(states_, State::undecided) == 0) {
      look();
      return;
    }
    if (auto node = bounded()) open_.insert(std::move(*node));
  }

  /// Decides one layer after the other, always where the lower bound is the
  /// smallest: if the search is stopped, no other order gives a larger bound
  /// of what is left.
  void branch() {
    keep();
    while (!open_.empty()) {
      if (stopped()) {
        // a violation that is certain excludes what is left
        if (open_.begin()->violation <= design_feasible)
          lowest_left_ = open_.begin()->f;
        return;
      }
      // where there are very many, that with the most decisions: it leaves few
      constexpr std::size_t most_open = 200000;
      const auto at =
          open_.size() < most_open ? open_.begin() : std::prev(open_.end());
      const Node node = std::move(open_.extract(at).value());
      if (!can_be_better(node)) continue;
      const auto next = *std::ranges::find_if(order_, [&](std::size_t e) {
        return node.states[e] == State::undecided;
      });
      for (const State state : {State::taken, State::absent}) {
        states_ = node.states;
        states_[next] = state;
        keep();
      }
    }
  }

  DesignProgram& program_;
  const std::function<bool()>& keep_on_;
  const LayerChoiceProgress& progress_;
  const std::vector<DesignChoice>& choices_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> order_;  ///< order of decisions
  std::vector<State> states_;
  std::set<std::vector<State>> looked_at_;
  std::optional<LayerChoiceResult> best_;
  std::set<Node> open_;
  std::size_t n_nodes_ = 0;
  bool stopped_ = false;
  /// The lower bound of what was not searched.
  double lowest_left_ = std::numeric_limits<double>::infinity();
};

}  // namespace

bool has_layer_bounds(const OptimisationProblem& problem) {
  if (std::ranges::all_of(problem.choices, [](const DesignChoice& c) {
        return c.layers.empty();
      }))
    return false;
  // more layers may give more tracks a resolution, and a larger average
  if (problem.request.average) return false;
  // layers change the tracks themselves
  if (has_energy_loss(problem)) return false;
  const Objective& o = problem.objective;
  using Kind = Objective::Kind;
  if (o.kind == Kind::quantity || o.kind == Kind::margin) return true;
  return o.kind != Kind::quantile &&
         o.criterion.quantity.name.starts_with("sigma_");
}

double count_combinations(const OptimisationProblem& problem) {
  double product = 1;
  for (const DesignChoice& choice : problem.choices)
    product *= choice.layers.empty()
                   ? static_cast<double>(choice.options.size())
                   : ways_to_take(choice);
  return product;
}

std::vector<std::size_t> layers_of_entry(const Detector& detector,
                                         const std::string& name) {
  const std::vector<std::string> entries = entry_names(detector);
  std::vector<std::size_t> list;
  for (std::size_t l = 0; l < entries.size(); ++l)
    if (name_in_file(entries[l]) == name ||
        name_in_file(detector.layers[l].name) == name)
      list.push_back(l);
  return list;
}

std::optional<LayerChoiceResult> best_layers(
    DesignProgram& program, const std::function<bool()>& keep_on,
    const LayerChoiceProgress& progress) {
  return LayerSearch(program, keep_on, progress).run();
}

}  // namespace gttf
