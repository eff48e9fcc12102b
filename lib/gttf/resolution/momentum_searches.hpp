// SPDX-License-Identifier: Apache-2.0
// MomentumSearches: p_significant of many tracks or triplets, side by side.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/significant_momentum.hpp"

namespace gttf::detail {

/// xi is asked for at a momentum: of a track, or of three of its hits.
struct AskedXi {
  std::size_t track = 0;
  double p = 0;
  std::array<std::size_t, 3> layers{};
};

/// Where searches of a momentum begin: above the regimes of most detectors,
/// tracks being straight there. What is found from there is a property of the
/// direction, the same for tracks of all momenta.
inline constexpr double common_start = 100 * unit::GeV;

/// Must the search begin at the momentum p of the track? That is so if there is
/// nothing at the common start, or `found` from there contradicts the track.
/// @param xi  at p
inline bool must_start_at(double p, double xi, double least,
                          const SignificantMomentum& found) {
  return !found.started() || (xi >= least && !(found.result() >= p));
}

/// What tracks in the same direction share.
using DirectionKey = std::array<std::uint64_t, 7>;

inline DirectionKey direction_key(const TrackArrays& t, std::size_t track) {
  const auto bits = [track](std::span<const double> values) {
    return std::bit_cast<std::uint64_t>(values[values.size() == 1 ? 0 : track]);
  };
  return {bits(t.theta), bits(t.phi), bits(t.mass), bits(t.charge),
          bits(t.x),     bits(t.y),   bits(t.z)};
}

/// Searches of p_significant, side by side.
class MomentumSearches {
 public:
  /// `asked.p` and `xi` are those of the track; tracks in the same `direction`
  /// and with the same layers share a search.
  void add(const AskedXi& asked, double xi, std::size_t direction) {
    const auto [found, is_new] = common_of_.try_emplace(
        std::pair(direction, asked.layers), common_.size());
    if (is_new) {
      common_.push_back(asked);
      common_.back().p = common_start;
    }
    questions_.push_back({asked, xi, found->second});
  }

  /// The results in the order of add().
  /// @param evaluate  void(const std::vector<AskedXi>&, std::span<double> xi)
  template <class Evaluate>
  std::vector<double> run(double least, const Evaluate& evaluate) const {
    const std::vector<SignificantMomentum> common =
        search(common_, least, evaluate);
    std::vector<double> results;
    std::vector<AskedXi> from_tracks;
    std::vector<std::size_t> places;
    for (const Question& q : questions_) {
      if (must_start_at(q.asked.p, q.xi, least, common[q.common])) {
        places.push_back(results.size());
        from_tracks.push_back(q.asked);
      }
      results.push_back(common[q.common].result());
    }
    const std::vector<SignificantMomentum> own =
        search(from_tracks, least, evaluate);
    for (std::size_t i = 0; i < own.size(); ++i)
      results[places[i]] = own[i].result();
    return results;
  }

 private:
  struct Question {
    AskedXi asked;
    double xi;
    std::size_t common;
  };

  /// Each step asks for xi of all that are still searching at once.
  template <class Evaluate>
  static std::vector<SignificantMomentum> search(
      const std::vector<AskedXi>& starts, double least,
      const Evaluate& evaluate) {
    std::vector<SignificantMomentum> searches;
    searches.reserve(starts.size());
    for (const AskedXi& start : starts) searches.emplace_back(start.p, least);
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < starts.size(); ++i) active.push_back(i);
    std::vector<AskedXi> asked;
    std::vector<double> xi;
    while (!active.empty()) {
      asked.clear();
      for (const std::size_t i : active) {
        asked.push_back(starts[i]);
        asked.back().p = searches[i].momentum();
      }
      xi.resize(asked.size());
      evaluate(asked, xi);
      for (std::size_t i = 0; i < active.size(); ++i)
        searches[active[i]].take(xi[i]);
      std::erase_if(active, [&](std::size_t i) { return searches[i].done(); });
    }
    return searches;
  }

  std::map<std::pair<std::size_t, std::array<std::size_t, 3>>, std::size_t>
      common_of_;
  std::vector<AskedXi> common_;
  std::vector<Question> questions_;
};

}  // namespace gttf::detail
