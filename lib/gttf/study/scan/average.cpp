// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/average.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "gttf/core/parallel.hpp"
#include "gttf/core/statistics.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/missing_hits.hpp"
#include "gttf/study/scan/average_sample.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

constexpr std::array<AverageNumber, 7> number_list{
    {{"", "the mean"},
     {"_error",
      "error of the mean, by the spread of parts of the sample; 0 if "
      "`method` is `exact`"},
     {"_rms", "standard deviation"},
     {"_q16", "16 % quantile"},
     {"_q50", "50 % quantile, the median"},
     {"_q84", "84 %"},
     {"_q95", "95 %"}}};

constexpr std::string_view phi_name = "phi_deg", hits_name = "n_hits";

/// Columns that identify the track of a row.
bool is_of_point(std::string_view name) {
  return std::ranges::any_of(point_columns<TrackRow>, [&](const auto& column) {
    return column.text.name == name;
  });
}

unsigned parts_of(const StudyRequest& request) {
  return request.at ? at_layer_columns : 0;
}

/// The columns whose numbers are averaged.
std::vector<ColumnOf<TrackRow>> averaged_columns(const StudyRequest& request) {
  std::vector<ColumnOf<TrackRow>> list;
  for (const ColumnOf<TrackRow>& column : scan_columns()) {
    const std::string_view name = column.text.name;
    if (is_of_point(name) || !column.is_in(parts_of(request))) continue;
    if (name == hits_name ||
        std::holds_alternative<double (*)(const TrackRow&)>(column.cell))
      list.push_back(column);
  }
  return list;
}

double number_of(const ColumnOf<TrackRow>& column, const TrackRow& row) {
  if (const auto* real = std::get_if<0>(&column.cell)) return (*real)(row);
  return static_cast<double>(std::get<1>(column.cell)(row));
}

bool is_resolved(Status status) {
  return status == Status::ok || status == Status::no_field;
}

/// The tracks of one point.
struct PointTracks {
  std::vector<double> weight;
  std::vector<std::uint32_t> slice;
  std::vector<int> n_hits;
  std::vector<Status> status;
  std::vector<double> values;  ///< of all columns of a track, then the next
  std::string_view method;
  std::size_t slices = 1;   ///< 1: the average is exact
  std::size_t sampled = 0;  ///< tracks of the sample
};

/// The sums of one number over the slices of a sample.
class SliceSums {
 public:
  explicit SliceSums(std::size_t slices) : sum_(slices), weight_(slices) {}
  void add(std::size_t slice, double x, double weight) {
    if (std::isnan(x)) return;
    sum_[slice] += weight * x;
    weight_[slice] += weight;
  }
  /// See scan_averages().
  double error() const {
    double a = 0, w = 0, squares = 0;
    for (const double x : sum_) a += x;
    for (const double x : weight_) w += x;
    if (!(w > 0)) return Resolution::none;
    const std::size_t n = sum_.size();
    if (n == 1) return 0;
    for (std::size_t s = 0; s < n; ++s) {
      const double d = sum_[s] - a / w * weight_[s];
      squares += d * d;
    }
    const auto count = static_cast<double>(n);
    return std::sqrt(count / (count - 1) * squares) / w;
  }

 private:
  std::vector<double> sum_, weight_;
};

/// "11: 0.25, 12: 0.75", the shares of the numbers of hits.
std::string hits_text(const PointTracks& tracks) {
  std::map<int, double> shares;
  for (std::size_t t = 0; t < tracks.weight.size(); ++t)
    shares[tracks.n_hits[t]] += tracks.weight[t];
  std::string text;
  for (const auto& [hits, share] : shares)
    text += fmt::format("{}{}: {:.4g}", text.empty() ? "" : ", ", hits, share);
  return text;
}

/// The most frequent status, among tracks with a resolution if there are any.
Status status_of(const PointTracks& tracks) {
  std::map<Status, double> shares;
  for (std::size_t t = 0; t < tracks.weight.size(); ++t)
    shares[tracks.status[t]] += tracks.weight[t];
  const auto order = [](const auto& share) {
    return std::pair(is_resolved(share.first), share.second);
  };
  return std::ranges::max_element(shares, {}, order)->first;
}

/// The data for the averages of a detector.
class DetectorAverage {
 public:
  DetectorAverage(const StudyRequest& request, const Detector& detector,
                  const ScanOptions& options)
      : request_(request),
        detector_(detector),
        options_(options),
        geometry_(detector),
        model_(model_of(request, detector, options.engine)),
        columns_(averaged_columns(request)),
        over_(request.average.value_or(AverageRequest{})),
        loses_hits_(std::ranges::any_of(
            detector.layers,
            [](const Layer& l) { return l.measures() && l.efficiency < 1; })),
        places_(request, detector, n_places(), false) {
    if (!loses_hits_) return;
    const std::size_t n = over_.tracks > 0 ? over_.tracks : usual_sample;
    with_hits_.emplace(request, detector, n, true);
  }

  /// Points of a block, so that it has enough tracks for vectors and few enough
  /// for the memory.
  std::size_t points_of_block() const {
    constexpr std::size_t tracks = 2048, fewest_for_patterns = 16;
    const std::size_t n = std::max<std::size_t>(1, tracks / places_.size());
    return loses_hits_ ? std::min(n, fewest_for_patterns) : n;
  }

  struct Block {
    Table table;
    PreparedBlock prepared;
    std::size_t evaluated = 0;
    BatchStatistics statistics;
  };

  /// The rows of the points `begin` to `end` - 1.
  Block make(std::size_t begin, std::size_t end) const {
    Block block;
    std::vector<PointTracks> points(end - begin);
    const detail::GridTracks grid(request_, begin, end - begin);
    Jobs jobs;
    for (std::size_t i = 0; i < points.size(); ++i)
      plan(grid.views().track(i), i, points[i], jobs);
    TrackingGeometry scratch = geometry_;
    for (auto& [lost, members] : jobs) {
      // neighbours on the grid cross the same layers
      std::ranges::stable_sort(members, {}, &Member::k);
      for (const std::size_t l : lost) scratch.drop_hit(l);
      block.statistics += run(lost.empty() ? geometry_ : scratch, grid.views(),
                              members, points);
      for (const std::size_t l : lost) scratch.restore_hit(l, geometry_);
    }
    block.table = rows(begin, points);
    block.evaluated = static_cast<std::size_t>(
        std::ranges::count_if(points, [](const PointTracks& p) {
          return std::ranges::any_of(p.status, is_resolved);
        }));
    return block;
  }

  std::vector<AveragedTracks> tracks_at(std::span<const Track> points) const {
    Jobs jobs;
    PointTracks unused;  // how the tracks were chosen
    for (std::size_t i = 0; i < points.size(); ++i)
      plan(points[i], i, unused, jobs);
    std::vector<AveragedTracks> list;
    for (const auto& [lost, members] : jobs) {
      AveragedTracks& same = list.emplace_back();
      same.lost = lost;
      for (const Member& m : members) {
        same.tracks.push_back(at_place(points[m.point], *m.sample, m.k));
        same.point.push_back(m.point);
        same.weight.push_back(m.weight);
      }
    }
    return list;
  }

 private:
  /// A track of point `point` of a block, from place k of a sample.
  struct Member {
    const AverageSample* sample;
    std::size_t point, k;
    double weight;
  };
  /// By the layers that lose their hits.
  using Jobs = std::map<std::vector<std::size_t>, std::vector<Member>>;

  std::size_t n_places() const {
    const auto region = luminous_region_of(request_);
    const bool vertices =
        over_.vertex &&
        std::ranges::any_of(region, [](double size) { return size > 0; });
    const bool azimuths =
        over_.phi && reference_azimuth(detector_, request_).has_value();
    if (!vertices && !azimuths) return 1;
    if (over_.tracks > 0) return over_.tracks;
    return vertices ? usual_sample : usual_azimuths;
  }

  /// Layers that may lose the hit of this track.
  std::vector<std::size_t> inefficient(const Track& track) const {
    const detail::AnyTrack any(geometry_, track, model_);
    std::vector<std::size_t> layers;
    for (std::size_t k = 0; k < any.size(); ++k) {
      const unsigned l = any.surface(k);
      if (any.geometry().surfaces()[l].measures() &&
          detector_.layers[l].efficiency < 1)
        layers.push_back(l);
    }
    std::ranges::sort(layers);
    // a layer that is crossed twice loses its hits together
    layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
    return layers;
  }

  Track at_place(Track track, const AverageSample& sample,
                 std::size_t k) const {
    track.phi = sample.phi(k);
    track.vertex = sample.vertex(k);
    return track;
  }

  /// The tracks needed for a point.
  void plan(const Track& track, std::size_t i, PointTracks& point,
            Jobs& jobs) const {
    const std::size_t n = places_.size();
    const double share = 1 / static_cast<double>(n);
    const auto set = [&point](std::string_view method,
                              const AverageSample& sample) {
      point.method = method;
      point.slices = sample.slices();
      point.sampled = sample.size();
    };
    if (!loses_hits_) {
      set(n == 1 ? "exact" : "sample", places_);
      for (std::size_t k = 0; k < n; ++k)
        jobs[{}].push_back({&places_, i, k, share});
      return;
    }
    // where a sample is needed anyway, more tracks than those of the sample do
    // not pay
    const std::size_t most = n == 1 ? most_hit_patterns : with_hits_->size();
    std::vector<std::vector<std::size_t>> layers;  // that may lose hits
    std::size_t patterns = 0;
    for (std::size_t k = 0; k < n && patterns <= most; ++k) {
      layers.push_back(inefficient(at_place(track, places_, k)));
      constexpr std::size_t bits = 20;  // far above the number that is summed
      patterns += std::size_t{1} << std::min(bits, layers.back().size());
    }
    if (patterns > most) {
      set("sample", *with_hits_);
      const double drawn = 1 / static_cast<double>(with_hits_->size());
      for (std::size_t k = 0; k < with_hits_->size(); ++k)
        jobs[with_hits_->lost(k)].push_back({&*with_hits_, i, k, drawn});
      return;
    }
    set(n == 1 ? "exact" : "sample, hits exact", places_);
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<double> efficiencies;
      for (const std::size_t l : layers[k])
        efficiencies.push_back(detector_.layers[l].efficiency);
      for_each_hit_pattern(
          efficiencies, efficiencies.size(),
          [&](const std::vector<std::size_t>& lost, double probability) {
            std::vector<std::size_t> of_detector;
            for (const std::size_t j : lost)
              of_detector.push_back(layers[k][j]);
            jobs[std::move(of_detector)].push_back(
                {&places_, i, k, share * probability});
          });
    }
  }

  /// Resolves the members of a job and adds them to their points.
  BatchStatistics run(const TrackingGeometry& geometry, const TrackArrays& grid,
                      const std::vector<Member>& members,
                      std::vector<PointTracks>& points) const {
    const std::size_t n = members.size();
    std::array<std::vector<double>, 6> columns;
    auto& [p, theta, phi, x, y, z] = columns;
    for (const Member& m : members) {
      p.push_back(grid.p[m.point]);
      theta.push_back(grid.theta[m.point]);
      phi.push_back(m.sample->phi(m.k));
      if (!over_.vertex && !x.empty()) continue;  // one start for all
      const std::array<double, 3>& vertex = m.sample->vertex(m.k);
      x.push_back(vertex[0]);
      y.push_back(vertex[1]);
      z.push_back(vertex[2]);
    }
    const TrackArrays tracks{n, p, theta, phi, grid.mass, grid.charge, x, y, z};
    const auto take = [&](std::size_t t, const Resolution& r) {
      const Member& m = members[t];
      PointTracks& point = points[m.point];
      const TrackRow row{{}, detector_, request_, r};
      point.weight.push_back(m.weight);
      point.slice.push_back(
          static_cast<std::uint32_t>(m.sample->slice_of(m.k)));
      point.n_hits.push_back(r.n_hits);
      point.status.push_back(r.status);
      for (const ColumnOf<TrackRow>& column : columns_)
        point.values.push_back(number_of(column, row));
    };
    if (options_.path == CodePath::best && is_vectorised(geometry, model_))
      return for_each_resolution(geometry, model_, options_.path, tracks,
                                 columns_, take);
    // for batches of few tracks, the preparation of all layers does not pay
    BatchStatistics statistics;
    for (std::size_t t = 0; t < n; ++t)
      take(t, resolve(geometry, tracks.track(t), model_));
    statistics.tracks += n;
    statistics.unsupported += n;
    return statistics;
  }

  Table rows(std::size_t begin, const std::vector<PointTracks>& points) const {
    Table table = empty_average_table(request_);
    const auto cells = [&table](std::string_view name) -> auto& {
      return std::ranges::find(table.columns, name, &Column::name)->cells;
    };
    set_points(begin, points.size(), table);
    auto& method = std::get<Texts>(cells("method"));
    auto& tracks = std::get<Integers>(cells("tracks"));
    auto& efficiency = std::get<Reals>(cells("efficiency"));
    auto& error = std::get<Reals>(cells("efficiency_error"));
    auto& hits = std::get<Texts>(cells("n_hits_shares"));
    auto& status = std::get<Texts>(cells("status"));
    std::vector<Reals*> averages;
    for (std::size_t c =
             table.columns.size() - columns_.size() * number_list.size();
         c < table.columns.size(); ++c)
      averages.push_back(&std::get<Reals>(table.columns[c].cells));
    WeightedNumbers distribution;
    for (const PointTracks& point : points) {
      method.emplace_back(point.method);
      tracks.push_back(static_cast<std::int64_t>(point.weight.size()));
      hits.push_back(hits_text(point));
      status.emplace_back(to_string(status_of(point)));
      double resolved = 0, all = 0;
      SliceSums sums(point.slices);
      for (std::size_t t = 0; t < point.weight.size(); ++t) {
        const bool is = is_resolved(point.status[t]);
        resolved += is ? point.weight[t] : 0;
        all += point.weight[t];
        sums.add(point.slice[t], is ? 1 : 0, point.weight[t]);
      }
      efficiency.push_back(resolved / all);  // 1 without rounding
      error.push_back(point.slices == 1
                          ? 0
                          : std::max(sums.error(),
                                     0.5 / static_cast<double>(point.sampled)));
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        distribution.clear();
        SliceSums slices(point.slices);
        for (std::size_t t = 0; t < point.weight.size(); ++t) {
          const double x = point.values[t * columns_.size() + c];
          distribution.add(x, point.weight[t]);
          slices.add(point.slice[t], x, point.weight[t]);
        }
        distribution.sort();
        const std::array<double, number_list.size()> found{
            distribution.mean(),        slices.error(),
            distribution.width(),       distribution.quantile(0.16),
            distribution.quantile(0.5), distribution.quantile(0.84),
            distribution.quantile(0.95)};
        for (std::size_t i = 0; i < found.size(); ++i)
          averages[c * found.size() + i]->push_back(found[i]);
      }
    }
    return table;
  }

  /// Sets the columns that identify the point of a row.
  void set_points(std::size_t begin, std::size_t n, Table& table) const {
    PointRows points(detector_, request_);
    const Resolution none;
    for (std::size_t i = 0; i < n; ++i) {
      const TrackRow row{points.at(grid_point(request_, begin + i)), detector_,
                         request_, none};
      for (const ColumnOf<TrackRow>& column : point_columns<TrackRow>) {
        const auto to =
            std::ranges::find(table.columns, column.text.name, &Column::name);
        if (to == table.columns.end()) continue;
        if (const auto* real = std::get_if<0>(&column.cell))
          std::get<Reals>(to->cells).push_back((*real)(row));
        else
          std::get<Texts>(to->cells).push_back(std::get<2>(column.cell)(row));
      }
    }
  }

  const StudyRequest& request_;
  const Detector& detector_;
  const ScanOptions& options_;
  TrackingGeometry geometry_;
  Model model_;
  std::vector<ColumnOf<TrackRow>> columns_;
  AverageRequest over_;
  bool loses_hits_;
  AverageSample places_;  ///< azimuths and vertices
  std::optional<AverageSample> with_hits_;
};

constexpr auto columns_in_front = std::to_array<DescribedColumn>({
    {{"method", "",
      "`exact`: all patterns of hits with their weights, and all azimuths "
      "are equivalent; "
      "`sample`: of azimuths, vertices and lost hits; `sample, hits exact`: of "
      "azimuths and vertices, with all patterns of hits of each"},
     DescribedColumn::Kind::text},
    {{"tracks", "", "tracks evaluated, including patterns of hits"},
     DescribedColumn::Kind::integer},
    {{"efficiency", "1", "fraction of tracks that have a resolution"},
     DescribedColumn::Kind::real},
    {{"efficiency_error", "1",
      "its error, at least that of half a track of the sample; 0 if exact"},
     DescribedColumn::Kind::real},
    {{"n_hits_shares", "",
      "fraction of tracks with each number of hits: `6: 0.02, 7: 0.98`"},
     DescribedColumn::Kind::text},
    {{"status", "",
      "the most frequent one, among tracks with a resolution if there are any"},
     DescribedColumn::Kind::text},
});

}  // namespace

std::span<const AverageNumber> average_numbers() { return number_list; }

std::vector<DescribedColumn> described_average_columns() {
  return {columns_in_front.begin(), columns_in_front.end()};
}

std::string_view averaged_column(std::string_view name) {
  for (const AverageNumber& number : number_list)
    if (!number.ending.empty() && name.ends_with(number.ending))
      return name.substr(0, name.size() - number.ending.size());
  return name;
}

Table empty_average_table(const StudyRequest& request) {
  Table table;
  const bool all_azimuths = request.average && request.average->phi;
  for (const ColumnOf<TrackRow>& column : point_columns<TrackRow>) {
    if (all_azimuths && column.text.name == phi_name) continue;
    const std::string name(column.text.name);
    if (column.cell.index() == 0)
      table.add<Reals>(name);
    else
      table.add<Texts>(name);
  }
  for (const DescribedColumn& column : columns_in_front) {
    const std::string name(column.text.name);
    if (column.kind == DescribedColumn::Kind::real)
      table.add<Reals>(name);
    else if (column.kind == DescribedColumn::Kind::integer)
      table.add<Integers>(name);
    else
      table.add<Texts>(name);
  }
  for (const ColumnOf<TrackRow>& column : averaged_columns(request))
    for (const AverageNumber& number : number_list)
      table.add<Reals>(std::string(column.text.name) +
                       std::string(number.ending));
  return table;
}

std::vector<std::string> average_column_names(const StudyRequest& request) {
  std::vector<std::string> names;
  for (const Column& column : empty_average_table(request).columns)
    names.push_back(column.name);
  return names;
}

std::vector<std::string> average_columns_for_reading(
    const StudyRequest& request, std::span<const Detector> detectors) {
  std::vector<std::string> names;
  if (detectors.size() > 1) names.emplace_back("detector");
  const bool by_pt = request.momentum.variable == MomentumAxis::Variable::pt;
  const bool by_eta = request.angle.variable == AngleAxis::Variable::eta;
  for (const char* name :
       {by_pt ? "pt_GeV" : "p_GeV", by_eta ? "eta" : "theta_deg", "method",
        "tracks", "efficiency", "efficiency_error", "n_hits"})
    names.emplace_back(name);
  const bool beam = along_beam(request, detectors);
  for (const Parameter q :
       beam ? std::array{Parameter::p, Parameter::x, Parameter::y}
            : std::array{Parameter::pt, Parameter::d0, Parameter::z0})
    for (const std::string_view ending : {"", "_error", "_rms", "_q95"})
      names.push_back(std::string(sigma_column(q)) + std::string(ending));
  return names;
}

std::size_t scan_averages(const StudyRequest& request,
                          std::span<const Detector> detectors,
                          const ScanOptions& options, TableSink& sink) {
  const std::size_t points = n_grid_points(request);
  const unsigned threads = thread_count(options.threads);
  std::size_t evaluated = 0, done = 0;
  for (const Detector& detector : detectors) {
    const DetectorAverage average(request, detector, options);
    const std::size_t size =
        std::clamp<std::size_t>(average.points_of_block(), 1,
                                std::max<std::size_t>(1, points / threads));
    const auto make = [&](std::size_t b) {
      const std::size_t begin = b * size;
      DetectorAverage::Block block =
          average.make(begin, std::min(points, begin + size));
      block.prepared = sink.prepare(block.table);
      return block;
    };
    const auto take = [&](const DetectorAverage::Block& block) {
      sink.write_prepared(block.table, block.prepared);
      evaluated += block.evaluated;
      if (options.statistics) *options.statistics += block.statistics;
      done += block.table.rows();
      if (options.progress) options.progress(done, points * detectors.size());
    };
    constexpr std::size_t ahead = 32;  // writing may be slow
    parallel_in_order((points + size - 1) / size, threads, make, take, ahead);
  }
  sink.finish();
  return evaluated;
}

std::vector<AveragedTracks> tracks_of_averages(const StudyRequest& request,
                                               const Detector& detector,
                                               std::span<const Track> points) {
  const ScanOptions options;
  return DetectorAverage(request, detector, options).tracks_at(points);
}

}  // namespace gttf
