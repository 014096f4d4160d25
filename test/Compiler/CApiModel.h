//===- test/Compiler/CApiModel.h - A small model, encoded by hand ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Who uses the shared library has no ONNX library at hand, and its test must not have a second one.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_TEST_COMPILER_CAPIMODEL_H
#define CUPOLA_TEST_COMPILER_CAPIMODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ModelBytes {
  uint8_t data[4096];
  size_t size;
} ModelBytes;

/* Of the weight w, 4x3: 0, 1/8, 2/8, .. */
extern const float modelWeight[12];

typedef struct ModelShape {
  const char *op;             /* of the last node, "Relu" */
  const char *externalLength; /* of w in weights.bin at offset 16; NULL: w is in the model */
} ModelShape;

/* y[2,3] = op(x[2,4] * w), by nodes 'mul' and 'last', opset 17. */
ModelBytes makeModel(ModelShape shape);

#ifdef __cplusplus
}
#endif

#endif // CUPOLA_TEST_COMPILER_CAPIMODEL_H
