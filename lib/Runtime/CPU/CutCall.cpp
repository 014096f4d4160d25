//===- lib/Runtime/CPU/CutCall.cpp - the pieces of a contraction ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/OneDnnCall.h"

#include <algorithm>

namespace cupola::runtime::onednn {

using format::LibraryCall;
using format::LibraryCallKind;

namespace {

/// Multiplications that are worth a thread: some microseconds of them.
constexpr double kPieceWork = 1 << 18;

int64_t begin(int64_t total, int64_t part, int64_t parts) { return total * part / parts; }

/// As many pieces as there are threads, fewer where the work is small.
int64_t piecesFor(const LibraryCall &call, unsigned threads) {
  double work = 1;
  for (int64_t extent : call.result)
    work *= static_cast<double>(extent);
  for (size_t i = 0; i + 1 < call.weights.size(); ++i)
    work *= static_cast<double>(call.weights[i]);
  return std::clamp<int64_t>(static_cast<int64_t>(std::min(work / kPieceWork, 1e6)), 1, threads);
}

std::vector<Piece> cutProduct(const LibraryCall &call, int64_t pieces) {
  const int64_t rows = call.source[0];
  pieces = std::min(pieces, rows);
  std::vector<Piece> list;
  for (int64_t i = 0; i < pieces; ++i) {
    Piece piece;
    piece.row = begin(rows, i, pieces);
    piece.shape.rows = begin(rows, i + 1, pieces) - piece.row;
    list.push_back(piece);
  }
  return list;
}

/// Rows [first, end) of the result of `images` images: the rows of the source that their windows reach, and how many
/// of the windows' rows lie outside of it.
Piece pieceOf(const LibraryCall &call, int64_t image, int64_t images, int64_t first, int64_t end) {
  const int64_t reach = (call.weights[0] - 1) * call.dilations[0] + 1;
  const int64_t from = first * call.strides[0] - call.padding[0];
  const int64_t to = (end - 1) * call.strides[0] - call.padding[0] + reach;
  Piece piece;
  piece.image = image;
  piece.row = first;
  piece.sourceRow = std::max<int64_t>(from, 0);
  piece.shape.images = images;
  piece.shape.rows = end - first;
  // Several images lie one behind the other with all of their rows.
  const int64_t last = images > 1 ? call.source[1] : std::min(to, call.source[1]);
  piece.shape.sourceRows = last - piece.sourceRow;
  piece.shape.paddingBefore = piece.sourceRow - from;
  piece.shape.paddingBehind = std::max<int64_t>(to - call.source[1], 0);
  return piece;
}

} // namespace

bool PieceShape::operator==(const PieceShape &o) const {
  return images == o.images && rows == o.rows && sourceRows == o.sourceRows && paddingBefore == o.paddingBefore &&
         paddingBehind == o.paddingBehind;
}

std::vector<Piece> cutCall(const LibraryCall &call, unsigned threads) {
  const int64_t pieces = piecesFor(call, threads);
  if (call.kind == LibraryCallKind::MatrixProduct)
    return cutProduct(call, pieces);
  const int64_t images = call.source[0], rows = call.result[1];
  std::vector<Piece> list;
  if (images >= pieces) {
    for (int64_t i = 0; i < pieces; ++i)
      list.push_back(
          pieceOf(call, begin(images, i, pieces), begin(images, i + 1, pieces) - begin(images, i, pieces), 0, rows));
    return list;
  }
  const int64_t perImage = std::min(rows, (pieces + images - 1) / images);
  for (int64_t image = 0; image < images; ++image)
    for (int64_t i = 0; i < perImage; ++i)
      list.push_back(pieceOf(call, image, 1, begin(rows, i, perImage), begin(rows, i + 1, perImage)));
  return list;
}

} // namespace cupola::runtime::onednn
