//===- test/Runtime/CApiRun.c - One run through the C interface, as a process ---===//
// SPDX-License-Identifier: Apache-2.0
//
// CApiRun PACKAGE: runs the test package for two rows on the cpu and returns the code of the
// first error, whose text goes to standard error. CApiRun PACKAGE found: the same with a loop
// of three iterations, whose output has a row for each. CApiRun PACKAGE queued: the first
// three times, waiting only then.
//===----------------------------------------------------------------------===//
#include "cupola/Runtime/Runtime.h"

#include <string.h>
#include <unistd.h>

static cupola_string text(const char *value) {
  const cupola_string string = {value, strlen(value)};
  return string;
}

static cupola_status *queueRows(cupola_session *session, float *y, uint64_t *run) {
  static _Alignas(64) float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  static _Alignas(64) int64_t ids[2] = {2, 0};
  static int64_t matrix[2] = {2, 4}, vector[1] = {2};
  const cupola_tensor inputs[2] = {{x, {1, 0}, 2, {CUPOLA_TYPE_FLOAT, 32, 1}, matrix, NULL, 0},
                                   {ids, {1, 0}, 1, {CUPOLA_TYPE_INT, 64, 1}, vector, NULL, 0}};
  const cupola_tensor output = {y, {1, 0}, 2, {CUPOLA_TYPE_FLOAT, 32, 1}, matrix, NULL, 0};
  return run ? cupola_session_enqueue(session, inputs, 2, &output, 1, run)
             : cupola_session_run(session, inputs, 2, &output, 1);
}

static cupola_status *runRows(cupola_session *session) {
  static _Alignas(64) float y[8];
  return queueRows(session, y, NULL);
}

static cupola_status *runQueued(cupola_session *session) {
  static _Alignas(64) float y[3][16];
  uint64_t runs[3];
  for (int i = 0; i < 3; ++i) {
    cupola_status *status = queueRows(session, y[i], &runs[i]);
    if (status)
      return status;
  }
  for (int i = 0; i < 3; ++i) {
    cupola_status *status = cupola_session_wait(session, runs[i]);
    if (status)
      return status;
  }
  return NULL;
}

static cupola_status *runLoop(cupola_session *session) {
  static _Alignas(64) float x[2] = {1, 2}, y[6];
  static _Alignas(64) int64_t count[1] = {3};
  static _Alignas(64) uint8_t go[1] = {1};
  static int64_t vector[1] = {2}, matrix[2];
  const cupola_tensor inputs[3] = {{x, {1, 0}, 1, {CUPOLA_TYPE_FLOAT, 32, 1}, vector, NULL, 0},
                                   {count, {1, 0}, 0, {CUPOLA_TYPE_INT, 64, 1}, NULL, NULL, 0},
                                   {go, {1, 0}, 0, {CUPOLA_TYPE_BOOL, 8, 1}, NULL, NULL, 0}};
  cupola_tensor output = {NULL, {1, 0}, 2, {CUPOLA_TYPE_FLOAT, 32, 1}, matrix, NULL, 0};
  cupola_shape shape = {0};
  cupola_status *status = cupola_session_run(session, inputs, 3, &output, 1);
  if (!status)
    status = cupola_session_output_shape(session, 0, &shape);
  if (status)
    return status;
  memcpy(matrix, shape.extents, sizeof(matrix));
  output.data = y;
  return matrix[0] * matrix[1] == 6 ? cupola_session_fetch_output(session, 0, &output) : NULL;
}

static cupola_status *run(const char *path, cupola_status *(*call)(cupola_session *)) {
  cupola_device_options options = {0};
  options.struct_size = sizeof(options);
  options.threads = 2;
  cupola_package *package = NULL;
  cupola_device *device = NULL;
  cupola_executable *executable = NULL;
  cupola_session *session = NULL;
  cupola_status *status = cupola_package_open(text(path), &package);
  if (!status)
    status = cupola_device_create(text("cpu"), &options, &device);
  if (!status)
    status = cupola_executable_create(package, device, &executable);
  if (!status)
    status = cupola_session_create(executable, NULL, &session);
  if (!status)
    status = call(session);
  if (session)
    cupola_session_release(session);
  if (executable)
    cupola_executable_release(executable);
  if (device)
    cupola_device_release(device);
  if (package)
    cupola_package_release(package);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return CUPOLA_USAGE;
  cupola_status *status = run(argv[1], argc == 2 ? runRows : strcmp(argv[2], "queued") == 0 ? runQueued : runLoop);
  const cupola_code code = cupola_status_code(status);
  const cupola_string message = cupola_status_message(status);
  if (write(STDERR_FILENO, message.data, message.size) < 0)
    return CUPOLA_IO;
  cupola_status_release(status);
  return (int)code;
}
