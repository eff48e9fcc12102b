# SPDX-License-Identifier: Apache-2.0
# Code for the instruction sets of x86-64, chosen when the program runs. Other
# processors have the scalar code.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("
  #if !defined(__x86_64__) || !defined(__GNUC__)
  #error
  #endif
  int main() { return !__builtin_cpu_supports(\"avx2\"); }" GTTF_SIMD_X86)

if(GTTF_SIMD_X86)
  # Always optimised, so that no function of the standard library is left over
  # which the linker could then use for every processor (test
  # structure.simd_symbols). Contraction is the default of gcc, not of clang.
  # For sanitizers: of code that is all inlined, g++ takes minutes to say where
  # variables are and to check every pointer; AddressSanitizer does that, too.
  set(quick "$<$<CONFIG:Debug>:-g1>"
    "$<$<CONFIG:Debug>:-fno-sanitize=null,alignment,object-size,pointer-overflow>")
  function(gttf_lanes level)
    set_source_files_properties(gttf/fit/triplet/hit_lanes_${level}.cpp
      gttf/resolution/lanes_${level}.cpp
      gttf/resolution/toy_lanes_${level}.cpp PROPERTIES
      COMPILE_OPTIONS "${ARGN};-O3;-ffp-contract=fast;${quick}")
    # sums of products in other people's formulas: which product is fused would
    # be up to the compiler, in one half of a pack another than in the other
    set_source_files_properties(gttf/fit/streaming/stream_lanes_${level}.cpp
      gttf/resolution/triplet_lanes_${level}.cpp PROPERTIES
      COMPILE_OPTIONS "${ARGN};-O3;-ffp-contract=off;${quick}")
  endfunction()
  # Vectors are copied in one piece: g++ takes 16 bytes at a time, and reading
  # the whole then waits for its parts (twice the time for all).
  check_cxx_compiler_flag(-mmove-max=256 GTTF_HAS_MOVE_MAX)
  if(GTTF_HAS_MOVE_MAX)
    set(copies256 -mmove-max=256 -mstore-max=256)
    set(copies512 -mmove-max=512 -mstore-max=512)
  endif()
  gttf_lanes(sse2 -march=x86-64)
  gttf_lanes(avx2 -march=x86-64-v3 -mtune=haswell ${copies256})
  gttf_lanes(avx512 -march=x86-64-v4 -mprefer-vector-width=512 ${copies512})
  target_compile_definitions(gttf PRIVATE GTTF_SIMD_X86=1)
else()
  # No fused multiplications, as in the scalar code of x86-64, whose baseline
  # has none: the same digits on both.
  check_cxx_compiler_flag(-ffp-contract=off GTTF_HAS_FP_CONTRACT)
  if(GTTF_HAS_FP_CONTRACT)
    target_compile_options(gttf PRIVATE -ffp-contract=off)
  endif()
endif()
