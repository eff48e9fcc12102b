// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/fit_status.hpp"

namespace gttf {

std::string_view to_string(FitStatus status) {
  switch (status) {
    case FitStatus::ok:
      return "ok";
    case FitStatus::too_few_hits:
      return "too_few_hits";
    case FitStatus::not_finite:
      return "not_finite";
    case FitStatus::bad_error:
      return "bad_error";
    case FitStatus::coincident_hits:
      return "coincident_hits";
    case FitStatus::wrong_order:
      return "wrong_order";
    case FitStatus::beyond_pole:
      return "beyond_pole";
    case FitStatus::singular:
      return "singular";
    case FitStatus::not_determined:
      return "not_determined";
    case FitStatus::no_reference:
      return "no_reference";
    case FitStatus::no_curvature:
      return "no_curvature";
    case FitStatus::not_converged:
      return "not_converged";
    case FitStatus::outside_map:
      return "outside_map";
    case FitStatus::stops:
      return "stops";
  }
  return "unknown";
}

}  // namespace gttf
