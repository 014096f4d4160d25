//===- tools/cupola/Main.cpp - the command line ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/CurrentException.h"
#include "lib/Runtime/Text.h"
#include "lib/Runtime/Tools/Errors.h"
#include "tools/cupola/Command.h"
#include "tools/cupola/CommandLine.h"

#include <cstdio>

using namespace cupola;
using namespace cupola::tool;

static constexpr Command commands[] = {
    {"compile", "compile a model to a package", declareCompile},
    {"run", "run a model or a package once and show the outputs", declareRun},
    {"bench", "measure latency", declareBench},
    {"verify", "compare a model's outputs with a reference", declareVerify},
    {"check", "say whether a model can be compiled, and list every reason why not", declareCheck},
    {"explain", "say what was fused into what, and why not", declareExplain},
    {"tune", "measure schedules of a model's kernels on this machine's GPU", declareTune},
    {"inspect", "show what a package holds", declareInspect},
    {"doctor", "say what of this machine was found where, and what is missing", declareDoctor},
    {"completion", "print what a shell completes these commands by", declareCompletion},
    {"manual", "print the man page of these commands", declareManual},
};

static const char *const footer = "Examples:\n"
                                  "  cupola check   model.onnx\n"
                                  "  cupola compile model.onnx -o model.cupola --target cuda --arch sm_80\n"
                                  "  cupola run     model.onnx --device cpu --shape batch=1 --shape sequence=16\n"
                                  "  cupola verify  model.onnx --device sim --arch sm_80\n"
                                  "  cupola tune    model.onnx -o times.jsonl\n"
                                  "`cupola COMMAND --help` says more.\n";

/// A misspelt command, which the parser would call a missing one.
static bool isUnknownCommand(const std::string &word) {
  return word.rfind("-", 0) != 0 && std::none_of(std::begin(commands), std::end(commands),
                                                 [&](const Command &command) { return command.name == word; });
}

int cupola_command_line(int argc, char **argv) {
  if (argc > 1 && isUnknownCommand(argv[1]))
    return finish(Status::usage("there is no command " + runtime::quote(argv[1]) + "; see cupola --help"));
  CLI::App app("Cupola compiles ONNX models into fused CUDA kernels.", "cupola");
  app.require_subcommand(1);
  app.footer(std::string(footer) + runtime::kExitCodes);
  app.add_flag_callback("--quiet", runtime::beQuiet, "Show results and errors alone: no progress, no warnings");
  app.set_version_flag("--version", "cupola " + std::string(format::version()));
  std::vector<std::pair<CLI::App *, std::function<int()>>> actions;
  try {
    for (const Command &command : commands) {
      CLI::App *sub = app.add_subcommand(command.name, command.summary);
      actions.emplace_back(sub, command.declare(*sub));
      sub->fallthrough(); // to --quiet
    }
    app.parse(argc, argv);
    for (auto &[sub, action] : actions)
      if (sub->parsed())
        return runtime::flushOutput(action());
    return static_cast<int>(Code::Usage);
  } catch (const CLI::Success &success) {
    return runtime::flushOutput(app.exit(success));
  } catch (const CLI::ParseError &error) {
    std::fprintf(stderr, "error: %s; see cupola --help\n", error.what());
    return static_cast<int>(Code::Usage);
  } catch (...) {
    return finish(runtime::currentException());
  }
}
