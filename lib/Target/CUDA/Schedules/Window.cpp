//===- lib/Target/CUDA/Schedules/Window.cpp - windows of an image, its rows in registers ---===//
// SPDX-License-Identifier: Apache-2.0
//
// For depthwise convolutions and pools, whose windows overlap. A thread goes down some columns: at each row of the
// result it loads the rows of the image that are new, and weights it has loaded once.

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

static constexpr int64_t threads = 128;

namespace {

class Window {
public:
  Window(kernel::FuncOp func, cuda::WindowAttr schedule)
      : low(func), parts(*cuda::windowParts(func, low.vars)), rows(schedule.getRows()), columns(schedule.getColumns()),
        width(schedule.getVector()), body(parts.reduce.getBody().front()), point(func.getPoint()), extents(low.grid()),
        lanes(point[parts.lanes]), cells((columns - 1) * parts.columns.stride + parts.columns.taps),
        rowTaps(parts.rows ? parts.rows->taps : 1), fresh(parts.rows ? std::min(parts.rows->stride, rowTaps) : 1) {}

  LogicalResult run() {
    graph::Exprs work = extents;
    work[parts.lanes] = floorDiv(work[parts.lanes], width);
    if (!parts.runsAlongColumns())
      work[parts.columns.axis] = ceilDiv(work[parts.columns.axis], columns);
    if (parts.rows)
      work[parts.rows->axis] = ceilDiv(work[parts.rows->axis], rows);
    const Expr all = graph::product(work);
    low.launch(threads, ceilDiv(all, threads));
    const Expr flat = low.block() * threads + low.thread();
    return low.guard({all - 1 - flat}, [&] {
      bindPlace(work, flat);
      loadWeights();
      return downRows();
    });
  }

private:
  /// Neighbouring threads have neighbouring vectors of results, whatever the order of the grid.
  void bindPlace(graph::Exprs work, const Expr &flat) {
    std::rotate(work.begin() + parts.lanes, work.begin() + parts.lanes + 1, work.end());
    graph::Exprs at = cuda::Lowering::coordinatesOf(work, flat);
    std::rotate(at.begin() + parts.lanes, at.end() - 1, at.end());
    for (auto [axis, index] : llvm::enumerate(point))
      if (parts.rows && axis == parts.rows->axis)
        firstRow = low.let("row", at[axis] * rows, extents[axis]);
      else if (axis == parts.columns.axis)
        firstColumn = low.let("column", at[axis] * columns, extents[axis]);
      else if (axis != parts.lanes)
        low.bind(index, at[axis], extents[axis]);
    first = parts.runsAlongColumns() ? firstColumn : low.let("first", at[parts.lanes] * width, extents[parts.lanes]);
  }

  Value tapOf(const cuda::WindowAxis &axis) { return body.getArgument(axis.loop); }
  void bindColumn(const Expr &column, const Expr &tap) {
    if (!parts.runsAlongColumns())
      low.bind(point[parts.columns.axis], firstColumn + column, extents[parts.columns.axis]);
    low.bind(tapOf(parts.columns), tap, cells);
  }
  void bindRow(const Expr &row) {
    if (parts.rows)
      low.bind(point[parts.rows->axis], row, extents[parts.rows->axis]);
  }
  void bindRowTap(const Expr &tap) {
    if (parts.rows)
      low.bind(tapOf(*parts.rows), tap, rowTaps);
  }
  /// A loop that the compiler unrolls, so that registers have numbers.
  LogicalResult forEach(StringRef hint, int64_t from, int64_t to, cuda::Lowering::LoopBody step) {
    return low.loop(hint, from, to, 1, /*unroll=*/true, step);
  }

  bool isVector(LoadOp load) {
    return width > 1 && cuda::isContiguous(low.vars.read(load.getPosition(), load.getIndices()), low.vars.name(lanes),
                                           width, low.divisors);
  }
  Value registersFor(LoadOp load, SmallVector<int64_t> shape) {
    if (!isVector(load))
      shape.push_back(width);
    return low.registers(shape, load.getType(), isVector(load) ? width : 1);
  }

  /// `width` elements, where the index values are bound; 0 where `exists` fails.
  void fetch(LoadOp load, Value registers, graph::Exprs at, graph::Exprs exists) {
    if (load.getOther())
      (void)low.clone(*load.getOther().getDefiningOp());
    auto from = [&](const Expr &e) {
      const std::map<std::string, Expr> lane = {{low.vars.name(lanes), first + e}};
      auto here = [&](const Expr &expr) { return low.here(expr.substitute(lane)); };
      cuda::Lowering::Source source{here(low.vars.read(load.getPosition(), load.getIndices())),
                                    llvm::map_to_vector(low.vars.read(load.getMask(), load.getIndices()), here)};
      llvm::append_range(source.mask, exists);
      if (!source.mask.empty())
        source.other = load.getOther() ? low.values.lookup(load.getOther()) : low.constant(load.getType(), 0);
      return source;
    };
    Value view = low.values.lookup(load.getView());
    if (isVector(load))
      return low.loadVector(view, from(0), registers, at);
    (void)forEach("e", 0, width, [&](const Expr &e) {
      graph::Exprs place = at;
      place.push_back(e);
      low.set(low.load(view, from(e)), registers, place);
      return success();
    });
  }

  void loadWeights() {
    for (LoadOp load : parts.weights) {
      weights.push_back(registersFor(load, {rowTaps, parts.columns.taps}));
      (void)forEach("i", 0, rowTaps, [&](const Expr &i) {
        return forEach("j", 0, parts.columns.taps, [&](const Expr &j) {
          bindRowTap(i);
          bindColumn(0, j);
          fetch(load, weights.back(), {i, j}, {});
          return success();
        });
      });
    }
  }

  /// Rows [from, rowTaps) of the windows, of the columns that the thread's points see.
  LogicalResult loadRows(int64_t from, int64_t to) {
    return forEach("i", from, to, [&](const Expr &i) {
      return forEach("j", 0, cells, [&](const Expr &j) {
        bindRowTap(i);
        bindColumn(0, j);
        const Expr last = (extents[parts.columns.axis] - 1) * parts.columns.stride + parts.columns.taps - 1;
        const Expr inside = last - firstColumn * parts.columns.stride - j;
        const bool isInside = columns == 1 || low.isKnown(inside) == true;
        for (auto [load, row] : llvm::zip_equal(parts.image, image))
          fetch(load, row, {i, j}, isInside ? graph::Exprs() : graph::Exprs{inside});
        return success();
      });
    });
  }

  LogicalResult downRows() {
    for (LoadOp load : parts.image)
      image.push_back(registersFor(load, {rowTaps, cells}));
    bindRow(firstRow);
    if (failed(loadRows(0, rowTaps - fresh)))
      return failure();
    return low.loop("p", 0, rows, 1, /*unroll=*/rows <= 4, [&](const Expr &p) {
      const Expr row = firstRow + p;
      return low.guard(parts.rows ? graph::Exprs{extents[parts.rows->axis] - 1 - row} : graph::Exprs(),
                       [&]() -> LogicalResult {
                         bindRow(row);
                         if (failed(loadRows(rowTaps - fresh, rowTaps)) || failed(reduceRow()))
                           return failure();
                         return shiftRows();
                       });
    });
  }

  /// The rows that the next windows see, too, move up.
  LogicalResult shiftRows() {
    return forEach("i", 0, rowTaps - fresh, [&](const Expr &i) {
      return forEach("j", 0, cells, [&](const Expr &j) {
        return forEach("e", 0, width, [&](const Expr &e) {
          for (Value row : image)
            low.set(low.get(row, {i + fresh, j, e}), row, {i, j, e});
          return success();
        });
      });
    });
  }

  LogicalResult reduceRow() {
    const graph::ReduceKind kind = cast<graph::ReduceKindAttr>(parts.reduce.getKinds()[0]).getValue();
    const Type type = parts.reduce.getResult(0).getType();
    Value none = cuda::neutralValue(low, kind, type);
    const cuda::Accumulator sums = {kind, type, low.registers({columns, width}, none.getType())};
    low.forElements(sums.registers, [&](const graph::Exprs &at, const Expr &) { low.set(none, sums.registers, at); });
    LogicalResult done = forEach("i", 0, rowTaps, [&](const Expr &i) {
      return forEach("j", 0, parts.columns.taps, [&](const Expr &j) {
        return forEach("q", 0, columns, [&](const Expr &q) { return addTap(i, j, q, sums); });
      });
    });
    return failed(done) ? failure() : forEach("q", 0, columns, [&](const Expr &q) { return finish(q, sums); });
  }

  LogicalResult addTap(const Expr &i, const Expr &j, const Expr &q, const cuda::Accumulator &sums) {
    bindRowTap(i);
    bindColumn(q, j);
    for (auto [load, registers] : llvm::zip_equal(parts.weights, weights))
      low.hold(load, registers, {i, j});
    for (auto [load, registers] : llvm::zip_equal(parts.image, image))
      low.hold(load, registers, {i, parts.columns.stride * q + j});
    return low.cloneVector(body, lanes, first, extents[parts.lanes], width,
                           [&](ValueRange yielded, const Expr &e) { cuda::accumulate(low, sums, yielded[0], {q, e}); });
  }

  /// What follows the reduction, of one of the points.
  LogicalResult finish(const Expr &q, const cuda::Accumulator &sums) {
    const Expr last = extents[parts.columns.axis] - 1 - firstColumn - q;
    return low.guard(columns > 1 ? graph::Exprs{last} : graph::Exprs(), [&] {
      bindColumn(q, 0);
      low.hold(parts.reduce, sums.registers, {q});
      return low.cloneVector(low.body(), lanes, first, extents[parts.lanes], width, [](ValueRange, const Expr &) {});
    });
  }

  cuda::Lowering low;
  cuda::WindowParts parts;
  int64_t rows, columns, width;
  Block &body;
  ValueRange point;
  graph::Exprs extents;
  Value lanes;
  int64_t cells;   ///< columns of the image that the thread's windows see
  int64_t rowTaps; ///< rows that a window sees
  int64_t fresh;   ///< those of them that the one above it does not
  Expr firstRow, firstColumn, first;
  SmallVector<Value> weights, image;
};

} // namespace

/// The most neighbouring results that loads and stores can have in one vector.
static int64_t widest(cuda::KernelFacts &facts) {
  cuda::WindowParts &parts = *facts.window;
  if (parts.runsAlongColumns())
    return 1;
  FuncOp func = facts.func;
  Value lanes = func.getPoint()[parts.lanes];
  const std::pair<Block *, Value> all[] = {{&func.getBody().front(), lanes}, {&parts.reduce.getBody().front(), lanes}};
  int64_t width = cuda::vectorWidth(all, graph::exprsOf(func.getGrid())[parts.lanes], facts.vars, facts.divisors);
  while (width > 1 && !llvm::all_of(parts.image, [&](LoadOp load) {
           return cuda::isContiguous(facts.vars.read(load.getPosition(), load.getIndices()), facts.vars.name(lanes),
                                     width, facts.divisors);
         }))
    width /= 2;
  return width;
}

/// Registers of a thread: rows of the image, weights, sums.
static int64_t registersOf(cuda::WindowParts &parts, int64_t columns, int64_t vector) {
  const int64_t cells = (columns - 1) * parts.columns.stride + parts.columns.taps;
  int64_t words = columns * vector;
  for (LoadOp load : parts.image)
    words += llvm::divideCeil(parts.taps() / parts.columns.taps * cells * vector * graph::byteSize(load.getType()), 4);
  return words + parts.taps() * vector * static_cast<int64_t>(parts.weights.size());
}

LogicalResult cuda::WindowAttr::verify(EmitError error, int64_t rows, int64_t columns, int64_t vector) {
  return success(succeeded(verifyPositive(error, {rows, columns})) && succeeded(verifyVector(error, vector)));
}

cuda::Candidates cuda::WindowAttr::candidates(KernelFacts &facts, const GpuArchitecture &) {
  constexpr int64_t mostRegisters = 150;
  Candidates all;
  if (!facts.window || !facts.window->overlaps())
    return all;
  WindowParts &parts = *facts.window;
  for (int64_t vector = widest(facts); vector > 0; vector /= 2)
    for (int64_t columns : {4, 2, 1})
      for (int64_t rows : {16, 8, 4, 2, 1}) {
        const bool isWorth = (parts.rows || rows == 1) && (!parts.runsAlongColumns() || columns == 1);
        if (isWorth && registersOf(parts, columns, vector) <= mostRegisters)
          all.push_back(WindowAttr::get(facts.context(), rows, columns, vector));
      }
  return all;
}

/// Symbols count as one image.
static int64_t extentOf(const cuda::KernelFacts &facts, unsigned axis) {
  FuncOp func = facts.func;
  return graph::exprsOf(func.getGrid())[axis].constant().value_or(1);
}

double cuda::WindowAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  const WindowParts &parts = *facts.window;
  int64_t all = 1;
  for (unsigned axis = 0; axis < FuncOp(facts.func).getGrid().size(); ++axis)
    all *= llvm::divideCeil(extentOf(facts, axis), parts.rows && axis == parts.rows->axis ? getRows()
                                                   : axis == parts.columns.axis           ? getColumns()
                                                   : axis == parts.lanes                  ? getVector()
                                                                                          : 1);
  const int64_t rows = parts.rows ? std::min(getRows(), extentOf(facts, parts.rows->axis)) : 1;
  // The loads of a row are under way together.
  const int64_t together = std::min<int64_t>(4, (getColumns() - 1) * parts.columns.stride + parts.columns.taps);
  return narrow(parts.bytesOf(getVector())) * idle(all * together, target) *
         parts.accesses(rows, std::min(getColumns(), extentOf(facts, parts.columns.axis)));
}

LogicalResult cuda::WindowAttr::lower(kernel::FuncOp func) const {
  Variables vars(func);
  if (!windowParts(func, vars))
    return func.emitOpError("is no reduction over windows along which its results lie in memory");
  return Window(func, *this).run();
}
