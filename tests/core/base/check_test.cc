#include "core/base/check.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tenure {
namespace {

struct Unwound : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void unwind(const CheckFailure& failure) {
  throw Unwound(std::string(failure.file) + ":" + std::to_string(failure.line) + " " + failure.expression +
                "|" + std::string(failure.message));
}

void say_nothing(const CheckFailure&) {}

class Check : public ::testing::Test {
 protected:
  void SetUp() override { before_ = set_check_handler(&unwind); }
  void TearDown() override { set_check_handler(before_); }

 private:
  CheckHandler before_ = nullptr;
};

TEST_F(Check, a_true_expression_is_silent_and_evaluated_once) {
  int evaluations = 0;
  CHECK(++evaluations == 1);
  CHECK(++evaluations == 2, "with a reason");
  EXPECT_EQ(evaluations, 2);
}

TEST_F(Check, a_failure_tells_the_handler_where_what_and_why) {
  try {
    CHECK(1 + 1 == 3, "invariant 4: sums add up");
    FAIL() << "the CHECK let it pass";
  } catch (const Unwound& failure) {
    const std::string text = failure.what();
    EXPECT_NE(text.find("check_test.cc:"), std::string::npos) << text;
    EXPECT_NE(text.find(" 1 + 1 == 3|invariant 4: sums add up"), std::string::npos) << text;
  }
}

TEST_F(Check, stays_on_whatever_the_build_type) {
#ifdef NDEBUG
  EXPECT_THROW(CHECK(false), Unwound) << "release";
#else
  EXPECT_THROW(CHECK(false), Unwound) << "debug";
#endif
}

TEST_F(Check, binds_like_one_statement) {
  bool other = false;
  if (true)
    CHECK(true);
  else
    other = true;
  EXPECT_FALSE(other);
}

TEST_F(Check, gives_back_the_handler_before) {
  EXPECT_EQ(set_check_handler(&say_nothing), &unwind);
  EXPECT_EQ(set_check_handler(&unwind), &say_nothing);
}

using CheckDeathTest = Check;

TEST_F(CheckDeathTest, a_handler_that_returns_does_not_save_the_program) {
  EXPECT_DEATH(
      {
        set_check_handler(&say_nothing);
        CHECK(false);
      },
      "");
}

TEST_F(CheckDeathTest, the_default_handler_prints_and_the_program_aborts) {
  EXPECT_DEATH(
      {
        set_check_handler(nullptr);
        CHECK(2 > 3, "two is not more");
      },
      "check_test.cc:[0-9]+: CHECK\\(2 > 3\\) failed: two is not more");
}

}  // namespace
}  // namespace tenure
