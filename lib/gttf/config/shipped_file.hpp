// SPDX-License-Identifier: Apache-2.0
// Finds installed detectors and studies by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gttf {

/// Folder with the installed detectors/ and configs/: $GTTF_DESIGN_DATA if
/// set, else share/gttf-design next to the bin/ of the running program, else
/// the folder of the installation the library was built for. Empty if none
/// exists.
std::string shipped_folder();

/// Resolves `name` to a file: the file itself, or an installed one.
///
/// An existing file takes precedence. If NAME does not exist but NAME.yaml
/// does, the path is returned unchanged, which gives an error message.
/// Otherwise searches shipped_folder() as written (`detectors/cld.yaml`), then
/// in each of `folders` there (`cld.yaml` or `cld` in `detectors`). Absolute
/// paths, paths with "..", "" and "-" are never looked up.
///
/// @param path     path of `name`: `name` itself, or relative to another file
/// @param name     as written by the user
/// @param folders  such as "detectors", "configs", "configs/check"
/// @return the installed file, or `path` if there is none
std::string or_shipped(const std::string& path, const std::string& name,
                       const std::vector<std::string_view>& folders);

}  // namespace gttf
