// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/batch_sigmas.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "support/at_level.hpp"
#include "support/batch.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Up to 100 GeV, at polar angles from 33 to 147 degrees and along z.
TrackList tracks_from(double p, double phi_step) {
  TrackList tracks;
  for (int i = 0; i < 40; ++i)
    tracks.add({.p = p * std::pow(100 / p, i / 39.),
                .theta = (i % 4 == 0 ? 0.1 : 30 + 3 * i) * unit::deg,
                .phi = phi_step * i});
  return tracks;
}

}  // namespace

TEST_CASE("batch: errors of all parameters are those of single tracks") {
  // FASER's field has no helices; some tracks of the others have no fit
  for (const char* name : {"alice_its2", "cld", "datura", "faser"}) {
    CAPTURE(name);
    const TrackingGeometry geometry(shipped(name));
    const TrackList tracks = tracks_from(0.05, 0);
    const std::vector<PerParameter> all =
        sigmas(geometry, tracks.views(), {}, 2);
    REQUIRE(all.size() == tracks.size());
    int compared = 0;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      const PerParameter one =
          sigmas(resolve(geometry, tracks.views().track(i), {}));
      for (std::size_t q = 0; q < n_parameters; ++q) {
        const double a = all[i].values[q], b = one.values[q];
        CHECK(std::isnan(a) == std::isnan(b));
        if (std::isnan(a) || std::isinf(b)) continue;
        ++compared;
        CHECK(std::abs(a - b) <= 1e-11 * std::abs(b));
      }
    }
    CHECK(compared > 20);
  }
}

TEST_CASE("batch: derivatives are the same if others are not requested") {
  constexpr Parameter asked[] = {Parameter::pt, Parameter::d0};
  for (const char* name : {"cld", "datura", "mu3e", "belle2_modules"}) {
    INFO(std::string(name));
    const TrackingGeometry geometry(shipped(name));
    const TrackList tracks = tracks_from(0.5, 0.1);
    for (const Scattering scattering : {Scattering::highland, Scattering::off})
      for (const SimdLevel level : available_simd_levels()) {
        const AtLevel at(level);
        Model model;
        model.scattering = scattering;
        const auto with = [&](SlopeKinds kinds) {
          return BatchSensitivities(geometry, tracks.views(), model, asked, 1,
                                    {}, nullptr, kinds);
        };
        const BatchSensitivities all = with({true, true}),
                                 errors = with({false, false}),
                                 material = with({false, true}),
                                 position = with({true, false});
        CHECK(errors.by_position(Parameter::d0, 0).empty());
        CHECK(errors.by_material(Parameter::d0, 0).empty());
        CHECK(material.by_position(Parameter::d0, 0).empty());
        CHECK(position.by_material(Parameter::d0, 0).empty());
        double worst = 0;  // relative deviation; of tracks without a fit none
        const auto same = [&worst](std::span<const double> a,
                                   std::span<const double> b) {
          if (a.size() != b.size()) worst = 1;
          for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
            if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i])))
              worst = std::max(worst, std::abs(a[i] / b[i] - 1));
        };
        for (const Parameter q : asked) {
          for (std::size_t l = 0; l < geometry.surfaces().size(); ++l) {
            same(material.by_material(q, l), all.by_material(q, l));
            same(position.by_position(q, l), all.by_position(q, l));
          }
          for (std::size_t c = 0; c < coordinate_count(geometry); ++c) {
            same(errors.by_sigma(q, c), all.by_sigma(q, c));
            same(material.by_sigma(q, c), all.by_sigma(q, c));
            same(position.by_sigma(q, c), all.by_sigma(q, c));
          }
        }
        CHECK(worst <= 1e-12);  // rounding in another order
      }
  }
}

TEST_CASE("traced tracks: derivatives of some layers are those of all") {
  const TrackingGeometry geometry(shipped("alice_its2"));
  Model model;
  model.loss = EnergyLoss::mean;
  Track track;
  track.p = 0.5;
  std::vector<char> layers(geometry.surfaces().size(), 0);
  layers[2] = layers[4] = 1;
  const Sensitivities all = make_sensitivities(geometry, track, model);
  const Sensitivities some =
      make_sensitivities(geometry, track, model, {true, true, false, layers});
  const Sensitivities positions =
      make_sensitivities(geometry, track, model, {true, false, false, layers});
  REQUIRE(some.items.size() == all.items.size());
  REQUIRE(positions.items.size() == all.items.size());
  int n_moved = 0;
  for (std::size_t i = 0; i < all.items.size(); ++i) {
    const Sensitivity& item = all.items[i];
    if (item.layer == Sensitivity::none) continue;
    const bool is_error =
        item.quantity == Quantity::sigma || item.quantity == Quantity::angle;
    const bool is_asked = is_error || layers[item.layer] != 0;
    const bool is_position = item.quantity == Quantity::position;
    CHECK(some.items[i].slope[Parameter::d0] ==
          (is_asked ? item.slope[Parameter::d0] : 0.0));
    CHECK(positions.items[i].slope[Parameter::d0] ==
          (is_asked && (is_error || is_position) ? item.slope[Parameter::d0]
                                                 : 0.0));
    n_moved += is_position && is_asked ? 1 : 0;
  }
  CHECK(n_moved == 2);
}

TEST_CASE("batch: derivatives of errors are those of single tracks") {
  // tracks that cross other layers than their neighbours, passive layers,
  // tilted coordinates, planes, disks and cones; FASER's field has no helices
  constexpr Parameter asked[] = {Parameter::pt, Parameter::d0, Parameter::theta,
                                 Parameter::x};
  for (const char* name :
       {"alice_its2", "cld", "datura", "faser", "cms_phase2", "mu3e"}) {
    INFO(std::string(name));
    const TrackingGeometry geometry(shipped(name));
    for (const Scattering scattering :
         {Scattering::highland, Scattering::highland_total, Scattering::rossi,
          Scattering::off}) {
      TrackList tracks;
      const double y = scattering == Scattering::rossi ? 3 * unit::mm : 0;
      for (int i = 0; i < 40; ++i) {
        Track t;
        t.p = 0.05 * std::pow(2000., i / 39.);
        t.theta = (i % 4 == 0 ? 0.1 : 30 + 3 * i) * unit::deg;
        t.vertex[1] = y;
        tracks.add(t);
      }
      Model model;
      model.scattering = scattering;
      std::vector<int> n_hits(tracks.size());
      const BatchSensitivities batch(geometry, tracks.views(), model, asked, 2,
                                     n_hits);
      int compared = 0;
      for (std::size_t t = 0; t < tracks.size(); ++t) {
        const Track track = tracks.views().track(t);
        const Sensitivities one = make_sensitivities(geometry, track, model);
        CHECK(n_hits[t] == one.resolution.n_hits);
        // Rounding is magnified where a track all but bends back in front of a
        // layer: nearly equal tracks show by how much.
        std::vector<Sensitivities> nearby;
        if (track.p < 1 * unit::GeV)
          for (const double steps : {-2., -1., 1., 2., 3., 4.}) {
            Track other = track;
            other.p *= 1 + steps * 1e-14;
            nearby.push_back(make_sensitivities(geometry, other, model));
          }
        for (const Parameter q : asked) {
          // no layer that is not crossed changes anything
          std::vector<double> position(geometry.surfaces().size()),
              material(position), sigma(coordinate_count(geometry));
          double most = 0;   // what a relative change of a number does
          double noise = 0;  // and how far rounding changes that
          for (std::size_t i = 0; i < one.items.size(); ++i) {
            const Sensitivity& item = one.items[i];
            if (item.layer == Sensitivity::none) continue;
            most = std::max(most, std::abs(item.slope[q] * item.value));
            for (const Sensitivities& other : nearby)
              if (other.items.size() == one.items.size())
                noise = std::max(
                    noise, std::abs((other.items[i].slope[q] - item.slope[q]) *
                                    item.value));
            if (item.quantity == Quantity::position)
              position[item.layer] += item.slope[q];
            if (item.quantity == Quantity::x_over_x0)
              material[item.layer] += item.slope[q];
            if (item.quantity == Quantity::sigma)
              sigma[geometry.surfaces()[item.layer].first_axis +
                    item.coordinate] += item.slope[q];
          }
          if (!one.exists() || !std::isfinite(one.sigma[q])) continue;
          CHECK(std::abs(batch.sigma(q, t) - one.sigma[q]) <=
                1e-11 * one.sigma[q]);
          const double of_log = 1 / (2 * one.sigma[q] * one.sigma[q]);
          const auto same = [&](double a, double b, double value) {
            ++compared;
            CHECK(std::abs(a * of_log - b) * value <= 1e-10 * most + 4 * noise);
          };
          for (std::size_t l = 0; l < position.size(); ++l) {
            const SurfaceRecord& s = geometry.surfaces()[l];
            CAPTURE(l);
            CAPTURE(t);
            same(batch.by_position(q, l)[t], position[l], std::abs(s.position));
            same(batch.by_material(q, l)[t], material[l], s.x_over_x0);
            for (unsigned c = 0; c < s.n_axes; ++c)
              same(batch.by_sigma(q, s.first_axis + c)[t],
                   sigma[s.first_axis + c],
                   std::sqrt(geometry.axes(s)[c].variance));
          }
        }
      }
      CHECK(compared > 500);
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
