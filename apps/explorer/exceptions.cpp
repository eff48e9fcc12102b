// SPDX-License-Identifier: Apache-2.0
// Functions called by the compiler for throw and catch. The module does not
// support exceptions: the first one ends the module, and the page starts
// another.
#include <cstddef>
#include <cstdlib>

extern "C" {

void* __cxa_allocate_exception(std::size_t size) { return std::malloc(size); }
void __cxa_free_exception(void*) {}
[[noreturn]] void __cxa_throw(void*, void*, void (*)(void*)) {
  __builtin_trap();
}
[[noreturn]] void __cxa_rethrow() { __builtin_trap(); }
void* __cxa_begin_catch(void* exception) { return exception; }
void __cxa_end_catch() {}
void* __cxa_get_exception_ptr(void* exception) { return exception; }

}  // extern "C"
