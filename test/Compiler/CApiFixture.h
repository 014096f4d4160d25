//===- test/Compiler/CApiFixture.h - A client of libcupola_compiler.so and its models ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_COMPILER_CAPIFIXTURE_H
#define CUPOLA_TEST_COMPILER_CAPIFIXTURE_H

#include "cupola/Compiler/Compiler.hpp"
#include "test/Compiler/CApiClient.h"
#include "test/Compiler/CApiModel.h"

#include <gtest/gtest.h>

namespace cupola {

class CompilerCApi : public testing::Test {
protected:
  Client client{};
  const ModelBytes whole = makeModel({"Relu", nullptr});
  const ModelBytes apart = makeModel({"Relu", "48"});

  void expectAnswer(const float *y) const {
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 3; ++column) {
        float sum = 0;
        for (int k = 0; k < 4; ++k)
          sum += static_cast<float>(row * 4 + k) * modelWeight[k * 3 + column];
        EXPECT_FLOAT_EQ(y[row * 3 + column], sum);
      }
  }
  bool isUsage(cupola_status *status) { return clientCode(&client, status) == CUPOLA_USAGE; }
  void expectMessage(const std::string &part) const {
    EXPECT_NE(std::string(client.message).find(part), std::string::npos) << client.message;
  }
};

template <typename Call> inline std::string errorOf(Call call) {
  try {
    call();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

} // namespace cupola

#endif // CUPOLA_TEST_COMPILER_CAPIFIXTURE_H
