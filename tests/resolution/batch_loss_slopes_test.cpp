// SPDX-License-Identifier: Apache-2.0
// Derivatives of the errors of tracks that lose energy, in a batch.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/resolution/batch_sigmas.hpp"
#include "support/at_level.hpp"
#include "support/batch.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr std::array asked{Parameter::pt, Parameter::d0, Parameter::z0,
                           Parameter::theta, Parameter::x};

/// Derivatives of the variances of tracks with respect to the logarithms of the
/// numbers of all layers, and the variances.
class Slopes {
 public:
  Slopes(const TrackingGeometry& geometry, const TrackList& tracks,
         const Model& model, CodePath path, unsigned threads = 1)
      : n_(tracks.size()),
        n_layers_(geometry.surfaces().size()),
        n_coordinates_(coordinate_count(geometry)) {
    const std::size_t n_rows = 2 * n_layers_ + n_coordinates_;
    all_.resize(asked.size() * n_rows * n_);
    std::vector<double> perigee(15 * n_), start_plane(15 * n_), pt(n_);
    ResolutionArrays results;
    results.perigee = perigee;
    results.start_plane = start_plane;
    results.sigma_pt_rel = pt;
    SlopeArrays slopes;
    slopes.kinds.others = false;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto part = [&](std::size_t first, std::size_t n) {
        return std::span(all_).subspan((i * n_rows + first) * n_, n * n_);
      };
      slopes.position[asked[i]] = part(0, n_layers_);
      slopes.material[asked[i]] = part(n_layers_, n_layers_);
      slopes.sigma[asked[i]] = part(2 * n_layers_, n_coordinates_);
    }
    statistics_ = resolve(geometry, tracks.views(), model, results, slopes,
                          threads, path);
    // from derivatives with respect to the numbers
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::size_t row = i / n_ % n_rows;
      double value = 0;
      if (row < n_layers_)
        value = std::abs(geometry.surfaces()[row].position);
      else if (row < 2 * n_layers_)
        value = geometry.surfaces()[row - n_layers_].x_over_x0;
      else
        for (const SurfaceRecord& s : geometry.surfaces())
          if (const std::size_t at = row - 2 * n_layers_;
              s.first_axis <= at && at < s.first_axis + s.n_axes)
            value = std::sqrt(geometry.axes(s)[at - s.first_axis].variance);
      all_[i] *= value;
    }
    variance_.resize(asked.size() * n_);
    for (std::size_t t = 0; t < n_; ++t) {
      const auto diagonal = [&](const std::vector<double>& m, std::size_t i) {
        return m[i * (i + 3) / 2 * n_ + t];
      };
      const double of_asked[] = {pt[t] * pt[t], diagonal(perigee, 0),
                                 diagonal(perigee, 1), diagonal(perigee, 3),
                                 diagonal(start_plane, 0)};
      for (std::size_t i = 0; i < asked.size(); ++i)
        variance_[i * n_ + t] = of_asked[i];
    }
  }

  const BatchStatistics& statistics() const { return statistics_; }
  std::span<const double> all() const { return all_; }
  double variance(std::size_t i, std::size_t t) const {
    return variance_[i * n_ + t];
  }
  std::size_t n_rows() const { return 2 * n_layers_ + n_coordinates_; }
  double at(std::size_t i, std::size_t row, std::size_t t) const {
    return all_[(i * n_rows() + row) * n_ + t];
  }
  /// The largest effect of a relative change of a number.
  double most(std::size_t i, std::size_t t) const {
    double most = 0;
    for (std::size_t row = 0; row < n_rows(); ++row)
      most = std::max(most, std::abs(at(i, row, t)));
    return most;
  }

 private:
  std::size_t n_, n_layers_, n_coordinates_;
  std::vector<double> all_, variance_;
  BatchStatistics statistics_;
};

struct Deviation {
  double worst = 0;  ///< relative to the largest effect on the variance
  int compared = 0;
};

/// Where a difference has no step, the scalar path gives NaN.
Deviation deviation_of(const Slopes& batch, const Slopes& scalar,
                       std::size_t n_tracks) {
  Deviation d;
  for (std::size_t i = 0; i < asked.size(); ++i)
    for (std::size_t t = 0; t < n_tracks; ++t) {
      if (!std::isfinite(scalar.variance(i, t))) continue;
      const double most = batch.most(i, t);
      if (!std::isfinite(most) || most == 0) continue;
      for (std::size_t row = 0; row < batch.n_rows(); ++row) {
        const double a = batch.at(i, row, t), b = scalar.at(i, row, t);
        if (std::isnan(b)) continue;
        ++d.compared;
        d.worst = std::max(d.worst, std::abs(a - b) / most);
      }
    }
  return d;
}

Model with_loss(Scattering scattering = Scattering::highland) {
  Model model;
  model.loss = EnergyLoss::mean;
  model.scattering = scattering;
  return model;
}

TrackList tracks_of(int n, double lowest) {
  TrackList tracks;
  for (int i = 0; i < n; ++i)
    tracks.add({.p = lowest * std::pow(20 / lowest, i / (n - 0.5)),
                .theta = (35 + 110. * ((7 * i) % n) / n) * unit::deg,
                .phi = 0.2 + 0.3 * i});
  return tracks;
}

/// The scalar path takes fourth-order differences of single steps, which are
/// exact to 1e-9 or better; only they deviate.
constexpr double as_differences = 1e-8;

}  // namespace

TEST_CASE("batch: derivatives with energy loss are those of single tracks") {
  struct Case {
    const char* name;
    int n_tracks;
    double lowest;
  };
  // IDEA and ILD take most of the time, on the scalar path
  for (const Case& c : {Case{"alice_its2", 18, 0.3}, Case{"cld", 9, 0.5},
                        Case{"mu3e", 6, 0.1}, Case{"cms_phase2", 6, 0.8},
                        Case{"ild", 2, 1.0}, Case{"idea", 2, 0.8}}) {
    CAPTURE(c.name);
    const TrackingGeometry geometry(shipped(c.name));
    const TrackList tracks = tracks_of(c.n_tracks, c.lowest);
    const Model model = with_loss();
    const Slopes scalar(geometry, tracks, model, CodePath::scalar);
    for (const SimdLevel level : available_simd_levels()) {
      CAPTURE(to_string(level));
      const AtLevel at(level);
      const Slopes batch(geometry, tracks, model, CodePath::best);
      CHECK(batch.statistics().vectorised > 0);
      const Deviation d = deviation_of(batch, scalar, tracks.size());
      CHECK(d.worst < as_differences);
      CHECK(d.compared > 100);
    }
  }
}

TEST_CASE("batch: derivatives with energy loss in random layouts") {
  RandomLayouts usual(41), with_leaning(41, 0.4);
  std::size_t vectorised = 0;
  int compared = 0;
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    RandomLayouts& random = i % 2 == 0 ? usual : with_leaning;
    const TrackingGeometry geometry(random.detector());
    TrackList tracks;
    for (int t = 0; t < 6; ++t) {
      Track track = random.track();
      track.mass = 0.13957039;
      tracks.add(track);
    }
    constexpr std::array models{Scattering::highland, Scattering::rossi,
                                Scattering::highland_1991};
    Model model = with_loss(models[static_cast<std::size_t>(i % 3)]);
    if (i % 4 == 0) model.beam_spot = BeamSpot{0.02, 0.01, 10};
    const Slopes scalar(geometry, tracks, model, CodePath::scalar);
    const Slopes batch(geometry, tracks, model, CodePath::best);
    vectorised += batch.statistics().vectorised;
    const Deviation d = deviation_of(batch, scalar, tracks.size());
    compared += d.compared;
    CHECK(d.worst < as_differences);
  }
  CHECK(vectorised > 40);
  CHECK(compared > 5000);
}

TEST_CASE("batch: derivatives with energy loss are those of whole tracks") {
  // inner and outer material, strips and a disk; of one layer after the other
  Detector d = make_barrel(6, 30, 500, 2, 0, 0.01);
  d.layers.push_back(make_layer("pipe", make_cylinder(20, {-500, 500}), 0));
  d.layers.push_back(make_layer("wall", make_cylinder(350, {-1e3, 1e3}), 0));
  d.layers.push_back(make_layer("disk", make_disk(250, {5, 400}), 0,
                                {{0.3, 0.02}, {1.2, 0.03}}));
  d.layers.push_back(make_layer("cone", make_cone({-1200, 1200}, 580, 680), 0,
                                pixel(0.02, 0.03)));
  for (Layer& layer : d.layers) layer.material = {{"silicon", 0, 0.02}};
  // a loss that is given is one of the material, and grows with it
  d.layers[2].material[0].mean_loss = 1 * unit::MeV;
  d.layers[7].material[0].mean_loss = 2 * unit::MeV;
  const TrackingGeometry geometry(d);
  TrackList tracks;
  for (const double p : {0.4, 1.5, 10.})
    for (const double theta : {1.57, 1.1, 0.7})
      tracks.add({.p = p, .theta = theta, .phi = 0.3});
  const Model model = with_loss();
  const Slopes slopes(geometry, tracks, model, CodePath::best);
  REQUIRE(slopes.statistics().vectorised == tracks.size());
  const std::size_t n_layers = geometry.surfaces().size();
  double worst = 0;
  for (std::size_t row = 0; row < 2 * n_layers; ++row) {
    const std::size_t layer = row % n_layers;
    const auto changed = [&](double by) {
      TrackingGeometry g = geometry;
      if (row < n_layers)
        g.move(layer, g.surfaces()[layer].position * (1 + by));
      else
        g.scale_material(layer, 1 + by);
      return Slopes(g, tracks, model, CodePath::best);
    };
    constexpr double h = 1e-3;
    const Slopes up = changed(h), down = changed(-h), up2 = changed(2 * h),
                 down2 = changed(-2 * h);
    for (std::size_t i = 0; i < asked.size(); ++i)
      for (std::size_t t = 0; t < tracks.size(); ++t) {
        const auto step = [&](const Slopes& a, const Slopes& b) {
          return a.variance(i, t) - b.variance(i, t);
        };
        const double sign =
            geometry.surfaces()[layer].position < 0 && row < n_layers ? -1 : 1;
        const double slope =
            sign * (8 * step(up, down) - step(up2, down2)) / (12 * h);
        worst = std::max(
            worst, std::abs(slopes.at(i, row, t) - slope) / slopes.most(i, t));
      }
  }
  CHECK(worst < as_differences);
}

TEST_CASE("batch: derivatives with loss do not depend on what is requested") {
  const TrackingGeometry geometry(shipped("cld"));
  const TrackList tracks = tracks_of(20, 0.5);
  // x does not exist at 90 degrees
  const auto some = std::span(asked).first(4);
  const auto with = [&](SlopeKinds kinds) {
    return BatchSensitivities(geometry, tracks.views(), with_loss(), some, 1,
                              {}, nullptr, kinds);
  };
  const BatchSensitivities all = with({true, true}),
                           errors = with({false, false}),
                           material = with({false, true}),
                           position = with({true, false});
  CHECK(errors.by_position(Parameter::d0, 0).empty());
  CHECK(material.by_position(Parameter::d0, 0).empty());
  CHECK(position.by_material(Parameter::d0, 0).empty());
  bool equal = true;
  double worst = 0;  // relative to the largest of a track
  for (const Parameter q : some) {
    for (std::size_t l = 0; l < geometry.surfaces().size(); ++l) {
      equal = equal && std::ranges::equal(material.by_material(q, l),
                                          all.by_material(q, l));
      equal = equal && std::ranges::equal(position.by_position(q, l),
                                          all.by_position(q, l));
    }
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      double largest = 0, deviation = 0;
      for (std::size_t c = 0; c < coordinate_count(geometry); ++c) {
        const double own = all.by_sigma(q, c)[t];
        largest = std::max(largest, own);
        for (const BatchSensitivities* one : {&errors, &material, &position})
          deviation =
              std::max(deviation, std::abs(one->by_sigma(q, c)[t] - own));
      }
      REQUIRE(largest > 0);
      worst = std::max(worst, deviation / largest);
    }
  }
  CHECK(equal);
  // in coordinates about the crossing, or about the start: rounding is larger
  // by the lever arm
  CHECK(worst <= 1e-10);
}

TEST_CASE("batch: neighbours do not change a bit of derivatives with loss") {
  const TrackingGeometry geometry(shipped("cld"));
  const TrackList tracks = tracks_of(60, 0.4);
  const Model model = with_loss();
  const Slopes whole(geometry, tracks, model, CodePath::best, 3);
  CHECK(2 * whole.statistics().vectorised > tracks.size());
  bool equal = true;
  for (std::size_t t = 0; t < tracks.size(); t += 7) {
    TrackList one;
    one.add(tracks.views().track(t));
    const Slopes own(geometry, one, model, CodePath::best);
    for (std::size_t i = 0; i < asked.size(); ++i)
      for (std::size_t row = 0; row < own.n_rows(); ++row)
        equal = equal && own.at(i, row, 0) == whole.at(i, row, t);
  }
  CHECK(equal);
}

}  // namespace gttf::test::GTTF_TEST_FILE
