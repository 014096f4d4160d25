//===- lib/Target/CUDA/JoinFusions.cpp - one fusion of those that share a launch ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Horizontal.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cupola;

namespace cupola::cuda {

SmallVector<kernel::FuncOp> partsOf(HorizontalOp op) {
  auto module = op->getParentOfType<ModuleOp>();
  return llvm::map_to_vector(op.getParts().getAsRange<FlatSymbolRefAttr>(), [&](FlatSymbolRefAttr part) {
    return module.lookupSymbol<kernel::FuncOp>(part.getAttr());
  });
}

static void moveConstants(ArrayRef<graph::FusionOp> fusions) {
  Operation *first = fusions.front();
  for (graph::FusionOp fusion : fusions)
    for (Value input : fusion.getInputs())
      if (auto constant = input.getDefiningOp<graph::ConstantOp>(); constant && first->isBeforeInBlock(constant))
        constant->moveBefore(first);
}

static void fillBody(graph::FusionOp joined, ArrayRef<graph::FusionOp> fusions) {
  Block &body = joined.getBody().emplaceBlock();
  OpBuilder b = OpBuilder::atBlockEnd(&body);
  SmallVector<Value> yielded;
  for (graph::FusionOp fusion : fusions) {
    IRMapping map;
    for (BlockArgument argument : fusion.getBody().getArguments())
      map.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
    for (Operation &op : fusion.getBody().front().without_terminator())
      b.clone(op, map);
    for (Value value : fusion.getBody().front().getTerminator()->getOperands())
      yielded.push_back(map.lookup(value));
  }
  graph::YieldOp::create(b, joined.getLoc(), yielded);
}

FlatSymbolRefAttr FusionJoiner::kernelOf(ArrayRef<graph::FusionOp> fusions) {
  std::string name;
  SmallVector<Attribute> parts;
  SmallVector<int64_t> inputs;
  for (graph::FusionOp fusion : fusions) {
    name += (name.empty() ? "" : "_") + fusion.getKernel()->str();
    parts.push_back(fusion.getKernelAttr());
    inputs.push_back(fusion.getInputs().size());
  }
  if (!symbols.lookup(name)) {
    Operation *behind = symbols.lookup(cast<FlatSymbolRefAttr>(parts.back()).getAttr());
    OpBuilder b(behind->getContext());
    symbols.insert(HorizontalOp::create(b, behind->getLoc(), name, b.getArrayAttr(parts), inputs),
                   std::next(behind->getIterator()));
  }
  return FlatSymbolRefAttr::get(parts.front().getContext(), name);
}

void FusionJoiner::join(ArrayRef<graph::FusionOp> fusions) {
  moveConstants(fusions);
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  SmallVector<Attribute> scalars;
  SmallVector<Location> locations;
  for (graph::FusionOp fusion : fusions) {
    llvm::append_range(inputs, fusion.getInputs());
    llvm::append_range(types, fusion.getResultTypes());
    llvm::append_range(scalars, *fusion.getScalars());
    locations.push_back(fusion.getLoc());
  }
  graph::FusionOp first = fusions.front();
  OpBuilder b(first);
  auto joined = graph::FusionOp::create(b, b.getFusedLoc(locations), types, inputs, first.getKind());
  joined.setKernelAttr(kernelOf(fusions));
  joined.setScalarsAttr(b.getArrayAttr(scalars));
  fillBody(joined, fusions);
  ValueRange results = joined.getResults();
  for (graph::FusionOp fusion : fusions) {
    fusion.replaceAllUsesWith(results.take_front(fusion.getNumResults()));
    results = results.drop_front(fusion.getNumResults());
    fusion.erase();
  }
}

} // namespace cupola::cuda
