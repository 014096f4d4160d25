//===- lib/Import/Onnx/UnknownOps.cpp - ops without a row in the table -----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/UnknownOps.h"

#include "lib/Import/Onnx/OpLibrary/OpLibrary.h"
#include "lib/Import/Onnx/OpTable.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {
namespace {

/// Domains whose ops are in models of other tools, and how to come by a model without them.
struct ForeignDomain {
  std::string_view domain, what;
};

constexpr ForeignDomain foreignDomains[] = {
    {"ai.onnx.contrib",
     "onnxruntime-extensions has it, mostly to make tensors of text, pictures or sound: run those steps before "
     "the model"},
    {"com.microsoft.nchwc",
     "onnxruntime writes it at its highest level for the processor that it runs on, whose order of channels "
     "the model does not name: take the model before that, or save it at ORT_ENABLE_EXTENDED"},
    {"org.pytorch.aten",
     "an exporter of PyTorch left it where it knew no op of ONNX: export with a later opset, or without a "
     "fallback to ATen"},
};

} // namespace

std::string whyUnknown(const onnx::NodeProto &node, const FunctionMap &functions, const OpLibrary &library) {
  if (functions.count(calleeOf(node)))
    return "the local function could not be inlined, because it imports another version of a "
           "domain than the model";
  const std::string domain = canonicalDomain(node.domain());
  if (library.hasOpsOf(domain))
    return "the op library has ops of the domain " + quoted(displayDomain(domain)) +
           ", but not this one in this version";
  for (const ForeignDomain &foreign : foreignDomains)
    if (foreign.domain == domain)
      return "the op is not supported: " + std::string(foreign.what) + "; --op-library takes ops of one's own";
  if (!hasOpsOf(domain))
    return "the op is not supported: no op of the domain " + quoted(displayDomain(domain)) +
           " is; --op-library takes ops of one's own";
  if (domain.empty() && node.op_type() == "ImageDecoder")
    return "libraries of the machine that runs it would decode pictures, whoever made them; if that is intended, pass "
           "--allow-decoders";
  return "the op is not supported";
}

void listUnknownOps(const onnx::FunctionProto &function, const FunctionMap &functions, const OpLibrary &library,
                    std::set<FunctionKey> &listed, Diagnostics &diagnostics) {
  if (!listed.insert(keyOf(function)).second)
    return;
  const Opsets opsets = opsetsOf(function);
  for (const auto &node : function.node()) {
    NodeLabel label = labelOf(node, opsets);
    label.name = function.name() + "/" + (label.name.empty() ? label.firstOutput : label.name);
    if (const auto callee = functions.find(calleeOf(node)); callee != functions.end())
      listUnknownOps(*callee->second, functions, library, listed, diagnostics);
    else if (!library.knows(canonicalDomain(node.domain()), node.op_type(), label.opset))
      diagnostics.error(ErrorKind::Unsupported, label, whyUnknown(node, functions, library));
  }
}

} // namespace cupola::onnx_import
