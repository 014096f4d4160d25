//===- lib/Sim/FragmentLayout.h - Which element of a tile a lane of mma.sync holds ---===//
// SPDX-License-Identifier: Apache-2.0
//
// PTX ISA, "Matrix fragments for mma.m16n8k8", "mma.m16n8k16" and "mma.m16n8k32", accumulators of 32 bits. An element
// counts the 16-bit halves of a lane's fragment registers, of TF32 operands the registers, of bytes these (A, B), or
// its accumulators (C). Of 16-bit operands the k8 shape has the first half of the elements of the k16 one.
#ifndef CUPOLA_LIB_SIM_FRAGMENTLAYOUT_H
#define CUPOLA_LIB_SIM_FRAGMENTLAYOUT_H

namespace cupola::sim {

struct Coordinate {
  unsigned row, column;
};

/// Row and k.
constexpr Coordinate coordinateOfA(unsigned lane, unsigned element) {
  const unsigned word = element / 2;
  return {lane / 4 + word % 2 * 8, lane % 4 * 2 + word / 2 * 8 + element % 2};
}
/// k and column.
constexpr Coordinate coordinateOfB(unsigned lane, unsigned element) {
  return {lane % 4 * 2 + element / 2 * 8 + element % 2, lane / 4};
}
/// Row and k of a TF32 operand.
constexpr Coordinate coordinateOfTf32A(unsigned lane, unsigned element) {
  return {lane / 4 + element % 2 * 8, lane % 4 + element / 2 * 4};
}
/// k and column.
constexpr Coordinate coordinateOfTf32B(unsigned lane, unsigned element) { return {lane % 4 + element * 4, lane / 4}; }
/// Row and k of an operand of bytes.
constexpr Coordinate coordinateOfByteA(unsigned lane, unsigned element) {
  const unsigned word = element / 4;
  return {lane / 4 + word % 2 * 8, lane % 4 * 4 + word / 2 * 16 + element % 4};
}
/// k and column.
constexpr Coordinate coordinateOfByteB(unsigned lane, unsigned element) {
  return {lane % 4 * 4 + element / 4 * 16 + element % 4, lane / 4};
}
/// Row and column.
constexpr Coordinate coordinateOfC(unsigned lane, unsigned element) {
  return {lane / 4 + element / 2 * 8, lane % 4 * 2 + element % 2};
}

} // namespace cupola::sim

#endif
