//===- test/Compiler/CApiModel.c - A small model, encoded by hand ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Compiler/CApiModel.h"

#include <string.h>

const float modelWeight[12] = {0, 0.125f, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 0.875f, 1, 1.125f, 1.25f, 1.375f};

/* The encoding of Protobuf: a tag, field << 3 | wire type, then a varint (0) or a length and bytes (2). */

static void putVarint(ModelBytes *message, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    message->data[message->size++] = (uint8_t)(value | 0x80);
  message->data[message->size++] = (uint8_t)value;
}

static void putNumber(ModelBytes *message, unsigned field, uint64_t value) {
  putVarint(message, field << 3);
  putVarint(message, value);
}

static void putBytes(ModelBytes *message, unsigned field, const void *data, size_t size) {
  putVarint(message, field << 3 | 2);
  putVarint(message, size);
  memcpy(message->data + message->size, data, size);
  message->size += size;
}

static void putText(ModelBytes *message, unsigned field, const char *text) {
  putBytes(message, field, text, strlen(text));
}

static void putMessage(ModelBytes *message, unsigned field, ModelBytes inner) {
  putBytes(message, field, inner.data, inner.size);
}

static ModelBytes node(const char *op, const char *name, const char *inputs[2], const char *output) {
  ModelBytes node = {.size = 0};
  for (int i = 0; i < 2 && inputs[i]; ++i)
    putText(&node, 1, inputs[i]);
  putText(&node, 2, output);
  putText(&node, 3, name);
  putText(&node, 4, op);
  return node;
}

static ModelBytes value(const char *name, uint64_t rows, uint64_t columns) {
  ModelBytes shape = {.size = 0}, tensor = {.size = 0}, type = {.size = 0}, value = {.size = 0};
  const uint64_t dims[2] = {rows, columns};
  for (int i = 0; i < 2; ++i) {
    ModelBytes dim = {.size = 0};
    putNumber(&dim, 1, dims[i]);
    putMessage(&shape, 1, dim);
  }
  putNumber(&tensor, 1, 1 /* float */);
  putMessage(&tensor, 2, shape);
  putMessage(&type, 1, tensor);
  putText(&value, 1, name);
  putMessage(&value, 2, type);
  return value;
}

static void putExternal(ModelBytes *tensor, const char *key, const char *value) {
  ModelBytes entry = {.size = 0};
  putText(&entry, 1, key);
  putText(&entry, 2, value);
  putMessage(tensor, 13, entry);
}

static ModelBytes weight(const char *externalLength) {
  ModelBytes tensor = {.size = 0};
  putNumber(&tensor, 1, 4);
  putNumber(&tensor, 1, 3);
  putNumber(&tensor, 2, 1 /* float */);
  putText(&tensor, 8, "w");
  if (!externalLength) {
    putBytes(&tensor, 9, modelWeight, sizeof(modelWeight));
    return tensor;
  }
  putExternal(&tensor, "location", "weights.bin");
  putExternal(&tensor, "offset", "16");
  putExternal(&tensor, "length", externalLength);
  putNumber(&tensor, 14, 1 /* external */);
  return tensor;
}

ModelBytes makeModel(ModelShape shape) {
  const char *factors[2] = {"x", "w"}, *product[2] = {"a", NULL};
  ModelBytes graph = {.size = 0}, opset = {.size = 0}, model = {.size = 0};
  putMessage(&graph, 1, node("MatMul", "mul", factors, "a"));
  putMessage(&graph, 1, node(shape.op, "last", product, "y"));
  putText(&graph, 2, "small");
  putMessage(&graph, 5, weight(shape.externalLength));
  putMessage(&graph, 11, value("x", 2, 4));
  putMessage(&graph, 12, value("y", 2, 3));
  putText(&opset, 1, "");
  putNumber(&opset, 2, 17);
  putNumber(&model, 1, 8);
  putMessage(&model, 7, graph);
  putMessage(&model, 8, opset);
  return model;
}
