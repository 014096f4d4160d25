//===- test/Runtime/ReportsTest.cpp - Reports, metadata and devices through the C interface ---===//
// SPDX-License-Identifier: Apache-2.0
#include "cupola/Runtime/Reports.hpp"
#include "test/Runtime/TestPackage.h"

#include <gtest/gtest.h>

namespace cupola {

namespace {

Package packageOf(const format::Package &package) {
  const std::string bytes = test::packageBytes(package);
  return Package(bytes.data(), bytes.size());
}

Executable executableOf(const format::Package &package) { return Executable(packageOf(package), Device("cpu")); }

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

template <typename Call> std::string errorOf(Call call) {
  try {
    call();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

/// Inputs of so many rows.
class Rows {
public:
  explicit Rows(std::string count) : text("s0=" + count), shape(capi::string(text)) {}
  cupola_run_inputs inputs(uint64_t seed) const { return {sizeof(cupola_run_inputs), {}, {&shape, 1}, seed}; }

private:
  std::string text;
  cupola_string shape;
};

} // namespace

TEST(Reports, APackageIsInspected) {
  format::Package made = test::makePackage();
  made.inputs[0].name = "\xff\x1b[2J";
  const Report report = inspectPackage(packageOf(made), "some/path");
  EXPECT_EQ(report.text.rfind("some/path: package format 1 by cupola test, ", 0), 0u) << report.text;
  EXPECT_TRUE(has(report.text, "  input  '\\xff\\x1b[2J'            f32[s0, 4]\n")) << report.text;
  EXPECT_TRUE(has(report.text, "  output 'y'                      f32[s0, 4]\n")) << report.text;
  EXPECT_TRUE(has(report.text, "  symbol s0 'batch' from 1 to 1000\n")) << report.text;
  EXPECT_TRUE(has(report.json, "\"schema\": \"cupola.inspect/1\""));
  EXPECT_TRUE(has(report.json, "\xef\xbf\xbd")) << "U+FFFD for what is no UTF-8";
}

TEST(Reports, RunsAreMeasured) {
  const Executable executable = executableOf(test::makePackage());
  const Rows rows("5");
  const cupola_run_inputs inputs = rows.inputs(1);
  const cupola_bench_options options{sizeof(options), 1, 3, 1};
  const Report report = bench(executable, &inputs, &options);
  EXPECT_TRUE(has(report.text, "output 'y': f32 [5, 4]: ")) << report.text;
  EXPECT_TRUE(has(report.text, "of 3 runs\n")) << report.text;
  EXPECT_TRUE(has(report.json, "\"iterations\": 3"));
  EXPECT_TRUE(has(report.json, "\"profile\""));
  EXPECT_FALSE(has(bench(executable, &inputs).json, "\"profile\""));
  EXPECT_TRUE(has(errorOf([&] { bench(executable); }), "dynamic dimensions need values"));
  const cupola_run_inputs damaged{sizeof(damaged), {"x", 1}, {}, 0};
  EXPECT_NE(errorOf([&] { bench(executable, &damaged); }), "no error");
}

TEST(Reports, ARunIsHeldAgainstReferences) {
  const Executable executable = executableOf(test::makePackage());
  const Rows rows("2");
  const cupola_run_inputs some = rows.inputs(1), others = rows.inputs(2);
  const Verification verification(executable, &some);
  const std::string given(verification.inputs());
  EXPECT_EQ(given, Verification(executable, &some).inputs());
  EXPECT_NE(given, Verification(executable, &others).inputs());
  const cupola_run_inputs again{sizeof(again), {given.data(), given.size()}, {}, 7};
  EXPECT_EQ(given, Verification(executable, &again).inputs());
  bool passed = true;
  EXPECT_EQ(errorOf([&] { verification.compare(given, 0, passed); }), "references: the model has no output 'x'");
  EXPECT_TRUE(has(errorOf([&] { verification.compare(given, -1, passed); }), "expected 0 or more"));
}

TEST(Reports, ArePagesToo) {
  const Report report = inspectPackage(packageOf(test::makePackage()));
  const std::string page = htmlPage(report.json, "a <package>");
  EXPECT_TRUE(has(page, "<title>a &lt;package&gt;</title>"));
  EXPECT_TRUE(has(page, "cupola.inspect/1"));
  EXPECT_EQ(page, htmlPage(report.json, "a <package>"));
}

TEST(Reports, NullIsAnErrorNotACrash) {
  const auto usage = [](cupola_status *status) {
    const bool is = cupola_status_code(status) == CUPOLA_USAGE;
    cupola_status_release(status);
    return is;
  };
  cupola_report *report = nullptr;
  EXPECT_TRUE(usage(cupola_package_inspect(nullptr, {"x", 1}, &report)));
  EXPECT_TRUE(usage(cupola_executable_bench(nullptr, nullptr, nullptr, &report)));
  EXPECT_TRUE(usage(cupola_verification_create(nullptr, nullptr, nullptr)));
  EXPECT_TRUE(usage(cupola_verification_inputs(nullptr, nullptr)));
  EXPECT_TRUE(usage(cupola_verification_compare(nullptr, {}, 0, &report, nullptr)));
  EXPECT_TRUE(usage(cupola_report_create({"x", 1}, {"y", 1}, nullptr)));
  EXPECT_TRUE(usage(cupola_report_html(nullptr, {"x", 1}, nullptr)));
  EXPECT_EQ(report, nullptr);
  EXPECT_EQ(cupola_report_text(nullptr).size, 0u);
  EXPECT_EQ(cupola_report_json(nullptr).size, 0u);
  cupola_report_release(nullptr);
  cupola_verification_release(nullptr);
  cupola_device_list_release(nullptr);
}

TEST(Metadata, IsTheModels) {
  format::Package made = test::makePackage();
  made.metadata = {"maker", "1.2", "graph", "of a graph", "domain", "what it does", 7, {{"classes", "a,b"}, {"", ""}}};
  const Package package = packageOf(made);
  const Metadata metadata = package.metadata();
  EXPECT_EQ(metadata.producerName, "maker");
  EXPECT_EQ(metadata.producerVersion, "1.2");
  EXPECT_EQ(metadata.graphName, "graph");
  EXPECT_EQ(metadata.graphDescription, "of a graph");
  EXPECT_EQ(metadata.domain, "domain");
  EXPECT_EQ(metadata.description, "what it does");
  EXPECT_EQ(metadata.version, 7);
  EXPECT_EQ(metadata.properties, (std::vector<std::pair<std::string, std::string>>{{"classes", "a,b"}, {"", ""}}));
  cupola_string text{};
  EXPECT_EQ(errorOf([&] { capi::check(cupola_package_property(package.get(), 2, &text, &text)); }), "property 2 of 2");
}

TEST(Composites, AreSequencesAndOptionalsOfTheModel) {
  format::Package made = test::makePackage();
  made.composites = {{"parts", format::Composite::Sequence, false, false, 0, 2},
                     {"maybe", format::Composite::OptionalSequence, true, true, 1, 0}};
  const Package package = packageOf(made);
  const std::vector<Composite> composites = package.composites();
  ASSERT_EQ(composites.size(), 2u);
  EXPECT_EQ(composites[0].name, "parts");
  EXPECT_EQ(composites[0].kind, CUPOLA_SEQUENCE);
  EXPECT_FALSE(composites[0].isOutput || composites[0].isAbsent);
  EXPECT_EQ(composites[0].count, 2u);
  EXPECT_EQ(composites[1].kind, CUPOLA_OPTIONAL_SEQUENCE);
  EXPECT_TRUE(composites[1].isOutput && composites[1].isAbsent);
  EXPECT_EQ(composites[1].first, 1u);
  cupola_composite composite{};
  EXPECT_EQ(errorOf([&] { capi::check(cupola_package_composite(package.get(), 2, &composite)); }), "composite 2 of 2");
}

TEST(Devices, AreThereOrSayWhyNot) {
  const std::vector<DeviceInfo> devices = listDevices();
  ASSERT_GE(devices.size(), 3u);
  EXPECT_EQ(devices.front().name, "cpu");
  EXPECT_EQ(devices.front().arch, Device("cpu").arch());
  EXPECT_EQ(devices.back().name, "sim");
  for (const DeviceInfo &device : devices) {
    EXPECT_NE(device.reason.empty(), device.arch.empty()) << device.name;
    EXPECT_EQ(device.reason.empty(), device.memoryBytes > 0) << device.name;
    EXPECT_EQ(errorOf([&] {
                cupola_device_options options{sizeof(options), {}, device.ordinal, 1, {"none", 4}};
                Device made(device.name, &options);
              }) == "no error",
              device.reason.empty())
        << device.name;
  }
}

} // namespace cupola
