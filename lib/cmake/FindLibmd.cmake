# SPDX-License-Identifier: Apache-2.0
# Finds libmd (message digests; here SHA-256): the target Libmd::md.
find_path(Libmd_INCLUDE_DIR sha2.h)
find_library(Libmd_LIBRARY md)
mark_as_advanced(Libmd_INCLUDE_DIR Libmd_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libmd
  REQUIRED_VARS Libmd_LIBRARY Libmd_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian: libmd-dev")

if(Libmd_FOUND AND NOT TARGET Libmd::md)
  add_library(Libmd::md UNKNOWN IMPORTED)
  set_target_properties(Libmd::md PROPERTIES
    IMPORTED_LOCATION "${Libmd_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Libmd_INCLUDE_DIR}")
endif()
