// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/design_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>

#include "gttf/core/dual.hpp"
#include "gttf/core/readable.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/batch_sigmas.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/study/check/check.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/track_view.hpp"

namespace gttf {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// The parameter whose error is in a column.
std::optional<Parameter> parameter_of_column(std::string_view column) {
  for (const Parameter q : all_parameters)
    if (sigma_column(q) == column) return q;
  return std::nullopt;
}

bool same_tracks(const StudyRequest& a, const StudyRequest& b) {
  const auto at = [](const StudyRequest& r) {
    return r.at ? r.at->layer + (r.at->own_hit ? "" : "-") : std::string();
  };
  return a.particle.mass == b.particle.mass &&
         a.particle.charge == b.particle.charge && a.phi == b.phi &&
         a.vertex == b.vertex && a.scattering == b.scattering &&
         a.energy_loss == b.energy_loss && a.turns == b.turns &&
         a.chosen.scattering == b.chosen.scattering &&
         a.chosen.energy_loss == b.chosen.energy_loss && at(a) == at(b) &&
         a.average == b.average && a.luminous_region == b.luminous_region &&
         a.beam_spot.has_value() == b.beam_spot.has_value() &&
         (!a.beam_spot || (a.beam_spot->x == b.beam_spot->x &&
                           a.beam_spot->y == b.beam_spot->y &&
                           a.beam_spot->z == b.beam_spot->z));
}

/// Number of variables differentiated at once.
constexpr std::size_t at_once = 8;
using NumberWithSlopes = Dual<at_once>;

double value_of(double x) { return x; }
double value_of(const NumberWithSlopes& x) { return x.value; }

/// Bounds of the level, a logarithm.
constexpr double highest_level = 50;

}  // namespace

ObjectiveUnit objective_unit(const OptimisationProblem& problem) {
  const Objective& objective = problem.objective;
  if (objective.logarithmic)
    return {"", objective.scale ? 1 : objective.criterion.quantity.unit};
  using Kind = Objective::Kind;
  if (objective.kind == Kind::quantity) {
    const Powers& powers = problem.quantities[objective.quantity].powers;
    if (powers == Powers{.length = 2}) return {"m2", unit::m * unit::m};
    if (powers == Powers{.length = 1}) return {"mm", unit::mm};
    return {is_number(powers) ? "1" : "", 1};
  }
  if (objective.kind == Kind::missing) {
    const bool is_length = problem.limits.empty();
    return is_length ? ObjectiveUnit{"mm", 1 / DesignProgram::gap_unit}
                     : ObjectiveUnit{"1", 1};
  }
  if (objective.kind == Kind::margin || objective.scale) return {"1", 1};
  const CheckedQuantity& quantity = objective.criterion.quantity;
  return {quantity.unit == 1 ? "1" : quantity.symbol, quantity.unit};
}

std::string with_unit(double value, const std::string& unit, int digits) {
  const std::string text = readable(value, digits);
  if (unit.empty() || unit == "1" || std::isnan(value)) return text;
  return text + ' ' + unit;
}

double objective_in_unit(const OptimisationProblem& problem, double f) {
  const double unit = objective_unit(problem).value;
  if (problem.objective.logarithmic) return f - std::log(unit);
  const bool is_distance = problem.objective.kind == Objective::Kind::missing;
  return (is_distance ? f : std::exp(f)) / unit;
}

DesignProgram::DesignProgram(const OptimisationProblem& problem,
                             Combination combination, KeptHits kept)
    : problem_(&problem),
      combination_(std::move(combination)),
      space_(problem.space),
      kept_(kept) {
  take(combination_);
  find_neighbours();
  find_exact_slopes();
  quantity_factors_.assign(problem.limits.size(), 1.0);
  using Kind = Objective::Kind;
  const Kind kind = problem.objective.kind;
  has_level_ = kind == Kind::worst || kind == Kind::margin ||
               kind == Kind::quantile || kind == Kind::missing;
  if (kind != Kind::quantity && kind != Kind::margin && kind != Kind::missing)
    add_objective();
  for (std::size_t i = 0; i < problem.coverages.size(); ++i) {
    const double z = problem.coverages[i].vertex_z;
    coverage_starts_.push_back(
        {i, z > 0 ? std::vector<double>{-z, z} : std::vector<double>{0}});
  }
  add_means();
  for (const CoverageLimit& limit : problem.coverages)
    required_.push_back(
        {{std::atan2(1, limit.cot_to), std::atan2(1, limit.cot_from)},
         {0, std::numeric_limits<double>::infinity()},
         static_cast<int>(limit.hits)});
  add_requirements();
  count_hits();
}

void DesignProgram::find_exact_slopes() {
  using Kind = DesignNumber::Kind;
  const auto note = [this](std::size_t key) {
    for (const NumberSlope& n : space_.keys[key].numbers) {
      const DesignNumber& number = space_.design[n.number];
      if (!has_exact_slopes(number.kind))
        has_exact_slopes_ = has_exact_slopes_with_loss_ = false;
      if (number.kind != Kind::thickness && number.kind != Kind::x_over_x0)
        continue;
      // derivatives by material are those of all slabs and of their losses
      const std::vector<Slab>& slabs =
          space_.design.detector().layers[number.layer].material;
      if (slabs.size() > 1 || slabs[0].mean_loss)
        has_exact_slopes_with_loss_ = false;
    }
  };
  for (const DesignVariable& v : space_.variables)
    std::ranges::for_each(v.keys, note);
  for (const Follower& follower : space_.followers) note(follower.key);
}

void DesignProgram::take(const Combination& combination) {
  for (const auto& [number, value] : combination.numbers)
    space_.start[number] = value;
  for (const auto& [layer, price] : combination.prices)
    space_.prices[layer] = price;
}

void DesignProgram::set_absent(std::vector<char> absent) {
  combination_.absent = std::move(absent);
  find_neighbours();
}

void DesignProgram::find_neighbours() {
  const std::vector<char>& absent = combination_.absent;
  const auto is_absent = [&](std::size_t number) {
    return !absent.empty() && absent[space_.design[number].layer] != 0;
  };
  gaps_ = problem_->gaps;
  envelopes_.clear();
  for (const Envelope& e : problem_->envelopes)
    if (!is_absent(e.number)) envelopes_.push_back(e);
  const auto name_of = [&](std::size_t number) {
    return space_.design.detector().layers[space_.design[number].layer].name;
  };
  const auto next_absent = [&]() -> std::optional<std::size_t> {
    for (const Gap& gap : gaps_)
      for (const std::size_t number : {gap.inner, gap.outer})
        if (is_absent(number)) return number;
    return std::nullopt;
  };
  // each absent layer joins the gaps on both sides
  while (const auto number = next_absent()) {
    std::vector<Gap> left;
    for (const Gap& below : gaps_) {
      if (below.inner != *number && below.outer != *number)
        left.push_back(below);
      if (below.outer != *number) continue;
      for (const Gap& above : gaps_)
        if (above.inner == *number)
          left.push_back({fmt::format("gap {}-{}", name_of(below.inner),
                                      name_of(above.outer)),
                          below.inner, above.outer,
                          std::min(below.min, above.min)});
    }
    gaps_ = std::move(left);
  }
}

DesignProgram DesignProgram::with(Combination combination) const {
  DesignProgram other = *this;
  other.effort_ = {};
  other.take(combination);
  other.combination_ = std::move(combination);
  other.find_neighbours();
  if (!other.combination_.absent.empty() || !other.combination_.numbers.empty())
    other.count_hits();
  return other;
}

void DesignProgram::take_samples_of(const DesignProgram& other) {
  samples_ = other.samples_;
  groups_ = other.groups_;
  of_objective_ = other.of_objective_;
  coverage_starts_ = other.coverage_starts_;
  count_hits();
}

DesignProgram DesignProgram::coarse(std::size_t most) const {
  DesignProgram other = *this;
  other.effort_ = {};
  other.samples_.clear();
  other.of_objective_.clear();
  for (Mean& mean : other.means_) mean.samples.clear();
  std::vector<char> done(samples_.size(), 0);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (done[i] != 0) continue;
    std::vector<std::size_t> list;
    for (std::size_t k = i; k < samples_.size(); ++k)
      if (samples_[k].is_of_same_limit(samples_[i])) {
        list.push_back(k);
        done[k] = 1;
      }
    const std::size_t n = std::min(list.size(), most);
    for (std::size_t k = 0; k < n; ++k) {
      // with both ends
      const std::size_t at = list[n == 1 ? 0 : k * (list.size() - 1) / (n - 1)];
      if (std::ranges::count(of_objective_, at) > 0)
        other.of_objective_.push_back(other.samples_.size());
      if (samples_[at].file == Sample::mean)
        other.means_[samples_[at].criterion].samples.push_back(
            other.samples_.size());
      other.samples_.push_back(samples_[at]);
    }
  }
  return other;
}

std::size_t DesignProgram::group_of(const StudyRequest& request) {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (same_tracks(groups_[g].request, request)) return g;
  TrackGroup& group = groups_.emplace_back();
  group.request = request;
  group.model = model_of(request, problem_->input.detector);
  return groups_.size() - 1;
}

std::size_t DesignProgram::add_sample(Sample sample,
                                      const StudyRequest& request,
                                      const Track& track) {
  StudyRequest own = request;
  auto& parameter = own.average ? sample.averaged : sample.parameter;
  const auto of_column =
      parameter_of_column(criterion_of(sample).quantity.name);
  const bool is_exact =
      energy_loss_of(own, problem_->input.detector) == EnergyLoss::off
          ? has_exact_slopes_
          : has_exact_slopes_with_loss_;
  if (!parameter && is_exact) parameter = of_column;
  // an error of the perigee needs no state at a layer
  if (parameter || of_column) own.at.reset();
  // shares, materials and coverages are those of single tracks
  if (criterion_of(sample).quantity.kind != CheckedQuantity::Kind::number)
    own.average.reset();
  sample.group = group_of(own);
  TrackGroup& group = groups_[sample.group];
  sample.track = group.tracks.size();
  for (std::size_t t = 0; t < group.tracks.size(); ++t)
    if (group.tracks[t].p == track.p && group.tracks[t].theta == track.theta) {
      sample.track = t;
      break;
    }
  if (sample.track == group.tracks.size()) {
    group.tracks.push_back(track);
    group.n_hits.push_back(-1);
  }
  samples_.push_back(sample);
  if (problem_->objective.kind == Objective::Kind::margin &&
      sample.is_limit() && !std::isinf(sample.upper) && !is_of_text(sample))
    of_objective_.push_back(samples_.size() - 1);
  return samples_.size() - 1;
}

void DesignProgram::scale_limit(const LimitValue& limit, double factor) {
  if (limit.kind == LimitValue::Kind::quantity)
    quantity_factors_[limit.index] *= factor;
  if (limit.kind == LimitValue::Kind::mean)
    means_[limit.index].limit += std::log(factor);
  if (limit.kind != LimitValue::Kind::sample) return;
  const Sample own = samples_[limit.index];
  for (Sample& sample : samples_)
    if (sample.is_of_same_limit(own)) {
      sample.lower *= factor;
      sample.upper *= factor;
    }
}

std::vector<double> DesignProgram::curve_at(
    const Criterion& criterion, const std::optional<Limit>& curve) const {
  std::vector<double> scales(criterion.points.size(), 1.0);
  if (!curve) return scales;
  RequirementFile file;
  file.request = problem_->request;
  file.criteria = {criterion};
  file.criteria[0].max = curve;
  file.criteria[0].angle.is_range = false;  // only these points
  const CheckOutcome outcome =
      check(file, std::span(&problem_->input.detector, 1));
  for (std::size_t i = 0; i < scales.size(); ++i)
    scales[i] = outcome.results[0].points[i].upper;
  return scales;
}

void DesignProgram::add_objective() {
  const Objective& objective = problem_->objective;
  RequirementFile file;
  file.request = problem_->request;
  const StudyRequest grid = grid_of(file, objective.criterion);
  const std::vector<double> scales =
      curve_at(objective.criterion, objective.scale);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    Sample sample;
    sample.upper = sample.scale = scales[i];
    if (!objective.weights.empty()) sample.weight = objective.weights[i];
    of_objective_.push_back(add_sample(
        sample, grid, grid_track(grid, objective.criterion.points[i])));
  }
}

void DesignProgram::add_means() {
  for (std::size_t m = 0; m < problem_->means.size(); ++m) {
    const MeanLimit& limit = problem_->means[m];
    RequirementFile file;
    file.request = problem_->request;
    const StudyRequest grid = grid_of(file, limit.criterion);
    const std::vector<double> scales = curve_at(limit.criterion, limit.scale);
    Mean mean{{}, std::log(limit.max)};
    for (std::size_t i = 0; i < scales.size(); ++i) {
      Sample sample;
      sample.file = Sample::mean;
      sample.criterion = m;
      sample.scale = scales[i];
      if (!limit.weights.empty()) sample.weight = limit.weights[i];
      // only the hits of the track must stay
      sample.upper = std::numeric_limits<double>::infinity();
      mean.samples.push_back(add_sample(
          sample, grid, grid_track(grid, limit.criterion.points[i])));
    }
    means_.push_back(std::move(mean));
  }
}

template <class Values>
double DesignProgram::mean_of(const std::vector<std::size_t>& samples,
                              bool logarithmic, const Values& value) const {
  double sum = 0, weights = 0;
  for (const std::size_t i : samples) {
    const Sample& s = samples_[i];
    const double v = value(i) / s.scale;
    sum += s.weight * (logarithmic ? std::log(v) : v);
    weights += s.weight;
  }
  sum /= weights;
  return logarithmic ? sum : std::log(sum);
}

void DesignProgram::add_requirements() {
  const bool has_layers_to_choose = std::ranges::any_of(
      problem_->choices,
      [](const DesignChoice& choice) { return !choice.layers.empty(); });
  for (std::size_t f = 0; f < problem_->requirements.size(); ++f) {
    const RequirementFile& file = problem_->requirements[f];
    const CheckOutcome outcome =
        check(file, std::span(&problem_->input.detector, 1));
    for (const CheckResult& result : outcome.results) {
      const Criterion& criterion = file.criteria[result.criterion];
      using Kind = CheckedQuantity::Kind;
      if (criterion.quantity.kind == Kind::text) {
        const StudyRequest points = grid_of(file, criterion);
        for (const GridPoint point : criterion.points) {
          Sample sample;
          sample.file = f;
          sample.criterion = result.criterion;
          if (space_.size() > 0)
            sample.upper = std::numeric_limits<double>::infinity();
          else
            sample.lower = 1;
          add_sample(sample, points, grid_track(points, point));
        }
        continue;
      }
      if (criterion.quantity.kind == Kind::coverage) {
        // variables keep the hits, combinations are compared by their coverage
        const StudyRequest points = grid_of(file, criterion);
        for (const GridPoint point : criterion.points)
          if (space_.size() > 0)
            add_kept_hits(f, result.criterion, points,
                          grid_track(points, point), true);
        if (problem_->choices.empty()) continue;
      }
      const StudyRequest grid = grid_of(file, result);
      add_required_hits(criterion, result, grid);
      const auto of_grid = [&criterion](const CheckedPoint& point) {
        return point.point.angle < criterion.angle.values.size();
      };
      for (const CheckedPoint& point : result.points) {
        // a number of hits has no derivative: the hits of the start are kept,
        // unless layers are chosen, which are compared by their values
        if (criterion.quantity.name == "n_hits" && point.passed &&
            !file.request.average && !has_layers_to_choose) {
          add_kept_hits(f, result.criterion, grid,
                        grid_track(grid, point.point), of_grid(point));
          continue;
        }
        // a value between two limits is two samples
        for (const bool is_lower : {true, false}) {
          Sample sample;
          sample.file = f;
          sample.criterion = result.criterion;
          sample.of_grid = of_grid(point);
          (is_lower ? sample.lower : sample.upper) =
              is_lower ? point.lower : point.upper;
          if (std::isnan(is_lower ? point.lower : point.upper)) continue;
          // nothing covers more than all points
          if (!is_lower && criterion.quantity.kind == Kind::coverage &&
              point.upper >= 1)
            continue;
          add_sample(sample, grid, grid_track(grid, point.point));
        }
      }
    }
  }
}

void DesignProgram::add_kept_hits(std::size_t file, std::size_t criterion,
                                  const StudyRequest& request,
                                  const Track& track, bool of_grid) {
  const PerParameter errors =
      sigmas(resolve(TrackingGeometry(problem_->input.detector), track,
                     model_of(request, problem_->input.detector)));
  for (const Parameter q : all_parameters) {
    if (!std::isfinite(errors[q])) continue;
    Sample sample;
    sample.file = file;
    sample.criterion = criterion;
    sample.upper = std::numeric_limits<double>::infinity();
    sample.parameter = q;
    sample.of_grid = of_grid;
    add_sample(sample, request, track);
    return;
  }
}

void DesignProgram::add_required_hits(const Criterion& criterion,
                                      const CheckResult& result,
                                      const StudyRequest& grid) {
  const CheckedQuantity& quantity = criterion.quantity;
  const bool is_coverage = quantity.kind == CheckedQuantity::Kind::coverage;
  double hits = 0;
  for (const CheckedPoint& point : result.points)
    hits = std::max(hits, point.lower);
  if (is_coverage) hits = hits < 1 ? 0 : quantity.hits;
  if (!(hits > 0) || (!is_coverage && quantity.name != "n_hits")) return;
  constexpr double rounding = 1e-9, none = -1;
  RequiredHits required{{}, {}, static_cast<int>(std::ceil(hits - rounding))};
  required.theta.lower = none;
  const auto include = [](Interval& range, double value, bool is_first) {
    const double margin = rounding * value;
    range.lower =
        is_first ? value - margin : std::min(range.lower, value - margin);
    range.upper =
        is_first ? value + margin : std::max(range.upper, value + margin);
  };
  for (const GridPoint point : criterion.points) {
    const Track track = grid_track(grid, point);
    const bool is_first =
        !criterion.angle.is_range || required.theta.lower == none;
    include(required.theta, track.theta, is_first);
    include(required.pt, track.p * std::sin(track.theta), is_first);
    // between the values of a list nothing is required
    if (!criterion.angle.is_range) required_.push_back(required);
  }
  if (criterion.angle.is_range) required_.push_back(required);
}

std::optional<int> DesignProgram::required_hits(const Track& track) const {
  std::optional<int> most;
  for (const RequiredHits& required : required_)
    if (required.theta.contains(track.theta) &&
        required.pt.contains(track.p * std::sin(track.theta)))
      most = std::max(most.value_or(0), required.hits);
  return most;
}

bool DesignProgram::is_absent(std::size_t layer) const {
  return layer < combination_.absent.size() && combination_.absent[layer] != 0;
}

TrackingGeometry DesignProgram::geometry() const {
  TrackingGeometry g = space_.design.is_complete()
                           ? TrackingGeometry(space_.design.detector())
                           : TrackingGeometry(space_.design.present_detector());
  for (std::size_t l = 0; l < combination_.absent.size(); ++l)
    if (is_absent(l)) {
      g.drop_hit(l);
      g.scale_material(l, 0);
    }
  return g;
}

bool DesignProgram::moves_layers() const {
  using Kind = DesignNumber::Kind;
  const auto moves = [this](std::size_t key) {
    return std::ranges::any_of(
        space_.keys[key].numbers, [this](const NumberSlope& n) {
          const Kind kind = space_.design[n.number].kind;
          return kind == Kind::position || kind == Kind::extent ||
                 kind == Kind::slope;
        });
  };
  return std::ranges::any_of(space_.variables,
                             [&](const DesignVariable& v) {
                               return std::ranges::any_of(v.keys, moves);
                             }) ||
         std::ranges::any_of(space_.followers,
                             [&](const Follower& f) { return moves(f.key); });
}

void DesignProgram::relax_hits(TrackGroup& group) {
  if (!moves_layers()) return;
  std::vector<char> of_grid(group.tracks.size(), 0);
  for (const Sample& s : samples_)
    if (&groups_[s.group] == &group && s.of_grid) of_grid[s.track] = 1;
  for (std::size_t t = 0; t < group.tracks.size(); ++t) {
    const std::optional<int> required = required_hits(group.tracks[t]);
    if (!required && of_grid[t] != 0) continue;
    const int least = required ? std::min(*required, group.n_hits[t]) : -1;
    may_lose_hits_ = may_lose_hits_ || least < group.n_hits[t];
    if (kept_ == KeptHits::required) group.n_hits[t] = least;
  }
}

void DesignProgram::count_hits() {
  if (space_.size() == 0) return;  // then no hits can be lost
  // the weights of patterns that lose hits then vary as well
  const bool vary_efficiencies =
      DesignSlopes(space_.design, number_slopes(space_.start_values()))
          .of_efficiencies();
  space_.design.set(space_.numbers<double>(space_.start_values()));
  const TrackingGeometry g = geometry();
  for (TrackGroup& group : groups_) {
    if (group.tracks.empty()) continue;
    std::vector<double> p, theta;
    ResolutionArrays results;
    results.n_hits = group.n_hits;
    resolve(g, arrays_of_group(group, p, theta), group.model, results);
    if (!group.request.average) {
      relax_hits(group);
      continue;
    }
    std::vector<std::size_t> all(group.tracks.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const Table rows = averages_of(group, all);
    if (!vary_efficiencies) group.kept = kept_averages(rows);
    // only exact averages are of one azimuth and vertex
    for (std::size_t t = 0; t < all.size(); ++t)
      if (detail::text_at(rows, "method", t) != "exact") group.n_hits[t] = -1;
  }
}

bool TrackGroup::keeps_hits(std::span<const std::size_t> members,
                            std::span<const int> hits) const {
  for (std::size_t i = 0; i < members.size(); ++i)
    if (hits[i] < n_hits[members[i]]) return false;
  return true;
}

VectorXd DesignProgram::scaled(const std::vector<double>& x) const {
  const auto n = static_cast<Index>(space_.size());
  VectorXd y = VectorXd::Zero(n + (has_level_ ? 1 : 0));
  for (Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    y[i] = space_.variables[k].scaled(x[k]);
  }
  return y;
}

std::vector<double> DesignProgram::natural(const VectorXd& x) const {
  std::vector<double> y(space_.size());
  for (std::size_t k = 0; k < y.size(); ++k)
    y[k] = space_.variables[k].natural(x[static_cast<Index>(k)]);
  return y;
}

NonlinearProgram DesignProgram::program(
    const std::vector<std::size_t>& working) {
  const auto n = static_cast<Index>(space_.size());
  const Index all = n + (has_level_ ? 1 : 0);
  NonlinearProgram p;
  p.lower = VectorXd::Zero(all);
  p.upper = VectorXd::Ones(all);
  if (has_level_) {
    p.lower[n] = -highest_level;
    p.upper[n] = highest_level;
  }
  p.evaluate = [this, working](const VectorXd& x, bool derivatives) {
    return evaluate(x, working, derivatives);
  };
  return p;
}

std::pair<double, double> DesignProgram::against(const Sample& sample,
                                                 double value) {
  const bool is_lower = std::isnan(sample.upper);
  const double limit = is_lower ? sample.lower : sample.upper;
  const double sign = is_lower ? -1 : 1;
  if (std::isinf(limit)) return {-highest_level, 0};
  if (limit > 0 && value > 0)
    return {sign * std::log(value / limit), sign / value};
  const double scale = std::max(std::abs(limit), 1e-12);
  return {sign * (value - limit) / scale, sign / scale};
}

template <class S>
S DesignProgram::quantity(std::size_t index,
                          const std::vector<S>& numbers) const {
  S sum(0);
  for (const DesignQuantity::Term& term : problem_->quantities[index].terms) {
    const auto is_absent = [&](const FormulaInput& input) {
      return !combination_.absent.empty() &&
             input.layer != FormulaInput::none &&
             combination_.absent[input.layer] != 0;
    };
    if (std::ranges::any_of(term.inputs, is_absent)) continue;
    sum += space_.value<S>(term.formula, term.inputs, numbers);
  }
  return sum;
}

template <class F>
void DesignProgram::differentiate(const std::vector<double>& x,
                                  const F& f) const {
  using S = NumberWithSlopes;
  for (std::size_t begin = 0; begin < x.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, x.size() - begin);
    std::vector<S> variables(x.begin(), x.end());
    for (std::size_t i = 0; i < count; ++i)
      variables[begin + i] = S::variable(x[begin + i], static_cast<int>(i));
    f(space_.numbers<S>(std::span<const S>(variables)),
      [&](const S& number, auto&& row) {
        for (std::size_t i = 0; i < count; ++i)
          row[static_cast<Index>(begin + i)] = number.derivative[i];
      });
  }
}

Eigen::MatrixXd DesignProgram::number_slopes(
    const std::vector<double>& x) const {
  Eigen::MatrixXd slopes(static_cast<Index>(space_.design.size()),
                         static_cast<Index>(x.size()));
  differentiate(x, [&](const auto& numbers, const auto& put) {
    for (Index k = 0; k < slopes.rows(); ++k)
      put(numbers[static_cast<std::size_t>(k)], slopes.row(k));
  });
  return slopes;
}

template <class S>
std::vector<S> DesignProgram::limits_of_design(
    const std::vector<S>& numbers) const {
  using std::log;
  std::vector<S> limits;
  for (const Gap& gap : gaps_)
    limits.push_back((S(gap.min) - (numbers[gap.outer] - numbers[gap.inner])) /
                     S(gap_unit));
  for (const Envelope& e : envelopes_)
    limits.push_back(S((e.is_upper ? 1 : -1) / gap_unit) *
                     (numbers[e.number] - S(e.bound)));
  for (const auto& [coverage, step] : coverage_steps_)
    limits.push_back(S(1 / gap_unit) *
                     missing_length<S>(step, std::span<const S>(numbers)));
  for (std::size_t i = 0; i < problem_->limits.size(); ++i) {
    const QuantityLimit& limit = problem_->limits[i];
    const S q = quantity<S>(limit.quantity, numbers);
    const auto add = [&](double bound, double sign) {
      limits.push_back(bound > 0 && value_of(q) > 0
                           ? S(sign) * log(q / S(bound))
                           : S(sign / std::max(std::abs(bound), 1e-9)) *
                                 (q - S(bound)));
    };
    if (limit.max) add(*limit.max * quantity_factors_[i], 1);
    if (limit.min) add(*limit.min * quantity_factors_[i], -1);
  }
  return limits;
}

std::optional<ProgramValues> DesignProgram::evaluate(
    const VectorXd& at, const std::vector<std::size_t>& working,
    bool derivatives) {
  const auto n = static_cast<Index>(space_.size());
  const std::vector<double> x = natural(at);
  const Objective& objective = problem_->objective;
  using Kind = Objective::Kind;

  std::vector<std::size_t> which;
  for (const std::size_t i : working)
    if (!HitEdge::is_number(i)) which.push_back(i);
  const std::size_t first_of_objective = which.size();
  const bool by_samples =
      objective.kind == Kind::point || objective.kind == Kind::mean;
  if (by_samples)
    which.insert(which.end(), of_objective_.begin(), of_objective_.end());
  const std::size_t first_of_means = which.size();
  for (const Mean& mean : means_)
    which.insert(which.end(), mean.samples.begin(), mean.samples.end());
  const auto values = values_of(which, x, derivatives);
  if (!values) return std::nullopt;

  const bool of_quantity = objective.kind == Kind::quantity;
  std::vector<double> limits = limits_of_design(values->numbers);
  const auto n_of_design = static_cast<Index>(limits.size());
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(
      derivatives
          ? n_of_design + static_cast<Index>(means_.size() + working.size())
          : 0,
      n);
  VectorXd f_slope = VectorXd::Zero(derivatives ? n : 0);
  const auto first_of_working = n_of_design + static_cast<Index>(means_.size());
  std::vector<std::pair<std::size_t, HitMargin>> margins;  // index in working
  space_.design.set(values->numbers);  // differences have changed them
  for (std::size_t i = 0; i < working.size(); ++i)
    if (HitEdge::is_number(working[i]))
      if (const auto margin = margin_of(HitEdge::of(working[i])))
        margins.emplace_back(i, *margin);
  if (derivatives && (n_of_design > 0 || of_quantity || !margins.empty()))
    differentiate(
        x, [&]<class S>(const std::vector<S>& numbers, const auto& put) {
          const auto list = limits_of_design(numbers);
          for (Index i = 0; i < n_of_design; ++i)
            put(list[static_cast<std::size_t>(i)], slopes.row(i));
          for (const auto& [i, margin] : margins)
            put(margin.missing(std::span<const S>(numbers)) / S(gap_unit),
                slopes.row(first_of_working + static_cast<Index>(i)));
          if (of_quantity)
            put(log(quantity(objective.quantity, numbers)), f_slope);
        });
  /// Of samples in a row: ln of the mean or mean of ln, and its slopes.
  const auto mean_of_row = [&](std::size_t begin, std::size_t end,
                               bool logarithmic, auto&& slope) {
    double f = 0, weights = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Sample& s = samples_[which[i]];
      const double v = values->value[i] / s.scale;
      f += s.weight * (logarithmic ? std::log(v) : v);
      weights += s.weight;
      if (derivatives)
        slope +=
            (s.weight * (logarithmic ? 1 / v : 1) / s.scale) * values->slope[i];
    }
    f /= weights;
    if (derivatives) slope /= weights;
    if (logarithmic) return f;
    if (derivatives) slope /= f;
    return std::log(f);
  };
  for (std::size_t m = 0, begin = first_of_means; m < means_.size(); ++m) {
    const std::size_t end = begin + means_[m].samples.size();
    VectorXd slope = VectorXd::Zero(n);
    const double f =
        mean_of_row(begin, end, problem_->means[m].logarithmic, slope);
    if (derivatives) slopes.row(static_cast<Index>(limits.size())) = slope;
    limits.push_back(f - means_[m].limit);
    begin = end;
  }
  auto margin = margins.begin();
  for (std::size_t i = 0, next = 0; i < working.size(); ++i) {
    if (HitEdge::is_number(working[i])) {
      const bool exists = margin != margins.end() && margin->first == i;
      limits.push_back(exists ? (margin++)->second.missing(
                                    std::span<const double>(values->numbers)) /
                                    gap_unit
                              : -highest_level);
      continue;
    }
    const auto [value, slope] =
        against(samples_[working[i]], values->value[next]);
    if (derivatives)
      slopes.row(static_cast<Index>(limits.size())) =
          slope * values->slope[next].transpose();
    limits.push_back(value);
    ++next;
  }

  double f = 0;
  switch (objective.kind) {
    case Kind::point:
    case Kind::mean:
      f = mean_of_row(first_of_objective, first_of_means, objective.logarithmic,
                      f_slope);
      break;
    case Kind::quantity:
      f = std::log(quantity(objective.quantity, values->numbers));
      break;
    case Kind::worst:
    case Kind::margin:
    case Kind::quantile:
    case Kind::missing:
      break;
  }
  const Index all = n + (has_level_ ? 1 : 0);
  ProgramValues result;
  result.limits.resize(static_cast<Index>(limits.size()));
  for (Index i = 0; i < result.limits.size(); ++i)
    result.limits[i] = limits[static_cast<std::size_t>(i)];
  // samples of the objective, or the limits that it is of, are limited by the
  // level
  const auto first_sample = static_cast<Index>(limits.size() - working.size());
  const auto is_levelled = [&](Index i) {
    if (objective.kind == Kind::missing) {
      const auto [begin, end] = missing_limits();
      return i >= static_cast<Index>(begin) && i < static_cast<Index>(end);
    }
    return has_level_ && i >= first_sample &&
           std::ranges::count(
               of_objective_,
               working[static_cast<std::size_t>(i - first_sample)]) > 0;
  };
  if (has_level_) {
    result.f = at[n];
    for (Index i = 0; i < result.limits.size(); ++i)
      if (is_levelled(i)) result.limits[i] -= at[n];
  } else {
    result.f = f;
  }
  if (!std::isfinite(result.f) || !result.limits.allFinite())
    return std::nullopt;
  if (!derivatives) return result;
  VectorXd range(n);
  for (Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    range[i] = space_.variables[k].span_at(x[k]);
  }
  result.gradient = VectorXd::Zero(all);
  if (has_level_)
    result.gradient[n] = 1;
  else
    result.gradient.head(n) = f_slope.cwiseProduct(range);
  result.jacobian = Eigen::MatrixXd::Zero(result.limits.size(), all);
  for (Index i = 0; i < result.limits.size(); ++i) {
    result.jacobian.row(i).head(n) =
        slopes.row(i).cwiseProduct(range.transpose());
    if (is_levelled(i)) result.jacobian(i, n) = -1;
  }
  return result;
}

double DesignProgram::AllValues::violation() const {
  double worst = std::max(0.0, others);
  for (const double s : samples) worst = std::max(worst, s);
  return worst;
}

std::optional<DesignProgram::AllValues> DesignProgram::all_values(
    const std::vector<double>& x) {
  std::vector<std::size_t> which(samples_.size());
  for (std::size_t i = 0; i < which.size(); ++i) which[i] = i;
  const auto values = values_of(which, x, false);
  if (!values) return std::nullopt;
  return judged(values->value, values->numbers, false);
}

DesignProgram::AllValues DesignProgram::judged(
    const std::vector<double>& values, const std::vector<double>& numbers,
    bool bound) const {
  AllValues all;
  const Objective& objective = problem_->objective;
  const std::vector<double> limits = limits_of_design(numbers);
  if (objective.kind == Objective::Kind::missing) {
    const auto [begin, end] = missing_limits();
    all.f = -highest_level;
    for (std::size_t i = 0; i < limits.size(); ++i) {
      double& largest = i >= begin && i < end ? all.f : all.others;
      largest = std::max(largest, limits[i]);
    }
    return all;
  }
  if (!bound)
    for (const double limit : limits) all.others = std::max(all.others, limit);
  if (bound) {
    std::size_t k = gaps_.size() + envelopes_.size() + coverage_steps_.size();
    for (const QuantityLimit& limit : problem_->limits) {
      if (limit.max) all.others = std::max(all.others, limits[k]);
      k += (limit.max ? 1 : 0) + (limit.min ? 1 : 0);
    }
  }
  const auto value = [&values](std::size_t i) { return values[i]; };
  for (std::size_t m = 0; m < means_.size(); ++m)
    all.others = std::max(
        all.others,
        mean_of(means_[m].samples, problem_->means[m].logarithmic, value) -
            means_[m].limit);
  if (objective.kind == Objective::Kind::quantity) {
    const double q = quantity<double>(objective.quantity, numbers);
    all.f = bound && !(q > 0) ? -highest_level : std::log(q);
  } else if (!has_level_) {
    all.f = mean_of(of_objective_, objective.logarithmic, value);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    all.samples.push_back(against(samples_[i], values[i]).first);
  if (has_level_) {
    std::vector<double> ratios;
    for (const std::size_t i : of_objective_) ratios.push_back(all.samples[i]);
    all.f = -highest_level;
    if (!ratios.empty()) {
      const auto at =
          ratios.begin() + static_cast<std::ptrdiff_t>(rank_of_level() - 1);
      std::ranges::nth_element(ratios, at);
      all.f = *at;
    }
    for (const std::size_t i : of_objective_)
      all.samples[i] =
          all.samples[i] > all.f && objective.kind == Objective::Kind::quantile
              ? -1
              : all.samples[i] - all.f;
  } else {
    for (const std::size_t i : of_objective_) all.samples[i] = -1;
  }
  if (bound)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::isnan(samples_[i].upper) ||
          groups_[samples_[i].group].request.average ||
          !criterion_of(samples_[i]).quantity.name.starts_with("sigma_"))
        all.samples[i] = -1;
  return all;
}

std::vector<std::size_t> DesignProgram::samples_that_lose_hits(
    const std::vector<double>& x) {
  space_.design.set(space_.numbers<double>(std::span<const double>(x)));
  const TrackingGeometry g = geometry();
  std::vector<std::vector<char>> has_lost;  // of each group, its tracks
  for (const TrackGroup& group : groups_) {
    std::vector<char>& tracks = has_lost.emplace_back(group.tracks.size(), 0);
    if (group.tracks.empty()) continue;
    std::vector<double> p, theta;
    const TrackArrays arrays = arrays_of_group(group, p, theta);
    std::vector<int> n_hits(p.size());
    sigmas_and_hits(g, arrays, group.model, {}, 1, n_hits);
    effort_.covariances += p.size();
    for (std::size_t t = 0; t < tracks.size(); ++t)
      tracks[t] = n_hits[t] < group.n_hits[t] ? 1 : 0;
    if (group.kept.empty()) continue;
    std::vector<std::size_t> all(group.tracks.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const Table rows = averages_of(group, all);
    for (std::size_t t = 0; t < tracks.size(); ++t)
      if (!keeps(rows, t, group.kept[t])) tracks[t] = 1;
  }
  std::vector<std::size_t> lost;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const Sample& s = samples_[i];
    int n_hits = 0;
    if (has_lost[s.group][s.track] != 0 ||
        (is_of_text(s) && !generic_value(g, s, n_hits)))
      lost.push_back(i);
  }
  return lost;
}

bool DesignProgram::is_known(std::size_t working) const {
  if (!HitEdge::is_number(working)) return working < samples_.size();
  const HitEdge edge = HitEdge::of(working);
  return edge.group < groups_.size() &&
         edge.track < groups_[edge.group].tracks.size() &&
         edge.layer < space_.design.detector().layers.size();
}

std::optional<HitMargin> DesignProgram::margin_of(const HitEdge& edge) const {
  if (is_absent(edge.layer)) return std::nullopt;
  return hit_margin(space_.design, edge,
                    groups_[edge.group].tracks[edge.track]);
}

std::vector<std::size_t> DesignProgram::changed_edges(
    const std::vector<double>& from, const std::vector<double>& to) {
  const FieldKind kind = space_.design.detector().field.kind;
  if (kind != FieldKind::solenoid && kind != FieldKind::none) return {};
  std::vector<std::vector<double>> numbers;  // at both designs
  std::vector<TrackingGeometry> geometries;
  for (const std::vector<double>* x : {&from, &to}) {
    numbers.push_back(space_.numbers<double>(std::span<const double>(*x)));
    space_.design.set(numbers.back());
    geometries.push_back(geometry());
  }
  struct Change {
    HitEdge edge;
    double met_at = 0;  ///< share of the way
    bool is_lost = false;
  };
  std::vector<Change> changes;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const TrackGroup& group = groups_[g];
    if (group.tracks.empty() || group.model.loss != EnergyLoss::off ||
        group.model.turns != 0)
      continue;
    for (std::size_t t = 0; t < group.tracks.size(); ++t) {
      if (group.n_hits[t] < 0) continue;
      const std::array paths{
          detail::AnyTrack(geometries[0], group.tracks[t], group.model),
          detail::AnyTrack(geometries[1], group.tracks[t], group.model)};
      const bool is_lost = paths[1].n_measuring() < group.n_hits[t];
      std::array<std::vector<std::size_t>, 2> crossed;
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t k = 0; k < paths[i].size(); ++k)
          crossed[i].push_back(paths[i].surface(k));
        std::ranges::sort(crossed[i]);
      }
      for (std::size_t i = 0; i < 2; ++i) {
        std::vector<std::size_t> layers;
        std::ranges::set_difference(crossed[i], crossed[1 - i],
                                    std::back_inserter(layers));
        for (const std::size_t layer : layers) {
          const std::size_t first = changes.size();
          for (std::size_t side = 0; side < HitEdge::n_sides; ++side) {
            const HitEdge edge{g, t, layer, side, i == 1};
            std::array<double, 2> missing{};
            for (std::size_t at = 0; at < 2; ++at) {
              space_.design.set(numbers[at]);
              const auto margin = margin_of(edge);
              missing[at] =
                  margin ? margin->missing(std::span<const double>(numbers[at]))
                         : Resolution::none;
            }
            constexpr double inside = HitMargin::inside;
            if (missing[0] <= inside && missing[1] > inside)
              changes.push_back(
                  {edge, (inside - missing[0]) / (missing[1] - missing[0]),
                   is_lost});
          }
          // a track is outside of a layer if it is beyond one of its edges
          if (i == 1 && changes.size() > first) {
            changes[first] = *std::max_element(
                changes.begin() + static_cast<std::ptrdiff_t>(first),
                changes.end(), [](const Change& a, const Change& b) {
                  return a.met_at < b.met_at;
                });
            changes.resize(first + 1);
          }
        }
      }
    }
  }
  std::ranges::stable_sort(changes, {}, &Change::met_at);
  const bool any_lost = std::ranges::any_of(changes, &Change::is_lost);
  std::vector<std::size_t> result;
  std::set<std::array<std::size_t, 4>> seen;
  for (const Change& change : changes) {
    if (change.is_lost != any_lost) continue;
    if (!any_lost && change.met_at > changes.front().met_at) break;
    const HitEdge& edge = change.edge;
    if (!seen.insert({edge.group, edge.layer, edge.side, edge.is_outside})
             .second)
      continue;
    if (const auto number = edge.number()) result.push_back(*number);
  }
  return result;
}

bool DesignProgram::has_exact_averages(const DesignSlopes& slopes) const {
  return slopes.in_batches() && !slopes.of_efficiencies();
}

std::vector<std::string> DesignProgram::by_differences() {
  std::vector<std::string> names;
  if (space_.size() == 0) return names;
  const DesignSlopes slopes(space_.design,
                            number_slopes(space_.start_values()));
  const bool exact = has_exact_averages(slopes);
  for (const Sample& s : samples_) {
    if (s.parameter || (s.averaged && exact) || is_of_text(s)) continue;
    const std::string& name = criterion_of(s).quantity.name;
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  }
  return names;
}

std::pair<std::size_t, std::size_t> DesignProgram::missing_limits() const {
  const std::size_t lengths = gaps_.size() + envelopes_.size();
  std::size_t all = lengths + coverage_steps_.size();
  for (const QuantityLimit& limit : problem_->limits)
    all += (limit.max ? 1 : 0) + (limit.min ? 1 : 0);
  if (problem_->coverages.empty() && problem_->limits.empty())
    return {0, lengths};
  return {lengths, all};
}

std::size_t DesignProgram::rank_of_level() const {
  const Objective& objective = problem_->objective;
  if (objective.kind != Objective::Kind::quantile) return of_objective_.size();
  const double n = static_cast<double>(of_objective_.size());
  constexpr double rounding = 1e-9;
  return static_cast<std::size_t>(
      std::clamp(std::ceil(objective.quantile * n - rounding), 1.0, n));
}

std::vector<std::size_t> DesignProgram::beyond_quantile(
    const std::vector<double>& x) {
  std::vector<std::size_t> beyond;
  if (problem_->objective.kind != Objective::Kind::quantile) return beyond;
  const auto values = values_of(of_objective_, x, false);
  if (!values) return beyond;
  std::vector<std::size_t> order(of_objective_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return against(samples_[of_objective_[i]], values->value[i]).first;
  });
  for (std::size_t i = rank_of_level(); i < order.size(); ++i)
    beyond.push_back(of_objective_[order[i]]);
  return beyond;
}

void DesignProgram::order_coverage(std::span<const double> numbers) {
  coverage_steps_.clear();
  for (const CoverageStarts& starts : coverage_starts_)
    for (const double z0 : starts.z0)
      for (const CoverageStep& step :
           coverage_steps(problem_->coverages[starts.coverage], z0, numbers,
                          combination_.absent))
        coverage_steps_.emplace_back(starts.coverage, step);
}

double DesignProgram::missing_coverage(const std::vector<double>& x, bool add,
                                       double allowed) {
  const std::vector<double> numbers =
      space_.numbers<double>(std::span<const double>(x));
  double missing = -std::numeric_limits<double>::infinity();
  for (CoverageStarts& starts : coverage_starts_) {
    const CoverageGap gap = largest_gap(problem_->coverages[starts.coverage],
                                        numbers, combination_.absent);
    missing = std::max(missing, gap.missing);
    if (add && gap.missing > allowed + limit_rounding * gap_unit)
      starts.z0.push_back(gap.z0);
  }
  return missing;
}

std::optional<DesignProgram::AllValues> DesignProgram::bound(
    const std::vector<UndecidedLayers>& undecided, bool weighted) {
  const std::vector<double> numbers =
      space_.numbers<double>(std::span<const double>());
  const auto weight_of = [&](const UndecidedLayers& u) {
    return weighted ? std::min(1.0, static_cast<double>(u.most) /
                                        static_cast<double>(u.entries.size()))
                    : 1.0;
  };
  // undecided layers are not included in quantities
  const std::vector<char> absent = combination_.absent;
  std::vector<double> changed = numbers;
  std::vector<std::size_t> layers;
  for (const UndecidedLayers& u : undecided)
    for (const auto& entry : u.entries)
      for (const std::size_t l : entry) {
        layers.push_back(l);
        for (std::size_t k = space_.design.first_of(l);
             k < space_.design.end_of(l); ++k)
          if (space_.design[k].kind == DesignNumber::Kind::sigma)
            changed[k] /= std::sqrt(weight_of(u));
      }
  space_.design.set(changed);
  TrackingGeometry g = geometry();
  for (const std::size_t l : layers) g.scale_material(l, 0);
  ++effort_.designs;
  std::vector<double> values(samples_.size());
  for (std::size_t gi = 0; gi < groups_.size(); ++gi) {
    const TrackGroup& group = groups_[gi];
    std::vector<double> p, theta;
    const TrackArrays arrays = arrays_of_group(group, p, theta);
    effort_.covariances += arrays.size;
    std::vector<Parameter> asked;
    for (const Sample& s : samples_)
      if (s.group == gi && s.parameter &&
          std::ranges::count(asked, *s.parameter) == 0)
        asked.push_back(*s.parameter);
    if (asked.empty()) continue;
    if (!weighted) {
      const auto errors = sigmas_and_hits(g, arrays, group.model, asked, 1, {});
      for (std::size_t i = 0; i < samples_.size(); ++i)
        if (const Sample& s = samples_[i]; s.group == gi && s.parameter)
          values[i] = errors[s.track][*s.parameter];
      continue;
    }
    const BatchSensitivities list(g, arrays, group.model, asked, 1, {}, nullptr,
                                  {false, false, false, {}});
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const Sample& s = samples_[i];
      if (s.group != gi || !s.parameter) continue;
      // convex in the weights, so it lies above its tangent, whose slopes are
      // the shares of the hits in the variance
      const double sigma = list.sigma(*s.parameter, s.track);
      double factor = 1;
      for (const UndecidedLayers& u : undecided) {
        std::vector<double> shares;
        for (const auto& entry : u.entries) {
          shares.push_back(0);
          for (const std::size_t l : entry) {
            const SurfaceRecord& surface = g.surfaces()[l];
            for (unsigned c = 0; c < surface.n_axes; ++c)
              shares.back() +=
                  list.by_sigma(*s.parameter, surface.first_axis + c)[s.track] *
                  std::sqrt(g.axes(surface)[c].variance) / (2 * sigma * sigma);
          }
        }
        std::ranges::sort(shares, std::ranges::greater());
        for (std::size_t k = 0; k < shares.size(); ++k)
          factor += shares[k] - (k < u.most ? shares[k] / weight_of(u) : 0);
      }
      // negative values of a tangent are meaningless
      constexpr double nothing = 1e-20;
      values[i] = sigma * std::sqrt(std::max(factor, nothing));
    }
  }
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (!samples_[i].parameter) {
      // averages of more layers may be larger: more tracks have a resolution
      if (weighted || groups_[samples_[i].group].request.average ||
          criterion_of(samples_[i]).quantity.kind !=
              CheckedQuantity::Kind::number) {
        values[i] = std::numeric_limits<double>::min();
        continue;
      }
      int n_hits = 0;
      const auto value = generic_value(g, samples_[i], n_hits);
      if (!value) return std::nullopt;
      values[i] = *value;
    }
    if (std::isnan(values[i])) return std::nullopt;
  }
  combination_.absent.resize(space_.design.detector().layers.size(), 0);
  for (const std::size_t l : layers) combination_.absent[l] = 1;
  AllValues all = judged(values, numbers, true);
  combination_.absent = absent;
  return all;
}

const Criterion& DesignProgram::criterion_of(const Sample& sample) const {
  if (sample.file == Sample::mean)
    return problem_->means[sample.criterion].criterion;
  return sample.file == Sample::objective
             ? problem_->objective.criterion
             : problem_->requirements[sample.file].criteria[sample.criterion];
}

TrackArrays DesignProgram::arrays_of_tracks(const TrackGroup& group,
                                            std::span<const std::size_t> tracks,
                                            std::vector<double>& p,
                                            std::vector<double>& theta) {
  for (const std::size_t t : tracks) {
    p.push_back(group.tracks[t].p);
    theta.push_back(group.tracks[t].theta);
  }
  TrackArrays arrays = arrays_of(group.tracks[0]);
  arrays.size = tracks.size();
  arrays.p = p;
  arrays.theta = theta;
  return arrays;
}

TrackArrays DesignProgram::arrays_of_group(const TrackGroup& group,
                                           std::vector<double>& p,
                                           std::vector<double>& theta) {
  std::vector<std::size_t> all(group.tracks.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return arrays_of_tracks(group, all, p, theta);
}

double DesignProgram::level_at(const std::vector<double>& x) {
  const auto all = all_values(x);
  return all ? all->f : 0;
}

double DesignProgram::in_unit(double f) const {
  return objective_in_unit(*problem_, f);
}

std::vector<LimitValue> DesignProgram::limits_at(
    const std::vector<double>& x, const std::vector<std::size_t>& working) {
  std::vector<LimitValue> list;
  const std::vector<double> numbers =
      space_.numbers<double>(std::span<const double>(x));
  using Kind = LimitValue::Kind;
  for (const Gap& gap : gaps_)
    list.push_back({Kind::gap, 0, true, numbers[gap.outer] - numbers[gap.inner],
                    gap.min, gap.name});
  for (const Envelope& e : envelopes_)
    list.push_back(
        {Kind::envelope, 0, !e.is_upper, numbers[e.number], e.bound, e.name});
  order_coverage(numbers);
  for (const auto& [coverage, step] : coverage_steps_) {
    const auto name = [&](const LayerEdge& edge, const char* end) {
      return edge.layer == LayerEdge::none
                 ? std::string(end)
                 : space_.design.detector().layers[edge.layer].name;
    };
    // to spare
    const double missing =
        missing_length<double>(step, std::span<const double>(numbers));
    list.push_back({Kind::coverage, coverage, true, -missing, 0,
                    fmt::format("{}: {} to {} from z = {:.4g} mm",
                                problem_->coverages[coverage].name,
                                name(step.leave, "begin"),
                                name(step.enter, "end"), step.z0)});
  }
  for (std::size_t i = 0; i < problem_->limits.size(); ++i) {
    const QuantityLimit& limit = problem_->limits[i];
    const double q = quantity<double>(limit.quantity, numbers);
    const double factor = quantity_factors_[i];
    if (limit.max)
      list.push_back({Kind::quantity, i, false, q, *limit.max * factor});
    if (limit.min)
      list.push_back({Kind::quantity, i, true, q, *limit.min * factor});
  }
  for (std::size_t m = 0; m < means_.size(); ++m) {
    const auto values = values_of(means_[m].samples, x, false);
    std::size_t next = 0;
    list.push_back(
        {Kind::mean, m, false,
         values ? std::exp(mean_of(
                      means_[m].samples, problem_->means[m].logarithmic,
                      [&](std::size_t) { return values->value[next++]; }))
                : Resolution::none,
         std::exp(means_[m].limit), problem_->means[m].name});
  }
  std::vector<std::size_t> samples;
  for (const std::size_t i : working)
    if (!HitEdge::is_number(i)) samples.push_back(i);
  const auto values = values_of(samples, x, false);
  std::size_t next = 0;
  for (const std::size_t i : working) {
    if (HitEdge::is_number(i)) {
      const HitEdge edge = HitEdge::of(i);
      const Track& track = groups_[edge.group].tracks[edge.track];
      const Layer& layer = space_.design.detector().layers[edge.layer];
      const auto margin = margin_of(edge);
      list.push_back(
          {Kind::hit_edge, i, true,
           margin ? -margin->missing(std::span<const double>(numbers))
                  : highest_level * gap_unit,
           0,
           fmt::format("{}{} {} at p = {:.6g} GeV, theta = {:.6g} deg",
                       edge.is_outside ? "no " : "",
                       layer.measures() ? "hit in" : "crossing of", layer.name,
                       track.p, in_degrees(track.theta))});
      continue;
    }
    const Sample& s = samples_[i];
    const bool is_lower = std::isnan(s.upper);
    list.push_back({Kind::sample, i, is_lower,
                    values ? values->value[next] : Resolution::none,
                    is_lower ? s.lower : s.upper});
    ++next;
  }
  return list;
}

Detector DesignProgram::detector_at(const std::vector<double>& x) {
  space_.design.set(space_.numbers<double>(std::span<const double>(x)));
  return present_detector();
}

Detector DesignProgram::present_detector() const {
  Detector detector = space_.design.present_detector();
  for (std::size_t l = combination_.absent.size(); l-- > 0;)
    if (is_absent(l))
      detector.layers.erase(detector.layers.begin() +
                            static_cast<std::ptrdiff_t>(l));
  return detector;
}

RequirementFile refined(const RequirementFile& file, std::size_t factor) {
  RequirementFile finer = file;
  for (Criterion& criterion : finer.criteria) {
    const std::size_t n = criterion.momentum.values.size(),
                      m = criterion.angle.values.size();
    if (criterion.points.size() != n * m || criterion.needs_baseline())
      continue;
    const auto between = [factor](const std::vector<double>& values,
                                  bool logarithmic) {
      std::vector<double> list;
      for (std::size_t i = 0; i < values.size(); ++i) {
        list.push_back(values[i]);
        if (i + 1 == values.size()) break;
        for (std::size_t k = 1; k < factor; ++k) {
          const double share =
              static_cast<double>(k) / static_cast<double>(factor);
          list.push_back(logarithmic
                             ? values[i] *
                                   std::pow(values[i + 1] / values[i], share)
                             : values[i] + share * (values[i + 1] - values[i]));
        }
      }
      return list;
    };
    // the points of lists are wanted, not those between them
    if (criterion.momentum.is_range)
      criterion.momentum.values =
          between(criterion.momentum.values, !criterion.momentum.is_linear);
    if (criterion.angle.is_range)
      criterion.angle.values = between(criterion.angle.values, false);
    StudyRequest grid = grid_of(finer, criterion);
    criterion.points = grid_points(grid);
  }
  return finer;
}

}  // namespace gttf
