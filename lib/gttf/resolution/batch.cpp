// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <utility>

#include "gttf/core/kernels.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/core/run_batch.hpp"
#include "gttf/fit/streaming/exact_hits.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/batch_groups.hpp"
#include "gttf/resolution/batch_loss.hpp"
#include "gttf/resolution/batch_regions.hpp"
#include "gttf/resolution/batch_sigmas.hpp"
#include "gttf/resolution/batch_states.hpp"
#include "gttf/resolution/batch_targets.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/crossed_surfaces.hpp"
#include "gttf/resolution/loss_tables.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf {

namespace {

using detail::BatchExtras;
using detail::matrix_targets;
using detail::MatrixTarget;
using detail::PackValues;
using detail::plane_targets;
using detail::PlaneTarget;

/// Large blocks of many tracks, so that of those in random order more are
/// alike; not so large that a thread waits for the others at the end.
std::size_t block_size(std::size_t n_tracks, unsigned threads) {
  const std::size_t blocks = std::size_t{8} * thread_count(threads);
  return detail::whole_vectors(
      std::clamp<std::size_t>(n_tracks / blocks, 512, 4096));
}

/// Whether tracks are helices or straight lines.
bool follows_helices(const Field& field) {
  return field.kind == FieldKind::solenoid || field.kind == FieldKind::none;
}

/// Memory aligned to 64 bytes.
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

/// The slabs of every surface.
std::vector<std::span<const LossSlab>> slabs_of(
    const TrackingGeometry& geometry) {
  std::vector<std::span<const LossSlab>> slabs;
  for (std::size_t i = 0; i < geometry.surfaces().size(); ++i)
    slabs.push_back(geometry.slabs(i));
  return slabs;
}

/// A number of every track, or one of all.
class Numbers {
 public:
  explicit Numbers(std::span<const double> values)
      : first_(values.data()), stride_(values.size() == 1 ? 0 : 1) {}
  double operator[](std::size_t track) const { return first_[track * stride_]; }

 private:
  const double* first_;
  std::size_t stride_;
};

/// Data shared by the threads.
struct Job {
  const TrackingGeometry& geometry;
  const detail::BatchGeometry batch;
  const detail::Kernels& kernels;
  const std::optional<detail::RegionTable>& regions;  ///< if they are used
  const TrackArrays& tracks;
  const Model& model;
  const ResolutionArrays& results;
  const SlopeArrays& slopes;
  const StateArrays& states;
  KnownLists* known;  ///< null if there are several threads
  bool vectorised;
};

class Worker {
 public:
  explicit Worker(const Job& job)
      : job_(job), extras_(detail::extras_for(job.results)) {
    fit_.n_surfaces = job.batch.surfaces.size();
    if (slows_down()) {
      const TrackArrays& tracks = job.tracks;
      loss_.emplace(slabs_of(job.geometry),
                    tracks.size == 0
                        ? Projectile{1}
                        : Projectile{tracks.mass[0], tracks.charge[0]},
                    job.model.loss);
      fit_.loss = &loss_->view();
    }
    groups_.emplace(job.batch, job.kernels.covariance, nullptr, fit_.loss,
                    job.tracks, job.model, job.known);
    if (job.regions)
      in_regions_.emplace(job.batch, job.kernels.in_regions,
                          &job.regions->view(), fit_.loss, job.tracks,
                          job.model, nullptr);
    fit_.bz = job.regions ? job.geometry.b_ref() : job.batch.bz;
    double least_variance = job.geometry.least_variance();
    if (const auto& spot = job.model.beam_spot) {
      fit_.beam_spot = &*spot;
      for (const double error : {spot->x, spot->y, spot->z})
        least_variance = std::min(least_variance, error * error);
    }
    fit_.undoubted = undoubted_variances(least_variance,
                                         job.geometry.field().map != nullptr);
    fit_.at_own_hit = job.model.at && job.model.at->own_hit;
    fit_.scattering = job.model.scattering;
    fit_.tracks = &elements_;
    fit_.all = (detail::TrackBits{1} << width()) - 1;
    targets_.reserve(detail::BatchPlane::count);
    const auto add = [this](double* to, std::size_t plane) {
      targets_.push_back({to, plane});
    };
    for (const PlaneTarget& p : plane_targets)
      if (auto to = job.results.*p.target; !to.empty()) add(to.data(), p.plane);
    for (const MatrixTarget& m : matrix_targets)
      if (auto to = job.results.*m.target; !to.empty())
        for (std::size_t i = 0; i < track_triangle; ++i)
          add(to.data() + i * job.tracks.size, m.plane + i);
    if (const StateArrays& at = job.states; at.asked_for()) {
      using Plane = detail::BatchPlane;
      for (std::size_t i = 0; i < track_triangle; ++i) {
        add(at.covariance.data() + i * job.tracks.size, Plane::at_state + i);
        add(at.slopes.data() + i * job.tracks.size, Plane::at_slopes + i);
      }
      add(at.sigma_p_rel.data(), Plane::at_sigma_p);
      add(at.p.data(), Plane::at_p);
    }
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
    if (!layer_targets_.empty())
      n_coordinates_ = coordinate_count(job.geometry);
    extras_.backward_pass = !layer_targets_.empty() || job.states.asked_for() ||
                            extras_.backward_pass;
    fit_.extras = extras_;
  }

  bool is_vectorised() const { return job_.vectorised; }

  void run_vectorised(detail::BatchBlock& block) {
    const std::size_t begin = begin_ = block.begin, end = block.end;
    find_ways(begin, end);
    // a list of kinds does not say which modules are crossed
    if (has_modules())
      for (std::size_t t = begin; t < end; ++t) fill_layers(t, 0);
    run_groups(Way::helix, *groups_, job_.kernels.covariance, block);
    if (in_regions_)
      run_groups(Way::regions, *in_regions_, job_.kernels.in_regions, block);
    const ResolutionArrays& r = job_.results;
    const int least = least_hits();
    const bool slowing = slows_down();
    for (std::size_t t = begin; t < end; ++t) {
      if (way(t) == Way::none) {
        // without field, regions leave no direction out
        if (job_.geometry.has_field() || job_.regions)
          block.leave_other_way(t);
        else
          block.leave_unsupported(t);
      }
      if (!is_in_groups(t)) continue;
      const detail::BatchGroups& groups = groups_of(t);
      const int n_hits = groups.list_of(t).n_measuring;
      if (!r.n_hits.empty()) r.n_hits[t] = n_hits;
      if (!r.end.empty() && !slowing)
        r.end[t] =
            groups.turned_back(t) ? TrackEnd::curls_up : TrackEnd::leaves;
      if (n_hits >= least || slowing) continue;
      if (!r.surfaces.empty()) set_surfaces(t, job_.tracks.track(t));
      set_unfitted(t, groups.turned_back(t), n_hits, groups.material(t));
      ++block.statistics.not_fitted;
    }
    clear_others(begin, end);
  }

  void run_scalar(std::size_t t) {
    const Track track = job_.tracks.track(t);
    const ResolutionArrays& r = job_.results;
    if (!r.surfaces.empty()) set_surfaces(t, track);
    if (asks_for_crossings_only()) return;
    const std::size_t n = job_.tracks.size;
    Budget budget;
    const bool with_layers =
        r.scattering_variance.asked_for() || r.hit_variance.asked_for();
    if (with_layers) budget = make_budget(job_.geometry, track, job_.model);
    Sensitivities sensitivities;
    const bool with_slopes = job_.slopes.asked_for();
    if (with_slopes)
      sensitivities = make_sensitivities(job_.geometry, track, job_.model,
                                         job_.slopes.kinds);
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
    if (job_.states.asked_for()) store_state(t, one);
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
  /// How a track of the block is followed.
  enum class Way : char {
    none,     ///< not by a kernel
    helix,    ///< along a helix, or a straight line away from the z axis
    regions,  ///< through regions of a uniform field
    left      ///< it could not be
  };
  Way way(std::size_t t) const { return ways_[t - begin_]; }
  bool is_in_groups(std::size_t t) const {
    return way(t) == Way::helix || way(t) == Way::regions;
  }
  const detail::BatchGroups& groups_of(std::size_t t) const {
    return way(t) == Way::regions ? *in_regions_ : *groups_;
  }
  std::size_t width() const { return job_.kernels.covariance.width; }
  int least_hits() const {
    return (job_.geometry.has_field() ? 3 : 2) - (job_.model.beam_spot ? 1 : 0);
  }

  /// Whether nothing is requested but what a track crosses.
  bool asks_for_crossings_only() const {
    const ResolutionArrays& r = job_.results;
    return targets_.empty() && layer_targets_.empty() && r.status.empty() &&
           r.end.empty() && r.scalar.empty();
  }

  void set_surfaces(std::size_t t, const Track& track) {
    const detail::AnyTrack crossed(job_.geometry, track, job_.model);
    detail::CrossedSurfaces surfaces;
    for (std::size_t k = 0; k < crossed.size(); ++k)
      surfaces.add(crossed.surface(k));
    job_.results.surfaces[t] = surfaces.number();
    if (!job_.results.n_hits.empty())
      job_.results.n_hits[t] = crossed.n_measuring();
  }

  /// Of the tracks of a group, except those with another list.
  void set_surfaces(const detail::BatchGroup& group, detail::TrackBits wrong) {
    const bool alike = !group.mixed && group.planes.empty();
    std::uint64_t number = 0;
    for (std::size_t element = 0; element < group.n; ++element) {
      if (element == 0 || !alike) {
        detail::CrossedSurfaces surfaces;
        for (const detail::ListedSurface& c : group.list)
          if ((c.crossed >> element & 1) != 0)
            surfaces.add(layer_of(c, element));
        number = surfaces.number();
      }
      if ((wrong >> element & 1) == 0)
        job_.results.surfaces[group.track[element]] = number;
    }
  }

  void run_groups(Way which, detail::BatchGroups& groups,
                  const detail::CovarianceKernel& kernel,
                  detail::BatchBlock& block) {
    const bool field = job_.geometry.has_field();
    groups.for_each_group(
        block.begin, block.end, least_hits(),
        [&](std::size_t t) { return way(t) != which; },
        [&](const detail::BatchGroup& group) {
          fit_.follows_only = slows_down() && group.n_measuring < least_hits();
          return fit(group, groups, kernel,
                     field ? Status::ok : Status::no_field, block);
        },
        [&](std::size_t t, detail::Retraced& found) {
          return slows_down() && which == Way::helix && retrace(t, found);
        },
        [&](std::size_t t) {
          if (which == Way::regions) ways_[t - begin_] = Way::left;
          block.leave_not_followed(t);
        });
  }

  void find_ways(std::size_t begin, std::size_t end) {
    ways_.resize(end - begin);
    const Numbers theta(job_.tracks.theta), x(job_.tracks.x), y(job_.tracks.y);
    const bool bends = job_.batch.bz != 0 && !(job_.model.turns > 0) &&
                       job_.geometry.field().kind != FieldKind::dipole;
    for (std::size_t t = begin; t < end; ++t)
      // clearly away from the axis, and outwards: no need for sines
      ways_[t - begin] =
          bends && theta[t] > 0.1 && theta[t] < 3 && x[t] == 0 && y[t] == 0
              ? Way::helix
              : way_of(t);
  }

  Way way_of(std::size_t t) const {
    if (follows_helices(job_.geometry.field()) && follows_helix(t))
      return Way::helix;
    return job_.regions && follows_regions(t) ? Way::regions : Way::none;
  }

  bool follows_helix(std::size_t t) const {
    // nearly along the axis
    const double angle = Numbers(job_.tracks.theta)[t];
    if (!job_.geometry.has_field() && (angle < 0.3 || angle > 2.8))
      return false;
    return detail::follows_slowing_helix(job_.geometry, job_.tracks.track(t),
                                         job_.model);
  }

  /// A dipole may bend a track anywhere; without field those that have another
  /// polar axis than z.
  bool follows_regions(std::size_t t) const {
    if (job_.model.turns > 0) return false;
    const Track track = job_.tracks.track(t);
    const bool along_z =
        std::abs(std::cos(track.theta)) >= std::cos(20 * unit::deg);
    return (along_z || job_.geometry.has_field()) &&
           (is_outwards(t) || !(turns_needed(job_.geometry, track) > 0));
  }

  /// Whether it starts on the axis, and is followed for half a turn.
  bool is_outwards(std::size_t t) const {
    return Numbers(job_.tracks.x)[t] == 0 && Numbers(job_.tracks.y)[t] == 0 &&
           !(job_.model.turns > 0);
  }

  bool slows_down() const { return job_.model.loss != EnergyLoss::off; }
  bool has_modules() const {
    return job_.batch.layers.size() < job_.geometry.surfaces().size();
  }

  /// The surfaces that a track crosses if it loses energy.
  /// @return  false if it stops
  bool retrace(std::size_t t, detail::Retraced& found) const {
    const Track track = job_.tracks.track(t);
    const TracedTrack traced =
        trace(job_.geometry, track, Scattering::off, job_.model.loss);
    const double sine = std::sin(track.theta);
    double path = 0;
    for (const TracedCrossing& x : traced.list) {
      found.passed.push_back({x.surface, (x.path - path) * sine, x.x_over_x0});
      path = x.path;
    }
    found.turned_back = traced.end == TrackEnd::curls_up;
    return !traced.stopped;
  }

  /// Whether a track of a group turns back before a surface.
  bool turns_back(const detail::BatchGroup& group,
                  const detail::BatchGroups& groups,
                  std::size_t element) const {
    return (fit_.turned_back >> element & 1) != 0 ||
           (slows_down() && has_modules() &&
            groups.turned_back(group.track[element]));
  }

  /// @param n_hits  without any there is no material up to the last
  void set_unfitted(std::size_t t, bool turned_back, int n_hits,
                    TrackMaterial<double> material) {
    if (n_hits == 0) material.to_last_hit = Resolution::none;
    const ResolutionArrays& r = job_.results;
    if (!r.status.empty())
      r.status[t] = turned_back ? Status::curls_up : Status::too_few_hits;
    for (const PlaneTarget& p : plane_targets)
      if (auto to = r.*p.target; !to.empty()) to[t] = Resolution::none;
    if (!r.x_over_x0.empty()) r.x_over_x0[t] = material.all;
    if (!r.x_over_x0_tracker.empty())
      r.x_over_x0_tracker[t] = material.to_last_hit;
    for (const MatrixTarget& m : matrix_targets)
      if (auto to = r.*m.target; !to.empty())
        for (std::size_t i = 0; i < track_triangle; ++i)
          to[i * job_.tracks.size + t] = Resolution::none;
    if (job_.states.asked_for()) clear_state(t);
    fill_layers(t, Resolution::none);
  }

  /// The tracks of a group that has been followed.
  void set_unfitted(const detail::BatchGroup& group,
                    const detail::BatchGroups& groups, detail::TrackBits wrong,
                    detail::BatchBlock& block) {
    using Plane = detail::BatchPlane;
    for (std::size_t element = 0; element < group.n; ++element) {
      const std::size_t t = group.track[element];
      if ((wrong >> element & 1) != 0) continue;
      if ((fit_.doubtful >> element & 1) != 0) {
        block.leave_doubtful(t);
        continue;
      }
      set_unfitted(
          t, turns_back(group, groups, element),
          // the list of a guess is not yet that of its tracks
          group.mixed ? groups.list_of(t).n_measuring : group.n_measuring,
          {out_[Plane::x_over_x0].value[element],
           out_[Plane::x_over_x0_tracker].value[element]});
      ++block.statistics.not_fitted;
    }
  }

  void clear_state(std::size_t t) {
    const StateArrays& to = job_.states;
    for (std::size_t i = 0; i < track_triangle; ++i)
      to.covariance[i * job_.tracks.size + t] =
          to.slopes[i * job_.tracks.size + t] = Resolution::none;
    to.sigma_p_rel[t] = to.p[t] = Resolution::none;
    to.crossed[t] = 0;
  }

  void store_state(std::size_t t, const Resolution& one) {
    clear_state(t);
    if (!one.at || !one.at->crossed) return;
    const StateArrays& to = job_.states;
    std::size_t place = t;
    for (int i = 0; i < track_dim; ++i)
      for (int j = 0; j <= i; ++j, place += job_.tracks.size) {
        to.covariance[place] = one.at->covariance(i, j);
        to.slopes[place] = one.at->slopes(i, j);
      }
    to.sigma_p_rel[t] = one.at->sigma_p_rel;
    to.p[t] = one.crossings[one.at->crossing].p;
    to.crossed[t] = 1;
  }

  /// Which tracks of a group have a state at the layer.
  void mark_states(const detail::BatchGroup& group) {
    for (std::size_t element = 0; element < group.n; ++element) {
      const std::size_t t = group.track[element];
      if (group.at == detail::BatchTask::nowhere ||
          (group.list[group.at].crossed >> element & 1) == 0)
        clear_state(t);
      else
        job_.states.crossed[t] = 1;
    }
  }

  detail::GuessCheck fit(const detail::BatchGroup& group,
                         const detail::BatchGroups& groups,
                         const detail::CovarianceKernel& kernel, Status status,
                         detail::BatchBlock& block) {
    const bool in_regions = &groups != &*groups_;
    groups.gather(group, elements_);
    fit_.surfaces = groups.surfaces().data();
    fit_.regions = in_regions ? &job_.regions->view() : nullptr;
    fit_.list = group.list.data();
    fit_.n_crossings = group.list.size();
    fit_.mixed = group.mixed;
    fit_.points = group.points && fit_.beam_spot == nullptr && !slows_down() &&
                  !in_regions;
    fit_.n_coordinates = group.n_coordinates;
    if (job_.states.asked_for()) fit_.at = group.at;
    fit_.guessed = group.trial;
    if (group.guess != nullptr) group.guess->extents->put_into(fit_);
    // full vectors of consecutive tracks write directly to the results
    const bool direct = group.in_a_row && group.n == width() &&
                        !fit_.follows_only &&
                        (layer_targets_.empty() || !has_modules());
    if (direct)
      write_from(group.track[0]);
    else
      write_here(group);
    if (extras_.backward_pass || slows_down() || in_regions)
      fit_.workspace = workspace_.with(kernel.workspace(fit_));
    kernel.fit(fit_);
    if (fit_.guessed && !fit_.confirmed) return {false, 0, 0};
    if (extras_.limits && !fit_.follows_only)
      fit_.doubtful |= without_plain_limit(group);
    const detail::TrackBits wrong =
        slows_down() ? fit_.all & ~fit_.as_listed : detail::TrackBits{0};
    if (slows_down() && !job_.results.end.empty())
      for (std::size_t element = 0; element < group.n; ++element)
        job_.results.end[group.track[element]] =
            turns_back(group, groups, element) ? TrackEnd::curls_up
                                               : TrackEnd::leaves;
    fit_.doubtful &= ~wrong;
    if (!job_.results.surfaces.empty()) set_surfaces(group, wrong);
    BatchStatistics& statistics = block.statistics;
    ++statistics.groups;
    if (fit_.follows_only) {
      set_unfitted(group, groups, wrong, block);
      return {true, fit_.turned_back, wrong};
    }
    if (!direct) store(group);
    if (job_.states.asked_for()) mark_states(group);
    if (!job_.results.status.empty())
      for (std::size_t element = 0; element < group.n; ++element)
        job_.results.status[group.track[element]] = status;
    std::size_t n = group.n;
    for (std::size_t element = 0;
         (fit_.doubtful | wrong) != 0 && element < group.n; ++element) {
      if ((fit_.doubtful >> element & 1) != 0)
        block.leave_doubtful(group.track[element]);
      if (((fit_.doubtful | wrong) >> element & 1) != 0) --n;
    }
    statistics.vectorised += n;
    if (group.mixed) statistics.mixed += n;
    if (2 * group.n < width()) statistics.half_empty += n;
    return {true, fit_.turned_back, wrong};
  }

  /// Tracks whose exact hits may contradict each other, so that the limit of
  /// scattering only does not exist: some layers scatter, but not every
  /// measuring layer, or two layers measure at the same position.
  detail::TrackBits without_plain_limit(const detail::BatchGroup& group) const {
    detail::TrackBits bare = 0, material = 0;
    for (const detail::ListedSurface& c : group.list) {
      const SurfaceRecord& s = groups_->surfaces()[c.surface].record;
      if (s.x_over_x0 > 0) material |= c.kinked;
      if (s.measures() && !(s.x_over_x0 > 0)) bare |= c.kinked;
    }
    return (bare & material) | close_elements(group);
  }

  /// The layer of a crossing.
  std::size_t layer_of(const detail::ListedSurface& c,
                       std::size_t element) const {
    return c.planes != nullptr ? c.planes->layer[element]
                               : job_.batch.layers[c.surface];
  }

  /// Tracks for which two successive layers measure at the same
  /// position.
  detail::TrackBits close_elements(const detail::BatchGroup& group) const {
    const auto surfaces = job_.geometry.surfaces();
    const bool alike = !group.mixed && group.planes.empty();
    detail::TrackBits close = 0;
    for (std::size_t element = 0; element < (alike ? 1 : width()); ++element) {
      const SurfaceRecord* last = nullptr;
      for (const detail::ListedSurface& c : group.list) {
        if ((c.fitted >> element & 1) == 0 ||
            !groups_->surfaces()[c.surface].record.measures())
          continue;
        const SurfaceRecord& s = surfaces[layer_of(c, element)];
        if (last != nullptr && detail::are_close(s, *last))
          close |= alike ? fit_.all : detail::TrackBits{1} << element;
        last = &s;
      }
    }
    return close;
  }

  /// Directs the output of the fit to the results from `track`.
  void write_from(std::size_t track) {
    for (const Target& t : targets_) fit_.out[t.plane] = t.to + track;
    fit_.budget_stride = job_.tracks.size;
    for (const LayerTarget& t : layer_targets_)
      (fit_.*t.number.in_batch)[t.parameter] = t.to + track;
  }

  /// Directs the output of the fit to out_ and layers_.
  void write_here(const detail::BatchGroup& group) {
    for (const Target& t : targets_) fit_.out[t.plane] = out_[t.plane].value;
    std::size_t n_rows = 0;
    for (const LayerTarget& t : layer_targets_) n_rows += rows_of(t, group);
    layers_.resize(n_rows);
    fit_.budget_stride = detail::most_in_pack;
    PackValues* rows = layers_.data();
    for (const LayerTarget& t : layer_targets_) {
      (fit_.*t.number.in_batch)[t.parameter] = rows->value;
      rows += rows_of(t, group);
    }
  }

  /// Copies the buffered results to their destination.
  void store(const detail::BatchGroup& group) {
    for (const Target& t : targets_)
      for (std::size_t element = 0; element < group.n; ++element)
        t.to[group.track[element]] = out_[t.plane].value[element];
    const PackValues* rows = layers_.data();
    for (const LayerTarget& t : layer_targets_) {
      for (const detail::ListedSurface& c : group.list)
        for (std::size_t element = 0; element < group.n; ++element) {
          // a module of other tracks
          if (c.planes != nullptr && (c.crossed >> element & 1) == 0) continue;
          const bool by_coordinate = t.number.of_coordinates();
          const PackValues* from =
              rows + (by_coordinate ? c.first_coordinate : c.row);
          for_rows_of(t, layer_of(c, element), [&](std::size_t row) {
            t.to[row * job_.tracks.size + group.track[element]] =
                (from++)->value[element];
          });
        }
      rows += rows_of(t, group);
    }
  }

  /// Sets the numbers of layers not crossed by fitted tracks to zero, together
  /// for consecutive tracks with the same list.
  void clear_others(std::size_t begin, std::size_t end) {
    if (layer_targets_.empty() || has_modules()) return;
    const std::size_t n = job_.tracks.size;
    for (std::size_t t = begin; t < end;) {
      std::size_t next = t + 1;
      if (!is_in_groups(t) ||
          groups_of(t).list_of(t).n_measuring < least_hits()) {
        t = next;
        continue;
      }
      const detail::SurfaceList& list = groups_of(t).list_of(t);
      while (next < end && way(next) == way(t) &&
             &groups_of(next).list_of(next) == &list)
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
  std::optional<detail::BatchGroups> groups_;      ///< of helices
  std::optional<detail::BatchGroups> in_regions_;  ///< of tracks in regions
  std::optional<detail::LossTables> loss_;
  BatchExtras extras_;
  std::size_t n_coordinates_ =
      0;                   ///< of all layers; if their results are requested
  std::size_t begin_ = 0;  ///< of the block
  std::vector<Way> ways_;
  detail::BatchTracks elements_;
  detail::BatchTask fit_;
  struct Target {
    double* to;  ///< of the first track
    std::size_t plane;
  };
  std::vector<Target> targets_;
  std::array<PackValues, detail::BatchPlane::count> out_;
  /// Requested results for layers, or for their coordinates.
  struct LayerNumber {
    double* (detail::BatchTask::*in_batch)[n_parameters];
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
                                          : job_.geometry.surfaces().size();
  }
  /// The same of the results of a group.
  std::size_t rows_of(const LayerTarget& target,
                      const detail::BatchGroup& group) const {
    if (!has_modules()) return rows_of(target);
    return target.number.of_coordinates() ? group.n_coordinates
                                          : group.list.size();
  }
  template <class F>
  void for_rows_of(const LayerTarget& target, std::size_t layer,
                   const F& f) const {
    if (!target.number.of_coordinates()) return f(layer);
    const SurfaceRecord& s = job_.geometry.surfaces()[layer];
    for (std::size_t i = 0; i < s.n_axes; ++i) f(s.first_axis + i);
  }

  std::vector<LayerTarget> layer_targets_;
  std::vector<PackValues> layers_;  ///< ordered by target, then row
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

namespace {

/// Whether no loss is given, or something is lost wherever one is given, which
/// kernels integrate over; they do not know the collisions of which it is the
/// sum.
bool are_given_losses_vectorised(const TrackingGeometry& geometry,
                                 EnergyLoss model) {
  for (std::size_t i = 0; i < geometry.surfaces().size(); ++i)
    for (const LossSlab& slab : geometry.slabs(i))
      if (slab.mean_loss && (straggles(model) || !(*slab.mean_loss > 0)))
        return false;
  return true;
}

bool is_loss_vectorised(const TrackingGeometry& geometry, const Model& model) {
  return model.loss == EnergyLoss::off ||
         are_given_losses_vectorised(geometry, model.loss);
}

/// If every track crosses different modules, these have no separate states.
bool are_modules_vectorised(const TrackingGeometry& geometry,
                            const Model& model) {
  return geometry.modules() == nullptr ||
         !(model.at && geometry.surfaces()[model.at->layer].kind ==
                           SurfaceRecord::Kind::inclined);
}

/// Whether all tracks have the same mass; of electrons and positrons, also the
/// same sign of the charge, and the mass that is used for their loss.
bool are_of_one_kind(const TrackArrays& tracks) {
  if (tracks.size == 0) return true;
  const Projectile first{tracks.mass[0], tracks.charge[0]};
  const auto has_same_sign = [&](double charge) {
    return (charge < 0) == (first.charge < 0);
  };
  return std::ranges::count(tracks.mass, first.mass) ==
             std::ssize(tracks.mass) &&
         (!first.is_electron() ||
          (first.mass == first.rest_energy() &&
           std::ranges::all_of(tracks.charge, has_same_sign)));
}

}  // namespace

bool is_vectorised(const TrackingGeometry& geometry, const Model& model) {
  return model.engine == Engine::streaming && !geometry.depends_on_track() &&
         are_modules_vectorised(geometry, model) &&
         is_loss_vectorised(geometry, model) &&
         // a layer after the hits would need a separate sum
         !(model.at && model.scattering == Scattering::highland_total) &&
         (follows_helices(geometry.field()) ||
          detail::RegionTable::describes(geometry));
}

namespace {

/// With a beam spot, these need an additional fit without it.
bool asks_without_spot(const ResolutionArrays& r) {
  return !r.perigee_without_inner.empty() || !r.first_hit.empty();
}

/// resolve() with everything that can be requested.
BatchStatistics resolve_all(const TrackingGeometry& geometry,
                            const TrackArrays& tracks, const Model& model,
                            const ResolutionArrays& results,
                            const SlopeArrays& slopes,
                            const StateArrays& states, unsigned threads,
                            CodePath path, KnownLists* known = nullptr) {
  if (known != nullptr) known->begin(tracks.size, geometry.surfaces().size());
  for ([[maybe_unused]] const auto& values :
       {tracks.p, tracks.theta, tracks.phi, tracks.mass, tracks.charge,
        tracks.x, tracks.y, tracks.z})
    assert(values.size() == 1 || values.size() == tracks.size);
  std::optional<detail::RegionTable> regions;
  const bool with_slopes = slopes.asked_for();
  if (path == CodePath::best && !with_slopes &&
      is_vectorised(geometry, model) &&
      detail::RegionTable::describes(geometry))
    regions.emplace(geometry);
  const Job job{
      geometry,
      detail::BatchGeometry(geometry, detail::layers_without_modules(geometry)),
      detail::kernels(simd_level()),
      regions,
      tracks,
      model,
      results,
      slopes,
      states,
      known,
      path == CodePath::best && is_vectorised(geometry, model) &&
          !(model.beam_spot && asks_without_spot(results)) &&
          (model.loss == EnergyLoss::off || are_of_one_kind(tracks)) &&
          // without field a change of the momentum is not one of the line
          !(with_slopes && model.loss != EnergyLoss::off &&
            !geometry.has_field()) &&
          // with one logarithm, or one width of all fluctuations, every layer
          // depends on all
          !(with_slopes && (model.scattering == Scattering::highland_total ||
                            straggles(model.loss))) &&
          (follows_helices(geometry.field()) || regions.has_value())};
  return detail::run_batch(tracks.size, block_size(tracks.size, threads),
                           threads, [&] { return Worker(job); });
}

}  // namespace

BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results, unsigned threads,
                        CodePath path) {
  return resolve_all(geometry, tracks, model, results, {}, {}, threads, path);
}

BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results,
                        const SlopeArrays& slopes, unsigned threads,
                        CodePath path, KnownLists* known) {
  return resolve_all(geometry, tracks, model, results, slopes, {}, threads,
                     path, threads == 1 ? known : nullptr);
}

BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results,
                        const StateArrays& states, unsigned threads,
                        CodePath path) {
  return resolve_all(geometry, tracks, model, results, {}, states, threads,
                     path);
}

BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results,
                        const StateArrays& states, KnownLists& known,
                        CodePath path) {
  return resolve_all(geometry, tracks, model, results, {}, states, 1, path,
                     &known);
}

}  // namespace gttf
