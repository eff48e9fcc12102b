// SPDX-License-Identifier: Apache-2.0
// Description: a detector file in whole numbers, so that it can be changed
// exactly (twice as large, in a mirror) and written as YAML.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace gttf::test {

/// The family of a detector: its tracks are given by grid_of().
enum class Family { barrel, no_field, arm, telescope, spectrometer, map };
inline constexpr int family_count = 6;

std::string to_string(Family family);

/// Options of the tracks that a detector of this family is made for.
std::string grid_of(Family family);

struct SlabText {
  bool own = false;  ///< of the material of this file, `amount` um thick
  long amount = 0;   ///< else 1e-6 of a radiation length
};

struct CoordinateText {
  long angle = 0;  ///< mrad; along u is 0, along v is `right_angle`
  long sigma = 0;  ///< nm
};
inline constexpr long right_angle = 90000;  ///< stands for 90 deg

enum class Shape { cylinder, disk, plane_x, plane_z };

/// All lengths in um.
struct LayerText {
  std::string name;
  Shape shape = Shape::cylinder;
  long position = 0, last = 0;  ///< `last` is used if repeat > 1
  int repeat = 1;
  /// cylinder: z; disk: radius; planes: y and z, or x and y
  long a_from = 0, a_to = 0, b_from = 0, b_to = 0;
  bool mirror = false, pitch = false;
  std::vector<SlabText> material;
  std::vector<CoordinateText> measures;
};

struct MagnetText {
  long entrance = 0, exit = 0, millitesla = 0;
  char direction = 'y';
};

/// A solenoid as a file of a grid in r and z: Bz = B (1 + c (z^2 - r^2/2)/L^2)
/// and Br = -B c r z/L^2, without divergence and curl; L is the last z.
struct MapText {
  long last_r = 0, last_z = 0;  ///< um; from 0 and from -last_z
  long nodes_r = 0, nodes_z = 0;
  long millitesla = 0, percent = 0;  ///< B and c
};

struct Description {
  Family family = Family::barrel;
  unsigned seed = 0;
  std::string name;
  long millitesla = 0;  ///< solenoid; 0: see `magnets`
  std::vector<MagnetText> magnets;
  MapText map;                ///< 0 mT: none
  long radiation_length = 0;  ///< of its own material, um
  std::vector<LayerText> layers;

  bool has_field() const {
    return millitesla != 0 || !magnets.empty() || has_map();
  }
  bool has_map() const { return map.millitesla != 0; }
  std::string yaml() const;
  /// The file that yaml() names, next to it.
  std::string map_file() const;
  std::string map_csv() const;
};

/// The detector of that seed; every one is different and valid.
Description random_description(unsigned seed);

/// All lengths times `factor`.
void enlarge(Description& d, long factor);
/// All fields times `numerator`/`denominator`, which must be whole.
void scale_field(Description& d, long numerator, long denominator);
/// The mirror image: at the plane z = 0; at y = 0 (the field, which would
/// change its sign, is kept: instead the charge of the track must change).
void mirror_z(Description& d);
void mirror_y(Description& d);

}  // namespace gttf::test
