//===- lib/Import/Onnx/ExternalData.h - tensor data in files of its own ----===//
// SPDX-License-Identifier: Apache-2.0
//
// The only code that opens a file which a model names. A location is a relative
// path beneath the model's folder; no component of it may be "..". Symbolic links
// are followed only while the target stays beneath the folder as named or beneath
// the folder of the model file as resolved (model caches link both the model and
// its data into a folder of blobs). Hard links need a flag, since they too can
// show a file from elsewhere. Checks are made on the open descriptor, so that
// nothing can be swapped in between.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_EXTERNALDATA_H
#define CUPOLA_LIB_IMPORT_ONNX_EXTERNALDATA_H

#include "lib/Import/Onnx/BlobStore.h"
#include "lib/Import/Onnx/ModelFile.h"

#include <string>

namespace cupola::onnx_import {

struct ExternalReference {
  std::string location;
  int64_t offset = 0;
  std::optional<int64_t> length;
};

/// Reads the external_data entries of a tensor; on failure `problem` says what
/// was found and expected.
std::optional<ExternalReference> parseExternalReference(const onnx::TensorProto &tensor, std::string &problem);

class ExternalData {
public:
  /// `modelPath` empty: the model came as bytes and may not name files.
  ExternalData(std::string modelPath, bool allowHardLinks);

  /// The `size` bytes that `reference` means. `kind` and `problem` describe a
  /// failure. The result is 64-aligned.
  std::optional<Blob> load(const ExternalReference &reference, int64_t size, ErrorKind &kind, std::string &problem);

private:
  std::string namedFolder;    ///< the model's folder as the user wrote it
  std::string resolvedFolder; ///< the folder of the file behind all links
  bool fromBytes;
  bool allowHardLinks;
  std::string openLocation; ///< of `file`: consecutive tensors usually share a file
  FileHandle file;
  int64_t fileSize = 0;

  bool open(const std::string &location, ErrorKind &kind, std::string &problem);
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_EXTERNALDATA_H
