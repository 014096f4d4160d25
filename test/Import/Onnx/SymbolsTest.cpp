//===- test/Import/Onnx/SymbolsTest.cpp - facts about dimensions -----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/GraphBuilder.h"

#include <gtest/gtest.h>

namespace cupola::onnx_import {
namespace {

class SymbolsTest : public testing::Test {
protected:
  SymbolsTest() { context.loadDialect<graph::GraphDialect>(); }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  Symbols symbols{*module};
  mlir::OpBuilder ops{&context};
  Limits limits;
  GraphBuilder builder{ops, symbols, limits};

  Expr symbol(const std::string &name) {
    return symbols.create(name, "dimension 0 ('" + name + "') of input 'x'", 1, 0);
  }
  std::vector<std::string> reasons() {
    std::vector<std::string> texts;
    for (auto op : module->getOps<graph::AssumeOp>())
      texts.push_back(op.getLhs().text() + " " + stringifyRelation(op.getRelation()).str() + " " + op.getRhs().text() +
                      ": " + op.getReason().getText().str());
    return texts;
  }
};

TEST_F(SymbolsTest, EqualSymbolsBecomeTheEarlierOne) {
  const Expr a = symbol("batch"), b = symbol("other"), c = symbol("third");
  EXPECT_EQ(symbols.assumeEqual(b, c, "node 'n'"), Symbols::Outcome::Holds);
  EXPECT_EQ(symbols.assumeEqual(a, b, "node 'm'"), Symbols::Outcome::Holds);
  EXPECT_EQ(symbols.current(a + b + c), a * Expr(3));
  EXPECT_EQ(symbols.assumeEqual(a, c, "node 'k'"), Symbols::Outcome::Holds);
  ASSERT_EQ(reasons().size(), 2u); // the last one follows from the others
  EXPECT_EQ(reasons()[1], "s0 equal s1: dimension 0 ('batch') of input 'x' and dimension 0 ('other') "
                          "of input 'x': node 'm'");
}

TEST_F(SymbolsTest, ContradictionsAreReported) {
  const Expr a = symbol("batch");
  EXPECT_EQ(symbols.assumeEqual(Expr(2), Expr(3), "n"), Symbols::Outcome::Impossible);
  EXPECT_EQ(symbols.assumeEqual(a, Expr(4), "n"), Symbols::Outcome::Holds);
  EXPECT_EQ(symbols.current(a * Expr(2)), Expr(8));
  EXPECT_EQ(symbols.assumeEqual(a, Expr(5), "n"), Symbols::Outcome::Impossible);
}

TEST_F(SymbolsTest, AMultipleThatIsKnownSaysWhatTheSymbolIs) {
  const Expr a = symbol("batch"), b = symbol("length");
  EXPECT_EQ(symbols.assumeEqual(a * Expr(4) + Expr(1), Expr(44), "n"), Symbols::Outcome::Impossible);
  EXPECT_EQ(symbols.assumeEqual(Expr(44), a * Expr(4), "n"), Symbols::Outcome::Holds);
  EXPECT_EQ(symbols.current(a), Expr(11));
  EXPECT_EQ(symbols.assumeEqual(floorDiv(b, Expr(4)), Expr(3), "n"), Symbols::Outcome::Holds); // 12 to 15
  EXPECT_EQ(symbols.current(b), b);
  EXPECT_EQ(reasons().size(), 2u);
}

TEST_F(SymbolsTest, BroadcastOfACutTableBoundsTheSymbol) {
  const Expr a = symbol("seq");
  EXPECT_EQ(builder.broadcastExtent(min(a, Expr(512)), a), a);
  EXPECT_EQ(symbols.current(min(a, Expr(512))), a);
  symbols.finish();
  EXPECT_EQ((*module->getOps<graph::SymbolOp>().begin()).getMax(), 512);
}

TEST_F(SymbolsTest, AMinimumThatIsKnownBoundsTheSymbol) {
  const Expr a = symbols.create("seq", "seq", 0, 0), b = symbols.create("other", "other", 0, 0);
  const Expr cut = a - min(a, Expr(1)) + Expr(1);
  EXPECT_EQ(symbols.assumeEqual(cut, a, "n"), Symbols::Outcome::Holds);
  EXPECT_EQ(symbols.current(cut), a);
  EXPECT_EQ(symbols.assumeEqual(Expr(7) - min(Expr(9), b), Expr(3), "n"), Symbols::Outcome::Holds);
  EXPECT_EQ(symbols.current(b), Expr(4));
  EXPECT_EQ(reasons().size(), 2u); // both are checked
  EXPECT_EQ(symbols.assumeEqual(a + b, a + min(b, Expr(2)), "n"), Symbols::Outcome::Impossible);
}

TEST_F(SymbolsTest, ExtentsThatAreTooLongAreRefused) {
  const Expr a = symbol("batch");
  const Expr long_ = a * Expr(INT64_MAX) * Expr(2);
  EXPECT_THROW(symbols.assumeEqual(long_, a, "n"), NodeError);
  EXPECT_THROW(symbols.assumeLessEqual(a, long_, "n"), NodeError);
  EXPECT_THROW(symbols.assumeBroadcast(a, long_, "n"), NodeError);
}

TEST_F(SymbolsTest, ElementsMayHaveAnySignUntilAFactSaysMore) {
  const Expr element = symbols.createElement("shape", "element 0 of input 'shape'", graph::anyNumber);
  EXPECT_EQ(proveLessEqual(Expr(0), element, symbols.ranges()), std::nullopt);
  EXPECT_EQ(symbols.assumeLessEqual(Expr(-3), element, "n"), Symbols::Outcome::Holds); // says nothing of 0
  EXPECT_EQ(proveLessEqual(Expr(0), element, symbols.ranges()), std::nullopt);
  EXPECT_EQ(symbols.assumeLessEqual(Expr(2), element, "n"), Symbols::Outcome::Holds);
  EXPECT_EQ(proveLessEqual(Expr(2), element, symbols.ranges()), true);
  symbols.finish();
  EXPECT_EQ((*module->getOps<graph::SymbolOp>().begin()).getMin(), 2);
}

TEST_F(SymbolsTest, WhatFollowsFromElementsIsASymbolOfItsOwn) {
  const Expr batch = symbol("batch");
  const Expr element = symbols.createElement("shape", "element 0 of input 'shape'", graph::anyNumber);
  EXPECT_EQ(builder.extent(batch - 1, "an extent"), batch - 1); // as always
  const Expr extent = builder.extent(max(element, Expr(0)) + 1, "an extent");
  ASSERT_TRUE(extent.asSymbol());
  EXPECT_EQ(symbols.definitionOf(*extent.asSymbol()), max(element, Expr(0)) + 1);
  EXPECT_EQ(builder.extent(max(element, Expr(0)) + 1, "another"), extent);
  EXPECT_EQ(proveLessEqual(Expr(0), extent, symbols.ranges()), true);
  EXPECT_TRUE(symbols.followsElements(batch * extent));
}

TEST_F(SymbolsTest, DimensionsOfInputsStayWhatTheyAre) {
  const Expr batch = symbol("batch");
  const Expr element = symbols.createElement("shape", "element 0 of input 'shape'", graph::anyNumber);
  const Expr extent = builder.extent(max(element, Expr(0)), "an extent");
  EXPECT_EQ(symbols.assumeEqual(batch, extent * Expr(2), "n"), Symbols::Outcome::Holds);
  EXPECT_EQ(symbols.current(batch), batch);
  EXPECT_EQ(reasons().size(), 1u); // but it is checked
  EXPECT_EQ(symbols.assumeEqual(element, batch, "n"), Symbols::Outcome::Holds);
  EXPECT_EQ(symbols.current(element), batch);
}

TEST_F(SymbolsTest, WhatAWindowNeedsBoundsTheSymbol) {
  const Expr a = symbol("length"), places = floorDiv(a - Expr(10), Expr(5)) + Expr(1);
  EXPECT_EQ(symbols.assumeLessEqual(Expr(10), a, "n"), Symbols::Outcome::Holds);
  EXPECT_EQ(symbols.assumeLessEqual(Expr(3), places, "m"), Symbols::Outcome::Holds); // 3 places: from 20 on
  EXPECT_EQ(symbols.assumeLessEqual(Expr(19), a, "k"), Symbols::Outcome::Holds);     // follows
  EXPECT_EQ(reasons().size(), 2u);
  const Expr half = max(floorDiv(places - Expr(3), Expr(2)), min(ceilDiv(places - Expr(3), Expr(2)), Expr(0)));
  EXPECT_EQ(symbols.current(half), symbols.current(floorDiv(places - Expr(3), Expr(2))));
  EXPECT_EQ(symbols.assumeLessEqual(a, Expr(15), "j"), Symbols::Outcome::Impossible);
  symbols.finish();
  EXPECT_EQ((*module->getOps<graph::SymbolOp>().begin()).getMin(), 20);
}

TEST_F(SymbolsTest, UnrelatedSymbolsStayApartWhenBroadcast) {
  const Expr a = symbol("p"), b = symbol("q");
  EXPECT_EQ(builder.broadcastExtent(a, b), max(a, b));
  EXPECT_EQ(symbols.current(a), a);
  EXPECT_EQ(builder.broadcastExtent(a, Expr(1)), a);
  EXPECT_EQ(builder.broadcastExtent(a, Expr(7)), Expr(7)); // a is 1 or 7
  ASSERT_EQ(reasons().size(), 2u);
  EXPECT_EQ(reasons()[0].substr(0, 16), "s0 broadcast s1:");
}

} // namespace
} // namespace cupola::onnx_import
