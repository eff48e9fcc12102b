// SPDX-License-Identifier: Apache-2.0
// Speed of the fits of data, and what the triplet filter saves.
#include <benchmark/benchmark.h>

#include <random>

#include "bench/barrels.hpp"
#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/fit/triplet/solenoid.hpp"
#include "gttf/paper/local_fit.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "support/reference_hits.hpp"

namespace {

using namespace gttf;
using namespace gttf::bench;

/// Smeared and scattered tracks in a pixel barrel of n layers.
std::vector<TrackHits> make_tracks(int layers, int n_tracks, double phi_range) {
  const Detector detector = barrel(layers);
  const TrackingGeometry geometry(detector);
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<TrackHits> tracks;
  for (int i = 0; i < n_tracks; ++i) {
    Track track;
    track.p = 1;
    track.theta = 1.3 + 0.1 * uniform(engine) * phi_range;
    track.phi = 0.4 + phi_range * uniform(engine);
    track.charge = i % 2 ? 1 : -1;
    const auto found = find_crossings(geometry, track, Scattering::highland);
    TrackHits& t = tracks.emplace_back(
        test::make_reference_hits(make_triplet_track(geometry, track, found)));
    // a walk that scatters like the track, good enough for timing
    double slope_u = 0, slope_v = 0, u = 0, v = 0;
    for (std::size_t k = 0; k < t.points.size(); ++k) {
      TrackHit& h = t.points[k];
      if (k > 0) {
        const double step = (h.position - t.points[k - 1].position).norm();
        u += slope_u * step;
        v += slope_v * step;
      }
      slope_u += std::sqrt(h.theta0_2) * normal(engine);
      slope_v += std::sqrt(h.theta0_2) * normal(engine);
      if (!h.measures()) continue;
      h.position +=
          h.u * (u + std::sqrt(h.coordinates[0].variance) * normal(engine)) +
          h.v * (v + std::sqrt(h.coordinates[1].variance) * normal(engine));
    }
  }
  return tracks;
}

void fit_tracks(benchmark::State& state, FitKind kind, FitDetail detail) {
  const auto tracks = make_tracks(7, 256, 1);
  FitOptions options;
  options.detail = detail;
  TrackFitter fitter(options);
  std::size_t i = 0;
  for (auto _ : state) {
    const GlobalFit& f = fitter.fit(tracks[i++ % tracks.size()], kind);
    if (f.status != FitStatus::ok) state.SkipWithError("fit failed");
    benchmark::DoNotOptimize(f.chi2);
  }
}

void stream_tracks(benchmark::State& state, FitDetail detail) {
  const auto tracks = make_tracks(static_cast<int>(state.range(0)), 64, 1);
  FitOptions options;
  options.detail = detail;
  StreamingFitter fitter(options);
  std::size_t i = 0;
  for (auto _ : state) {
    const GlobalFit& f = fitter.fit(tracks[i++ % tracks.size()]);
    if (f.status != FitStatus::ok) state.SkipWithError("fit failed");
    benchmark::DoNotOptimize(f.chi2);
  }
}

/// All combinations of the hits of several tracks in four layers: with the
/// filter a candidate is fitted only if its two triplets pass.
void combine_hits(benchmark::State& state, bool filter) {
  const auto tracks = make_tracks(4, static_cast<int>(state.range(0)), 0.02);
  const std::size_t n = tracks.size();
  constexpr double cut = 12;  // 1 degree of freedom: loses 5e-4
  TrackFitter fitter({.detail = FitDetail::curvature});
  const auto hit = [&](std::size_t layer, std::size_t i) -> const TrackHit& {
    return tracks[i].points[layer];
  };
  const auto passes = [&](std::size_t layer, std::size_t a, std::size_t b,
                          std::size_t c) {
    TripletErrors errors;
    const std::size_t index[3] = {a, b, c};
    Cartesian<double> x[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const TrackHit& h = hit(layer + k, index[k]);
      x[k] = {h.position[0], h.position[1], h.position[2]};
      errors.hits[k] = h.coordinates[0].variance * h.u * h.u.transpose() +
                       h.coordinates[1].variance * h.v * h.v.transpose();
    }
    errors.theta0_2 = hit(layer + 1, b).theta0_2;
    return fit_local(make_triplet(x[0], x[1], x[2]), errors).passes(cut);
  };
  TrackHits candidate = tracks[0];
  int fits = 0, found = 0;
  for (auto _ : state) {
    fits = found = 0;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        for (std::size_t c = 0; c < n; ++c) {
          if (filter && !passes(0, a, b, c)) continue;
          for (std::size_t d = 0; d < n; ++d) {
            if (filter && !passes(1, b, c, d)) continue;
            candidate.points[0] = hit(0, a);
            candidate.points[1] = hit(1, b);
            candidate.points[2] = hit(2, c);
            candidate.points[3] = hit(3, d);
            const GlobalFit& f = fitter.fit(candidate, FitKind::general);
            ++fits;
            found += f.status == FitStatus::ok && f.chi2 < 20;
          }
        }
  }
  state.counters["fits"] = fits;
  state.counters["found"] = found;
}

BENCHMARK_CAPTURE(fit_tracks, general_curvature, FitKind::general,
                  FitDetail::curvature);
BENCHMARK_CAPTURE(fit_tracks, general_perigee, FitKind::general,
                  FitDetail::perigee);
BENCHMARK_CAPTURE(fit_tracks, general_hits, FitKind::general, FitDetail::hits);
BENCHMARK_CAPTURE(fit_tracks, scattering, FitKind::scattering,
                  FitDetail::curvature);
BENCHMARK_CAPTURE(fit_tracks, common_curvature, FitKind::common_curvature,
                  FitDetail::perigee);
BENCHMARK_CAPTURE(stream_tracks, perigee, FitDetail::perigee)->Arg(7)->Arg(100);
BENCHMARK_CAPTURE(stream_tracks, hits, FitDetail::hits)->Arg(7);
BENCHMARK_CAPTURE(combine_hits, every_combination, false)->Arg(8);
BENCHMARK_CAPTURE(combine_hits, triplet_filter, true)->Arg(8);

}  // namespace
