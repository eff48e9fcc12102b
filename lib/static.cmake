# SPDX-License-Identifier: Apache-2.0
# With GTTF_STATIC the program contains all libraries, that of C included, and
# runs on any Linux. Sets GTTF_FMT, the target of fmt to link.
set(GTTF_FMT fmt::fmt)
if(NOT GTTF_STATIC)
  return()
endif()
if(BUILD_SHARED_LIBS OR GTTF_PYTHON)
  message(FATAL_ERROR
    "GTTF_STATIC excludes BUILD_SHARED_LIBS and GTTF_PYTHON")
endif()
# Debian has no static library of fmt.
set(GTTF_FMT fmt::fmt-header-only)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
# The package files of yaml-cpp name the shared library.
find_library(GTTF_STATIC_YAML_CPP yaml-cpp REQUIRED)
find_path(GTTF_YAML_CPP_INCLUDE yaml-cpp/yaml.h REQUIRED)
mark_as_advanced(GTTF_STATIC_YAML_CPP GTTF_YAML_CPP_INCLUDE)
add_library(yaml-cpp::yaml-cpp STATIC IMPORTED GLOBAL)
set_target_properties(yaml-cpp::yaml-cpp PROPERTIES
  IMPORTED_LOCATION ${GTTF_STATIC_YAML_CPP}
  INTERFACE_INCLUDE_DIRECTORIES ${GTTF_YAML_CPP_INCLUDE})
