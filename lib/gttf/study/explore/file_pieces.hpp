// SPDX-License-Identifier: Apache-2.0
// FilePiece: a detector file split at the values that handles change, so that
// the page can write it with other values.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gttf/study/explore/design_handles.hpp"

namespace gttf {

/// A part of a file: the original `text`, or, if the value of one of the
/// handles `triggers` differs from the file, `changed`: texts, and between them
/// values of handles by index.
struct FilePiece {
  std::string text;
  std::vector<std::variant<std::string, std::size_t>> changed;
  std::vector<std::size_t> triggers;  ///< none: never changed
};

/// The file of `input` in pieces. Comments, anchors and order are kept; a layer
/// that shares a changed value through a merge key or an alias, or gets its own
/// value, has it written out.
/// @return  nothing if some values cannot be written in place
std::vector<FilePiece> file_pieces(const DetectorInput& input,
                                   std::span<const DesignHandle> handles);

/// The file with these values of all handles, in the units of their texts.
std::string file_text(std::span<const FilePiece> pieces,
                      std::span<const DesignHandle> handles,
                      std::span<const double> in_file,
                      std::span<const double> values);

/// The values in the file itself, before --set; NaN: none.
std::vector<double> values_in_file(const DetectorInput& input,
                                   std::span<const DesignHandle> handles);

}  // namespace gttf
