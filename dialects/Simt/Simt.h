//===- dialects/Simt/Simt.h - the simt dialect ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_SIMT_SIMT_H
#define CUPOLA_DIALECTS_SIMT_SIMT_H

#include "dialects/Kernel/Kernel.h"

#include "dialects/Simt/SimtDialect.h.inc"
#include "dialects/Simt/SimtEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Simt/SimtAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Simt/SimtTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Simt/SimtOps.h.inc"

namespace cupola::simt {

/// Bytes, which come along the depth alone; those of float8 are summed in f32, others in i32.
inline bool isOfBytes(MmaKind kind) { return kind >= MmaKind::I8; }
inline bool isOfFloat8(MmaKind kind) { return kind >= MmaKind::E4M3; }

} // namespace cupola::simt

#endif // CUPOLA_DIALECTS_SIMT_SIMT_H
