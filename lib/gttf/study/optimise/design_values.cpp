// SPDX-License-Identifier: Apache-2.0
// Values of columns at a design, and their derivatives.
#include <algorithm>
#include <array>
#include <cmath>

#include "gttf/resolution/batch_sigmas.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/study/optimise/design_program.hpp"
#include "gttf/study/optimise/design_slopes.hpp"
#include "gttf/study/optimise/point_averages.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/track_view.hpp"

namespace gttf {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Whether it is the derivative with respect to this number.
bool is_of(const Sensitivity& item, const DesignNumbers& design,
           std::size_t index) {
  const DesignNumber& number = design[index];
  using Kind = DesignNumber::Kind;
  if (item.quantity == Quantity::field) return number.kind == Kind::field;
  if (item.layer == Sensitivity::none || item.layer != number.layer)
    return false;
  switch (item.quantity) {
    case Quantity::position:
      return number.kind == Kind::position;
    case Quantity::x_over_x0:
      return number.kind == Kind::x_over_x0;
    case Quantity::sigma:
      return number.kind == Kind::sigma &&
             design.axis_of(number.layer, number.part) == item.coordinate;
    case Quantity::angle:
      return number.kind == Kind::angle &&
             design.axis_of(number.layer, number.part) == item.coordinate;
    default:
      return false;
  }
}

/// A value at a number of steps from a point, if there is one.
using StepValues = std::array<std::optional<double>, 5>;  ///< -2 to 2

/// The derivative per step: of fourth order between both sides or, where one
/// side has no values, of second order on the other one.
std::optional<double> difference(const StepValues& f) {
  const auto& [before2, before, here, after, after2] = f;
  if (before2 && before && after && after2)
    return (*before2 - 8 * *before + 8 * *after - *after2) / 12;
  if (after && after2) return (-3 * *here + 4 * *after - *after2) / 2;
  if (before && before2) return (3 * *here - 4 * *before + *before2) / 2;
  return std::nullopt;
}

}  // namespace

struct DesignProgram::GroupOfValues {
  std::size_t group;
  std::vector<std::size_t> members;  ///< indices in `which`, by their tracks
  std::vector<std::size_t> tracks;   ///< of the group, each once
  std::vector<std::size_t> place;    ///< of each member's track in `tracks`
  std::vector<Parameter> parameters;
};

DesignProgram::GroupOfValues DesignProgram::group_of_values(
    std::size_t group, const std::vector<std::size_t>& which,
    std::optional<Parameter> Sample::*parameter) const {
  GroupOfValues list{group, {}, {}, {}, {}};
  for (std::size_t i = 0; i < which.size(); ++i) {
    const Sample& s = samples_[which[i]];
    if (s.group != group) continue;
    if (parameter != nullptr) {
      const std::optional<Parameter>& q = s.*parameter;
      if (!q) continue;
      if (std::ranges::count(list.parameters, *q) == 0)
        list.parameters.push_back(*q);
    }
    list.members.push_back(i);
  }
  const auto track = [&](std::size_t i) { return samples_[which[i]].track; };
  std::ranges::stable_sort(list.members, {}, track);
  for (const std::size_t i : list.members) {
    if (list.tracks.empty() || list.tracks.back() != track(i))
      list.tracks.push_back(track(i));
    list.place.push_back(list.tracks.size() - 1);
  }
  return list;
}

std::optional<DesignProgram::SampleValues> DesignProgram::values_of(
    const std::vector<std::size_t>& which, const std::vector<double>& x,
    bool derivatives) {
  SampleValues result;
  result.value.resize(which.size());
  result.n_hits.resize(which.size());
  if (derivatives) result.slope.resize(which.size());
  result.numbers = space_.numbers<double>(std::span<const double>(x));
  space_.design.set(result.numbers);
  order_coverage(result.numbers);
  const TrackingGeometry g = geometry();
  ++effort_.designs;
  std::optional<DesignSlopes> slopes;
  if (derivatives) slopes.emplace(space_.design, number_slopes(x));
  for (std::size_t gi = 0; gi < groups_.size(); ++gi) {
    const GroupOfValues list = group_of_values(gi, which, &Sample::parameter);
    if (list.members.empty()) continue;
    const bool has_hits =
        !derivatives ? add_values(list, which, g, result)
        : slopes->in_batches()
            ? add_slopes(list, which, g, *slopes, result)
            : add_single_slopes(list, which, g, *slopes, result);
    if (!has_hits) return std::nullopt;
  }
  std::vector<std::size_t> others, columns;  // in which, and the samples
  for (std::size_t i = 0; i < which.size(); ++i)
    if (!samples_[which[i]].parameter) {
      others.push_back(i);
      columns.push_back(which[i]);
    }
  if (!others.empty()) {
    const auto values = column_values(columns, g);
    if (!values) return std::nullopt;
    for (std::size_t i = 0; i < others.size(); ++i) {
      result.value[others[i]] = values->value[i];
      result.n_hits[others[i]] = values->n_hits[i];
    }
  }
  for (const double value : result.value)
    if (!std::isfinite(value)) return std::nullopt;
  if (!derivatives || others.empty()) return result;
  for (const std::size_t i : others)
    if (is_of_text(samples_[which[i]]))
      result.slope[i] = VectorXd::Zero(static_cast<Index>(space_.size()));
  add_average_slopes(which, *slopes, result);
  if (!add_differences(which, x, result)) return std::nullopt;
  return result;
}

bool DesignProgram::add_values(const GroupOfValues& list,
                               const std::vector<std::size_t>& which,
                               const TrackingGeometry& g,
                               SampleValues& result) {
  TrackGroup& group = groups_[list.group];
  std::vector<double> p, theta;
  const TrackArrays arrays = arrays_of_tracks(group, list.tracks, p, theta);
  std::vector<int> n_hits(list.tracks.size());
  const auto errors = sigmas_and_hits(
      g, arrays, group.model, list.parameters, 1, n_hits,
      list.tracks.size() == group.tracks.size() ? &group.known_of_all
                                                : &group.known_of_some);
  effort_.covariances += list.tracks.size();
  for (std::size_t k = 0; k < list.members.size(); ++k) {
    const std::size_t i = list.members[k];
    result.value[i] = errors[list.place[k]][*samples_[which[i]].parameter];
  }
  return group.keeps_hits(list.tracks, n_hits);
}

bool DesignProgram::add_slopes(const GroupOfValues& list,
                               const std::vector<std::size_t>& which,
                               const TrackingGeometry& g,
                               const DesignSlopes& slopes,
                               SampleValues& result) {
  TrackGroup& group = groups_[list.group];
  std::vector<double> p, theta;
  TrackArrays arrays = arrays_of_tracks(group, list.tracks, p, theta);
  std::vector<int> n_hits(list.tracks.size());
  // in short blocks: the derivatives for all layers stay in the cache
  constexpr std::size_t block = 64;
  std::size_t k = 0;  // the next member
  for (std::size_t begin = 0; begin < list.tracks.size(); begin += block) {
    const std::size_t count = std::min(block, list.tracks.size() - begin);
    arrays.size = count;
    arrays.p = std::span(p).subspan(begin, count);
    arrays.theta = std::span(theta).subspan(begin, count);
    const BatchSensitivities batch(
        g, arrays, group.model, list.parameters, 1,
        std::span(n_hits).subspan(begin, count),
        list.tracks.size() <= block ? &group.known_of_some : nullptr,
        slopes.kinds());
    std::array<Eigen::MatrixXd, n_parameters> by_variable;
    for (const Parameter q : list.parameters)
      by_variable[static_cast<std::size_t>(q)] =
          slopes.variance_slopes(batch, q, count, space_.design, g, {});
    for (; k < list.members.size() && list.place[k] < begin + count; ++k) {
      const std::size_t i = list.members[k], t = list.place[k] - begin;
      const Parameter q = *samples_[which[i]].parameter;
      result.value[i] = batch.sigma(q, t);
      result.slope[i] =
          by_variable[static_cast<std::size_t>(q)].row(static_cast<Index>(t)) /
          (2 * result.value[i]);
    }
  }
  effort_.gradients += list.tracks.size();
  return group.keeps_hits(list.tracks, n_hits);
}

bool DesignProgram::add_single_slopes(const GroupOfValues& list,
                                      const std::vector<std::size_t>& which,
                                      const TrackingGeometry& g,
                                      const DesignSlopes& slopes,
                                      SampleValues& result) {
  const TrackGroup& group = groups_[list.group];
  std::vector<Sensitivities> lists;
  std::vector<int> n_hits;
  for (const std::size_t t : list.tracks) {
    lists.push_back(
        make_sensitivities(g, group.tracks[t], group.model, slopes.kinds()));
    if (!lists.back().exists()) return false;
    n_hits.push_back(lists.back().resolution.n_hits);
  }
  effort_.gradients += list.tracks.size();
  for (std::size_t k = 0; k < list.members.size(); ++k) {
    const std::size_t i = list.members[k];
    const Parameter q = *samples_[which[i]].parameter;
    const Sensitivities& own = lists[list.place[k]];
    result.value[i] = own.sigma[q];
    result.slope[i] =
        result.value[i] * slopes.by_variables([&](std::size_t number) {
          double sum = 0;
          for (const Sensitivity& item : own.items)
            if (is_of(item, space_.design, number)) sum += item.slope[q];
          return sum;
        });
  }
  return group.keeps_hits(list.tracks, n_hits);
}

std::optional<double> DesignProgram::generic_value(
    const TrackingGeometry& geometry, const Sample& sample, int& n_hits) {
  const TrackGroup& group = groups_[sample.group];
  const Criterion& criterion = criterion_of(sample);
  StudyRequest request = group.request;
  const Track& track = group.tracks[sample.track];
  request.momentum = {MomentumAxis::Variable::p, {track.p}};
  request.angle = {AngleAxis::Variable::theta, {track.theta}, false};
  ++effort_.covariances;
  const Resolution r = resolve(geometry, track, group.model);
  n_hits = r.n_hits;
  if (n_hits < group.n_hits[sample.track]) return std::nullopt;
  const CheckedQuantity& quantity = criterion.quantity;
  constexpr GridPoint point{};
  using Kind = CheckedQuantity::Kind;
  double value = 0;
  if (quantity.kind == Kind::share) {
    value = detail::shares_at(present_detector(), request, {&point, 1},
                              quantity, 1)[0];
  } else if (quantity.kind == Kind::material) {
    value = detail::material_at(present_detector(), request, {&point, 1},
                                quantity)[0];
  } else if (quantity.kind == Kind::coverage || quantity.is_text()) {
    const Detector detector = present_detector();
    RequirementFile file = problem_->requirements[sample.file];
    file.criteria = {criterion};
    if (quantity.is_text()) {
      file.criteria[0].momentum = request.momentum;
      file.criteria[0].angle = request.angle;
      file.criteria[0].points = {point};
    }
    const CheckedPoint checked =
        check(file, {&detector, 1}, Engine::streaming, 1).results[0].points[0];
    value = checked.value;
    if (quantity.is_text()) {
      if (std::isinf(sample.upper) && !checked.passed) return std::nullopt;
      value = checked.passed ? 1 : 0;
    }
  } else {
    const Table row = scan_row(problem_->input.detector, request, point, r);
    value = detail::number_at(row, quantity.name, 0) * quantity.unit;
  }
  if (std::isnan(value)) return std::nullopt;
  return value;
}

std::optional<DesignProgram::ColumnValues> DesignProgram::column_values(
    const std::vector<std::size_t>& samples, const TrackingGeometry& geometry) {
  ColumnValues values{std::vector<double>(samples.size()),
                      std::vector<int>(samples.size())};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& s = samples_[samples[i]];
    if (groups_[s.group].request.average) continue;
    const auto value = generic_value(geometry, s, values.n_hits[i]);
    if (!value) return std::nullopt;
    values.value[i] = *value;
  }
  for (std::size_t gi = 0; gi < groups_.size(); ++gi) {
    const TrackGroup& group = groups_[gi];
    if (!group.request.average) continue;
    const GroupOfValues list = group_of_values(gi, samples, nullptr);
    if (list.members.empty()) continue;
    std::vector<double> p, theta;
    std::vector<int> n_hits(list.tracks.size());
    sigmas_and_hits(geometry, arrays_of_tracks(group, list.tracks, p, theta),
                    group.model, {}, 1, n_hits);
    if (!group.keeps_hits(list.tracks, n_hits)) return std::nullopt;
    const Table rows = averages_of(group, list.tracks);
    for (std::size_t t = 0; t < list.tracks.size(); ++t)
      if (!group.kept.empty() && !keeps(rows, t, group.kept[list.tracks[t]]))
        return std::nullopt;
    for (std::size_t k = 0; k < list.members.size(); ++k) {
      const std::size_t i = list.members[k];
      const CheckedQuantity& q = criterion_of(samples_[samples[i]]).quantity;
      values.value[i] = detail::number_at(rows, q.name, list.place[k]) * q.unit;
      if (std::isnan(values.value[i])) return std::nullopt;
      // other averages are those of many azimuths or vertices
      if (group.n_hits[list.tracks[list.place[k]]] >= 0)
        values.n_hits[i] = n_hits[list.place[k]];
    }
  }
  return values;
}

Table DesignProgram::averages_of(const TrackGroup& group,
                                 const std::vector<std::size_t>& tracks) {
  std::vector<Track> points;
  for (const std::size_t t : tracks) points.push_back(group.tracks[t]);
  Table rows = averages_at(group.request, present_detector(), points);
  if (const Column* n = rows.find("tracks"))
    for (const std::int64_t count : std::get<Integers>(n->cells))
      effort_.covariances += static_cast<std::uint64_t>(count);
  return rows;
}

double DesignProgram::objective_at(const std::vector<double>& x, double f) {
  const Objective& objective = problem_->objective;
  if (objective.kind != Objective::Kind::point || of_objective_.empty())
    return in_unit(f);
  const Sample& sample = samples_[of_objective_.front()];
  const TrackGroup& group = groups_[sample.group];
  if (!group.request.average) return in_unit(f);
  space_.design.set(space_.numbers<double>(std::span<const double>(x)));
  return detail::number_at(averages_of(group, {sample.track}),
                           objective.criterion.quantity.name, 0);
}

void DesignProgram::add_average_slopes(const std::vector<std::size_t>& which,
                                       const DesignSlopes& slopes,
                                       SampleValues& result) {
  if (!has_exact_averages(slopes)) return;
  const Detector detector = present_detector();
  std::vector<std::size_t> layers(space_.design.detector().layers.size());
  std::size_t next = 0;
  for (std::size_t l = 0; l < layers.size(); ++l)
    layers[l] = is_absent(l) ? DesignNumber::none : next++;
  for (std::size_t gi = 0; gi < groups_.size(); ++gi) {
    const TrackGroup& group = groups_[gi];
    if (!group.request.average) continue;
    const GroupOfValues list = group_of_values(gi, which, &Sample::averaged);
    if (list.members.empty()) continue;
    std::vector<Track> points;
    for (const std::size_t t : list.tracks) points.push_back(group.tracks[t]);
    const std::vector<Eigen::MatrixXd> of_points =
        mean_error_slopes(group.request, group.model, detector, points,
                          list.parameters, space_.design, slopes, layers);
    effort_.gradients += points.size();
    for (std::size_t k = 0; k < list.members.size(); ++k) {
      const std::size_t i = list.members[k];
      const auto q =
          std::ranges::find(list.parameters, *samples_[which[i]].averaged) -
          list.parameters.begin();
      result.slope[i] = of_points[static_cast<std::size_t>(q)].row(
          static_cast<Index>(list.place[k]));
    }
  }
}

bool DesignProgram::add_differences(const std::vector<std::size_t>& which,
                                    const std::vector<double>& x,
                                    SampleValues& result) {
  std::vector<std::size_t> others, samples;
  for (std::size_t i = 0; i < which.size(); ++i)
    if (result.slope[i].size() == 0) {
      others.push_back(i);
      samples.push_back(which[i]);
    }
  if (others.empty()) return true;
  const auto n = static_cast<Index>(space_.size());
  for (const std::size_t i : others) result.slope[i] = VectorXd::Zero(n);
  constexpr int most_steps = 2;
  for (Index v = 0; v < n; ++v) {
    const auto k = static_cast<std::size_t>(v);
    const DesignVariable& variable = space_.variables[k];
    const double h = 1e-4 * (variable.to - variable.from);
    std::array<std::optional<ColumnValues>, 5> at;
    for (int step = -most_steps; step <= most_steps; ++step) {
      std::vector<double> there = x;
      there[k] += step * h;
      // beyond its range a number may have no meaning: an efficiency above 1
      if (step == 0 || there[k] < variable.from || there[k] > variable.to)
        continue;
      space_.design.set(space_.numbers<double>(std::span<const double>(there)));
      at[static_cast<std::size_t>(step + most_steps)] =
          column_values(samples, geometry());
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
      StepValues f;
      for (std::size_t step = 0; step < f.size(); ++step)
        if (at[step] && at[step]->n_hits[i] == result.n_hits[others[i]])
          f[step] = at[step]->value[i];
      f[most_steps] = result.value[others[i]];
      const auto slope = difference(f);
      if (!slope) return false;
      result.slope[others[i]][v] = *slope / h;
    }
  }
  return true;
}

}  // namespace gttf
