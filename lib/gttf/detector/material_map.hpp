// SPDX-License-Identifier: Apache-2.0
// MaterialMap: x/X0 of a layer that varies over its surface, from a table.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/diagnostics.hpp"

namespace gttf {

/// A coordinate of a point of a surface by which a map may be binned: z and
/// distance r from the z axis, azimuth, and on planes the distances along u and
/// v from the centre, or where the plane has none from u = v = 0.
enum class MapCoordinate : unsigned char { z, r, phi, u, v };

inline constexpr std::size_t n_map_coordinates = 5;

/// The coordinates of a point; mm, rad.
using MapPlace = std::array<double, n_map_coordinates>;

/// x/X0 at normal incidence, constant within bins of one coordinate or two.
class MaterialMap {
 public:
  /// Bins around given centres: edges lie halfway between neighbours, and the
  /// first and last bin extend as far outwards as inwards, beyond which their
  /// values continue. Azimuths are modulo 2 pi; the last bin is adjacent to the
  /// first.
  struct Bins {
    MapCoordinate coordinate = MapCoordinate::z;
    std::vector<double> centres;  ///< ascending; mm or rad

    std::size_t find(double value) const;
    double lower(std::size_t bin) const;
    double upper(std::size_t bin) const;
  };

  /// @param values  of every bin, the last axis varying fastest; >= 0
  MaterialMap(std::vector<Bins> axes, std::vector<double> values,
              std::string path = "");

  /// x/X0 at a point divided by the mean of the map; 1 if the mean is 0.
  double relative(const MapPlace& place) const;

  /// Mean of x/X0 over the bins, weighted by their sizes; of bins in r by their
  /// areas.
  double mean() const { return mean_; }
  double smallest() const;
  double largest() const;
  const std::vector<Bins>& axes() const { return axes_; }
  bool uses(MapCoordinate coordinate) const;
  const Bins* axis(MapCoordinate coordinate) const;  ///< null: none
  /// The map with the signs of some coordinates changed.
  MaterialMap mirrored(std::initializer_list<MapCoordinate> changed) const;
  /// The file it came from; may be empty.
  const std::string& path() const { return path_; }

  /// The same bins with the same values, from any file.
  bool operator==(const MaterialMap& other) const;

 private:
  std::vector<Bins> axes_;
  std::vector<double> values_;
  double mean_ = 0;
  std::string path_;
};

/// The name of the column of a coordinate: "z_mm", "phi_deg".
std::string_view column_name(MapCoordinate coordinate);

/// Reads a table with the columns z_mm or r_mm and, optionally, phi_deg; or
/// u_mm, v_mm or both; and x_over_x0: one row for each bin.
/// @return  nothing if it has errors, which are added; errors without a line
///          concern the whole file
std::optional<MaterialMap> read_material_map(const std::string& path,
                                             Diagnostics& diagnostics);

}  // namespace gttf
