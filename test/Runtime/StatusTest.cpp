//===- test/Runtime/StatusTest.cpp - errors on their way up ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Status.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace cupola {
namespace {

Result<std::unique_ptr<int>> half(int number) {
  if (number % 2 != 0)
    return Status::usage(std::to_string(number) + " is odd");
  return std::make_unique<int>(number / 2);
}

/// A declaration and a place, a value that cannot be copied, and commas that belong to the expression.
Status quarter(int number, std::map<int, std::unique_ptr<int>> &quarters) {
  CUPOLA_ASSIGN(const std::unique_ptr<int> first, half(number));
  CUPOLA_ASSIGN(quarters[number],
                half(std::pair<int, int>{*first, 0}.first).within("half of " + std::to_string(number)));
  return Status::ok();
}

TEST(Status, AssignTakesTheValueOrReturnsTheError) {
  std::map<int, std::unique_ptr<int>> quarters;
  EXPECT_TRUE(quarter(12, quarters).isOk());
  EXPECT_EQ(*quarters[12], 3);
  EXPECT_EQ(quarter(5, quarters).message(), "5 is odd");
  const Status inner = quarter(6, quarters);
  EXPECT_EQ(inner.message(), "half of 6: 3 is odd");
  EXPECT_EQ(inner.code(), Code::Usage);
  EXPECT_EQ(quarters.size(), 1u) << "a place was made for an error";
}

} // namespace
} // namespace cupola
