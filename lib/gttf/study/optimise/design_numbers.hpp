// SPDX-License-Identifier: Apache-2.0
// DesignNumbers: the numbers of a detector as one list, changed together.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gttf/config/formula.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/detector/field_map.hpp"

namespace gttf {

/// Meaning of a number in the list.
struct DesignNumber {
  enum class Kind {
    position,
    extent,
    slope,      ///< of a cone
    thickness,  ///< of a slab, mm
    x_over_x0,  ///< of a slab
    density,    ///< of a slab, 0: that of its material
    mean_loss,  ///< of a slab, if given
    sigma,
    angle,
    efficiency,
    field,
    dipole,  ///< extent or field of a gap
    map      ///< scale or offset of a field map
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Kind kind = Kind::position;
  std::size_t layer = none;  ///< index in Detector::layers
  std::size_t part = 0;      ///< of the layer: extent, slab, coordinate
};

/// Whether errors have exact derivatives with respect to a number.
bool has_exact_slopes(DesignNumber::Kind kind);

/// A detector whose numbers can be set by index. Detectors that differ only in
/// numbers have the same list. A list can have room for more coordinates and
/// slabs than a detector has: a coordinate that is not measured has an infinite
/// error, a slab that is not there no thickness.
class DesignNumbers {
 public:
  explicit DesignNumbers(Detector detector);
  DesignNumbers(const DesignNumbers& other)
      : detector_(other.detector_), own_(other.own_) {
    list_numbers();
  }
  DesignNumbers& operator=(const DesignNumbers&) = delete;

  /// With all coordinates and slabs, also those that are not there.
  const Detector& detector() const { return detector_; }
  /// Without these.
  Detector present_detector() const;
  /// Whether all of them are there.
  bool is_complete() const;
  /// Index of a coordinate among those that are measured.
  std::optional<std::size_t> axis_of(std::size_t layer,
                                     std::size_t coordinate) const;
  std::size_t size() const { return numbers_.size(); }
  const DesignNumber& operator[](std::size_t i) const { return kinds_[i]; }
  double value(std::size_t i) const { return *numbers_[i]; }
  std::vector<double> values() const;
  /// The first number of a layer: its position.
  std::size_t first_of(std::size_t layer) const { return first_[layer]; }
  /// One past the last one.
  std::size_t end_of(std::size_t layer) const { return first_[layer + 1]; }

  /// Sets all of them.
  void set(std::span<const double> values);

  /// The values that give another detector; nothing if it differs in more than
  /// numbers, or has coordinates or slabs without a place in the list.
  std::optional<std::vector<double>> values_of(const Detector& other) const;

  /// Makes room for the coordinates and slabs of another detector.
  void include(const Detector& other);

 private:
  /// Numbers of coordinates and slabs of a layer of the first detector.
  struct OwnParts {
    std::size_t coordinates = 0, slabs = 0;
  };
  /// Places of the parts of another layer in the list; none: there is none.
  struct Places {
    std::vector<std::size_t> coordinates, slabs;
  };

  void list_numbers();
  void add(double& number, DesignNumber what);
  Places places_of(const Layer& other, std::size_t layer) const;

  Detector detector_;
  std::vector<OwnParts> own_;  ///< of each layer, before the others
  FieldMap::Placement map_;    ///< of the field, if it is a map
  std::vector<double*> numbers_;
  std::vector<DesignNumber> kinds_;
  std::vector<std::size_t> first_;  ///< of each layer, and the end
};

/// Quantities of a layer in formulas. Their existence depends on its shape.
enum class LayerQuantity : unsigned char {
  radius,
  z,
  half_length,
  z_min,
  z_max,
  length,
  inner,
  outer,
  position,
  area,
  x_over_x0,
  sigma_u,
  sigma_v,
  pitch_u,
  pitch_v,
  price
};
inline constexpr std::size_t n_layer_quantities = 16;

/// A name in formulas and its meaning.
struct LayerName {
  std::string_view name;
  LayerQuantity quantity;
};
/// The known names, including synonyms (rphi is u).
std::span<const LayerName> layer_names_in_formulas();
Powers powers_of(LayerQuantity quantity);

/// Whether the layer has it.
bool has_quantity(const Layer& layer, LayerQuantity quantity);

/// Its value, from the values of all numbers.
/// @pre has_quantity(), and it is not the price
template <class S>
S layer_quantity(const DesignNumbers& design, std::size_t layer,
                 LayerQuantity quantity, std::span<const S> values) {
  using Q = LayerQuantity;
  const std::size_t first = design.first_of(layer);
  const Surface& surface = design.detector().layers[layer].surface;
  const S& position = values[first];
  const S &u0 = values[first + 1], &u1 = values[first + 2];
  const S &v0 = values[first + 3], &v1 = values[first + 4];
  const auto is_measured = [](const S& number) {
    if constexpr (std::is_same_v<S, double>)
      return std::isfinite(number);
    else
      return std::isfinite(number.value);
  };
  const auto sigma = [&](std::size_t axis) {
    for (std::size_t i = first; i < design.end_of(layer); ++i) {
      if (design[i].kind != DesignNumber::Kind::sigma) continue;
      const double angle =
          design.detector().layers[layer].coordinates[design[i].part].angle;
      const bool along_u = std::abs(angle) < 45 * unit::deg;
      if (along_u == (axis == 0) && is_measured(values[i])) return values[i];
    }
    return S(std::numeric_limits<double>::quiet_NaN());  // not measured
  };
  const S pitch(std::sqrt(12.0));
  switch (quantity) {
    case Q::radius:
    case Q::z:
    case Q::position:
    case Q::price:
      return position;
    case Q::half_length:
      return S(0.5) * (v1 - v0);
    case Q::length:
      return v1 - v0;
    case Q::z_min:
    case Q::inner:
      return v0;
    case Q::z_max:
    case Q::outer:
      return v1;
    case Q::area:
      if (surface.shape == Shape::cylinder)
        return S(2 * unit::pi) * position * (v1 - v0);
      if (surface.shape == Shape::disk)
        return S(unit::pi) * (v1 * v1 - v0 * v0);
      return (u1 - u0) * (v1 - v0);
    case Q::x_over_x0: {
      S sum(0);
      for (std::size_t i = first; i < design.end_of(layer); ++i)
        if (design[i].kind == DesignNumber::Kind::x_over_x0) sum += values[i];
      return sum;
    }
    case Q::sigma_u:
      return sigma(0);
    case Q::sigma_v:
      return sigma(1);
    case Q::pitch_u:
      return pitch * sigma(0);
    case Q::pitch_v:
      return pitch * sigma(1);
  }
  return position;
}

}  // namespace gttf
