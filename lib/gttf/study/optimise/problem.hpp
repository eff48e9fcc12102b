// SPDX-License-Identifier: Apache-2.0
// OptimisationProblem: variables, objective and constraints of a
// search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/check/requirement_file.hpp"
#include "gttf/study/optimise/coverage.hpp"
#include "gttf/study/optimise/design_space.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// A sum of a formula over layers: area, price, channels.
struct DesignQuantity {
  std::string name;
  struct Term {
    Formula formula;
    std::vector<FormulaInput> inputs;
  };
  std::vector<Term> terms;  ///< one per surface
  Powers powers;
  Diagnostic place;
};

/// A limit on a quantity.
struct QuantityLimit {
  std::string name;
  std::size_t quantity = 0;  ///< index
  std::optional<double> min, max;
  std::string unit;       ///< unit of the limit as written; may be empty
  double unit_value = 1;  ///< that unit in native ones
  Diagnostic place = {};
};

/// Surfaces closer than detail::same_place coincide and cannot be described:
/// gaps are at least this wide, mm.
inline constexpr double least_gap = 10 * detail::same_place;

/// Two surfaces with fixed order, or the ends of one: number `outer` - number
/// `inner` >= min.
struct Gap {
  std::string name;                  ///< "gap L1-L2"
  std::size_t inner = 0, outer = 0;  ///< indices of numbers
  double min = 0;                    ///< mm
  Diagnostic place = {};
};

/// A bound on a surface: number <= bound, or >= bound.
struct Envelope {
  std::string name;  ///< "L1 within r <= 400 mm"
  std::size_t number = 0;
  double bound = 0;  ///< mm
  bool is_upper = true;
  /// Options or the choice of layers decide whether it holds.
  bool of_choice = false;
};

/// A number with a random construction error.
struct ConstructionError {
  DesignKey key;
  double rms = 0;         ///< native units
  std::string unit;       ///< of results; empty: a number
  double unit_value = 1;  ///< that unit in native ones
};

/// The settings of one option of a choice.
struct ChoiceOption {
  std::string name;
  std::vector<std::string> overrides;                  ///< as for --set
  std::vector<std::pair<std::string, double>> prices;  ///< of layer entries
  /// Numbers of the design that differ from the description, with their values.
  std::vector<std::pair<std::size_t, double>> numbers = {};

  bool sets(std::size_t number) const {
    return std::ranges::any_of(
        numbers, [number](const auto& n) { return n.first == number; });
  }
};
struct DesignChoice {
  std::string name;
  std::vector<ChoiceOption> options;  ///< one of them; or
  std::vector<std::string> layers;    ///< entries, some of which are selected
  std::size_t least = 0, most = 0;    ///< number to select
  Diagnostic place;

  bool sets(std::size_t number) const {
    return std::ranges::any_of(
        options, [number](const ChoiceOption& o) { return o.sets(number); });
  }
};

/// The objective.
struct Objective {
  /// `missing`: the largest amount by which a coverage or quantity misses its
  /// limit or, in a problem without, a gap or envelope; of lengths in
  /// DesignProgram::gap_unit, not a logarithm.
  enum class Kind { point, mean, worst, quantile, quantity, margin, missing };

  Kind kind = Kind::point;
  std::string name;            ///< "sigma_d0_um"
  Criterion criterion;         ///< quantity and points, unless of a quantity
  double quantile = 0;         ///< for a quantile
  std::optional<Limit> scale;  ///< worst ratio to a curve
  std::size_t quantity = 0;    ///< index, of a quantity
  bool logarithmic = false;    ///< mean of the logarithms
  std::vector<double> weights = {};  ///< of the points; empty: equal
};

/// A limit on the mean of a column over a grid, or on exp of the mean of its
/// logarithm.
struct MeanLimit {
  std::string name;
  Criterion criterion;         ///< quantity and points
  std::optional<Limit> scale;  ///< mean ratio to a curve
  bool logarithmic = false;
  std::vector<double> weights = {};  ///< of the points; empty: equal
  double max = 0;  ///< native units or, with a curve, a number; > 0
};

/// Objectives of a Pareto front.
struct ParetoRequest {
  std::vector<Objective> of;  ///< two or three; empty: no front is requested
  std::size_t points = 25;
};

struct OptimisationProblem {
  std::string name;
  std::string file, sha256;  ///< of the study
  DetectorInput input;       ///< the start
  std::vector<std::string> overrides;
  StudyRequest request;  ///< particle and models
  DesignSpace space;
  std::vector<DesignChoice> choices;
  std::vector<Gap> gaps;
  std::vector<Envelope> envelopes;
  std::vector<CoverageLimit> coverages;
  std::vector<DesignQuantity> quantities;
  std::vector<QuantityLimit> limits;
  std::vector<MeanLimit> means;
  Objective objective;
  /// Limits on resolutions: from the study itself, then from a file.
  std::vector<RequirementFile> requirements;
  ParetoRequest pareto;
  std::vector<ConstructionError> construction;
  std::size_t starts = 256;  ///< at most
  /// Whether all of them are solved, even if more are unlikely to find anything
  /// else: their number was requested.
  bool solves_all_starts = false;
  std::uint64_t seed = 1;
  std::size_t refine = 4;  ///< of the verify grid

  explicit OptimisationProblem(DetectorInput start)
      : input(std::move(start)), space(input.detector) {}
};

/// Whether tracks of the objective or of a limit lose energy.
inline bool has_energy_loss(const OptimisationProblem& problem) {
  const auto loses = [&](const StudyRequest& request) {
    return energy_loss_of(request, problem.input.detector) != EnergyLoss::off;
  };
  return loses(problem.request) ||
         std::ranges::any_of(
             problem.requirements,
             [&](const RequirementFile& file) { return loses(file.request); });
}

}  // namespace gttf
