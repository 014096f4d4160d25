//===- lib/Transforms/Layout/Cost.cpp - what a layout of a chain costs ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Layout/Cost.h"

#include <cmath>

using namespace mlir;

namespace cupola::layout {

using graph::ConvLayout;

ArrayRef<TargetRow> targetRows() {
  static constexpr TargetRow rows[] = {
      {"cuda", 2, 2, copyCost, 0}, // another half of each sector that is asked for; images of windows are written first
      {"cpu", 2, 7, copyCost, 16}, // measured: docs/results/cpu.md; a vector of f32 with AVX-512
  };
  return rows;
}

namespace {

constexpr int64_t unknownExtent = 64;

double numberOf(const Expr &expr) {
  std::map<std::string, int64_t> values;
  for (const std::string &symbol : expr.symbols())
    values[symbol] = unknownExtent;
  const std::optional<int64_t> value = expr.evaluate(values);
  return value ? std::max<int64_t>(*value, 0) : std::pow(2.0, 62);
}

double elementsOf(Value value) {
  double elements = 1;
  for (const Expr &extent : graph::shapeOf(value))
    elements *= numberOf(extent);
  return elements;
}

double bytesOf(Value value) { return elementsOf(value) * ((graph::elementOf(value).getIntOrFloatBitWidth() + 7) / 8); }

double tapsOf(Operation *op) {
  double taps = 1;
  if (auto window = dyn_cast<graph::WindowOp>(op)) {
    for (int64_t size : window.getSizes())
      taps *= static_cast<double>(size);
    return taps;
  }
  auto conv = cast<graph::ConvOp>(op);
  const graph::Exprs weights = graph::shapeOf(conv.getWeights());
  for (const Expr &extent : ArrayRef(weights).slice(conv.dims().window, weights.size() - 2))
    taps *= numberOf(extent);
  return taps;
}

/// The places of a line lie as near to each other as vectors are read, and are so many.
bool runsAlongLines(graph::WindowOp window, int64_t fewest) {
  constexpr int64_t mostApart = 4;
  const size_t last = window.getAxis() + window.getSizes().size() - 1;
  return window.getStrides().back() <= mostApart && numberOf(graph::extentOf(window.getResult(), last)) >= fewest;
}

/// Of a convolution that is channels first.
double costOf(Operation *op, const TargetRow &row) {
  if (auto window = dyn_cast<graph::WindowOp>(op); window && row.line && runsAlongLines(window, row.line))
    return 0;
  const double taps = tapsOf(op), places = isa<graph::WindowOp>(op) ? taps : 1; // a window has its taps side by side
  return taps * bytesOf(op->getOperand(0)) * row.read + bytesOf(op->getResult(0)) / places * row.write;
}

double costOf(const Border &border, const TargetRow &row) {
  const double bytes = bytesOf(border.value);
  switch (border.kind) {
  case Border::Read:
    return bytes * std::min(tapsOf(border.reader) * row.read, row.most);
  case Border::Joined:
    return bytes * row.read;
  case Border::Left:
    return bytes * row.write;
  case Border::Written:
    return bytes * copyCost;
  }
  llvm_unreachable("a kind of border");
}

int64_t rounded(double number) { return static_cast<int64_t>(std::min(std::round(number), std::pow(2.0, 62))); }

Candidate makeCandidate(const Chain &chain, ConvLayout layout, ArrayRef<std::string> targets) {
  const bool isLast = layout == ConvLayout::ChannelsLast;
  const ArrayRef<Border> borders = isLast ? chain.last : chain.first;
  double bytes = 0, cost = 0;
  for (const Border &border : borders)
    bytes += bytesOf(border.value);
  for (const TargetRow &row : targetRows()) {
    if (!targets.empty() && !llvm::is_contained(targets, row.target))
      continue;
    for (const Border &border : borders)
      cost += costOf(border, row);
    if (!isLast)
      for (Operation *op : chain.convolutions)
        cost += costOf(op, row);
  }
  return {layout, static_cast<int64_t>(borders.size()), rounded(bytes), rounded(cost)};
}

} // namespace

SmallVector<Candidate, 2> candidatesOf(const Chain &chain, ArrayRef<std::string> targets) {
  return {makeCandidate(chain, ConvLayout::ChannelsLast, targets),
          makeCandidate(chain, ConvLayout::ChannelsFirst, targets)};
}

const Candidate &cheapest(ArrayRef<Candidate> candidates) {
  return *llvm::min_element(candidates, [](const Candidate &a, const Candidate &b) { return a.cost < b.cost; });
}

} // namespace cupola::layout
