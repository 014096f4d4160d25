//===- test/Reference/ReferenceTool.cpp - lib/Reference on a model ---===//
// SPDX-License-Identifier: Apache-2.0
//
// cupola-reference MODEL.onnx CASE.npz OUT.npz [INPUT..]: what the interpreter gives for the arrays
// in:NAME of CASE, by the outputs' names. The model is imported with the shapes that CASE has
// for the named inputs. The exit code is the Status's.
//===----------------------------------------------------------------------===//
#include "lib/Compiler/Compilation.h"
#include "lib/Compiler/CompilationImpl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdio>
#include <set>

using namespace cupola;

namespace {

/// The inputs of the model, by position.
Result<std::vector<npz::Array>> inputsOf(compiler::Compilation &compilation, const std::vector<npz::Array> &arrays,
                                         const std::string &path) {
  auto main = compilation.impl().imported->lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<npz::Array> inputs;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    const std::string name = main.getArgAttrOfType<mlir::StringAttr>(i, "graph.name").str();
    auto it = llvm::find_if(arrays, [&](const npz::Array &array) { return array.name == "in:" + name; });
    if (it == arrays.end())
      return Status::usage(path + " has no in:" + name);
    inputs.push_back(*it);
    inputs.back().name = name;
  }
  return inputs;
}

Status run(const std::string &model, const std::string &casePath, const std::string &out,
           const std::set<std::string> &fixed) {
  compiler::Options options;
  options.targets = {"cpu"};
  options.allowDecoders = true;
  CUPOLA_ASSIGN(std::vector<npz::Array> arrays, npz::read(casePath));
  for (const npz::Array &array : arrays)
    if (array.name.rfind("in:", 0) == 0 && fixed.count(array.name.substr(3)))
      options.shapes.push_back({array.name.substr(3), array.shape});
  options.given = compiler::givenInputs(arrays);
  CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load(model, options));
  CUPOLA_ASSIGN(auto inputs, inputsOf(*compilation, arrays, casePath));
  auto outputs = compilation->reference(inputs);
  return outputs.failed() ? outputs.status() : npz::write(out, *outputs);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  const Status status = run(argv[1], argv[2], argv[3], std::set<std::string>(argv + 4, argv + argc));
  if (status.failed())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return static_cast<int>(status.code());
}
