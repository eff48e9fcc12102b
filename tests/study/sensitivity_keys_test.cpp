// SPDX-License-Identifier: Apache-2.0
// What sensitivity prints of every shipped detector can be set.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/layer_errors.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/sensitivity.hpp"
#include "gttf/study/scan/what_if.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// A shipped detector and the tracks of its own study, which have the vertex,
/// the beam and the angles that it is made for.
struct Shipped {
  std::string file;
  Detector detector;
  StudyRequest request;
  std::vector<GridPoint> points;  ///< with a resolution

  Track track(GridPoint point) const { return grid_track(request, point); }
  PerParameter sigma(GridPoint point,
                     const std::vector<std::string>& overrides) const {
    const Detector d = read_detector(file, overrides).detector;
    return errors_of(resolve(TrackingGeometry(d), track(point),
                             model_of(request, detector)));
  }
  Sensitivities sensitivities(GridPoint point) const {
    return make_sensitivities(TrackingGeometry(detector), track(point),
                              model_of(request, detector));
  }
};

std::vector<Shipped> all_shipped() {
  const auto root = std::filesystem::path(GTTF_SOURCE_DIR);
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(root / "detectors"))
    if (entry.path().extension() == ".yaml")
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  std::vector<Shipped> list;
  for (const std::string& name : names) {
    Shipped s;
    s.file = (root / "detectors" / (name + ".yaml")).string();
    s.request =
        read_request((root / "configs" / (name + ".yaml")).string(), {});
    s.detector = read_detector(s.file).detector;
    if (!is_closed(s.detector)) continue;
    const std::vector<GridPoint> all = grid_points(s.request);
    for (const std::size_t i : {std::size_t{0}, all.size() / 2})
      if (s.sensitivities(all[i]).exists()) s.points.push_back(all[i]);
    list.push_back(std::move(s));
  }
  return list;
}

std::string setting(const std::string& key, double value,
                    const std::string& unit) {
  return fmt::format("{}={} {}", key, value, unit);
}

}  // namespace

TEST_CASE(
    "sensitivity: setting every key to its present value changes nothing") {
  std::size_t n_keys = 0, n_copies = 0;
  for (const Shipped& s : all_shipped()) {
    CAPTURE(s.file);
    CHECK_FALSE(s.points.empty());
    for (const GridPoint point : s.points)
      for (const Grouping grouping : {Grouping::surface, Grouping::large}) {
        std::vector<std::string> overrides;
        for (const SensitivityRow& row :
             sensitivity_rows(s.detector, s.sensitivities(point), grouping))
          if (!row.key.empty() && !std::isnan(row.value)) {
            overrides.push_back(setting(row.key, row.value, row.unit));
            n_copies += row.key.find("[TPC[") != row.key.npos;
          }
        n_keys += overrides.size();
        const PerParameter before = s.sigma(point, {});
        const PerParameter after = s.sigma(point, overrides);
        for (const Parameter q : all_parameters) {
          CHECK(std::isnan(before[q]) == std::isnan(after[q]));
          // units are multiplied, which rounds
          if (!std::isnan(before[q]))
            CHECK(std::abs(after[q] / before[q] - 1) < 1e-10);
        }
      }
  }
  CHECK(n_keys > 1000);
  CHECK(n_copies > 500);
}

TEST_CASE("sensitivity: a changed key changes sigma by the derivative") {
  for (const Shipped& s : all_shipped()) {
    CAPTURE(s.file);
    if (s.points.empty()) continue;
    const GridPoint point = s.points.back();
    const auto rows =
        sensitivity_rows(s.detector, s.sensitivities(point), Grouping::large);
    // each takes four times to read the file: of many, some of every kind
    constexpr std::size_t enough = 24;
    const std::size_t stride = rows.size() / enough + 1;
    for (std::size_t i = 0; i < rows.size(); i += stride) {
      const SensitivityRow& row = rows[i];
      if (row.key.empty() || std::isnan(row.value)) continue;
      CAPTURE(row.key);
      const double step = row.value == 0 ? 1e-3 : 1e-4 * std::abs(row.value);
      const auto difference = [&](double h) {
        const PerParameter up =
            s.sigma(point, {setting(row.key, row.value + h, row.unit)});
        const PerParameter down =
            s.sigma(point, {setting(row.key, row.value - h, row.unit)});
        PerParameter d;
        for (const Parameter q : all_parameters)
          d[q] = std::log(up[q] / down[q]) / (2 * h);
        return d;
      };
      const PerParameter coarse = difference(step),
                         fine = difference(0.5 * step);
      for (const Parameter q : all_parameters) {
        if (std::isnan(row.slope[q])) continue;
        CAPTURE(to_string(q));
        // the error of second order, and sigma known to 1e-9
        const double error = std::abs(fine[q] - coarse[q]) + 1e-9 / step;
        CHECK(std::abs(fine[q] - row.slope[q]) <= error);
      }
    }
  }
}

TEST_CASE("headroom: a key set to its limit meets the requirement exactly") {
  const auto cell = [](const Table& t, const char* name, std::size_t row) {
    return std::get<Texts>(t.find(name)->cells)[row];
  };
  const auto number = [](const Table& t, const char* name, std::size_t row) {
    return std::get<Reals>(t.find(name)->cells)[row];
  };
  int positions = 0;
  for (const Shipped& s : all_shipped()) {
    CAPTURE(s.file);
    // a traced track takes long
    if (s.points.empty() || s.detector.field.kind == FieldKind::map) continue;
    const GridPoint point = s.points.back();
    const PerParameter now = s.sigma(point, {});
    for (const double factor : {0.9, 1.1})
      for (const Parameter q :
           {std::isnan(now[Parameter::d0]) ? Parameter::x : Parameter::d0}) {
        const Requirement wanted{q, factor * now[q]};
        const Table t =
            headroom_table({s.detector, s.request, point}, {&wanted, 1});
        for (std::size_t i = 0; i < t.rows(); ++i) {
          const std::string key = cell(t, "key", i);
          const double limit = number(t, "limit", i);
          if (key.empty() || std::isnan(limit)) continue;
          CAPTURE(key);
          CAPTURE(limit);
          positions += cell(t, "between", i).empty() ? 0 : 1;
          const double sigma =
              s.sigma(point, {setting(key, limit, cell(t, "unit", i))})[q];
          // the search ends at 1e-11 of a logarithm, sigma may be steep there
          CHECK(sigma / wanted.limit == doctest::Approx(1).epsilon(1e-6));
        }
      }
  }
  CHECK(positions >= 30);  // so that all kinds of surfaces are among them
}

}  // namespace gttf::test::GTTF_TEST_FILE
