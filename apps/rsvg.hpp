// SPDX-License-Identifier: Apache-2.0
// Converts SVG to PDF and PNG with the program rsvg-convert.
#pragma once

#include <string>

namespace gttf::app {

enum class ImageFormat { svg, pdf, png };

/// The format given by the extension of `file`; svg for terminals and pipes.
/// `option`: option with the file, for messages. Throws UsageError.
ImageFormat image_format_of(const std::string& option, const std::string& file);

/// `svg` as a file of that format; `zoom` multiplies the pixels of png. Throws
/// UsageError if rsvg-convert is missing or fails.
std::string convert_svg(const std::string& svg, ImageFormat format,
                        double zoom);

}  // namespace gttf::app
