# SPDX-License-Identifier: Apache-2.0
# Hardening of the program against exploits: position independent code,
# read-only tables of the loader, checked string functions, stack canaries,
# marked jump targets. The kernels, which process only numbers, have no
# canaries.
add_library(gttf_hardening INTERFACE)
add_library(gttf_canaries INTERFACE)
if(NOT GTTF_HARDENING OR CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  return()
endif()
include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported()
check_cxx_compiler_flag(-fstack-protector-strong GTTF_HAS_STACK_PROTECTOR)
check_cxx_compiler_flag(-fcf-protection=full GTTF_HAS_CF_PROTECTION)
target_compile_options(gttf_hardening INTERFACE
  $<$<NOT:$<BOOL:${BUILD_SHARED_LIBS}>>:$<IF:$<BOOL:${GTTF_PIC}>,-fPIC,-fPIE>>
  $<$<BOOL:${GTTF_HAS_CF_PROTECTION}>:-fcf-protection=full>
  # needs an optimised build
  $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
  $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
target_compile_options(gttf_canaries INTERFACE
  $<$<BOOL:${GTTF_HAS_STACK_PROTECTOR}>:-fstack-protector-strong>)
target_link_libraries(gttf_canaries INTERFACE gttf_hardening)
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  target_link_options(gttf_hardening INTERFACE LINKER:-z,relro,-z,now)
endif()
