// SPDX-License-Identifier: Apache-2.0
// RingJoiner: combines modules around the z axis into rings.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gttf/detector/import/foreign_text.hpp"
#include "gttf/detector/ring.hpp"

namespace gttf::detail {

/// Whether azimuths (deg), sorted from 0 to 360 deg, are equally spaced around
/// the axis.
bool stand_around(std::vector<double>& phi);

/// Collects layers. Equally spaced modules of one series that differ only in
/// azimuth become one ring, at the position of the first one; all other layers
/// are kept.
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
