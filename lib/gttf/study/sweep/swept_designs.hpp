// SPDX-License-Identifier: Apache-2.0
// SweptDesigns: the detectors of a sweep, one for each combination of values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/optimise/design_space.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// The designs of one detector. Reading a description takes as long as a few
/// hundred tracks: if keys change different layers, it is read once for each of
/// their values, and combinations consist of the layers that were read.
class SweptDesigns {
 public:
  /// @param follow  as SweepOptions::follow
  /// @param input   the unmodified detector
  /// Throws InputError if `follow` cannot be read.
  SweptDesigns(const StudyRequest& request, const std::optional<Node>& follow,
               const DetectorInput& input);

  /// The keys of a combination and those that follow them, as for --set.
  std::vector<std::string> overrides_of(std::size_t combination) const;

  /// As if read with these. Throws InputError if it is not a valid detector.
  Detector detector(std::size_t combination) const;

 private:
  /// What a value changes in the detector.
  struct Change {
    std::optional<Field> field;
    std::vector<std::pair<std::size_t, Layer>> layers;  ///< index, new content
  };

  void read_followers(const Node& follow);
  void read_values();
  std::optional<Change> change_of(const VariedKey& key,
                                  const std::string& value) const;
  bool have_own_layers() const;
  std::optional<Detector> combined(
      const std::vector<std::size_t>& values) const;

  const StudyRequest& request_;
  const DetectorInput& input_;
  DetectorDescription description_;
  /// Keys with numbers are its variables; others follow them.
  DesignSpace space_;
  std::vector<std::size_t> key_of_variable_;  ///< index in StudyRequest::vary
  std::vector<std::vector<double>> native_;   ///< values of these keys
  /// Of each value of each key; nothing: it is not valid by itself. Empty: all
  /// combinations are read.
  std::vector<std::vector<std::optional<Change>>> changes_;
};

}  // namespace gttf
