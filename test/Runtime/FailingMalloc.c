//===- test/Runtime/FailingMalloc.c - Memory that runs out at a chosen allocation ---===//
// SPDX-License-Identifier: Apache-2.0
//
// To be preloaded. CUPOLA_FAIL_AT=N: from the N-th allocation on there is no memory; N=1 is
// the first. With CUPOLA_CRASH=1 the process gets SIGSEGV there. CUPOLA_COUNT_ALLOCATIONS=FILE:
// the number of allocations goes to FILE at the end.
//===----------------------------------------------------------------------===//
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static atomic_long count, limit;
static int isCrash;

static int fails(void) {
  const long at = atomic_fetch_add(&count, 1) + 1, from = atomic_load(&limit);
  if (from == 0 || at < from)
    return 0;
  if (isCrash)
    raise(SIGSEGV);
  errno = ENOMEM;
  return 1;
}

__attribute__((constructor)) static void start(void) {
  const char *text = getenv("CUPOLA_FAIL_AT");
  isCrash = getenv("CUPOLA_CRASH") != NULL;
  atomic_store(&limit, text ? atol(text) : 0);
}

/// Of the process that made most: a worker goes on from the count of the one that started it.
__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("CUPOLA_COUNT_ALLOCATIONS");
  char text[32] = "";
  const int file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
  if (file < 0)
    return;
  const ssize_t old = pread(file, text, sizeof(text) - 1, 0);
  const long made = atomic_load(&count);
  if ((old <= 0 || atol(text) < made) && pwrite(file, text, (size_t)snprintf(text, sizeof(text), "%ld", made), 0) < 0)
    abort();
  close(file);
}

void _exit(int code) {
  tell();
  syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

void *malloc(size_t bytes) { return fails() ? NULL : __libc_malloc(bytes); }
void *calloc(size_t items, size_t bytes) { return fails() ? NULL : __libc_calloc(items, bytes); }
void *realloc(void *old, size_t bytes) { return fails() ? NULL : __libc_realloc(old, bytes); }
void *memalign(size_t alignment, size_t bytes) { return fails() ? NULL : __libc_memalign(alignment, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  void *got = memalign(alignment, bytes);
  if (!got)
    return ENOMEM;
  *memory = got;
  return 0;
}
