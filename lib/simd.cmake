# SPDX-License-Identifier: Apache-2.0
# The kernels (gttf/kernels), compiled once for each instruction set of the list
# in gttf/core/simd.hpp; the program chooses when it runs. A build for
# one machine (./start) has only the best of it besides the scalar ones. Processors
# other than x86-64 have the scalar code.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
set(GTTF_SIMD_X86 ON CACHE STRING
  "Kernels for vectors of x86-64: ON (all), OFF, NATIVE (the best of this machine)")
check_cxx_source_compiles("
  #if !defined(__x86_64__) || !defined(__GNUC__)
  #error
  #endif
  int main() { return !__builtin_cpu_supports(\"avx2\"); }" GTTF_IS_X86)
if(NOT GTTF_IS_X86)
  set(GTTF_SIMD_X86 OFF CACHE STRING "" FORCE)
endif()
# The name of the only level besides scalar to compile; empty: all.
set(GTTF_ONLY_LEVEL "")
if(GTTF_SIMD_X86 STREQUAL NATIVE)
  try_run(ran compiled ${CMAKE_CURRENT_BINARY_DIR}/best_level
    ${CMAKE_CURRENT_SOURCE_DIR}/cmake/best_level.cpp
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${CMAKE_CURRENT_SOURCE_DIR}
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
    RUN_OUTPUT_VARIABLE GTTF_ONLY_LEVEL)
  if(NOT ran EQUAL 0)
    message(FATAL_ERROR "GTTF_SIMD_X86=NATIVE: programs of this compiler do not run here; use ON")
  endif()
  message(STATUS "Instruction sets: scalar, ${GTTF_ONLY_LEVEL}")
endif()

set(GTTF_COMPILED_LEVELS "")
function(gttf_kernels level)
  if(GTTF_ONLY_LEVEL AND NOT level MATCHES "^(scalar|${GTTF_ONLY_LEVEL})$")
    return()
  endif()
  string(APPEND GTTF_COMPILED_LEVELS "LEVEL(${level})")
  set(GTTF_COMPILED_LEVELS ${GTTF_COMPILED_LEVELS} PARENT_SCOPE)
  set(kernels gttf_kernels_${level})
  set(files gttf/kernels/exact.cpp gttf/kernels/fused.cpp gttf/kernels/regions.cpp)
  if(level STREQUAL scalar AND GTTF_ONLY_LEVEL)
    set(files gttf/kernels/all.cpp)
  endif()
  add_library(${kernels} OBJECT ${files})
  target_compile_definitions(${kernels} PRIVATE
    GTTF_LEVEL=${level} GTTF_ISA_HEADER="gttf/core/isa_${level}.hpp"
    $<TARGET_PROPERTY:gttf,COMPILE_DEFINITIONS>)
  target_compile_options(${kernels} PRIVATE ${ARGN})
  target_include_directories(${kernels} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${kernels} PRIVATE
    Eigen3::Eigen Random123::Random123 gttf_hardening gttf_warnings)
  set_target_properties(${kernels} PROPERTIES UNITY_BUILD OFF
    POSITION_INDEPENDENT_CODE ${GTTF_PIC})
  target_compile_features(${kernels} PRIVATE cxx_std_20)
  target_sources(gttf PRIVATE $<TARGET_OBJECTS:${kernels}>)
  set_property(GLOBAL APPEND PROPERTY GTTF_KERNELS ${kernels})
endfunction()

if(GTTF_SIMD_X86)
  target_compile_definitions(gttf PRIVATE GTTF_SIMD_X86=1)
  # Contraction is the default of gcc. Clang would contract after inlining, where
  # two copies of a formula may become different operations: the result of a track
  # would depend on its neighbours. Within expressions it contracts them alike.
  set_source_files_properties(gttf/kernels/fused.cpp gttf/kernels/regions.cpp PROPERTIES
    COMPILE_OPTIONS
      $<IF:$<CXX_COMPILER_ID:GNU>,-ffp-contract=fast,-ffp-contract=on>)
  set_source_files_properties(gttf/kernels/exact.cpp PROPERTIES
    COMPILE_OPTIONS -ffp-contract=off)
  # Always optimised, so that no function of the standard library is left over
  # which the linker could then use for every processor (test
  # structure.simd_symbols).
  # For sanitizers: g++ takes minutes to track variables of code that is all
  # inlined and to check every pointer; AddressSanitizer checks these, too.
  set(quick -O3 "$<$<CONFIG:Debug>:-g1>"
    "$<$<CONFIG:Debug>:-fno-sanitize=null,alignment,object-size,pointer-overflow>")
  # Vectors are copied in one piece: g++ takes 16 bytes at a time, and reading
  # the whole then waits for its parts (twice the time for all).
  check_cxx_compiler_flag(-mmove-max=256 GTTF_HAS_MOVE_MAX)
  if(GTTF_HAS_MOVE_MAX)
    set(copies256 -mmove-max=256 -mstore-max=256)
    set(copies512 -mmove-max=512 -mstore-max=512)
  endif()
  # In a build for one machine that has vectors, only comparisons use the scalar
  # kernels (GTTF_SIMD=scalar). Without fused multiplications, which the baseline
  # of x86-64 does not have, -O1 gives the same digits.
  gttf_kernels(scalar
    $<$<AND:$<CONFIG:Release>,$<BOOL:${GTTF_ONLY_LEVEL}>,$<NOT:$<STREQUAL:${GTTF_ONLY_LEVEL},scalar>>>:-O1>)
  gttf_kernels(avx2 -march=x86-64-v3 -mtune=haswell ${copies256} ${quick})
  gttf_kernels(avx512 -march=x86-64-v4 -mprefer-vector-width=512 ${copies512}
    ${quick})
else()
  # No fused multiplications, as in the scalar code of x86-64, whose baseline
  # has none: the same digits on both.
  check_cxx_compiler_flag(-ffp-contract=off GTTF_HAS_FP_CONTRACT)
  if(GTTF_HAS_FP_CONTRACT)
    target_compile_options(gttf PRIVATE -ffp-contract=off)
    target_compile_options(gttf_once PRIVATE -ffp-contract=off)
    set(exact -ffp-contract=off)
  endif()
  gttf_kernels(scalar ${exact})
endif()
set_source_files_properties(gttf/core/simd.cpp gttf/kernels/kernels.cpp
  PROPERTIES COMPILE_DEFINITIONS "GTTF_COMPILED_LEVELS=${GTTF_COMPILED_LEVELS}")
