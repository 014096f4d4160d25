//===- lib/Import/Onnx/BeneathFolder.h - open a file, but only in a folder -===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_BENEATHFOLDER_H
#define CUPOLA_LIB_IMPORT_ONNX_BENEATHFOLDER_H

#include "lib/Import/Onnx/ModelFile.h"

#include <string>

namespace cupola::onnx_import {

/// Opens `location` (relative, without "..") of `namedFolder` for reading, without
/// blocking on FIFOs. Symbolic links are followed when the file behind them lies
/// beneath namedFolder or beneath resolvedFolder. On failure the handle is empty
/// and errno set; EXDEV: the link leads out of both folders.
format::Descriptor openBeneath(const std::string &namedFolder, const std::string &resolvedFolder,
                               const std::string &location);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_BENEATHFOLDER_H
