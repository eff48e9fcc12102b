// SPDX-License-Identifier: Apache-2.0
// Description: a detector as it is written to a YAML file.
#pragma once

#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"

namespace gttf::detail {

/// A layer of a description; `place` is the one in the file it comes from.
struct DescribedLayer {
  Layer layer;          ///< `name` is made unique by name_layers()
  bool mirror = false;  ///< stands at -z, too
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

/// Makes `group` of the names, and numbers the names where several layers have
/// the same.
void name_layers(std::vector<DescribedLayer>& layers);

/// The YAML text: one line for each layer, lengths in mm and um.
DescriptionText to_yaml(const Description& description);

}  // namespace gttf::detail
