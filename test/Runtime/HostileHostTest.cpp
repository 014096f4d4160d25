//===- test/Runtime/HostileHostTest.cpp - Packages whose strings and steps of the host break a rule ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/HostPackage.h"
#include "test/Runtime/Hostile.h"

namespace cupola::format {

namespace {

template <typename Change> void expectHostRefused(Change change, const std::string &text) {
  test::expectRefused(test::hostPackageOf(test::makePackage()), [&](Program &p) { change(p.steps[0].host); }, text);
}

} // namespace

TEST(HostileHost, Calls) {
  ASSERT_TRUE(writePackageToMemory(test::hostPackageOf(test::makePackage()), test::packageWeights()).isOk());
  expectHostRefused([](HostCall &c) { c.op = "system"; }, "step 0: the host's op 'system' is not known");
  expectHostRefused([](HostCall &c) { c.operands = {0}; }, "has 1 operands, expected 2");
  expectHostRefused([](HostCall &c) { c.operands = {0, 9}; }, "step 0");
  expectHostRefused([](HostCall &c) { c.results = {}; }, "has 0 results, expected 1");
  expectHostRefused([](HostCall &c) { c.results = {2, 2}; }, "has 2 results, expected 1");
  expectHostRefused([](HostCall &c) { c.results = {7}; }, "step 0");
  expectHostRefused([](HostCall &c) { c.results = {0}; }, "step 0 writes buffer 0, which is only read");
  expectHostRefused([](HostCall &c) { c.arguments = {"a"}; }, "has 1 arguments, expected 0");
  expectHostRefused([](HostCall &c) { c = {"regex_full_match", {}, {0}, {2}}; }, "has 0 arguments, expected 1");
  expectHostRefused([](HostCall &c) { c = {"string_normalize", {"none"}, {0}, {2}}; }, "expected at least 2");
  expectHostRefused([](HostCall &c) { c = {"string_parse", {"f31"}, {0}, {2}}; }, "numbers of 'f31'");
  expectHostRefused([](HostCall &c) { c = {"string_format", {"string"}, {0}, {2}}; }, "numbers of 'string'");
}

TEST(HostileHost, Init) {
  const auto move = [](Program &p) { p.init = p.steps; };
  test::expectRefused(test::hostPackageOf(test::makePackage()), move, "init step 0 is one of the host");
}

TEST(HostileHost, Strings) {
  Package package = test::hostPackageOf(test::makePackage());
  package.strings = {"a", "b", "a"};
  test::expectRefused(package, [](Program &) {}, "a string has two numbers");
}

} // namespace cupola::format
