// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/fit_study.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gttf/core/ordered_stream.hpp"
#include "gttf/study/hits/block_fitter.hpp"
#include "gttf/study/hits/fit_table.hpp"
#include "gttf/study/hits/hit_parser.hpp"

namespace gttf {

using detail::BlockFitter;
using detail::FittedBlock;

namespace {

/// A block of tracks as its rows, made ready for the tables.
struct PreparedTracks {
  FittedBlock fitted;
  PreparedBlock tracks, residuals;
  std::exception_ptr fault;  ///< of the file, behind the blocks before
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
                      none.fault = std::current_exception();
                      return none;
                    }
                    return block.tracks.empty()
                               ? PreparedTracks()
                               : fit_block(block, *fitters[worker]);
                  },
                  [&](const PreparedTracks& block) {
                    if (block.fault) std::rethrow_exception(block.fault);
                    if (block.fitted.n > 0) write(block);
                  });
  if (counts.tracks == 0) write(fit_block({}, *fitters[0]));  // no rows
  tracks.finish();
  if (residuals != nullptr) residuals->finish();
  return counts;
}

}  // namespace gttf
