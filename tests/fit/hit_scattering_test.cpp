// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/hit_scattering.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/fit/batch_fit.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "support/at_level.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Points of exact helices from a vertex with hits on the same surfaces.
class ExactHits {
 public:
  ExactHits(const TrackingGeometry& geometry, std::size_t n_tracks,
            double theta_least, double theta_most)
      : geometry_(geometry) {
    std::mt19937_64 engine(11);
    const auto uniform = [&engine](double a, double b) {
      return std::uniform_real_distribution<>(a, b)(engine);
    };
    for (int i = 0; tracks_.size() < n_tracks && i < 100000; ++i) {
      Track t;
      t.p = uniform(0.8, 20);
      t.theta = uniform(theta_least, theta_most);
      t.phi = uniform(-3, 3);
      t.charge = i % 2 == 0 ? 1 : -1;
      t.vertex = {0.2, -0.1, 3};
      const auto found = find_crossings(geometry, t, Scattering::highland);
      if (found.last < 0) continue;
      const auto list = list_of(found);
      const auto hits = hits_of(list);
      if (tracks_.empty()) {
        list_ = list;
        hits_ = hits;
      }
      if (hits == hits_) tracks_.push_back({t, found});
    }
    for (const unsigned i : list_) {
      FitSurface& s = surfaces_.emplace_back();
      s.surface = geometry.surfaces()[i];
      s.n_coordinates = s.surface.measures() ? 2 : 0;
    }
    for (unsigned i = 0; i < geometry.surfaces().size(); ++i)
      if (geometry.surfaces()[i].x_over_x0 > 0 &&
          std::ranges::find(list_, i) == list_.end())
        others_.push_back(geometry.surfaces()[i]);
    for (auto& v : xyz_) v.resize(size() * hits_.size());
    for (std::size_t t = 0; t < size(); ++t) {
      const Line<double>& l = tracks_[t].found.line;
      std::size_t h = 0;
      for (const auto& x : tracks_[t].found.list) {
        if (!geometry.surfaces()[x.surface].measures()) continue;
        const double a = l.along + x.at.forward, b = l.across + x.at.sideward;
        const double at[] = {l.cos_phi * a - l.sin_phi * b,
                             l.sin_phi * a + l.cos_phi * b,
                             l.z + x.at.arc * l.cot_theta};
        for (int axis = 0; axis < 3; ++axis)
          xyz_[axis][h * size() + t] = at[axis];
        ++h;
      }
    }
  }

  struct ExactTrack {
    Track track;
    Crossings<double> found;
  };

  std::size_t size() const { return tracks_.size(); }
  const std::vector<ExactTrack>& tracks() const { return tracks_; }
  const std::vector<unsigned>& list() const { return list_; }
  std::size_t n_surfaces() const { return list_.size(); }
  const std::vector<SurfaceRecord>& others() const { return others_; }
  bool crosses_the_list(std::size_t t) const {
    return list_of(tracks_[t].found) == list_;
  }
  HitArrays views() const {
    return {.size = size(),
            .surfaces = surfaces_,
            .x = xyz_[0],
            .y = xyz_[1],
            .z = xyz_[2],
            .theta0_2 = {},
            .kappa_ref = {}};
  }

 private:
  /// What scatters or measures, up to the last hit.
  std::vector<unsigned> list_of(const Crossings<double>& found) const {
    std::vector<unsigned> list;
    for (int k = 0; k <= found.last; ++k)
      list.push_back(found.list[static_cast<std::size_t>(k)].surface);
    return list;
  }
  std::vector<unsigned> hits_of(std::vector<unsigned> list) const {
    std::erase_if(list, [this](unsigned i) {
      return !geometry_.surfaces()[i].measures();
    });
    return list;
  }

  const TrackingGeometry& geometry_;
  std::vector<ExactTrack> tracks_;
  std::vector<unsigned> list_, hits_;
  std::vector<FitSurface> surfaces_;
  std::vector<SurfaceRecord> others_;
  std::vector<double> xyz_[3];
};

struct Found {
  explicit Found(const ExactHits& hits)
      : theta0_2(hits.n_surfaces() * hits.size()),
        kappa(hits.size()),
        known(hits.size()) {}

  std::vector<double> theta0_2, kappa;
  std::vector<char> known;
};

Found find(const ExactHits& hits, const TrackingGeometry& geometry,
           const HitScattering& model) {
  Found f(hits);
  find_scattering(hits.views(), hits.others(), geometry.bz(), model, f.theta0_2,
                  f.kappa, f.known);
  return f;
}

}  // namespace

TEST_CASE("scattering from hits: that of the true track, on all its surfaces") {
  struct Case {
    const char* detector;
    double theta_least, theta_most;
  };
  for (const Case& c :
       {Case{"cld", 1.2, 1.7}, Case{"cld", 0.25, 0.5},
        Case{"alice_its2", 0.9, 2.2}, Case{"atlas_itk", 0.2, 0.9},
        Case{"cms_phase2", 0.3, 1.2}, Case{"mu3e", 1.3, 1.8}}) {
    CAPTURE(c.detector);
    CAPTURE(c.theta_least);
    const Detector detector = shipped(c.detector);
    const TrackingGeometry geometry(detector);
    const ExactHits hits(geometry, 53, c.theta_least, c.theta_most);
    REQUIRE(hits.size() > 5);
    for (const SimdLevel level : available_simd_levels()) {
      CAPTURE(to_string(level));
      const AtLevel use(level);
      const Track& first = hits.tracks()[0].track;
      const Found f = find(hits, geometry, {.mass = first.mass});
      std::size_t n_known = 0;
      for (std::size_t t = 0; t < hits.size(); ++t) {
        CAPTURE(t);
        const Crossings<double>& truth = hits.tracks()[t].found;
        // a turn of 60 deg is the limit
        const double last_turn =
            std::abs(truth.line.c) *
            (truth.list[static_cast<std::size_t>(truth.last)].at.arc -
             truth.list[static_cast<std::size_t>(truth.first)].at.arc);
        CHECK(f.known[t] ==
              (hits.crosses_the_list(t) && last_turn < unit::pi / 3 ? 1 : 0));
        if (f.known[t] == 0) continue;
        ++n_known;
        // the circle through three points whose sagitta may be 0.1 mm, of
        // coordinates of 1 m with 53 bits
        CHECK(f.kappa[t] == doctest::Approx(truth.line.kappa).epsilon(1e-8));
        for (std::size_t i = 0; i < hits.n_surfaces(); ++i)
          CHECK(f.theta0_2[i * hits.size() + t] ==
                doctest::Approx(truth.list[i].theta0_2).epsilon(1e-8));
      }
      CHECK(n_known > 0);
    }
  }
}

TEST_CASE("scattering from hits: for another momentum along the same path") {
  const Detector detector = shipped("alice_its2");
  const TrackingGeometry geometry(detector);
  const ExactHits hits(geometry, 20, 0.9, 2.2);
  const double mass = hits.tracks()[0].track.mass;
  const Found f = find(hits, geometry, {.mass = mass, .momentum = 3});
  for (std::size_t t = 0; t < hits.size(); ++t) {
    if (f.known[t] == 0) continue;
    const auto& [track, truth] = hits.tracks()[t];
    Track other = track;
    other.p = 3;
    const Line<double> line = make_line<double>(other, geometry.bz());
    CHECK(std::abs(f.kappa[t]) ==
          doctest::Approx(std::abs(line.kappa)).epsilon(1e-8));
    const double t0 = truth.list[2].at.x_over_x0;
    CHECK(f.theta0_2[2 * hits.size() + t] ==
          doctest::Approx(theta0_squared(line, Scattering::highland, t0, 0.0))
              .epsilon(1e-8));
  }
}

TEST_CASE("scattering from hits: a track does not depend on the others") {
  const Detector detector = shipped("cld");
  const TrackingGeometry geometry(detector);
  const ExactHits many(geometry, 40, 1.2, 1.7), few(geometry, 3, 1.2, 1.7);
  for (const SimdLevel level : available_simd_levels()) {
    const AtLevel use(level);
    const Found a = find(many, geometry, {.mass = 0.1}),
                b = find(few, geometry, {.mass = 0.1});
    for (std::size_t t = 0; t < few.size(); ++t) {
      CHECK(a.kappa[t] == b.kappa[t]);
      CHECK(a.known[t] == b.known[t]);
      for (std::size_t i = 0; i < few.n_surfaces(); ++i)
        CHECK(a.theta0_2[i * many.size() + t] ==
              b.theta0_2[i * few.size() + t]);
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
