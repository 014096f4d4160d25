//===- lib/Compiler/KernelSources.cpp - what was decided, with the text of the kernels ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CompilationImpl.h"
#include "lib/Runtime/Tools/Explained.h"

#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace cupola::compiler {

using Json = nlohmann::ordered_json;

/// By kernel. The module of a built variant is past its kernels, so that the passes up to them run once more.
static Result<Json> kernelIr(ModuleOp graph, const VariantSpec &spec, const PipelineOptions &pipeline,
                             const BuiltVariant &built) {
  OwningOpRef<ModuleOp> copy = graph.clone();
  CUPOLA_TRY(runFusionPasses(*copy, spec, pipeline));
  CUPOLA_TRY(runKernelPasses(*copy, spec, pipeline));
  Json texts = Json::object();
  for (auto kernel : copy->getOps<kernel::FuncOp>()) {
    const auto record = built.kernelNames.find(kernel.getSymName().str());
    if (record == built.kernelNames.end())
      continue;
    std::string text;
    llvm::raw_string_ostream stream(text);
    kernel->print(stream, OpPrintingFlags().elideLargeElementsAttrs(16).elideLargeResourceString(16).useLocalScope());
    texts[record->second] = text + "\n";
  }
  return texts;
}

Result<std::string> Compilation::explainWithSources() {
  CUPOLA_ASSIGN(const std::string explained, explain());
  Json report = Json::parse(explained);
  for (auto [i, built] : llvm::enumerate(state->variants)) {
    Json sources = runtime::kernelTexts(built.variant);
    if (built.variant.sources.empty()) {
      CUPOLA_ASSIGN(sources, kernelIr(*state->module, built.spec, state->variantContext.pipeline, built));
    }
    (report.contains("variants") ? report["variants"][i] : report)["sources"] = std::move(sources);
  }
  return report.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace cupola::compiler
