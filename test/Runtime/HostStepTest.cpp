//===- test/Runtime/HostStepTest.cpp - Steps of the host on every device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/HostPackage.h"
#include "test/Runtime/SessionFixture.h"

namespace cupola::runtime {

class HostStepTest : public SessionTest {
protected:
  using Texts = std::vector<std::string>;

  std::unique_ptr<Session> startHost() {
    return test::need(Session::create(load(test::hostPackageOf(test::makeRunnablePackage())), {}));
  }

  static std::vector<int64_t> numbersOf(Session &session, const Texts &texts) {
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    std::vector<int64_t> numbers(texts.size());
    EXPECT_TRUE(session.numberStrings(views.data(), views.size(), numbers.data()).isOk());
    return numbers;
  }
  static Texts textsOf(Session &session, const std::vector<int64_t> &numbers) {
    std::vector<std::string_view> views(numbers.size());
    const Status status = session.readStrings(numbers.data(), numbers.size(), views.data());
    EXPECT_TRUE(status.isOk()) << status.message();
    return {views.begin(), views.end()};
  }
  static Status run(Session &session, std::vector<int64_t> &a, std::vector<int64_t> &b, std::vector<int64_t> &y) {
    const Shape shape{static_cast<int64_t>(a.size())};
    y.assign(a.size(), -1);
    return session.run({{a.data(), DType::String, shape}, {b.data(), DType::String, shape}},
                       {{y.data(), DType::String, shape}});
  }
};

CUPOLA_FOR_ALL_DEVICES(HostStepTest);

TEST_P(HostStepTest, Runs) {
  const auto session = startHost();
  for (int i = 0; i < 3; ++i) { // the second run would be recorded, the third replayed
    const std::string own = std::to_string(i);
    auto a = numbersOf(*session, {"a" + own, "constant", ""}), b = numbersOf(*session, {"b", "", own});
    std::vector<int64_t> y;
    const Status status = run(*session, a, b, y);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(textsOf(*session, y), (Texts{"a" + own + "b", "constant", own}));
    EXPECT_EQ(y[1], 0); // the package's
    EXPECT_EQ(y[2], b[2]);
  }
}

TEST_P(HostStepTest, TheSameInputsOnceMore) {
  const auto session = startHost();
  auto a = numbersOf(*session, {"x"}), b = numbersOf(*session, {"y"});
  std::vector<int64_t> first, second;
  ASSERT_TRUE(run(*session, a, b, first).isOk());
  ASSERT_TRUE(run(*session, a, b, second).isOk());
  EXPECT_EQ(textsOf(*session, second), Texts{"xy"});
  std::string_view text;
  expectError(session->readStrings(first.data(), 1, &text), Code::Usage, "which is the number of no string");
}

TEST_P(HostStepTest, NoString) {
  const auto session = startHost();
  std::vector<int64_t> a{12345}, b{0}, y;
  expectError(run(*session, a, b, y), Code::Usage, "element 0 is 12345, which is the number of no string");
  a = {-1};
  expectError(run(*session, a, b, y), Code::Usage, "element 0 is -1, which is the number of no string");
  a = numbersOf(*session, {"usable"});
  ASSERT_TRUE(run(*session, a, b, y).isOk());
  EXPECT_EQ(textsOf(*session, y), Texts{"usableconstant"});
}

TEST_P(HostStepTest, NoElements) {
  const auto session = startHost();
  std::vector<int64_t> a, b, y;
  expectError(run(*session, a, b, y), Code::Usage, "s0"); // from 1 on
}

} // namespace cupola::runtime
