// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "gttf/config/text.hpp"
#include "gttf/study/request/read_toys.hpp"

namespace gttf::detail {
namespace {

/// Beyond, sums would need more than their 128 bits (and years).
constexpr std::int64_t most_toys = 1000000000000;

void read_fit(const Value& value, std::vector<ToyFit>& fits) {
  const auto name = value.text("the name of a fit");
  if (!name) return;
  const auto fit = find_toy_fit(*name);
  if (!fit) {
    const std::vector<std::string> names = toy_fit_names();
    const auto near = nearest(*name, names);
    value.error(fmt::format("unknown fit {}", in_quotes(*name)),
                near ? fmt::format("did you mean {}? known: {}",
                                   in_quotes(*near), joined(names))
                     : fmt::format("known: {}", joined(names)));
  } else if (std::ranges::find(fits, *fit) != fits.end()) {
    value.error(fmt::format("the fit {} is asked for twice", in_quotes(*name)),
                "remove one of them");
  } else {
    fits.push_back(*fit);
  }
}

}  // namespace

void read_toys(const ToyKeys& keys, ToyRequest& request) {
  if (keys.toys) {
    const auto n = keys.toys->integer("100000");
    if (n && (*n < 1 || *n > most_toys))
      keys.toys->error(
          fmt::format("the number of toys must lie between 1 and {}, got {}",
                      most_toys, *n));
    else if (n)
      request.toys = static_cast<std::uint64_t>(*n);
  }
  if (keys.seed) {
    const auto seed = keys.seed->integer("1");
    if (seed && *seed < 0)
      keys.seed->error(
          fmt::format("the seed must not be negative, got {}", *seed));
    else if (seed)
      request.seed = static_cast<std::uint64_t>(*seed);
  }
  if (keys.fits) {
    const Value& fits = *keys.fits;
    request.fits.clear();
    if (fits.is_list())
      for (const Value& item : fits.items()) read_fit(item, request.fits);
    else
      read_fit(fits, request.fits);
    if (fits.is_list() && fits.items().empty())
      fits.error("no fits", "write fits: [general]");
  }
}

}  // namespace gttf::detail
