//===- tools/cupola/Check.cpp - cupola check ---===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/cupola/Command.h"

#include <cstdio>

namespace cupola::tool {

namespace {

struct CheckCommand {
  CompileFlags flags;
  std::string json;

  Status run() {
    Result<compiler::Options> options = flags.options();
    if (options.failed())
      return options.status();
    auto compilation = compiler::Compilation::load(flags.model, *options);
    Status status = compilation.failed() ? compilation.status() : Status::ok();
    Json problems = Json::array();
    for (size_t begin = 0; begin < status.message().size();) {
      size_t end = std::min(status.message().find('\n', begin), status.message().size());
      problems.push_back(status.message().substr(begin, end - begin));
      begin = end + 1;
    }
    CUPOLA_TRY(writeJson(json, {{"schema", "cupola.check/1"}, {"supported", status.isOk()}, {"problems", problems}}));
    CUPOLA_TRY(status);
    clearProgress();
    std::printf("%s: every node is supported\n", flags.model.c_str());
    return {};
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
