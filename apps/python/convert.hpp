// SPDX-License-Identifier: Apache-2.0
// Values of the library as objects of Python.
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

/// Name -> array. The arrays of numbers are the columns themselves, not copies;
/// texts become an array of str.
py::dict columns_of(Table table);

/// None, bool, int, float, str, list or dict; NaN stays NaN.
py::object object_of(const Document& document);

/// As the program prints it.
std::string text_of(const Summary& summary);

/// A copy, 5 by 5.
py::array_t<double> array_of(const Matrix5& matrix);

/// What a study found, in the shapes that the program writes.
struct Result {
  Table table;
  Document document = {};
  Summary summary = {};
};

/// (columns, document, text), to which more may be added.
py::tuple tuple_of(Result result);

/// An exception of the module for the InputErrors of the library.
void translate_errors(py::module_& m);

/// Options of a study: names as of the program, without dashes; texts.
using Texts = std::map<std::string, std::string>;

}  // namespace gttf::python
