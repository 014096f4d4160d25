//===- tools/cupola/Explain.cpp - cupola explain ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/ExplainText.h"
#include "tools/cupola/Command.h"

#include <cstdio>

namespace cupola::tool {

namespace {

struct ExplainCommand {
  CompileFlags flags;
  ReportFiles files;
  bool allEdges = false;

  Status run() {
    CUPOLA_ASSIGN(compiler::Options options, flags.options());
    CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load(flags.model, options));
    CUPOLA_ASSIGN(std::string text, compilation->explain());
    runtime::clearProgress();
    std::fputs(compiler::explainText(text, allEdges).c_str(), stdout);
    if (!files.isAsked())
      return {};
    CUPOLA_ASSIGN(text, compilation->explainWithSources());
    return files.write(Json::parse(text), flags.model);
  }
};

} // namespace

std::function<int()> declareExplain(CLI::App &app) {
  auto command = std::make_shared<ExplainCommand>();
  command->flags.declare(app, "MODEL.onnx");
  app.add_flag("--all-edges", command->allEdges, "Show fused edges, too");
  command->files.declare(app);
  return [command] { return runInWorker(command->flags, [&] { return finish(command->run()); }); };
}

} // namespace cupola::tool
