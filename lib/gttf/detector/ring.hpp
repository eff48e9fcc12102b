// SPDX-License-Identifier: Apache-2.0
// Ring: the numbers of a ring of planes, and how its modules move with them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"

namespace gttf {

/// A plane in the terms of a ring of planes, mm and rad; conventions of
/// docs/reference/language.md, "Rings of planes".
struct RingPlace {
  double radius = 0, z = 0, tilt = 0, turn = 0, phi = 0;
};

/// Nothing if the plane is turned about its normal, so that v has a part along
/// the circle around the z axis, or if its centre is on that axis.
/// @param plane  one that lies along no axis
std::optional<RingPlace> ring_place(const Surface& plane);

/// What can be changed of a ring without changing its modules.
enum class RingNumber { radius, z, tilt, turn };
inline constexpr std::array<RingNumber, 4> ring_numbers{
    RingNumber::radius, RingNumber::z, RingNumber::tilt, RingNumber::turn};

/// Its key in a detector file: "radius", "z", "tilt", "turn".
std::string to_string(RingNumber number);

/// A ring of modules, as its entry in the file describes it.
struct Ring {
  std::string entry;      ///< its name
  std::string side;       ///< " (-z)" of a mirrored ring, which stands there by
                          ///< the numbers of the one at z; else empty
  std::size_t index = 0;  ///< among the rings of the entry
  std::array<double, 4> values{};  ///< by RingNumber, mm and rad
  /// Do the rings of the entry differ in it, so that a list gives it?
  std::array<bool, 4> is_list{};

  double value(RingNumber n) const {
    return values[static_cast<std::size_t>(n)];
  }
  /// What has this number: "R" if all rings of the entry share it, else "R[2]".
  std::string owner(RingNumber n) const;
  /// As --set takes it: "ring.tilt", of a list "ring.radius[2]".
  std::string key_tail(RingNumber n) const;
};

/// The rings of a detector. A module is a plane along no axis with an index in
/// its name: planes that are given singly cannot be repeated.
class Rings {
 public:
  explicit Rings(const Detector& detector);

  /// Null: the layer is no module of a ring.
  const Ring* of(std::size_t layer) const {
    return of_layer_[layer] < 0
               ? nullptr
               : &rings_[static_cast<std::size_t>(of_layer_[layer])];
  }

 private:
  std::vector<Ring> rings_;
  std::vector<int> of_layer_;  ///< index in rings_; -1: none
};

/// How a plane moves: its middle by `translation`, and all of it about the
/// middle by the rotation vector, per unit of a number.
struct RigidMotion {
  std::array<double, 3> translation{}, rotation{};
};

/// The motion of a module per mm or rad of a number of its ring.
RigidMotion motion_of(const Surface& module, const Ring& ring, RingNumber n);

/// A plane along no axis after a motion by so many units.
Surface moved(const Surface& plane, const RigidMotion& motion, double by);

}  // namespace gttf
