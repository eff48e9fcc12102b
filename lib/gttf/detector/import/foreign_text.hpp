// SPDX-License-Identifier: Apache-2.0
// ForeignText: words of a file of another program, with their locations.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/source.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/detector/import/import.hpp"

namespace gttf::detail {

/// Equal planes at equal angles around the z axis, as in detector
/// files.
struct DescribedRing {
  double radius = 0, z = 0;            ///< mm
  double tilt = 0, phi = 0, turn = 0;  ///< deg
  int count = 1;
  std::array<double, 2> size{};  ///< along u and v, mm
};

/// A layer of a description; `place` is its location in the original file.
struct DescribedLayer {
  Layer layer;          ///< `name` is made unique by name_layers()
  bool mirror = false;  ///< also at -z
  std::optional<DescribedRing> ring = {};  ///< replaces the surface
  /// Of u and v, mm, if the file gives them instead of errors.
  std::optional<std::array<double, 2>> pitch = {};
};

/// Material of which only x/X0 is known; none if that is 0.
inline std::vector<Slab> material_of(double x_over_x0) {
  if (!(x_over_x0 > 0)) return {};
  Slab slab;
  slab.x_over_x0 = x_over_x0;
  return {slab};
}

/// The content of a file of another program in our terms.
struct Description {
  std::vector<std::string> comments;  ///< comment lines at the top
  std::string name;
  std::vector<std::string> source;
  double tesla = 0;
  std::vector<Material> materials;
  std::vector<DescribedLayer> layers;
};

/// A YAML text, and the layer described by each of its lines.
struct DescriptionText {
  std::string text;
  std::vector<int> layer_of_line;  ///< from line 1 at index 0; -1: none
};

/// Merges pairs of disks at z and -z that are otherwise equal into one layer
/// with its mirror image.
void pair_mirror_images(std::vector<DescribedLayer>& layers);

/// Derives `group` from the names where it is missing, and numbers equal
/// names.
void name_layers(std::vector<DescribedLayer>& layers);

/// The YAML text: one line for each layer, lengths in mm and um.
DescriptionText to_yaml(const Description& description);

/// A piece of a source.
struct ForeignWord {
  std::string_view text;
  std::size_t offset = 0;
};

/// More layers than any tracker has: stops reading unsuitable files early.
inline constexpr std::size_t max_foreign_layers = 5000;

/// More modules than any tracker has: stops reading unsuitable files early.
inline constexpr std::size_t max_modules = 200000;

/// From um, the unit of errors and pitches in lists, to mm.
inline constexpr int mm_of_um = -3;

/// Base of the readers for files of other programs.
struct ForeignFile {
  const Source& source;
  Diagnostics& diagnostics;

  void error(const ForeignWord& word, std::string problem,
             std::string suggestion = "") const;
  void warning(const ForeignWord& word, std::string problem,
               std::string suggestion = "") const;

  /// Parses `word` as a finite number, or reports an error: "the radius is not
  /// a number: ...".
  std::optional<double> number(const ForeignWord& word,
                               std::string_view what) const;
  FilePosition place(const ForeignWord& word) const;

  /// Whether layer number `count` (from 1), at `word`, exceeds the maximum;
  /// reports an error.
  bool too_many(std::size_t count, const ForeignWord& word) const;
};

/// Trims blanks at both ends.
ForeignWord trim(ForeignWord word);

/// The words of a line up to a comment: a word that begins with #. A single
/// backslash is treated as space.
std::vector<ForeignWord> words_of(const ForeignWord& line);

/// The lines of a text, without line ends. `continued`: a backslash at the end
/// of a line joins it with the next.
std::vector<ForeignWord> lines_of(const ForeignWord& text,
                                  bool continued = false);

/// A description with the layers as in the file.
struct ForeignDetector {
  Description description;
  std::optional<double> tesla;
  std::size_t rows = 0;  ///< of the file; 0: as many as layers
};

ForeignDetector read_delphes(const ForeignFile& file);
ForeignDetector read_fasttracker(const ForeignFile& file);
ForeignDetector read_slac(const ForeignFile& file);
ForeignDetector read_corryvreckan(const ForeignFile& file);
ForeignDetector read_module_list(const ForeignFile& file);
/// @param table  of errors by volume and layer; null if there is none
ForeignDetector read_acts(const ForeignFile& file, const ForeignFile* table);
/// @param table  of pitches and material by section; null if there is none
ForeignDetector read_tklayout(const ForeignFile& file,
                              const ForeignFile* table);

}  // namespace gttf::detail
