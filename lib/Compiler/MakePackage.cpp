//===- lib/Compiler/MakePackage.cpp - interface, weights, variants to a package ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CompilationImpl.h"
#include "lib/Compiler/InputTensor.h"

#include "dialects/Graph/Interface.h"
#include "dialects/Graph/Placement.h"
#include "lib/Reference/Tensor.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Format/PackageWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"

#include <mutex>

using namespace mlir;

namespace cupola::compiler {

namespace {

void addInputs(func::FuncOp main, format::Package &package) {
  for (auto [i, argument] : llvm::enumerate(main.getArguments())) {
    format::Tensor tensor = inputTensor(argument);
    tensor.dtype = graph::declaredDtype(argument);
    tensor.mask &= isComputed(tensor.dtype); // bytes that stand for other numbers are none
    tensor.name = main.getArgAttrOfType<StringAttr>(i, "graph.name").str();
    tensor.dims = graph::textsOf(graph::declaredShapeOf(argument));
    if (auto storage = main.getArgAttrOfType<ArrayAttr>(i, graph::storageAttr))
      tensor.storage = graph::textsOf(graph::exprsOf(storage));
    if (auto elements = main.getArgAttrOfType<ArrayAttr>(i, graph::elementsAttr))
      tensor.elements = graph::textsOf(graph::exprsOf(elements));
    package.inputs.push_back(std::move(tensor));
  }
}

void addOutputs(func::FuncOp main, format::Package &package) {
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    format::Tensor tensor;
    tensor.name = main.getResultAttrOfType<StringAttr>(i, "graph.name").str();
    tensor.dtype = graph::declaredDtype(main, i);
    tensor.dims = graph::textsOf(graph::shapeOf(main.getResultTypes()[i]));
    if (auto storage = main.getResultAttrOfType<ArrayAttr>(i, graph::storageAttr)) {
      tensor.storage = graph::textsOf(graph::exprsOf(storage));
      tensor.memoryOf = 1 + main.getResultAttrOfType<IntegerAttr>(i, graph::aliasAttr).getInt();
    }
    package.outputs.push_back(std::move(tensor));
  }
}

void addSymbols(ModuleOp module, format::Package &package) {
  for (auto symbol : module.getOps<graph::SymbolOp>()) {
    auto name = dyn_cast<NameLoc>(symbol.getLoc());
    package.symbols.push_back({symbol.getSymName().str(), name ? name.getName().str() : "",
                               static_cast<int64_t>(symbol.getMin()), static_cast<int64_t>(symbol.getMax()),
                               static_cast<int64_t>(symbol.getDivisor()), symbol.getRun(),
                               symbol.getDefinition() ? symbol.getDefinitionAttr().getValue().text() : ""});
  }
  for (auto fact : module.getOps<graph::AssumeOp>())
    package.checks.push_back(checkOf(fact.getLhs(), fact.getRelation(), fact.getRhs(), fact.getReason()));
}

void addWeights(ArrayRef<WeightTable::Entry> entries, format::Package &package) {
  for (const WeightTable::Entry &entry : entries) {
    auto type = cast<RankedTensorType>(entry.value.getShapedType());
    format::Weight weight;
    weight.dtype = format::rowOf(graph::dtypeOf(type.getElementType())).storage;
    weight.dims = type.getShape().vec();
    weight.bytes = type.getNumElements() * format::byteSize(weight.dtype);
    package.weights.push_back(std::move(weight));
  }
}

/// The writer asks for a weight piece by piece; a splat is written out once.
format::WeightSource weightSource(ArrayRef<WeightTable::Entry> entries) {
  struct Current {
    std::mutex mutex;
    uint32_t index = ~0u;
    reference::Tensor value; ///< its elements are shared by its copies
  };
  return [entries, current = std::make_shared<Current>()](uint32_t index, uint64_t offset, char *target,
                                                          uint64_t size) -> Status {
    std::unique_lock<std::mutex> lock(current->mutex);
    if (current->index != index) {
      CUPOLA_ASSIGN(current->value, reference::Tensor::of(entries[index].value));
      current->index = index;
    }
    const reference::Tensor value = current->value;
    lock.unlock();
    std::copy_n(value.data() + offset, size, target);
    return {};
  };
}

} // namespace

static void addStrings(ModuleOp module, format::Package &package) {
  if (auto texts = module->getAttrOfType<ArrayAttr>(graph::stringsAttr))
    for (auto text : texts.getAsRange<StringAttr>())
      package.strings.push_back(text.str());
}

format::Package Compilation::interface() const {
  format::Package package;
  auto main = state->module->lookupSymbol<func::FuncOp>("main");
  addInputs(main, package);
  addOutputs(main, package);
  addSymbols(*state->module, package);
  package.composites = state->composites;
  return package;
}

/// With kernel results, `main` becomes that of a variant, which has them all.
static Status commonMain(const std::vector<BuiltVariant> &variants, func::FuncOp &main) {
  for (const BuiltVariant &built : variants) {
    auto other = built.module.get().lookupSymbol<func::FuncOp>("main");
    if (&built != &variants.front() && other.getResultTypes() != main.getResultTypes())
      return Status::usage("the kernels of " + built.variant.arch + " are not those of " +
                           variants.front().variant.arch + ": name one architecture");
    main = other;
  }
  return {};
}

int64_t roundedProducts(const BuiltVariant &built) {
  int64_t count = 0;
  built.module.get().walk([&](graph::BlockMatMulOp) { ++count; });
  return count;
}

Result<format::Package> Compilation::Impl::makePackage() {
  CUPOLA_TRY(build());
  CUPOLA_TRY(pollCancel(variantContext.services.cancelled));
  format::Package package;
  package.producer = "cupola " + std::string(format::version());
  package.tools = {std::string("llvm ") + LLVM_VERSION_STRING};
  package.metadata = metadata;
  package.composites = composites;
  package.tf32 = variantContext.pipeline.precision.tf32 == 1;
  package.int8Rows = llvm::any_of(variants, roundedProducts);
  auto main = module->lookupSymbol<func::FuncOp>("main");
  addInputs(main, package);
  if (options.kernelResults)
    CUPOLA_TRY(commonMain(variants, main));
  addOutputs(main, package);
  addSymbols(*module, package);
  addStrings(*module, package);
  addWeights(variantContext.weights.entries(), package);
  NodeTable nodes = variantContext.nodes;
  package.nodes = nodes.takeNodes();
  for (const BuiltVariant &built : variants)
    package.variants.push_back(built.variant);
  for (const Target *target : targets())
    if (llvm::is_contained(options.targets, target->name().str()))
      llvm::append_range(package.headers, target->headers());
  package.reports.push_back({"explain", explain()});
  return package;
}

Status Compilation::writePackage(const std::string &path) {
  CUPOLA_ASSIGN(format::Package package, state->makePackage());
  return format::writePackage(std::move(package), weightSource(state->variantContext.weights.entries()), path,
                              state->options.threads, state->copy);
}

Result<std::string> Compilation::package() {
  CUPOLA_ASSIGN(format::Package package, state->makePackage());
  return format::writePackageToMemory(std::move(package), weightSource(state->variantContext.weights.entries()),
                                      state->options.threads, state->copy);
}

static Status writeText(const std::string &path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error)
    stream << text;
  if (error || (stream.flush(), stream.has_error()))
    return Status::io("cannot write '" + path + "'");
  return {};
}

Status Compilation::dumpCuda(const std::string &dir) {
  CUPOLA_TRY(state->build());
  for (const BuiltVariant &built : state->variants) {
    if (built.variant.sources.empty())
      continue;
    std::string folder = dir + "/" + folderOf(built.variant);
    if (llvm::sys::fs::create_directories(folder))
      return Status::io("cannot make the folder '" + folder + "'");
    for (const format::Source &source : built.variant.sources)
      CUPOLA_TRY(writeText(folder + "/" + source.name, source.text));
    for (const format::Source &header : findTarget(built.variant.target)->headers())
      CUPOLA_TRY(writeText(folder + "/" + header.name, header.text));
  }
  return {};
}

} // namespace cupola::compiler
