# SPDX-License-Identifier: Apache-2.0
# Toolchain of the preset wasm: Clang and the WASI packages of Debian 12.
#   apt-get install clang-16 lld-16 wasi-libc libc++-16-dev-wasm32
#     libc++abi-16-dev-wasm32 libclang-rt-16-dev-wasm32
# Version 16 is the first whose C++ library has the algorithms of C++20.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
find_program(GTTF_WASM_COMPILER clang++-16)
if(NOT GTTF_WASM_COMPILER)
  message(FATAL_ERROR "clang++-16 is missing: apt-get install clang-16 lld-16 \
wasi-libc libc++-16-dev-wasm32 libc++abi-16-dev-wasm32 libclang-rt-16-dev-wasm32")
endif()
set(CMAKE_CXX_COMPILER ${GTTF_WASM_COMPILER})
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
# the compiler is tested without linking: the link options are in CMakeLists.txt
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
