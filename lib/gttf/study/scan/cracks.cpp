// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/cracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "gttf/core/units.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {
namespace {

constexpr double narrowest = 1e-6;  // crack, rad

/// Tracks of one momentum of a grid, at any polar angle.
class TracksOfMomentum {
 public:
  TracksOfMomentum(const StudyRequest& grid, const Detector& detector,
                   std::size_t momentum)
      : geometry_(detector),
        layers_(detector.layers),
        model_(model_of(grid, detector)),
        one_(grid),
        momentum_(momentum) {
    one_.angle = {};
  }

  Track at(double theta) {
    one_.angle.values = {theta};
    return grid_track(one_, {momentum_, 0});
  }

  int hits(double theta) {
    return detail::AnyTrack(geometry_, at(theta), model_).n_measuring();
  }

  std::vector<AcceptanceEdge> edges(double from, double to, double width) {
    return acceptance_edges(
        geometry_, layers_, [this](double theta) { return at(theta); }, model_,
        from, to, width);
  }

 private:
  TrackingGeometry geometry_;
  std::span<const Layer> layers_;  ///< of the detector
  Model model_;
  StudyRequest one_;
  std::size_t momentum_;
};

/// A range of polar angles in which all tracks have hits on the same surfaces.
struct Stretch {
  double from = 0, to = 0;
  int n_hits = 0;
};

std::vector<Stretch> stretches(TracksOfMomentum& tracks, double from,
                               double to) {
  std::vector<Stretch> list{{from, to, tracks.hits(from)}};
  for (const AcceptanceEdge& edge : tracks.edges(from, to, 0.1 * narrowest)) {
    list.back().to = edge.below;
    list.push_back({edge.above, to, edge.hits_above});
  }
  return list;
}

std::vector<Crack> cracks_of(const StudyRequest& grid, const Detector& detector,
                             std::size_t momentum) {
  std::vector<double> angles;
  for (std::size_t i = 0; i < grid.angle.values.size(); ++i)
    angles.push_back(theta_of(grid.angle, i));
  std::ranges::sort(angles);
  TracksOfMomentum tracks(grid, detector, momentum);
  const std::vector<Stretch> all =
      stretches(tracks, angles.front(), angles.back());
  std::vector<Crack> cracks;
  std::size_t k = 0;  // the range that contains the angle
  for (std::size_t i = 1; i < angles.size(); ++i) {
    const std::size_t before = k;
    while (k + 1 < all.size() && all[k + 1].from <= angles[i]) ++k;
    const int n_before = all[before].n_hits, n_after = all[k].n_hits;
    const int enough = std::min(n_before, n_after);
    bool open = false;
    for (std::size_t j = before + 1; j < k; ++j) {
      const Stretch& s = all[j];
      const bool lacks = s.n_hits < enough;
      if (lacks && open) {
        cracks.back().to = s.to;
        cracks.back().n_hits = std::min(cracks.back().n_hits, s.n_hits);
      } else if (lacks) {
        cracks.push_back(
            {momentum, s.from, s.to, s.n_hits, n_before, n_after, i});
      }
      open = lacks;
    }
  }
  std::erase_if(cracks,
                [](const Crack& c) { return c.to - c.from < narrowest; });
  return cracks;
}

/// "eta 0.915 to 0.945: 7 hits, 9 at both points next to it (pT = 10 GeV)".
std::string text_of(const StudyRequest& grid, const Crack& crack) {
  const bool by_pt = grid.momentum.variable == MomentumAxis::Variable::pt;
  const bool by_eta = grid.angle.variable == AngleAxis::Variable::eta;
  const auto angle = [&](double x) {
    return by_eta ? fmt::format("{:.5g}", x)
                  : fmt::format("{:.5g}", in_degrees(x));
  };
  const std::string beside =
      crack.n_before == crack.n_after
          ? fmt::format("{} at both points", crack.n_before)
          : fmt::format("{} and {} at the points", crack.n_before,
                        crack.n_after);
  return fmt::format(
      "{} {} to {}{}: {} hit{}, {} of the grid next to it ({} = "
      "{:.4g} GeV)",
      by_eta ? "eta" : "theta", angle(crack.from), angle(crack.to),
      by_eta ? "" : " deg", crack.n_hits, crack.n_hits == 1 ? "" : "s", beside,
      by_pt ? "pT" : "p", grid.momentum.values[crack.momentum]);
}

}  // namespace

std::vector<AcceptanceEdge> edges_of_grid(const StudyRequest& grid,
                                          const Detector& detector,
                                          std::size_t momentum, double from,
                                          double to) {
  return TracksOfMomentum(grid, detector, momentum)
      .edges(from, to, AcceptanceEdge::width);
}

std::vector<Crack> find_cracks(const StudyRequest& grid,
                               const Detector& detector) {
  constexpr std::size_t most_layers = 1000;  // the time grows quadratically
  if (!grid.angle.is_range || grid.angle.values.size() < 2 ||
      grid.momentum.values.empty() || detector.layers.size() > most_layers)
    return {};
  const auto [low, high] = std::ranges::minmax_element(grid.momentum.values);
  const auto index = [&](auto it) {
    return static_cast<std::size_t>(it - grid.momentum.values.begin());
  };
  std::vector<Crack> cracks = cracks_of(grid, detector, index(high));
  if (low != high)
    for (const Crack& crack : cracks_of(grid, detector, index(low))) {
      const bool is_known = std::ranges::any_of(
          cracks,
          [&](const Crack& other) { return crack.interval == other.interval; });
      if (!is_known) cracks.push_back(crack);
    }
  if (grid.angle.variable == AngleAxis::Variable::eta)
    for (Crack& crack : cracks) {
      const double least = eta_of(crack.to), most = eta_of(crack.from);
      crack.from = least;
      crack.to = most;
      std::swap(crack.n_before, crack.n_after);
    }
  std::ranges::sort(cracks, {}, &Crack::from);
  return cracks;
}

Diagnostics crack_warnings(const StudyRequest& grid, const Detector& detector) {
  constexpr std::size_t most = 3;
  std::vector<Crack> cracks = find_cracks(grid, detector);
  const std::size_t n = cracks.size();
  std::ranges::stable_sort(cracks, std::ranges::greater(),
                           [](const Crack& c) { return c.to - c.from; });
  if (n > most) cracks.resize(most);
  std::ranges::sort(cracks, {}, &Crack::from);
  Diagnostics warnings;
  for (std::size_t i = 0; i < cracks.size(); ++i) {
    Diagnostic d;
    d.severity = Severity::warning;
    d.file = detector.file.empty() ? detector.name : detector.file;
    d.problem = "between the points of the grid, " + text_of(grid, cracks[i]);
    if (i + 1 == cracks.size())
      d.suggestion =
          n > most
              ? fmt::format(
                    "{} narrower; use more points, or 'coverage' "
                    "in a requirement file",
                    n == most + 1
                        ? "1 more such interval is"
                        : fmt::format("{} more such intervals are", n - most))
              : "use more points, or 'coverage' in a requirement "
                "file, which sees them all";
    warnings.add(std::move(d));
  }
  return warnings;
}

}  // namespace gttf
