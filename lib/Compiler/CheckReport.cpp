//===- lib/Compiler/CheckReport.cpp - what keeps a model from being compiled, counted ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CheckReport.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <tuple>

namespace cupola::compiler {

namespace {

using Json = nlohmann::ordered_json;

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

std::string padLeft(const std::string &text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string padRight(const std::string &text, size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

std::string tableOf(const std::string &model, size_t problems, const std::vector<Group> &groups) {
  size_t width = 2;
  for (const Group &group : groups)
    width = std::max(width, group.op.size());
  std::string text =
      model + ": " + std::to_string(problems) + " problems\n  count  " + padRight("op", width) + "  reason\n";
  for (const Group &group : groups)
    text += padLeft(std::to_string(group.count), 7) + "  " + padRight(group.op, width) + "  " +
            group.reason.substr(0, group.reason.find('\n')) + "\n";
  return text;
}

Json jsonOf(const std::vector<Problem> &problems, const std::vector<Group> &groups) {
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

} // namespace

runtime::Report checkReport(const std::string &model, const std::vector<Problem> &problems) {
  const std::vector<Group> groups = groupsOf(problems);
  runtime::Report report;
  if (problems.empty())
    report.text = model + ": every node is supported\n";
  else if (problems.size() > 1)
    report.text = tableOf(model, problems.size(), groups);
  report.json = jsonOf(problems, groups).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return report;
}

} // namespace cupola::compiler
