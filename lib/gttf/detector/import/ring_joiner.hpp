// SPDX-License-Identifier: Apache-2.0
// RingJoiner: modules of a list that stand around the z axis as rings.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gttf/detector/import/foreign_text.hpp"
#include "gttf/detector/ring.hpp"

namespace gttf::detail {

/// Are azimuths (deg) those of modules at equal distances around the axis?
/// They are sorted, from 0 to 360 deg.
bool stand_around(std::vector<double>& phi);

/// Collects layers. Modules of one series that differ in azimuth only and
/// stand at equal distances all around become one ring, where the first of
/// them was; all other layers stay as they are.
class RingJoiner {
 public:
  /// @param series  the name of the ring that it may belong to; empty: none
  void add(DescribedLayer layer, std::string series = "");
  std::vector<DescribedLayer> take();

 private:
  struct Candidate {
    RingPlace place;
    std::vector<std::size_t> layers;
    std::vector<double> phi;  ///< deg, of each
  };
  bool belongs_to(const Candidate& ring, const RingPlace& place,
                  const DescribedLayer& layer) const;

  std::vector<DescribedLayer> layers_;
  std::vector<std::string> series_;
  std::map<std::string, std::vector<Candidate>, std::less<>> rings_;
};

}  // namespace gttf::detail
