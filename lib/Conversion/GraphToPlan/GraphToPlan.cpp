//===- lib/Conversion/GraphToPlan/GraphToPlan.cpp - launches and buffers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToPlan/GraphToPlan.h"

#include "dialects/Graph/Placement.h"
#include "dialects/Plan/LibraryCallAttr.h"
#include "lib/Reference/Tensor.h"

#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace cupola {

unsigned WeightTable::indexOf(ElementsAttr value, Location location) {
  auto [found, isNew] = known.try_emplace(value);
  if (isNew)
    found->second = indexOfContent({value, location});
  return found->second;
}

unsigned WeightTable::indexOfContent(const Entry &entry) {
  const auto bytesOf = [](const reference::Tensor &tensor) {
    return ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(tensor.data()), tensor.bytes());
  };
  Result<reference::Tensor> value = reference::Tensor::of(entry.value);
  if (!value.failed()) { // else the package's writer says what is wrong
    auto &candidates = byHash[llvm::xxh3_64bits(bytesOf(*value))];
    for (unsigned index : candidates)
      if (Result<reference::Tensor> other = reference::Tensor::of(table[index].value);
          !other.failed() && other->dtype() == value->dtype() && bytesOf(*other) == bytesOf(*value))
        return index;
    candidates.push_back(table.size());
  }
  table.push_back(entry);
  return table.size() - 1;
}

namespace {

/// Of the memory that the tensor lies in.
Expr bytesOf(Value tensor) {
  return graph::product(graph::placementOf(tensor).storage) * Expr(graph::byteSize(graph::elementOf(tensor)));
}

class PlanBuilder {
public:
  PlanBuilder(ModuleOp module, const TargetKernels &kernels, WeightTable &weights)
      : module(module), kernels(kernels), weights(weights), b(module.getContext()) {}

  plan::ProgramOp build(StringRef target, StringRef arch) {
    main = module.lookupSymbol<func::FuncOp>("main");
    b.setInsertionPointToEnd(module.getBody());
    auto program = plan::ProgramOp::create(b, main.getLoc(), "program", target, arch);
    body = &program.getBody().emplaceBlock();
    b.setInsertionPointToStart(body);
    for (auto [i, argument] : llvm::enumerate(main.getArguments()))
      buffers[argument] = addBuffer(plan::BufferKind::Input, i, bytesOf(argument), argument.getLoc());
    declareOutputs();
    for (auto fusion : main.getOps<graph::FusionOp>())
      addLaunch(fusion);
    copyOutputs();
    return program;
  }

private:
  Value addBuffer(plan::BufferKind kind, int64_t index, const Expr &bytes, Location loc) {
    return plan::BufferOp::create(b, loc, plan::BufferType::get(b.getContext()), kind, index, bytes);
  }

  /// Kernels write straight into the first output that returns what they compute, alone or
  /// joined; every other output is a copy.
  void declareOutputs() {
    auto ret = cast<func::ReturnOp>(main.getBody().front().getTerminator());
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      Value output = addBuffer(plan::BufferKind::Output, i, bytesOf(value), value.getLoc());
      bool isWritten = isa_and_present<graph::FusionOp, graph::JoinOp>(value.getDefiningOp());
      if (isWritten && !buffers.count(value))
        place(value, output);
      else
        copies.push_back({value, output});
    }
  }

  void copyOutputs() {
    for (auto [value, output] : copies)
      plan::CopyOp::create(b, value.getLoc(), bufferOf(value), output, bytesOf(value));
  }

  /// With all that is joined in `value`. An argument that is joined brought its memory along.
  void place(Value value, Value buffer) {
    buffers[value] = buffer;
    if (auto join = value.getDefiningOp<graph::JoinOp>())
      for (Value part : join.getInputs())
        if (part.getDefiningOp())
          place(part, buffer);
  }

  Value bufferOf(Value value) {
    if (Value buffer = buffers.lookup(value))
      return buffer;
    if (auto constant = value.getDefiningOp<graph::ConstantOp>()) {
      unsigned index = weights.indexOf(constant.getValue(), constant.getLoc());
      Value &buffer = weightBuffers[index];
      if (!buffer)
        buffer = addBuffer(plan::BufferKind::Weight, index, bytesOf(value), value.getLoc());
      return buffers[value] = buffer;
    }
    Value whole = value;
    while (graph::JoinOp join = graph::joinOf(whole))
      whole = join.getResult();
    Value buffer = addBuffer(plan::BufferKind::Arena, 0, bytesOf(whole), whole.getLoc());
    place(whole, buffer);
    return buffer;
  }

  /// An expression over n0, n1, .. in the model's symbols.
  static Expr inSymbols(const Expr &expr, ArrayAttr scalars) {
    std::map<std::string, Expr> map;
    for (auto [i, scalar] : llvm::enumerate(graph::exprsOf(scalars)))
      map["n" + std::to_string(i)] = scalar;
    return expr.substitute(map);
  }

  /// The grid in the model's symbols; a kernel over nothing still needs no block.
  Expr gridOf(StringRef kernel, ArrayAttr scalars) { return inSymbols(kernels.at(kernel.str()).grid, scalars); }

  void addLaunch(graph::FusionOp fusion) {
    StringRef kernel = *fusion.getKernel();
    ArrayAttr scalars = *fusion.getScalars();
    SmallVector<Value> operands;
    for (Value input : fusion.getInputs())
      operands.push_back(bufferOf(input));
    auto func = module.lookupSymbol<kernel::FuncOp>(kernel);
    for (kernel::PackedAttr packed : func.getPackedOperands())
      pack(fusion, packed, scalars, operands);
    for (Value result : fusion.getResults())
      operands.push_back(bufferOf(result));
    graph::LibraryCallAttr call = fusion.getLibraryAttr();
    plan::LaunchOp::create(b, locationOf(fusion), kernel, operands, gridOf(kernel, scalars), scalars, /*init=*/false,
                           call ? callBuffers(fusion) : SmallVector<Value>(), call);
  }

  /// With the joins that its results stand in; those that hold nothing but joins, too.
  Location locationOf(graph::FusionOp fusion) {
    SmallVector<Location> locations{fusion.getLoc()};
    for (Value result : fusion.getResults())
      for (graph::JoinOp join = graph::joinOf(result); join; join = graph::joinOf(join.getResult())) {
        locations.push_back(join.getLoc());
        graph::JoinOp outer = graph::joinOf(join.getResult());
        if (!outer || llvm::any_of(outer.getInputs(), [](Value part) { return part.getDefiningOp<graph::FusionOp>(); }))
          break;
      }
    return b.getFusedLoc(locations);
  }

  /// In their own layout: a library packs weights as it likes.
  SmallVector<Value> callBuffers(graph::FusionOp fusion) {
    SmallVector<Value> operands;
    for (int64_t input : fusion.getLibraryInputsAttr().asArrayRef())
      operands.push_back(bufferOf(fusion.getInputs()[input]));
    operands.push_back(bufferOf(fusion.getResults().front()));
    return operands;
  }

  /// Replaces an operand by its packed copy, made once by an init launch.
  void pack(graph::FusionOp fusion, kernel::PackedAttr packed, ArrayAttr scalars, SmallVectorImpl<Value> &operands) {
    const unsigned parameter = packed.getParameter();
    const FlatSymbolRefAttr packer = packed.getPacker();
    Value &copy = packedCopies[{operands[parameter], packer}];
    if (!copy) {
      copy = addBuffer(plan::BufferKind::Init, 0, inSymbols(packed.getBytes().getValue(), scalars), fusion.getLoc());
      plan::LaunchOp::create(b, fusion.getLoc(), packer.getValue(), ValueRange{operands[parameter], copy},
                             gridOf(packer.getValue(), scalars), scalars, /*init=*/true,
                             /*callBuffers=*/ValueRange(), /*call=*/nullptr);
    }
    operands[parameter] = copy;
  }

  ModuleOp module;
  const TargetKernels &kernels;
  WeightTable &weights;
  OpBuilder b;
  func::FuncOp main;
  Block *body = nullptr;
  DenseMap<Value, Value> buffers;
  DenseMap<unsigned, Value> weightBuffers;
  SmallVector<std::pair<Value, Value>> copies;
  DenseMap<std::pair<Value, Attribute>, Value> packedCopies;
};

} // namespace

plan::ProgramOp graphToPlan(ModuleOp module, StringRef target, StringRef arch, const TargetKernels &kernels,
                            WeightTable &weights) {
  return PlanBuilder(module, kernels, weights).build(target, arch);
}

} // namespace cupola
