//===- dialects/Graph/Precision.cpp - what kinds of ops ask of 16-bit numbers ---===//
// SPDX-License-Identifier: Apache-2.0
//
// f16 ends at 65504 and loses bits below 2^-14, bf16 has the range of f32; both have too few
// bits to tell positions and angles apart.

#include "dialects/Graph/Graph.h"

using namespace cupola;
using namespace cupola::graph;

PrecisionClass graph::precisionOf(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Exp:
  case UnaryKind::Log:
  case UnaryKind::Sqrt:
  case UnaryKind::Rsqrt:
  case UnaryKind::Reciprocal:
  case UnaryKind::Tan:
  case UnaryKind::Sinh:
  case UnaryKind::Cosh:
    return PrecisionClass::Keep;
  default:
    return PrecisionClass::Compute;
  }
}

PrecisionClass graph::precisionOf(BinaryKind kind) {
  return kind == BinaryKind::Pow ? PrecisionClass::Keep : PrecisionClass::Compute;
}

PrecisionClass graph::precisionOf(ReduceKind kind) {
  return kind == ReduceKind::Sum || kind == ReduceKind::Prod ? PrecisionClass::Keep : PrecisionClass::Compute;
}

bool graph::needsExactOperands(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::Round:
  case UnaryKind::Sin:
  case UnaryKind::Cos:
  case UnaryKind::Tan:
    return true;
  default:
    return false;
  }
}

bool graph::needsExactOperands(BinaryKind kind) { return kind == BinaryKind::Mod || kind == BinaryKind::Fmod; }
