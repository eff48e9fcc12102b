// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/check/failure_cause.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gttf/study/check/checked_quantity.hpp"
#include "gttf/study/compare/comparison.hpp"
#include "gttf/study/scan/budget.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

constexpr std::size_t most_parts = 3;  // what limits a value, told to readers

/// The parameter whose sigma a column shows or follows from.
std::optional<Parameter> parameter_of(const CheckedQuantity& quantity) {
  if (quantity.kind != CheckedQuantity::Kind::number) return std::nullopt;
  for (const Parameter q : all_parameters)
    if (quantity.name == sigma_column(q)) return q;
  if (quantity.name == "sigma_qop_per_GeV" || quantity.name == "xi")
    return Parameter::p;
  return std::nullopt;
}

/// One track of one requirement, and what its value follows from.
class Finder {
 public:
  Finder(const RequirementFile& file, const CheckResult& result,
         const DetectorInput& detector)
      : file_(file),
        criterion_(file.criteria[result.criterion]),
        point_(result.worst_point()),
        input_(detector),
        grid_(grid_of(file, result)),
        track_(grid_track(grid_, point_.point)),
        model_(model_of(grid_, input_.detector)),
        models_(models_of(grid_, input_.detector)) {}

  FailureCause find() const {
    FailureCause cause;
    const BaselineDetector* before =
        file_.baseline ? file_.baseline->find(input_.detector) : nullptr;
    if (before != nullptr) compare(before->input.detector, cause);
    if (cause.changes.empty() || cause.failed_before) explain(cause);
    return cause;
  }

 private:
  /// A column of scan at this point.
  Measure measure_of(const std::string& column) const {
    return [this, column](const Resolution& r) {
      const double value = detail::number_at(
          scan_row(input_.detector, grid_, point_.point, r), column, 0);
      return value > 0 ? value : Resolution::none;
    };
  }

  /// What tells best how the track fared: the value, or if there is none the
  /// number of hits.
  Attribution attribution(const Detector& before) const {
    const CheckedQuantity& quantity = criterion_.quantity;
    const auto parameter = parameter_of(quantity);
    if (quantity.name != "xi" && parameter && !std::isnan(point_.value))
      return attribute(before, input_.detector, track_, models_, *parameter);
    const bool number = quantity.kind == CheckedQuantity::Kind::number;
    if (number && !std::isnan(point_.value))
      return attribute(before, input_.detector, track_, models_,
                       measure_of(quantity.name));
    if (quantity.name == "regime" && !point_.text.empty())
      return attribute(before, input_.detector, track_, models_,
                       measure_of("mu_phi"));
    if (quantity.kind == CheckedQuantity::Kind::material &&
        !std::isnan(point_.value)) {
      // a layer that ends the sum is known by its index
      if (!quantity.layer.empty() &&
          before.layers.size() != input_.detector.layers.size())
        return {};
      return attribute(before, input_.detector, track_, models_,
                       [&](const Resolution& r) {
                         const double value =
                             detail::material_of(input_.detector, quantity, r);
                         return value > 0 ? value : Resolution::none;
                       });
    }
    if (quantity.kind == CheckedQuantity::Kind::share)
      return attribute(before, input_.detector, track_, models_,
                       quantity.parameter);
    return attribute(before, input_.detector, track_, models_,
                     measure_of("n_hits"));
  }

  void compare(const Detector& before, FailureCause& cause) const {
    Attribution a = attribution(before);
    cause.total = a.total;
    cause.remainder = a.remainder;
    cause.changes = std::move(a.changes);
    if (cause.changes.empty())
      cause.changes = differing_keys(before, input_.detector);
    drop_idle(cause.changes, a.total);
    std::stable_partition(
        cause.changes.begin(), cause.changes.end(),
        [&](const KeyChange& c) { return c.share * a.total > 0; });
    locate(cause.changes, input_);
    if (criterion_.quantity.kind != CheckedQuantity::Kind::number) return;
    const Resolution r =
        resolve(TrackingGeometry(before), track_, models_(before));
    cause.before = detail::number_at(scan_row(before, grid_, point_.point, r),
                                     criterion_.quantity.name, 0) *
                   criterion_.quantity.unit;
    cause.failed_before = is_beyond(point_, cause.before);
  }

  /// A change that moves nothing is no cause, unless it is one together with
  /// others that move nothing alone.
  static void drop_idle(std::vector<KeyChange>& changes, double total) {
    const auto is_idle = [](double x) { return std::abs(x) <= limit_rounding; };
    const auto idle = [&](const KeyChange& c) { return is_idle(c.share); };
    if (is_idle(total) || !std::ranges::all_of(changes, idle))
      std::erase_if(changes, idle);
  }

  /// The largest parts of a variance or of the material.
  void explain(FailureCause& cause) const {
    if (std::isnan(point_.value)) return;
    if (criterion_.quantity.is_material())
      add_material(cause.limited_by);
    else if (const auto parameter = parameter_of(criterion_.quantity))
      add_budget(cause.limited_by, *parameter);
    std::ranges::stable_sort(cause.limited_by,
                             [](const LimitedBy& a, const LimitedBy& b) {
                               return a.share > b.share;
                             });
    if (cause.limited_by.size() > most_parts)
      cause.limited_by.resize(most_parts);
  }

  void add_budget(std::vector<LimitedBy>& parts, Parameter parameter) const {
    const Budget budget =
        make_budget(TrackingGeometry(input_.detector), track_, model_);
    for (const BudgetRow& row :
         budget_rows(input_.detector, budget, Grouping::layer)) {
      if (row.cause == "total") continue;
      std::string what = row.layer.empty() ? "" : row.layer + ' ';
      what += row.cause;
      if (!row.coordinate.empty()) what += ' ' + row.coordinate;
      parts.push_back({std::move(what), row.share[parameter]});
    }
  }

  void add_material(std::vector<LimitedBy>& parts) const {
    const Resolution r =
        resolve(TrackingGeometry(input_.detector), track_, model_);
    const auto counted =
        detail::counted_crossings(input_.detector, criterion_.quantity, r);
    if (!counted) return;
    const std::vector<std::string> names =
        names_by(input_.detector, Grouping::layer);
    for (const std::size_t k : *counted) {
      const CrossingInfo& c = r.crossings[k];
      const auto same =
          std::ranges::find(parts, names[c.layer], &LimitedBy::what);
      if (same == parts.end())
        parts.push_back({names[c.layer], c.x_over_x0 / point_.value});
      else
        same->share += c.x_over_x0 / point_.value;
    }
  }

  const RequirementFile& file_;
  const Criterion& criterion_;
  const CheckedPoint& point_;
  const DetectorInput& input_;
  StudyRequest grid_;
  Track track_;
  Model model_;
  ModelOf models_;
};

}  // namespace

const KeyChange* FailureCause::placed() const {
  const auto it = std::ranges::find_if(
      changes, [](const KeyChange& c) { return c.place.line > 0; });
  return it == changes.end() ? nullptr : &*it;
}

FailureCause find_cause(const RequirementFile& file, const CheckResult& result,
                        std::span<const DetectorInput> detectors) {
  return Finder(file, result, detectors[result.detector]).find();
}

}  // namespace gttf
