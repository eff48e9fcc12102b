// SPDX-License-Identifier: Apache-2.0
// Ring: the parameters of a ring of planes, and how they move its modules.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"

namespace gttf {

/// A plane in the parameters of a ring, mm and rad; conventions of
/// docs/reference/language.md, "Rings of planes".
struct RingPlace {
  double radius = 0, z = 0, tilt = 0, turn = 0, phi = 0;
};

/// Nothing if the plane is rotated about its normal, so that v has a part along
/// the circle around the z axis, or if its centre is on that axis.
/// @param plane  not normal to an axis
std::optional<RingPlace> ring_place(const Surface& plane);

/// Parameters of a ring that leave its modules unchanged.
enum class RingNumber { radius, z, tilt, turn };
inline constexpr std::array<RingNumber, 4> ring_numbers{
    RingNumber::radius, RingNumber::z, RingNumber::tilt, RingNumber::turn};

/// Its key in a detector file: "radius", "z", "tilt", "turn".
std::string to_string(RingNumber number);

/// A ring of modules, as described by its entry in the file.
struct Ring {
  std::string entry;  ///< its name
  std::string side;   ///< " (-z)" of a mirrored ring, which has the parameters
                      ///< of the one at +z; else empty
  std::size_t index = 0;           ///< among the rings of the entry
  std::array<double, 4> values{};  ///< by RingNumber, mm and rad
  /// Whether the rings of the entry differ in it, so that it is a list.
  std::array<bool, 4> is_list{};

  double value(RingNumber n) const {
    return values[static_cast<std::size_t>(n)];
  }
  /// The entry "R" if all its rings share the parameter, else "R[2]".
  std::string owner(RingNumber n) const;
  /// In the form of --set: "ring.tilt", for a list "ring.radius[2]".
  std::string key_tail(RingNumber n) const;
};

/// The rings of a detector. A module is a plane not normal to an axis with an
/// index in its name: single planes cannot be repeated.
class Rings {
 public:
  explicit Rings(const Detector& detector);

  /// Null if the layer is not a module of a ring.
  const Ring* of(std::size_t layer) const {
    return of_layer_[layer] < 0
               ? nullptr
               : &rings_[static_cast<std::size_t>(of_layer_[layer])];
  }

 private:
  std::vector<Ring> rings_;
  std::vector<int> of_layer_;  ///< index in rings_; -1: none
};

/// The motion of a plane: its centre by `translation`, and a rotation about the
/// centre by the rotation vector, per unit of a parameter.
struct RigidMotion {
  std::array<double, 3> translation{}, rotation{};
};

/// The motion of a module per mm or rad of a parameter of its ring.
RigidMotion motion_of(const Surface& module, const Ring& ring, RingNumber n);

/// A plane not normal to an axis after a motion by so many units.
Surface moved(const Surface& plane, const RigidMotion& motion, double by);

}  // namespace gttf
