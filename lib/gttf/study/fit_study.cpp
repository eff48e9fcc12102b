// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/fit_study.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/core/ordered_stream.hpp"
#include "gttf/study/detail/fit_groups.hpp"
#include "gttf/study/detail/hit_parser.hpp"
#include "gttf/study/fit_table.hpp"

namespace gttf {

using detail::FitGroups;

namespace {

/// The rows of a block of tracks.
struct FittedBlock {
  Table tracks, residuals;
  PreparedBlock prepared_tracks, prepared_residuals;
  std::size_t n = 0, fitted = 0;
  BatchFitStatistics ways;
  std::exception_ptr fault;  ///< of the file, behind the blocks before
};

/// What became of a track: not fitted, fitted alone, or waiting in a group.
struct Outcome {
  std::string_view status;
  std::unique_ptr<GlobalFit> alone;
  std::optional<FitGroups::Place> place;
};

/// What a thread fits with.
struct FitTools {
  HitTrackBuilder builder;
  TrackFitter fitter;
  FitGroups groups;
};

/// A part of a file: lines, behind the last ones none, or tracks of a file that
/// had to be read as a whole.
struct Part {
  std::size_t number = 0;
  std::optional<CsvBlock> lines;
  HitBlock tracks;
  std::exception_ptr fault;  ///< of reading
};

/// Hands out the parts of a file and makes tracks of them.
class Parts {
 public:
  explicit Parts(HitFile& file) : file_(file) {}

  /// One call after the other.
  std::optional<Part> next() {
    if (at_end_) return std::nullopt;
    Part part;
    part.number = n_++;
    try {
      if (file_.in_steps())
        at_end_ = !file_.read(part.lines.emplace());
      else
        at_end_ = !next_whole(part.tracks);
      if (at_end_) part.lines.reset();
    } catch (...) {
      part.fault = std::current_exception();
      at_end_ = true;
    }
    return part;
  }

  /// The tracks that are complete. By any thread; each part once. Throws what
  /// was wrong with the part.
  HitBlock tracks_of(Part part) {
    if (!file_.in_steps()) {
      if (part.fault) std::rethrow_exception(part.fault);
      return std::move(part.tracks);
    }
    std::optional<detail::ParsedBlock> parsed;
    try {
      if (part.lines) parsed = file_.parse(*part.lines);
    } catch (...) {
      part.fault = std::current_exception();
    }
    HitBlock tracks;
    turns_.take(part.number, [&] {
      if (part.fault) std::rethrow_exception(part.fault);
      tracks = parsed ? file_.join(std::move(*parsed)) : file_.finish();
    });
    return tracks;
  }

 private:
  bool next_whole(HitBlock& block) {
    if (next_ == whole_.size()) {
      whole_ = file_.next();
      next_ = 0;
    }
    if (whole_.empty()) return false;
    block = std::move(whole_[next_++]);
    return true;
  }

  HitFile& file_;
  Turns turns_;
  std::size_t n_ = 0;
  bool at_end_ = false;
  std::vector<HitBlock> whole_;
  std::size_t next_ = 0;  // of these
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

  const HitScattering scattering{model.scattering, model.particle.mass,
                                 std::abs(model.particle.charge),
                                 options.hits.momentum};
  const auto make_tools = [&] {
    return std::make_unique<FitTools>(
        FitTools{HitTrackBuilder(detector, geometry, model, options.hits),
                 TrackFitter(fit_options),
                 FitGroups(geometry, options.kind, fit_options, scattering)});
  };
  const auto fit_block = [&](const HitBlock& block, FitTools& tools) {
    auto& [builder, fitter, groups] = tools;
    FitTable rows(style, geometry.b_ref(), model.particle.charge,
                  options.fit_name);
    ResidualTable hit_rows(style, detector, geometry);
    rows.reserve(block.tracks.size());
    FittedBlock fitted;
    std::vector<Outcome> outcomes(block.tracks.size());
    groups.clear();
    const auto fit_alone = [&](std::size_t i) {
      ++fitted.ways.tracks;
      ++fitted.ways.not_for_lanes;
      const FileTrack& track = block.tracks[i];
      const GlobalFit& fit = fitter.fit(builder.track(), options.kind);
      if (residuals != nullptr && is_result(fit))
        hit_rows.add(track, block.hits_of(track), builder, fit);
      outcomes[i].alone = std::make_unique<GlobalFit>(fit);
      outcomes[i].alone->hits.clear();
    };
    const auto add_points = [&](std::size_t i, FitGroups::Kind kind) {
      Outcome& outcome = outcomes[i];
      outcome.status = builder.make_points(block.hits_of(block.tracks[i]));
      if (!outcome.status.empty()) return;
      if (groups.takes(builder))
        outcome.place = groups.add(builder, kind);
      else
        fit_alone(i);
    };
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < block.tracks.size(); ++i)
      if (block.tracks[i].left_out > 0)
        outcomes[i].status = "too_many_hits";
      else
        waiting.push_back(i);
    // tracks that do not cross what is presumed come back with their own list
    for (const auto kind : {FitGroups::Kind::hits, FitGroups::Kind::surfaces,
                            FitGroups::Kind::points}) {
      for (const std::size_t i : waiting) {
        Outcome& outcome = outcomes[i];
        outcome.place.reset();
        outcome.status = builder.find(block.hits_of(block.tracks[i]));
        if (!outcome.status.empty()) continue;
        if (kind == FitGroups::Kind::hits)
          outcome.place = groups.add_hits(builder);
        if (!outcome.place) add_points(i, kind);
      }
      groups.find_scattering();
      std::erase_if(waiting, [&](std::size_t i) {
        const auto& place = outcomes[i].place;
        return !place || groups.is_known(*place);
      });
    }
    fitted.ways += groups.fit();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const FileTrack& track = block.tracks[i];
      const Outcome& outcome = outcomes[i];
      if (!outcome.status.empty())
        rows.add_unfitted(track, outcome.status);
      else
        rows.add(track,
                 outcome.alone ? *outcome.alone : groups.at(*outcome.place));
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
  Parts parts(file);
  constexpr std::size_t ahead_per_thread = 16;
  stream_in_order([&] { return parts.next(); }, options.threads,
                  ahead_per_thread * tools.size(),
                  [&](Part part, unsigned worker) {
                    HitBlock block;
                    try {
                      block = parts.tracks_of(std::move(part));
                    } catch (...) {
                      FittedBlock none;
                      none.fault = std::current_exception();
                      return none;
                    }
                    return block.tracks.empty()
                               ? FittedBlock()
                               : fit_block(block, *tools[worker]);
                  },
                  [&](const FittedBlock& block) {
                    if (block.fault) std::rethrow_exception(block.fault);
                    if (block.n > 0) write(block);
                  });
  if (counts.tracks == 0) write(fit_block({}, *tools[0]));  // no rows
  tracks.finish();
  if (residuals != nullptr) residuals->finish();
  return counts;
}

}  // namespace gttf
