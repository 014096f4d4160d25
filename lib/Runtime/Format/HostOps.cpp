//===- lib/Runtime/Format/HostOps.cpp - what the host computes, in one table ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/HostOps.h"

namespace cupola::format {

const HostOp *findHostOp(std::string_view name) {
  for (const HostOp &op : kHostOps)
    if (name == op.name)
      return &op;
  return nullptr;
}

static const ElementType *numberType(const std::vector<std::string> &arguments) {
  return findElementType([&](const ElementType &row) { return isComputed(row.dtype) && arguments[0] == row.name; });
}

DType dtypeOf(HostElement element, const std::vector<std::string> &arguments) {
  switch (element) {
  case HostElement::String:
    return DType::String;
  case HostElement::Count:
    return DType::I64;
  case HostElement::Truth:
    return DType::Bool;
  case HostElement::Byte:
    return DType::U8;
  case HostElement::Number:
    break;
  }
  return numberType(arguments)->dtype;
}

static Status bad(const HostCall &call, const std::string &problem) {
  return Status::package("the host's op '" + call.op + "' " + problem);
}

static Status expectCount(const HostCall &call, const char *what, size_t found, size_t expected) {
  if (found == expected)
    return Status::ok();
  return bad(call, "has " + std::to_string(found) + " " + what + ", expected " + std::to_string(expected));
}

Status checkHostCall(const HostCall &call) {
  const HostOp *op = findHostOp(call.op);
  if (!op)
    return bad(call, "is not known");
  CUPOLA_TRY(expectCount(call, "operands", call.operands.size(), op->operands));
  CUPOLA_TRY(expectCount(call, "results", call.results.size(), 1));
  if (call.arguments.size() < op->least || call.arguments.size() > op->most)
    return bad(call, "has " + std::to_string(call.arguments.size()) + " arguments, expected " +
                         (op->most == op->least ? "" : "at least ") + std::to_string(op->least));
  const bool hasType = op->reads[0] == HostElement::Number || op->writes == HostElement::Number;
  if (hasType && !numberType(call.arguments))
    return bad(call, "is for numbers of '" + call.arguments[0] + "', which are not known");
  return Status::ok();
}

} // namespace cupola::format
