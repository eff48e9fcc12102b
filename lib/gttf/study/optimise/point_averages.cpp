// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/point_averages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "gttf/study/check/checked_quantity.hpp"
#include "gttf/study/scan/average.hpp"

namespace gttf {
namespace {

/// The tracks of an average as arrays, a part of them.
struct TrackLists {
  explicit TrackLists(std::span<const Track> tracks) {
    for (const Track& t : tracks)
      for (std::size_t i = 0; i < lists.size(); ++i)
        lists[i].push_back(std::array{t.p, t.theta, t.phi, t.mass, t.charge,
                                      t.vertex[0], t.vertex[1],
                                      t.vertex[2]}[i]);
  }
  TrackArrays part(std::size_t begin, std::size_t n) const {
    const auto of = [&](std::size_t i) {
      // mass and charge are the same for all tracks
      return i == 3 || i == 4 ? std::span(lists[i]).first(1)
                              : std::span(lists[i]).subspan(begin, n);
    };
    return {n, of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)};
  }

  std::array<std::vector<double>, 8> lists;
};

}  // namespace

Table averages_at(const StudyRequest& request, const Detector& detector,
                  std::span<const Track> points) {
  std::map<double, std::vector<std::size_t>> by_angle;
  for (std::size_t i = 0; i < points.size(); ++i)
    by_angle[points[i].theta].push_back(i);
  Table rows = empty_average_table(request);
  std::vector<std::size_t> order;
  StudyRequest grid = request;
  for (const auto& [theta, members] : by_angle) {
    grid.angle = {AngleAxis::Variable::theta, {theta}, false};
    grid.momentum = {MomentumAxis::Variable::p, {}};
    for (const std::size_t i : members)
      grid.momentum.values.push_back(points[i].p);
    ScanOptions options;
    options.threads = 1;
    KeptRows kept;
    scan_averages(grid, std::span(&detector, 1), options, kept);
    append_rows(rows, std::move(kept.rows));
    order.insert(order.end(), members.begin(), members.end());
  }
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (Column& column : rows.columns)
    std::visit(
        [&place](auto& cells) {
          const auto before = cells;
          for (std::size_t i = 0; i < place.size(); ++i)
            cells[i] = before[place[i]];
        },
        column.cells);
  return rows;
}

std::vector<KeptAverage> kept_averages(const Table& averages) {
  using detail::number_at;
  std::vector<KeptAverage> list;
  for (std::size_t i = 0; i < averages.rows(); ++i)
    list.push_back({number_at(averages, "n_hits", i) -
                        number_at(averages, "n_hits_error", i),
                    number_at(averages, "efficiency", i) -
                        number_at(averages, "efficiency_error", i)});
  return list;
}

bool keeps(const Table& averages, std::size_t row, const KeptAverage& least) {
  constexpr double rounding = 1e-9;
  return detail::number_at(averages, "n_hits", row) >=
             least.hits * (1 - rounding) &&
         detail::number_at(averages, "efficiency", row) >=
             least.efficiency * (1 - rounding);
}

std::vector<Eigen::MatrixXd> mean_error_slopes(
    const StudyRequest& request, const Model& model, const Detector& detector,
    std::span<const Track> points, std::span<const Parameter> parameters,
    const DesignNumbers& design, const DesignSlopes& slopes,
    std::span<const std::size_t> layers) {
  using Eigen::Index;
  const auto n = static_cast<Index>(points.size());
  std::vector<Eigen::MatrixXd> sums(
      parameters.size(),
      Eigen::MatrixXd::Zero(n, static_cast<Index>(slopes.n_variables())));
  Eigen::MatrixXd weights =
      Eigen::MatrixXd::Zero(n, static_cast<Index>(parameters.size()));
  const TrackingGeometry complete(detector);
  TrackingGeometry geometry = complete;
  SlopeKinds kinds = slopes.kinds();
  std::vector<char> requested(detector.layers.size(), 0);
  for (std::size_t l = 0; l < layers.size(); ++l)
    if (layers[l] != DesignNumber::none && kinds.has_layer(l))
      requested[layers[l]] = 1;
  kinds.layers = requested;
  for (const AveragedTracks& same :
       tracks_of_averages(request, detector, points)) {
    for (const std::size_t l : same.lost) geometry.drop_hit(l);
    const TrackLists lists(same.tracks);
    // in short blocks: the derivatives for all layers stay in the cache
    constexpr std::size_t block = 64;
    for (std::size_t begin = 0; begin < same.tracks.size(); begin += block) {
      const std::size_t count = std::min(block, same.tracks.size() - begin);
      const BatchSensitivities list(geometry, lists.part(begin, count), model,
                                    parameters, 1, {}, nullptr, slopes.kinds());
      for (std::size_t k = 0; k < parameters.size(); ++k) {
        const Parameter q = parameters[k];
        const Eigen::MatrixXd variances =
            slopes.variance_slopes(list, q, count, design, geometry, layers);
        for (std::size_t t = 0; t < count; ++t) {
          const double sigma = list.sigma(q, t);
          // the mean is over the tracks that have a value
          if (std::isnan(sigma)) continue;
          const auto point = static_cast<Index>(same.point[begin + t]);
          const double weight = same.weight[begin + t];
          sums[k].row(point) +=
              weight / (2 * sigma) * variances.row(static_cast<Index>(t));
          weights(point, static_cast<Index>(k)) += weight;
        }
      }
    }
    for (const std::size_t l : same.lost) geometry.restore_hit(l, complete);
  }
  for (std::size_t k = 0; k < sums.size(); ++k)
    sums[k].array().colwise() /= weights.col(static_cast<Index>(k)).array();
  return sums;
}

}  // namespace gttf
