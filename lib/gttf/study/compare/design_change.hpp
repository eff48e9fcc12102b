// SPDX-License-Identifier: Apache-2.0
// Individual differences between two detectors, and their separate application.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/study/compare/attribution.hpp"

namespace gttf::detail {

/// An entry of the file in both detectors; surfaces by index in
/// Detector::layers, those of `repeat` and `mirror` together.
struct EntryPair {
  std::string name;                 ///< in the syntax of --set
  std::vector<std::size_t> before;  ///< empty: added
  std::vector<std::size_t> after;   ///< empty: removed
};

enum class ChangeKind {
  field,   ///< of a solenoid: continuous
  magnet,  ///< dipoles or a map: the whole field
  scattering_model,
  loss_model,
  layer,       ///< added, removed or of another shape: all of it
  rows,        ///< another number of surfaces
  position,    ///< continuous
  extent,      ///< along u (coordinate 0) or v (1)
  material,    ///< continuous
  sigma,       ///< continuous
  angle,       ///< continuous
  coordinate,  ///< added or removed
  efficiency,  ///< of no consequence for a track that has all its hits
  dead         ///< regions without hits
};

struct DesignChange {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  ChangeKind kind = ChangeKind::field;
  /// In Difference::entries; none: the field or the model.
  std::size_t entry = none;
  std::size_t coordinate = none;        ///< in `before`; none: added
  std::size_t coordinate_after = none;  ///< none: removed
  KeyChange shown;                      ///< without share
};

enum class End { before, after };

/// Two detectors, their matched entries and the differences.
struct Difference {
  const Detector& before;
  const Detector& after;
  std::vector<EntryPair> entries;
  std::vector<DesignChange> changes;

  /// The detector at one end with one of the changes applied (before) or undone
  /// (after).
  Detector with(const DesignChange& change, End end) const;
};

/// Both detectors must outlive the result.
Difference find_difference(const Detector& before, const Detector& after);

/// The texts of a change, shown in KeyChange::before and ::after.
struct TextPair {
  std::string before, after;
};

/// "0.35 %" and "0.36 %": with as many digits as needed to differ, at least
/// `6`.
TextPair number_texts(double before, double after, double unit,
                      std::string_view unit_name);
TextPair position_texts(const std::vector<const Layer*>& before,
                        const std::vector<const Layer*>& after);
TextPair extent_texts(const Interval& before, const Interval& after);
TextPair material_texts(const Layer& before, const Layer& after);
/// Solenoids or none.
TextPair field_texts(const Field& before, const Field& after);
/// Equal except for the notation of the number.
bool same_number(double a, double b);

struct FieldChange {
  ChangeKind kind = ChangeKind::field;
  std::string key;
  TextPair texts;
};

/// The one key that differs, or `field` where several do; nothing if none.
std::optional<FieldChange> field_change(const Field& before,
                                        const Field& after);

/// "radius 23.4 mm, 0.35 %, rphi 5 um, z 5 um".
std::string layer_text(const std::vector<const Layer*>& surfaces);

}  // namespace gttf::detail
