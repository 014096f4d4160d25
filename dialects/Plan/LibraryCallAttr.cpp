//===- dialects/Plan/LibraryCallAttr.cpp - library calls as attributes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Plan/LibraryCallAttr.h"

#include "mlir/IR/Builders.h"

#include <cstring>

using namespace mlir;

namespace cupola::plan {

using format::LibraryCall;
using format::LibraryCallKind;
using format::PostOp;
using format::PostOpKind;

namespace {

constexpr std::pair<StringRef, LibraryCallKind> kinds[] = {
    {"convolution", LibraryCallKind::Convolution},
    {"product", LibraryCallKind::MatrixProduct},
};

constexpr std::pair<StringRef, PostOpKind> postOpKinds[] = {
    {"add_channel", PostOpKind::AddChannel},
    {"add_tensor", PostOpKind::AddTensor},
    {"relu", PostOpKind::Relu},
    {"clip", PostOpKind::Clip},
    {"sigmoid", PostOpKind::Sigmoid},
    {"silu", PostOpKind::Silu},
    {"hard_swish", PostOpKind::HardSwish},
    {"gelu_erf", PostOpKind::GeluErf},
    {"gelu_tanh", PostOpKind::GeluTanh},
    {"tanh", PostOpKind::Tanh},
};

/// The lists of numbers, by name.
constexpr std::pair<StringRef, std::vector<int64_t> LibraryCall::*> lists[] = {
    {"source", &LibraryCall::source},   {"weights", &LibraryCall::weights},     {"result", &LibraryCall::result},
    {"strides", &LibraryCall::strides}, {"dilations", &LibraryCall::dilations}, {"padding", &LibraryCall::padding},
};

template <class Table, class Kind> StringRef nameIn(const Table &table, Kind kind) {
  for (auto &[name, value] : table)
    if (value == kind)
      return name;
  return "";
}

template <class Table, class Kind> bool readKind(const Table &table, DictionaryAttr attr, Kind &kind) {
  auto text = attr.getAs<StringAttr>("kind");
  for (auto &[name, value] : table)
    if (text && text.getValue() == name) {
      kind = value;
      return true;
    }
  return false;
}

FloatAttr floatAttr(Builder &b, uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return b.getF32FloatAttr(value);
}

/// 0 where there is none.
uint32_t bitsOf(DictionaryAttr attr, StringRef name) {
  auto number = attr.getAs<FloatAttr>(name);
  return number && number.getType().isF32() ? number.getValue().bitcastToAPInt().getZExtValue() : 0;
}

DictionaryAttr postOpAttr(Builder &b, const PostOp &op) {
  SmallVector<NamedAttribute> fields{b.getNamedAttr("kind", b.getStringAttr(nameIn(postOpKinds, op.kind)))};
  if (op.alpha != 0 || op.beta != 0) {
    fields.push_back(b.getNamedAttr("alpha", floatAttr(b, op.alpha)));
    fields.push_back(b.getNamedAttr("beta", floatAttr(b, op.beta)));
  }
  return b.getDictionaryAttr(fields);
}

} // namespace

DictionaryAttr libraryCallAttr(MLIRContext *context, const LibraryCall &call) {
  Builder b(context);
  SmallVector<NamedAttribute> fields{b.getNamedAttr("kind", b.getStringAttr(nameIn(kinds, call.kind)))};
  for (auto &[name, list] : lists)
    if (!(call.*list).empty())
      fields.push_back(b.getNamedAttr(name, b.getDenseI64ArrayAttr(call.*list)));
  SmallVector<Attribute> ops;
  for (const PostOp &op : call.postOps)
    ops.push_back(postOpAttr(b, op));
  fields.push_back(b.getNamedAttr("post_ops", b.getArrayAttr(ops)));
  return b.getDictionaryAttr(fields);
}

std::optional<LibraryCall> libraryCallOf(DictionaryAttr attr) {
  LibraryCall call;
  if (!readKind(kinds, attr, call.kind))
    return std::nullopt;
  for (auto &[name, list] : lists)
    if (auto numbers = attr.getAs<DenseI64ArrayAttr>(name))
      (call.*list).assign(numbers.asArrayRef().begin(), numbers.asArrayRef().end());
  auto ops = attr.getAs<ArrayAttr>("post_ops");
  for (Attribute entry : ops ? ops : ArrayAttr::get(attr.getContext(), {})) {
    auto fields = dyn_cast<DictionaryAttr>(entry);
    PostOp op;
    if (!fields || !readKind(postOpKinds, fields, op.kind))
      return std::nullopt;
    op.alpha = bitsOf(fields, "alpha");
    op.beta = bitsOf(fields, "beta");
    call.postOps.push_back(op);
  }
  return call;
}

} // namespace cupola::plan
