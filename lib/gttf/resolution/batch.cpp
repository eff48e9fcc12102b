// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <utility>

#include "gttf/core/kernels.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/core/run_batch.hpp"
#include "gttf/fit/streaming/exact_hits.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/batch_groups.hpp"
#include "gttf/resolution/batch_sigmas.hpp"
#include "gttf/resolution/batch_targets.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/sensitivity.hpp"

namespace gttf {

namespace {

using detail::BatchExtras;
using detail::matrix_targets;
using detail::MatrixTarget;
using detail::PackValues;
using detail::plane_targets;
using detail::PlaneTarget;

constexpr std::size_t block_size = 512;

/// Bytes whose address is a multiple of 64.
class Workspace {
 public:
  std::byte* with(std::size_t bytes) {
    const std::size_t lines = (bytes + sizeof(Line) - 1) / sizeof(Line);
    if (lines > size_) {
      lines_ = std::make_unique_for_overwrite<Line[]>(lines);
      size_ = lines;
    }
    return reinterpret_cast<std::byte*>(lines_.get());
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::unique_ptr<Line[]> lines_;
  std::size_t size_ = 0;
};

/// What the threads share.
struct Job {
  const TrackingGeometry& geometry;
  const detail::BatchGeometry lanes;
  const detail::CovarianceKernel& kernel;
  const TrackArrays& tracks;
  const Model& model;
  const ResolutionArrays& results;
  const SlopeArrays& slopes;
  bool vectorised;
};

class Worker {
 public:
  explicit Worker(const Job& job)
      : job_(job),
        // a guess is checked on the way, on which Scattering::highland_total
        // needs the sum up to the last hit
        groups_(job.lanes, job.kernel, job.tracks,
                job.model.scattering != Scattering::highland_total),
        extras_(detail::extras_for(job.results)) {
    fit_.surfaces = job.lanes.surfaces.data();
    fit_.bz = job.lanes.bz;
    fit_.undoubted = undoubted_variances(job.geometry.least_variance());
    fit_.scattering = job.model.scattering;
    fit_.tracks = &lanes_;
    fit_.all = (detail::TrackBits{1} << job.kernel.width) - 1;
    const auto add = [this](double* to, std::size_t plane) {
      targets_.push_back({to, plane});
    };
    for (const PlaneTarget& p : plane_targets)
      if (auto to = job.results.*p.target; !to.empty()) add(to.data(), p.plane);
    for (const MatrixTarget& m : matrix_targets)
      if (auto to = job.results.*m.target; !to.empty())
        for (std::size_t i = 0; i < track_triangle; ++i)
          add(to.data() + i * job.tracks.size, m.plane + i);
    using Task = detail::BatchTask;
    const auto add_layers = [this](const LayerArrays& to, LayerNumber number) {
      for (std::size_t q = 0; q < n_parameters; ++q)
        if (!to.values[q].empty())
          layer_targets_.push_back({to.values[q].data(), q, number});
    };
    add_layers(job.results.scattering_variance,
               {&Task::scattering_variance, Cause::scattering, {}});
    add_layers(job.results.hit_variance, {&Task::hit_variance, Cause::hit, {}});
    add_layers(job.slopes.position,
               {&Task::position_slope, {}, Quantity::position});
    add_layers(job.slopes.material,
               {&Task::material_slope, {}, Quantity::x_over_x0});
    add_layers(job.slopes.sigma, {&Task::sigma_slope, {}, Quantity::sigma});
    extras_.way_back = !layer_targets_.empty() || extras_.way_back;
    fit_.extras = extras_;
  }

  bool is_vectorised() const { return job_.vectorised; }

  void run_vectorised(detail::BatchBlock& block) {
    const std::size_t begin = begin_ = block.begin, end = block.end;
    helix_.resize(block.size());
    for (std::size_t t = begin; t < end; ++t)
      helix_[t - begin] = follows_helix(t);
    const bool field = job_.lanes.bz != 0;
    const int least_hits = field ? 3 : 2;
    groups_.for_each_group(
        begin, end, least_hits, [&](std::size_t t) { return !is_helix(t); },
        [&](const detail::BatchGroup& group) {
          return fit(group, field ? Status::ok : Status::no_field, block);
        });
    const ResolutionArrays& r = job_.results;
    for (std::size_t t = begin; t < end; ++t) {
      if (!is_helix(t)) {
        block.leave_unsupported(t);
        continue;
      }
      const int n_hits = groups_.list_of(t).n_measuring;
      if (!r.n_hits.empty()) r.n_hits[t] = n_hits;
      if (!r.end.empty())
        r.end[t] =
            groups_.turned_back(t) ? TrackEnd::curls_up : TrackEnd::leaves;
      if (n_hits >= least_hits) continue;
      set_unfitted(t);
      ++block.statistics.not_fitted;
    }
    clear_others(begin, end, least_hits);
  }

  void run_scalar(std::size_t t) {
    const Track track = job_.tracks.track(t);
    const ResolutionArrays& r = job_.results;
    const std::size_t n = job_.tracks.size;
    Budget budget;
    const bool with_layers =
        r.scattering_variance.asked_for() || r.hit_variance.asked_for();
    if (with_layers) budget = make_budget(job_.geometry, track, job_.model);
    Sensitivities sensitivities;
    const bool with_slopes = job_.slopes.position.asked_for();
    if (with_slopes)
      sensitivities = make_sensitivities(job_.geometry, track, job_.model);
    Resolution one = with_layers ? std::move(budget.resolution)
                     : with_slopes
                         ? std::move(sensitivities.resolution)
                         : gttf::resolve(job_.geometry, track, job_.model);
    for (const PlaneTarget& p : plane_targets)
      if (auto to = r.*p.target; !to.empty()) to[t] = one.*p.member;
    for (const MatrixTarget& m : matrix_targets)
      if (auto to = r.*m.target; !to.empty())
        for (int i = 0, plane = 0; i < track_dim; ++i)
          for (int j = 0; j <= i; ++j, ++plane)
            to[static_cast<std::size_t>(plane) * n + t] = (one.*m.member)(i, j);
    if (!r.n_hits.empty()) r.n_hits[t] = one.n_hits;
    if (!r.end.empty()) r.end[t] = one.end;
    if (!r.status.empty()) r.status[t] = one.status;
    if (!r.scalar.empty()) r.scalar[t] = std::move(one);
    if (layer_targets_.empty()) return;
    fill_layers(
        t, budget.exists() || sensitivities.exists() ? 0 : Resolution::none);
    for (const LayerTarget& target : layer_targets_) {
      const LayerNumber& number = target.number;
      for (const BudgetPart& part : budget.parts)
        if (part.cause == number.cause && part.layer != BudgetPart::none)
          target.to[part.layer * n + t] +=
              part.variance.values[target.parameter];
      for (const Sensitivity& item : sensitivities.items) {
        if (item.quantity != number.quantity || item.layer == Sensitivity::none)
          continue;
        const std::size_t place =
            number.of_coordinates()
                ? job_.geometry.surfaces()[item.layer].first_axis +
                      item.coordinate
                : item.layer;
        const double sigma = sensitivities.sigma.values[target.parameter];
        target.to[place * n + t] +=
            item.slope.values[target.parameter] * 2 * sigma * sigma;
      }
    }
  }

  void end_block(const detail::BatchBlock&) {}

 private:
  bool is_helix(std::size_t t) const { return helix_[t - begin_] != 0; }

  bool follows_helix(std::size_t t) const {
    const std::span<const double> theta = job_.tracks.theta;
    // clearly away from the axis: no need for sines
    const double angle = theta[theta.size() == 1 ? 0 : t];
    if (job_.lanes.bz != 0 && angle > 0.1 && angle < 3) return true;
    return detail::follows_helix(job_.geometry, job_.tracks.track(t),
                                 job_.model);
  }

  void set_unfitted(std::size_t t) {
    const ResolutionArrays& r = job_.results;
    if (!r.status.empty())
      r.status[t] =
          groups_.turned_back(t) ? Status::curls_up : Status::too_few_hits;
    for (const PlaneTarget& p : plane_targets)
      if (auto to = r.*p.target; !to.empty()) to[t] = Resolution::none;
    const TrackMaterial<double>& material = groups_.material(t);
    if (!r.x_over_x0.empty()) r.x_over_x0[t] = material.all;
    if (!r.x_over_x0_tracker.empty() && groups_.list_of(t).n_measuring > 0)
      r.x_over_x0_tracker[t] = material.to_last_hit;
    for (const MatrixTarget& m : matrix_targets)
      if (auto to = r.*m.target; !to.empty())
        for (std::size_t i = 0; i < track_triangle; ++i)
          to[i * job_.tracks.size + t] = Resolution::none;
    fill_layers(t, Resolution::none);
  }

  detail::GuessCheck fit(const detail::BatchGroup& group, Status status,
                         detail::BatchBlock& block) {
    groups_.gather(group, lanes_);
    fit_.list = group.list.data();
    fit_.n_crossings = group.list.size();
    fit_.mixed = group.mixed;
    fit_.points = group.points;
    fit_.guessed = group.guess != nullptr;
    if (fit_.guessed) group.guess->extents.put_into(fit_);
    if (extras_.way_back)
      fit_.workspace = workspace_.with(
          job_.kernel.workspace(group.list.size(), group.n_coordinates));
    // full lanes of neighbours write where the results belong
    const bool direct = group.in_a_row && group.n == job_.kernel.width;
    if (direct)
      write_from(group.track[0]);
    else
      write_here();
    job_.kernel.fit(fit_);
    if (fit_.guessed && !fit_.confirmed) return {false, 0};
    if (extras_.limits) fit_.doubtful |= without_plain_limit(group);
    BatchStatistics& statistics = block.statistics;
    ++statistics.groups;
    if (!direct) store(group);
    if (!job_.results.status.empty())
      for (std::size_t lane = 0; lane < group.n; ++lane)
        job_.results.status[group.track[lane]] = status;
    std::size_t n = group.n;
    for (std::size_t lane = 0; fit_.doubtful != 0 && lane < group.n; ++lane)
      if ((fit_.doubtful >> lane & 1) != 0) {
        block.leave_doubtful(group.track[lane]);
        --n;
      }
    statistics.vectorised += n;
    if (group.mixed) statistics.mixed += n;
    return {true, fit_.turned_back};
  }

  /// Lanes in which exact hits may contradict each other, so that there is no
  /// limit of scattering only: where some layers scatter, but not each that
  /// measures, or two measure at one place.
  detail::TrackBits without_plain_limit(const detail::BatchGroup& group) const {
    detail::TrackBits bare = 0, material = 0, close = 0;
    const detail::ListedSurface* last = nullptr;
    for (const detail::ListedSurface& c : group.list) {
      const SurfaceRecord& s = job_.lanes.surfaces[c.surface].record;
      if (s.x_over_x0 > 0) material |= c.kinked;
      if (!s.measures()) continue;
      if (!(s.x_over_x0 > 0)) bare |= c.kinked;
      if (last != nullptr &&
          detail::are_close(s, job_.lanes.surfaces[last->surface].record))
        close |= c.fitted & last->fitted;
      last = &c;
    }
    return (bare & material) | close;
  }

  /// Lets the fit write to the results from `track` on.
  void write_from(std::size_t track) {
    for (const Target& t : targets_) fit_.out[t.plane] = t.to + track;
    fit_.budget_stride = job_.tracks.size;
    for (const LayerTarget& t : layer_targets_)
      (fit_.*t.number.by_lanes)[t.parameter] = t.to + track;
  }

  /// Lets the fit write to out_ and layers_.
  void write_here() {
    for (const Target& t : targets_) fit_.out[t.plane] = out_[t.plane].value;
    std::size_t n_rows = 0;
    for (const LayerTarget& t : layer_targets_) n_rows += rows_of(t);
    layers_.resize(n_rows);
    fit_.budget_stride = detail::most_in_pack;
    PackValues* rows = layers_.data();
    for (const LayerTarget& t : layer_targets_) {
      (fit_.*t.number.by_lanes)[t.parameter] = rows->value;
      rows += rows_of(t);
    }
  }

  /// Takes results from there to where they belong.
  void store(const detail::BatchGroup& group) {
    const auto put = [&](const PackValues& from, double* to) {
      for (std::size_t lane = 0; lane < group.n; ++lane)
        to[group.track[lane]] = from.value[lane];
    };
    for (const Target& t : targets_) put(out_[t.plane], t.to);
    const PackValues* rows = layers_.data();
    for (const LayerTarget& t : layer_targets_) {
      for (const detail::ListedSurface& c : group.list)
        for_rows_of(t, c.surface, [&](std::size_t row) {
          put(rows[row], t.to + row * job_.tracks.size);
        });
      rows += rows_of(t);
    }
  }

  /// Sets the numbers of the layers that fitted tracks do not cross to zero,
  /// for neighbours with the same list together.
  void clear_others(std::size_t begin, std::size_t end, int least_hits) {
    if (layer_targets_.empty()) return;
    const std::size_t n = job_.tracks.size;
    for (std::size_t t = begin; t < end;) {
      std::size_t next = t + 1;
      if (!is_helix(t) || groups_.list_of(t).n_measuring < least_hits) {
        t = next;
        continue;
      }
      const detail::SurfaceList& list = groups_.list_of(t);
      while (next < end && is_helix(next) && &groups_.list_of(next) == &list)
        ++next;
      for (const LayerTarget& target : layer_targets_)
        for (const unsigned layer : list.others)
          for_rows_of(target, layer, [&](std::size_t row) {
            std::fill_n(target.to + row * n + t, next - t, 0);
          });
      t = next;
    }
  }

  /// Sets the numbers of all layers of a track.
  void fill_layers(std::size_t t, double value) {
    for (const LayerTarget& target : layer_targets_)
      for (std::size_t row = 0; row < rows_of(target); ++row)
        target.to[row * job_.tracks.size + t] = value;
  }

  const Job& job_;
  detail::BatchGroups groups_;
  BatchExtras extras_;
  std::size_t n_coordinates_ = coordinate_count(job_.geometry);
  std::size_t begin_ = 0;  ///< of the block
  std::vector<char> helix_;
  detail::BatchTracks lanes_;
  detail::BatchTask fit_;
  struct Target {
    double* to;  ///< of the first track
    std::size_t plane;
  };
  std::vector<Target> targets_;
  std::array<PackValues, detail::BatchPlane::count> out_;
  /// What is asked for of layers, or of their coordinates.
  struct LayerNumber {
    double* (detail::BatchTask::*by_lanes)[n_parameters];
    std::optional<Cause> cause;
    std::optional<Quantity> quantity;
    bool of_coordinates() const { return quantity == Quantity::sigma; }
  };
  struct LayerTarget {
    double* to;  ///< of the first row and track
    std::size_t parameter;
    LayerNumber number;
  };

  /// One row for each layer, or for each coordinate.
  std::size_t rows_of(const LayerTarget& target) const {
    return target.number.of_coordinates() ? n_coordinates_
                                          : job_.lanes.surfaces.size();
  }
  template <class F>
  void for_rows_of(const LayerTarget& target, std::size_t layer,
                   const F& f) const {
    if (!target.number.of_coordinates()) return f(layer);
    const SurfaceRecord& s = job_.lanes.surfaces[layer].record;
    for (std::size_t i = 0; i < s.n_axes; ++i) f(s.first_axis + i);
  }

  std::vector<LayerTarget> layer_targets_;
  std::vector<PackValues> layers_;  ///< of one target after the other
  Workspace workspace_;
};

}  // namespace

Track TrackArrays::track(std::size_t i) const {
  const auto at = [i](std::span<const double> values) {
    return values[values.size() == 1 ? 0 : i];
  };
  return {at(p),    at(theta),  at(phi),
          at(mass), at(charge), {at(x), at(y), at(z)}};
}

TrackArrays arrays_of(const Track& t) {
  const auto view = [](const double& x) {
    return std::span<const double>(&x, 1);
  };
  return {1,
          view(t.p),
          view(t.theta),
          view(t.phi),
          view(t.mass),
          view(t.charge),
          view(t.vertex[0]),
          view(t.vertex[1]),
          view(t.vertex[2])};
}

std::size_t coordinate_count(const TrackingGeometry& geometry) {
  std::size_t n = 0;
  for (const SurfaceRecord& s : geometry.surfaces())
    if (s.measures()) n = std::max<std::size_t>(n, s.first_axis + s.n_axes);
  return n;
}

bool LayerArrays::asked_for() const {
  return std::any_of(values.begin(), values.end(),
                     [](const auto& q) { return !q.empty(); });
}

bool is_vectorised(const TrackingGeometry& geometry, const Model& model) {
  const FieldKind field = geometry.field().kind;
  return model.engine == Engine::streaming && !model.beam_spot &&
         !geometry.has_track_errors() && !geometry.has_dead_regions() &&
         geometry.modules() == nullptr && model.loss == EnergyLoss::off &&
         !model.at &&
         (field == FieldKind::solenoid || field == FieldKind::none);
}

BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results, unsigned threads,
                        CodePath path) {
  return resolve(geometry, tracks, model, results, {}, threads, path);
}

BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results,
                        const SlopeArrays& slopes, unsigned threads,
                        CodePath path) {
  for ([[maybe_unused]] const auto& values :
       {tracks.p, tracks.theta, tracks.phi, tracks.mass, tracks.charge,
        tracks.x, tracks.y, tracks.z})
    assert(values.size() == 1 || values.size() == tracks.size);
  const Job job{geometry,
                detail::BatchGeometry(geometry),
                detail::kernels(simd_level()).covariance,
                tracks,
                model,
                results,
                slopes,
                path == CodePath::best && is_vectorised(geometry, model) &&
                    // one logarithm for all makes every layer depend on all
                    !(slopes.position.asked_for() &&
                      model.scattering == Scattering::highland_total)};
  return detail::run_batch(tracks.size, block_size, threads,
                           [&] { return Worker(job); });
}

}  // namespace gttf
