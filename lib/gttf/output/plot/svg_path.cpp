// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/svg_path.hpp"

#include <algorithm>

namespace gttf {
namespace {

// Far beyond every figure: keeps steep lines whole and numbers short.
constexpr double limit = 2e4;

long in_tenths(double px) {
  return std::lround(std::clamp(px, -limit, limit) * 10);
}

}  // namespace

void SvgPath::append(long tenths) {
  const char last = data_.empty() ? 'M' : data_.back();
  const bool letter = last == 'M' || last == 'l' || last == 'h';
  if (tenths < 0)
    data_ += '-';
  else if (!letter)
    data_ += ' ';
  const long size = std::labs(tenths);
  if (size >= 10 || size == 0) data_ += std::to_string(size / 10);
  if (size % 10 != 0) data_ += '.' + std::to_string(size % 10);
}

void SvgPath::to(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return lift();
  const long new_x = in_tenths(x), new_y = in_tenths(y);
  if (down_) {
    if (new_x == x_ && new_y == y_) return;
    data_ += 'l';
    append(new_x - x_);
    append(new_y - y_);
  } else {
    data_ += 'M';
    append(new_x);
    append(new_y);
  }
  x_ = new_x;
  y_ = new_y;
  down_ = true;
}

void SvgPath::close() {
  if (down_) data_ += 'z';
  lift();
}

void SvgPath::line(double x0, double y0, double x1, double y1) {
  lift();
  to(x0, y0);
  to(x1, y1);
  lift();
}

void SvgPath::dot(double x, double y) {
  lift();
  to(x, y);
  if (down_) data_ += "h0";
  lift();
}

}  // namespace gttf
