// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/track_documents.hpp"

#include <cmath>

#include "gttf/study/show/track_view.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

std::size_t scan_documents(const StudyRequest& request,
                           std::span<const Detector> detectors,
                           const ScanOptions& options,
                           const std::function<void(const Document&)>& sink) {
  const std::size_t n_momenta = request.momentum.values.size();
  const std::size_t points = n_momenta * request.angle.values.size();
  std::size_t evaluated = 0, done = 0;
  for (const Detector& detector : detectors) {
    const TrackingGeometry geometry(detector);
    const Model model = model_of(request, detector, options.engine);
    for (std::size_t i = 0; i < points; ++i) {
      const GridPoint point{i % n_momenta, i / n_momenta};
      const Resolution r = resolve(geometry, grid_track(request, point), model);
      sink(track_document(detector, request, point, r));
      if (std::isfinite(r.perigee(Perigee::d0, Perigee::d0))) ++evaluated;
      ++done;
      if (options.progress) options.progress(done, points * detectors.size());
    }
  }
  return evaluated;
}

}  // namespace gttf
