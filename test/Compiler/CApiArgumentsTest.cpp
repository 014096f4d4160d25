//===- test/Compiler/CApiArgumentsTest.cpp - What the compiler's C interface is given ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Compiler/CApiFixture.h"

#include <cstring>

namespace cupola {
namespace {

TEST_F(CompilerCApi, OptionsAreTakenAndChecked) {
  const auto errorWith = [&](auto change) {
    cupola_compile_options options = clientOptions(&client);
    change(options);
    return errorOf([&] { Compilation compilation(modelInMemory(whole.data, whole.size), &options); });
  };
  const cupola_string odd = capi::string("odd");
  const cupola_strings odds{&odd, 1};
  EXPECT_NE(errorWith([&](auto &o) { o.targets = odds; }).find("no target is called 'odd'"), std::string::npos);
  EXPECT_NE(errorWith([&](auto &o) { o.cpu_levels = odds; }).find("unknown CPU level 'odd'"), std::string::npos);
  EXPECT_NE(errorWith([&](auto &o) { o.disabled_passes = odds; }).find("no optional pass"), std::string::npos);
  EXPECT_NE(errorWith([&](auto &o) { o.libraries = odd; }).find("expected auto, none, or some of onednn,cublaslt"),
            std::string::npos);
  EXPECT_EQ(errorWith([&](auto &o) { o.precision = odd; }), "precision is 'odd', expected fp32, fp16 or bf16");
  EXPECT_NE(errorWith([&](auto &o) { o.keep_fp32 = odds; }).find("the precision is fp32"), std::string::npos);
  EXPECT_NE(errorWith([&](auto &o) { o.io = odd; }).find("the precision is fp32"), std::string::npos);
  EXPECT_NE(errorWith([&](auto &o) { o.precision = capi::string("fp16"), o.keep_fp32 = odds; }).find("'odd'"),
            std::string::npos);
  EXPECT_EQ(errorWith([&](auto &o) { o.tf32 = odd; }), "tf32 is 'odd', expected x1 or x3");
  EXPECT_EQ(errorWith([&](auto &o) { o.tf32 = capi::string("x1"), o.precision = capi::string("bf16"); }),
            "the precision is bf16, but products of tf32 are for those of fp32");
  EXPECT_NE(errorWith([&](auto &o) { o.tuning = capi::string("/no/such.jsonl"); }).find("cannot open"),
            std::string::npos);
  const int64_t extents[] = {2, 4};
  const cupola_fixed_shape shape{odd, extents, 2};
  EXPECT_EQ(errorWith([&](auto &o) { o.shapes = &shape, o.shape_count = 1; }), "the model has no input 'odd'");
  const cupola_dim_range range{odd, 4, 2};
  EXPECT_EQ(errorWith([&](auto &o) { o.dims = &range, o.dim_count = 1; }), "dimension 'odd' has the interval 4..2");
  const cupola_limit limit{odd, 4};
  EXPECT_NE(errorWith([&](auto &o) { o.limits = &limit, o.limit_count = 1; }).find("no limit 'odd'"),
            std::string::npos);
  const cupola_setting setting{odd, capi::string("1")};
  EXPECT_NE(errorWith([&](auto &o) { o.values = &setting, o.value_count = 1; }), "no error");
  EXPECT_NE(errorWith([&](auto &o) { o.aliases = &setting, o.alias_count = 1; }), "no error");
  EXPECT_NE(errorWith([&](auto &o) { o.values = nullptr, o.value_count = 1; }).find("NULL"), std::string::npos);
  EXPECT_NE(errorWith([&](auto &o) { o.sequences = &setting, o.sequence_count = 1; }).find("'odd' is no input that is"),
            std::string::npos);
  const cupola_setting length{odd, capi::string("1x")};
  EXPECT_EQ(errorWith([&](auto &o) { o.sequences = &length, o.sequence_count = 1; }),
            "sequence 'odd' has the length '1x', expected a number or absent");
  const cupola_given_input given{odd, nullptr, 2, {}};
  EXPECT_NE(errorWith([&](auto &o) { o.given = &given, o.given_count = 1; }).find("NULL"), std::string::npos);
  EXPECT_NE(errorWith([&](auto &o) { o.cache_dir = {"a\0b", 3}; }).find("zero byte"), std::string::npos);
}

TEST_F(CompilerCApi, NullIsAnErrorNotACrash) {
  const cupola_model model = modelInMemory(whole.data, whole.size);
  const cupola_compile_options options = clientOptions(&client);
  cupola_compilation *compilation = nullptr;
  cupola_problems *problems = nullptr;
  cupola_string text{};
  cupola_bytes bytes{};
  cupola_phase phase{};
  cupola_problem problem{};
  EXPECT_TRUE(isUsage(cupola_compilation_create(nullptr, &options, &compilation)));
  EXPECT_TRUE(isUsage(cupola_compilation_create(&model, &options, nullptr)));
  EXPECT_TRUE(isUsage(cupola_model_check(nullptr, &options, &problems)));
  EXPECT_TRUE(isUsage(cupola_model_check(&model, &options, nullptr)));
  EXPECT_TRUE(isUsage(cupola_problems_get(nullptr, 0, &problem)));
  EXPECT_TRUE(isUsage(cupola_compilation_build(nullptr)));
  EXPECT_TRUE(isUsage(cupola_compilation_write_package(nullptr, {"x", 1})));
  EXPECT_TRUE(isUsage(cupola_compilation_package(nullptr, &bytes)));
  EXPECT_TRUE(isUsage(cupola_compilation_emit(nullptr, {"graph", 5}, &text)));
  EXPECT_TRUE(isUsage(cupola_compilation_explain(nullptr, &text)));
  EXPECT_TRUE(isUsage(cupola_compilation_phase(nullptr, 0, &phase)));
  EXPECT_EQ(cupola_compilation_phase_count(nullptr), 0u);
  EXPECT_EQ(cupola_problems_count(nullptr), 0u);
  cupola_compilation_release(nullptr);
  cupola_problems_release(nullptr);

  const Compilation made(model, &options);
  EXPECT_TRUE(isUsage(cupola_compilation_package(made.get(), nullptr)));
  EXPECT_TRUE(isUsage(cupola_compilation_emit(made.get(), {"graph", 5}, nullptr)));
  EXPECT_TRUE(isUsage(cupola_compilation_emit(made.get(), {nullptr, 5}, &text)));
  EXPECT_TRUE(isUsage(cupola_compilation_explain(made.get(), nullptr)));
  EXPECT_TRUE(isUsage(cupola_compilation_phase(made.get(), 0, nullptr)));
  EXPECT_TRUE(isUsage(cupola_compilation_phase(made.get(), 99, &phase)));
  EXPECT_TRUE(isUsage(cupola_compilation_write_package(made.get(), {"x\0y", 3})));
}

TEST_F(CompilerCApi, StructsOfOlderCallersAreShorter) {
  cupola_compilation *compilation = nullptr;
  cupola_model model = modelInMemory(whole.data, whole.size);
  model.struct_size = 0;
  EXPECT_TRUE(isUsage(cupola_compilation_create(&model, nullptr, &compilation)));
  expectMessage("neither a path nor bytes");
  model.struct_size = sizeof(model) + 64; // of a newer caller; what is behind is not looked at
  cupola_compile_options options = clientOptions(&client);
  options.struct_size = offsetof(cupola_compile_options, progress);
  ASSERT_EQ(clientCode(&client, cupola_compilation_create(&model, &options, &compilation)), CUPOLA_OK);
  EXPECT_STREQ(client.told, "");
  ASSERT_EQ(clientCode(&client, cupola_compilation_build(compilation)), CUPOLA_OK);
  cupola_phase phase;
  std::memset(static_cast<void *>(&phase), 0x7f, sizeof(phase));
  phase.struct_size = offsetof(cupola_phase, milliseconds);
  const cupola_phase before = phase;
  EXPECT_EQ(clientCode(&client, cupola_compilation_phase(compilation, 0, &phase)), CUPOLA_OK);
  EXPECT_EQ(capi::text(phase.name), "kernels");
  EXPECT_EQ(std::memcmp(&phase.milliseconds, &before.milliseconds, sizeof(double)), 0) << "written beyond the struct";
  cupola_compilation_release(compilation);
}

TEST_F(CompilerCApi, AModelIsAFileOrBytes) {
  cupola_compilation *compilation = nullptr;
  cupola_model model = clientModel(&client, whole.data, whole.size);
  model.external_folder = capi::string("/tmp");
  EXPECT_TRUE(isUsage(cupola_compilation_create(&model, nullptr, &compilation)));
  expectMessage("a folder and a function");
  model.path = capi::string("m.onnx");
  EXPECT_TRUE(isUsage(cupola_compilation_create(&model, nullptr, &compilation)));
  expectMessage("a path and bytes");
  const cupola_model empty = modelInMemory("", 0);
  EXPECT_EQ(clientCode(&client, cupola_compilation_create(&empty, nullptr, &compilation)), CUPOLA_BAD_MODEL);
}

} // namespace
} // namespace cupola
