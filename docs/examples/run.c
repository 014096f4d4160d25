//===- docs/examples/run.c - Runs a package with inputs of ones: run PACKAGE DEVICE EXTENT ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Every dimension that varies has extent EXTENT. Inputs of floats are 1, all others 0; outputs of floats are printed.
//===----------------------------------------------------------------------===//
#include "cupola/Runtime/Runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TENSORS = 8, MOST_DIMS = 8 };

typedef struct Tensors {
  cupola_tensor items[MOST_TENSORS];
  cupola_shape shapes[MOST_TENSORS];
  int64_t extents[MOST_TENSORS][MOST_DIMS];
  size_t count;
} Tensors;

static cupola_string text(const char *value) {
  const cupola_string string = {value, strlen(value)};
  return string;
}

static cupola_status *refuse(const char *reason) { return cupola_status_create(CUPOLA_USAGE, text(reason)); }

/* "384", or an expression over symbols, which stands for `extent`. */
static int64_t extentOf(cupola_string dim, int64_t extent) {
  int64_t value = 0;
  for (size_t i = 0; i < dim.size; ++i) {
    if (dim.data[i] < '0' || dim.data[i] > '9')
      return extent;
    value = value * 10 + (dim.data[i] - '0');
  }
  return value;
}

/* Memory of `extents`, aligned so that a run uses it where it lies; floats are 1. */
static cupola_status *allocate(Tensors *tensors, size_t index, const cupola_tensor_info *info) {
  size_t count = 1;
  for (int32_t d = 0; d < info->rank; ++d)
    count *= (size_t)tensors->extents[index][d];
  const size_t bytes = count * info->type.bits / 8;
  const cupola_tensor tensor = {
      aligned_alloc(64, bytes / 64 * 64 + 64), {1, 0}, info->rank, info->type, tensors->extents[index], NULL, 0};
  tensors->items[index] = tensor;
  tensors->count = index + 1;
  if (!tensor.data)
    return refuse("no memory");
  memset(tensor.data, 0, bytes);
  if (info->type.code == CUPOLA_TYPE_FLOAT && info->type.bits == 32)
    for (size_t i = 0; i < count; ++i)
      ((float *)tensor.data)[i] = 1;
  return NULL;
}

static cupola_status *makeInput(const cupola_package *package, size_t index, int64_t extent, Tensors *inputs) {
  cupola_tensor_info info = {.struct_size = sizeof(info)};
  cupola_status *status = cupola_package_input(package, index, &info);
  if (!status && (index >= MOST_TENSORS || info.rank > MOST_DIMS))
    status = refuse("more tensors or dimensions than this example has room for");
  for (int32_t d = 0; !status && d < info.rank; ++d) {
    cupola_string dim = {0};
    status = cupola_package_input_dim(package, index, d, &dim);
    if (!status)
      inputs->extents[index][d] = extentOf(dim, extent);
  }
  if (status)
    return status;
  const cupola_shape shape = {inputs->extents[index], info.rank, NULL, NULL};
  inputs->shapes[index] = shape;
  return allocate(inputs, index, &info);
}

/* After a bind, which tells the shape. */
static cupola_status *makeOutput(const cupola_package *package, const cupola_session *session, size_t index,
                                 Tensors *outputs) {
  cupola_tensor_info info = {.struct_size = sizeof(info)};
  cupola_shape shape = {0};
  cupola_status *status = cupola_package_output(package, index, &info);
  if (!status)
    status = cupola_session_output_shape(session, index, &shape);
  if (!status && (index >= MOST_TENSORS || info.rank > MOST_DIMS))
    status = refuse("more tensors or dimensions than this example has room for");
  if (status)
    return status;
  for (int32_t d = 0; d < shape.rank; ++d) {
    if (shape.extents[d] < 0)
      return refuse("an output whose shape a run finds: see cupola_session_fetch_output");
    outputs->extents[index][d] = shape.extents[d];
  }
  return allocate(outputs, index, &info);
}

static void print(const cupola_tensor *tensor) {
  size_t count = 1;
  for (int32_t d = 0; d < tensor->ndim; ++d)
    count *= (size_t)tensor->shape[d];
  if (tensor->dtype.code == CUPOLA_TYPE_FLOAT && tensor->dtype.bits == 32)
    for (size_t i = 0; i < count; ++i)
      printf("%s%g", i ? " " : "", ((const float *)tensor->data)[i]);
  printf("\n");
}

static cupola_status *run(const cupola_package *package, cupola_session *session, int64_t extent, Tensors *inputs,
                          Tensors *outputs) {
  cupola_status *status = NULL;
  for (size_t i = 0; !status && i < cupola_package_input_count(package); ++i)
    status = makeInput(package, i, extent, inputs);
  if (!status)
    status = cupola_session_bind(session, inputs->shapes, inputs->count);
  for (size_t i = 0; !status && i < cupola_package_output_count(package); ++i)
    status = makeOutput(package, session, i, outputs);
  if (!status)
    status = cupola_session_run(session, inputs->items, inputs->count, outputs->items, outputs->count);
  for (size_t i = 0; !status && i < outputs->count; ++i)
    print(&outputs->items[i]);
  return status;
}

static void release(Tensors *tensors) {
  for (size_t i = 0; i < tensors->count; ++i)
    free(tensors->items[i].data);
}

static cupola_status *runPackage(const char *path, const char *deviceName, int64_t extent) {
  cupola_package *package = NULL;
  cupola_device *device = NULL;
  cupola_executable *executable = NULL;
  cupola_session *session = NULL;
  Tensors inputs = {.count = 0}, outputs = {.count = 0};
  cupola_status *status = cupola_package_open(text(path), &package);
  if (!status)
    status = cupola_device_create(text(deviceName), NULL, &device);
  if (!status)
    status = cupola_executable_create(package, device, &executable);
  if (!status)
    status = cupola_session_create(executable, NULL, &session);
  if (!status)
    status = run(package, session, extent, &inputs, &outputs);
  release(&inputs);
  release(&outputs);
  cupola_session_release(session);
  cupola_executable_release(executable);
  cupola_device_release(device);
  cupola_package_release(package);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return CUPOLA_USAGE;
  cupola_status *status = runPackage(argv[1], argv[2], strtoll(argv[3], NULL, 10));
  const cupola_code code = cupola_status_code(status);
  const cupola_string message = cupola_status_message(status);
  if (status)
    fprintf(stderr, "%.*s\n", (int)message.size, message.data);
  cupola_status_release(status);
  return (int)code;
}
