// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/fit_study.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/core/parallel.hpp"
#include "gttf/study/hits/fit_groups.hpp"
#include "gttf/study/hits/fit_table.hpp"
#include "gttf/study/hits/hit_parser.hpp"

// BlockFitter: the tracks of a part of a file, fitted, as rows of tables.
namespace gttf::detail {

/// The rows of a block of tracks.
struct FittedBlock {
  Table tracks, residuals;
  std::size_t n = 0, fitted = 0;
  BatchStatistics batch;
};

/// Collects tracks in groups for fit(HitArrays). Reuses its buffers; use one
/// per thread.
class BlockFitter {
 public:
  /// All but `options` must outlive it.
  /// @param with_residuals  also rows of hits
  BlockFitter(const Detector& detector, const TrackingGeometry& geometry,
              const StudyRequest& request, const FitTableStyle& style,
              const FitStudyOptions& options, bool with_residuals);

  FittedBlock fit(const HitBlock& block);

 private:
  /// State of a track: not fitted, fitted individually because no group
  /// supports it, or in a group.
  struct Outcome {
    std::string_view status;
    std::unique_ptr<GlobalFit> single;
    std::optional<FitGroups::Slot> place;
  };

  void find_outcomes(const HitBlock& block, ResidualTable& residuals,
                     BatchStatistics& batch);
  void add_points(const HitBlock& block, std::size_t track,
                  FitGroups::Kind kind, ResidualTable& residuals,
                  BatchStatistics& batch);

  const GlobalFit& fit_one(const HitBlock& block, std::size_t track);

  const Detector& detector_;
  const TrackingGeometry& geometry_;
  FitTableStyle style_;
  FitKind kind_;
  std::string fit_name_;
  double charge_;
  bool with_residuals_;
  HitTrackBuilder builder_;
  TrackFitter fitter_;
  FitGroups groups_;
  std::vector<Outcome> outcomes_;
  std::vector<std::size_t> waiting_;  ///< tracks without an outcome
};

namespace {

FitOptions with_detail(FitOptions options, bool with_residuals) {
  options.detail = with_residuals ? FitDetail::hits : FitDetail::perigee;
  return options;
}

HitScattering scattering_of(const StudyRequest& request,
                            const FitStudyOptions& options) {
  return {request.scattering, request.particle.mass,
          std::abs(request.particle.charge), options.hits.momentum};
}

}  // namespace

BlockFitter::BlockFitter(const Detector& detector,
                         const TrackingGeometry& geometry,
                         const StudyRequest& request,
                         const FitTableStyle& style,
                         const FitStudyOptions& options, bool with_residuals)
    : detector_(detector),
      geometry_(geometry),
      style_(style),
      kind_(options.kind),
      fit_name_(options.fit_name),
      charge_(request.particle.charge),
      with_residuals_(with_residuals),
      builder_(detector, geometry, request, options.hits),
      fitter_(with_detail(options.fit, with_residuals)),
      groups_(geometry, options.kind, with_detail(options.fit, with_residuals),
              scattering_of(request, options)) {}

/// With the points of the track found by the builder.
void BlockFitter::add_points(const HitBlock& block, std::size_t i,
                             FitGroups::Kind kind, ResidualTable& residuals,
                             BatchStatistics& batch) {
  Outcome& outcome = outcomes_[i];
  const auto hits = block.hits_of(block.tracks[i]);
  outcome.status = builder_.make_points(hits);
  if (!outcome.status.empty()) return;
  if (groups_.can_hold(builder_)) {
    outcome.place = groups_.add(builder_, kind, i);
    return;
  }
  ++batch.tracks;
  ++batch.unsupported;
  const GlobalFit& fit = fitter_.fit(builder_.track(), kind_);
  if (with_residuals_ && is_result(fit))
    residuals.add(block.tracks[i], hits, builder_, fit);
  outcome.single = std::make_unique<GlobalFit>(fit);
  outcome.single->hits.clear();
}

void BlockFitter::find_outcomes(const HitBlock& block, ResidualTable& residuals,
                                BatchStatistics& batch) {
  using Kind = FitGroups::Kind;
  outcomes_.clear();
  outcomes_.resize(block.tracks.size());
  groups_.clear();
  waiting_.clear();
  for (std::size_t i = 0; i < block.tracks.size(); ++i)
    if (block.tracks[i].left_out > 0)
      outcomes_[i].status = "too_many_hits";
    else
      waiting_.push_back(i);
  // tracks that do not cross the presumed surfaces return with their list
  for (const Kind kind : {Kind::hits, Kind::surfaces, Kind::points}) {
    for (const std::size_t i : waiting_) {
      Outcome& outcome = outcomes_[i];
      outcome.place.reset();
      outcome.status = builder_.find(block.hits_of(block.tracks[i]));
      if (!outcome.status.empty()) continue;
      if (kind == Kind::hits) outcome.place = groups_.add_hits(builder_, i);
      if (!outcome.place) add_points(block, i, kind, residuals, batch);
    }
    groups_.find_scattering();
    std::erase_if(waiting_, [this](std::size_t i) {
      const auto& place = outcomes_[i].place;
      return !place || groups_.is_known(*place);
    });
  }
}

/// Fits a track of a group with the points of the builder.
const GlobalFit& BlockFitter::fit_one(const HitBlock& block, std::size_t i) {
  static const GlobalFit none;
  const auto hits = block.hits_of(block.tracks[i]);
  builder_.find(hits);
  outcomes_[i].status = builder_.make_points(hits);
  return outcomes_[i].status.empty() ? fitter_.fit(builder_.track(), kind_)
                                     : none;
}

FittedBlock BlockFitter::fit(const HitBlock& block) {
  FitTable rows(style_, geometry_.b_ref(), charge_, fit_name_);
  ResidualTable residuals(style_, detector_, geometry_);
  rows.reserve(block.tracks.size());
  FittedBlock fitted;
  find_outcomes(block, residuals, fitted.batch);
  fitted.batch += groups_.fit(
      [&](std::size_t i) -> const GlobalFit& { return fit_one(block, i); });
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    const FileTrack& track = block.tracks[i];
    const Outcome& outcome = outcomes_[i];
    if (!outcome.status.empty())
      rows.add_unfitted(track, outcome.status);
    else
      rows.add(track,
               outcome.single ? *outcome.single : groups_.at(*outcome.place));
  }
  fitted.n = rows.rows();
  fitted.fitted = rows.fitted();
  fitted.tracks = std::move(rows).take();
  fitted.residuals = std::move(residuals).take();
  return fitted;
}

}  // namespace gttf::detail

namespace gttf {

using detail::BlockFitter;
using detail::FittedBlock;

namespace {

/// The rows of a block of tracks, prepared for the tables.
struct PreparedTracks {
  FittedBlock fitted;
  PreparedBlock tracks, residuals;
  std::exception_ptr error;  ///< of the file, after earlier blocks
};

/// A part of a file: lines, none after the last ones, or tracks of a file that
/// was read as a whole.
struct Part {
  std::size_t number = 0;
  std::optional<CsvBlock> lines;
  HitBlock tracks;
  std::exception_ptr error;  ///< of reading
};

/// Distributes the parts of a file and converts them to tracks.
class Parts {
 public:
  explicit Parts(HitFile& file) : file_(file) {}

  /// Calls must not overlap.
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
      part.error = std::current_exception();
      at_end_ = true;
    }
    return part;
  }

  /// The complete tracks. May be called by any thread, once for each part.
  /// Throws the errors of the part.
  HitBlock tracks_of(Part part) {
    if (!file_.in_steps()) {
      if (part.error) std::rethrow_exception(part.error);
      return std::move(part.tracks);
    }
    std::optional<detail::ParsedBlock> parsed;
    try {
      if (part.lines) parsed = file_.parse(*part.lines);
    } catch (...) {
      part.error = std::current_exception();
    }
    HitBlock tracks;
    turns_.take(part.number, [&] {
      if (part.error) std::rethrow_exception(part.error);
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

bool lacks_momentum(const FitStudyOptions& options, const StudyRequest& request,
                    const Detector& detector) {
  return TrackingGeometry(detector).b_ref() == 0 &&
         request.momentum.values.empty() &&
         request.scattering != Scattering::off && options.kind != FitKind::hits;
}

FitCounts fit_tracks(const Detector& detector, const StudyRequest& request,
                     HitFile& file, const FitStudyOptions& options,
                     TableSink& tracks, TableSink* residuals) {
  const TrackingGeometry geometry(detector);
  StudyRequest model = request;
  // A fit without scattering does not need scattering along its path.
  if (options.kind == FitKind::hits) model.scattering = Scattering::off;
  const FitTableStyle style{.events = file.has_events(),
                            .along_beam = is_beam_detector(detector),
                            .losses = model.energy_loss != EnergyLoss::off,
                            .momentum = !geometry.has_field()};
  std::vector<std::unique_ptr<BlockFitter>> fitters(
      std::max<std::size_t>(1, options.threads));
  std::ranges::generate(fitters, [&] {
    return std::make_unique<BlockFitter>(detector, geometry, model, style,
                                         options, residuals != nullptr);
  });
  const auto fit_block = [&](const HitBlock& block, BlockFitter& fitter) {
    PreparedTracks prepared;
    prepared.fitted = fitter.fit(block);
    prepared.tracks = tracks.prepare(prepared.fitted.tracks);
    if (residuals != nullptr)
      prepared.residuals = residuals->prepare(prepared.fitted.residuals);
    return prepared;
  };

  FitCounts counts;
  const auto write = [&](const PreparedTracks& block) {
    counts.tracks += block.fitted.n;
    counts.fitted += block.fitted.fitted;
    counts.batch += block.fitted.batch;
    tracks.write_prepared(block.fitted.tracks, block.tracks);
    if (residuals != nullptr)
      residuals->write_prepared(block.fitted.residuals, block.residuals);
    if (options.progress) options.progress(counts.tracks);
  };
  Parts parts(file);
  constexpr std::size_t ahead_per_thread = 16;
  stream_in_order([&] { return parts.next(); }, options.threads,
                  ahead_per_thread * fitters.size(),
                  [&](Part part, unsigned worker) {
                    HitBlock block;
                    try {
                      block = parts.tracks_of(std::move(part));
                    } catch (...) {
                      PreparedTracks none;
                      none.error = std::current_exception();
                      return none;
                    }
                    return block.tracks.empty()
                               ? PreparedTracks()
                               : fit_block(block, *fitters[worker]);
                  },
                  [&](const PreparedTracks& block) {
                    if (block.error) std::rethrow_exception(block.error);
                    if (block.fitted.n > 0) write(block);
                  });
  if (counts.tracks == 0) write(fit_block({}, *fitters[0]));  // no rows
  tracks.finish();
  if (residuals != nullptr) residuals->finish();
  return counts;
}

}  // namespace gttf
