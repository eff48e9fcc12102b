// SPDX-License-Identifier: Apache-2.0
// How the enumerators of a Resolution are written in tables.
#include "gttf/resolution/resolution.hpp"

namespace gttf {

std::string_view to_string(Engine engine) {
  return engine == Engine::streaming ? "streaming" : "triplet";
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::no_field:
      return "no field: momentum not measured";
    case Status::too_few_hits:
      return "too few hits";
    case Status::curls_up:
      return "curls up";
    case Status::stops:
      return "stops";
    case Status::outside_map:
      return "outside the field map";
    case Status::not_determined:
      return "not determined";
  }
  return "";
}

std::string_view to_string(TrackEnd end) {
  return end == TrackEnd::leaves ? "leaves" : "curls up";
}

std::string_view to_string(Regime regime) {
  switch (regime) {
    case Regime::scattering:
      return "scattering";
    case Regime::mixed:
      return "mixed";
    case Regime::hits:
      return "hits";
    case Regime::weak:
      return "weak";
    case Regime::unknown:
      return "";
  }
  return "";
}

}  // namespace gttf
