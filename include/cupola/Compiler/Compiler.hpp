//===- include/cupola/Compiler/Compiler.hpp - The C interface as C++ objects ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Header-only; errors are cupola::Error. Objects are move-only owners of their
// handles and have the rules of Compiler.h.
//
//   cupola::Package package = cupola::compile(cupola::modelFile("model.onnx"));
//
//   cupola::Compilation compilation(cupola::modelFile("model.onnx"));
//   compilation.writePackage("model.cupola");
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_COMPILER_COMPILER_HPP
#define CUPOLA_COMPILER_COMPILER_HPP

#include "cupola/Compiler/Compiler.h"
#include "cupola/Runtime/Runtime.hpp"
#include "cupola/Status.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace cupola {

/// Refers to `path`, which outlives its use.
inline cupola_model modelFile(std::string_view path) {
  cupola_model model{};
  model.struct_size = sizeof(model);
  model.path = capi::string(path);
  return model;
}

/// Refers to the bytes, which outlive its use.
inline cupola_model modelInMemory(const void *data, size_t size) {
  cupola_model model{};
  model.struct_size = sizeof(model);
  model.bytes = {data, size};
  return model;
}

/// All defaults.
inline cupola_compile_options compileOptions() {
  cupola_compile_options options{};
  options.struct_size = sizeof(options);
  return options;
}

/// cupola_problem
struct Problem {
  cupola_code code;     ///< its kind
  std::string node;     ///< its name, or its first output; empty: the problem is of the whole model
  std::string op;       ///< "Relu"
  int64_t opset;        ///< that the node is of
  std::string reason;   ///< without the node
  std::string text;     ///< the whole error
  bool decidedByInputs; ///< with the inputs of a run there would be no such problem
};

/// What keeps the model from being compiled. `report`: where given, gets the same for people, under the name `name`.
inline std::vector<Problem> checkModel(const cupola_model &model, const cupola_compile_options *options = nullptr,
                                       Report *report = nullptr, std::string_view name = "model") {
  cupola_problems *made = nullptr;
  capi::check(cupola_model_check(&model, options, &made));
  const capi::Handle<cupola_problems, cupola_problems_release> handle(made);
  if (report) {
    cupola_report *told = nullptr;
    capi::check(cupola_problems_report(made, capi::string(name), &told));
    *report = capi::take(told);
  }
  std::vector<Problem> problems;
  for (size_t i = 0; i < cupola_problems_count(made); ++i) {
    cupola_problem given{};
    given.struct_size = sizeof(given);
    capi::check(cupola_problems_get(made, i, &given));
    problems.push_back({given.code, capi::text(given.node), capi::text(given.op), given.opset, capi::text(given.reason),
                        capi::text(given.text), given.decided_by_inputs != 0});
  }
  return problems;
}

/// The package of the model: from the cache, if the same was compiled before.
inline Package compile(const cupola_model &model, const cupola_compile_options *options = nullptr) {
  cupola_package *made = nullptr;
  capi::check(cupola_compile(&model, options, &made));
  return Package(made);
}
/// The same without compiling: nothing where the cache does not have it.
inline std::optional<Package> findCompiled(const cupola_model &model, const cupola_compile_options *options = nullptr) {
  cupola_package *found = nullptr;
  capi::check(cupola_find_compiled(&model, options, &found));
  return found ? std::optional<Package>(Package(found)) : std::nullopt;
}

/// cupola_compilation
class Compilation {
public:
  /// Reads, checks and imports the model.
  explicit Compilation(const cupola_model &model, const cupola_compile_options *options = nullptr) {
    cupola_compilation *made = nullptr;
    capi::check(cupola_compilation_create(&model, options, &made));
    handle.reset(made);
  }

  /// Compiles for all targets, once; what follows does so where it needs it.
  void build() { capi::check(cupola_compilation_build(get())); }
  /// The file is there whole or not at all.
  void writePackage(std::string_view path) { capi::check(cupola_compilation_write_package(get(), capi::string(path))); }
  /// Lives as long as the compilation, as the texts below.
  std::string_view package() {
    cupola_bytes bytes{};
    capi::check(cupola_compilation_package(get(), &bytes));
    return {static_cast<const char *>(bytes.data), bytes.size};
  }
  /// The text of a phase: "graph", "fused", "kernel", "plan" or "cuda".
  std::string_view emit(std::string_view phase) {
    cupola_string text{};
    capi::check(cupola_compilation_emit(get(), capi::string(phase), &text));
    return {text.data, text.size};
  }
  /// What was decided and why, as JSON.
  std::string_view explain() {
    cupola_string json{};
    capi::check(cupola_compilation_explain(get(), &json));
    return {json.data, json.size};
  }
  /// As `cupola explain` tells it; `allEdges`: also of what was fused.
  Report explainReport(bool allEdges = false) {
    cupola_report *report = nullptr;
    capi::check(cupola_compilation_explain_report(get(), allEdges, &report));
    return capi::take(report);
  }
  /// Of .npz files in memory; the view lives until the next call.
  std::string_view reference(std::string_view inputs) {
    cupola_bytes outputs{};
    capi::check(cupola_compilation_reference(get(), {inputs.data(), inputs.size()}, &outputs));
    return {static_cast<const char *>(outputs.data), outputs.size};
  }
  /// Of an .npz file in memory; the view lives until the next call.
  std::string_view diagnose(std::string_view inputs, std::string_view target, std::string_view arch, double tolerance) {
    cupola_bytes diagnosis{};
    capi::check(cupola_compilation_diagnose(get(), {inputs.data(), inputs.size()}, capi::string(target),
                                            capi::string(arch), tolerance, &diagnosis));
    return {static_cast<const char *>(diagnosis.data), diagnosis.size};
  }
  /// Milliseconds by phase, in order.
  std::vector<std::pair<std::string, double>> phases() const {
    std::vector<std::pair<std::string, double>> phases;
    for (size_t i = 0; i < cupola_compilation_phase_count(get()); ++i) {
      cupola_phase phase{};
      phase.struct_size = sizeof(phase);
      capi::check(cupola_compilation_phase(get(), i, &phase));
      phases.emplace_back(capi::text(phase.name), phase.milliseconds);
    }
    return phases;
  }
  /// The handle, which stays this object's.
  cupola_compilation *get() const { return handle.get(); }

private:
  capi::Handle<cupola_compilation, cupola_compilation_release> handle;
};

} // namespace cupola

#endif // CUPOLA_COMPILER_COMPILER_HPP
