# SPDX-License-Identifier: Apache-2.0
# Random123: counter-based random numbers, headers without a package of CMake.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
mark_as_advanced(RANDOM123_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Random123
  REQUIRED_VARS RANDOM123_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian's package is librandom123-dev")

if(Random123_FOUND AND NOT TARGET Random123::Random123)
  add_library(Random123::Random123 INTERFACE IMPORTED)
  # imported: its headers are system headers, without our warnings
  target_include_directories(Random123::Random123 INTERFACE
    ${RANDOM123_INCLUDE_DIR})
endif()
