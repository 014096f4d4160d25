//===- docs/examples/compile.c - Compiles a model for the CPU: compile MODEL PACKAGE ---===//
// SPDX-License-Identifier: Apache-2.0
#include "cupola/Compiler/Compiler.h"

#include <stdio.h>
#include <string.h>

static cupola_string text(const char *value) {
  const cupola_string string = {value, strlen(value)};
  return string;
}

static cupola_status *compile(cupola_string path, cupola_string target) {
  const cupola_string cpu = {"cpu", 3};
  cupola_compile_options options = {0};
  options.struct_size = sizeof(options);
  options.targets.items = &cpu;
  options.targets.count = 1;
  cupola_model model = {0};
  model.struct_size = sizeof(model);
  model.path = path;
  cupola_compilation *compilation = NULL;
  cupola_status *status = cupola_compilation_create(&model, &options, &compilation);
  if (!status)
    status = cupola_compilation_write_package(compilation, target);
  cupola_compilation_release(compilation);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return CUPOLA_USAGE;
  cupola_status *status = compile(text(argv[1]), text(argv[2]));
  const cupola_code code = cupola_status_code(status);
  const cupola_string message = cupola_status_message(status);
  if (status)
    fprintf(stderr, "%.*s\n", (int)message.size, message.data);
  cupola_status_release(status);
  return (int)code;
}
