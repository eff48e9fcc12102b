// SPDX-License-Identifier: Apache-2.0
// OptimisationProblem: what a search may change, what it is to make small and
// what it has to keep.
#pragma once

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
  std::string unit;       ///< in which the limit is written; may be empty
  double unit_value = 1;  ///< that unit in native ones
};

/// Two surfaces that stay in order: position of `outer` - that of `inner` >=
/// min.
struct Gap {
  std::string name;                  ///< "gap L1-L2"
  std::size_t inner = 0, outer = 0;  ///< indices of their positions' numbers
  double min = 0;                    ///< mm
};

/// A surface that stays within a length: number <= bound, or >= bound.
struct Envelope {
  std::string name;  ///< "L1 within r <= 400 mm"
  std::size_t number = 0;
  double bound = 0;  ///< mm
  bool is_upper = true;
};

/// A number that changes by chance when the detector is built.
struct ConstructionError {
  DesignKey key;
  double rms = 0;         ///< native units
  std::string unit;       ///< of results; empty: a number
  double unit_value = 1;  ///< that unit in native ones
};

/// Of a combination of choices that exclude each other: what one option sets.
struct ChoiceOption {
  std::string name;
  std::vector<std::string> overrides;                  ///< as of --set
  std::vector<std::pair<std::string, double>> prices;  ///< of layer entries
};
struct DesignChoice {
  std::string name;
  std::vector<ChoiceOption> options;  ///< one of them; or
  std::vector<std::string> layers;    ///< entries of which some are taken
  std::size_t least = 0, most = 0;    ///< how many
  Diagnostic place;
};

/// What is made small.
struct Objective {
  enum class Kind { point, mean, worst, quantile, quantity, margin };

  Kind kind = Kind::point;
  std::string name;            ///< "sigma_d0_um"
  Criterion criterion;         ///< quantity and points, unless of a quantity
  double quantile = 0;         ///< of a quantile
  std::optional<Limit> scale;  ///< worst ratio to a curve
  std::size_t quantity = 0;    ///< index, of a quantity
  bool logarithmic = false;    ///< mean of the logarithms
};

/// A limit on the mean of a column over a grid, or on exp of the mean of its
/// logarithm.
struct MeanLimit {
  std::string name;
  Criterion criterion;         ///< quantity and points
  std::optional<Limit> scale;  ///< mean ratio to a curve
  bool logarithmic = false;
  double max = 0;  ///< native units or, with a curve, a number; > 0
};

/// Objectives against each other.
struct ParetoRequest {
  std::vector<Objective> of;  ///< two; empty: no front is asked for
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
  /// Limits on resolutions: those of the study itself, then of a file.
  std::vector<RequirementFile> requirements;
  ParetoRequest pareto;
  std::vector<ConstructionError> construction;
  std::size_t starts = 256;
  std::uint64_t seed = 1;
  std::size_t refine = 4;  ///< of the verify grid

  explicit OptimisationProblem(DetectorInput start)
      : input(std::move(start)), space(input.detector) {}
};

}  // namespace gttf
