//===- test/Runtime/ControlTest.h - Runs models with branches and loops on a device ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CONTROLTEST_H
#define CUPOLA_TEST_RUNTIME_CONTROLTEST_H

#include "lib/Runtime/Session.h"
#include "test/Runtime/ControlPackage.h"
#include "test/Runtime/Devices.h"

namespace cupola::runtime {

using Floats = std::vector<float>;

inline Floats numbers(size_t count) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i % 7 + 1);
  return values;
}

inline Floats times(Floats values, float factor) {
  for (float &value : values)
    value *= factor;
  return values;
}

/// Models with branches and loops, on every device.
class ControlTest : public test::DeviceTest {
protected:
  std::unique_ptr<Session> start(const format::Package &package, SessionOptions options = {}) {
    std::shared_ptr<const Executable> executable = test::need(Executable::create(test::loadPackage(package), device));
    return test::need(Session::create(executable, std::move(options)));
  }

  /// The answer, whose shape is known beforehand or not.
  static Result<Floats> run(Session &session, Floats x, int64_t n, bool go) {
    const auto count = static_cast<int64_t>(x.size());
    const std::vector<TensorRef> inputs = {
        {x.data(), format::DType::F32, {count}}, {&n, format::DType::I64, {}}, {&go, format::DType::Bool, {}}};
    CUPOLA_TRY(session.bind({{count}, {}, {}}));
    const bool isOpen = session.outputShapes()[0][0] < 0;
    Floats y(isOpen ? 0 : x.size());
    CUPOLA_TRY(session.run(inputs, {{isOpen ? nullptr : y.data(), format::DType::F32, session.outputShapes()[0]}}));
    if (!isOpen)
      return y;
    const Shape shape = session.outputShapes()[0];
    y.resize(*tensorBytes(format::DType::F32, shape) / 4);
    CUPOLA_TRY(session.fetch(0, {y.data(), format::DType::F32, shape}));
    return y;
  }

  static void expectRuns(Session &session, const Floats &x, int64_t n, bool go, const Floats &expected) {
    const Result<Floats> y = run(session, x, n, go);
    ASSERT_TRUE(y.isOk()) << y.status().message();
    EXPECT_EQ(*y, expected) << n << " iterations, " << go;
  }

  static void expectError(const Status &status, Code code, const std::string &text) {
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
  }
};

} // namespace cupola::runtime

#endif // CUPOLA_TEST_RUNTIME_CONTROLTEST_H
