// SPDX-License-Identifier: Apache-2.0
// ForeignText: words of another program's file, with their places.
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

/// Equal planes at equal distances around the z axis, as detector files have
/// them.
struct DescribedRing {
  double radius = 0, z = 0;            ///< mm
  double tilt = 0, phi = 0, turn = 0;  ///< deg
  int count = 1;
  std::array<double, 2> size{};  ///< along u and v, mm
};

/// A layer of a description; `place` is the one in the file it comes from.
struct DescribedLayer {
  Layer layer;          ///< `name` is made unique by name_layers()
  bool mirror = false;  ///< stands at -z, too
  std::optional<DescribedRing> ring = {};  ///< in place of the surface
  /// Of u and v, mm, where the file gives them in place of errors.
  std::optional<std::array<double, 2>> pitch = {};
};

/// What a file of another program says, in our terms.
struct Description {
  std::vector<std::string> comments;  ///< lines at the top
  std::string name;
  std::vector<std::string> source;
  double tesla = 0;
  std::vector<Material> materials;
  std::vector<DescribedLayer> layers;
};

/// A YAML text, and the layer that each of its lines holds.
struct DescriptionText {
  std::string text;
  std::vector<int> layer_of_line;  ///< from line 1 at index 0; -1: none
};

/// Makes pairs of disks at z and -z, alike in everything else, one layer with
/// its mirror image.
void pair_mirror_images(std::vector<DescribedLayer>& layers);

/// Makes `group` of the names where there is none, and numbers the names where
/// several layers have the same.
void name_layers(std::vector<DescribedLayer>& layers);

/// The YAML text: one line for each layer, lengths in mm and um.
DescriptionText to_yaml(const Description& description);

/// A piece of a source.
struct ForeignWord {
  std::string_view text;
  std::size_t offset = 0;
};

/// Most layers of a file: more would not fit into a detector file of 1 MiB.
inline constexpr std::size_t max_foreign_layers = 5000;

/// More modules than any tracker has: a file that is none is given up soon.
inline constexpr std::size_t max_modules = 200000;

/// From um, in which lists give errors and pitches, to mm.
inline constexpr int mm_of_um = -3;

/// What a reader of another program's file works with.
struct ForeignFile {
  const Source& source;
  Diagnostics& diagnostics;

  void error(const ForeignWord& word, std::string problem,
             std::string suggestion = "") const;
  void warning(const ForeignWord& word, std::string problem,
               std::string suggestion = "") const;

  /// The finite number that `word` is, or an error: "the radius is not a
  /// number: ...".
  std::optional<double> number(const ForeignWord& word,
                               std::string_view what) const;
  FilePosition place(const ForeignWord& word) const;

  /// Whether layer number `count` (from 1), at `word`, is one too many; that is
  /// an error.
  bool too_many(std::size_t count, const ForeignWord& word) const;
};

/// Without blanks at its ends.
ForeignWord trim(ForeignWord word);

/// The words of a line up to a comment: a word that begins with #. A backslash
/// alone is space.
std::vector<ForeignWord> words_of(const ForeignWord& line);

/// The lines of a text, without line ends. `continued`: a backslash at the end
/// of a line makes one of it and the next.
std::vector<ForeignWord> lines_of(const ForeignWord& text,
                                  bool continued = false);

/// A description whose layers are still as in the file.
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
