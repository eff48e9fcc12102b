// SPDX-License-Identifier: Apache-2.0
// Parts of a scan as files, and what --stats says.
#pragma once

#include <string>
#include <vector>

#include "common.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/study/scan/scan_part.hpp"

namespace gttf::app {

class Outputs;
struct Call;

/// Puts the description of the part into the outputs. Throws UsageError if they
/// are not csv with exact numbers.
void mark_as_part(const ScanPart& part, Outputs& outputs);

/// scan merge. Returns the exit code. Throws UsageError, FileError.
int merge_scans(const Call& call, const std::vector<std::string>& names,
                const OutputOptions& options);

/// Which way the tracks took, one line each.
std::string text_of(const BatchStatistics& statistics);

}  // namespace gttf::app
