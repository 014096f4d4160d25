//===- test/Runtime/MetricsTest.cpp - Traces and metrics of sessions through the C interface ---===//
// SPDX-License-Identifier: Apache-2.0
#include "cupola/Runtime/Reports.hpp"
#include "test/Runtime/TestPackage.h"
#include "test/Runtime/TwoRows.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace cupola {

namespace {

using test::TwoRows;

Session sessionOf(const format::Package &package, const char *device = "cpu") {
  const std::string bytes = test::packageBytes(package);
  return Session(Executable(Package(bytes.data(), bytes.size()), Device(device)));
}

/// The value of a line; -1: there is none.
double valueOf(const std::string &text, const std::string &line) {
  const size_t at = text.find("\n" + line + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + line.size() + 2));
}

double valueOf(const Session &session, const std::string &name, const std::string &more = "") {
  const std::string arch = metrics(session).text;
  const size_t from = arch.find("{device="), to = arch.find('}', from);
  return valueOf(arch, name + arch.substr(from, to - from) + more + "}");
}

} // namespace

TEST(Metrics, CountRunsFailuresAndCopies) {
  Session session = sessionOf(test::makePackage());
  EXPECT_EQ(valueOf(session, "cupola_runs_total"), 0);
  TwoRows rows;
  session.run(rows.inputs(), rows.outputs());
  session.wait(session.enqueue(rows.inputs(), rows.outputs()));
  EXPECT_EQ(valueOf(session, "cupola_runs_total"), 2);
  EXPECT_EQ(valueOf(session, "cupola_run_failures_total"), 0);
  EXPECT_EQ(valueOf(session, "cupola_copied_tensors_total"), 0);
  EXPECT_EQ(valueOf(session, "cupola_staging_bytes"), 0);
  EXPECT_GT(valueOf(session, "cupola_arena_bytes"), 0);
  EXPECT_GT(valueOf(session, "cupola_weight_bytes"), 0);
  rows.ids[0] = 1000;
  EXPECT_THROW(session.run(rows.inputs(), rows.outputs()), Error);
  EXPECT_EQ(valueOf(session, "cupola_runs_total"), 3);
  EXPECT_EQ(valueOf(session, "cupola_run_failures_total"), 1);
  rows.ids[0] = 1;
  alignas(64) char odd[34] = {};
  std::vector<cupola_tensor> inputs = rows.inputs();
  inputs[0].data = odd + 2; // not even aligned to its elements
  session.run(inputs, rows.outputs());
  EXPECT_EQ(valueOf(session, "cupola_copied_tensors_total"), 1);
  EXPECT_GT(valueOf(session, "cupola_staging_bytes"), 0);
}

TEST(Metrics, HistogramsAreCumulative) {
  Session session = sessionOf(test::makePackage());
  TwoRows rows;
  for (int i = 0; i < 20; ++i)
    session.run(rows.inputs(), rows.outputs());
  double last = 0;
  for (const char *bound : {"1e-05", "2.5e-05", "5e-05", "0.0001", "0.001", "0.01", "0.1", "1", "10", "+Inf"}) {
    const double below = valueOf(session, "cupola_run_seconds_bucket", ",le=\"" + std::string(bound) + "\"");
    EXPECT_GE(below, last) << bound;
    last = below;
  }
  EXPECT_EQ(last, 20);
  EXPECT_EQ(valueOf(session, "cupola_run_seconds_count"), 20);
  const double seconds = valueOf(session, "cupola_run_seconds_sum");
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 20);
}

TEST(Metrics, NamesAreLabelsAndNothingElse) {
  const Session session = sessionOf(test::makePackage());
  const std::string text = metrics(session, "a\"} 1\nevil_total 2\\ \u202e").text;
  EXPECT_NE(text.find(",model=\"a\\\"} 1\\\\x0aevil_total 2\\\\x5c \\\\xe2\\\\x80\\\\xae\"} 0\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("\nevil"), std::string::npos);
  EXPECT_LT(metrics(session, std::string(65536, 'a')).text.size(), 20000u);
  EXPECT_EQ(metrics(session).text.find("model="), std::string::npos);
  EXPECT_NE(metrics(session).json.find("\"schema\": \"cupola.metrics/1\""), std::string::npos);
}

TEST(Metrics, AreReadWhileTheSessionRuns) {
  Session session = sessionOf(test::makePackage());
  std::atomic<bool> ends{false};
  double most = 0;
  std::thread reader([&] {
    while (!ends)
      most = std::max(most, valueOf(session, "cupola_runs_total"));
  });
  TwoRows rows;
  for (int i = 0; i < 2000; ++i)
    session.run(rows.inputs(), rows.outputs());
  ends = true;
  reader.join();
  EXPECT_LE(most, 2000);
  EXPECT_EQ(valueOf(session, "cupola_runs_total"), 2000);
}

TEST(Traces, HaveEveryStepInOrder) {
  format::Package made = test::makeRunnablePackage();
  made.nodes[0].name = "</script>\u202e\x01" + std::string(65536, 'b');
  Session session = sessionOf(made);
  TwoRows rows;
  const Report report = profile(session, rows.inputs(), rows.outputs());
  EXPECT_EQ(rows.y[0], 50);
  EXPECT_EQ(report.text.rfind("step ", 0), 0u) << report.text;
  EXPECT_NE(report.json.find("\"schema\": \"cupola.trace/1\""), std::string::npos);
  for (const char *part : {"\"host\"", "\"cpu x86-64-v", "\"prepare\"", "\"steps\"", "\"bytes\": ", "\"operations\": "})
    EXPECT_NE(report.json.find(part), std::string::npos) << part;
  for (size_t step = 0; step < made.variants[0].program.steps.size(); ++step)
    EXPECT_NE(report.json.find("\"step\": " + std::to_string(step) + ","), std::string::npos) << report.json;
  EXPECT_LT(report.json.size(), 20000u);
  for (char c : report.json)
    EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 0x7f)) << "a character that is not printable ASCII";
  EXPECT_EQ(valueOf(session, "cupola_runs_total"), 0) << "a run step by step takes longer than others";
}

TEST(Traces, FailAsRunsDo) {
  Session session = sessionOf(test::makePackage());
  TwoRows rows;
  rows.ids[1] = -1000;
  EXPECT_THROW(profile(session, rows.inputs(), rows.outputs()), Error);
  cupola_report *report = nullptr;
  cupola_status *status = cupola_session_profile(session.get(), nullptr, 0, nullptr, 0, &report);
  EXPECT_EQ(cupola_status_code(status), CUPOLA_USAGE);
  cupola_status_release(status);
  status = cupola_session_metrics(nullptr, {"x", 1}, &report);
  EXPECT_EQ(cupola_status_code(status), CUPOLA_USAGE);
  cupola_status_release(status);
  EXPECT_EQ(report, nullptr);
}

} // namespace cupola
