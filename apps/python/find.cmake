# SPDX-License-Identifier: Apache-2.0
# Sets GTTF_PYTHON_FOUND if pybind11 and a Python with headers and NumPy are found:
# the first one in PATH, else the one of the system.
if(NOT DEFINED Python_EXECUTABLE)
  foreach(python python3 /usr/bin/python3)
    execute_process(
      COMMAND ${python} -c "import numpy, sys; print(sys.executable, end='')"
      OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed)
      set(Python_EXECUTABLE ${found} CACHE FILEPATH "Python of the module")
      break()
    endif()
  endforeach()
endif()

set(GTTF_PYTHON_FOUND OFF)
set(GTTF_PYTHON_DIR ${PROJECT_BINARY_DIR}/python) # of the complete package
if(Python_EXECUTABLE AND NOT CMAKE_CROSSCOMPILING)
  find_package(Python 3.9 COMPONENTS Interpreter Development.Module)
  if(Python_FOUND)
    set(PYBIND11_FINDPYTHON ON)
    find_package(pybind11 2.10 CONFIG)
    set(GTTF_PYTHON_FOUND ${pybind11_FOUND})
  endif()
endif()

if(NOT GTTF_PYTHON_FOUND)
  set(GTTF_PYTHON_MISSING
    "no Python module: it needs python3-dev, python3-numpy and pybind11-dev")
  if(NOT GTTF_PYTHON STREQUAL AUTO)
    message(FATAL_ERROR "${GTTF_PYTHON_MISSING}")
  endif()
  message(STATUS "${GTTF_PYTHON_MISSING}")
endif()
