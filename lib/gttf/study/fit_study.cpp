// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/fit_study.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/core/parallel.hpp"
#include "gttf/study/detail/fit_groups.hpp"
#include "gttf/study/fit_table.hpp"

namespace gttf {
namespace {

/// The rows of a block of tracks.
struct FittedBlock {
  Table tracks, residuals;
  PreparedBlock prepared_tracks, prepared_residuals;
  std::size_t n = 0, fitted = 0;
  BatchFitStatistics ways;
};

/// What became of a track: not fitted, fitted alone, or waiting in a group.
struct Outcome {
  std::string_view status;
  std::optional<GlobalFit> alone;
  detail::FitGroups::Place place{};
};

/// What a thread fits with.
struct FitTools {
  HitTrackBuilder builder;
  TrackFitter fitter;
  detail::FitGroups groups;
};

/// Runs one job at a time beside the calling thread, or within it.
class Beside {
 public:
  explicit Beside(bool wanted) : wanted_(wanted) {}

  /// Waits for the job before; throws what that one threw.
  template <class Job>
  void run(Job job) {
    wait();
    if (wanted_)
      running_ = std::async(std::launch::async, std::move(job));
    else
      job();
  }
  void wait() {
    if (running_.valid()) running_.get();
  }

 private:
  bool wanted_;
  std::future<void> running_;
};

}  // namespace

FitCounts fit_tracks(const Detector& detector, const StudyRequest& request,
                     HitFile& file, const FitStudyOptions& options,
                     TableSink& tracks, TableSink* residuals) {
  const TrackingGeometry geometry(detector);
  StudyRequest model = request;
  // A fit that knows of no scattering needs none on its way.
  if (options.kind == FitKind::hits) model.scattering = Scattering::off;
  const FitTableStyle style{.events = file.has_events(),
                            .along_beam = is_beam_detector(detector),
                            .losses = model.energy_loss != EnergyLoss::off,
                            .momentum = !geometry.has_field()};
  FitOptions fit_options = options.fit;
  fit_options.detail =
      residuals == nullptr ? FitDetail::perigee : FitDetail::hits;

  const auto make_tools = [&] {
    return std::make_unique<FitTools>(
        FitTools{HitTrackBuilder(detector, geometry, model, options.hits),
                 TrackFitter(fit_options),
                 detail::FitGroups(geometry, options.kind, fit_options)});
  };
  const auto fit_block = [&](const HitBlock& block, FitTools& tools) {
    auto& [builder, fitter, groups] = tools;
    FitTable rows(style, geometry.b_ref(), model.particle.charge,
                  options.fit_name);
    ResidualTable hit_rows(style, detector, geometry);
    rows.reserve(block.tracks.size());
    FittedBlock fitted;
    std::vector<Outcome> outcomes;
    outcomes.reserve(block.tracks.size());
    groups.clear();
    for (const FileTrack& track : block.tracks) {
      const auto hits = block.hits_of(track);
      Outcome& outcome = outcomes.emplace_back();
      outcome.status =
          track.left_out > 0 ? "too_many_hits" : builder.build(hits);
      if (!outcome.status.empty()) continue;
      if (groups.takes(builder)) {
        outcome.place = groups.add(builder);
        continue;
      }
      ++fitted.ways.tracks;
      ++fitted.ways.not_for_lanes;
      const GlobalFit& fit = fitter.fit(builder.track(), options.kind);
      if (residuals != nullptr && is_result(fit))
        hit_rows.add(track, hits, builder, fit);
      outcome.alone = fit;
      outcome.alone->hits.clear();
    }
    fitted.ways += groups.fit();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const FileTrack& track = block.tracks[i];
      const Outcome& outcome = outcomes[i];
      if (!outcome.status.empty())
        rows.add_unfitted(track, outcome.status);
      else
        rows.add(track,
                 outcome.alone ? *outcome.alone : groups.at(outcome.place));
    }
    fitted.n = rows.rows();
    fitted.fitted = rows.fitted();
    fitted.tracks = std::move(rows).take();
    fitted.residuals = std::move(hit_rows).take();
    fitted.prepared_tracks = tracks.prepare(fitted.tracks);
    if (residuals != nullptr)
      fitted.prepared_residuals = residuals->prepare(fitted.residuals);
    return fitted;
  };

  FitCounts counts;
  Beside writer(options.threads > 1);
  const auto write = [&](std::vector<FittedBlock> wave) {
    for (const FittedBlock& block : wave) {
      tracks.write_prepared(block.tracks, block.prepared_tracks);
      if (residuals != nullptr)
        residuals->write_prepared(block.residuals, block.prepared_residuals);
    }
  };
  std::vector<std::unique_ptr<FitTools>> tools(
      std::max<std::size_t>(1, options.threads));
  std::ranges::generate(tools, make_tools);
  // the next blocks are read while these are fitted
  const auto read_ahead = [&] {
    return std::async(
        options.threads > 1 ? std::launch::async : std::launch::deferred,
        [&file] { return file.next(); });
  };
  std::future<std::vector<HitBlock>> ahead = read_ahead();
  bool any = false;
  for (std::vector<HitBlock> wave = ahead.get(); !wave.empty();
       wave = ahead.get()) {
    ahead = read_ahead();
    any = true;
    std::vector<FittedBlock> results(wave.size());
    std::atomic<std::size_t> n_workers = 0;
    parallel_workers(wave.size(), options.threads, [&](const auto& next) {
      FitTools& own = *tools[n_workers++];
      while (const auto i = next()) {
        results[*i] = fit_block(wave[*i], own);
        wave[*i] = {};
      }
    });
    for (const FittedBlock& block : results) {
      counts.tracks += block.n;
      counts.fitted += block.fitted;
      counts.ways += block.ways;
    }
    writer.run([&write, moved = std::move(results)]() mutable {
      write(std::move(moved));
    });
    if (options.progress) options.progress(counts.tracks);
  }
  writer.wait();
  if (!any) {  // a header of no rows
    std::vector<FittedBlock> nothing(1);
    nothing[0] = fit_block({}, *tools[0]);
    write(std::move(nothing));
  }
  tracks.finish();
  if (residuals != nullptr) residuals->finish();
  return counts;
}

}  // namespace gttf
