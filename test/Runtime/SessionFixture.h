//===- test/Runtime/SessionFixture.h - Sessions of the test package on every device ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_SESSIONFIXTURE_H
#define CUPOLA_TEST_RUNTIME_SESSIONFIXTURE_H

#include "lib/Runtime/Session.h"
#include "test/Runtime/Devices.h"
#include "test/Runtime/TestPackage.h"

namespace cupola::runtime {

using format::DType;

class SessionTest : public test::DeviceTest {
protected:
  std::shared_ptr<const Executable> load(const format::Package &package) {
    Result<std::shared_ptr<const Executable>> made = Executable::create(test::loadPackage(package), device);
    return test::need(std::move(made));
  }

  std::unique_ptr<Session> start(SessionOptions options = {}) {
    Result<std::unique_ptr<Session>> made = Session::create(load(test::makeRunnablePackage()), std::move(options));
    return test::need(std::move(made));
  }

  struct Case {
    std::vector<float> x, y;
    std::vector<int64_t> ids;
    int64_t rows;
    explicit Case(int64_t rows) : x(rows * 4), y(rows * 4, -1), ids(rows), rows(rows) {
      for (int64_t i = 0; i < rows * 4; ++i)
        x[i] = static_cast<float>(i % 17);
      for (int64_t i = 0; i < rows; ++i)
        ids[i] = i % 3;
    }
    std::vector<TensorRef> inputs() { return {{x.data(), DType::F32, {rows, 4}}, {ids.data(), DType::I64, {rows}}}; }
    std::vector<TensorRef> outputs() { return {{y.data(), DType::F32, {rows, 4}}}; }
    std::vector<float> expected() const {
      std::vector<float> values(x.size());
      for (size_t i = 0; i < x.size(); ++i)
        values[i] = 2 * (x[i] + 3 * static_cast<float>(4 * ids[i / 4] + static_cast<int64_t>(i % 4)));
      return values;
    }
  };

  static void expectRuns(Session &session, int64_t rows) {
    Case data(rows);
    const Status status = session.run(data.inputs(), data.outputs());
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(data.y, data.expected()) << rows << " rows";
  }

  static void expectError(const Status &status, Code code, const std::string &text) {
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
  }
};

} // namespace cupola::runtime

#endif // CUPOLA_TEST_RUNTIME_SESSIONFIXTURE_H
