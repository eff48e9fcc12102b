// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "gttf/study/hits/block_fitter.hpp"

namespace gttf::detail {
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

/// With the points of the track that the builder has found.
void BlockFitter::add_points(const HitBlock& block, std::size_t i,
                             FitGroups::Kind kind, ResidualTable& residuals,
                             BatchStatistics& batch) {
  Outcome& outcome = outcomes_[i];
  const auto hits = block.hits_of(block.tracks[i]);
  outcome.status = builder_.make_points(hits);
  if (!outcome.status.empty()) return;
  if (groups_.can_hold(builder_)) {
    outcome.place = groups_.add(builder_, kind);
    return;
  }
  ++batch.tracks;
  ++batch.unsupported;
  const GlobalFit& fit = fitter_.fit(builder_.track(), kind_);
  if (with_residuals_ && is_result(fit))
    residuals.add(block.tracks[i], hits, builder_, fit);
  outcome.scalar = std::make_unique<GlobalFit>(fit);
  outcome.scalar->hits.clear();
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
  // tracks that do not cross what is presumed come back with their own list
  for (const Kind kind : {Kind::hits, Kind::surfaces, Kind::points}) {
    for (const std::size_t i : waiting_) {
      Outcome& outcome = outcomes_[i];
      outcome.place.reset();
      outcome.status = builder_.find(block.hits_of(block.tracks[i]));
      if (!outcome.status.empty()) continue;
      if (kind == Kind::hits) outcome.place = groups_.add_hits(builder_);
      if (!outcome.place) add_points(block, i, kind, residuals, batch);
    }
    groups_.find_scattering();
    std::erase_if(waiting_, [this](std::size_t i) {
      const auto& place = outcomes_[i].place;
      return !place || groups_.is_known(*place);
    });
  }
}

/// Fits the tracks that were left out on the scalar path, with the points of
/// the builder.
void BlockFitter::fit_left_out(const HitBlock& block) {
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    Outcome& outcome = outcomes_[i];
    if (!outcome.place || groups_.is_fitted(*outcome.place)) continue;
    const auto hits = block.hits_of(block.tracks[i]);
    builder_.find(hits);
    outcome.status = builder_.make_points(hits);
    if (outcome.status.empty())
      outcome.scalar =
          std::make_unique<GlobalFit>(fitter_.fit(builder_.track(), kind_));
  }
}

FittedBlock BlockFitter::fit(const HitBlock& block) {
  FitTable rows(style_, geometry_.b_ref(), charge_, fit_name_);
  ResidualTable residuals(style_, detector_, geometry_);
  rows.reserve(block.tracks.size());
  FittedBlock fitted;
  find_outcomes(block, residuals, fitted.batch);
  fitted.batch += groups_.fit();
  fit_left_out(block);
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    const FileTrack& track = block.tracks[i];
    const Outcome& outcome = outcomes_[i];
    if (!outcome.status.empty())
      rows.add_unfitted(track, outcome.status);
    else
      rows.add(track,
               outcome.scalar ? *outcome.scalar : groups_.at(*outcome.place));
  }
  fitted.n = rows.rows();
  fitted.fitted = rows.fitted();
  fitted.tracks = std::move(rows).take();
  fitted.residuals = std::move(residuals).take();
  return fitted;
}

}  // namespace gttf::detail
