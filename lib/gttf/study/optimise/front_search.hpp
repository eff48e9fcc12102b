// SPDX-License-Identifier: Apache-2.0
// FrontSearch: the points of a Pareto front, each as a problem of one
// objective.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "gttf/study/optimise/pareto_front.hpp"

namespace gttf {

/// Of each objective: a logarithm, none without a limit.
using ObjectiveLimits = std::vector<std::optional<double>>;

/// A design found for a front.
struct FrontDesign {
  std::vector<double> f;   ///< the objectives, logarithms
  ObjectiveLimits limits;  ///< with which it was found
  std::vector<double> x;   ///< native units
  std::vector<std::string> chosen;
  Certificate certificate;
};

/// Range beyond the minimum of an objective in which other ones are searched.
inline constexpr double at_the_least = 1e-8;
/// Points whose objectives differ by less are merged.
inline constexpr double same_point = 1e-7;

class FrontSearch {
 public:
  FrontSearch(const OptimisationProblem& problem, const SearchOptions& options);

  std::size_t n_objectives() const { return problem_.pareto.of.size(); }
  std::size_t points() const { return problem_.pareto.points; }
  bool has_variables() const { return problem_.space.size() > 0; }
  bool is_interrupted() const { return interrupted_; }

  /// Minimises an objective, with limits on others. Nothing if no design meets
  /// them.
  /// @param also_from  additional starts
  /// @param local      from no other starts
  /// @param done       points found so far, for the progress
  std::optional<FrontDesign> solve(std::size_t minimised,
                                   const ObjectiveLimits& limits,
                                   std::vector<std::vector<double>> also_from,
                                   bool local, std::size_t done);

  /// The minimum of an objective; of the designs that have it, that with the
  /// smallest next ones, in turn.
  std::optional<FrontDesign> least(std::size_t first, std::size_t done);

  /// Whether all designs are combinations, few enough to be listed.
  bool can_list_designs() const;

  /// Of all combinations of a problem without variables, those within the
  /// limits that no other one is as good as in all objectives. In ascending
  /// order.
  /// @pre can_list_designs()
  std::vector<FrontDesign> best_designs();

  /// The front of these designs, in this order.
  ParetoFront front(std::vector<FrontDesign> designs) const;

 private:
  OptimisationProblem limited(std::size_t minimised,
                              const ObjectiveLimits& limits) const;
  std::optional<std::vector<double>> values(const Combination& combination,
                                            const std::vector<double>& x) const;
  double in_unit(std::size_t i, double f) const;
  void look_at_present(ParetoFront& front) const;

  const OptimisationProblem& problem_;
  SearchOptions options_;
  std::function<void(const SearchProgress&)> progress_;
  bool leaves_layers_out_;
  Effort effort_;
  bool interrupted_ = false;
};

/// The designs of a front of choices alone: all, or as many as the front has
/// points, far from each other.
std::vector<FrontDesign> front_of_choices(FrontSearch& search);

/// Designs of a front of three objectives, none of which is better than another
/// one in all of them. In the order of the first one.
std::vector<FrontDesign> front_of_three(FrontSearch& search);

}  // namespace gttf
