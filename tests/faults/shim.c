// SPDX-License-Identifier: Apache-2.0
// Loaded in front of the C library (LD_PRELOAD): the n-th call of one kind
// fails. GTTF_FAULT is "KIND N ERRNO", with "+" behind N for all calls from the
// n-th on; the number of calls goes to the file GTTF_FAULT_COUNT in the end.
// Programs that the first one starts are left in peace.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum Kind { memory, writing, opening, syncing, renaming, closing, reading,
            threads, spawning, n_kinds };
static const char* const kind_names[n_kinds] = {
    "memory", "write", "open", "fsync", "rename",
    "close",  "read",  "thread", "pipe"};

static int chosen = -1, cause = EIO, all_from_there = 0;
static long wanted = 0;
static atomic_long calls = 0;
static char count_file[512];

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

// The function that this one stands in front of.
static void* next_function(const char* name) { return dlsym(RTLD_NEXT, name); }

// Whether this call of a kind is the one to fail.
static int fails(int kind) {
  if (kind != chosen) return 0;
  const long n = atomic_fetch_add(&calls, 1) + 1;
  return n == wanted || (all_from_there && n > wanted);
}

__attribute__((constructor)) static void begin(void) {
  const char* fault = getenv("GTTF_FAULT");
  const char* file = getenv("GTTF_FAULT_COUNT");
  if (file != NULL) snprintf(count_file, sizeof count_file, "%s", file);
  char name[16] = "", more = ' ';
  int kind = -1;
  if (fault != NULL && sscanf(fault, "%15s %ld%c %d", name, &wanted, &more,
                              &cause) >= 3)
    for (int k = 0; k < n_kinds; ++k)
      if (strcmp(name, kind_names[k]) == 0) kind = k;
  all_from_there = more == '+';
  unsetenv("LD_PRELOAD");
  unsetenv("GTTF_FAULT");
  chosen = kind;
}

__attribute__((destructor)) static void end(void) {
  const int kind = chosen;
  chosen = -1;
  if (count_file[0] == '\0' || kind < 0) return;
  const int file = open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  dprintf(file, "%ld\n", atomic_load(&calls));
  close(file);
}

void* malloc(size_t size) {
  if (fails(memory)) return errno = ENOMEM, NULL;
  return __libc_malloc(size);
}
void* calloc(size_t n, size_t size) {
  if (fails(memory)) return errno = ENOMEM, NULL;
  return __libc_calloc(n, size);
}
void* realloc(void* old, size_t size) {
  if (fails(memory)) return errno = ENOMEM, NULL;
  return __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  if (fails(memory)) return errno = ENOMEM, NULL;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) {
  if (fails(memory)) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result != NULL ? 0 : ENOMEM;
}

ssize_t write(int file, const void* bytes, size_t n) {
  static ssize_t (*real)(int, const void*, size_t);
  if (real == NULL) *(void**)&real = next_function("write");
  if (fails(writing)) return errno = cause, -1;
  return real(file, bytes, n);
}
ssize_t read(int file, void* bytes, size_t n) {
  static ssize_t (*real)(int, void*, size_t);
  if (real == NULL) *(void**)&real = next_function("read");
  if (fails(reading)) return errno = cause, -1;
  return real(file, bytes, n);
}
// Reading by the streams of C does not pass read().
size_t fread(void* bytes, size_t size, size_t n, FILE* file) {
  static size_t (*real)(void*, size_t, size_t, FILE*);
  if (real == NULL) *(void**)&real = next_function("fread");
  if (!fails(reading)) return real(bytes, size, n, file);
  file->_flags |= 0x20;  // what ferror() looks at in glibc
  errno = cause;
  return 0;
}
static int open_as(const char* name, const char* path, int flags, mode_t mode) {
  int (*real)(const char*, int, ...);
  *(void**)&real = next_function(name);
  if (fails(opening)) return errno = cause, -1;
  return real(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_as("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_as("open64", path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  static FILE* (*real)(const char*, const char*);
  if (real == NULL) *(void**)&real = next_function("fopen");
  if (fails(opening)) return errno = cause, NULL;
  return real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }
int fsync(int file) {
  static int (*real)(int);
  if (real == NULL) *(void**)&real = next_function("fsync");
  if (fails(syncing)) return errno = cause, -1;
  return real(file);
}
int rename(const char* from, const char* to) {
  static int (*real)(const char*, const char*);
  if (real == NULL) *(void**)&real = next_function("rename");
  if (fails(renaming)) return errno = cause, -1;
  return real(from, to);
}
int close(int file) {
  static int (*real)(int);
  if (real == NULL) *(void**)&real = next_function("close");
  const int result = real(file);
  if (fails(closing)) return errno = cause, -1;
  return result;
}
int pipe2(int ends[2], int flags) {
  static int (*real)(int*, int);
  if (real == NULL) *(void**)&real = next_function("pipe2");
  if (fails(spawning)) return errno = cause, -1;
  return real(ends, flags);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* how,
                   void* (*start)(void*), void* argument) {
  static int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*),
                     void*);
  if (real == NULL) *(void**)&real = next_function("pthread_create");
  if (fails(threads)) return cause;
  return real(thread, how, start, argument);
}
