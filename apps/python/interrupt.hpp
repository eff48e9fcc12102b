// SPDX-License-Identifier: Apache-2.0
// Handles Ctrl-C while the library runs.
#pragma once

#include <pybind11/pybind11.h>

namespace gttf::python {

/// Throws KeyboardInterrupt after Ctrl-C. Call without the GIL, on the thread
/// of the Python call.
inline void stop_if_interrupted() {
  const pybind11::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

}  // namespace gttf::python
