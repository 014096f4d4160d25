//===- test/Install/WriteInputs.cpp - What installed programs work on: WriteInputs PACKAGE MODEL ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Compiler/CApiModel.h"
#include "test/Runtime/TestPackage.h"

#include <fstream>

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const std::string package = cupola::test::packageBytes(cupola::test::makeRunnablePackage());
  std::ofstream(argv[1], std::ios::binary) << package;
  const ModelBytes model = makeModel({"Relu", nullptr});
  std::ofstream(argv[2], std::ios::binary).write(reinterpret_cast<const char *>(model.data), model.size);
}
