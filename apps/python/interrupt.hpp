// SPDX-License-Identifier: Apache-2.0
// Ctrl-C in Python while the library computes.
#pragma once

#include <pybind11/pybind11.h>

namespace gttf::python {

/// Throws KeyboardInterrupt after Ctrl-C; for work without the GIL, on the
/// thread that was called.
inline void stop_if_interrupted() {
  const pybind11::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

}  // namespace gttf::python
