//===- test/Runtime/FakeOneDnn.c - A oneDNN that names its code and computes nothing ---===//
// SPDX-License-Identifier: Apache-2.0
//
// 2.6.3 as it describes itself on a processor with AVX-512, on any processor: brgconv for a
// convolution, but reference code for a piece of 15 rows that has to take weights which were packed
// for another piece (two halves of 26 rows under a 3x3 window with stride 2).
//===----------------------------------------------------------------------===//
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  int64_t dims[12];
  int isPacked;
  char rest[1024 - 12 * sizeof(int64_t) - sizeof(int)]; // as large as dnnl_memory_desc_t
} Desc;
typedef struct {
  Desc source, weights;
} Op;
struct Version {
  int major, minor, patch;
  const char *hash;
  unsigned cpu, gpu;
};

static const struct Version kVersion = {2, 6, 3, "fake", 1, 0}; // 1: no threads of its own
static Op kLast;                                                // of one thread, and read at once
static int kObject;

const struct Version *dnnl_version(void) { return &kVersion; }
int dnnl_memory_desc_init_by_strides(Desc *desc, int rank, const int64_t *dims, int type, const int64_t *strides) {
  (void)type, (void)strides;
  memset(desc, 0, sizeof(*desc));
  memcpy(desc->dims, dims, sizeof(int64_t) * (size_t)rank);
  desc->isPacked = 1;
  return 0;
}
int dnnl_memory_desc_init_by_tag(Desc *desc, int rank, const int64_t *dims, int type, int tag) {
  (void)tag;
  dnnl_memory_desc_init_by_strides(desc, rank, dims, type, dims);
  desc->isPacked = 0;
  return 0;
}
size_t dnnl_memory_desc_get_size(const Desc *desc) { return desc->dims[0] ? 64 : 0; }
int dnnl_dilated_convolution_forward_desc_init(Op *op, int prop, int algorithm, const Desc *source,
                                               const Desc *weights) {
  (void)prop, (void)algorithm;
  op->source = *source, op->weights = *weights;
  return 0;
}
int dnnl_matmul_desc_init(Op *op, const Desc *source, const Desc *weights) {
  return dnnl_dilated_convolution_forward_desc_init(op, 0, 0, source, weights);
}
int dnnl_primitive_desc_create(void **desc, const Op *op) {
  *desc = &kObject;
  kLast = *op;
  return 0;
}
int dnnl_primitive_desc_query(void *desc, int what, int index, const char **name) {
  (void)desc, (void)what, (void)index;
  *name = kLast.weights.isPacked && kLast.source.dims[2] == 15 ? "ref:any" : "brgconv:avx512_core";
  return 0;
}
const Desc *dnnl_primitive_desc_query_md(void *desc, int what) {
  static const Desc kNone = {{0}, 1, {0}};
  (void)desc;
  kLast.weights.isPacked = 1;
  return what == 131 ? &kLast.weights : &kNone; // 131: weights
}

#define MAKES_AN_OBJECT(NAME)                                                                                          \
  int NAME(void **object) {                                                                                            \
    *object = &kObject;                                                                                                \
    return 0;                                                                                                          \
  }
MAKES_AN_OBJECT(dnnl_engine_create)
MAKES_AN_OBJECT(dnnl_stream_create)
MAKES_AN_OBJECT(dnnl_memory_create)
MAKES_AN_OBJECT(dnnl_primitive_attr_create)
MAKES_AN_OBJECT(dnnl_post_ops_create)
MAKES_AN_OBJECT(dnnl_reorder_primitive_desc_create)
MAKES_AN_OBJECT(dnnl_primitive_create)

#define DOES_NOTHING(NAME)                                                                                             \
  int NAME(void) { return 0; }
DOES_NOTHING(dnnl_engine_destroy)
DOES_NOTHING(dnnl_stream_destroy)
DOES_NOTHING(dnnl_memory_set_data_handle)
DOES_NOTHING(dnnl_memory_destroy)
DOES_NOTHING(dnnl_primitive_attr_set_scratchpad_mode)
DOES_NOTHING(dnnl_primitive_attr_set_post_ops)
DOES_NOTHING(dnnl_primitive_attr_destroy)
DOES_NOTHING(dnnl_post_ops_append_eltwise)
DOES_NOTHING(dnnl_post_ops_append_binary)
DOES_NOTHING(dnnl_post_ops_destroy)
DOES_NOTHING(dnnl_primitive_desc_destroy)
DOES_NOTHING(dnnl_primitive_execute)
DOES_NOTHING(dnnl_primitive_destroy)
