//===- lib/Reference/HostFunctions.cpp - what a run leaves to the host ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Reference/Ops.h"
#include "lib/Runtime/Host/HostCall.h"

#include "llvm/Support/Casting.h"

using namespace mlir;

namespace cupola::reference {

/// By the function that the device's run has, too: how a picture is decoded is for libraries to say, and orders and
/// scatters have graph ops that say the same wherever these take no hours.
Status computeByRuntime(Call &call) {
  auto op = cast<graph::HostOp>(call.op);
  format::HostCall step{op.getFunction().str(), {}, std::vector<uint32_t>(call.operands.size()), {0}};
  for (auto parameter : op.getParameters().getAsRange<StringAttr>())
    step.arguments.push_back(parameter.str());
  std::vector<runtime::HostOperand> operands;
  for (const Tensor &operand : call.operands)
    operands.push_back({operand.data(), operand.bytes()});
  const std::vector<std::string> none;
  runtime::StringTable strings(none);
  runtime::HostCall run(step, std::move(operands), {call.result.mutableData(), call.result.bytes()}, strings);
  return runtime::runHostCall(run, step.op);
}

} // namespace cupola::reference
