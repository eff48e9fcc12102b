// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/hit_track.hpp"

#include "gttf/fit/track/hits.hpp"

namespace gttf {

HitTrackBuilder::HitTrackBuilder(const Detector& detector,
                                 const TrackingGeometry& geometry,
                                 const StudyRequest& request,
                                 const HitTrackOptions& options)
    : options_(options),
      layers_(detector, geometry),
      model_{
          .vertex = {request.vertex[0], request.vertex[1], request.vertex[2]},
          .beam_spot = request.beam_spot,
          .scattering = request.scattering,
          .energy_loss = request.energy_loss,
          .mass = request.particle.mass,
          .charge = request.particle.charge,
          .momentum = options.momentum,
          .turns = request.turns},
      made_(layers_, model_) {}

std::string_view HitTrackBuilder::find(std::span<const MeasuredHit> hits) {
  made_.clear();
  if (const auto why =
          assign_layers(layers_, hits, options_.max_distance, hits_);
      !why.empty())
    return why;
  if (hits.size() + (model_.beam_spot ? 1 : 0) < 3)
    return to_string(FitStatus::too_few_hits);
  // the hits of a recurling track do not determine their order
  order_hits(layers_, hits, model_.vertex,
             model_.turns > 0 ? HitOrder::as_given : options_.order, hits_);
  return follow_track(layers_, model_, hits, hits_, made_);
}

}  // namespace gttf
