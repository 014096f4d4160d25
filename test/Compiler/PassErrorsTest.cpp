//===- test/Compiler/PassErrorsTest.cpp - what a target cannot do is a bug, with its node ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Target/PassErrors.h"
#include "dialects/Graph/Graph.h"
#include "dialects/Kernel/Kernel.h"
#include "lib/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <thread>

using namespace mlir;

namespace cupola {
namespace {

/// No importer makes this: e to the power of an integer has no code anywhere.
constexpr StringLiteral text = R"(
func.func @main() { return }
kernel.func @k7 pointwise grid () in [] scalars []
    (%a: !kernel.view<i32, read>, %o: !kernel.view<i32, write>) {
  kernel.foreach (%d0) in [4] {
    %x = kernel.load %a[%d0] : i32 from !kernel.view<i32, read>
    %e = kernel.unary exp %x : i32 -> i32 loc(#exp)
    kernel.store %e, %o[%d0] : i32 to !kernel.view<i32, write>
  }
} loc(#exp)
#exp = loc("block/grow"("Exp"))
)";

class PassErrorsTest : public ::testing::Test {
protected:
  PassErrorsTest() {
    context.loadDialect<graph::GraphDialect, func::FuncDialect, kernel::KernelDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
  }
  /// Code::Internal with `what`, and the way to report it.
  static void expectBug(const Status &status, const std::string &what) {
    EXPECT_EQ(status.code(), Code::Internal) << status.message();
    EXPECT_NE(status.message().find(what), std::string::npos) << status.message();
    EXPECT_NE(status.message().find("\nnote: this is a bug of Cupola"), std::string::npos) << status.message();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(PassErrorsTest, NameTheNode) {
  const PassErrors errors(&context);
  module->lookupSymbol("k7")->emitError("is left over");
  emitError(UnknownLoc::get(&context), "and that");
  expectBug(errors.status("no kernels"), "no kernels: node 'block/grow' (Exp): is left over; and that");
}

TEST_F(PassErrorsTest, WhatTheCpuTargetCannotDoIsABugWithItsNode) {
  DialectRegistry dialects;
  findTarget("cpu")->registerDialects(dialects);
  context.appendDialectRegistry(dialects);
  context.loadAllAvailableDialects();
  TargetKernels kernels;
  TargetCode code;
  expectBug(findTarget("cpu")->lower(*module, "x86-64-v3", TargetRequest(), Workers(), kernels, code),
            "node 'block/grow' (Exp): the CPU target has no code for exp");
}

TEST_F(PassErrorsTest, AreThoseOfTheirThread) {
  const PassErrors errors(&context);
  std::thread([&] {
    const PassErrors others(&context);
    emitError(UnknownLoc::get(&context), "over there");
    EXPECT_EQ(others.text(), "over there");
  }).join();
  emitError(UnknownLoc::get(&context), "here");
  EXPECT_EQ(errors.text(), "here");
}

} // namespace
} // namespace cupola
