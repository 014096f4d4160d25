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

#endif // CUPOLA_DIALECTS_SIMT_SIMT_H
