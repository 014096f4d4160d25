//===- lib/Reference/Pictures.cpp - files of pictures ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Reference/Ops.h"
#include "lib/Runtime/Host/HostCall.h"

#include "llvm/Support/Casting.h"

using namespace mlir;

namespace cupola::reference {

/// By the libraries that the device's run has, too: how a picture is decoded is theirs to say.
Status decodePicture(Call &call) {
  const Tensor &bytes = call.operands[0];
  std::string file;
  for (int64_t i = 0; i < bytes.count(); ++i)
    file += static_cast<char>(bytes.at<int64_t>(i));
  auto op = cast<graph::HostOp>(call.op);
  format::HostCall step{op.getFunction().str(), {}, {0}, {1}};
  for (auto parameter : op.getParameters().getAsRange<StringAttr>())
    step.arguments.push_back(parameter.str());
  const size_t width = step.op == "image_decode" ? 1 : sizeof(int64_t);
  std::vector<char> result(static_cast<size_t>(call.result.count()) * width);
  const std::vector<std::string> none;
  runtime::StringTable strings(none);
  runtime::HostCall run(step, {{file.data(), file.size()}}, {result.data(), result.size()}, strings);
  CUPOLA_TRY(runtime::runHostCall(run, step.op));
  for (int64_t i = 0; i < call.result.count(); ++i) {
    int64_t value = 0;
    std::memcpy(&value, result.data() + static_cast<size_t>(i) * width, width);
    call.result.set<int64_t>(i, value);
  }
  return {};
}

} // namespace cupola::reference
