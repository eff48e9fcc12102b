// SPDX-License-Identifier: Apache-2.0
// A group of tracks that lose energy from layer to layer.
#pragma once

#include "gttf/core/pack_functions.hpp"
#include "gttf/resolution/batch_slabs.hpp"
#include "gttf/resolution/batch_task.hpp"
#include "gttf/trajectory/kinetic_energy.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf::detail {

/// Tracks that become slower from layer to layer.
template <class S>
class SlowingTracks {
 public:
  SlowingTracks(const BatchLoss& loss, const BatchTracks& tracks,
                ElementPower<S>* media)
      : loss_(loss),
        media_(media),
        rest_(loss.rest_energy),
        charge_(L::load(tracks.charge)),
        p_(L::load(tracks.p)),
        kinetic_(kinetic_energy(p_, rest_)) {
    for (std::size_t i = 0; i < loss.n_media; ++i)
      media[i].from = media[i].to = S(0);
  }

  const S& p() const { return p_; }
  /// Energies, GeV; NaN where a track has stopped.
  const S& kinetic() const { return kinetic_; }
  S energy() const { return kinetic_ + rest_; }
  ElementPower<S>* media() const { return media_; }
  S charge2() const { return charge_ * charge_; }
  S qop() const { return charge_ / p_; }  ///< e/GeV

  /// Whether anything is lost in a surface.
  bool lose_in(std::size_t surface) const {
    return loss_.first[surface] != loss_.first[surface + 1];
  }
  /// What is lost there.
  /// @param cosine  direction . normal
  /// @param inverse  1/cosine
  ElementLoss<S> loss_in(std::size_t surface, const S& cosine,
                         const S& inverse) const {
    using std::abs;
    return loss_in_layer(loss_, surface, media_, charge2(), S(abs(inverse)),
                         S(abs(cosine)), kinetic_);
  }
  /// Of the scattering in a layer.
  ScatterStrength<S> strength(const ElementLoss<S>& loss) const {
    return strength_of_average(loss.inverse_p_beta2, rest_, charge_);
  }
  /// The energy behind a layer, where it is crossed.
  void pass(const MaskOf<S>& crossed, const ElementLoss<S>& loss) {
    kinetic_ = select(crossed, loss.kinetic, kinetic_);
    p_ = select(crossed, momentum_of_kinetic(loss.kinetic, rest_), p_);
  }

 private:
  using L = PackAccess<S>;

  const BatchLoss& loss_;
  ElementPower<S>* media_;
  const S rest_, charge_;
  S p_, kinetic_;
};

}  // namespace gttf::detail
