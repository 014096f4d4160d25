//===- lib/Target/CUDA/PrintKernel.cpp - a kernel as CUDA C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/KernelPrinter.h"
#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/RecurrenceTiles.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;
using graph::exprsOf;

namespace cupola::cuda {

std::string KernelPrinter::print(StringRef name) {
  head(name);
  depth = 1;
  parameters();
  snippets();
  block(func.getBody().front());
  line("}", 0);
  return std::move(source);
}

void KernelPrinter::line(const llvm::Twine &content) { line(content, depth); }

void KernelPrinter::line(const llvm::Twine &content, unsigned level) {
  source.append(2 * level, ' ');
  source += content.str();
  source += '\n';
}

void KernelPrinter::head(StringRef name) {
  std::string parameters = "const u64 *bindings";
  for (size_t i = 0; i < func.getViews().size(); ++i)
    parameters += ", u64 ref" + std::to_string(i);
  for (size_t i = 0; i < func.getScalars().size() + func.getMaps().size(); ++i)
    parameters += ", u32 slot" + std::to_string(i);
  int64_t resident = func.isCooperative() ? RecurrenceTiles::resident : 1;
  func.walk([&](RoleOp role) { resident = role.residentBlocks(); });
  line("CUPOLA_KERNEL(" + llvm::Twine(func.getThreads()) + ", " + llvm::Twine(resident) + ") " + name + "(" +
           parameters + ", u32 step) {",
       0);
}

void KernelPrinter::parameters() {
  unsigned in = 0, out = 0, both = 0;
  for (BlockArgument arg : func.getViews()) {
    auto view = cast<ViewType>(arg.getType());
    std::string element = typeName(view.getElement());
    bool read = view.getAccess() == Access::Read;
    std::string &name = names[arg];
    name = read                                ? "in" + std::to_string(in++)
           : view.getAccess() == Access::Write ? "out" + std::to_string(out++)
                                               : "io" + std::to_string(both++);
    line(llvm::Twine(read ? "const " : "") + element + " *const " + name + " = " + (read ? "cu_read<" : "cu_write<") +
         element + ">(bindings, ref" + llvm::Twine(arg.getArgNumber()) + ");");
  }
  std::string type = wide ? "i64" : "i32";
  for (size_t i = 0; i < func.getScalars().size(); ++i)
    line("const " + type + " n" + llvm::Twine(i) + " = cu_scalar<" + type + ">(bindings, slot" + llvm::Twine(i) + ");");
  for (size_t i = 0; i < func.getScalars().size(); ++i)
    taken.insert("n" + std::to_string(i));
  for (size_t i = 0; i < func.getMaps().size(); ++i)
    line("const TensorMap *const map" + llvm::Twine(i) + " = cu_tensor_map(bindings, slot" +
         llvm::Twine(func.getScalars().size() + i) + ");");
  threadAndBlock();
}

void KernelPrinter::threadAndBlock() {
  static constexpr const char *names[] = {"bx", "by", "bz"}, *calls[] = {"cu_block", "cu_block_y", "cu_block_z"};
  std::string text = std::string("const ") + indexType() + " t = cu_tid()";
  name(func.getThreadIndex(), "t");
  for (auto [axis, index] : llvm::enumerate(func.getBlockIndices()))
    text += ", " + name(index, func.getBlocks().size() == 1 ? "b" : names[axis]) + " = " + calls[axis] + "()";
  line(text + ";");
}

void KernelPrinter::snippets() {
  std::map<std::string, std::string> functions; // signature and text -> name
  func.walk([&](CallOp op) {
    std::string parameters;
    for (auto [input, parameter] : llvm::zip_equal(op.getInputs(), op.getSnippet().getParameters()))
      parameters += (parameters.empty() ? "" : ", ") + typeName(input.getType()) + " " + parameter.str();
    const std::string head = "[](" + parameters + ") -> " + typeName(op.getType()) + " {";
    const StringRef text = op.getSnippet().getText().rtrim();
    auto [known, isNew] = functions.try_emplace(head + text.str(), "f" + std::to_string(functions.size()));
    callees[op] = known->second;
    if (!isNew)
      return;
    taken.insert(known->second);
    line("const auto " + known->second + " = " + head);
    for (StringRef row : llvm::split(text, '\n'))
      line(row, depth + 1);
    line("};");
  });
}

void KernelPrinter::print(CallOp op) {
  std::string operands;
  for (Value input : op.getInputs())
    operands += (operands.empty() ? "" : ", ") + operand(input);
  line(define(op.getResult()) + callees.lookup(op) + "(" + operands + ");");
}

void KernelPrinter::block(Block &ops) {
  std::set<std::string> outer = taken;
  for (Operation &op : ops)
    statement(&op);
  taken = std::move(outer);
}

const std::string &KernelPrinter::name(Value index, StringRef fallback) {
  std::string base = cuda::nameOf(index.getLoc()).value_or(fallback.str()), text = base;
  for (unsigned i = 1; !taken.insert(text).second; ++i)
    text = base + "_" + std::to_string(i);
  return indexNames[vars.name(index)] = text;
}

ExprText KernelPrinter::text() { return {vars.ranges(), wide, indexNames}; }

std::string KernelPrinter::expr(const Expr &e, ValueRange indices) {
  Expr named = vars.read(e, indices);
  return text()(named);
}

std::string KernelPrinter::all(ArrayAttr conditions, ValueRange indices) {
  graph::Exprs named = vars.read(conditions, indices);
  return text().all(named);
}

const char *KernelPrinter::indexType() const { return wide ? "i64" : "i32"; }

std::string KernelPrinter::operand(Value value) {
  if (auto constant = value.getDefiningOp<kernel::ConstantOp>())
    return cuda::literal(constant.getValue());
  return names.lookup(value);
}

std::string KernelPrinter::element(Value registers, ArrayAttr index, ValueRange indices) {
  std::string result = names.lookup(registers);
  for (const Expr &e : exprsOf(index))
    result += "[" + expr(e, indices) + "]";
  return result;
}

std::string KernelPrinter::define(Value value) {
  std::string &name = names[value];
  name = "v" + std::to_string(scalars++);
  return "const " + typeName(value.getType()) + " " + name + " = ";
}

void KernelPrinter::statement(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<ApplyOp, kernel::CallOp, simt::ForOp, GuardOp, RegistersOp, SmemOp, AdvanceOp, LoadOp, StoreOp,
            LoadVectorOp, StoreVectorOp, IndexOp, InRangeOp, CheckedIndexOp, KnownIndexOp, AsyncCopyOp, AsyncPairOp,
            LoadSharedOp, StoreSharedOp, LoadFragmentOp, MmaLoadOp, MmaLoadPairOp, MmaPackOp, MmaOp, WarpReduceOp,
            BlockReduceOp, LastBlockOp, GridBarrierOp, GridLeaveOp, RoleOp, ClusterRankOp, WarpgroupOp, MbarrierInitOp,
            MbarrierExpectOp, LoadClusterOp, MbarrierArriveOp, MbarrierWaitOp, TensorMapAcquireOp, TensorCopyOp,
            WgmmaFenceOp, WgmmaOp, WgmmaFragmentsOp, WgmmaPackOp, WgmmaWaitOp>([&](auto it) { print(it); })
      .Case<kernel::ConstantOp>([](auto) {})
      .Case([&](GetOp it) {
        line(define(it.getResult()) + element(it.getRegisters(), it.getIndex(), it.getIndices()) + ";");
      })
      .Case([&](SetOp it) {
        line(element(it.getRegisters(), it.getIndex(), it.getIndices()) + " = " + operand(it.getValue()) + ";");
      })
      .Case([&](AccumulateOp it) {
        std::string target = element(it.getRegisters(), it.getIndex(), it.getIndices());
        line(target + " = " + cuda::combineText(it.getKind(), it.getValue().getType(), target, operand(it.getValue())) +
             ";");
      })
      .Case([&](PrefetchOp it) { line("cu_prefetch(" + at(it.getView(), it.getPosition(), it.getIndices()) + ");"); })
      .Case([&](BarrierOp) { line("cu_barrier();"); })
      .Case([&](WarpBarrierOp) { line("cu_syncwarp();"); })
      .Case([&](ClusterBarrierOp) { line("cluster_barrier();"); })
      .Case([&](GridWaitOp) { line("grid_wait();"); })
      .Case([&](GridReleaseOp) { line("grid_release();"); })
      .Case([&](MbarrierInitFenceOp) { line("mbarrier_init_fence();"); })
      .Case([&](WgmmaCommitOp) { line("wgmma_commit();"); })
      .Case([&](AsyncCommitOp) { line("cp_async_commit();"); })
      .Case([&](AsyncWaitOp it) { line("cp_async_wait<" + llvm::Twine(it.getPending()) + ">();"); })
      .Case([&](FmaTileOp it) {
        line("outer_fma(" + names.lookup(it.getAcc()) + ", " + names.lookup(it.getA()) + ", " +
             names.lookup(it.getB()) + ");");
      })
      .Case([&](WidenOp it) {
        line("cu_widen(" + names.lookup(it.getOut()) + ", " + names.lookup(it.getBytes()) + ");");
      })
      .Case([&](UnpackOp it) {
        line("cu_unpack(" + names.lookup(it.getOut()) + ", " + names.lookup(it.getBytes()) + ", " +
             operand(it.getShift()) + ", " + operand(it.getOffset()) + ", " + operand(it.getScale()) + ");");
      })
      .Case<UnaryOp, BinaryOp, CastOp, BitcastOp, SelectOp>([&](auto it) {
        std::string value = cuda::scalarText(it, [&](Value v) { return operand(v); });
        line(define(it.getResult()) + value + ";");
      })
      .Default([](Operation *) { llvm_unreachable("emitCudaKernel looked for ops of the kernel dialect"); });
}

void KernelPrinter::print(ApplyOp op) {
  std::string value = expr(op.getExpr(), op.getIndices());
  line("const " + llvm::Twine(indexType()) + " " + name(op.getResult()) + " = " + value + ";");
}

void KernelPrinter::print(simt::ForOp op) {
  if (op.getUnroll() || op.getRing())
    line(op.getUnroll() ? "CUPOLA_UNROLL" : "CUPOLA_NO_UNROLL");
  std::string from = expr(op.getFrom(), op.getIndices()), to = expr(op.getTo(), op.getIndices());
  std::set<std::string> outer = taken;
  std::string i = name(op.getIndex(), "i");
  std::string step = op.getStep().isConstant(1) ? "++" + i : i + " += " + expr(op.getStep(), op.getIndices());
  std::string first = i + " = " + from;
  for (auto [counter, start] : llvm::zip_equal(op.getCounters(), op.getStarts())) {
    const std::string &c = name(counter, "s");
    first += ", " + c + " = " + std::to_string(start);
    step += ", " + c + " = cu_next<" + std::to_string(op.getRing()) + ">(" + c + ")";
  }
  braces(std::string("for (") + indexType() + " " + first + "; " + i + " < " + to + "; " + step + ")",
         [&] { block(op.getBody().front()); });
  taken = std::move(outer);
}

void KernelPrinter::print(GuardOp op) {
  braces("if (" + all(op.getExprs(), op.getIndices()) + ")", [&] { block(op.getBody().front()); });
}

void KernelPrinter::print(RegistersOp op) {
  RegistersType type = op.getRegisters().getType();
  std::string element = typeName(type.getElement());
  if (type.getVector() > 1)
    element = "vec<" + element + ", " + std::to_string(type.getVector()) + ">";
  std::string &name = names[op.getRegisters()];
  name = "r" + std::to_string(arrays++);
  std::string declaration = element + " " + name;
  for (int64_t extent : type.getExtents())
    declaration += "[" + std::to_string(extent) + "]";
  if (op.getInit())
    declaration += " = " + operand(op.getInit());
  else if (op.getZero())
    declaration += " = {}";
  line(declaration + ";");
}

void KernelPrinter::print(SmemOp op) {
  std::string type = typeName(op.getSmem().getType().getElement());
  std::string &name = names[op.getSmem()];
  name = "s" + std::to_string(buffers++);
  line(type + " *const " + name + " = cu_shared<" + type + ">(" + llvm::Twine(*op.getOffset()) + ");");
}

void KernelPrinter::print(AdvanceOp op) {
  const ViewType view = op.getView().getType();
  const std::string place = at(op.getView(), op.getPosition(), op.getIndices());
  std::string &name = names[op.getResult()];
  name = "at" + std::to_string(places++);
  line("const " + typeName(view.getElement()) + " *const " + name + " = cu_pinned(" + place + ");");
}

void KernelPrinter::print(LoadOp op) {
  std::string value = operand(op.getView()) + "[" + expr(op.getPosition(), op.getIndices()) + "]";
  if (op.getOther())
    value = all(op.getMask(), op.getIndices()) + " ? " + value + " : " + operand(op.getOther());
  line(define(op.getResult()) + value + ";");
}

void KernelPrinter::print(StoreOp op) {
  std::string statement =
      operand(op.getView()) + "[" + expr(op.getPosition(), op.getIndices()) + "] = " + operand(op.getValue()) + ";";
  if (op.getMask().empty())
    return line(statement);
  braces("if (" + all(op.getMask(), op.getIndices()) + ")", [&] { line(statement); });
}

std::string KernelPrinter::vectorType(RegistersType type) {
  return "<" + typeName(type.getElement()) + ", " + std::to_string(type.getVector()) + ">";
}

void KernelPrinter::print(LoadVectorOp op) {
  std::string type = vectorType(op.getRegisters().getType());
  std::string value = "ld_vec" + type + "(" + address(op.getMemory(), op.getPosition(), op.getIndices()) + ")";
  if (op.getOther())
    value =
        all(op.getMask(), op.getIndices()) + " ? " + value + " : splat_vec" + type + "(" + operand(op.getOther()) + ")";
  line(element(op.getRegisters(), op.getIndex(), op.getIndices()) + " = " + value + ";");
}

void KernelPrinter::print(StoreVectorOp op) {
  line("st_vec(" + address(op.getMemory(), op.getPosition(), op.getIndices()) + ", " +
       element(op.getRegisters(), op.getIndex(), op.getIndices()) + ");");
}

void KernelPrinter::print(IndexOp op) {
  line(define(op.getResult()) + "i64(" + expr(op.getExpr(), op.getIndices()) + ");");
}

void KernelPrinter::print(InRangeOp op) { line(define(op.getResult()) + all(op.getExprs(), op.getIndices()) + ";"); }

void KernelPrinter::print(CheckedIndexOp op) {
  std::string value = "v" + std::to_string(scalars++);
  const std::string condition = op.getCondition() ? operand(op.getCondition()) + " ? " : "";
  line("const i64 " + value + " = " + condition + "cu_wrapped_index(bindings, step, cu_cast<i64>(" +
       operand(op.getValue()) + "), i64(" + expr(op.getExtent(), {}) + "))" + (condition.empty() ? ";" : " : i64(0);"));
  indexNames[vars.name(op.getResult())] = wide ? value : "i32(" + value + ")";
}

void KernelPrinter::print(KnownIndexOp op) {
  const std::string value = "v" + std::to_string(scalars++), type = wide ? "i64" : "i32";
  line("const " + type + " " + value + " = cu_cast<" + type + ">(" + operand(op.getValue()) + ");");
  indexNames[vars.name(op.getResult())] = value;
}

void KernelPrinter::print(LoadSharedOp op) {
  line(define(op.getResult()) + sharedElement(op.getSmem(), op.getPosition(), op.getIndices()) + ";");
}

void KernelPrinter::print(StoreSharedOp op) {
  line(sharedElement(op.getSmem(), op.getPosition(), op.getIndices()) + " = " + operand(op.getValue()) + ";");
}

void KernelPrinter::print(AsyncCopyOp op) {
  std::string valid = op.getMask().empty() ? "" : ", " + all(op.getMask(), op.getIndices());
  line("cp_async<" + llvm::Twine(op.getBytes()) + ">(" + address(op.getSmem(), op.getTarget(), op.getIndices()) + ", " +
       operand(op.getView()) + " + " + expr(op.getPosition(), op.getIndices()) + valid + ");");
}

std::string printKernel(simt::FuncOp func, StringRef name, bool wide) { return KernelPrinter(func, wide).print(name); }

bool needsWideIndex(Operation *func) {
  Variables vars(func);
  for (const auto &[name, range] : Ranges(vars.ranges()))
    if (mayOverflow32(Expr::symbol(name), vars.ranges()))
      return true;
  auto result = func->walk([&](Operation *op) {
    auto positions = dyn_cast<PositionInterface>(op);
    ValueRange indices = positions ? ValueRange(OperandRange(positions.getIndicesMutable())) : ValueRange();
    bool overflows = false;
    forEachExpr(op, [&](const Expr &e) {
      Expr named = vars.read(e, indices);
      overflows |= mayOverflow32(named, vars.ranges());
    });
    return overflows ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

} // namespace cupola::cuda
