//===- test/Runtime/WrongOneDnn.c - oneDNN with a bug in it ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The library itself, to which this one is linked, but for one thing: a result with as many channels as its source and
// half the rows, as of a 3x3 window with stride 2, has a wrong first element; with WRONG_ONEDNN=fails in the
// environment it is an error.
//===----------------------------------------------------------------------===//
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  int rank;
  int64_t dims[12];
} Desc; // how dnnl_memory_desc_t begins
typedef struct {
  int role;
  void *memory;
} Argument;
enum { kSource = 1, kResult = 17, kRuntimeError = 5 };

int dnnl_memory_get_memory_desc(const void *memory, const Desc **desc);
int dnnl_memory_get_data_handle(const void *memory, void **data);

static void *memoryOf(int role, int count, const Argument *arguments) {
  for (int i = 0; i < count; ++i)
    if (arguments[i].role == role)
      return arguments[i].memory;
  return NULL;
}

int dnnl_primitive_execute(const void *primitive, void *stream, int count, const Argument *arguments) {
  int (*execute)(const void *, void *, int, const Argument *) = NULL;
  *(void **)&execute = dlsym(RTLD_NEXT, "dnnl_primitive_execute");
  const int state = execute(primitive, stream, count, arguments);
  const void *source = memoryOf(kSource, count, arguments), *result = memoryOf(kResult, count, arguments);
  const Desc *from = NULL, *to = NULL;
  void *data = NULL;
  if (state != 0 || !source || !result || dnnl_memory_get_memory_desc(source, &from) != 0 ||
      dnnl_memory_get_memory_desc(result, &to) != 0 || dnnl_memory_get_data_handle(result, &data) != 0)
    return state;
  if (to->rank != 4 || from->dims[1] != to->dims[1] || from->dims[2] != 2 * to->dims[2])
    return 0;
  *(float *)data += 100;
  return getenv("WRONG_ONEDNN") ? kRuntimeError : 0;
}
