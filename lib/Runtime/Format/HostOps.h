//===- lib/Runtime/Format/HostOps.h - what the host computes, in one table ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The ops that look into strings, those that decode pictures, and what a processor does one after the other in a
// fraction of the steps that kernels take, where every result looks for what it is made of. lib/Runtime/Host has a
// function for each row, lib/Reference another one for strings; the others stand for graph ops, which say the same.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_HOSTOPS_H
#define CUPOLA_LIB_RUNTIME_FORMAT_HOSTOPS_H

#include "lib/Runtime/Format/Step.h"
#include "lib/Runtime/Status.h"

#include <array>
#include <string_view>

namespace cupola::format {

/// What an operand or a result of a host op holds.
enum class HostElement : uint8_t {
  String,
  Count,  ///< i64
  Truth,  ///< bool
  Byte,   ///< u8
  Number, ///< the type that the op's first argument names: one that kernels compute with
};

struct HostOp {
  const char *name;
  size_t operands;                  ///< how many
  std::array<HostElement, 5> reads; ///< by operand
  HostElement writes;
  size_t least, most; ///< arguments
};

constexpr size_t kAnyCount = ~size_t(0);

/// Every op has one result.
inline constexpr HostOp kHostOps[] = {
    // Pairs of strings, one behind the other.
    {"string_concat", 2, {HostElement::String, HostElement::String}, HostElement::String, 0, 0},
    // "lower", "upper" or "none"; "1" where letters of either case differ, else "0"; the words to leave out.
    {"string_normalize_count", 1, {HostElement::String}, HostElement::Count, 2, kAnyCount}, ///< one: how many stay
    {"string_normalize", 1, {HostElement::String}, HostElement::String, 2, kAnyCount},
    // The delimiter, empty: white space; the most splits, -1: any number.
    {"string_split_count", 1, {HostElement::String}, HostElement::Count, 2, 2}, ///< the parts of each
    {"string_split", 1, {HostElement::String}, HostElement::String, 2, 2}, ///< padded with empty ones to equal counts
    // How many different strings of the operand go before each, by their bytes.
    {"string_rank", 1, {HostElement::String}, HostElement::Count, 0, 0},
    // The pattern (lib/Runtime/Host/Pattern.h).
    {"regex_full_match", 1, {HostElement::String}, HostElement::Truth, 1, 1},
    // The type of the numbers: "f32".
    {"string_parse", 1, {HostElement::String}, HostElement::Number, 1, 1},
    {"string_format", 1, {HostElement::Number}, HostElement::String, 1, 1},
    // A file of a picture (lib/Runtime/Host/Image.h).
    {"image_extents", 1, {HostElement::Byte}, HostElement::Count, 0, 0}, ///< two: height and width
    // "rgb", "bgr" or "gray".
    {"image_decode", 1, {HostElement::Byte}, HostElement::Byte, 1, 1}, ///< rows of pixels
    // Places of the elements of each row in their order, equal ones in that of their places. The type of the elements,
    // integers; "largest" or "smallest" goes first. The last operand: [rows, elements, how many places].
    {"order", 2, {HostElement::Number, HostElement::Count}, HostElement::Count, 2, 2},
    // [before, extent, behind] of indices [before, updates, behind]: the last update that is meant for each place, or
    // -1. Indices outside of the extent are meant for none. The last operand: [before, updates, behind, extent].
    {"last_match", 2, {HostElement::Count, HostElement::Count}, HostElement::Count, 0, 0},
    // The places of a list that are true, in order.
    {"true_places", 1, {HostElement::Truth}, HostElement::Count, 0, 0},
    // Data [before, extent, behind] with the updates [before, updates, behind] that indices of the same shape, or one
    // for all that is behind, bring to each place. The type of the numbers; "add", "mul", "max" or "min". The last
    // operand: [before, updates, behind, extent].
    {"scatter_reduce",
     4,
     {HostElement::Number, HostElement::Count, HostElement::Number, HostElement::Count},
     HostElement::Number,
     2,
     2},
    // Boxes of each batch and class that overlap none of better scores, best first, then -1: [batch, classes, picks].
    // Of the type of the numbers: tops, lefts, bottoms and rights [batch, 4, boxes], scores [batch, classes, boxes],
    // and the share of both in what two boxes may have in common; then the boxes that count at all, and [batch,
    // classes, boxes, picks, most boxes].
    {"box_picks",
     5,
     {HostElement::Number, HostElement::Number, HostElement::Number, HostElement::Truth, HostElement::Count},
     HostElement::Count,
     1,
     1},
    {"box_pick_count", 1, {HostElement::Count}, HostElement::Count, 0, 0}, ///< one: those of box_picks that are no -1
    // [count, 3]: their batches, classes and boxes. The last operand: [batch, classes, picks].
    {"box_pick_list", 2, {HostElement::Count, HostElement::Count}, HostElement::Count, 0, 0},
    // Discrete Fourier transforms of rows: [rows, made, parts] of [rows, taken, parts], parts being 1 (real) or 2. The
    // type of the numbers, floats; "forward" or "inverse". The last operand: [rows, length, taken, made, parts taken,
    // parts made]. An inverse one may be given the half of a spectrum that the other half mirrors.
    {"fourier", 2, {HostElement::Number, HostElement::Count}, HostElement::Number, 2, 2},
    // The sum of all elements up to each one, along the middle of [before, extent, behind], which is the last operand.
    // The type of the numbers; "add" or "mul"; "inclusive" or "exclusive"; "forward" or "reverse".
    {"cumulate", 2, {HostElement::Number, HostElement::Count}, HostElement::Number, 4, 4},
};

/// Null: there is none of that name.
const HostOp *findHostOp(std::string_view name);
/// `arguments` of an op that checkHostCall has seen.
DType dtypeOf(HostElement element, const std::vector<std::string> &arguments);
/// That the op is known and has as many arguments, operands and results as it should, of a type that there is.
/// Code::Package
Status checkHostCall(const HostCall &call);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_HOSTOPS_H
