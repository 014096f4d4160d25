//===- lib/Target/CPU/RowTiles.cpp - which tiles of steps are one in memory ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/RowSteps.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {
namespace {

class Sharing {
public:
  Status find(FuncOp func) {
    for (auto loop : func.getBody().getOps<ForOp>())
      CUPOLA_TRY(carry(loop));
    func.walk([&](DotOp dot) { addTo(dot); });
    func.walk([&](MapOp map) { takeOver(map); });
    for (auto loop : func.getBody().getOps<ForOp>())
      for (Value carried : loop.getCarried())
        if (!isReadBeforeItChanges(loop, carried))
          return refuse(func);
    return {};
  }

  /// Every tile's leader.
  llvm::DenseMap<Value, Value> leaders() const {
    llvm::DenseMap<Value, Value> result;
    for (const auto *entry : classes)
      result[tile(entry->getData())] = tile(classes.getLeaderValue(entry->getData()));
    return result;
  }

private:
  static Value tile(void *pointer) { return Value::getFromOpaquePointer(pointer); }
  static void *key(Value tile) { return tile.getAsOpaquePointer(); }
  static Status refuse(FuncOp func) {
    return Status::internal(
        ("the CPU target has no code for steps whose tiles need copies in kernel " + func.getSymName()).str());
  }
  bool isAlone(Value tile) const { return classes.findLeader(key(tile)) == classes.member_end(); }
  void unite(Value a, Value b) { classes.unionSets(key(a), key(b)); }

  /// The first step's, the one before, the next, and the last's.
  Status carry(ForOp loop) {
    for (auto [init, carried, next, result] :
         llvm::zip_equal(loop.getInits(), loop.getCarried(), loop.getYield().getValues(), loop.getResults())) {
      bool isOwn = init.hasOneUse() && next.hasOneUse() && isAlone(init) && isAlone(next) &&
                   next.getParentBlock() == &loop.getBody().front() && !isa<BlockArgument>(next);
      if (!isOwn)
        return refuse(loop->getParentOfType<FuncOp>());
      for (Value other : {Value(init), Value(next), Value(result)})
        unite(carried, other);
    }
    return {};
  }

  void addTo(DotOp dot) {
    Value init = dot.getInit();
    if (init && init.hasOneUse() && (isAlone(init) || isa<BlockArgument>(init)))
      unite(init, dot.getTile());
  }

  /// The op in `block` that is or holds `op`.
  static Operation *within(Block *block, Operation *op) { return block->findAncestorOpInBlock(*op); }

  static bool isLastReader(MapOp map, Value tile) {
    return llvm::all_of(tile.getUsers(), [&](Operation *user) {
      Operation *reader = within(map->getBlock(), user);
      if (reader != map)
        return reader && reader->isBeforeInBlock(map);
      auto extract = dyn_cast<ExtractOp>(user);
      return extract && isOwnPoint(extract, map.getBody().getArguments());
    });
  }

  /// Results in the places of tiles of the same type that are read at the own point for the last time.
  void takeOver(MapOp map) {
    SmallVector<Value> free;
    map.walk([&](ExtractOp extract) {
      Value tile = extract.getTile();
      if (tile.getParentBlock() == map->getBlock() && !isa<BlockArgument>(tile) && !llvm::is_contained(free, tile) &&
          !isTaken.contains(tile) && isLastReader(map, tile))
        free.push_back(tile);
    });
    for (Value result : map.getTiles()) {
      auto *same = llvm::find_if(free, [&](Value tile) { return tile.getType() == result.getType(); });
      if (!isAlone(result) || same == free.end())
        continue;
      unite(*same, result);
      isTaken.insert(*same);
      free.erase(same);
    }
  }

  /// The op writes in the place of a carried tile, which nothing reads after it.
  static bool changes(Operation *op, Value carried) {
    if (auto dot = dyn_cast<DotOp>(op))
      return dot.getInit() == carried && carried.hasOneUse();
    return isa<MapOp>(op) && isLastReader(cast<MapOp>(op), carried);
  }

  bool isReadBeforeItChanges(ForOp loop, Value carried) {
    Block *body = &loop.getBody().front();
    for (Operation &op : *body)
      for (Value result : op.getResults())
        if (!isAlone(result) && classes.isEquivalent(key(result), key(carried)))
          return changes(&op, carried);
    return false;
  }

  llvm::EquivalenceClasses<void *> classes;
  llvm::DenseSet<Value> isTaken;
};

} // namespace

Result<llvm::DenseMap<Value, Value>> shareTiles(FuncOp func) {
  Sharing sharing;
  CUPOLA_TRY(sharing.find(func));
  return sharing.leaders();
}

} // namespace cupola::cpu
