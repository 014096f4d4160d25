//===- tools/cupola/Check.cpp - cupola check ---===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/cupola/Command.h"

#include <cctype>
#include <cstdio>

namespace cupola::tool {

namespace {

using compiler::Problem;

/// Problems of one kind: an op, and a reason in which names do not count.
struct Group {
  Code code;
  std::string op, reason;
  size_t count, order; ///< order: among the groups as they turned up
};

/// The reason with `..` for what stands in quotes: nodes differ in their names.
std::string withoutNames(const std::string &reason) {
  std::string text;
  bool isQuoted = false;
  for (char c : reason) {
    // After a letter it is an apostrophe.
    const bool turns =
        c == '\'' && (isQuoted || text.empty() || !std::isalnum(static_cast<unsigned char>(text.back())));
    if (turns)
      text += isQuoted ? "'" : "'..";
    else if (!isQuoted)
      text += c;
    isQuoted ^= turns;
  }
  return text;
}

/// The most frequent first, equal ones in the order of the model.
std::vector<Group> groupsOf(const std::vector<Problem> &problems) {
  std::vector<Group> groups;
  std::map<std::tuple<Code, std::string, std::string>, size_t> places;
  for (const Problem &problem : problems) {
    const std::string reason = withoutNames(problem.reason);
    const auto [place, isNew] = places.emplace(std::make_tuple(problem.code, problem.op, reason), groups.size());
    if (isNew)
      groups.push_back({problem.code, problem.op, reason, 0, groups.size()});
    ++groups[place->second].count;
  }
  std::sort(groups.begin(), groups.end(), [](const Group &a, const Group &b) {
    return std::make_pair(b.count, a.order) < std::make_pair(a.count, b.order);
  });
  return groups;
}

void printTable(const std::string &model, size_t problems, const std::vector<Group> &groups) {
  size_t width = 2;
  for (const Group &group : groups)
    width = std::max(width, group.op.size());
  std::printf("%s: %zu problems\n  count  %-*s  reason\n", model.c_str(), problems, static_cast<int>(width), "op");
  for (const Group &group : groups)
    std::printf("%7zu  %-*s  %s\n", group.count, static_cast<int>(width), group.op.c_str(),
                group.reason.substr(0, group.reason.find('\n')).c_str());
  std::fflush(stdout); // before the nodes, which are errors
}

Json reportOf(const std::vector<Problem> &problems, const std::vector<Group> &groups) {
  Json summary = Json::array(), list = Json::array();
  for (const Group &group : groups)
    summary.push_back({{"code", group.code}, {"op", group.op}, {"reason", group.reason}, {"count", group.count}});
  for (const Problem &problem : problems)
    list.push_back({{"code", problem.code},
                    {"node", problem.node},
                    {"op", problem.op},
                    {"opset", problem.opset},
                    {"reason", problem.reason}});
  return {{"schema", "cupola.check/2"}, {"supported", problems.empty()}, {"summary", summary}, {"problems", list}};
}

struct CheckCommand {
  CompileFlags flags;
  std::string json;

  Status run() {
    CUPOLA_ASSIGN(compiler::Options options, flags.options());
    std::vector<Problem> problems;
    const Status status = compiler::Compilation::check(flags.model, options, problems);
    const std::vector<Group> groups = groupsOf(problems);
    CUPOLA_TRY(writeJson(json, reportOf(problems, groups)));
    runtime::clearProgress();
    if (problems.empty()) {
      std::printf("%s: every node is supported\n", flags.model.c_str());
      return {};
    }
    if (problems.size() > 1)
      printTable(flags.model, problems.size(), groups);
    std::string text;
    for (const Problem &problem : problems)
      text += (text.empty() ? "" : "\n") + problem.text;
    return Status(status.code(), text);
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
