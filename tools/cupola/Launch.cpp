//===- tools/cupola/Launch.cpp - the program, apart from what it does ---===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/cupola/CommandLine.h"

int main(int argc, char **argv) { return cupola_command_line(argc, argv); }
