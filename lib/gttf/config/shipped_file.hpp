// SPDX-License-Identifier: Apache-2.0
// The installed detectors and studies, found by their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gttf {

/// Folder with the installed detectors/ and configs/: $GTTF_DESIGN_DATA where
/// that is set, else share/gttf-design beside the bin/ of the running program,
/// else that of the installation the library was built for. Empty if none
/// exists.
std::string shipped_folder();

/// What the user means by `name`: the file itself, or an installed one.
///
/// A file that exists wins, and so does NAME.yaml beside a NAME that does not:
/// that is a slip worth a message rather than another file. What is left is
/// looked for in shipped_folder() as written (`detectors/cld.yaml`), then in
/// each of `folders` there (`cld.yaml` or `cld` in `detectors`). Absolute
/// paths, paths with "..", "" and "-" are never looked up.
///
/// @param path     where `name` leads: `name` itself, or beside another file
/// @param name     as written by the user
/// @param folders  such as "detectors", "configs", "configs/check"
/// @return the installed file, or `path` if there is none
std::string or_shipped(const std::string& path, const std::string& name,
                       const std::vector<std::string_view>& folders);

}  // namespace gttf
