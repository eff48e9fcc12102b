// SPDX-License-Identifier: Apache-2.0
// Stands in for averages over azimuths, vertices and lost hits: requests of the
// page are of single tracks.
#include <cstdlib>

#include "gttf/study/scan/average.hpp"

namespace gttf {

std::size_t scan_averages(const StudyRequest&, std::span<const Detector>,
                          const ScanOptions&, TableSink&) {
  std::abort();
}

}  // namespace gttf
