//===- tools/cupola/CommandLine.h - what the program does ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TOOLS_CUPOLA_COMMANDLINE_H
#define CUPOLA_TOOLS_CUPOLA_COMMANDLINE_H

#include "cupola/Status.h"

/// Does what the arguments of `cupola` say; its exit code. No part of the C interface: a wheel's program finds it in
/// libcupola_compiler.so.
extern "C" CUPOLA_API int cupola_command_line(int argc, char **argv);

#endif // CUPOLA_TOOLS_CUPOLA_COMMANDLINE_H
