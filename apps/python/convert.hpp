// SPDX-License-Identifier: Apache-2.0
// Conversion of library types to Python objects.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <utility>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/core/track_parameters.hpp"

namespace gttf::python {

namespace py = pybind11;

/// Name -> array. Arrays of numbers refer to the columns without copying them;
/// texts become an array of str.
py::dict columns_of(Table table);

/// None, bool, int, float, str, list or dict; NaN stays NaN.
py::object object_of(const Document& document);

/// The text output of the program.
std::string text_of(const Summary& summary);

/// A copy, 5 by 5.
py::array_t<double> array_of(const Matrix5& matrix);

/// Result of a study in the forms that the program writes.
struct Result {
  Table table;
  Document document = {};
  Summary summary = {};
};

/// (columns, document, text); callers may append to it.
py::tuple tuple_of(Result result);

/// Translates InputError of the library to an exception of the module.
void translate_errors(py::module_& m);

/// Options of a study: name without dashes -> text as on the command line.
using Texts = std::map<std::string, std::string>;

}  // namespace gttf::python
