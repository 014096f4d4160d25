//===- lib/Import/Onnx/LoadModel.h - all stages before the IR --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Order: wire scan, parse, nodes sorted, structural validation, expansion budget, intake of
// tensors (external files, weights out of the model), ops of others in ONNX's domain,
// ONNX checker, inlining, names of results that nobody reads.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_LOADMODEL_H
#define CUPOLA_LIB_IMPORT_ONNX_LOADMODEL_H

#include "lib/Import/Onnx/BlobStore.h"
#include "lib/Import/Onnx/Diagnostic.h"
#include "lib/Import/Onnx/ExternalData.h"
#include "lib/Import/Onnx/Limits.h"

#include <functional>
#include <memory>
#include <string>

namespace onnx {
class ModelProto;
}

namespace cupola::onnx_import {

struct LoadOptions {
  Limits limits;
  bool allowHardLinks = false; ///< --allow-hard-links: of external data files
  DigestFunction digest;       ///< of what is read, for LoadedModel::digest; empty: nobody asks
};

/// Whether the importer has a row for an op of a domain ("" is ai.onnx) at a version.
using OpKnown = std::function<bool(const std::string &domain, const std::string &op, int64_t version)>;

struct LoadedModel {
  LoadedModel();
  LoadedModel(LoadedModel &&) noexcept;
  ~LoadedModel();

  std::unique_ptr<onnx::ModelProto> proto; ///< validated, inlined, without big tensors
  BlobStore blobs;                         ///< the big tensors
  std::string name;                        ///< for messages: the path as given
  format::Digest digest = {};              ///< of the encoded model, where it was asked for
  std::vector<ExternalPiece> external;     ///< likewise, of what its tensors have from elsewhere
};

/// nullopt on errors. Nodes of unknown ops are no error here: then the ONNX
/// checker, which stops at the first, does not run, and the importer lists them.
std::optional<LoadedModel> loadModelFile(const std::string &path, const LoadOptions &options, const OpKnown &known,
                                         Diagnostics &diagnostics);

/// A model in memory, called `name` in messages; what its tensors refer to is in `files`.
std::optional<LoadedModel> loadModelBytes(std::string_view bytes, const std::string &name, const LoadOptions &options,
                                          const OpKnown &known, Diagnostics &diagnostics, ExternalData files = {});

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_LOADMODEL_H
