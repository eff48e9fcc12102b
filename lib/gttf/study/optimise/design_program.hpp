// SPDX-License-Identifier: Apache-2.0
// DesignProgram: an optimisation problem as a function with constraints.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/known_lists.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/check/check.hpp"
#include "gttf/study/optimise/hit_edges.hpp"
#include "gttf/study/optimise/nonlinear_program.hpp"
#include "gttf/study/optimise/point_averages.hpp"
#include "gttf/study/optimise/problem.hpp"

namespace gttf {

/// The unit of an objective in results.
struct ObjectiveUnit {
  std::string name;  ///< "um", "1"; empty for a mean of logarithms
  double value = 1;  ///< in native units
};
ObjectiveUnit objective_unit(const OptimisationProblem& problem);
/// The objective in this unit for a value f of DesignProgram.
double objective_in_unit(const OptimisationProblem& problem, double f);
/// "19.5 um"; numbers without unit, and missing ones, have none.
std::string with_unit(double value, const std::string& unit, int digits);

/// Cost of a search.
struct Effort {
  std::uint64_t covariances = 0;
  std::uint64_t gradients = 0;  ///< of a track
  std::uint64_t designs = 0;

  Effort& operator+=(const Effort& more) {
    covariances += more.covariances;
    gradients += more.gradients;
    designs += more.designs;
    return *this;
  }
  /// What was added since `before`.
  Effort operator-(const Effort& before) const {
    return {covariances - before.covariances, gradients - before.gradients,
            designs - before.designs};
  }
};

/// Tolerance for rounding: a design may violate its limits by this much.
inline constexpr double design_feasible = limit_rounding;
/// Tolerance for rounding: differences of objectives below are ignored.
inline constexpr double objective_rounding = 1e-11;

/// One combination of all choices.
struct Combination {
  std::vector<std::string> chosen;  ///< for each choice: option, or layers
  std::vector<char> absent;         ///< for each layer; empty: none
  std::vector<std::pair<std::size_t, double>> numbers;  ///< set by options
  std::vector<std::pair<std::size_t, double>> prices;   ///< of layers
};

/// A column at one track, with its limits in native units; NaN: none.
struct Sample {
  static constexpr std::size_t objective = static_cast<std::size_t>(-1);
  static constexpr std::size_t mean = static_cast<std::size_t>(-2);

  std::size_t file = objective;  ///< index in OptimisationProblem::requirements
  std::size_t criterion = 0;     ///< of a mean: its index
  std::size_t group = 0, track = 0;    ///< index in TrackGroup::tracks
  std::optional<Parameter> parameter;  ///< for a column with an error
  std::optional<Parameter> averaged;   ///< for the mean error of an average
  /// An infinite upper limit: only the hits of the track must be kept.
  double lower = Resolution::none, upper = Resolution::none;
  double scale = 1;   ///< of a mean: the value of its curve here, native units
  double weight = 1;  ///< of a mean
  /// Whether it is at a point of the user's; otherwise at an edge of a layer,
  /// or between these points.
  bool of_grid = true;

  /// A separate limit, not part of the objective or of a mean.
  bool is_limit() const { return file != objective && file != mean; }
  /// Whether both are points of one limit, mean or objective.
  bool is_of_same_limit(const Sample& other) const {
    return file == other.file && criterion == other.criterion &&
           std::isnan(upper) == std::isnan(other.upper);
  }
};

/// The tracks of one request.
struct TrackGroup {
  StudyRequest request;
  Model model;
  std::vector<Track> tracks;
  std::vector<int> n_hits;  ///< required; -1: any
  /// Of averages: what the start has at each point; empty: anything goes.
  std::vector<KeptAverage> kept;
  /// Surfaces that all tracks crossed in the last design, and those required.
  KnownLists known_of_all, known_of_some;

  /// Whether these tracks have no fewer hits than at the start.
  bool keeps_hits(std::span<const std::size_t> members,
                  std::span<const int> hits) const;
};

/// Layers that are not yet decided.
struct UndecidedLayers {
  std::vector<std::vector<std::size_t>> entries;  ///< layers of each
  std::size_t most = 0;                           ///< number of entries
};

/// One limit as shown in results.
struct LimitValue {
  enum class Kind { sample, quantity, gap, envelope, coverage, mean, hit_edge };

  Kind kind = Kind::sample;
  /// Of the sample, coverage, QuantityLimit or MeanLimit; HitEdge::number().
  std::size_t index = 0;
  bool is_lower = false;  ///< the value must be above it
  double value = 0, limit = 0;
  std::string name = {};  ///< of a gap, envelope, coverage or hit edge
};

/// Hits that tracks must keep: those of the start, or no more than limits on
/// hits and coverages require where there are any. In the second case tracks at
/// the edges of the layers of the start must meet their limits only.
enum class KeptHits { of_start, required };

/// The problem for one combination of choices. Not thread-safe; copies are
/// independent.
class DesignProgram {
 public:
  /// Unit of gaps, envelopes and coverages, in mm.
  static constexpr double gap_unit = 100;

  /// Throws InputError if the start has no value where one is needed.
  DesignProgram(const OptimisationProblem& problem, Combination combination,
                KeptHits kept = KeptHits::of_start);

  const OptimisationProblem& problem() const { return *problem_; }
  const DesignSpace& space() const { return space_; }
  const Combination& combination() const { return combination_; }
  /// Whether KeptHits::required allows tracks to lose hits.
  bool may_lose_hits() const { return may_lose_hits_; }
  std::size_t n_samples() const { return samples_.size(); }
  const Sample& sample(std::size_t i) const { return samples_[i]; }
  /// Whether its value is 1 where a text is allowed: where variables keep it,
  /// there is no other value, else it is 0.
  bool is_of_text(const Sample& sample) const {
    return criterion_of(sample).quantity.is_text();
  }
  const TrackGroup& group(std::size_t i) const { return groups_[i]; }
  Effort effort() const { return effort_; }

  /// Adds a point of a requirement; returns its index.
  std::size_t add_sample(Sample sample, const StudyRequest& request,
                         const Track& track);

  /// Multiplies a limit of a quantity or mean, or of a column at all points.
  void scale_limit(const LimitValue& limit, double factor);

  /// Between variables in native units and those of the program: 0 at `from`, 1
  /// at `to`; an additional last one if a maximum is minimised.
  Eigen::VectorXd scaled(const std::vector<double>& x) const;
  std::vector<double> natural(const Eigen::VectorXd& x) const;
  bool has_level() const { return has_level_; }

  /// Samples above a minimised quantile at x, which are
  /// ignored.
  std::vector<std::size_t> beyond_quantile(const std::vector<double>& x);

  /// The missing length of the coverages at x, mm, for tracks from any point on
  /// the axis; with `add`, the worst start points of those that miss more than
  /// `allowed` are included from now on.
  double missing_coverage(const std::vector<double>& x, bool add,
                          double allowed = 0);

  /// The program with the limits of quantities, means and gaps and of the
  /// samples and hit edges in `working`. It refers to this object.
  NonlinearProgram program(const std::vector<std::size_t>& working);

  /// f and the limit of every sample: ln(value/limit), below 0 if it is met;
  /// and of quantities and gaps. Nothing if a track has lost its value.
  struct AllValues {
    double f = 0;
    std::vector<double> samples;
    double others = -1;  ///< the largest limit of a quantity, mean or gap
    double violation() const;
  };
  std::optional<AllValues> all_values(const std::vector<double>& x);

  /// Samples whose tracks have fewer hits at x than at the start.
  std::vector<std::size_t> samples_that_lose_hits(const std::vector<double>& x);

  /// The edges, as HitEdge::number(), that decide why tracks cross other layers
  /// at `to` than at `from`: of each edge of a layer the one that is met first
  /// on a straight way. If tracks have fewer hits than at the start, all of
  /// theirs, else those that are met first of all. None where tracks are not
  /// helices.
  std::vector<std::size_t> changed_edges(const std::vector<double>& from,
                                         const std::vector<double>& to);
  /// Whether a number may stand in a working set.
  bool is_known(std::size_t working) const;

  /// The same problem for another combination.
  /// @pre this one belongs to no combination
  DesignProgram with(Combination combination) const;
  /// The same problem with at most `most` samples of every requirement and of
  /// the objective, evenly among them.
  DesignProgram coarse(std::size_t most) const;

  /// Takes over all samples of another combination's program, under the same
  /// numbers.
  /// @pre that one was made by with() of this one
  void take_samples_of(const DesignProgram& other);

  /// Changes the set of existing layers.
  void set_absent(std::vector<char> absent);
  /// Gaps between the existing layers. An absent layer leaves the smaller of
  /// its gaps between its neighbours.
  const std::vector<Gap>& gaps() const { return gaps_; }
  /// Envelopes of the existing layers.
  const std::vector<Envelope>& envelopes() const { return envelopes_; }

  /// Lower bounds of values and violations for all choices of undecided layers:
  /// undecided layers are hits without material; lower limits and limits of
  /// gaps, envelopes, coverages and columns other than errors count as met.
  /// @param weighted false: all these hits are used; true: the variance is
  ///                 bounded by its tangent at equal weights that add up to the
  ///                 allowed number
  /// @return          nothing if there is no value even then @pre no variables;
  ///                  only error columns are minimised
  std::optional<AllValues> bound(const std::vector<UndecidedLayers>& undecided,
                                 bool weighted);

  /// A start value for the level: the largest ratio at x.
  double level_at(const std::vector<double>& x);

  /// The objective in its unit.
  double in_unit(double f) const;
  /// The same for a design whose f is known; of an average at one point, the
  /// number of scan_averages() without the rounding of the logarithm.
  double objective_at(const std::vector<double>& x, double f);
  /// Limits in the order of the program's: gaps, quantities, means, samples.
  std::vector<LimitValue> limits_at(const std::vector<double>& x,
                                    const std::vector<std::size_t>& working);
  /// ln(value/limit), positive if violated; and its derivative by the value.
  static std::pair<double, double> against(const Sample& sample, double value);
  /// Columns whose derivatives are differences.
  std::vector<std::string> by_differences();
  /// The detector at x, absent layers left out.
  Detector detector_at(const std::vector<double>& x);

 private:
  struct SampleValues {
    std::vector<double> value;
    std::vector<Eigen::VectorXd> slope;  ///< of the value; empty: not requested
    /// Hits of tracks whose columns are differentiated by differences.
    std::vector<int> n_hits;
    std::vector<double> numbers;  ///< of the design
  };
  struct ColumnValues {
    std::vector<double> value;
    std::vector<int> n_hits;
  };

  /// Calls f(numbers, put) for groups of variables: the numbers of the design
  /// as dual numbers, and put(a dual number, a row per variables).
  template <class F>
  void differentiate(const std::vector<double>& x, const F& f) const;
  /// Of all numbers of the design by all variables.
  Eigen::MatrixXd number_slopes(const std::vector<double>& x) const;
  bool is_absent(std::size_t layer) const;
  /// With the present numbers and layers.
  TrackingGeometry geometry() const;
  Detector present_detector() const;
  std::optional<SampleValues> values_of(const std::vector<std::size_t>& which,
                                        const std::vector<double>& x,
                                        bool derivatives);
  /// The samples of one group among those of a list.
  struct GroupOfValues;
  /// @param parameter  of samples that have one; null: all of the group
  GroupOfValues group_of_values(
      std::size_t group, const std::vector<std::size_t>& which,
      std::optional<Parameter> Sample::*parameter) const;
  // Parts of values_of() for errors of single tracks; false if hits are lost.
  bool add_values(const GroupOfValues& list,
                  const std::vector<std::size_t>& which,
                  const TrackingGeometry& g, SampleValues& result);
  bool add_slopes(const GroupOfValues& list,
                  const std::vector<std::size_t>& which,
                  const TrackingGeometry& g, const DesignSlopes& slopes,
                  SampleValues& result);
  bool add_single_slopes(const GroupOfValues& list,
                         const std::vector<std::size_t>& which,
                         const TrackingGeometry& g, const DesignSlopes& slopes,
                         SampleValues& result);
  // The same for other columns, and averages.
  std::optional<double> generic_value(const TrackingGeometry& geometry,
                                      const Sample& sample, int& n_hits);
  /// Nothing if one is missing or tracks have lost hits.
  std::optional<ColumnValues> column_values(
      const std::vector<std::size_t>& samples,
      const TrackingGeometry& geometry);
  Table averages_of(const TrackGroup& group,
                    const std::vector<std::size_t>& tracks);
  void add_average_slopes(const std::vector<std::size_t>& which,
                          const DesignSlopes& slopes, SampleValues& result);
  /// Whether the derivatives of mean errors of averages are exact.
  bool has_exact_averages(const DesignSlopes& slopes) const;
  /// Derivatives that are missing, between designs where tracks have the same
  /// number of hits. False if differences do not exist.
  bool add_differences(const std::vector<std::size_t>& which,
                       const std::vector<double>& x, SampleValues& result);
  /// Of gaps, envelopes, coverages and quantities: <= 0 if they are met.
  template <class S>
  std::vector<S> limits_of_design(const std::vector<S>& numbers) const;
  template <class S>
  S quantity(std::size_t index, const std::vector<S>& numbers) const;
  std::optional<ProgramValues> evaluate(const Eigen::VectorXd& x,
                                        const std::vector<std::size_t>& working,
                                        bool derivatives);
  /// @param bound  as bound() counts
  AllValues judged(const std::vector<double>& values,
                   const std::vector<double>& numbers, bool bound) const;
  const Criterion& criterion_of(const Sample& sample) const;
  /// At the present numbers. Nothing if there is none, or the layer is absent.
  std::optional<HitMargin> margin_of(const HitEdge& edge) const;
  static TrackArrays arrays_of_tracks(const TrackGroup& group,
                                      std::span<const std::size_t> tracks,
                                      std::vector<double>& p,
                                      std::vector<double>& theta);
  static TrackArrays arrays_of_group(const TrackGroup& group,
                                     std::vector<double>& p,
                                     std::vector<double>& theta);
  void find_exact_slopes();
  void take(const Combination& combination);
  /// Finds the gaps and envelopes of the existing layers.
  void find_neighbours();
  void add_objective();
  void add_means();
  void add_requirements();
  /// ln of the mean of values, or the mean of their logarithms.
  template <class Values>
  double mean_of(const std::vector<std::size_t>& samples, bool logarithmic,
                 const Values& value) const;
  /// Values of a curve at the points of a criterion; 1 without one.
  std::vector<double> curve_at(const Criterion& criterion,
                               const std::optional<Limit>& curve) const;
  /// Adds a track that must keep its hits, if it has a resolution.
  void add_kept_hits(std::size_t file, std::size_t criterion,
                     const StudyRequest& request, const Track& track,
                     bool of_grid);
  void count_hits();
  /// Tracks of which a limit on hits or a coverage requires a number of hits.
  struct RequiredHits {
    Interval theta, pt;
    int hits;
  };
  void add_required_hits(const Criterion& criterion, const CheckResult& result,
                         const StudyRequest& grid);
  /// Whether variables change positions or dimensions.
  bool moves_layers() const;
  /// The hits that tracks must keep, from those of the start.
  void relax_hits(TrackGroup& group);
  /// Of a track; nothing if no limit is on its hits.
  std::optional<int> required_hits(const Track& track) const;
  /// Of the limits of a design, as limits_of_design() lists them, those of
  /// Objective::Kind::missing: the first, and one past the last.
  std::pair<std::size_t, std::size_t> missing_limits() const;
  /// Number of samples of the objective below the level.
  std::size_t rank_of_level() const;
  /// Finds the transitions between layers for these numbers.
  void order_coverage(std::span<const double> numbers);
  std::size_t group_of(const StudyRequest& request);

  const OptimisationProblem* problem_;
  Combination combination_;
  DesignSpace space_;
  std::vector<Gap> gaps_;
  std::vector<Envelope> envelopes_;
  std::vector<TrackGroup> groups_;
  std::vector<Sample> samples_;
  std::vector<std::size_t> of_objective_;
  bool has_level_ = false;
  /// Whether errors have exact derivatives with respect to all variables.
  bool has_exact_slopes_ = true, has_exact_slopes_with_loss_ = true;
  std::vector<double> quantity_factors_;  ///< of the limits of quantities
  struct Mean {
    std::vector<std::size_t> samples;
    double limit = 0;  ///< ln
  };
  std::vector<Mean> means_;  ///< of OptimisationProblem::means
  struct CoverageStarts {
    std::size_t coverage;    ///< index
    std::vector<double> z0;  ///< mm, evaluated
  };
  std::vector<CoverageStarts> coverage_starts_;
  std::vector<std::pair<std::size_t, CoverageStep>> coverage_steps_;
  KeptHits kept_;
  bool may_lose_hits_ = false;
  std::vector<RequiredHits> required_;
  Effort effort_;
};

/// A requirements file with finer grids, to verify a result.
RequirementFile refined(const RequirementFile& file, std::size_t factor);

}  // namespace gttf
