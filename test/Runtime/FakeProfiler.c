//===- test/Runtime/FakeProfiler.c - A profiler that writes NVTX ranges to a file ---===//
// SPDX-License-Identifier: Apache-2.0
//
// NVTX_INJECTION64_PATH names this library, CUPOLA_FAKE_RANGES the file, which gets a line "DOMAIN: DEPTH TEXT" per
// range.
//===----------------------------------------------------------------------===//
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *file;
static int depth;

static nvtxDomainHandle_t create(const char *name) { return (nvtxDomainHandle_t)name; }

static int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event) {
  fprintf(file, "%s: %d %s\n", (const char *)domain, depth, event->message.ascii);
  return depth++;
}

static int pop(nvtxDomainHandle_t domain) {
  (void)domain;
  if (--depth < 0)
    fprintf(file, "a range ends that did not begin\n");
  return depth;
}

static void end(void) {
  fprintf(file, "%d are open at the end\n", depth);
  fclose(file);
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getTable) {
  const NvtxExportTableCallbacks *callbacks = (const NvtxExportTableCallbacks *)getTable(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable table;
  unsigned size = 0;
  const char *path = getenv("CUPOLA_FAKE_RANGES");
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) || !path)
    return 0;
  file = fopen(path, "w");
  if (!file)
    return 0;
  atexit(end);
  *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create;
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
  *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
  return 1;
}
