// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gttf {
namespace {

constexpr double tolerance = 1e-9;  // of ends of axes, relative

bool is_labelled(int digit, double pixels_per_decade) {
  // 8 and 9 are the closest: a twentieth of a decade apart
  constexpr double all_digits = 480, one_two_five = 75, one_three = 48;
  if (pixels_per_decade > all_digits) return true;
  if (pixels_per_decade > one_two_five)
    return digit == 1 || digit == 2 || digit == 5;
  return digit == 1 || (digit == 3 && pixels_per_decade > one_three);
}

std::vector<AxisTick> log_ticks(const FigureAxis& axis, double length) {
  const double decades = std::log10(axis.upper / axis.lower);
  const double room = length / decades;
  // Very many decades: a label at every second, third, ... one.
  constexpr double label_height = 20;
  const int every = std::max(1, static_cast<int>(label_height / room) + 1);
  std::vector<AxisTick> ticks;
  const int last = static_cast<int>(std::ceil(std::log10(axis.upper)));
  for (int e = static_cast<int>(std::floor(std::log10(axis.lower))); e <= last;
       ++e) {
    for (int digit = 1; digit < 10; ++digit) {
      const double at = digit * std::pow(10.0, e);
      if (at < axis.lower * (1 - tolerance) ||
          at > axis.upper * (1 + tolerance))
        continue;
      const bool label =
          is_labelled(digit, room) && (digit > 1 || e % every == 0);
      ticks.push_back(
          {at, digit == 1, label ? tick_label(at, 1e4) : RichText()});
    }
  }
  return ticks;
}

// How many multiples of a step are on an axis.
double multiples(const FigureAxis& axis, double step) {
  const double slack = tolerance * (axis.upper - axis.lower);
  return std::floor((axis.upper + slack) / step) -
         std::ceil((axis.lower - slack) / step) + 1;
}

double chosen_step(const FigureAxis& axis, double labels) {
  const double raw = (axis.upper - axis.lower) / std::max(1.0, labels);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 0;
  for (const double factor : {0.5, 1.0, 2.0, 5.0, 10.0}) {
    // One label alone tells no scale: closer ones, then.
    if (step > 0 && multiples(axis, factor * power) < 2) break;
    step = factor * power;
    if (step >= raw * (1 - tolerance)) break;
  }
  return step;
}

std::vector<AxisTick> linear_ticks(const FigureAxis& axis, double labels) {
  const double range = axis.upper - axis.lower;
  const double step = axis.step > 0 ? axis.step : chosen_step(axis, labels);
  const double mantissa =
      step / std::pow(10.0, std::floor(std::log10(step) + tolerance));
  const int parts = std::lround(mantissa) == 2 ? 4 : 5;
  std::vector<AxisTick> ticks;
  const double fine = step / parts;
  const double slack = tolerance * range;
  for (auto k = static_cast<long>(std::ceil((axis.lower - slack) / fine));
       static_cast<double>(k) * fine <= axis.upper + slack; ++k) {
    const bool major = k % parts == 0;
    const double at = static_cast<double>(k) * fine;
    ticks.push_back({at, major, major ? tick_label(at, 1e5) : RichText()});
  }
  return ticks;
}

}  // namespace

AxisMap::AxisMap(const FigureAxis& axis, double first, double last)
    : log_(axis.scale == AxisScale::logarithmic),
      lower_(axis.lower),
      upper_(axis.upper),
      first_(first),
      last_(last),
      offset_(log_ ? std::log(lower_) : lower_),
      slope_((last - first) / ((log_ ? std::log(upper_) : upper_) - offset_)) {}

double AxisMap::operator()(double value) const {
  return first_ + slope_ * ((log_ ? std::log(value) : value) - offset_);
}

std::vector<AxisTick> axis_ticks(const FigureAxis& axis, double length,
                                 double distance) {
  if (!axis.ticks.empty()) {
    std::vector<AxisTick> ticks;
    for (const AxisTick& tick : axis.ticks)
      if (tick.at >= axis.lower * (1 - tolerance) &&
          tick.at <= axis.upper * (1 + tolerance))
        ticks.push_back(tick);
    return ticks;
  }
  // Within a decade the digits of a logarithmic axis are too far apart.
  const bool log = axis.scale == AxisScale::logarithmic;
  if (log && axis.upper / axis.lower > 8) return log_ticks(axis, length);
  constexpr double uneven = 1.5;  // labels crowd at the upper end
  return linear_ticks(axis, length / distance / (log ? uneven : 1));
}

RichText tick_label(double value, double power_from) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  // steps are short decimals: ten digits remove what rounding has left
  if (size >= 1e-3 * (1 - tolerance) && size < power_from) {
    const std::string text = fmt::format("{:.10g}", size);
    return (value < 0 ? "−" : "") + text;
  }
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const double mantissa = size / std::pow(10.0, exponent);
  const std::string front =
      std::abs(mantissa - 1) < 1e-6 ? "" : fmt::format("{:.4g}×", mantissa);
  return (value < 0 ? "−" : "") + front + "10^{" + (exponent < 0 ? "−" : "") +
         std::to_string(std::abs(exponent)) + "}";
}

}  // namespace gttf
