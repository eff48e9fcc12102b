// SPDX-License-Identifier: Apache-2.0
// Plans a run over toys and joins parts of one.
#include "gttf/study/toys/toy_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gttf/config/text.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/core/version.hpp"
#include "gttf/study/request/request_document.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/toys/toy_document.hpp"

namespace gttf {

namespace {

constexpr const char* parameters_name = "toy_parameters";
constexpr const char* plane_name = "plane";
constexpr const char* simd_name = "simd";

/// Everything the toys depend on.
Document describe(const StudyRequest& request,
                  std::span<const Detector> detectors) {
  Document study;
  study.set("version", version());
  // last digits depend on it
  study.set(simd_name, to_string(simd_level()));
  Document::List list;
  for (const Detector& d : detectors)
    list.push_back(Document().set("name", d.name).set("sha256", d.sha256));
  study.set("detectors", std::move(list));
  describe_tracks(request, study);
  Document::List fits;
  for (const ToyFit& fit : request.toys.fits) fits.emplace_back(name_of(fit));
  study.set("fits", std::move(fits));
  study.set("toys", static_cast<std::int64_t>(request.toys.toys));
  study.set("seed", static_cast<std::int64_t>(request.toys.seed));
  return study;
}

/// floor(n k/N) without overflow.
std::uint64_t share(std::uint64_t n, std::uint64_t k, std::uint64_t count) {
  return n / count * k + n % count * k / count;
}

}  // namespace

ToyParameters ToyPoint::parameters() const {
  return text_of(row, parameters_name) == plane_name ? ToyParameters::plane
                                                     : ToyParameters::perigee;
}

bool ToyState::any_at_plane() const {
  return std::ranges::any_of(points, [](const ToyPoint& p) {
    return p.parameters() == ToyParameters::plane;
  });
}

bool ToyState::any_without_field() const {
  return std::ranges::any_of(points, [](const ToyPoint& p) {
    return text_of(p.row, "status") == to_string(Status::no_field);
  });
}

std::uint64_t ToyState::total() const {
  const auto points_with_toys = static_cast<std::uint64_t>(
      std::ranges::count_if(points, [](const auto& p) { return p.has_toys; }));
  return points_with_toys * (to - from);
}

std::uint64_t ToyState::done() const {
  return std::accumulate(points.begin(), points.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const ToyPoint& p) {
                           return sum + p.statistics.simulated;
                         });
}

ToyState plan_toys(const StudyRequest& request,
                   std::span<const Detector> detectors, const Shard& shard) {
  ToyState state;
  state.study = describe(request, detectors);
  state.fits = request.toys.fits;
  state.toys = request.toys.toys;
  state.seed = request.toys.seed;
  state.from = share(state.toys, shard.index - 1, shard.count);
  state.to = share(state.toys, shard.index, shard.count);
  for (const Detector& detector : detectors) {
    const TrackingGeometry geometry(detector);
    const Model model = model_of(request, detector);
    for (std::size_t a = 0; a < request.angle.values.size(); ++a)
      for (std::size_t m = 0; m < request.momentum.values.size(); ++m) {
        const Track track = grid_track(request, {m, a});
        const Resolution r = resolve(geometry, track, model);
        const bool has_toys =
            r.status == Status::ok || r.status == Status::no_field;
        Document row = row_of(scan_row(detector, request, {m, a}, r), 0);
        if (along_beam(detector, track)) row.set(parameters_name, plane_name);
        state.points.push_back(
            {std::move(row), has_toys, ToyStatistics(state.fits.size())});
      }
  }
  return state;
}

void check_same_run(const ToyState& planned, const ToyState& stored,
                    const std::string& name) {
  const std::string file = in_quotes(name);
  const auto where = first_difference(planned.study, stored.study);
  if (where == simd_name && stored.study.find(simd_name) != nullptr)
    throw FileError(fmt::format(
        "{} was begun with --simd {}, this run has {}: last digits differ; "
        "give --simd {}, or remove the file to start anew",
        file, text_of(stored.study, simd_name),
        text_of(planned.study, simd_name), text_of(stored.study, simd_name)));
  if (where)
    throw FileError(fmt::format(
        "{} belongs to another study: its {} differs; give another file, or "
        "remove it to start anew",
        file, *where));
  if (stored.from != planned.from || stored.to != planned.to)
    throw FileError(fmt::format(
        "{} belongs to another shard: it has the toys {} to {}, this one is "
        "{} to {}; every shard needs a file of its own",
        file, stored.from, stored.to, planned.from, planned.to));
  if (stored.points.size() != planned.points.size())
    throw FileError(file + " is damaged: it has another number of points");
}

ToyState merge_toys(std::vector<ToyState> parts,
                    const std::vector<std::string>& names) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return parts[a].from < parts[b].from;
  });
  const auto name = [&](std::size_t i) { return in_quotes(names[i]); };
  const std::size_t first = order.front();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const auto where = first_difference(parts[0].study, parts[i].study))
      throw FileError(
          fmt::format("{} and {} are not of the same study: their {} differs",
                      name(0), name(i), *where));
    if (parts[i].points.size() != parts[0].points.size())
      throw FileError(name(i) + " is damaged: it has another number of points");
    if (!parts[i].is_complete())
      throw FileError(fmt::format(
          "{} is not finished: it has {} of {} toys; run that shard again with "
          "its checkpoint",
          name(i), parts[i].done(), parts[i].total()));
  }
  std::uint64_t next = 0;
  std::size_t before = first;
  for (const std::size_t i : order) {
    if (parts[i].from < next)
      throw FileError(
          fmt::format("{} and {} overlap: both have toy {} of every point",
                      name(before), name(i), parts[i].from));
    if (parts[i].from > next)
      throw FileError(fmt::format(
          "the toys {} to {} of every point are missing: give all parts", next,
          parts[i].from - 1));
    next = parts[i].to;
    before = i;
  }
  if (next != parts[first].toys)
    throw FileError(
        fmt::format("the toys {} to {} of every point are missing: give all "
                    "parts",
                    next, parts[first].toys - 1));
  ToyState sum = std::move(parts[first]);
  for (const std::size_t i : order)
    if (i != first)
      for (std::size_t k = 0; k < sum.points.size(); ++k)
        sum.points[k].statistics.add(parts[i].points[k].statistics);
  sum.from = 0;
  sum.to = sum.toys;
  return sum;
}

}  // namespace gttf
