//===- test/Transforms/ConstantNumbersTest.cpp - numbers told from bytes are the interpreter's ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Transforms/Quantized/ConstantNumbers.h"
#include "lib/Transforms/Cone.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace cupola {
namespace {

class ConstantNumbersTest : public ::testing::Test {
protected:
  ConstantNumbersTest() { context.loadDialect<graph::GraphDialect, func::FuncDialect>(); }

  /// The value %v of these lines.
  Value parsed(const std::string &lines, StringRef type) {
    std::string text = "func.func @main() -> " + type.str() + " {\n" + lines + "return %v : " + type.str() + "\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    auto main = cast<func::FuncOp>(module->lookupSymbol("main"));
    return main.getBody().front().getTerminator()->getOperand(0);
  }

  /// A constant of bytes that are all over what a byte holds, or below `levels`.
  static std::string bytes(StringRef name, int64_t count, StringRef type, int levels = 256) {
    std::string digits;
    for (int64_t i = 0; i < count; ++i) {
      const auto byte = static_cast<unsigned>((i * 37 + i / 11) % levels);
      digits += {"0123456789ABCDEF"[byte / 16], "0123456789ABCDEF"[byte % 16]};
    }
    return ("%" + name + " = graph.constant dense<\"0x" + digits + "\"> : " + type + " : " + type + "\n").str();
  }
  static std::string op(StringRef name, StringRef what, const std::vector<std::string> &from, StringRef to) {
    std::string types;
    for (const std::string &type : from)
      types += (types.empty() ? "" : ", ") + type;
    return ("%" + name + " = graph." + what + " : " + types + " -> " + to + "\n").str();
  }
  static std::string all(StringRef name, StringRef number, StringRef type) {
    return ("%" + name + " = graph.constant dense<" + number + "> : " + type + " : " + type + "\n").str();
  }
  /// %v: the numbers of four bits of %q, as f32.
  static std::string nibbles(const std::string &from, const std::string &to, const std::string &floats, int axis) {
    return op("b", "broadcast %q", {from}, to) + "%i = graph.iota " + std::to_string(axis) + " : " + to + "\n" +
           all("four", "4", to) + op("s", "binary mul %i, %four", {to, to}, to) +
           op("r", "binary shift_right %b, %s", {to, to}, to) + all("mask", "15", to) +
           op("n", "binary bitwise_and %r, %mask", {to, to}, to) + op("v", "cast %n", {to}, floats);
  }

  /// What is told of all elements, piece by piece of odd sizes, against what the interpreter says.
  static void expectSame(Value value) {
    const std::optional<ConstantIntegers> found = ConstantIntegers::of(value, /*threads=*/2);
    ASSERT_TRUE(found && found->areIntegers());
    const std::optional<reference::Tensor> expected = evaluate(coneOf(value));
    ASSERT_EQ(found->count(), expected->count());
    int least = 1000, largest = -1000;
    for (int64_t first = 0, size = 1; first < found->count();
         first += size, size = std::min(size * 3 + 2, found->count() - first)) {
      std::vector<int16_t> integers(size);
      found->read(first, size, integers.data());
      for (int64_t i = 0; i < size; ++i)
        ASSERT_EQ(integers[i], expected->at<double>(first + i)) << first + i;
      least = std::min<int>(least, *std::min_element(integers.begin(), integers.end()));
      largest = std::max<int>(largest, *std::max_element(integers.begin(), integers.end()));
    }
    EXPECT_LE(found->least(), least);
    EXPECT_GE(found->largest(), largest);
    expectOffsets(*found, /*block=*/4, /*levels=*/256);
    EXPECT_FALSE(found->offsetsOf(/*block=*/4, /*levels=*/1, /*threads=*/2)) << "some of a block differ";
  }

  /// All integers of a block are less than `levels` more than its offset.
  static void expectOffsets(const ConstantIntegers &found, int64_t block, int levels) {
    const auto offsets = found.offsetsOf(block, levels, /*threads=*/2);
    ASSERT_TRUE(offsets);
    std::vector<int16_t> integers(found.count());
    found.read(0, found.count(), integers.data());
    for (int64_t i = 0; i < found.count(); ++i) {
      const int more = integers[i] - (offsets->size() == 1 ? offsets->front() : (*offsets)[i / block]);
      EXPECT_TRUE(more >= 0 && more < levels) << i << ": " << more;
    }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ConstantNumbersTest, BytesWithASign) {
  expectSame(parsed(bytes("q", 60, "tensor<5x12xi8>") + op("v", "cast %q", {"tensor<5x12xi8>"}, "tensor<5x12xf32>"),
                    "tensor<5x12xf32>"));
}

TEST_F(ConstantNumbersTest, TwoOfAByteSideBySide) {
  expectSame(
      parsed(bytes("q", 300, "tensor<5x60x1xui8>") +
                 nibbles("tensor<5x60x1xui8>", "tensor<5x60x2xui8>", "tensor<5x60x2xf32>", 2) +
                 op("w", "reshape %v", {"tensor<5x60x2xf32>"}, "tensor<5x120xf32>") +
                 all("eight", "8.0", "tensor<5x120xf32>") +
                 op("x", "binary sub %w, %eight", {"tensor<5x120xf32>", "tensor<5x120xf32>"}, "tensor<5x120xf32>") +
                 op("y", "reshape %x", {"tensor<5x120xf32>"}, "tensor<5x120xf32>"),
             "tensor<5x60x2xf32>"));
  expectSame(module->lookupSymbol<func::FuncOp>("main").getBody().front().getTerminator()->getPrevNode()->getResult(0));
}

TEST_F(ConstantNumbersTest, TwoOfAByteApart) {
  expectSame(parsed(bytes("q", 240, "tensor<5x6x1x8xui8>") +
                        nibbles("tensor<5x6x1x8xui8>", "tensor<5x6x2x8xui8>", "tensor<5x6x2x8xf32>", 2),
                    "tensor<5x6x2x8xf32>"));
}

/// Less a zero point of each block of four.
std::string zeroPoints(const std::string &zeros, StringRef kind, StringRef zero) {
  return "%z = graph.constant dense<" + zeros + "> : tensor<2x3x1xf32> : tensor<2x3x1xf32>\n" +
         "%zs = graph.broadcast %z : tensor<2x3x1xf32> -> tensor<2x3x4xf32>\n" +
         "%f = graph.cast %q : tensor<2x3x4xui8> -> tensor<2x3x4xf32>\n" + "%d = graph.binary " + kind.str() + " " +
         zero.str() + " : tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x3x4xf32>\n" +
         "%v = graph.reshape %d : tensor<2x3x4xf32> -> tensor<2x12xf32>\n";
}

TEST_F(ConstantNumbersTest, ZeroPointsOfBlocks) {
  const std::string q = bytes("q", 24, "tensor<2x3x4xui8>"), whole = "[[[1.0],[2.0],[3.0]],[[-4.0],[5.0],[0.0]]]";
  expectSame(parsed(q + zeroPoints(whole, "sub", "%f, %zs"), "tensor<2x12xf32>"));
  expectSame(parsed(q + zeroPoints(whole, "add", "%f, %zs"), "tensor<2x12xf32>"));
  const auto isTold = [&](const std::string &lines) {
    return ConstantIntegers::of(parsed(lines, "tensor<2x12xf32>"), 1).has_value();
  };
  EXPECT_FALSE(isTold(q + zeroPoints("[[[1.0],[2.5],[3.0]],[[4.0],[5.0],[0.0]]]", "sub", "%f, %zs")));
  EXPECT_FALSE(isTold(q + zeroPoints(whole, "mul", "%f, %zs")));
  EXPECT_FALSE(isTold(q + zeroPoints(whole, "sub", "%zs, %f"))); // may be told one day
}

TEST_F(ConstantNumbersTest, FractionsThatOccurAreNoIntegers) {
  const std::string type = "tensor<4x8xf32>", half = op("c", "cast %q", {"tensor<4x8xui8>"}, type) +
                                                     all("h", "0.25", type) +
                                                     op("v", "binary mul %c, %h", {type, type}, type);
  const auto found = ConstantIntegers::of(parsed(bytes("q", 32, "tensor<4x8xui8>") + half, type), 1);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->areIntegers());
  expectSame(parsed("%q = graph.constant dense<\"0x" +
                        std::string("00040804040808040004080404080804000408040408080400040804040808FC") +
                        "\"> : tensor<4x8xui8> : tensor<4x8xui8>\n" + half,
                    type));
}

TEST_F(ConstantNumbersTest, WhatMovesBytesIsNoTable) {
  const std::string q = bytes("q", 24, "tensor<4x6xui8>");
  EXPECT_FALSE(ByteTable::of(
      parsed(q + "%v = graph.transpose %q [1, 0] : tensor<4x6xui8> -> tensor<6x4xui8>\n", "tensor<6x4xui8>")));
  EXPECT_FALSE(ByteTable::of(parsed(
      q + "%v = graph.slice %q [\"0\", \"5\"] [1, -1] : tensor<4x6xui8> -> tensor<4x6xui8>\n", "tensor<4x6xui8>")));
  EXPECT_FALSE(
      ByteTable::of(parsed(q + "%i = graph.iota 1 : tensor<4x6xui8>\n" +
                               op("v", "binary add %q, %i", {"tensor<4x6xui8>", "tensor<4x6xui8>"}, "tensor<4x6xui8>"),
                           "tensor<4x6xui8>")));
}

TEST_F(ConstantNumbersTest, RunsOfScales) {
  const std::string scales =
      "%s = graph.constant dense<[[1.0, 2.0, 3.0], [0.5, 0.0, -1.0]]> : tensor<2x3xf32> : tensor<2x3xf32>\n"
      "%r = graph.reshape %s : tensor<2x3xf32> -> tensor<2x3x1xf32>\n"
      "%b = graph.broadcast %r : tensor<2x3x1xf32> -> tensor<2x3x4xf32>\n"
      "%v = graph.reshape %b : tensor<2x3x4xf32> -> tensor<2x12xf32>\n";
  const Value value = parsed(scales, "tensor<2x12xf32>");
  const auto own = ConstantRuns::of(value, 12, 1), shorter = ConstantRuns::of(value, 6, 1);
  EXPECT_EQ(own->run, 4);
  EXPECT_EQ(own->numbers, (std::vector<float>{1, 2, 3, 0.5, 0, -1}));
  EXPECT_EQ(shorter->run, 2);
  EXPECT_EQ(shorter->numbers, (std::vector<float>{1, 1, 2, 2, 3, 3, 0.5, 0.5, 0, 0, -1, -1}));
}

} // namespace
} // namespace cupola
