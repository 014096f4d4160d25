//===- lib/Target/CPU/Emitter.h - a kernel as loops over LLVM memory ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Emits scf loops, arith, math and vector ops on values, and llvm ops on memory. At
// any point at most one loop is vectorised: its variable stands for CpuArchitecture::lanes()
// consecutive values (Nest::vectors times as many in a nest), everything that depends on
// it is a vector, all else a scalar.
// A loop runs whole vectors first, then one more under a mask.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_EMITTER_H
#define CUPOLA_LIB_TARGET_CPU_EMITTER_H

#include "lib/Target/CPU/Code.h"
#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/LoopParts.h"
#include "lib/Target/CPU/Quantize.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace cupola::cpu {

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, kernel::FuncOp func, const KernelPlan &plan, const CpuArchitecture &isa);

  /// Adds the kernel to `module` under this name.
  void emitKernel(mlir::ModuleOp module, llvm::StringRef name);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using Carried = llvm::ArrayRef<mlir::Value>;

  //===--- Kernel.cpp: the function and its iterations ---===//
  void loadArguments(mlir::LLVM::LLVMFuncOp function);
  void emitIteration(mlir::Value iteration);
  Values delinearize(mlir::Value iteration);
  void emitConstants();

  //===--- Loops.cpp ---===//
  using LoopBody = llvm::function_ref<Values(mlir::Value iv, Carried carried)>;
  Values forLoop(mlir::Value lower, mlir::Value upper, int64_t step, mlir::ValueRange init, LoopBody body);
  using LaneBody = llvm::function_ref<Values(Carried carried)>;
  /// Several vectors at a time, each with accumulators of its own: a sum waits for the
  /// one before it.
  struct Interleave {
    Values neutral;
    llvm::function_ref<Values(Carried, Carried)> merge;
  };
  static constexpr int64_t kInterleave = 4;
  /// Runs `body` with `var` vectorised; `length` is upper - lower where it is known to
  /// be the whole extent of a loop. `lower` is a multiple of `unit`.
  Values vectorLoop(const std::string &var, mlir::Value lower, mlir::Value upper, const Expr &length,
                    mlir::ValueRange init, LaneBody body, const Interleave *interleave = nullptr, int64_t unit = 1);
  /// Runs the vectors that come in whole groups, and moves `lower` behind them.
  Values interleavedLoop(const std::string &var, mlir::Value &lower, mlir::Value upper, mlir::ValueRange init,
                         LaneBody body, const Interleave &interleave);
  /// What is left behind whole vectors, if there is something: runs `body` with how many elements.
  Values atEdge(mlir::Value lower, mlir::Value upper, Carried carried, llvm::function_ref<Values(mlir::Value)> body);
  Values maskedTail(const std::string &var, mlir::Value lower, mlir::Value upper, Carried carried, LaneBody body);
  Values scalarLoop(const std::string &var, mlir::Value lower, mlir::Value upper, mlir::ValueRange init, LaneBody body);
  bool wholeVectors(const Expr &length) const;
  /// The length for vectorLoop of a loop over `part` elements of `all` at a time: no number where those are no vectors.
  Expr lengthInParts(const Expr &all, int64_t part) const;
  mlir::Value tailMask(mlir::Value count);

  /// Ops by the number of loops that have to be open around them.
  using Levels = std::vector<llvm::SmallVector<mlir::Operation *>>;
  Levels levelsOf(const Nest &nest);
  void emitNest(const Nest &nest, llvm::ArrayRef<mlir::Value> parallel);
  /// What emitLevel needs at every level.
  struct NestLoops {
    const Nest &nest;
    Levels levels;
    std::vector<LoopParts> parts;
    mlir::Value piece; ///< of the last loop; null: all of it
  };
  void emitInParts(const NestLoops &loops, unsigned level);
  void emitLevel(const NestLoops &loops, unsigned level);
  void emitPart(const NestLoops &loops, unsigned level, const LoopPart &part);
  void emitJams(const NestLoops &loops, unsigned level, mlir::Value lower, mlir::Value upper, const Expr &length);
  void forEachJammed(llvm::function_ref<void(int64_t)> body);
  /// Of an op with a mask, or in_range, whether its conditions hold in the parts that loops are in; nothing where that
  /// is not known.
  std::optional<bool> isKnown(mlir::Operation *op);
  void emitForeach(kernel::ForeachOp op);
  void emitMap(kernel::MapOp op);
  void emitReduce(kernel::ReduceOp op);
  void emitArgReduce(kernel::ArgReduceOp op); // ArgReduce.cpp
  /// The loops of an op, the vectorised one innermost.
  struct LoopNest {
    std::vector<std::string> vars;
    std::vector<Expr> extents;
    bool vectorised = false;
    int64_t block = 0; ///< so many iterations of the last loop are merged as one, by an Interleave; 0: each
  };
  LoopNest loopsOf(mlir::Operation *op);
  Values emitLoops(const LoopNest &loops, unsigned level, mlir::ValueRange init, LaneBody body,
                   const Interleave *interleave = nullptr);
  /// Of vectors that are merged together, as those of an Interleave; scalars.
  Values reduceLanes(Values vectors, llvm::function_ref<Values(Carried, Carried)> merge);

  //===--- Transposition.cpp ---===//
  /// The elements of a loop that an iteration takes.
  struct Span {
    std::string var;
    Expr extent; ///< of the whole loop
    mlir::Value lower, upper;
  };
  /// Where a side of a square begins, and how many elements it has; null: a vector.
  struct Edge {
    mlir::Value first, count;
  };
  void emitTransposition(llvm::ArrayRef<mlir::Value> iteration);
  Span spanOf(unsigned loop, mlir::Value piece, int64_t tile);
  void edgesOf(const Span &span, llvm::function_ref<void(Edge)> body);
  void emitSquare(llvm::ArrayRef<mlir::Operation *> body, Edge from, Edge to);
  void turn(const Transposition::Turned &turned, Edge from, Edge to);
  void loadTurned(const Transposition::Turned &turned, mlir::Value row);
  /// Runs `body` with this loop vectorised, for the lanes of one vector.
  void withLanes(const std::string &var, Edge edge, llvm::function_ref<void()> body);

  //===--- Elements.cpp ---===//
  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation *op);
  void emitScalar(mlir::Operation *op);
  void emitLoad(kernel::LoadOp op);
  void emitStore(kernel::StoreOp op);
  void emitExtract(kernel::ExtractOp op);
  void emitCheckedIndex(kernel::CheckedIndexOp op);
  void emitKnownIndex(kernel::KnownIndexOp op);
  void raiseFlag(mlir::Value bad);
  Values emitYield(mlir::Block &block);
  Values lookup(mlir::ValueRange values);

  //===--- Memory.cpp: positions, loads, stores ---===//
  /// An expression of the kernel in the variables that are emitted.
  Expr resolve(const Expr &e) const;
  /// The value of an expression: i64, a vector where it uses the vectorised variable.
  mlir::Value index(const Expr &e, bool scalar = false);
  /// `uniform`: the part of it that is the same for all lanes; null: none.
  struct Condition {
    mlir::Value all, uniform;
  };
  /// 0, step, 2 * step, .. for each lane: i64.
  mlir::Value laneSteps(int64_t step);
  /// stepWithin of a resolved expression that is not linear, where vectors begin at such multiples.
  std::optional<Expr> stepInVector(const Expr &e) const;
  mlir::Value isNatural(const Expr &e);
  Condition conjunction(llvm::ArrayRef<Expr> exprs);
  struct Address {
    mlir::Value pointer;     ///< a vector of pointers where lanes are not neighbours
    bool contiguous = false; ///< lanes are neighbours
    int64_t repeats = 1;     ///< so many lanes have one of the neighbours, then as many the next
    int64_t step = 1;        ///< lanes are so many neighbours apart; else than 1 only of loads
    bool isVector() const { return contiguous || step != 1 || Code::isVector(pointer); }
  };
  Address address(mlir::Value base, mlir::Type element, const Expr &position);
  /// The same of a load, which may take vectors and shuffle them.
  Address loadAddress(mlir::Value base, mlir::Type element, const Expr &position);
  // What follows has a resolved position.
  Address resolvedAddress(mlir::Value base, mlir::Type storage, const Expr &e);
  /// Where lanes repeat neighbours, as images twice as wide read theirs, or one element as that of a block of them;
  /// nothing elsewhere.
  std::optional<Address> repeated(mlir::Value base, mlir::Type storage, const Expr &e);
  /// Where lanes are a few neighbours apart.
  std::optional<Address> apart(mlir::Value base, mlir::Type storage, const Expr &e);
  /// Some index of it is a vector.
  bool hasPlaces(const Expr &e) const;
  Address gathered(mlir::Value base, mlir::Type storage, const Expr &position);
  /// `condition` may be null; `other` is the value where it fails.
  mlir::Value load(Address from, mlir::Type element, mlir::Value condition, mlir::Value other, bool invariant);
  mlir::Value maskedLoad(mlir::VectorType type, mlir::Value pointer, mlir::Value lanes, mlir::Value other);
  mlir::Value loadApart(Address from, mlir::Type storage, mlir::Value mask, bool invariant);
  mlir::Value loadRepeated(Address from, mlir::Type storage, mlir::Value mask, mlir::Value other, bool invariant);
  mlir::Value loadLanes(Address from, mlir::Type storage, mlir::Value mask, mlir::Value other, bool invariant);
  void store(mlir::Value value, Address to, mlir::Type element, mlir::Value condition);
  mlir::Value allLanes(bool value);
  /// The lanes of the current vector that exist, and satisfy the condition; null: all.
  mlir::Value maskWith(mlir::Value condition);
  mlir::Value scratchAt(int64_t offset);
  /// An element of a stored tile, or those of all lanes.
  Address tileAt(int64_t offset, mlir::Type element, const Expr &position);

  //===--- Operands.cpp ---===//
  mlir::Value operandElement(mlir::Region &region);
  mlir::Value lhsRowAt(mlir::Value row);
  void copyLhs();
  void copyLhsRow(mlir::Value target);
  void copyLhsPart(const std::string &var, mlir::Value first, mlir::Value end, const Expr &length, mlir::Value target);
  void copyPieces(mlir::Value target);
  unsigned pieceLanes() const;
  void copyRhs();
  void copyFewColumns();
  /// Panels of a right operand, one after the other: rows of `panel` columns from `depth` on.
  struct PanelCopy {
    kernel::DotOp dot;
    std::string n, k;
    Expr length; ///< the extent of n
    mlir::Value column, columns, depth, depths;
    int64_t panel, panelDepth; ///< columns, and rows that there is room for
    mlir::Value target;
    int64_t unit = 1;  ///< Contraction::depthUnit
    int64_t ahead = 0; ///< so many rows further on are prefetched
  };
  void copyPanels(PanelCopy copy);
  bool liesInColumns(const PanelCopy &copy);
  void copyTurned(const PanelCopy &copy, mlir::Value k, mlir::Value first, mlir::Value count, mlir::Value start);
  /// The rows from k on that are one of the micro-kernel, of a panel whose columns begin at `first`; the last ones may
  /// lie behind the depth.
  void copyPanelRow(const PanelCopy &copy, mlir::Value k, mlir::Value first, mlir::Value count, mlir::Value start,
                    bool isLast);
  /// The element of row k + i as the i-th part of a word; 0 behind the depth.
  mlir::Value panelPart(const PanelCopy &copy, mlir::Value k, int64_t i, bool isLast);
  /// Where an operand's panel or rows begin, and the distance to the next row.
  struct Operand {
    mlir::Value pointer, stride;
  };
  Operand lhsAt(mlir::Value row);
  Operand rhsAt(mlir::Value panel);
  Operand loadedAt(kernel::LoadOp load, const std::string &strided);
  /// A depth in elements of the micro-kernel.
  mlir::Value unitsOf(mlir::Value depth);

  //===--- Runs.cpp ---===//
  mlir::Value runsAt(mlir::Value row);
  mlir::Value runOffset();
  void writeRun(mlir::Value row, mlir::Value pointer, int64_t distance);
  void findRuns();

  //===--- Places.cpp ---===//
  mlir::Value placeFlagAt(mlir::Value row);
  void findPlaces();
  void clearPlaces();

  //===--- Dot.cpp ---===//
  void emitContraction(llvm::ArrayRef<mlir::Value> iteration);
  void emitDepthBlock();
  void emitTiles();
  void behindDepth(llvm::function_ref<void()> body);
  mlir::Value tileAt(mlir::Value panel, mlir::Value row);
  void chooseSize(mlir::Value value, llvm::ArrayRef<int64_t> sizes, llvm::function_ref<void(int64_t)> body);
  void multiplyTile(mlir::Value panel, mlir::Value row, mlir::Value tile);
  llvm::SmallVector<int64_t> tileHeights(const Expr &rows, int64_t whole) const;
  void emitEpilogue(mlir::Value panel, mlir::Value row, int64_t rows, bool alongRows);
  mlir::Value turnResults(mlir::Value panel);
  void forEachResult(llvm::function_ref<void(mlir::Block &, const std::string &row, const std::string &column)> body);
  void forResultRows(mlir::Value first, mlir::Value end,
                     llvm::function_ref<void(mlir::Value first, mlir::Value end, llvm::StringRef place)> body);
  /// What a tile of tileRows rows is of; see MicroKernel.h. `isDirect`: columns beyond the last may not be read.
  struct MicroCall {
    mlir::Type element;
    Operand left, right;
    mlir::Value rows, columns, depth, tile, accumulate, ahead;
    int64_t panel = 0, tileStride = 0, tileRows = 0;
    bool isDirect = false, prefetches = false, nibbles = false;
    int64_t unit = 1;
    int64_t run = 0;           ///< MicroKernel::run
    int64_t block = 0;         ///< MicroKernel::block
    mlir::Value columnScales;  ///< of the panel
    Operand starts, rowScales; ///< of one stride
  };
  void callMicroKernel(const MicroCall &call, const Expr &allRows, const Expr &allColumns);
  /// The address of one of two functions, by CpuArchitecture::dots.
  mlir::Value ifExtended(mlir::LLVM::LLVMFuncOp with, mlir::LLVM::LLVMFuncOp without);

  //===--- DepthVectors.cpp: products by vectors along the depth ---===//
  void multiplyFewColumns(mlir::Value panel, mlir::Value row, mlir::Value tile);
  void multiplyComputedRows(mlir::Value panel, mlir::Value row, mlir::Value tile);
  /// Whether the right operand had better not be copied for few rows.
  bool servesFewRows();
  void multiplyFewRows(mlir::Value panel, int64_t height);
  Values depthLoop(mlir::ValueRange init,
                   llvm::function_ref<Values(Carried carried, llvm::ArrayRef<mlir::Value> places)> body);
  void addToTile(mlir::Value sums, int64_t first, int64_t count, mlir::Value tile);

  //===--- FourBits.cpp: what is made of numbers of four bits ---===//
  /// operandElement, by a table where that can be.
  mlir::Value operandByTable(mlir::Region &operand);
  void lookUp(mlir::Operation *number, llvm::ArrayRef<mlir::Operation *> ofNumber);
  mlir::Value wordsOf(mlir::Operation *number);

  //===--- BlockDot.cpp: what belongs to blocks of the depth ---===//
  void copyBlockParts();
  void copyOfColumns(mlir::Region &part, int64_t offset);
  void copyOfRows(mlir::Region &part, int64_t offset);
  void addBlocks(MicroCall &call, mlir::Value panel, mlir::Value row);
  mlir::Value columnScalesAt(mlir::Value panel);

  //===--- RowSteps.cpp: ordered steps over tiles of rows ---===//
  void emitSteps(llvm::ArrayRef<mlir::Value> iteration);
  void emitRowOps(mlir::Block &body);
  void emitOnce(kernel::ForeachOp op);
  void emitFor(kernel::ForOp op);
  void emitRows(llvm::ArrayRef<mlir::Operation *> loops);
  void emitRow(mlir::Operation *loop, mlir::Value row);
  void emitTotals(kernel::MapOp map, mlir::Value row);
  void emitAfterTotals(kernel::MapOp map, mlir::Value group, mlir::Value end);
  void storeRow(kernel::MapOp map, const Values &yielded);
  /// The extent of a loop, or where its columns begin not to count.
  Expr liveExtent(const std::string &var, const Expr &extent) const;
  /// The condition e >= 0 holds wherever elements are loaded now.
  bool isProven(const Expr &e) const;
  Expr rowTilePosition(kernel::ExtractOp op);

  //===--- RowDot.cpp: the products of steps ---===//
  void emitRowDot(RowDot dot);
  void multiplyRowDot(RowDot dot);
  void copyRowLhs(RowDot dot);
  void copyRowRhs(RowDot dot);
  void copyTurned(RowDot dot);
  void prefetch(mlir::Region &region, const std::string &row);
  void multiplyRows(RowDot dot);
  void multiplyAlongDepth(RowDot dot);
  void multiplyComputed(RowDot dot);
  void forFewRows(int64_t most, llvm::function_ref<void(const Values &rows)> body);
  Values rhsAlongDepth(RowDot dot, mlir::Value column, int64_t count);
  mlir::Value rowLhsAt(const RowDot &dot, mlir::Value row);
  mlir::Value rowTileAt(mlir::Value tile, mlir::Value row, mlir::Value column);
  mlir::Value liveColumns(const RowDot &dot);
  mlir::Value liveDepth(const RowDot &dot);

  /// Iterations of a loop that are emitted as one.
  struct Jam {
    std::string var; ///< has the first one's value
    int64_t count = 1;
    std::vector<llvm::DenseMap<mlir::Value, mlir::Value>> copies; ///< `values` of each; none outside of the body
  };
  /// What an iteration computes: firsts and counts; depth is the current block of k.
  struct DotBlock {
    mlir::Value row, rows, column, columns, depth, depths;
  };
  struct TileWindow {
    mlir::Value tile;    ///< the dot's result
    mlir::Value pointer; ///< its elements from (row, column) on
    int64_t rowStride = 0, columnStride = 0;
  };

  Code c;
  kernel::FuncOp func;
  const KernelPlan &plan;
  const CpuArchitecture &isa;
  kernel::Variables vars; ///< the plan's
  std::map<std::string, int64_t> divisors;
  const Quantizations quantizations;

  // Arguments of the kernel.
  mlir::Value bindings, step, scratch;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers; ///< view -> pointer

  // Where emission stands.
  std::map<std::string, mlir::Value> variables; ///< name -> i64; of the vectorised one: lane 0
  Aliases aliases;
  const DepthPieces *pieces = nullptr;             ///< while the depth runs in pieces
  std::string vectorVar;                           ///< empty: no loop is vectorised
  int64_t vectorUnit = 1;                          ///< the first lane's value is a multiple of it
  mlir::Value mask;                                ///< lanes that exist; null: all
  llvm::DenseMap<mlir::Value, mlir::Value> values; ///< scalars of the kernel -> emitted
  TileWindow window;
  DotBlock block;
  Jam jam;
  bool isLive = false; ///< only columns that count are loaded now
  LiveParts live;      ///< of the nest's loops
};

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_EMITTER_H
