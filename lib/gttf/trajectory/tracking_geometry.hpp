// SPDX-License-Identifier: Apache-2.0
// TrackingGeometry: a detector as used by the track finder and the fits.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gttf/core/track_parameters.hpp"
#include "gttf/detector/detector.hpp"

namespace gttf {

struct LossSlab;       // energy_loss.hpp
class MaterialMap;     // material_map.hpp
struct HitErrorInput;  // hit_error.hpp
class ModuleIndex;     // module_index.hpp

/// Direction of a coordinate in the axes (u', v') of its surface record, and
/// the variance of its measurement in mm^2: m = cosine u' + sine v'.
struct CoordinateAxis {
  double cosine = 1;
  double sine = 0;
  double variance = 1;
};

/// The surface of a layer with its material and its measured coordinates.
///
/// Axes (u', v'): cylinder (r-phi, z), disk (r-phi, r), cone (r-phi, along it
/// towards larger z); a plane along z has a horizontal normal N and (z x N, z);
/// a plane normal to z, kind disk_plane, (y, x); any other plane, kind
/// inclined, has a horizontal u' and v' = normal x u'. They differ from the
/// Surface's (u, v) for planes not normal to x.
struct SurfaceRecord : Surface {
  enum class Kind : unsigned char {
    cylinder,
    disk,
    plane,
    disk_plane,
    cone,
    inclined
  };

  SurfaceRecord() = default;
  explicit SurfaceRecord(const Surface& s)
      : Surface(s),
        kind(s.shape == Shape::cylinder ? Kind::cylinder
             : s.shape == Shape::disk   ? Kind::disk
             : s.shape == Shape::cone   ? Kind::cone
             : s.normal == Axis::none   ? Kind::inclined
             : s.normal == Axis::z      ? Kind::disk_plane
                                        : Kind::plane) {
    if (kind == Kind::plane && normal == Axis::y) {
      normal_cos = 0;
      normal_sin = 1;
    }
    if (kind == Kind::inclined || kind == Kind::cone) set_inclination();
  }

  Kind kind = Kind::cylinder;
  double normal_cos = 1;  ///< azimuth of the normal of a plane
  double normal_sin = 0;
  double normal_r = 1;  ///< transverse part of the unit normal, >= 0, and its
  double normal_z = 0;  ///< part along z: kinds inclined and cone
  double turn_cos = 1;  ///< angle from u' to the user's u, kind inclined
  double turn_sin = 0;
  double x_over_x0 = 0;     ///< normal incidence
  unsigned first_axis = 0;  ///< into TrackingGeometry::axes()
  unsigned n_axes = 0;      ///< 0: passive

  bool measures() const { return n_axes > 0; }
  /// Whether its normal is inclined to z; v' then has parts along both.
  bool leans() const { return kind == Kind::cone || kind == Kind::inclined; }
  /// Whether it contains lines along z; v' is then along z.
  bool is_upright() const {
    return kind == Kind::cylinder || kind == Kind::plane;
  }

  /// Whether it is a surface of revolution whose normal depends on the azimuth.
  bool is_curved() const {
    return kind == Kind::cylinder || kind == Kind::cone;
  }
  /// z of the middle of a cone, where its radius is `position`, mm.
  double middle() const { return 0.5 * (v.lower + v.upper); }

  /// The u and v axes of the Surface in terms of (u', v'); variances unused.
  std::pair<CoordinateAxis, CoordinateAxis> user_axes() const;

 private:
  void set_inclination();
};

/// Flat arrays built once from a detector; index = index in Detector::layers.
class TrackingGeometry {
 public:
  explicit TrackingGeometry(const Detector& detector);
  ~TrackingGeometry();
  TrackingGeometry(const TrackingGeometry&);
  TrackingGeometry& operator=(const TrackingGeometry&);
  TrackingGeometry(TrackingGeometry&&) noexcept;
  TrackingGeometry& operator=(TrackingGeometry&&) noexcept;

  /// GeV/(e mm), of a solenoid; 0 for any other field.
  double bz() const { return field_.bz; }
  const Field& field() const { return field_; }
  bool has_field() const { return field_.reference != 0; }
  /// Field::reference: kappa = -q b_ref/p.
  double b_ref() const { return field_.reference; }
  std::span<const SurfaceRecord> surfaces() const { return surfaces_; }
  std::span<const CoordinateAxis> axes(const SurfaceRecord& s) const {
    return std::span(axes_).subspan(s.first_axis, s.n_axes);
  }

  /// Index of planes not normal to an axis; null if there are few, or if one
  /// was moved.
  const ModuleIndex* modules() const { return modules_.get(); }

  /// The material in which a track loses energy at surface `i`, with a map its
  /// average; may be empty.
  std::span<const LossSlab> slabs(std::size_t i) const;

  /// Whether the material of any surface, or of surface `i`, varies over it.
  bool has_maps() const { return !maps_.empty(); }
  bool is_mapped(std::size_t i) const;
  /// The same slabs at a point of surface `i`, mm, and x/X0 at normal incidence
  /// there.
  std::vector<LossSlab> slabs_at(std::size_t i, const Vector3& x) const;
  double x_over_x0_at(std::size_t i, const Vector3& x) const;
  /// Takes x/X0 at a point of surface `i` for all of it.
  void set_material(std::size_t i, const Vector3& x) {
    surfaces_[i].x_over_x0 = x_over_x0_at(i, x);
  }

  /// Whether hit errors or the material along a track depend on the track,
  /// which then has a separate geometry, see AnyTrack.
  bool depends_on_track() const {
    return has_track_errors() || has_maps() || has_dead_regions();
  }

  /// Lower bound of the variance of the coordinates, mm^2; infinite without
  /// coordinates; not updated when hits are dropped.
  double least_variance() const { return least_variance_; }
  /// Whether hit errors depend on the track.
  bool has_track_errors() const { return !errors_.empty(); }
  /// Sets the errors of surface `i` for a track.
  /// @return  whether they are positive and finite
  bool set_errors(std::size_t i, const HitErrorInput& track);

  /// Whether some layers have dead regions.
  bool has_dead_regions() const { return dead_ != nullptr; }
  /// Whether surface `i` is dead at this point of it, mm.
  bool is_dead(std::size_t i, double x, double y, double z) const;

  /// Makes surface `i` passive: its hit is missing, its material remains.
  void drop_hit(std::size_t i) { surfaces_[i].n_axes = 0; }
  /// Undoes drop_hit(): the hit is that of the same surface of `other`.
  void restore_hit(std::size_t i, const TrackingGeometry& other) {
    surfaces_[i].n_axes = other.surfaces_[i].n_axes;
  }
  /// Moves surface `i` to another radius, z or distance.
  void move(std::size_t i, double position) {
    surfaces_[i].position = position;
    modules_.reset();  // the surface may have moved
  }
  /// Replaces surface `i` by another one. Its coordinates keep their directions
  /// in the axes u and v.
  void replace(std::size_t i, const Surface& surface);
  /// Multiplies the thickness of surface `i` by a factor.
  void scale_material(std::size_t i, double factor);
  /// Multiplies the field by a factor.
  void scale_field(double factor) { gttf::scale_field(field_, factor); }

 private:
  Field field_;
  std::vector<SurfaceRecord> surfaces_;
  std::vector<CoordinateAxis> axes_;
  double least_variance_ = std::numeric_limits<double>::infinity();
  std::vector<LossSlab> slabs_;
  std::vector<std::size_t> first_slab_;  ///< of each surface, and the end
  struct AxisError {
    unsigned axis;  ///< into axes_
    double sigma;   ///< as given, mm
    std::shared_ptr<const HitError> error;
  };
  /// The map of a slab.
  struct SlabMap {
    std::size_t surface;
    std::size_t slab;  ///< of the surface
    std::shared_ptr<const MaterialMap> map;
  };
  std::span<const SlabMap> maps_of(std::size_t surface) const;

  std::vector<SlabMap> maps_;  ///< in the order of the surfaces
  std::shared_ptr<const ModuleIndex> modules_;
  std::vector<AxisError> errors_;  ///< in the order of the axes
  struct DeadPart {
    std::size_t surface;
    DeadRegion region;
  };
  /// In the order of the surfaces; null: there are none.
  std::shared_ptr<const std::vector<DeadPart>> dead_;
};

}  // namespace gttf
