// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "gttf/config/text.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/study/check/checked_quantity.hpp"
#include "gttf/study/scan/cracks.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/show/track_view.hpp"

namespace gttf {
namespace {

constexpr double none = CheckedPoint::none;

/// Index ranges [first, last] of consecutive angles among the points of one
/// momentum.
std::vector<std::pair<std::size_t, std::size_t>> runs_of_angles(
    const Criterion& criterion, std::size_t momentum) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  // points are in the order of their angles
  for (const GridPoint point : criterion.points) {
    if (point.momentum != momentum) continue;
    if (!runs.empty() && runs.back().second + 1 == point.angle)
      runs.back().second = point.angle;
    else
      runs.emplace_back(point.angle, point.angle);
  }
  return runs;
}

/// Of each momentum, as the angles of the grid.
using SidesOfEdges = std::vector<std::vector<double>>;

struct FoundEdges {
  MomentumAxis momentum;
  AngleAxis angle;
  std::vector<GridPoint> points;
  std::size_t detector;
  SidesOfEdges sides;
};

/// All that the edges of helices depend on.
std::vector<double> numbers_of_edges(std::span<const Detector> detectors) {
  std::vector<double> list;
  for (const Detector& detector : detectors) {
    list.push_back(static_cast<double>(detector.layers.size()));
    list.push_back(detector.field.bz);
    for (const Layer& layer : detector.layers) {
      const Surface& s = layer.surface;
      list.insert(
          list.end(),
          {static_cast<double>(s.shape), static_cast<double>(s.normal),
           s.position, s.u.lower, s.u.upper, s.v.lower, s.v.upper, s.slope});
      list.insert(list.end(), s.normal_vector.begin(), s.normal_vector.end());
      list.insert(list.end(), s.u_vector.begin(), s.u_vector.end());
    }
  }
  return list;
}

bool follow_helices(const RequirementFile& file,
                    std::span<const Detector> detectors) {
  return std::ranges::all_of(detectors, [&file](const Detector& detector) {
    const FieldKind kind = detector.field.kind;
    return (kind == FieldKind::solenoid || kind == FieldKind::none) &&
           energy_loss_of(file.request, detector) == EnergyLoss::off;
  });
}

}  // namespace

struct KnownEdges::Content {
  std::vector<double> numbers;
  std::vector<FoundEdges> found;
};
KnownEdges::KnownEdges() : content_(std::make_unique<Content>()) {}
KnownEdges::~KnownEdges() = default;
KnownEdges::KnownEdges(KnownEdges&&) noexcept = default;

/// Both sides of the acceptance edges in the range of a requirement. They are
/// expensive, and the same for all requirements with one grid.
class EdgesOfGrids {
 public:
  /// @param known  may be null
  EdgesOfGrids(const RequirementFile& file, std::span<const Detector> detectors,
               unsigned threads, KnownEdges* known)
      : file_(file), detectors_(detectors), threads_(threads) {
    if (known == nullptr || !follow_helices(file, detectors)) return;
    kept_ = known->content_.get();
    auto numbers = numbers_of_edges(detectors);
    if (numbers == kept_->numbers) return;
    kept_->numbers = std::move(numbers);
    kept_->found.clear();
  }

  /// The requirement with these points.
  Criterion with_edges(const Criterion& plain, std::size_t detector) {
    Criterion refined = plain;
    if (!plain.angle.is_range || plain.needs_baseline()) return refined;
    std::vector<FoundEdges>& list = kept_ != nullptr ? kept_->found : found_;
    const auto same = [&](const FoundEdges& f) {
      return f.detector == detector &&
             f.momentum.variable == plain.momentum.variable &&
             f.momentum.values == plain.momentum.values &&
             f.angle.variable == plain.angle.variable &&
             f.angle.values == plain.angle.values &&
             std::ranges::equal(
                 f.points, plain.points, [](GridPoint a, GridPoint b) {
                   return a.momentum == b.momentum && a.angle == b.angle;
                 });
    };
    auto found = std::ranges::find_if(list, same);
    if (found == list.end())
      found = list.insert(list.end(),
                          {plain.momentum, plain.angle, plain.points, detector,
                           sides(plain, detectors_[detector])});
    for (std::size_t m = 0; m < plain.momentum.values.size(); ++m)
      for (const double angle : found->sides[m]) {
        refined.points.push_back({m, refined.angle.values.size()});
        refined.angle.values.push_back(angle);
      }
    return refined;
  }

 private:
  SidesOfEdges sides(const Criterion& plain, const Detector& detector) const {
    const StudyRequest grid = grid_of(file_, plain);
    const bool by_eta = plain.angle.variable == AngleAxis::Variable::eta;
    SidesOfEdges all;
    parallel_in_order(
        plain.momentum.values.size(), thread_count(threads_),
        [&](std::size_t m) {
          std::vector<double> list;
          for (const auto& [first, last] : runs_of_angles(plain, m)) {
            const double a = theta_of(plain.angle, first),
                         b = theta_of(plain.angle, last);
            for (const AcceptanceEdge& edge : edges_of_grid(
                     grid, detector, m, std::min(a, b), std::max(a, b)))
              for (const double theta : {edge.below, edge.above})
                list.push_back(by_eta ? eta_of(theta) : theta);
          }
          return list;
        },
        [&](std::vector<double> list) { all.push_back(std::move(list)); });
    return all;
  }

  const RequirementFile& file_;
  std::span<const Detector> detectors_;
  unsigned threads_;
  std::vector<FoundEdges> found_;
  KnownEdges::Content* kept_ = nullptr;  ///< instead of found_
};

namespace {

/// The rows of a requirement with edges: those of the grid of `plain`, then
/// those of the edges, each of which is a point of one momentum only.
class RowsWithEdges {
 public:
  RowsWithEdges(const StudyRequest& plain, const Criterion& refined,
                std::size_t detector, detail::ScanCache& cache)
      : momenta_(plain.momentum.values.size()),
        angles_(plain.angle.values.size()),
        rows_(cache.rows(plain, detector)) {
    if (refined.angle.values.size() == angles_) return;
    const auto own = std::make_shared<Table>(*rows_);
    rows_ = own;
    StudyRequest edges = plain;
    for (std::size_t m = 0; m < momenta_; ++m) {
      edges.momentum.values = {plain.momentum.values[m]};
      edges.angle.values.clear();
      for (const GridPoint point : refined.points)
        if (point.angle >= angles_ && point.momentum == m)
          edges.angle.values.push_back(refined.angle.values[point.angle]);
      if (!edges.angle.values.empty())
        append_rows(*own, *cache.rows(edges, detector));
    }
  }
  RowsWithEdges(const RowsWithEdges&) = delete;
  RowsWithEdges& operator=(const RowsWithEdges&) = delete;

  const Table& table() const { return *rows_; }
  std::size_t row(GridPoint point) const {
    return point.angle < angles_ ? point.angle * momenta_ + point.momentum
                                 : momenta_ * angles_ + point.angle - angles_;
  }

 private:
  std::size_t momenta_, angles_;
  std::shared_ptr<const Table> rows_;
};

/// One requirement for one detector.
class Checker {
 public:
  Checker(const RequirementFile& file, const Criterion& criterion,
          const Detector& detector, const RowsWithEdges& rows, unsigned threads,
          Diagnostics& diagnostics)
      : file_(file),
        criterion_(criterion),
        quantity_(criterion.quantity),
        detector_(detector),
        lookup_(rows),
        rows_(rows.table()),
        threads_(threads),
        diagnostics_(diagnostics),
        grid_(grid_of(file, criterion)) {}

  void run(CheckResult& result) {
    if (!find_baseline() || !find_layers()) return;
    if (quantity_.kind == CheckedQuantity::Kind::coverage)
      result.points = {covered(result)};
    else
      look_at_points(result);
    for (CheckedPoint& point : result.points) {
      judge(point);
      result.n_failed += !point.passed;
    }
    result.n_checked = result.points.size();
    result.worst = worst(result.points);
    find_failed(result);
  }

 private:
  using Kind = CheckedQuantity::Kind;

  std::size_t row(GridPoint point) const { return lookup_.row(point); }
  /// In the variables of the file.
  std::string where(GridPoint point) const {
    const bool by_pt = grid_.momentum.variable == MomentumAxis::Variable::pt;
    const bool by_eta = grid_.angle.variable == AngleAxis::Variable::eta;
    const Track track = grid_track(grid_, point);
    const double angle = grid_.angle.values[point.angle];
    return fmt::format("{}, {} = {:.6g} GeV, {} = {:.6g}{}, phi = {:.6g} deg{}",
                       particle_text(grid_.particle), by_pt ? "pT" : "p",
                       grid_.momentum.values[point.momentum],
                       by_eta ? "eta" : "theta",
                       by_eta ? angle : in_degrees(angle), by_eta ? "" : " deg",
                       in_degrees(track.phi), start_text(track.vertex));
  }

  /// Report one error per requirement and detector.
  void error(Diagnostic place, std::string problem, std::string suggestion) {
    if (std::exchange(is_wrong_, true)) return;
    place.problem = std::move(problem);
    place.suggestion = std::move(suggestion);
    diagnostics_.add(std::move(place));
  }

  bool find_baseline() {
    if (!criterion_.needs_baseline() || !file_.baseline) return true;
    baseline_ = file_.baseline->find(detector_);
    if (baseline_ == nullptr)
      error(criterion_.place,
            fmt::format("the baseline {} has no detector {}",
                        in_quotes(file_.baseline_file),
                        in_quotes(detector_.name)),
            "regenerate it with this detector");
    return baseline_ != nullptr;
  }

  bool find_layers() {
    if (quantity_.layer.empty() ||
        !detail::layers_of(detector_, quantity_).empty())
      return true;
    const auto known = detail::layer_names(detector_, quantity_.is_group);
    const auto near = nearest(quantity_.layer, known);
    error(criterion_.quantity_place,
          fmt::format("{} has no {} {}", in_quotes(detector_.name),
                      quantity_.is_group ? "group" : "layer",
                      in_quotes(quantity_.layer)),
          near ? fmt::format("did you mean {}?", in_quotes(*near))
               : fmt::format("known: {}", joined(known)));
    return false;
  }

  void look_at_points(CheckResult& result) {
    std::vector<double> shares;
    if (quantity_.kind == Kind::share)
      shares = detail::shares_at(detector_, grid_, criterion_.points, quantity_,
                                 threads_);
    else if (quantity_.kind == Kind::material)
      shares =
          detail::material_at(detector_, grid_, criterion_.points, quantity_);
    for (std::size_t i = 0; i < criterion_.points.size(); ++i) {
      CheckedPoint checked;
      checked.point = criterion_.points[i];
      const std::size_t at = row(checked.point);
      checked.status = detail::text_at(rows_, "status", at);
      if (!shares.empty())
        checked.value = shares[i];
      else if (quantity_.is_text())
        checked.text = detail::text_at(rows_, quantity_.name, at);
      else
        checked.value =
            detail::number_at(rows_, quantity_.name, at) * quantity_.unit;
      if (quantity_.kind == Kind::material && std::isnan(checked.value))
        checked.status = quantity_.layer + " not crossed";
      if (baseline_ != nullptr) look_up_baseline(checked);
      limit_by_formulas(checked);
      result.points.push_back(std::move(checked));
    }
  }

  bool covers(const Table& table, std::size_t at) const {
    if (quantity_.hits > 0)
      return detail::number_at(table, "n_hits", at) >= quantity_.hits;
    return !std::isnan(detail::number_at(table, "sigma_d0_um", at));
  }

  struct AtAngle {
    double angle;
    std::size_t row;
    bool good;
  };

  /// The points of one momentum in the order of their angles.
  template <class Good>
  std::vector<AtAngle> along_angle(std::size_t momentum,
                                   const Good& good) const {
    std::vector<AtAngle> list;
    for (std::size_t i = 0; i < criterion_.points.size(); ++i) {
      const GridPoint point = criterion_.points[i];
      if (point.momentum == momentum)
        list.push_back({grid_.angle.values[point.angle], row(point), good(i)});
    }
    std::ranges::sort(list, {}, &AtAngle::angle);
    return list;
  }

  /// Consecutive failing angles of a range; a coverage fails without hits.
  void find_failed(CheckResult& result) const {
    if (!grid_.angle.is_range) return;
    const auto good = [&](std::size_t i) {
      return quantity_.kind == Kind::coverage
                 ? covers(rows_, row(criterion_.points[i]))
                 : result.points[i].passed;
    };
    for (std::size_t m = 0; m < grid_.momentum.values.size(); ++m) {
      bool open = false;
      for (const AtAngle& at : along_angle(m, good)) {
        if (!at.good) {
          const int n =
              static_cast<int>(detail::number_at(rows_, "n_hits", at.row));
          if (!open) result.failed.push_back({m, at.angle, at.angle, n});
          FailedInterval& last = result.failed.back();
          last.to = at.angle;
          last.n_hits = std::min(last.n_hits, n);
        }
        open = !at.good;
      }
    }
  }

  /// The covered share of a range; NaN if it is not a range.
  double covered_share() const {
    if (!grid_.angle.is_range || criterion_.needs_baseline()) return none;
    const auto good = [&](std::size_t i) {
      return covers(rows_, row(criterion_.points[i]));
    };
    double all = 0, sum = 0;
    for (std::size_t m = 0; m < grid_.momentum.values.size(); ++m) {
      const std::vector<AtAngle> list = along_angle(m, good);
      for (std::size_t i = 1; i < list.size(); ++i) {
        const double length = list[i].angle - list[i - 1].angle;
        all += length;
        // between edges all tracks cross the same surfaces; the angles of the
        // grid are neighbours of edges on both sides
        if (list[i].good && list[i - 1].good) sum += length;
      }
    }
    return all > 0 ? std::min(sum / all, 1.0) : none;
  }

  /// All points combined.
  CheckedPoint covered(CheckResult& result) {
    CheckedPoint checked;
    checked.point = criterion_.points.front();
    std::size_t n_baseline = 0, hint = 0;
    bool complete = true;
    for (const GridPoint point : criterion_.points) {
      if (covers(rows_, row(point)))
        ++result.n_covered;
      else if (std::exchange(complete, false))
        checked.point = point;
      if (baseline_ == nullptr) continue;
      hint = find_row(point, hint);
      if (hint == no_row) return checked;
      n_baseline += covers(baseline_->rows, hint);
    }
    result.n_points = criterion_.points.size();
    const auto n = static_cast<double>(result.n_points);
    checked.status = detail::text_at(rows_, "status", row(checked.point));
    const double share = covered_share();
    checked.value =
        std::isnan(share) ? static_cast<double>(result.n_covered) / n : share;
    if (baseline_ != nullptr)
      checked.baseline = static_cast<double>(n_baseline) / n;
    limit_by_formulas(checked);
    return checked;
  }

  std::size_t find_row(GridPoint point, std::size_t hint) {
    const std::size_t found =
        baseline_row(baseline_->rows, grid_track(grid_, point), hint);
    if (found == no_row && !is_wrong_) {
      const auto others =
          std::ranges::count_if(criterion_.points, [&](const GridPoint other) {
            return baseline_row(baseline_->rows, grid_track(grid_, other), 0) ==
                   no_row;
          });
      error(criterion_.place,
            fmt::format("the baseline {} has no {}{}",
                        in_quotes(file_.baseline_file), where(point),
                        others > 1
                            ? fmt::format(", nor {} more of the {} "
                                          "points",
                                          others - 1, criterion_.points.size())
                            : ""),
            others > 1 ? "regenerate it to include these points"
                       : "regenerate it to include this point");
    }
    return found;
  }

  void look_up_baseline(CheckedPoint& checked) {
    const std::size_t found = find_row(checked.point, hint_);
    if (found == no_row) return;
    hint_ = found + 1;
    if (quantity_.kind == Kind::share || quantity_.kind == Kind::material) {
      checked.baseline = baseline_value(checked.point);
    } else if (quantity_.is_text()) {
      const std::string text =
          detail::text_at(baseline_->rows, quantity_.name, found);
      if (!text.empty()) checked.texts.push_back(text);
      if (text.empty()) no_value(checked.point);
    } else {
      checked.baseline =
          detail::number_at(baseline_->rows, quantity_.name, found) *
          quantity_.unit;
    }
    if (!quantity_.is_text() && std::isnan(checked.baseline))
      no_value(checked.point);
  }

  void no_value(GridPoint point) {
    error(criterion_.place,
          fmt::format("the baseline {} has no value of {} for {}",
                      in_quotes(file_.baseline_file), describe(quantity_),
                      where(point)),
          "exclude it with \"at\" or \"within\"");
  }

  /// Shares and sums of material are not in the file, but its detector is.
  double baseline_value(GridPoint point) const {
    const Detector& before = baseline_->input.detector;
    if (detail::layers_of(before, quantity_).empty()) return none;
    if (quantity_.kind == Kind::material)
      return detail::material_at(before, grid_, {&point, 1}, quantity_)[0];
    return detail::shares_at(before, grid_, {&point, 1}, quantity_, 1)[0];
  }

  void limit_by_formulas(CheckedPoint& checked) {
    for (const std::string& text : criterion_.texts)
      checked.texts.push_back(text);
    if (criterion_.min) checked.lower = bound(*criterion_.min, checked, -1);
    if (criterion_.max) checked.upper = bound(*criterion_.max, checked, 1);
    if (criterion_.equal) {
      checked.lower = bound(*criterion_.equal, checked, -1);
      checked.upper = bound(*criterion_.equal, checked, 1);
    }
    if (checked.lower > checked.upper)
      error(
          criterion_.min->place,
          fmt::format("\"min\" is above \"max\" for {}", where(checked.point)),
          "no value can meet both");
  }

  double bound(const Limit& limit, const CheckedPoint& checked, int sign) {
    const double value =
        limit.formula(limit_values(grid_, checked.point, checked.baseline));
    if (!std::isfinite(value) && !is_wrong_)
      error(limit.place,
            fmt::format("the limit is not a finite number for {}",
                        where(checked.point)),
            "");
    return value + sign * limit.tolerance.of(value);
  }

  void judge(CheckedPoint& checked) const {
    if (quantity_.is_text()) {
      checked.passed =
          std::ranges::find(checked.texts, checked.text) != checked.texts.end();
      return;
    }
    if (std::isnan(checked.value)) return;
    checked.passed = !is_beyond(checked, checked.value);
    const auto room = [&checked](double limit, double distance) {
      const double scale =
          std::abs(limit) > 0 ? std::abs(limit) : std::abs(checked.value);
      const double margin = scale > 0 ? distance / scale : 0;
      if (std::isnan(checked.margin) || margin < checked.margin)
        checked.margin = margin;
    };
    if (!std::isnan(checked.lower))
      room(checked.lower, checked.value - checked.lower);
    if (!std::isnan(checked.upper))
      room(checked.upper, checked.upper - checked.value);
  }

  /// The first of the worst points: without a value, then with the smallest
  /// margin. Margins that differ by rounding are equal on every machine.
  std::size_t worst(const std::vector<CheckedPoint>& points) const {
    const auto badness = [&](const CheckedPoint& p) {
      if (quantity_.is_text()) return p.passed ? 0. : 1.;
      return std::isnan(p.value) ? HUGE_VAL : -p.margin;
    };
    std::size_t worst = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      if (badness(points[i]) > badness(points[worst]) + limit_rounding)
        worst = i;
    return worst;
  }

  const RequirementFile& file_;
  const Criterion& criterion_;
  const CheckedQuantity& quantity_;
  const Detector& detector_;
  const RowsWithEdges& lookup_;
  const Table& rows_;
  unsigned threads_;
  Diagnostics& diagnostics_;
  StudyRequest grid_;
  const BaselineDetector* baseline_ = nullptr;
  std::size_t hint_ = 0;
  bool is_wrong_ = false;
};

}  // namespace

bool is_beyond(const CheckedPoint& point, double value) {
  const auto slack = [value](double limit) {
    return limit_rounding * std::max(std::abs(limit), std::abs(value));
  };
  return value < point.lower - slack(point.lower) ||
         value > point.upper + slack(point.upper);
}

std::size_t CheckOutcome::n_failed() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      results, [](const CheckResult& result) { return !result.passed(); }));
}

StudyRequest grid_of(const RequirementFile& file, const Criterion& criterion) {
  StudyRequest grid = file.request;
  grid.momentum = criterion.momentum;
  grid.angle = criterion.angle;
  return grid;
}

StudyRequest grid_of(const RequirementFile& file, const CheckResult& result) {
  StudyRequest grid = grid_of(file, file.criteria[result.criterion]);
  grid.angle = result.angle;
  return grid;
}

std::size_t baseline_row(const Table& rows, const Track& track,
                         std::size_t hint) {
  constexpr double rounding = 1e-9;  // of p from pt, of degrees
  const std::size_t n = rows.rows();
  const auto same = [&](std::string_view column, double value,
                        std::size_t row) {
    return std::abs(detail::number_at(rows, column, row) - value) <=
           rounding * std::abs(value);
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = (hint + i) % n;
    if (same("p_GeV", track.p, row) &&
        same("theta_deg", track.theta / unit::deg, row))
      return row;
  }
  return no_row;
}

CheckOutcome check(const RequirementFile& file,
                   std::span<const Detector> detectors, Engine engine,
                   unsigned threads, CheckDetail kept, const CheckSink& each,
                   KnownEdges* known) {
  CheckOutcome outcome;
  Diagnostics diagnostics;
  detail::ScanCache cache(detectors, engine, threads);
  EdgesOfGrids edges(file, detectors, threads, known);
  for (std::size_t c = 0; c < file.criteria.size(); ++c) {
    const Criterion& criterion = file.criteria[c];
    for (std::size_t d = 0; d < detectors.size(); ++d) {
      const Criterion refined = edges.with_edges(criterion, d);
      const RowsWithEdges rows(grid_of(file, criterion), refined, d, cache);
      CheckResult result;
      result.criterion = c;
      result.detector = d;
      result.angle = refined.angle;
      Checker(file, refined, detectors[d], rows, threads, diagnostics)
          .run(result);
      for (const GridPoint point : criterion.points) {
        outcome.evaluated += !std::isnan(
            detail::number_at(rows.table(), "sigma_d0_um", rows.row(point)));
      }
      if (each) each(result);
      if (kept == CheckDetail::worst && result.points.size() > 1) {
        // a new list: an assigned one would keep the memory of the old one
        result.points = std::vector{result.worst_point()};
        result.worst = 0;
      }
      outcome.results.push_back(std::move(result));
    }
  }
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
  return outcome;
}

}  // namespace gttf
