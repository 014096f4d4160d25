//===- test/Runtime/PackageCases.cpp - many packages on one device, held against stored outputs ---===//
// SPDX-License-Identifier: Apache-2.0
//
// package_cases DEVICE FILE.cupola ..
//
// Beside FILE.cupola lies FILE.npz with inputs in:NAME and outputs out:NAME. A package runs with poisoned memory, and,
// for a session's recordings, three times without. One process runs all packages: on a GPU making a context takes
// longer than most models. A line for each that failed, and "N passed, N failed".
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Device.h"
#include "lib/Runtime/Executable.h"
#include "lib/Runtime/Tools/Verification.h"

#include <cstdio>
#include <filesystem>

using namespace cupola;
using namespace cupola::runtime;

/// Inputs rounded otherwise by an op's definition in ONNX differ by as much.
static constexpr double kLeastTolerance = 1e-3;

static Result<std::vector<npz::Array>> referencesIn(const std::string &path) {
  CUPOLA_ASSIGN(const std::vector<npz::Array> arrays, npz::read(path));
  std::vector<npz::Array> references;
  for (const npz::Array &array : arrays)
    if (array.name.compare(0, 4, "out:") == 0) {
      references.push_back(array);
      references.back().name.erase(0, 4);
    }
  return references;
}

static Status runCase(const std::shared_ptr<Device> &device, const std::string &path) {
  const std::string values = std::filesystem::path(path).replace_extension(".npz").string();
  CUPOLA_ASSIGN(auto file, format::PackageFile::open(path));
  CUPOLA_ASSIGN(const std::shared_ptr<const Executable> executable, Executable::create(std::move(file), device));
  InputOptions options;
  options.npz = values;
  CUPOLA_ASSIGN(auto inputs, makeInputs(executable->package(), executable->parsedInterface(), options));
  CUPOLA_ASSIGN(const auto references, referencesIn(values));
  const double tolerance = std::max(kLeastTolerance, usualTolerance(executable->package()));
  for (const auto run : {runPoisoned, runRecorded}) {
    CUPOLA_ASSIGN(const auto outputs, run(executable, inputs));
    CUPOLA_ASSIGN(const Comparison comparison, compareOutputs(outputs, references, tolerance, values));
    if (!comparison.pass)
      return Status::internal((run == runRecorded ? "recorded: " : "") + comparison.report().text);
  }
  return {};
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fputs("usage: package_cases DEVICE FILE.cupola ..\n", stderr);
    return 2;
  }
  Result<std::shared_ptr<Device>> device = createDevice(argv[1], {});
  if (device.failed()) {
    std::fprintf(stderr, "error: %s\n", device.status().message().c_str());
    return 6;
  }
  int failed = 0;
  for (int i = 2; i < argc; ++i) {
    const Status status = runCase(*device, argv[i]);
    if (status.failed())
      std::printf("FAIL %s: %s\n", argv[i], status.message().c_str());
    failed += status.failed();
  }
  std::printf("%d passed, %d failed\n", argc - 2 - failed, failed);
  return failed ? 1 : 0;
}
