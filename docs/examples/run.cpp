//===- docs/examples/run.cpp - Runs a package with inputs of ones: run++ PACKAGE DEVICE EXTENT ---===//
// SPDX-License-Identifier: Apache-2.0
//
// As run.c, by the C++ interface.
//===----------------------------------------------------------------------===//
#include "cupola/Runtime/Runtime.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

bool isFloat(cupola_type type) { return type.code == CUPOLA_TYPE_FLOAT && type.bits == 32; }

struct Free {
  void operator()(void *memory) const { std::free(memory); }
};

/// Tensors in memory aligned so that a run uses it where it lies; floats are 1, all else 0.
struct Tensors {
  std::vector<cupola::Extents> shapes;
  std::vector<std::unique_ptr<void, Free>> memory;

  Tensors(const std::vector<cupola::TensorInfo> &given, const std::vector<cupola::Extents> &extents)
      : shapes(extents), infos(given) {
    for (size_t i = 0; i < infos.size(); ++i) {
      const size_t bytes = count(i) * infos[i].type.bits / 8;
      memory.emplace_back(std::aligned_alloc(64, bytes / 64 * 64 + 64));
      std::fill_n(static_cast<char *>(memory[i].get()), bytes, char(0));
      if (isFloat(infos[i].type))
        std::fill_n(static_cast<float *>(memory[i].get()), count(i), 1.0f);
    }
  }

  size_t count(size_t index) const {
    size_t count = 1;
    for (int64_t extent : shapes[index])
      count *= static_cast<size_t>(extent);
    return count;
  }
  std::vector<cupola_tensor> tensors() {
    std::vector<cupola_tensor> result;
    for (size_t i = 0; i < infos.size(); ++i)
      result.push_back({memory[i].get(),
                        {1, 0},
                        static_cast<int32_t>(shapes[i].size()),
                        infos[i].type,
                        shapes[i].data(),
                        nullptr,
                        0});
    return result;
  }
  void print() const {
    for (size_t i = 0; i < infos.size(); ++i) {
      for (size_t element = 0; isFloat(infos[i].type) && element < count(i); ++element)
        std::cout << (element ? " " : "") << static_cast<const float *>(memory[i].get())[element];
      std::cout << "\n";
    }
  }

private:
  std::vector<cupola::TensorInfo> infos;
};

void run(const char *path, const char *device, int64_t extent) {
  const cupola::Package package(path);
  cupola::Session session(cupola::Executable(package, cupola::Device(device)));
  std::vector<cupola::Extents> extents;
  for (const cupola::TensorInfo &input : package.inputs()) {
    extents.emplace_back();
    for (const std::string &dim : input.dims) // "384", or an expression over symbols
      extents.back().push_back(dim.find_first_not_of("0123456789") == std::string::npos ? std::stoll(dim) : extent);
  }
  session.bind(extents);
  Tensors inputs(package.inputs(), extents);
  extents.clear();
  for (size_t i = 0; i < package.outputs().size(); ++i) {
    extents.push_back(session.outputShape(i));
    for (int64_t found : extents.back())
      if (found < 0)
        throw cupola::Error(CUPOLA_USAGE, "an output whose shape a run finds: see Session::fetchOutput");
  }
  Tensors outputs(package.outputs(), extents);
  session.run(inputs.tensors(), outputs.tensors());
  outputs.print();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return CUPOLA_USAGE;
  try {
    run(argv[1], argv[2], std::stoll(argv[3]));
  } catch (const cupola::Error &error) {
    std::cerr << error.what() << "\n";
    return error.code();
  }
}
