//===- test/Import/Onnx/ImportTool.cpp - models to the graph dialect -------===//
// SPDX-License-Identifier: Apache-2.0
//
// cupola-import-onnx FILE [--shape NAME=2x3] [--dim NAME=1..64] [--limit NAME=N]
//                         [--sequence NAME=N|absent] [--op-library FILE] [--trusted-library FILE] [--locations]
// FILE is a model (*.onnx) or holds models in ONNX's text form, separated by lines
// "# -----". Prints the imported module or the errors of each; the exit code is
// that of the one model, 0 for several.
//===----------------------------------------------------------------------===//
#include "dialects/Graph/Graph.h"
#include "lib/Import/Onnx/OnnxImporter.h"
#include "lib/Import/Onnx/OpLibrary/OpLibrary.h"

#include "onnx/defs/parser.h"
#include "onnx/onnx_pb.h"

#include <fstream>
#include <sstream>

using namespace cupola::onnx_import;

namespace {

struct Arguments {
  std::string file;
  ShapeOptions shapes;
  LoadOptions loading;
  OpLibrary library;
  bool locations = false;
};

/// NAME=VALUE.
std::pair<std::string, std::string> assignment(const std::string &text) {
  const size_t equals = text.rfind('=');
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Arguments parse(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--locations") {
      arguments.locations = true;
      continue;
    }
    if (option == "--allow-decoders") {
      arguments.shapes.allowDecoders = true;
      continue;
    }
    if (option.rfind("--", 0) != 0) {
      arguments.file = option;
      continue;
    }
    const auto [name, value] = assignment(argv[++i]);
    if (option == "--op-library" || option == "--trusted-library") {
      const cupola::Status status = arguments.library.addFile(argv[i], option == "--trusted-library");
      if (status.failed())
        llvm::outs() << "error: " << status.message() << "\n";
    } else if (option == "--limit") {
      setLimit(arguments.loading.limits, name, std::stoll(value));
    } else if (option == "--sequence") {
      arguments.shapes.sequences[name] = value == "absent" ? std::nullopt : std::optional<int64_t>(std::stoll(value));
    } else if (option == "--dim") {
      const size_t dots = value.find("..");
      arguments.shapes.bounds[name] = {std::stoll(value.substr(0, dots)), std::stoll(value.substr(dots + 2))};
    } else if (value.find('x') != std::string::npos) {
      std::stringstream dims(value);
      for (std::string dim; std::getline(dims, dim, 'x');)
        arguments.shapes.inputs[name].push_back(std::stoll(dim));
    } else {
      arguments.shapes.symbols[name] = std::stoll(value);
    }
  }
  return arguments;
}

int import(std::optional<LoadedModel> model, const Arguments &arguments, Diagnostics &diagnostics) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (model)
    module =
        importModel(*model, arguments.shapes, arguments.loading.limits, context, diagnostics, arguments.library).module;
  for (const std::string &line : diagnostics.lines("model", SIZE_MAX))
    llvm::outs() << "error: " << line << "\n";
  for (const std::string &line : diagnostics.warnings())
    llvm::outs() << "warning: model: " << line << "\n";
  if (module) {
    mlir::OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(64).elideLargeResourceString();
    flags.enableDebugInfo(arguments.locations, /*prettyForm=*/false);
    flags.useLocalScope();
    module->print(llvm::outs(), flags);
  }
  llvm::outs() << "// -----\n";
  return diagnostics.exitCode();
}

OpKnown known(const Arguments &arguments) {
  return [&](const std::string &domain, const std::string &op, int64_t version) {
    return arguments.library.knows(domain, op, version);
  };
}

int importText(const std::string &text, const Arguments &arguments) {
  Diagnostics diagnostics;
  onnx::ModelProto proto;
  onnx::OnnxParser parser(text.c_str());
  const auto status = parser.Parse(proto);
  if (!status.IsOK()) {
    llvm::errs() << status.ErrorMessage() << "\n";
    return 1;
  }
  auto model = loadModelBytes(proto.SerializeAsString(), "model", arguments.loading, known(arguments), diagnostics);
  return import(std::move(model), arguments, diagnostics);
}

} // namespace

int main(int argc, char **argv) {
  const Arguments arguments = parse(argc, argv);
  const std::string &file = arguments.file;
  if (file.size() > 5 && file.compare(file.size() - 5, 5, ".onnx") == 0) {
    Diagnostics diagnostics;
    auto model = loadModelFile(file, arguments.loading, known(arguments), diagnostics);
    return import(std::move(model), arguments, diagnostics);
  }
  std::ifstream lines(file);
  std::string text, line;
  bool several = false;
  while (std::getline(lines, line)) {
    if (line == "# -----") {
      importText(text, arguments);
      text.clear();
      several = true;
    } else if (line.rfind('#', 0) != 0) {
      text += line + "\n";
    }
  }
  const int code = importText(text, arguments);
  return several ? 0 : code;
}
