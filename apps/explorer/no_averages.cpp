// SPDX-License-Identifier: Apache-2.0
// Replaces averages over azimuths, vertices and lost hits: the page requests
// only single tracks.
#include <cstdlib>

#include "gttf/study/scan/average.hpp"

namespace gttf {

std::size_t scan_averages(const StudyRequest&, std::span<const Detector>,
                          const ScanOptions&, TableSink&) {
  std::abort();
}

}  // namespace gttf
