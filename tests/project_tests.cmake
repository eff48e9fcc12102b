# SPDX-License-Identifier: Apache-2.0
# Tests of the project as a whole: shape of the sources, pages, headers, package.

# gttf_check(<script> <argument>...): the test structure.<script>
function(gttf_check name)
  add_test(NAME structure.${name} COMMAND
    sh ${CMAKE_CURRENT_SOURCE_DIR}/structure/${name}.sh ${PROJECT_SOURCE_DIR})
  set_tests_properties(structure.${name} PROPERTIES
    LABELS structure SKIP_RETURN_CODE 77)
endfunction()

gttf_check(citations)
gttf_check(equations)
gttf_check(file_shape)
gttf_check(format)
gttf_check(include_order)
gttf_check(links)
gttf_check(opened_files)
gttf_check(public_headers)
gttf_check(self_test)
gttf_check(words)

# The stable interface is there, and the bill of materials lists what NOTICE does.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME structure.interface COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_SOURCE_DIR}/structure/interface.py ${PROJECT_SOURCE_DIR})
  add_test(NAME structure.sbom COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_SOURCE_DIR}/structure/sbom.py ${PROJECT_SOURCE_DIR})
  add_test(NAME package.start COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_SOURCE_DIR}/package/start_install.py ${PROJECT_SOURCE_DIR})
  set_tests_properties(structure.interface structure.sbom package.start
    PROPERTIES LABELS structure SKIP_RETURN_CODE 77)
endif()

if(GTTF_SIMD_X86 AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  get_property(vectorised GLOBAL PROPERTY GTTF_KERNELS)
  list(REMOVE_ITEM vectorised gttf_kernels_scalar)
  list(TRANSFORM vectorised REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_test(NAME structure.simd_symbols COMMAND
    sh ${CMAKE_CURRENT_SOURCE_DIR}/structure/simd_symbols.sh
    "$<FILTER:$<TARGET_OBJECTS:gttf_kernels_scalar>,INCLUDE,(all|fused)[.]>"
    ${vectorised} COMMAND_EXPAND_LISTS)
  set_tests_properties(structure.simd_symbols PROPERTIES
    LABELS structure SKIP_RETURN_CODE 77)
endif()

add_test(NAME structure.build_order COMMAND
  sh ${CMAKE_CURRENT_SOURCE_DIR}/structure/build_order.sh ${PROJECT_BINARY_DIR})
set_tests_properties(structure.build_order PROPERTIES
  LABELS structure SKIP_RETURN_CODE 77)

# What ./start builds is for this processor: the best level of a program that has
# all.
if(GTTF_SIMD_X86 AND NOT GTTF_SIMD_X86 STREQUAL NATIVE AND TARGET gttf-design
    AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME package.native COMMAND
    sh ${CMAKE_CURRENT_SOURCE_DIR}/package/native.sh ${PROJECT_SOURCE_DIR}
    $<TARGET_FILE:gttf-design> ${CMAKE_GENERATOR} ${CMAKE_CXX_COMPILER})
  set_tests_properties(package.native PROPERTIES LABELS package)
endif()

# Nothing is allocated before main().
if(CMAKE_OBJDUMP AND CMAKE_BUILD_TYPE MATCHES "^Rel" AND CMAKE_SYSTEM_NAME STREQUAL Linux
    AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_library(gttf_faulty_initialiser OBJECT structure/faulty_initialiser.cpp)
  set_target_properties(gttf_faulty_initialiser PROPERTIES UNITY_BUILD OFF)
  get_property(kernels GLOBAL PROPERTY GTTF_KERNELS)
  list(TRANSFORM kernels REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  set(program_objects "")
  if(TARGET gttf-design)
    set(program_objects $<TARGET_OBJECTS:gttf-design>
      $<TARGET_OBJECTS:gttf_design_assets>)
  endif()
  add_test(NAME structure.initialisers COMMAND
    sh ${CMAKE_CURRENT_SOURCE_DIR}/structure/initialisers.sh ${CMAKE_OBJDUMP}
    $<TARGET_OBJECTS:gttf_faulty_initialiser> $<TARGET_OBJECTS:gttf> $<TARGET_OBJECTS:gttf_once>
    ${kernels} ${program_objects} COMMAND_EXPAND_LISTS)
  set_tests_properties(structure.initialisers PROPERTIES
    LABELS structure SKIP_RETURN_CODE 77)
endif()

if(TARGET gttf-design)
  add_test(NAME docs COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/docs/run.sh
    ${PROJECT_SOURCE_DIR} ${GTTF_PROGRAM})
  add_test(NAME docs.verbs COMMAND sh ${PROJECT_SOURCE_DIR}/docs/verbs.sh
    --check ${GTTF_PROGRAM})
  set_tests_properties(docs docs.verbs PROPERTIES LABELS docs)
  add_test(NAME broken_files COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/broken/run.sh
    ${PROJECT_SOURCE_DIR} ${GTTF_PROGRAM})
  set_tests_properties(broken_files PROPERTIES LABELS hardening)
endif()

# The tables of columns in the reference and the schema of rows are those of the
# library.
add_executable(columns_page docs/columns_page.cpp)
target_link_libraries(columns_page PRIVATE gttf::gttf gttf_warnings)
add_test(NAME docs.columns COMMAND sh ${PROJECT_SOURCE_DIR}/docs/columns.sh
  --check $<TARGET_FILE:columns_page>)
set_tests_properties(docs.columns PROPERTIES LABELS docs)

# Every call to the system fails once: a library in front of that of C.
if(TARGET gttf-design AND Python3_FOUND AND CMAKE_SYSTEM_NAME STREQUAL Linux
    AND NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(GTTF_FAULTS 400 CACHE STRING
    "How many faults the test `faults` makes; full: at least 5000")
  enable_language(C)
  add_library(gttf_faults MODULE faults/shim.c)
  set_target_properties(gttf_faults PROPERTIES UNITY_BUILD OFF)
  add_test(NAME faults COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_SOURCE_DIR}/faults/faults.py $<TARGET_FILE:gttf-design>
    $<TARGET_FILE:gttf_faults> ${PROJECT_SOURCE_DIR} ${GTTF_FAULTS})
  set_tests_properties(faults PROPERTIES LABELS hardening TIMEOUT 1800)
endif()

if(TARGET gttf-design AND GTTF_HARDENING AND CMAKE_SYSTEM_NAME STREQUAL Linux
    AND CMAKE_BUILD_TYPE MATCHES "^Rel" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_test(NAME hardening COMMAND sh
    ${CMAKE_CURRENT_SOURCE_DIR}/package/hardening.sh $<TARGET_FILE:gttf-design>)
  set_tests_properties(hardening PROPERTIES LABELS hardening SKIP_RETURN_CODE 77)
endif()

# The pages make a site, without a broken link, where mkdocs is installed.
add_test(NAME docs.site COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/docs/site.sh
  ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/site)
set_tests_properties(docs.site PROPERTIES LABELS docs SKIP_RETURN_CODE 77)

# The JSON Schemas of docs/reference/schema accept what the readers accept.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME schema COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_SOURCE_DIR}/schema/check.py ${PROJECT_SOURCE_DIR})
  set_tests_properties(schema PROPERTIES LABELS docs SKIP_RETURN_CODE 77)
endif()

# Every public header compiles by itself.
add_test(NAME headers COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR}
  --target all_verify_interface_header_sets --parallel 2)

# Another project finds and uses the installed package.
set(stage ${CMAKE_CURRENT_BINARY_DIR}/stage)
set(downstream ${CMAKE_CURRENT_BINARY_DIR}/downstream)
add_test(NAME package.clean COMMAND
  ${CMAKE_COMMAND} -E rm -rf ${stage} ${downstream})
add_test(NAME package.install COMMAND
  ${CMAKE_COMMAND} -E env --unset=DESTDIR
  ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${stage})
add_test(NAME package.downstream COMMAND ${CMAKE_CTEST_COMMAND}
  --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/downstream ${downstream}
  --build-generator ${CMAKE_GENERATOR} --build-noclean
  --build-options
    -DCMAKE_PREFIX_PATH=${stage} -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
    -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
    -DVERSION=${PROJECT_VERSION} -DPAGES=${PROJECT_SOURCE_DIR}
  --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure
    --no-tests=error)
if(TARGET gttf-design)
  add_test(NAME package.program COMMAND
    ${stage}/${CMAKE_INSTALL_BINDIR}/gttf-design validate
    ${stage}/${GTTF_DATA_DIR}/detectors/alice_its2.yaml)
  add_test(NAME package.installed COMMAND
    sh ${CMAKE_CURRENT_SOURCE_DIR}/package/installed.sh ${stage})
  set_tests_properties(package.program package.installed PROPERTIES
    FIXTURES_REQUIRED package LABELS package)
endif()
set_tests_properties(package.clean PROPERTIES FIXTURES_SETUP clean)
set_tests_properties(package.install PROPERTIES
  FIXTURES_REQUIRED clean FIXTURES_SETUP package)
set_tests_properties(package.downstream PROPERTIES FIXTURES_REQUIRED package)
set_tests_properties(headers package.clean package.install package.downstream
  PROPERTIES LABELS package)
# Both run the build tool on this very build folder.
set_tests_properties(headers package.install PROPERTIES RESOURCE_LOCK build)
