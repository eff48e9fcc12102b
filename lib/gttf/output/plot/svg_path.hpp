// SPDX-License-Identifier: Apache-2.0
// SvgPath: the data of a path element, short.
#pragma once

#include <cmath>
#include <string>

namespace gttf {

/// Collects points as moves and relative lines in tenths of a pixel; rounding
/// does not add up. Points that are not finite break the line.
class SvgPath {
 public:
  /// Next point of the line.
  void to(double x, double y);
  /// The next point begins a new line.
  void lift() { down_ = false; }
  void close();
  /// A line from one point to another.
  void line(double x0, double y0, double x1, double y1);
  /// A dot: a line without length, drawn by round caps.
  void dot(double x, double y);

  bool empty() const { return data_.empty(); }
  const std::string& data() const { return data_; }

 private:
  void append(long tenths);

  std::string data_;
  bool down_ = false;
  long x_ = 0, y_ = 0;  // tenths of a pixel
};

}  // namespace gttf
