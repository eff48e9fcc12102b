// SPDX-License-Identifier: Apache-2.0
// Attribution: contributions of the differences of two detectors to sigma.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {

/// One key of the description that differs between two detectors. Surfaces of a
/// repeated or mirrored layer share it.
struct KeyChange {
  std::string key;     ///< as in --set: layers[L0].material
  std::string before;  ///< with units: "0.35 %"; empty: the key is missing
  std::string after;
  FilePosition
      place;  ///< of the layer in the file of `after`; see locate(). 0: absent
  /// Change of ln(sigma) assigned to this key; NaN if undetermined.
  double share = Resolution::none;
  bool exact = false;  ///< from fits with and without the change, no gradient
};

/// Model for tracks in a detector; detectors may have different
/// models.
struct ModelOf {
  std::function<Model(const Detector&)> of = [](const Detector&) {
    return Model{};
  };
  Model operator()(const Detector& detector) const { return of(detector); }
};

/// Decomposition of a change of ln(sigma). NaN if there is no resolution before
/// or after.
struct Attribution {
  double total = Resolution::none;  ///< ln(sigma_after/sigma_before), exact
  std::vector<KeyChange> changes;   ///< by |share|, largest first
  /// total minus the sum of the shares: interactions between changes, and third
  /// and higher orders of single changes.
  double remainder = Resolution::none;
};

/// The keys that differ, without shares, in the order of the file of `after`;
/// empty if resolutions can differ only through the efficiency.
///
/// Layers are matched by name, then (renamed ones) by surface. Names of
/// detectors, groups, notes, sources, the order of layers and the notation of
/// numbers are ignored. A layer that exists in only one detector is one key.
std::vector<KeyChange> differing_keys(const Detector& before,
                                      const Detector& after);

/// Decomposes the change of sigma of `q` into shares of the keys that differ.
///
/// For a number that changes continuously, with e = d ln(sigma)/d ln(value) at
/// both ends,
///
///   share = (e_before + e_after)/2 ln(after/before)
///
/// summed over the surfaces that share the key (value instead of its logarithm
/// where it is 0 or changes sign). A change without gradient (a layer or
/// coordinate added or removed, material added to an empty layer, an extent, a
/// radius that changes the crossed layers) gets the mean of two exact changes:
/// applied first, to `before`, and last, undone in `after`.
/// Source: docs/theory/attribution.md
Attribution attribute(const Detector& before, const Detector& after,
                      const Track& track, const ModelOf& model_of, Parameter q);

/// The same for all parameters, in the time of one; index: Parameter.
std::array<Attribution, n_parameters> attribute_all(const Detector& before,
                                                    const Detector& after,
                                                    const Track& track,
                                                    const ModelOf& model_of);

/// Any positive number that follows from a resolution, instead of sigma: all
/// shares are from exact changes. NaN where the number does not exist.
using Measure = std::function<double(const Resolution&)>;
Attribution attribute(const Detector& before, const Detector& after,
                      const Track& track, const ModelOf& model_of,
                      const Measure& measure);

/// Moves the places from the layer to the very key, as far as it exists in the
/// description `after` was read from. A key set by an override has no location.
void locate(std::vector<KeyChange>& changes, const DetectorInput& after);

/// A share as fraction of a change of ln(sigma); NaN if there is no change
/// except for rounding.
double part_of(double share, double total);

/// "+12.3 %", "-0.05 %": the change of sigma for a change of ln(sigma).
std::string change_text(double change_of_ln);

/// Columns: those of the point, design, parameter, part ("key", "remainder",
/// "total"), key, before, after, line, change_of_ln_sigma, share (of the
/// total), method ("gradient" or "exact").
class AttributionTable {
 public:
  void add(const Detector& after, const StudyRequest& request, GridPoint point,
           std::string_view design, Parameter q, const Attribution& a);
  std::size_t rows() const { return point_.rows(); }
  Table take() &&;

 private:
  void add_part(std::string_view part, const KeyChange& change, double total);

  PointColumns point_;
  Texts design_, parameter_, part_, key_, before_, after_, method_;
  Integers line_;
  Reals change_, share_;
};

/// {parameter, total, remainder, changes: [{key, before, after, line, column,
/// change_of_ln_sigma, share, method}]}.
Document attribution_document(Parameter q, const Attribution& a, bool at_layer);

/// For the terminal: the significant keys (above 0.05 % of the change), up to
/// `most`, the sum of the others, and the remainder. Long values are truncated.
Section attribution_section(std::string title, Parameter q,
                            const Attribution& a, bool at_layer,
                            std::size_t most = 15);

}  // namespace gttf
