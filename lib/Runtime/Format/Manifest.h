//===- lib/Runtime/Format/Manifest.h - Package structs to and from manifest bytes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_MANIFEST_H
#define CUPOLA_LIB_RUNTIME_FORMAT_MANIFEST_H

#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

#include <string>
#include <string_view>

namespace cupola::format {

/// The message cupola.manifest.Package of manifest.proto. Equal packages give
/// equal bytes. Texts of sources, images of binaries and values of weights are
/// not in it; they lie in sections of their own.
std::string serializeManifest(const Package &package);

/// Reads it back; `package` holds no texts and images yet. Malformed bytes and
/// numbers outside their type are Code::Package.
Status parseManifest(std::string_view bytes, Package &package);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_MANIFEST_H
