//===- test/Runtime/TwoRows.h - A run of TestPackage.h's model by the C interface ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_TWOROWS_H
#define CUPOLA_TEST_RUNTIME_TWOROWS_H

#include "cupola/Runtime/Runtime.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace cupola::test {

/// Runs y = 2 * (x + 3 * w[ids]) for two rows, from memory that the device uses where it lies.
struct TwoRows {
  alignas(64) float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  alignas(64) int64_t ids[2] = {2, 0};
  alignas(64) float y[8] = {};
  int64_t matrix[2] = {2, 4}, vector[1] = {2};
  std::vector<cupola_tensor> inputs() {
    return {{x, {1, 0}, 2, {CUPOLA_TYPE_FLOAT, 32, 1}, matrix, nullptr, 0},
            {ids, {1, 0}, 1, {CUPOLA_TYPE_INT, 64, 1}, vector, nullptr, 0}};
  }
  std::vector<cupola_tensor> outputs() { return {{y, {1, 0}, 2, {CUPOLA_TYPE_FLOAT, 32, 1}, matrix, nullptr, 0}}; }
  void expectAnswer() const {
    const float expected[8] = {50, 58, 66, 74, 10, 18, 26, 34};
    EXPECT_EQ(std::vector<float>(y, y + 8), std::vector<float>(expected, expected + 8));
  }
};

} // namespace cupola::test

#endif // CUPOLA_TEST_RUNTIME_TWOROWS_H
