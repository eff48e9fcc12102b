// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/fit_study.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/core/ordered_stream.hpp"
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
  std::unique_ptr<GlobalFit> alone;
  detail::FitGroups::Place place{};
};

/// What a thread fits with.
struct FitTools {
  HitTrackBuilder builder;
  TrackFitter fitter;
  detail::FitGroups groups;
};

/// Hands out the blocks of a file; reads the next ones meanwhile.
class Blocks {
 public:
  Blocks(HitFile& file, unsigned threads)
      : file_(file),
        when_(threads > 1 ? std::launch::async : std::launch::deferred) {
    read_ahead();
  }

  std::optional<HitBlock> next() {
    if (next_ == wave_.size()) {
      next_ = 0;
      wave_ = ahead_.get();
      if (wave_.empty()) return std::nullopt;
      read_ahead();
    }
    return std::move(wave_[next_++]);
  }

 private:
  void read_ahead() {
    ahead_ = std::async(when_, [this] { return file_.next(); });
  }

  HitFile& file_;
  std::launch when_;
  std::vector<HitBlock> wave_;
  std::size_t next_ = 0;  // of the wave
  std::future<std::vector<HitBlock>> ahead_;
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
          track.left_out > 0 ? "too_many_hits" : builder.find(hits);
      if (!outcome.status.empty()) continue;
      if (const auto place = groups.add_simple(builder)) {
        outcome.place = *place;
        continue;
      }
      builder.make_points(hits);
      if (groups.takes(builder)) {
        outcome.place = groups.add(builder);
        continue;
      }
      ++fitted.ways.tracks;
      ++fitted.ways.not_for_lanes;
      const GlobalFit& fit = fitter.fit(builder.track(), options.kind);
      if (residuals != nullptr && is_result(fit))
        hit_rows.add(track, hits, builder, fit);
      outcome.alone = std::make_unique<GlobalFit>(fit);
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
  std::vector<std::unique_ptr<FitTools>> tools(
      std::max<std::size_t>(1, options.threads));
  std::ranges::generate(tools, make_tools);
  const auto write = [&](const FittedBlock& block) {
    counts.tracks += block.n;
    counts.fitted += block.fitted;
    counts.ways += block.ways;
    tracks.write_prepared(block.tracks, block.prepared_tracks);
    if (residuals != nullptr)
      residuals->write_prepared(block.residuals, block.prepared_residuals);
    if (options.progress) options.progress(counts.tracks);
  };
  Blocks blocks(file, options.threads);
  constexpr std::size_t ahead_per_thread = 16;
  bool any = false;
  stream_in_order(
      [&] {
        auto block = blocks.next();
        any = any || block;
        return block;
      },
      options.threads, ahead_per_thread * tools.size(),
      [&](const HitBlock& block, unsigned worker) {
        return fit_block(block, *tools[worker]);
      },
      write);
  if (!any) write(fit_block({}, *tools[0]));  // a header of no rows
  tracks.finish();
  if (residuals != nullptr) residuals->finish();
  return counts;
}

}  // namespace gttf
