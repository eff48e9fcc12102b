// SPDX-License-Identifier: Apache-2.0
// Fuzz target: what is read as a detector can be computed with.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "fuzz/refused.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/budget.hpp"

namespace {

// A resolution that exists is a number, and not below 0.
void check(const gttf::Budget& budget) {
  const gttf::Resolution& r = budget.resolution;
  if (r.status != gttf::Status::ok) return;
  for (int i = 0; i < 5; ++i)
    if (!(r.perigee(i, i) >= 0) || std::isinf(r.perigee(i, i))) std::abort();
  if (!(r.sigma_p_rel >= 0)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const std::string text(reinterpret_cast<const char*>(bytes), n);
  std::optional<gttf::Detector> detector;
  gttf::test::refused_or_read(
      [&] { detector = gttf::parse_detector(text, "fuzz.yaml").detector; });
  // A time limit for one input is one for few layers.
  if (!detector || detector->layers.size() > 100) return 0;
  const gttf::TrackingGeometry geometry(*detector);
  gttf::Track track;
  for (const double theta : {1.2, 0.1}) {
    track.theta = theta;
    for (const double p : {0.2, 20.0}) {
      track.p = p;
      check(gttf::make_budget(geometry, track));
    }
  }
  return 0;
}
