// SPDX-License-Identifier: Apache-2.0
// Annotations: faults at lines of files, as GitHub and GitLab show them.
#pragma once

#include <ostream>
#include <string>

#include "gttf/config/diagnostics.hpp"
#include "gttf/core/summary.hpp"

namespace gttf {

/// Workflow commands of GitHub, one line for each failed case:
///
///   ::error file=F,line=L,col=C,title=NAME::MESSAGE%0ADETAILS
///
/// with %, CR and LF escaped everywhere and, in properties, colon and comma.
void write_github(std::ostream& out, const TestReport& report);

/// The same for faults of an input; of those without a file no place.
void write_github(std::ostream& out, const Diagnostics& diagnostics);

/// Code quality report of GitLab: a JSON list with description, check_name,
/// fingerprint, severity and location of each failed case. The fingerprint
/// depends on file, suite and name only: it is that of the same requirement
/// before and after lines have moved.
void write_code_quality(std::ostream& out, const TestReport& report);

}  // namespace gttf
