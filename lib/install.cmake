# SPDX-License-Identifier: Apache-2.0
# Installs the library, its headers and the package files of find_package(gttf).
include(CMakePackageConfigHelpers)
set(GTTF_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gttf)

install(TARGETS gttf EXPORT gttfTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT gttfTargets NAMESPACE gttf:: DESTINATION ${GTTF_PACKAGE_DIR})

# As 0 or 1: the generated file must not depend on how the option was spelled.
if(NOT BUILD_SHARED_LIBS)
  set(BUILD_SHARED_LIBS 0)
endif()
configure_package_config_file(cmake/gttfConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/gttfConfig.cmake
  INSTALL_DESTINATION ${GTTF_PACKAGE_DIR} PATH_VARS GTTF_DATA_DIR)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/gttfConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/gttfConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/gttfConfigVersion.cmake
  cmake/FindNettle.cmake
  DESTINATION ${GTTF_PACKAGE_DIR})
