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
//
// In the place of a folder there may be a function of the caller: it is asked for
// locations of the same form, and for no more bytes than a tensor has by its type
// and dimensions.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_EXTERNALDATA_H
#define CUPOLA_LIB_IMPORT_ONNX_EXTERNALDATA_H

#include "lib/Import/Onnx/BlobStore.h"
#include "lib/Import/Onnx/ModelFile.h"
#include "lib/Runtime/Format/Sha256.h"
#include "lib/Runtime/Status.h"

#include <functional>
#include <string>
#include <vector>

namespace cupola::onnx_import {

struct ExternalReference {
  std::string location;
  int64_t offset = 0;
  std::optional<int64_t> length;
};

/// Reads the external_data entries of a tensor; on failure `problem` says what
/// was found and expected.
std::optional<ExternalReference> parseExternalReference(const onnx::TensorProto &tensor, std::string &problem);

/// The `size` bytes at `offset` of `location`, valid until the next call. The text of an error becomes part of the
/// tensor's.
using ExternalReader =
    std::function<Result<std::string_view>(const std::string &location, int64_t offset, int64_t size)>;

using DigestFunction = std::function<format::Digest(std::string_view)>;

/// Bytes that a tensor has from elsewhere.
struct ExternalPiece {
  std::string location;
  int64_t offset = 0, size = 0;
  format::Digest digest = {};
};

class ExternalData {
public:
  /// The model came as bytes and may not name files.
  ExternalData() = default;
  /// In the folder of a model file.
  static ExternalData besideModel(const std::string &modelPath, bool allowHardLinks);
  static ExternalData beneath(const std::string &folder, bool allowHardLinks);
  explicit ExternalData(ExternalReader reader) : reader(std::move(reader)) {}

  /// The `size` bytes that `reference` means. `kind` and `problem` describe a
  /// failure. The result is 64-aligned.
  std::optional<Blob> load(const ExternalReference &reference, int64_t size, ErrorKind &kind, std::string &problem);

  /// From now on `pieces` has what was loaded, in order.
  void record(DigestFunction digest) { digestOf = std::move(digest); }
  const std::vector<ExternalPiece> &pieces() const { return loaded; }

private:
  std::string namedFolder;    ///< the model's folder as the user wrote it; "": there is none
  std::string resolvedFolder; ///< the folder of the file behind all links
  bool allowHardLinks = false;
  std::string openLocation; ///< of `file`: consecutive tensors usually share a file
  format::Descriptor file;
  int64_t fileSize = 0;
  ExternalReader reader;   ///< in place of a folder; may be empty
  DigestFunction digestOf; ///< empty: nothing is recorded
  std::vector<ExternalPiece> loaded;

  bool open(const std::string &location, ErrorKind &kind, std::string &problem);
  bool find(const ExternalReference &reference, int64_t size, ErrorKind &kind, std::string &problem);
  bool readFile(const ExternalReference &reference, char *target, int64_t size, ErrorKind &kind, std::string &problem);
  bool askReader(const ExternalReference &reference, char *target, int64_t size, ErrorKind &kind, std::string &problem);
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_EXTERNALDATA_H
