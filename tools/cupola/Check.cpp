//===- tools/cupola/Check.cpp - cupola check ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CheckReport.h"
#include "tools/cupola/Command.h"

#include <cstdio>

namespace cupola::tool {

namespace {

struct CheckCommand {
  CompileFlags flags;
  std::string json;

  Status run() {
    CUPOLA_ASSIGN(compiler::Options options, flags.options());
    std::vector<compiler::Problem> problems;
    const Status status = compiler::Compilation::check(flags.model, options, problems);
    const runtime::Report report = compiler::checkReport(flags.model, problems);
    CUPOLA_TRY(writeReport(json, report.json));
    runtime::clearProgress();
    std::fputs(report.text.c_str(), stdout);
    std::fflush(stdout); // before the problems, which are errors
    std::string text;
    for (const compiler::Problem &problem : problems)
      text += (text.empty() ? "" : "\n") + problem.text;
    return problems.empty() ? Status::ok() : Status(status.code(), text);
  }
};

} // namespace

std::function<int()> declareCheck(CLI::App &app) {
  auto command = std::make_shared<CheckCommand>();
  command->flags.declare(app, "MODEL.onnx");
  app.add_option("--json", command->json, "Write a report to this file");
  return [command] { return runInWorker(command->flags, [&] { return finish(command->run()); }); };
}

} // namespace cupola::tool
