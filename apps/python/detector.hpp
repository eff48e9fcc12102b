// SPDX-License-Identifier: Apache-2.0
// A detector as Python holds it, and the study of some of them.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "convert.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf::python {

/// A detector that was read; never changes.
struct HeldDetector {
  explicit HeldDetector(DetectorInput read)
      : input(std::move(read)), geometry(input.detector) {}

  DetectorInput input;
  TrackingGeometry geometry;

  const Detector& detector() const { return input.detector; }
};
using DetectorPtr = std::shared_ptr<HeldDetector>;

/// The options as read_request() takes them. Throws std::invalid_argument if
/// there is no such option.
StudyOptions options_of(const Texts& options);

/// Detectors and tracks through them.
struct Study {
  StudyRequest request;
  std::vector<DetectorInput> inputs;
  std::vector<Detector> detectors;
};

/// The study in the file `path`, if it is not empty, with options before what
/// the file says; `detectors` if there are any, else those of the file.
Study read_study(const std::vector<DetectorPtr>& detectors,
                 const std::string& path, const Texts& options);

/// The detectors of a request, read with `overrides` unless `given`.
std::vector<DetectorInput> inputs_of(const StudyRequest& request,
                                     const std::vector<DetectorPtr>& given,
                                     const std::vector<std::string>& overrides);

void bind_detector(py::module_& m);
void bind_tracks(py::module_& m);
void bind_studies(py::module_& m);

}  // namespace gttf::python
