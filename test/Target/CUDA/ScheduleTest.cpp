//===- test/Target/CUDA/ScheduleTest.cpp - every schedule against the meaning of its kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Each kernel is emitted, run by the simulator with all checks on, and compared with
// the interpreter of kernels: aligned and ragged extents, every type a schedule takes.

#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/CudaTarget.h"
#include "test/Sim/KernelRunner.h"
#include "test/Target/CUDA/KernelInterpreter.h"
#include "test/Target/CUDA/KernelTexts.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace mlir;
using namespace cupola;
using namespace cupola::test;

namespace {

struct Parsed {
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  kernel::FuncOp func;

  explicit Parsed(const std::string &text) {
    context.loadDialect<graph::GraphDialect, kernel::KernelDialect, cuda::CudaDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    if (module)
      func = *module->getOps<kernel::FuncOp>().begin();
  }
};

std::vector<Number> randomNumbers(int64_t count, int64_t bound, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<Number> numbers(count);
  for (Number &n : numbers) {
    n.real = static_cast<double>(generator() % 2001) / 1000.0 - 1.0;
    n.whole = static_cast<int64_t>(generator() % static_cast<uint64_t>(bound));
  }
  return numbers;
}

/// Relative to the largest magnitude; f16 and bf16 round once when stored.
double tolerance(Type type) {
  if (type.isF64())
    return 1e-6; // an f32 function may be on the way
  return type.isF32() ? 2e-5 : type.isF16() ? 2e-3 : 1.6e-2;
}

class KernelCheck {
public:
  KernelCheck(const KernelCase &test, kernel::FuncOp func) : test(test), func(func) {
    for (auto [i, argument] : llvm::enumerate(func.getViews())) {
      auto view = cast<kernel::ViewType>(argument.getType());
      elements.push_back(view.getElement());
      isWritten.push_back(view.getAccess() != kernel::Access::Read);
      int64_t bound = view.getElement().isInteger(1) ? 2 : test.indexBound;
      std::vector<Number> numbers = randomNumbers(test.elements[i], bound, 17 + i);
      for (int64_t element : i == 0 ? test.unread : std::vector<int64_t>())
        numbers[element].real = std::nan("");
      bytes.push_back(encode(numbers, view.getElement()));
      expected.push_back(decode(bytes.back(), view.getElement()));
    }
  }

  void onSimulator(const std::string &arch, const cuda::CudaOptions &options) {
    const GpuArchitecture &target = *findGpu(arch);
    OwningOpRef<ModuleOp> prepared = cast<ModuleOp>(func->getParentOp()).clone();
    ASSERT_TRUE(succeeded(cuda::prepareCudaKernels(*prepared, target)));
    FailureOr<cuda::CudaKernel> emitted =
        cuda::emitCudaKernel(*prepared->getOps<kernel::FuncOp>().begin(), target, options);
    ASSERT_TRUE(succeeded(emitted));
    EXPECT_EQ(emitted->record.schedule, test.schedule);
    std::map<std::string, int64_t> values;
    for (size_t i = 0; i < test.scalars.size(); ++i)
      values["n" + std::to_string(i)] = test.scalars[i];
    KernelRun run;
    run.text = "#include \"device.cuh\"\n" + emitted->text;
    run.kernel = emitted->record.name;
    run.threads = emitted->record.threads;
    run.sharedBytes = emitted->record.sharedBytes;
    setGrid(run, *emitted, values);
    run.scalars = test.scalars;
    for (const KernelTensorMap &map : emitted->maps)
      run.maps.push_back(mapOf(map, values));
    for (size_t i = 0; i < bytes.size(); ++i)
      run.buffers.push_back({emitted->record.readWrite[i], bytes[i].size(), isWritten[i] ? std::string() : bytes[i]});
    for (const KernelWorkspace &part : emitted->workspace)
      run.buffers.push_back(workspace(part, values));
    const bool raises = interpret(func, test.scalars, expected);
    EXPECT_EQ(raises, test.raises);
    for (unsigned order = 0; order < test.orders; ++order) {
      KernelOutcome outcome = runKernel(*makeSimulator(arch, order), run);
      ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message() << "\n" << emitted->text;
      EXPECT_EQ(outcome.flag != 0, raises);
      check(outcome, *emitted);
    }
  }

private:
  using Values = std::map<std::string, int64_t>;

  void check(const KernelOutcome &outcome, const cuda::CudaKernel &kernel) {
    size_t next = 0;
    for (size_t i = 0; i < bytes.size(); ++i)
      if (isWritten[i])
        compare(decode(outcome.buffers[next++], elements[i]), i);
    for (const KernelWorkspace &part : kernel.workspace)
      EXPECT_TRUE(wasLeft(part, outcome.buffers[next++]));
  }

  /// Sums hold anything, counters 0.
  static KernelBuffer workspace(const KernelWorkspace &part, const Values &values) {
    const uint64_t bytes = *part.bytes.evaluate(values);
    return {"rw", bytes, part.isCounters ? std::string(bytes, 0) : std::string()};
  }
  static bool wasLeft(const KernelWorkspace &part, const std::string &bytes) {
    return !part.isCounters || bytes == std::string(bytes.size(), 0);
  }

  /// A plan may launch more blocks than a symbolic grid says, in whole clusters.
  static void setGrid(KernelRun &run, const cuda::CudaKernel &kernel, const Values &values) {
    run.cluster = kernel.record.cluster;
    run.programmatic = kernel.record.programmatic;
    run.cooperative = kernel.record.cooperative;
    uint64_t *const axes[] = {&run.grid, &run.gridY, &run.gridZ};
    for (auto [axis, blocks] : llvm::enumerate(kernel.grid)) {
      const int64_t surplus = blocks.constant() ? 0 : axis == 0 ? 2 * std::max(run.cluster, 1u) : 2;
      *axes[axis] = *blocks.evaluate(values) + surplus;
    }
  }

  static KernelMap mapOf(const KernelTensorMap &map, const Values &values) {
    auto numbers = [&](const std::vector<Expr> &exprs) {
      std::vector<uint64_t> result;
      for (const Expr &e : exprs)
        result.push_back(*e.evaluate(values));
      return result;
    };
    KernelMap result;
    result.buffer = map.buffer;
    result.offset = *map.offset.evaluate(values);
    result.dtype = map.dtype;
    result.extents = numbers(map.extents);
    result.strides = numbers(map.strides);
    result.box = map.box;
    result.swizzle = map.swizzle;
    result.window = map.window;
    return result;
  }

  void compare(const std::vector<Number> &actual, size_t buffer) {
    const std::vector<Number> &wanted = expected[buffer];
    ASSERT_EQ(actual.size(), wanted.size());
    double largest = 0;
    for (const Number &n : wanted)
      largest = std::max(largest, std::abs(n.real));
    double allowed = (test.tolerance > 0 ? test.tolerance : tolerance(elements[buffer])) * std::max(largest, 1e-3);
    for (size_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(actual[i].whole, wanted[i].whole) << "at " << i;
      ASSERT_NEAR(actual[i].real, wanted[i].real, allowed) << "at " << i;
    }
  }

  const KernelCase &test;
  kernel::FuncOp func;
  std::vector<Type> elements;
  std::vector<bool> isWritten;
  std::vector<std::string> bytes;
  std::vector<std::vector<Number>> expected;
};

class Schedule : public ::testing::TestWithParam<KernelCase> {
protected:
  void onArch(const std::string &arch, const cuda::CudaOptions &options = {}) {
    Parsed parsed(GetParam().text);
    ASSERT_TRUE(parsed.func) << GetParam().text;
    KernelCheck(GetParam(), parsed.func).onSimulator(arch, options);
  }
};

TEST_P(Schedule, Sm80) { onArch("sm_80"); }

class ScheduleSm75 : public Schedule {};
TEST_P(ScheduleSm75, Sm75) { onArch("sm_75"); }

class ScheduleWide : public Schedule {};
TEST_P(ScheduleWide, Sm80) { onArch("sm_80", {/*force64BitIndex=*/true}); }

class ScheduleSm90a : public Schedule {};
TEST_P(ScheduleSm90a, Sm90a) { onArch("sm_90a"); }

/// Every kernel there begins before the one before it has ended: a schedule of each family.
std::vector<KernelCase> overlappingCases() {
  std::vector<KernelCase> cases = {
      pointwiseCase("f32", 3, 96, /*dynamic=*/true),
      pointwiseCase("f16", 7, 64, /*dynamic=*/false),
      pointwiseCase("f16", 517, 1536, /*dynamic=*/false),
      transposeCase("f32", 5, 33, 40, {0, 2, 1}),
      gatherCase("f32", 5, 384, /*outOfRange=*/false),
      gatherCase("f32", 5, 384, /*outOfRange=*/true),
      softmaxCase("f32", 3, 100, /*dynamic=*/true),
      softmaxCase("f16", 2, 2000, /*dynamic=*/false),
      layerNormCase("f32", 6, 768),
      layerNormCase("f16", 1061, 2048),
      softmaxColumnsCase("f32", 3, 40, 70),
      reductionCase("f32", "sum", 4, 300, 1),
      reductionCase("f32", "sum", 2, 3000, 1, "row_reduction<threads 128, row 128, vector 4, split 4>"),
      reductionCase("f32", "max", 3, 70, 40),
      fewRowsCase({"f16", 1, 72, 1100, /*products=*/2, /*norm=*/true}),
      foldedNormCase({"f16", 37, 160, 200, 3, /*moments=*/true, /*dynamic=*/false,
                      MmaTile{32, 32, 128, 1, 1, 4, 4}.schedule(16, /*async=*/true)}),
      gemmCase(33, 70, 19),
      splitMmaCases().front(),
      patchCases().front()};
  for (const std::vector<KernelCase> &family : {scheduledAttentionCases(), windowCases(), normCases()})
    cases.insert(cases.end(), family.begin(), family.begin() + 2);
  return cases;
}

std::string nameOf(const ::testing::TestParamInfo<KernelCase> &info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Pointwise, Schedule, ::testing::ValuesIn(pointwiseCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Transpose, Schedule, ::testing::ValuesIn(transposeCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Gather, Schedule, ::testing::ValuesIn(gatherCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Rows, Schedule, ::testing::ValuesIn(rowCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Reductions, Schedule, ::testing::ValuesIn(reductionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Norms, Schedule, ::testing::ValuesIn(normCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Gemms, Schedule, ::testing::ValuesIn(gemmCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Packed, Schedule, ::testing::ValuesIn(packedCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(AsyncPacked, Schedule, ::testing::ValuesIn(asyncPackedCases(findGpu("sm_80")->sharedBytes)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(RegisterPacked, Schedule, ::testing::ValuesIn(registerPackedCases(16)), nameOf);
INSTANTIATE_TEST_SUITE_P(RegisterPacked, ScheduleSm75, ::testing::ValuesIn(registerPackedCases(8)), nameOf);
INSTANTIATE_TEST_SUITE_P(FewRows, Schedule, ::testing::ValuesIn(fewRowsCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(FoldedNorms, Schedule, ::testing::ValuesIn(foldedNormCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(AsyncFoldedNorms, Schedule,
                         ::testing::ValuesIn(asyncFoldedNormCases(findGpu("sm_80")->sharedBytes)), nameOf);
INSTANTIATE_TEST_SUITE_P(FoldedNorms, ScheduleSm75, ::testing::Values(foldedNormCase({"f16", 37, 160, 200, 3, true})),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(FoldedNorms, ScheduleSm90a, ::testing::ValuesIn(wgmmaFoldedNormCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(AsyncMma, Schedule, ::testing::ValuesIn(asyncMmaCases(findGpu("sm_80")->sharedBytes)), nameOf);
INSTANTIATE_TEST_SUITE_P(Tf32, Schedule, ::testing::ValuesIn(tf32Cases(findGpu("sm_80")->sharedBytes)), nameOf);
INSTANTIATE_TEST_SUITE_P(SplitMma, Schedule, ::testing::ValuesIn(splitMmaCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Bytes, Schedule, ::testing::ValuesIn(byteCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Bytes, ScheduleSm75, ::testing::ValuesIn(byteCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Float8, Schedule, ::testing::ValuesIn(float8Cases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Float8, ScheduleSm75, ::testing::ValuesIn(float8Cases()), nameOf);
INSTANTIATE_TEST_SUITE_P(AsyncFloat8, Schedule, ::testing::ValuesIn(asyncFloat8Cases(*findGpu("sm_80"))), nameOf);
INSTANTIATE_TEST_SUITE_P(AsyncBytes, Schedule, ::testing::ValuesIn(asyncByteCases(findGpu("sm_80")->sharedBytes)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(RegisterBytes, Schedule, ::testing::ValuesIn(registerByteCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(RegisterBytes, ScheduleSm75, ::testing::ValuesIn(registerByteCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(RegisterMma, Schedule, ::testing::ValuesIn(registerMmaCases(16)), nameOf);
INSTANTIATE_TEST_SUITE_P(RegisterMma, ScheduleSm75, ::testing::ValuesIn(registerMmaCases(8)), nameOf);
INSTANTIATE_TEST_SUITE_P(Wgmma, ScheduleSm90a, ::testing::ValuesIn(wgmmaCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(WgmmaConv, ScheduleSm90a, ::testing::ValuesIn(wgmmaConvCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(WgmmaAttentions, ScheduleSm90a, ::testing::ValuesIn(wgmmaAttentionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Overlapping, ScheduleSm90a, ::testing::ValuesIn(overlappingCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Windows, Schedule, ::testing::ValuesIn(windowCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Convs, Schedule, ::testing::ValuesIn(convCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Patches, Schedule, ::testing::ValuesIn(patchCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Attentions, Schedule, ::testing::ValuesIn(attentionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(AttentionParts, Schedule, ::testing::ValuesIn(scheduledAttentionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Attentions, ScheduleSm75, ::testing::ValuesIn(halfAttentionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Convs, ScheduleSm75, ::testing::ValuesIn(halfConvCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Gemms, ScheduleSm75, ::testing::ValuesIn(halfGemmCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Recurrences, Schedule, ::testing::ValuesIn(recurrentCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Recurrences, ScheduleSm90a,
                         ::testing::Values(recurrentCase({"f32", 2, 3, 100, 3}), recurrentCase({"f32", 1, 1, 64})),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Wide, ScheduleWide,
                         ::testing::Values(pointwiseCase("f32", 3, 96, true), softmaxCase("f32", 3, 100, true),
                                           gemmCase(33, 70, 19), gatherCase("f32", 5, 384, false)),
                         nameOf);

} // namespace
