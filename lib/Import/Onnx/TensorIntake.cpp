//===- lib/Import/Onnx/TensorIntake.cpp - the choke-point of all tensors ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/TensorIntake.h"

#include "lib/Import/Onnx/TensorData.h"
#include "lib/Import/Onnx/TensorWalk.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {
namespace {

class Intake {
public:
  Intake(ExternalData &files, const Limits &limits, BlobStore &blobs, Diagnostics &diagnostics)
      : files(files), limits(limits), blobs(blobs), diagnostics(diagnostics) {}

  bool take(onnx::TensorProto &tensor, const TensorPlace &place);

private:
  ExternalData &files;
  const Limits &limits;
  BlobStore &blobs;
  Diagnostics &diagnostics;

  bool external(onnx::TensorProto &tensor, const std::string &where, int64_t bytes);
  bool inlined(onnx::TensorProto &tensor, const std::string &where, int64_t bytes);
  bool checkShape(const onnx::TensorProto &tensor, const std::string &where);
  void moveToStore(onnx::TensorProto &tensor, Blob blob);

  bool fail(ErrorKind kind, const std::string &where, const std::string &what) {
    diagnostics.error(kind, where + " " + what);
    return false;
  }
};

bool Intake::checkShape(const onnx::TensorProto &tensor, const std::string &where) {
  const std::vector<int64_t> dims = dimsOf(tensor);
  if (dims.size() > static_cast<size_t>(maxRank))
    return fail(ErrorKind::Unsupported, where,
                "has rank " + std::to_string(dims.size()) + ", supported are ranks up to " + std::to_string(maxRank));
  for (int64_t dim : dims)
    if (dim < 0)
      return fail(ErrorKind::BadModel, where, "has the dimensions " + listText(dims) + ", expected none below 0");
  const auto bytes = tensorBytes(tensor.data_type(), dims);
  if (!bytes)
    return fail(ErrorKind::BadModel, where,
                "has the dimensions " + listText(dims) + ", whose product does not fit 63 bits");
  if (*bytes > limits.tensorBytes)
    return fail(ErrorKind::Limit, where,
                "of " + exceeds(limits, &Limits::tensorBytes, std::to_string(*bytes) + " bytes"));
  return true;
}

void Intake::moveToStore(onnx::TensorProto &tensor, Blob blob) {
  blob.dataType = tensor.data_type();
  blob.dims = dimsOf(tensor);
  blobs.leaveStub(tensor, blobs.add(std::move(blob)));
}

bool Intake::external(onnx::TensorProto &tensor, const std::string &where, int64_t bytes) {
  std::string problem;
  if (elementBits(tensor.data_type()) == 0)
    return fail(ErrorKind::BadModel, where,
                "has elements of " + elementTypeName(tensor.data_type()) + " stored externally, expected numbers");
  // With data location EXTERNAL, an inline field beside it would be ambiguous.
  if (!checkInlineData(tensor, 0).empty())
    return fail(ErrorKind::BadModel, where, "is stored externally and has inline data too");
  const auto reference = parseExternalReference(tensor, problem);
  if (!reference)
    return fail(ErrorKind::BadModel, where, problem);
  ErrorKind kind;
  auto blob = files.load(*reference, bytes, kind, problem);
  if (!blob)
    return fail(kind, where, problem);
  tensor.clear_data_location();
  tensor.clear_external_data();
  if (blob->bytes.size() > BlobStore::threshold)
    moveToStore(tensor, std::move(*blob));
  else if (!blob->bytes.empty())
    tensor.set_raw_data(blob->bytes.data(), blob->bytes.size());
  return true;
}

bool Intake::inlined(onnx::TensorProto &tensor, const std::string &where, int64_t bytes) {
  const std::string problem = checkInlineData(tensor, elementCount(dimsOf(tensor)).value_or(0));
  if (!problem.empty())
    return fail(ErrorKind::BadModel, where, problem);
  if (bytes <= static_cast<int64_t>(BlobStore::threshold) ||
      elementBits(tensor.data_type()) < 8) // packed types may still be in int32_data
    return true;
  std::shared_ptr<const std::string> data(!tensor.raw_data().empty() ? tensor.release_raw_data()
                                                                     : new std::string(inlineBytes(tensor)));
  moveToStore(tensor, Blob{0, {}, *data, data});
  return true;
}

bool Intake::take(onnx::TensorProto &tensor, const TensorPlace &place) {
  const std::string &where = place.text;
  tensor.clear_metadata_props(); // stubs are told by an entry there
  tensor.clear_doc_string();
  if (tensor.has_segment())
    return fail(ErrorKind::Unsupported, where, "is one segment of a tensor, expected it whole");
  if (!checkShape(tensor, where))
    return false;
  const int64_t bytes = tensorBytes(tensor.data_type(), dimsOf(tensor)).value_or(0);
  const bool isExternal = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  if (!isExternal && tensor.external_data_size())
    return fail(ErrorKind::BadModel, where, "has external data entries but is stored inline");
  if (!(isExternal ? external(tensor, where, bytes) : inlined(tensor, where, bytes)))
    return false;
  return !place.sparse || fail(ErrorKind::Unsupported, where, "belong to a sparse tensor, supported are dense tensors");
}

} // namespace

bool takeInTensors(onnx::ModelProto &model, ExternalData &files, const Limits &limits, BlobStore &blobs,
                   Diagnostics &diagnostics) {
  Intake intake(files, limits, blobs, diagnostics);
  return walkTensors(model,
                     [&](onnx::TensorProto &tensor, const TensorPlace &place) { return intake.take(tensor, place); });
}

} // namespace cupola::onnx_import
