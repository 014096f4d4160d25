//===- test/Runtime/ShapeTest.cpp - Symbols from shapes, --shape, seeded inputs ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/BoundPlan.h"
#include "lib/Runtime/Format/NarrowFloats.h"
#include "lib/Runtime/RandomInputs.h"
#include "lib/Runtime/ShapeRequest.h"
#include "lib/Runtime/Text.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace cupola::runtime {

using format::DType;

namespace {

/// a: [s0, 2*s1 + 1], b: [s0*s1, 8], scalar c: []
format::Package twoSymbols() {
  format::Package package;
  package.inputs = {{"a", DType::F32, {"s0", "2*s1 + 1"}}, {"b", DType::F32, {"s0*s1", "8"}}, {"c", DType::I64, {}}};
  package.symbols = {{"s0", "batch", 1, 0, 1}, {"s1", "", 0, 64, 2}};
  package.checks = {{"s0", "<=", "s1", "the batch is limited"}};
  return package;
}

Result<SymbolValues> bind(const format::Package &package, const std::vector<Shape> &shapes) {
  Result<ParsedInterface> parsed = parseInterface(package);
  EXPECT_TRUE(parsed.isOk()) << parsed.status().message();
  return bindShapes(package, *parsed, shapes);
}

std::string requestError(const std::vector<std::string> &requests) {
  const format::Package package = twoSymbols();
  Result<ParsedInterface> parsed = parseInterface(package);
  const Status status = requestShapes(package, *parsed, requests).status();
  EXPECT_TRUE(status.isOk() || status.code() == Code::Usage);
  return status.message();
}

} // namespace

TEST(ShapeBinding, SolvesLinearDims) {
  Result<SymbolValues> values = bind(twoSymbols(), {{3, 9}, {12, 8}, {}});
  ASSERT_TRUE(values.isOk()) << values.status().message();
  EXPECT_EQ((*values)["s0"], 3);
  EXPECT_EQ((*values)["s1"], 4);
}

TEST(ShapeBinding, SolvesThroughAnotherInput) {
  format::Package package = twoSymbols();
  package.inputs[0].dims = {"s0", "1"}; // s1 comes from s0*s1 = 12 once s0 is known
  Result<SymbolValues> values = bind(package, {{3, 1}, {12, 8}, {}});
  ASSERT_TRUE(values.isOk()) << values.status().message();
  EXPECT_EQ((*values)["s1"], 4);
}

TEST(ShapeBinding, SaysWhatDoesNotFit) {
  EXPECT_EQ(bind(twoSymbols(), {{3, 8}, {12, 8}, {}}).status().message(),
            "input 'a': dimension 1 is 8, the model declares 2*s1 + 1 = 7, where s1 = 3 by input 'a': dimension 1");
  EXPECT_EQ(bind(twoSymbols(), {{3, 9}, {11, 8}, {}}).status().message(),
            "input 'b': dimension 0 is 11, the model declares s0*s1 = 12, where s0 'batch' = 3 by input 'a': dimension "
            "0 and s1 = 4 by input 'a': dimension 1");
  EXPECT_EQ(bind(twoSymbols(), {{1, 7}, {3, 8}, {}}).status().message(),
            "input 'a': dimension 1 gives s1 = 3, the package was compiled for 0..64, a multiple of 2");
  EXPECT_EQ(bind(twoSymbols(), {{1, 133}, {66, 8}, {}}).status().code(), Code::Usage);
  EXPECT_EQ(bind(twoSymbols(), {{5, 9}, {20, 8}, {}}).status().message(),
            "the batch is limited: s0 = 5, where s0 'batch' = 5 by input 'a': dimension 0, and s1 = 4, where s1 = 4 by "
            "input 'a': dimension 1");
}

TEST(ShapeBinding, EveryRelationIsHeld) {
  const auto holds = [](const std::string &lhs, const std::string &relation, const std::string &rhs) {
    format::Package package = twoSymbols();
    package.checks = {{lhs, relation, rhs, "wrong"}};
    return bind(package, {{4, 9}, {16, 8}, {}}).isOk();
  };
  EXPECT_TRUE(holds("s0", "==", "s1"));
  EXPECT_FALSE(holds("s0", "==", "5"));
  EXPECT_TRUE(holds("s0", "<=", "4"));
  EXPECT_FALSE(holds("s0", "<=", "3"));
  EXPECT_TRUE(holds("s0*s1", "%==0", "8"));
  EXPECT_FALSE(holds("s0", "%==0", "3"));
  EXPECT_FALSE(holds("s0", "%==0", "s1 - 4"));
}

namespace {

/// past: [2, s0, 4] and present: [2, s0 + 3, 4] in memory of s1 rows.
format::Package sharedMemory() {
  format::Package package;
  package.inputs = {{"past", DType::F32, {"2", "s0", "4"}}};
  package.outputs = {{"present", DType::F32, {"2", "s0 + 3", "4"}}};
  package.inputs[0].storage = package.outputs[0].storage = {"2", "s1", "4"};
  package.outputs[0].memoryOf = 1;
  package.symbols = {{"s0", "", 0, 0, 1}, {"s1", "", 1, 0, 1}};
  return package;
}

Result<SymbolValues> bindShared(int64_t rows, const Strides &strides) {
  const format::Package package = sharedMemory();
  Result<ParsedInterface> parsed = parseInterface(package);
  return bindShapes(package, *parsed, {{2, rows, 4}}, {strides});
}

} // namespace

TEST(ShapeBinding, StridesTellHowMuchRoomThereIs) {
  EXPECT_EQ((*bindShared(5, {40, 4, 1}))["s1"], 10);
  EXPECT_EQ((*bindShared(0, {40, 4, 1}))["s1"], 10) << "rows are still to come";
  EXPECT_EQ((*bindShared(1, {32, 7, 1}))["s1"], 8) << "one row has no neighbour";
  EXPECT_EQ((*bindShared(5, {}))["s1"], 8) << "as much as the output needs";
}

TEST(ShapeBinding, MemoryWithoutRoomIsRefused) {
  EXPECT_EQ(bindShared(5, {28, 4, 1}).status().message(),
            "output 'present': dimension 1 is 8, the memory of input 'past' has room for 7 by its strides");
  EXPECT_EQ(bindShared(5, {42, 4, 1}).status().message(),
            "input 'past': stride of dimension 0 is 42, expected 4*s1 = 40, where s1 = 10 by input 'past': stride of "
            "dimension 0");
  EXPECT_EQ(bindShared(5, {40, 8, 1}).status().message(), "input 'past': stride of dimension 1 is 8, expected 4");
  EXPECT_EQ(bindShared(5, {-40, 4, 1}).status().code(), Code::Usage);
  EXPECT_EQ(bindShared(5, {INT64_MAX, 4, 1}).status().code(), Code::Usage);
  EXPECT_EQ(bindShared(5, {40, 4}).status().message(), "input 'past': 2 strides were given for 3 dimensions");
}

TEST(ShapeBinding, StridesOfNothingMayBeAnyNumber) {
  format::Package package = sharedMemory();
  package.inputs[0].dims = {"s2", "3", "s0", "4"};
  package.outputs[0].dims = {"s2", "3", "s0 + 3", "4"};
  package.inputs[0].storage = package.outputs[0].storage = {"s2", "3", "s1", "4"};
  package.symbols.push_back({"s2", "", 0, 0, 1});
  const int64_t most = int64_t(1) << 62;
  Result<BoundInterface> bound = bindInterface(package, *parseInterface(package), {{0, 3, 5, 4}}, {{0, most, 4, 1}});
  ASSERT_TRUE(bound.isOk()) << bound.status().message();
  EXPECT_EQ(bound->outputBytes[0], 0u);
  EXPECT_EQ(bound->sharedStrides[0], (Strides{INT64_MAX, most, 4, 1}));
}

TEST(ShapeBinding, ASymbolThatNothingDeterminesIsAnError) {
  format::Package package = twoSymbols();
  package.inputs[0].dims[1] = "mod(s1, 7)";
  package.inputs[1].dims[0] = "1";
  EXPECT_EQ(bind(package, {{1, 1}, {1, 8}, {}}).status().code(), Code::Usage);
}

TEST(ShapeBinding, SizesDoNotWrap) {
  EXPECT_EQ(*tensorBytes(DType::F32, {3, 5}), 60u);
  EXPECT_EQ(*tensorBytes(DType::F32, {}), 4u);
  EXPECT_EQ(*tensorBytes(DType::F32, {int64_t(1) << 62, 0, int64_t(1) << 62}), 0u);
  EXPECT_EQ(tensorBytes(DType::F32, {int64_t(1) << 31, int64_t(1) << 30}).status().code(), Code::Limit);
}

namespace {

/// x: [s0], shape: two int64 that are s1 and s2; s3 is s1 where that is not -1, else what is left.
format::Package shapeInput() {
  format::Package package;
  package.inputs = {{"x", DType::F32, {"s0"}}, {"shape", DType::I64, {"2"}}};
  package.inputs[1].elements = {"s1", "s2"};
  package.symbols = {{"s0", "n", 1, 0, 1},
                     {"s1", "element 0 of input 'shape'", format::kAnyNumber, 0, 1},
                     {"s2", "element 1 of input 'shape'", format::kAnyNumber, 0, 1},
                     {"s3", "extent 0", 0, 16, 1, false, "s1 + (floordiv(s0, s2) + 1)*max(0, -s1)"}};
  package.checks = {{"s3*s2", "==", "s0", "all elements"}};
  return package;
}

Result<SymbolValues> bindElements(const std::vector<Elements> &elements) {
  const format::Package package = shapeInput();
  Result<ParsedInterface> parsed = parseInterface(package);
  EXPECT_TRUE(parsed.isOk()) << parsed.status().message();
  return bindShapes(package, *parsed, {{12}, {2}}, {}, elements);
}

std::string elementsError(const std::vector<int64_t> &values) { return bindElements({{}, values}).status().message(); }

} // namespace

TEST(ShapeBinding, ElementsAreSymbolsAndDefineOthers) {
  for (const int64_t first : {-1, 4}) {
    Result<SymbolValues> values = bindElements({{}, {first, 3}});
    ASSERT_TRUE(values.isOk()) << values.status().message();
    EXPECT_EQ((*values)["s1"], first);
    EXPECT_EQ((*values)["s3"], 4);
  }
}

TEST(ShapeBinding, ElementsThatDoNotFitAreNamed) {
  EXPECT_EQ(bindElements({}).status().message(), "input 'shape': shapes follow from its elements, and none were given");
  EXPECT_EQ(elementsError({4}), "input 'shape': the values of 1 symbols were given, expected 2");
  EXPECT_EQ(
      elementsError({5, 3}),
      "all elements: s2*s3 = 15, where s2 'element 1 of input \\x27shape\\x27' = 3 by input 'shape': element 1 and s3 "
      "'extent 0' = 5 by extent 0, and s0 = 12, where s0 'n' = 12 by input 'x': dimension 0");
  EXPECT_EQ(elementsError({-1, 0}), "the inputs' shapes do not determine dimension s3 'extent 0'");
}

TEST(ShapeBinding, ElementsAreReadOfTheInputsType) {
  format::Tensor input{"k", DType::I32, {"2"}};
  input.elements = {"s0", "s1"};
  const int32_t numbers[] = {-3, 9};
  EXPECT_EQ(*readElements(input, numbers, {2}), (Elements{-3, 9}));
  EXPECT_EQ(readElements(input, numbers, {1}).status().message(),
            "input 'k': the shape is [1], the model was compiled for 2 elements");
  input.dtype = DType::F32;
  const float noNumber[] = {NAN};
  EXPECT_EQ(*readElements(input, noNumber, {1}), (Elements{0, 0}));
}

TEST(ShapeBinding, ElementsThatAreNoNumbersAreNamedWhereOneIsNeeded) {
  format::Package package;
  package.inputs = {{"k", DType::F32, {"2"}}};
  package.inputs[0].elements = {"s0", "s1", "s2", "s3"};
  for (const char *id : {"s0", "s2"}) {
    package.symbols.push_back({id, "numerator", format::kAnyNumber, 0, 1});
    package.symbols.push_back({id == package.symbols[0].id ? "s1" : "s3", "denominator", 1, 0, 1});
  }
  package.symbols.push_back({"s4", "extent 0", 0, 0, 1, false, "floordiv(s0, s1)"});
  package.checks = {{"s4", "<=", "8", "a limit"}};
  const auto bind = [&](const Elements &elements) {
    return bindShapes(package, *parseInterface(package), {{2}}, {}, {elements});
  };
  EXPECT_EQ((*bind({7, 2, 0, 0})).at("s4"), 3);
  EXPECT_EQ((*bind({7, 2, 0, 0})).count("s2"), 0u);
  EXPECT_EQ(bind({0, 0, 7, 2}).status().message(), "input 'k': element 0 is no number that an extent can follow from");
  package.checks = {{"s2", "<=", "8", "a limit"}};
  EXPECT_EQ(bind({7, 2, 0, 0}).status().message(), "input 'k': element 1 is no number that an extent can follow from");
}

TEST(ShapeRequest, ShapesAndSymbolsMix) {
  const format::Package package = twoSymbols();
  Result<ParsedInterface> parsed = parseInterface(package);
  const std::vector<Shape> expected = {{2, 9}, {8, 8}, {}};
  for (const std::vector<std::string> &requests : std::vector<std::vector<std::string>>{{"s0=2", "s1=4"},
                                                                                        {"batch=2", "s1=4"},
                                                                                        {"a=2x9"},
                                                                                        {"a=2x9", "s0=2"},
                                                                                        {"b=8x8", "s0=2"},
                                                                                        {"a=2x9", "b=8x8", "c="}}) {
    Result<std::vector<Shape>> shapes = requestShapes(package, *parsed, requests);
    ASSERT_TRUE(shapes.isOk()) << shapes.status().message();
    EXPECT_EQ(*shapes, expected) << requests[0];
  }
}

TEST(ShapeRequest, SaysWhatIsWrong) {
  EXPECT_EQ(
      requestError({}),
      "the model's dynamic dimensions need values: s0 'batch', s1; give each by its name, as --shape 'batch=VALUE', "
      "or an input's shape, as --shape NAME=AxB");
  EXPECT_EQ(requestError({"s0=2"}), "the model's dynamic dimensions need values: s1; give each by its name, as --shape "
                                    "'s1=VALUE', or an input's shape, as --shape NAME=AxB");
  EXPECT_EQ(requestError({"s0"}), "--shape s0: expected NAME=2x16 or SYMBOL=16");
  for (const char *wrong : {"a=2x", "a=x2", "a=2xx2", "a=-1x2", "a=2,3", "a=99999999999999999999x1", "a= 2x9"})
    EXPECT_NE(requestError({wrong}).find("expected NAME=2x16"), std::string::npos) << wrong;
  EXPECT_EQ(requestError({"z=3"}), "--shape z=3: the model has no input and no dimension 'z'");
  EXPECT_EQ(requestError({"s0=2", "s0=3"}), "--shape s0=3: this dimension was given 2 before");
  EXPECT_EQ(requestError({"a=2x9", "a=3x9"}), "--shape a=3x9: this input was given [2, 9] before");
  EXPECT_EQ(requestError({"a=2"}), "--shape a=2: the model declares [s0 'batch', 2*s1 + 1]");
  EXPECT_NE(requestError({"a=2x9", "s0=3"}), "");
}

TEST(RandomInputs, RepeatAndDiffer) {
  const format::Tensor floats{"x", DType::F32, {}};
  const HostTensor a = randomTensor(floats, {50, 4}, 1, 0);
  EXPECT_EQ(a.bytes, randomTensor(floats, {50, 4}, 1, 0).bytes);
  EXPECT_NE(a.bytes, randomTensor(floats, {50, 4}, 2, 0).bytes);
  EXPECT_NE(a.bytes, randomTensor(floats, {50, 4}, 1, 1).bytes);
}

TEST(RandomInputs, FloatsAreStandardNormal) {
  const HostTensor tensor = randomTensor({"x", DType::F64, {}}, {20000}, 3, 0);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < 20000; ++i) {
    double value;
    std::memcpy(&value, &tensor.bytes[8 * i], 8);
    sum += value, squares += value * value;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.05);
}

TEST(RandomInputs, FloatsOfUpTo8BitsAreTheNearestOfTheirType) {
  const HostTensor wide = randomTensor({"x", DType::F64, {}}, {3000}, 3, 0);
  for (const format::NarrowFloat &type : format::kNarrowFloats) {
    const HostTensor narrow = randomTensor({"x", type.dtype, {}}, {3000}, 3, 0);
    ASSERT_EQ(narrow.bytes.size(), 3000u);
    for (size_t i = 0; i < 3000; ++i) {
      double value;
      std::memcpy(&value, &wide.bytes[8 * i], 8);
      value = type.isSigned ? value : std::fabs(value); // powers of two have no sign
      const double found = format::decoded(type, narrow.bytes[i]),
                   step = std::ldexp(std::fabs(value), -1 - type.fraction);
      EXPECT_NEAR(found, value, std::max(step, format::decoded(type, 1) / 2)) << format::dtypeName(type.dtype);
    }
  }
}

TEST(RandomInputs, IntegersFitTheirBits) {
  for (const auto &[dtype, end] : {std::pair(DType::I4, 8), {DType::U4, 8}, {DType::I2, 2}, {DType::U2, 2}}) {
    const HostTensor tensor = randomTensor({"x", dtype, {}}, {300}, 3, 0);
    EXPECT_EQ(*std::max_element(tensor.bytes.begin(), tensor.bytes.end()), end - 1) << format::dtypeName(dtype);
  }
}

TEST(RandomInputs, NarrowFloatsAreTheWideOnesRounded) {
  const HostTensor wide = randomTensor({"x", DType::F32, {}}, {5000}, 3, 0);
  const HostTensor half = randomTensor({"x", DType::F16, {}}, {5000}, 3, 0);
  const HostTensor brain = randomTensor({"x", DType::BF16, {}}, {5000}, 3, 0);
  for (size_t i = 0; i < 5000; ++i) {
    float value;
    uint16_t narrow, top;
    std::memcpy(&value, &wide.bytes[4 * i], 4);
    std::memcpy(&narrow, &half.bytes[2 * i], 2);
    std::memcpy(&top, &brain.bytes[2 * i], 2);
    const int exponent = (narrow >> 10 & 31) - 15;
    const float back = (narrow & 0x8000 ? -1.0f : 1.0f) * std::ldexp(1.0f + (narrow & 1023) / 1024.0f, exponent);
    ASSERT_NEAR(back, value, std::abs(value) / 2048 + 0x1p-14f) << i; // half's subnormals become 0
    const uint32_t bits = uint32_t(top) << 16;
    float fromBrain;
    std::memcpy(&fromBrain, &bits, 4);
    ASSERT_NEAR(fromBrain, value, std::abs(value) / 256) << i;
  }
}

TEST(RandomInputs, IntegersStayBelowTheIndexedExtentAndMasksAreOnes) {
  const HostTensor ids = randomTensor({"ids", DType::I64, {}, 3}, {1000}, 1, 1);
  int64_t largest = 0;
  for (size_t i = 0; i < 1000; ++i) {
    int64_t id;
    std::memcpy(&id, &ids.bytes[8 * i], 8);
    ASSERT_GE(id, 0);
    largest = std::max(largest, id);
  }
  EXPECT_EQ(largest, 2);
  EXPECT_EQ(randomTensor({"m", DType::I8, {}, 0, true}, {3}, 1, 1).bytes, (std::vector<uint8_t>{1, 1, 1}));
  for (uint8_t byte : randomTensor({"b", DType::Bool, {}}, {100}, 1, 1).bytes)
    EXPECT_LE(byte, 1);
}

TEST(Text, NamesCannotSteerATerminal) {
  EXPECT_EQ(quote("block/attn.0"), "'block/attn.0'");
  EXPECT_EQ(quote("a\n\x1b[31m'\\\xff"), "'a\\x0a\\x1b[31m\\x27\\x5c\\xff'");
  EXPECT_EQ(quote(std::string(500, 'a')).size(), 125u);
  format::Package package;
  package.nodes = {{"a", "Add"}, {"b", "Mul"}, {"c", "Sub"}, {"d", "Div"}, {"e", "Exp"}};
  EXPECT_EQ(nodeList(package, {1}), "node 'b' (Mul)");
  EXPECT_EQ(nodeList(package, {0, 1, 2, 3, 4}), "nodes 'a' (Add), 'b' (Mul), 'c' (Sub), 'd' (Div) and 1 more");
}

/// NVRTC knows kernels by their names alone; people know the nodes of their model.
TEST(Text, AnErrorThatNamesAKernelGetsItsNodes) {
  const std::vector<format::Node> nodes = {{"a", "Conv"}, {"b", "Relu"}};
  format::Program program;
  program.kernels.resize(2);
  program.kernels[0].name = "k_0";
  program.kernels[1].name = "k_1";
  program.steps.resize(2);
  for (uint32_t i : {0u, 1u}) {
    program.steps[i].kind = format::Step::LaunchStep;
    program.steps[i].launch.kernel = i;
    program.steps[i].nodes = {i};
  }
  const auto told = [&](const std::string &text) {
    return withKernelNodes(Status::limit(text), nodes, program).message();
  };
  EXPECT_EQ(told("did not compile kernel k_1 within 1 s"), "node 'b' (Relu): did not compile kernel k_1 within 1 s");
  EXPECT_EQ(told("k_0 and k_1"), "node 'a' (Conv); node 'b' (Relu): k_0 and k_1");
  EXPECT_EQ(told("out of memory"), "out of memory");
  EXPECT_TRUE(withKernelNodes(Status::ok(), nodes, program).isOk());
}

} // namespace cupola::runtime
