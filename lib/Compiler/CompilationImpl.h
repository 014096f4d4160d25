//===- lib/Compiler/CompilationImpl.h - the state behind a Compilation ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_COMPILATIONIMPL_H
#define CUPOLA_LIB_COMPILER_COMPILATIONIMPL_H

#include "lib/Compiler/Compilation.h"
#include "lib/Import/Onnx/LoadModel.h"
#include "lib/Import/Onnx/OpLibrary/OpLibrary.h"
#include "lib/Pipelines/Variant.h"
#include "lib/Runtime/Format/PackageWriter.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <mutex>

namespace cupola::compiler {

using Tell = std::function<void(const std::string &)>;

/// One call at a time of all that share `turn`; null for null.
Tell inTurn(Tell tell, std::shared_ptr<std::mutex> turn);

/// How many products multiply rows that were rounded to bytes.
int64_t roundedProducts(const BuiltVariant &built);

class Compilation::Impl {
public:
  explicit Impl(Options options);

  /// `problems`: where given, what the model is refused for, each by itself.
  Status load(const ModelSource &source, std::vector<Problem> *problems = nullptr);
  Status build();
  Status emit(Phase phase, std::string &text);
  Status emitBuilt(Phase phase, llvm::raw_ostream &stream);
  /// Says that a phase begins, unless the compilation is to stop.
  Status begin(const std::string &phase) const;
  /// The graph as imported, with the aliases of the options, through the passes that all variants share.
  Result<mlir::OwningOpRef<mlir::ModuleOp>> makeGraph(const PipelineOptions &pipeline) const;
  Result<format::Package> makePackage();
  /// What was decided and why, as JSON; made once.
  const std::string &explain();

  /// The model and the options of its import; `problems`: where given, what it is refused for, each by itself.
  Status readModel(const ModelSource &source, onnx_import::Limits &limits, std::vector<Problem> *problems = nullptr);

  Options options;
  mlir::MLIRContext context;
  std::optional<onnx_import::LoadedModel> model; ///< owns the weights' bytes
  onnx_import::OpLibrary library;                ///< of the options
  format::Metadata metadata;                     ///< of the model
  std::vector<format::Composite> composites;     ///< of the package
  std::map<std::string, std::string> pinned;     ///< see Compilation::pinned
  std::vector<ModelNode> nodes;                  ///< with Options::everyValue
  mlir::OwningOpRef<mlir::ModuleOp> module;      ///< the simplified graph
  mlir::OwningOpRef<mlir::ModuleOp> imported;    ///< as imported, for lib/Reference
  onnx_import::DigestFunction digest;            ///< of LoadOptions; before load()
  std::vector<std::string> warnings;             ///< all but the cache's
  const format::PackageCopy *copy = nullptr;     ///< of the packages that are made
  VariantContext variantContext;
  std::vector<VariantSpec> specs;
  std::vector<BuiltVariant> variants; ///< of `specs`, some twice: after build()

private:
  Status chooseVariants();
  Status choosePrecision();
  Status readTuning();
  /// That every pattern of Options::keepFp32 names nodes of the model.
  Status checkKeptNodes() const;
  Status importFrom(const ModelSource &source, std::vector<Problem> *problems);

  std::string explained;
};

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_COMPILATIONIMPL_H
