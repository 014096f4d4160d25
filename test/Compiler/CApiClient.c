//===- test/Compiler/CApiClient.c - What a program in C does with the compiler ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Compiler/CApiClient.h"
#include "cupola/Runtime/Runtime.h"
#include "test/Compiler/CApiModel.h"

#include <string.h>

cupola_string clientText(const char *text) {
  const cupola_string string = {text, strlen(text)};
  return string;
}

static void append(char *target, size_t room, cupola_string text) {
  const size_t used = strlen(target);
  const size_t size = text.size < room - used - 1 ? text.size : room - used - 1;
  memcpy(target + used, text.data, size);
  target[used + size] = 0;
}

cupola_code clientCode(Client *client, cupola_status *status) {
  const cupola_code code = cupola_status_code(status);
  client->message[0] = 0;
  append(client->message, sizeof(client->message), cupola_status_message(status));
  cupola_status_release(status);
  return code;
}

static cupola_status *readExternal(void *user, cupola_string location, uint64_t offset, uint64_t size,
                                   cupola_bytes *bytes) {
  Client *client = user;
  ++client->reads;
  if (client->answer == Refused)
    return cupola_status_create(CUPOLA_ENVIRONMENT, clientText("the server is away"));
  if (location.size != 11 || memcmp(location.data, "weights.bin", 11) != 0 || offset != 16 ||
      size != sizeof(modelWeight))
    return cupola_status_create(CUPOLA_USAGE, clientText("asked for something else"));
  bytes->data = client->answer == Nothing ? NULL : modelWeight;
  bytes->size = client->answer == TooShort ? size - 1 : client->answer == TooLong ? size + 1 : size;
  return NULL;
}

static void hearProgress(void *user, cupola_string what) {
  Client *client = user;
  append(client->told, sizeof(client->told), what);
  append(client->told, sizeof(client->told), clientText(";"));
}

static int isCancelled(void *user) {
  Client *client = user;
  return ++client->polls == client->cancelAt; /* once: the compilation remembers */
}

cupola_compile_options clientOptions(Client *client) {
  static const cupola_string cpu = {"cpu", 3}, level = {"x86-64-v3", 9};
  cupola_compile_options options = {0};
  options.struct_size = sizeof(options);
  options.targets = (cupola_strings){&cpu, 1};
  options.cpu_levels = (cupola_strings){&level, 1};
  options.cache_dir = clientText("none");
  options.threads = 1;
  options.user = client;
  options.progress = hearProgress;
  options.cancelled = isCancelled;
  return options;
}

cupola_model clientModel(Client *client, const void *data, size_t size) {
  cupola_model model = {0};
  model.struct_size = sizeof(model);
  model.bytes = (cupola_bytes){data, size};
  model.read_external = readExternal;
  model.user = client;
  return model;
}

static cupola_status *runPackage(cupola_bytes bytes, float *y) {
  static _Alignas(64) float x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  static int64_t xShape[2] = {2, 4}, yShape[2] = {2, 3};
  const cupola_tensor input = {x, {1, 0}, 2, {CUPOLA_TYPE_FLOAT, 32, 1}, xShape, NULL, 0};
  const cupola_tensor output = {y, {1, 0}, 2, {CUPOLA_TYPE_FLOAT, 32, 1}, yShape, NULL, 0};
  cupola_package *package = NULL;
  cupola_device *device = NULL;
  cupola_executable *executable = NULL;
  cupola_session *session = NULL;
  cupola_status *status = cupola_package_open_memory(bytes.data, bytes.size, &package);
  if (!status)
    status = cupola_device_create(clientText("cpu"), NULL, &device);
  if (!status)
    status = cupola_executable_create(package, device, &executable);
  if (!status)
    status = cupola_session_create(executable, NULL, &session);
  if (!status)
    status = cupola_session_run(session, &input, 1, &output, 1);
  cupola_session_release(session);
  cupola_executable_release(executable);
  cupola_device_release(device);
  cupola_package_release(package);
  return status;
}

cupola_code clientCompileAndRun(Client *client, const void *data, size_t size, float *y) {
  const cupola_model model = clientModel(client, data, size);
  const cupola_compile_options options = clientOptions(client);
  cupola_compilation *compilation = NULL;
  cupola_bytes bytes = {0};
  cupola_status *status = cupola_compilation_create(&model, &options, &compilation);
  if (!status)
    status = cupola_compilation_package(compilation, &bytes);
  if (!status)
    status = runPackage(bytes, y);
  cupola_compilation_release(compilation);
  return clientCode(client, status);
}

cupola_code clientCompileTo(Client *client, const void *data, size_t size, const char *path) {
  const cupola_model model = clientModel(client, data, size);
  const cupola_compile_options options = clientOptions(client);
  cupola_compilation *compilation = NULL;
  cupola_status *status = cupola_compilation_create(&model, &options, &compilation);
  if (!status)
    status = cupola_compilation_write_package(compilation, clientText(path));
  cupola_compilation_release(compilation);
  return clientCode(client, status);
}
