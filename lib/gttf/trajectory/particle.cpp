// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/particle.hpp"

#include <algorithm>
#include <array>

#include "gttf/config/text.hpp"

namespace gttf {
namespace {

struct Row {
  std::string_view name;
  double mass;           ///< GeV
  double charge;         ///< e
  bool states_charge;    ///< the name leaves no choice of the sign
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

constexpr std::array rows = {
    Row{"electron", electron, -1, false, "e"},
    Row{"electron", electron, -1, true, "e-"},
    Row{"positron", electron, +1, true, "e+"},
    Row{"muon", muon, -1, false, "mu"},
    Row{"muon", muon, -1, true, "mu-"},
    Row{"antimuon", muon, +1, true, "mu+"},
    Row{"pion", pion, -1, false, "pi"},
    Row{"pi-", pion, -1, true, "pion-"},
    Row{"pi+", pion, +1, true, "pion+"},
    Row{"kaon", kaon, -1, false, "K"},
    Row{"K-", kaon, -1, true, "kaon-"},
    Row{"K+", kaon, +1, true, "kaon+"},
    Row{"proton", proton, +1, false, "p"},
    Row{"proton", proton, +1, true, "p+"},
    Row{"antiproton", proton, -1, true, "pbar"},
    Row{"deuteron", deuteron, +1, false, "d"},
    Row{"triton", triton, +1, false, "t"},
    Row{"helium3", helium3, +2, false, "He3"},
    Row{"alpha", alpha, +2, false, "He4"},
};

const Row* find_row(std::string_view name) {
  const std::string wanted = lower_case(name);
  for (const Row& row : rows)
    if (lower_case(row.aka) == wanted) return &row;
  for (const Row& row : rows)
    if (lower_case(row.name) == wanted) return &row;
  return nullptr;
}

}  // namespace

std::optional<Particle> find_particle(std::string_view name) {
  const Row* row = find_row(name);
  if (!row) return std::nullopt;
  return Particle{std::string(row->name), row->mass, row->charge};
}

bool names_charge(std::string_view name) {
  const Row* row = find_row(name);
  return row && row->states_charge;
}

std::vector<std::string> particle_names() {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    for (const std::string_view name : {row.name, row.aka})
      if (std::ranges::find(names, name) == names.end())
        names.emplace_back(name);
  }
  return names;
}

}  // namespace gttf
