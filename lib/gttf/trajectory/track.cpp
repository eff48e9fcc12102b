// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/track.hpp"

#include <algorithm>
#include <array>

#include "gttf/config/text.hpp"

namespace gttf {
namespace {

struct Species {
  std::string_view name;
  double mass;           ///< GeV
  double charge;         ///< e
  bool states_charge;    ///< the name determines the sign
  std::string_view aka;  ///< another name
};

constexpr double electron = 0.51099895069e-3;
constexpr double muon = 0.1056583755;
constexpr double pion = 0.13957039;
constexpr double kaon = 0.493677;
constexpr double proton = 0.93827208943;
constexpr double deuteron = 1.87561294500;
constexpr double triton = 2.80892113668;
constexpr double helium3 = 2.80839161112;
constexpr double alpha = 3.7273794118;

constexpr std::array species = {
    Species{"electron", electron, -1, false, "e"},
    Species{"electron", electron, -1, true, "e-"},
    Species{"positron", electron, +1, true, "e+"},
    Species{"muon", muon, -1, false, "mu"},
    Species{"muon", muon, -1, true, "mu-"},
    Species{"antimuon", muon, +1, true, "mu+"},
    Species{"pion", pion, -1, false, "pi"},
    Species{"pi-", pion, -1, true, "pion-"},
    Species{"pi+", pion, +1, true, "pion+"},
    Species{"kaon", kaon, -1, false, "K"},
    Species{"K-", kaon, -1, true, "kaon-"},
    Species{"K+", kaon, +1, true, "kaon+"},
    Species{"proton", proton, +1, false, "p"},
    Species{"proton", proton, +1, true, "p+"},
    Species{"antiproton", proton, -1, true, "pbar"},
    Species{"deuteron", deuteron, +1, false, "d"},
    Species{"triton", triton, +1, false, "t"},
    Species{"helium3", helium3, +2, false, "He3"},
    Species{"alpha", alpha, +2, false, "He4"},
};

const Species* find_row(std::string_view name) {
  const std::string wanted = lower_case(name);
  for (const Species& row : species)
    if (lower_case(row.aka) == wanted) return &row;
  for (const Species& row : species)
    if (lower_case(row.name) == wanted) return &row;
  return nullptr;
}

}  // namespace

std::optional<Particle> find_particle(std::string_view name) {
  const Species* row = find_row(name);
  if (!row) return std::nullopt;
  return Particle{std::string(row->name), row->mass, row->charge};
}

bool names_charge(std::string_view name) {
  const Species* row = find_row(name);
  return row && row->states_charge;
}

std::vector<std::string> particle_names() {
  std::vector<std::string> names;
  for (const Species& row : species) {
    for (const std::string_view name : {row.name, row.aka})
      if (std::ranges::find(names, name) == names.end())
        names.emplace_back(name);
  }
  return names;
}

}  // namespace gttf
