// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/figure.hpp"

#include <array>

namespace gttf {

LineStyle category_style(std::size_t i) {
  constexpr std::array dashes{Dash::solid, Dash::long_dashed, Dash::dash_dotted,
                              Dash::dotted};
  constexpr auto hues = static_cast<std::size_t>(n_series_paints);
  return {{Tone::series, static_cast<int>(i % hues)},
          dashes[i / hues % dashes.size()]};
}

LineStyle ordered_style(std::size_t i, std::size_t n) {
  constexpr std::array dashes{Dash::solid, Dash::long_dashed, Dash::dash_dotted,
                              Dash::dash_dot_dotted};
  constexpr auto colours = static_cast<std::size_t>(n_ordered_paints);
  // few lines: colours as far apart as possible
  const std::size_t index =
      n > 1 && n <= colours ? i * (colours - 1) / (n - 1) : i % colours;
  return {{Tone::ordered, static_cast<int>(index)}, dashes[i % dashes.size()]};
}

}  // namespace gttf
