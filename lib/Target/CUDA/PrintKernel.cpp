//===- lib/Target/CUDA/PrintKernel.cpp - a kernel as CUDA C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Print.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using cupola::cuda::ExprText;
using cupola::cuda::typeName;
using graph::exprOf;
using graph::exprsOf;

namespace {

class Printer {
public:
  Printer(FuncOp func, bool wide) : func(func), wide(wide), scope(rangesAt(func)) {}

  std::string print(StringRef name) {
    head(name);
    depth = 1;
    parameters();
    block(func.getBody().front());
    line("}", 0);
    return std::move(text);
  }

private:
  void line(const llvm::Twine &content) { line(content, depth); }
  void line(const llvm::Twine &content, unsigned level) {
    text.append(2 * level, ' ');
    text += content.str();
    text += '\n';
  }

  void head(StringRef name) {
    auto launch = func->getAttrOfType<LaunchAttr>("launch");
    std::string parameters = "const u64 *bindings";
    for (size_t i = 0; i < func.getBody().getNumArguments(); ++i)
      parameters += ", u64 ref" + std::to_string(i);
    for (size_t i = 0; i < func.getScalars().size(); ++i)
      parameters += ", u32 slot" + std::to_string(i);
    line("CUPOLA_KERNEL(" + llvm::Twine(launch.getThreads()) + ", 1) " + name + "(" + parameters + ", u32 step) {", 0);
  }

  void parameters() {
    unsigned in = 0, out = 0, both = 0;
    for (BlockArgument arg : func.getBody().getArguments()) {
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
      line("const " + type + " n" + llvm::Twine(i) + " = cu_scalar<" + type + ">(bindings, slot" + llvm::Twine(i) +
           ");");
    line("const " + type + " t = cu_tid(), b = cu_block();");
  }

  /// Prints a block's ops; what they bring into scope ends with it.
  void block(Block &ops) {
    Ranges outer = scope;
    for (Operation &op : ops)
      statement(&op);
    scope = std::move(outer);
  }

  template <class Body> void braces(const llvm::Twine &head, Body body) {
    line(head + " {");
    ++depth;
    body();
    --depth;
    line("}");
  }

  //===--- Expressions and operands ---===//

  struct Context {
    Ranges ranges;
    SmallVector<std::string> indices;
  };
  Context context(ValueRange indices) {
    Context result{scope, {}};
    cuda::addIndexRanges(indices, scope, result.ranges);
    for (Value index : indices)
      result.indices.push_back(wide ? operand(index) : "i32(" + operand(index) + ")");
    return result;
  }
  std::string expr(const Expr &e, ValueRange indices = {}) {
    Context c = context(indices);
    return ExprText{c.ranges, wide, c.indices}(e);
  }
  std::string all(ArrayAttr conditions, ValueRange indices = {}) {
    Context c = context(indices);
    return ExprText{c.ranges, wide, c.indices}.all(exprsOf(conditions));
  }
  const char *indexType() const { return wide ? "i64" : "i32"; }

  std::string operand(Value value) {
    if (auto constant = value.getDefiningOp<kernel::ConstantOp>())
      return cuda::literal(constant.getValue());
    return names.lookup(value);
  }
  /// "r0[i][e]"
  std::string element(Value registers, ArrayAttr index) {
    std::string result = names.lookup(registers);
    for (const Expr &e : exprsOf(index))
      result += "[" + expr(e) + "]";
    return result;
  }
  std::string define(Value value) {
    std::string &name = names[value];
    name = "v" + std::to_string(scalars++);
    return "const " + typeName(value.getType()) + " " + name + " = ";
  }

  //===--- Statements ---===//

  void statement(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<LetOp, ForOp, GuardOp, RegistersOp, SmemOp, LoadOp, StoreOp, LoadVectorOp, StoreVectorOp, IndexOp,
              InRangeOp, CheckedIndexOp, AsyncCopyOp, LoadFragmentOp, MmaLoadOp, WarpReduceOp, BlockReduceOp>(
            [&](auto it) { print(it); })
        .Case<kernel::ConstantOp>([](auto) {})
        .Case([&](GetOp it) { line(define(it.getResult()) + element(it.getRegisters(), it.getIndex()) + ";"); })
        .Case([&](SetOp it) { line(element(it.getRegisters(), it.getIndex()) + " = " + operand(it.getValue()) + ";"); })
        .Case([&](AccumulateOp it) {
          std::string target = element(it.getRegisters(), it.getIndex());
          line(target + " = " +
               cuda::combineText(it.getKind(), it.getValue().getType(), target, operand(it.getValue())) + ";");
        })
        .Case([&](LoadSharedOp it) {
          line(define(it.getResult()) + names.lookup(it.getSmem()) + "[" + expr(it.getPosition()) + "];");
        })
        .Case([&](StoreSharedOp it) {
          line(names.lookup(it.getSmem()) + "[" + expr(it.getPosition()) + "] = " + operand(it.getValue()) + ";");
        })
        .Case([&](BarrierOp) { line("cu_barrier();"); })
        .Case([&](AsyncCommitOp) { line("cp_async_commit();"); })
        .Case([&](AsyncWaitOp it) { line("cp_async_wait<" + llvm::Twine(it.getPending()) + ">();"); })
        .Case([&](FmaTileOp it) {
          line("outer_fma(" + names.lookup(it.getAcc()) + ", " + names.lookup(it.getA()) + ", " +
               names.lookup(it.getB()) + ");");
        })
        .Case([&](MmaOp it) {
          line(llvm::Twine(it.getBf16() ? "warp_mma_tile_bf16(" : "warp_mma_tile(") + names.lookup(it.getAcc()) + ", " +
               names.lookup(it.getA()) + ", " + names.lookup(it.getB()) + ");");
        })
        .Case<UnaryOp, BinaryOp, CastOp, SelectOp>([&](auto it) {
          std::string value = cuda::scalarText(it, [&](Value v) { return operand(v); });
          line(define(it.getResult()) + value + ";");
        })
        .Default([](Operation *) { llvm_unreachable("emitCudaKernel looked for level 1"); });
  }

  void print(LetOp op) {
    std::string value = expr(op.getExpr(), op.getIndices());
    line("const " + llvm::Twine(indexType()) + " " + op.getName() + " = " + value + ";");
    scope[op.getName().str()] = {Expr(0), op.getExtent() - 1};
  }

  void print(ForOp op) {
    if (op.getUnroll())
      line("CUPOLA_UNROLL");
    std::string name = op.getName().str();
    std::string step = op.getStep().isConstant(1) ? "++" + name : name + " += " + expr(op.getStep());
    std::string head = std::string("for (") + indexType() + " " + name + " = " + expr(op.getFrom()) + "; " + name +
                       " < " + expr(op.getTo()) + "; " + step + ")";
    Ranges outer = scope;
    scope[name] = {op.getFrom(), op.getTo() - 1};
    braces(head, [&] { block(op.getBody().front()); });
    scope = std::move(outer);
  }

  void print(GuardOp op) {
    braces("if (" + all(op.getExprs()) + ")", [&] { block(op.getBody().front()); });
  }

  void print(RegistersOp op) {
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

  void print(SmemOp op) {
    std::string type = typeName(op.getSmem().getType().getElement());
    std::string &name = names[op.getSmem()];
    name = "s" + std::to_string(buffers++);
    line(type + " *const " + name + " = cu_shared<" + type + ">(" + llvm::Twine(*op.getOffset()) + ");");
  }

  void print(LoadOp op) {
    std::string value = operand(op.getView()) + "[" + expr(op.getPosition(), op.getIndices()) + "]";
    if (op.getOther())
      value = all(op.getMask(), op.getIndices()) + " ? " + value + " : " + operand(op.getOther());
    line(define(op.getResult()) + value + ";");
  }

  void print(StoreOp op) {
    std::string statement =
        operand(op.getView()) + "[" + expr(op.getPosition(), op.getIndices()) + "] = " + operand(op.getValue()) + ";";
    if (op.getMask().empty())
      return line(statement);
    braces("if (" + all(op.getMask(), op.getIndices()) + ")", [&] { line(statement); });
  }

  std::string vectorType(RegistersType type) {
    return "<" + typeName(type.getElement()) + ", " + std::to_string(type.getVector()) + ">";
  }

  void print(LoadVectorOp op) {
    std::string type = vectorType(op.getRegisters().getType());
    std::string value =
        "ld_vec" + type + "(" + operand(op.getMemory()) + " + " + expr(op.getPosition(), op.getIndices()) + ")";
    if (op.getOther())
      value = all(op.getMask(), op.getIndices()) + " ? " + value + " : splat_vec" + type + "(" +
              operand(op.getOther()) + ")";
    line(element(op.getRegisters(), op.getIndex()) + " = " + value + ";");
  }

  void print(StoreVectorOp op) {
    line("st_vec(" + operand(op.getMemory()) + " + " + expr(op.getPosition()) + ", " +
         element(op.getRegisters(), op.getIndex()) + ");");
  }

  void print(IndexOp op) { line(define(op.getResult()) + "i64(" + expr(op.getExpr(), op.getIndices()) + ");"); }

  void print(InRangeOp op) { line(define(op.getResult()) + all(op.getExprs(), op.getIndices()) + ";"); }

  void print(CheckedIndexOp op) {
    line(define(op.getResult()) + "cu_wrapped_index(bindings, step, cu_cast<i64>(" + operand(op.getValue()) +
         "), i64(" + expr(op.getExtent()) + "));");
  }

  void print(AsyncCopyOp op) {
    std::string valid = op.getMask().empty() ? "" : ", " + all(op.getMask());
    line("cp_async<" + llvm::Twine(op.getBytes()) + ">(" + names.lookup(op.getSmem()) + " + " + expr(op.getTarget()) +
         ", " + operand(op.getView()) + " + " + expr(op.getPosition()) + valid + ");");
  }

  void print(LoadFragmentOp op) {
    line("ld_fragment<" + llvm::Twine(op.getWidth()) + ">(" + names.lookup(op.getFragment()) + ", " +
         names.lookup(op.getSmem()) + " + " + expr(op.getPosition()) + ", " + llvm::Twine(op.getStride()) + ");");
  }

  void print(MmaLoadOp op) {
    static constexpr const char *functions[] = {"mma_load_a", "mma_load_b", "mma_load_b_transposed"};
    line(llvm::Twine(functions[static_cast<int>(op.getOperand())]) + "(" + names.lookup(op.getFragment()) + ", " +
         names.lookup(op.getSmem()) + " + " + expr(op.getPosition()) + ", " + llvm::Twine(op.getStride()) + ");");
  }

  void print(WarpReduceOp op) {
    line(define(op.getResult()) + "warp_" + graph::stringifyReduceKind(op.getKind()) + "(" + operand(op.getValue()) +
         ");");
  }

  void print(BlockReduceOp op) {
    int64_t threads = func->getAttrOfType<LaunchAttr>("launch").getThreads();
    line(define(op.getResult()) + "block_" + graph::stringifyReduceKind(op.getKind()) + "<" + llvm::Twine(threads) +
         ">(" + operand(op.getValue()) + ", " + names.lookup(op.getScratch()) + ");");
  }

  FuncOp func;
  bool wide;
  Ranges scope;
  std::string text;
  unsigned depth = 0, scalars = 0, arrays = 0, buffers = 0;
  llvm::DenseMap<Value, std::string> names;
};

ValueRange indexOperands(Operation *op) {
  return llvm::TypeSwitch<Operation *, ValueRange>(op)
      .Case<LoadOp, StoreOp, LoadVectorOp, IndexOp, InRangeOp, LetOp>(
          [](auto it) { return ValueRange(it.getIndices()); })
      .Default([](Operation *) { return ValueRange(); });
}

bool anyWide(Block &block, Ranges scope) {
  for (Operation &op : block) {
    Ranges ranges = scope;
    cuda::addIndexRanges(indexOperands(&op), scope, ranges);
    for (const Expr &e : cuda::expressions(&op))
      if (cuda::mayOverflow32(e, ranges))
        return true;
    if (auto let = dyn_cast<LetOp>(op))
      scope[let.getName().str()] = {Expr(0), let.getExtent() - 1};
    if (auto loop = dyn_cast<ForOp>(op))
      ranges[loop.getName().str()] = {loop.getFrom(), loop.getTo() - 1};
    for (Region &region : op.getRegions())
      if (anyWide(region.front(), ranges))
        return true;
  }
  return false;
}

} // namespace

std::string cuda::printKernel(FuncOp func, StringRef name, bool wide) { return Printer(func, wide).print(name); }

bool cuda::needsWideIndex(FuncOp func) {
  Ranges scope = rangesAt(func);
  for (auto &[name, range] : scope)
    if (mayOverflow32(Expr::symbol(name), scope))
      return true;
  return anyWide(func.getBody().front(), scope);
}
