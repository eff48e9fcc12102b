// SPDX-License-Identifier: Apache-2.0
// SVG to PDF and PNG by the program rsvg-convert.
#pragma once

#include <string>

namespace gttf::app {

enum class ImageFormat { svg, pdf, png };

/// The format that the ending of `file` names; svg for terminals and pipes.
/// `option` names the file, for messages. Throws UsageError.
ImageFormat image_format_of(const std::string& option, const std::string& file);

/// `svg` as a file of that format; `zoom` multiplies the pixels of png. Throws
/// UsageError if rsvg-convert is missing (and tells its package) or fails.
std::string convert_svg(const std::string& svg, ImageFormat format,
                        double zoom);

}  // namespace gttf::app
