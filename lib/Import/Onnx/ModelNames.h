//===- lib/Import/Onnx/ModelNames.h - domains, opsets, labels, functions ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_MODELNAMES_H
#define CUPOLA_LIB_IMPORT_ONNX_MODELNAMES_H

#include "lib/Import/Onnx/Diagnostic.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace onnx {
class FunctionProto;
class ModelProto;
class NodeProto;
class TensorShapeProto_Dimension;
class ValueInfoProto;
} // namespace onnx

namespace cupola::onnx_import {

inline constexpr int64_t oldestOpset = 1;
inline constexpr int64_t newestOpset = 28;
inline constexpr int64_t oldestIrVersion = 3;
inline constexpr int64_t newestIrVersion = 14;

/// "ai.onnx" and "" are one domain; this is "".
std::string canonicalDomain(const std::string &domain);
/// "ai.onnx" for the empty domain.
std::string displayDomain(const std::string &domain);

/// Canonical domain -> version.
using Opsets = std::map<std::string, int64_t>;
Opsets opsetsOf(const onnx::ModelProto &model);
Opsets opsetsOf(const onnx::FunctionProto &function);

NodeLabel labelOf(const onnx::NodeProto &node, const Opsets &opsets);
/// Before what is said of a node in the body of a function: the label is that of its caller; "" without one.
std::string within(const onnx::NodeProto &node, const NodeLabel *caller);

/// The extent that a graph input declares; nullopt where it is unknown, which exporters also
/// write as -1 or 0 (of a list of numbers, 0 is meant: ModelInputs.cpp).
std::optional<int64_t> extentOf(const onnx::TensorShapeProto_Dimension &dim);
/// How the user calls a dimension of an input: its name, or "x[0]" for one without. Names that
/// only say that nothing is known ('?') are none: two of them are not the same dimension.
std::string dimensionName(const onnx::ValueInfoProto &input, int index);
/// "[batch, 3, x[2]]"
std::string declaredShapeText(const onnx::ValueInfoProto &input);

/// Canonical domain, name, overload.
using FunctionKey = std::tuple<std::string, std::string, std::string>;
FunctionKey keyOf(const onnx::FunctionProto &function);
FunctionKey calleeOf(const onnx::NodeProto &node);
using FunctionMap = std::map<FunctionKey, const onnx::FunctionProto *>;
FunctionMap functionsOf(const onnx::ModelProto &model);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_MODELNAMES_H
