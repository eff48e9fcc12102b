// SPDX-License-Identifier: Apache-2.0
// Arrays for batched resolutions: tracks to put in, results to look at.
#pragma once

#include <cstdint>
#include <vector>

#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/parameter.hpp"
#include "support/compare.hpp"

namespace gttf::test {

class TrackList {
 public:
  void add(const Track& t) {
    const double values[] = {t.p,      t.theta,     t.phi,       t.mass,
                             t.charge, t.vertex[0], t.vertex[1], t.vertex[2]};
    for (std::size_t i = 0; i < 8; ++i) columns_[i].push_back(values[i]);
  }
  std::size_t size() const { return columns_[0].size(); }
  TrackArrays views() const {
    return {size(),      columns_[0], columns_[1], columns_[2], columns_[3],
            columns_[4], columns_[5], columns_[6], columns_[7]};
  }

 private:
  std::vector<double> columns_[8];
};

/// Lower triangles of n tracks.
struct Triangles : std::vector<double> {
  explicit Triangles(std::size_t tracks)
      : std::vector<double>(15 * tracks), n(tracks) {}
  Matrix5 matrix(std::size_t track) const {
    Matrix5 m;
    std::size_t plane = 0;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j <= i; ++j, ++plane)
        m(i, j) = m(j, i) = (*this)[plane * n + track];
    return m;
  }
  std::size_t n;
};

/// All that resolve() for batches can give; the budget if there are layers.
struct BatchOutput {
  BatchOutput(std::size_t n, std::size_t layers)
      : perigee(n),
        without_inner(n),
        first_hit(n),
        start_plane(n),
        sigma_p(n),
        sigma_pt(n),
        xi(n),
        x_over_x0(n),
        x_over_x0_tracker(n),
        hit_only(n),
        ms_only(n),
        mu_phi(n),
        mu_theta(n),
        scattering_variance(layers * n_parameters * n),
        hit_variance(layers * n_parameters * n),
        n_hits(n),
        surfaces(n),
        status(n),
        end(n) {}

  ResolutionArrays views() {
    return {perigee,
            without_inner,
            first_hit,
            start_plane,
            sigma_p,
            sigma_pt,
            xi,
            x_over_x0,
            x_over_x0_tracker,
            hit_only,
            ms_only,
            mu_phi,
            mu_theta,
            by_parameter(scattering_variance),
            by_parameter(hit_variance),
            n_hits,
            surfaces,
            status,
            end,
            {}};
  }

  /// All numbers, array after array; each is a multiple of the tracks long.
  std::vector<double> every_number() const {
    std::vector<double> all;
    for (const std::vector<double>* v :
         {static_cast<const std::vector<double>*>(&perigee),
          static_cast<const std::vector<double>*>(&without_inner),
          static_cast<const std::vector<double>*>(&first_hit),
          static_cast<const std::vector<double>*>(&start_plane), &sigma_p,
          &sigma_pt, &xi, &x_over_x0, &x_over_x0_tracker, &hit_only, &ms_only,
          &mu_phi, &mu_theta, &scattering_variance, &hit_variance})
      all.insert(all.end(), v->begin(), v->end());
    return all;
  }
  std::vector<double> numbers_of(std::size_t track) const {
    const std::vector<double> all = every_number();
    std::vector<double> own;
    for (std::size_t i = track; i < all.size(); i += sigma_p.size())
      own.push_back(all[i]);
    return own;
  }

  Triangles perigee, without_inner, first_hit, start_plane;
  std::vector<double> sigma_p, sigma_pt, xi, x_over_x0, x_over_x0_tracker,
      hit_only, ms_only, mu_phi, mu_theta, scattering_variance, hit_variance;
  std::vector<int> n_hits;
  std::vector<std::uint64_t> surfaces;
  std::vector<Status> status;
  std::vector<TrackEnd> end;

 private:
  static LayerArrays by_parameter(std::vector<double>& all) {
    LayerArrays arrays;
    const std::size_t each = all.size() / n_parameters;
    for (std::size_t q = 0; q < n_parameters; ++q)
      arrays.values[q] = {all.data() + q * each, each};
    return arrays;
  }
};

}  // namespace gttf::test
