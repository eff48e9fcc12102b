// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/loss_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gttf::detail {

namespace {

/// Whether a particle loses as much per mass thickness in both.
bool is_same(const LossSlab& a, const LossSlab& b, const Projectile& particle) {
  if (a.mean_loss || b.mean_loss) return a.mean_loss && b.mean_loss;
  const auto numbers = [](const StoppingMedium& m) {
    const DensityEffect& e = m.density_effect;
    return std::array{m.z_over_a, m.mean_excitation, e.c_bar, e.x0, e.x1, e.a,
                      e.k,        e.delta0};
  };
  // electrons radiate; of one material equally, except for rounding
  constexpr double rounding = 1e-13;
  const double first = a.x_over_x0 * b.mass_thickness,
               second = b.x_over_x0 * a.mass_thickness;
  return numbers(a.medium) == numbers(b.medium) &&
         (!particle.is_electron() ||
          std::abs(first - second) <= rounding * first);
}

}  // namespace

LossTables::LossTables(std::span<const std::span<const LossSlab>> layers,
                       const Projectile& particle, EnergyLoss model) {
  std::vector<const LossSlab*> media;
  for (const std::span<const LossSlab> layer : layers) {
    first_.push_back(slabs_.size());
    for (const LossSlab& slab : layer) {
      const auto same = std::ranges::find_if(media, [&](const LossSlab* m) {
        return is_same(*m, slab, particle);
      });
      slabs_.push_back({static_cast<std::size_t>(same - media.begin()),
                        slab.mean_loss.value_or(slab.mass_thickness),
                        slab.x_over_x0, slab.mean_loss.has_value(),
                        xi_per_thickness(slab, {particle.mass, 1})});
      if (same != media.end()) continue;
      media.push_back(&slab);
      tables_.push_back(
          slab.mean_loss ? StoppingTable::of_given_loss()
                         : StoppingTable(slab, particle.mass, particle.charge));
    }
  }
  first_.push_back(slabs_.size());
  view_ = {particle.rest_energy(),
           particle,
           model,
           largest_part,
           first_.data(),
           slabs_.data(),
           tables_.size(),
           [](void* tables, std::size_t medium,
              double kinetic) -> const StoppingPiece& {
             return static_cast<StoppingTable*>(tables)[medium].at(kinetic);
           },
           tables_.data()};
}

}  // namespace gttf::detail
