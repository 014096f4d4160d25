//===- lib/Conversion/GraphToPlan/GraphToPlan.cpp - launches and buffers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToPlan/BodyBuilder.h"

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Placement.h"
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

Expr bytesOf(Value tensor) {
  return graph::product(graph::placementOf(tensor).storage) * Expr(graph::byteSize(graph::elementOf(tensor)));
}

BodyBuilder::BodyBuilder(ProgramBuilder &program, Block &block, std::set<std::string> known)
    : program(program), b(OpBuilder::atBlockEnd(&block)), known(std::move(known)) {}

//===--- Buffers ---===//

bool BodyBuilder::isKnown(const Expr &expr) const {
  return llvm::all_of(expr.symbols(), [&](const std::string &symbol) {
    return !program.runSymbols.count(symbol) || known.count(symbol);
  });
}

Value BodyBuilder::addBuffer(plan::BufferKind kind, int64_t index, const Expr &bytes, Location loc) {
  const auto size = isKnown(bytes) ? graph::ExprAttr::get(b.getContext(), bytes) : graph::ExprAttr();
  return plan::BufferOp::create(b, loc, plan::BufferType::get(b.getContext()), kind, index, size);
}

Value BodyBuilder::weightBuffer(graph::ConstantOp constant) {
  const unsigned index = program.weights.indexOf(constant.getValue(), constant.getLoc());
  Value &buffer = weightBuffers[index];
  if (!buffer)
    buffer = addBuffer(plan::BufferKind::Weight, index, bytesOf(constant), constant.getLoc());
  return buffer;
}

/// The buffer of a value that a step reads.
Value BodyBuilder::bufferOf(Value value) {
  Value &buffer = buffers[value];
  if (buffer)
    return buffer;
  if (auto constant = value.getDefiningOp<graph::ConstantOp>())
    return buffer = weightBuffer(constant);
  captured.insert(value); // nothing here has computed it: this is a rest
  return buffer = addBuffer(plan::BufferKind::Parameter, captured.size() - 1, bytesOf(value), value.getLoc());
}

SmallVector<Value> BodyBuilder::buffersOf(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return bufferOf(value); });
}

/// Memory of this body, or memory of its own where nobody knows the size yet.
Value BodyBuilder::ownBuffer(Value value) {
  const Expr bytes = bytesOf(value);
  return addBuffer(isKnown(bytes) ? plan::BufferKind::Arena : plan::BufferKind::Growing, 0, bytes, value.getLoc());
}

/// The buffer of a value that a step writes.
Value BodyBuilder::resultBuffer(Value value) {
  if (Value buffer = buffers.lookup(value))
    return buffer;
  Value whole = value;
  while (graph::JoinOp join = graph::joinOf(whole))
    whole = join.getResult();
  Value buffer = ownBuffer(whole);
  place(whole, buffer);
  return buffer;
}

/// With all that is joined in `value`. An argument that is joined brought its memory along.
void BodyBuilder::place(Value value, Value buffer) {
  buffers[value] = buffer;
  if (auto join = value.getDefiningOp<graph::JoinOp>())
    for (Value part : join.getInputs())
      if (part.getDefiningOp())
        place(part, buffer);
}

//===--- Steps ---===//

/// The last values of a loop take turns in memory that has to be there before it.
bool BodyBuilder::isWrittenInPlace(Value value) const {
  Operation *op = value.getDefiningOp();
  return isa_and_present<graph::FusionOp, graph::JoinOp, graph::IfOp, graph::HostOp>(op) ||
         (isa_and_present<graph::LoopOp>(op) && isKnown(bytesOf(value)));
}

/// The last op from `first` on of the body's own: behind it more symbols have values, those of `after`, or nothing
/// comes. Branches and loops that are independent stand side by side (graph-order-extents).
static Operation *lastBefore(Block::iterator first, std::set<std::string> &after) {
  Operation *last = first->getBlock()->getTerminator();
  for (Operation &op : llvm::make_range(first, first->getBlock()->end())) {
    const std::set<std::string> here = graph::symbolsAfter(&op);
    const auto isNew = [&](const std::string &symbol) { return after.count(symbol) != 0; };
    if (!after.empty() && (here.empty() || llvm::any_of(graph::symbolsIn(&op), isNew)))
      break;
    if (here.empty())
      continue;
    after.insert(here.begin(), here.end());
    last = &op;
  }
  return last;
}

/// Kernels write straight into the first result that returns what they compute, alone or
/// joined; every other result is a copy.
void BodyBuilder::build(Block::iterator first, SmallVector<Value> results) {
  Operation *terminator = first->getBlock()->getTerminator();
  std::set<std::string> after;
  Operation *last = lastBefore(first, after);
  auto isHere = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op->isBeforeInBlock(&*first) && (op == last || op->isBeforeInBlock(last));
  };
  for (auto [value, result] : llvm::zip_equal(terminator->getOperands(), results))
    if (result && isWrittenInPlace(value) && isHere(value) && !buffers.count(value)) {
      place(value, result);
      result = Value();
    }
  for (auto op = first; op != Block::iterator(terminator); ++op) {
    if (auto fusion = dyn_cast<graph::FusionOp>(*op))
      addLaunch(fusion);
    else if (auto fact = dyn_cast<graph::AssumeOp>(*op))
      plan::AssertOp::create(b, fact.getLoc(), fact.getLhs(), fact.getRelation(), fact.getRhs(), fact.getReason());
    else if (auto branch = dyn_cast<graph::IfOp>(*op))
      addIf(branch);
    else if (auto loop = dyn_cast<graph::LoopOp>(*op))
      addLoop(loop);
    else if (auto host = dyn_cast<graph::HostOp>(*op))
      addHost(host);
    if (&*op == last && !after.empty())
      return addRest(last, after, results);
  }
  for (auto [value, result] : llvm::zip_equal(terminator->getOperands(), results))
    if (result) {
      Value source = bufferOf(value);
      plan::CopyOp::create(b, value.getLoc(), source, result, bytesOf(value));
    }
}

static SmallVector<graph::ExprAttr> allInSymbols(ArrayRef<Expr> exprs, ArrayAttr scalars) {
  return llvm::map_to_vector(
      exprs, [&](const Expr &e) { return graph::ExprAttr::get(scalars.getContext(), inSymbols(e, scalars)); });
}

static plan::TensorMapAttr mapInSymbols(const KernelTensorMap &map, ArrayAttr scalars) {
  MLIRContext *context = scalars.getContext();
  return plan::TensorMapAttr::get(context, map.buffer, allInSymbols(map.offset, scalars)[0],
                                  graph::typeOf(map.dtype, context), allInSymbols(map.extents, scalars),
                                  allInSymbols(map.strides, scalars), map.box, map.swizzle, map.window.lower,
                                  map.window.upper, map.window.steps);
}

/// The grid and the tensor maps in the model's symbols; a kernel over nothing still needs no block.
plan::LaunchOp BodyBuilder::launch(Location location, StringRef kernel, ValueRange buffers, ArrayAttr scalars) {
  const TargetKernel &made = program.kernels.at(kernel.str());
  auto grid = llvm::to_vector_of<Attribute>(allInSymbols(made.grid, scalars));
  auto maps = llvm::map_to_vector(made.maps,
                                  [&](const KernelTensorMap &map) -> Attribute { return mapInSymbols(map, scalars); });
  auto op = plan::LaunchOp::create(b, location, kernel, buffers, b.getArrayAttr(grid), scalars, /*init=*/false,
                                   /*maps=*/nullptr, /*callBuffers=*/ValueRange(), /*call=*/nullptr);
  if (!maps.empty())
    op.setMapsAttr(b.getArrayAttr(maps));
  return op;
}

/// With the joins that its results stand in; those that hold nothing but joins, too.
static Location locationOf(graph::FusionOp fusion) {
  SmallVector<Location> locations{fusion.getLoc()};
  for (Value result : fusion.getResults())
    for (graph::JoinOp join = graph::joinOf(result); join; join = graph::joinOf(join.getResult())) {
      locations.push_back(join.getLoc());
      graph::JoinOp outer = graph::joinOf(join.getResult());
      if (!outer || llvm::any_of(outer.getInputs(), [](Value part) { return part.getDefiningOp<graph::FusionOp>(); }))
        break;
    }
  return FusedLoc::get(fusion.getContext(), locations);
}

void BodyBuilder::addLaunch(graph::FusionOp fusion) {
  StringRef kernel = *fusion.getKernel();
  ArrayAttr scalars = *fusion.getScalars();
  const SmallVector<Value> inputs = buffersOf(fusion.getInputs());
  SmallVector<Value> packedInputs = inputs;
  if (auto func = program.module.lookupSymbol<kernel::FuncOp>(kernel)) // else several, of a target that packs nothing
    for (kernel::PackedAttr packed : func.getPackedOperands())
      pack(fusion, packed, scalars, packedInputs);
  const auto results = llvm::map_to_vector(fusion.getResults(), [&](Value result) { return resultBuffer(result); });
  graph::LibraryCallAttr call = fusion.getLibraryAttr();
  const SmallVector<Value> called = call ? callBuffers(fusion) : SmallVector<Value>(); // some are made here
  auto launched = [&](StringRef name, SmallVector<Value> buffers) {
    llvm::append_range(buffers, results);
    for (const KernelWorkspace &part : program.kernels.at(name.str()).workspace)
      buffers.push_back(workspace(part, scalars, fusion.getLoc()));
    return launch(locationOf(fusion), name, buffers, scalars);
  };
  if (const std::string &twin = program.kernels.at(kernel.str()).twin; !twin.empty())
    launched(twin, inputs);
  plan::LaunchOp op = launched(kernel, packedInputs);
  op.getCallBuffersMutable().assign(called);
  if (call)
    op.setCallAttr(call);
}

Value BodyBuilder::workspace(const KernelWorkspace &part, ArrayAttr scalars, Location loc) {
  if (part.isCounters)
    return counterBuffer ? counterBuffer
                         : counterBuffer = addBuffer(plan::BufferKind::Counters, 0, kLaunchCounters * 4, loc);
  return addBuffer(plan::BufferKind::Arena, 0, inSymbols(part.bytes, scalars), loc);
}

/// In their own layout: a library packs weights as it likes.
SmallVector<Value> BodyBuilder::callBuffers(graph::FusionOp fusion) {
  SmallVector<Value> operands = llvm::map_to_vector(fusion.getLibraryInputsAttr().asArrayRef(),
                                                    [&](int64_t input) { return bufferOf(fusion.getInputs()[input]); });
  operands.push_back(bufferOf(fusion.getResults().front()));
  if (const int64_t workspace = fusion.getLibraryAttr().getWorkspace())
    operands.push_back(addBuffer(plan::BufferKind::Arena, 0, workspace, fusion.getLoc()));
  return operands;
}

/// Scalars of an init launch, which knows no shapes and no iterations: those that it uses are constants.
static ArrayAttr withoutSymbols(ArrayAttr scalars) {
  graph::Exprs values = graph::exprsOf(scalars);
  for (Expr &value : values)
    value = value.constant() ? value : Expr(0);
  return graph::exprArray(scalars.getContext(), values);
}

/// Replaces an operand, which is a constant or made of some, by its packed copy, made once by an init launch.
void BodyBuilder::pack(graph::FusionOp fusion, kernel::PackedAttr packed, ArrayAttr scalars,
                       SmallVectorImpl<Value> &operands) {
  const StringRef packer = packed.getPacker().getValue();
  const auto constants = llvm::map_to_vector(packed.getParameters(), [&](unsigned parameter) {
    return fusion.getInputs()[parameter].getDefiningOp<graph::ConstantOp>();
  });
  std::vector<unsigned> weights;
  for (graph::ConstantOp constant : constants)
    weights.push_back(program.weights.indexOf(constant.getValue(), constant.getLoc()));
  const Expr bytes = inSymbols(packed.getBytes().getValue(), scalars);
  auto func = program.module.lookupSymbol<kernel::FuncOp>(packer);
  const ArrayAttr known = func.getScalars().empty() ? b.getArrayAttr({}) : withoutSymbols(scalars);
  // Kernels that differ elsewhere have equal packers.
  std::string content = program.kernels.at(packer.str()).record.name;
  for (unsigned scalar : kernel::usedScalars(func))
    content += "," + graph::exprsOf(known)[scalar].text();
  const auto [found, isNew] = program.packed.try_emplace({weights, content}, program.packed.size());
  const unsigned place = found->second;
  auto addCopy = [&](BodyBuilder &body) {
    Value &copy = body.packedBuffers[place];
    if (!copy)
      copy = body.addBuffer(plan::BufferKind::Init, place, bytes, fusion.getLoc());
    return copy;
  };
  if (isNew) {
    BodyBuilder &main = *program.main;
    auto buffers = llvm::map_to_vector(constants, [&](graph::ConstantOp weight) { return main.weightBuffer(weight); });
    buffers.push_back(addCopy(main));
    main.launch(fusion.getLoc(), packer, buffers, known).setInit(true);
  }
  operands[packed.getParameter()] = addCopy(*this);
}

void BodyBuilder::addHost(graph::HostOp op) {
  const SmallVector<Value> inputs = buffersOf(op.getInputs());
  plan::HostOp::create(b, op.getLoc(), op.getFunctionAttr(), op.getParametersAttr(), inputs,
                       resultBuffer(op.getResult()));
}

plan::ProgramOp graphToPlan(ModuleOp module, StringRef target, StringRef arch, const TargetKernels &kernels,
                            WeightTable &weights) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto op = plan::ProgramOp::create(b, main.getLoc(), "program", target, arch);
  ProgramBuilder program{module, kernels, weights, /*main=*/nullptr, /*runSymbols=*/{}, /*packed=*/{}};
  for (auto symbol : module.getOps<graph::SymbolOp>())
    if (symbol.getRun())
      program.runSymbols.insert(symbol.getSymName().str());
  BodyBuilder body(program, op.getBody().emplaceBlock(), /*known=*/{});
  program.main = &body;
  for (auto [i, argument] : llvm::enumerate(main.getArguments()))
    body.define(argument, body.addBuffer(plan::BufferKind::Input, i, bytesOf(argument), argument.getLoc()));
  Block &block = main.getBody().front();
  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands()))
    results.push_back(body.addBuffer(plan::BufferKind::Output, i, bytesOf(value), value.getLoc()));
  body.build(block.begin(), results);
  return op;
}

} // namespace cupola
