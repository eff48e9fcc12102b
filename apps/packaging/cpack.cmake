# SPDX-License-Identifier: Apache-2.0
# The .deb package: cmake --workflow --preset package
# The archive of a static program: cmake --workflow --preset static
set(GTTF_MAINTAINER "gttf-design authors <gttf-design@packages.invalid>"
  CACHE STRING "The maintainer of the package: Name <mail address>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "${GTTF_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION
"Describe layers, material and field of a tracking detector in YAML; get its
momentum, angle and impact-parameter resolution over momentum and angle, and
the reason for each number: the share of every layer, sensitivities, limits,
simulated tracks and fits of measured hits. With descriptions of existing and
planned detectors, and the C++ library gttf.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# for figures as PDF and PNG
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS librsvg2-bin)
# for find_package(gttf)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "cmake, libdragonbox-dev, libeigen3-dev, libfmt-dev, libyaml-cpp-dev, \
nettle-dev, zlib1g-dev")
if(GTTF_STATIC)
  string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
  set(CPACK_PACKAGE_FILE_NAME
    ${PROJECT_NAME}-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
else()
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/deb_policy.cmake)
endif()
set(CPACK_STRIP_FILES ON)
# independent of the umask of the builder
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
include(CPack)
