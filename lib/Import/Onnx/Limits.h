//===- lib/Import/Onnx/Limits.h - how much a model may ask for -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Limits are counts, never times, so that the same model meets the same answer
// on every machine. All are on by default; `--limit NAME=VALUE` overrides one,
// and the error that a limit causes names it.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_LIMITS_H
#define CUPOLA_LIB_IMPORT_ONNX_LIMITS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::onnx_import {

struct Limits {
  int64_t fileBytes = (int64_t(1) << 31) - 1; ///< a Protobuf message can be no larger
  int64_t nodes = 1000000;                    ///< in the file, and again after inlining
  int64_t initializers = 262144;              ///< also graph inputs: in old files each is one
  int64_t functions = 10000;
  int64_t functionDepth = 100;            ///< calls inside calls
  int64_t bodyNodes = 50000;              ///< of loops, each time that they are imported again (LoopBody.h)
  int64_t nodeOperands = 32768;           ///< inputs and outputs of one node, each
  int64_t nodeAttributes = 1024;          ///< of one node
  int64_t attributeElements = 1 << 24;    ///< numbers or strings of one attribute
  int64_t listEntries = 65536;            ///< metadata, opset imports... of one message
  int64_t valueInfos = 4000000;           ///< declared intermediate values in the file
  int64_t nameBytes = 131072;             ///< of one name
  int64_t textBytes = 1 << 24;            ///< of one doc_string or metadata value
  int64_t tensorBytes = int64_t(1) << 36; ///< of one tensor with constant dimensions
  int64_t foldedBytes = int64_t(1) << 30; ///< of one tensor that folding makes
};

/// What no option changes: the ranks that the compiler's own code is built for,
/// and the nesting at which Protobuf's parser stops.
inline constexpr int64_t maxRank = 8;
inline constexpr int64_t maxMessageDepth = 100;

/// One row per limit: for the command line, `cupola check` and the messages.
struct LimitInfo {
  std::string_view name; ///< "nodes", "tensor-bytes"
  int64_t Limits::*member;
  std::string_view what; ///< "nodes in the model, counted again after inlining"
};
const std::vector<LimitInfo> &allLimits();

/// False for an unknown name or a negative value.
bool setLimit(Limits &limits, std::string_view name, int64_t value);

/// "10 nodes exceed the limit nodes=5 (raise it with --limit nodes=N)"
std::string exceeds(const Limits &limits, int64_t Limits::*member, const std::string &found);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_LIMITS_H
