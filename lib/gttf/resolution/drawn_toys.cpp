// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/drawn_toys.hpp"

#include <algorithm>
#include <memory>

#include "gttf/fit/triplet/shared_fit.hpp"

namespace gttf {
namespace {

/// Of the random numbers of a toy; losses of energy have those of its steps.
constexpr std::uint64_t start_branch = std::uint64_t{1} << 32;

bool is_shared(const FitChoice& choice) {
  return choice.weights == WeightSource::shared &&
         detail::can_be_shared(choice.kind);
}

}  // namespace

DrawnToys::DrawnToys(const TrackingGeometry& geometry,
                     std::span<const double> efficiencies, const Track& track,
                     const Model& model, const ToySpread& spread,
                     std::span<const FitChoice> fits)
    : geometry_(geometry),
      efficiencies_(efficiencies),
      track_(track),
      model_(model),
      spread_(spread),
      fits_(fits.begin(), fits.end()) {
  for (const FitChoice& choice : fits_) {
    FitOptions options;
    options.weights = choice.weights;
    fitters_.emplace_back(options);
  }
  if (!spread.phi && !spread.vertex) simulator_.emplace(geometry, track, model);
}

bool DrawnToys::run(const RandomPlace& place, const TakeFit& take) {
  if (spread_.phi || spread_.vertex) {
    RandomBranch random(place, start_branch);
    Track track = track_;
    if (spread_.phi) track.phi = 2 * unit::pi * (random.uniform() - 0.5);
    if (spread_.vertex)
      for (std::size_t i = 0; i < track.vertex.size(); ++i)
        track.vertex[i] += (*spread_.vertex)[i] * random.normal();
    simulator_.emplace(geometry_, track, model_);
  }
  const bool shares = std::ranges::any_of(fits_, is_shared);
  TrackHits undisturbed;
  if (!simulator_->simulate(place, efficiencies_, toy_,
                            shares ? &undisturbed : nullptr))
    return false;
  for (std::size_t f = 0; f < fits_.size(); ++f) {
    const FitChoice& choice = fits_[f];
    if (is_shared(choice)) {
      // no other toy has these hits
      FitOptions options;
      options.weights = choice.weights;
      options.reference = std::make_shared<const TrackHits>(undisturbed);
      take(f, TrackFitter(options).fit(toy_.hits, choice.kind), toy_);
    } else {
      take(f, fitters_[f].fit(toy_.hits, choice.kind), toy_);
    }
  }
  return true;
}

}  // namespace gttf
