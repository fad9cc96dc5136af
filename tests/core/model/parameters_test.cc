#include "core/model/parameters.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "core/base/check.h"

namespace tenure {
namespace {

constexpr ParameterSpec kSpecs[] = {
    {"period", ParameterSpec::Type::duration, Duration::seconds(3).ns(), 1, INT64_MAX, "how often"},
    {"retries", ParameterSpec::Type::count, 2, 0, 10, "how many times"},
    {"eager", ParameterSpec::Type::boolean, 1, 0, 1, "whether to begin at once"},
};

TEST(Parameters, start_with_their_defaults) {
  const Parameters parameters{kSpecs};
  EXPECT_EQ(parameters.duration("period"), Duration::seconds(3));
  EXPECT_EQ(parameters.number("retries"), 2);
  EXPECT_TRUE(parameters.flag("eager"));
  EXPECT_EQ(parameters.specs().size(), 3u);
}

TEST(Parameters, are_set_by_index_and_read_by_name) {
  Parameters parameters{kSpecs};
  parameters.set(parameters.find("retries"), 7);
  parameters.set(parameters.find("eager"), 0);
  EXPECT_EQ(parameters.value(1), 7);
  EXPECT_EQ(parameters.number("retries"), 7);
  EXPECT_FALSE(parameters.flag("eager"));
}

TEST(Parameters, a_name_that_is_not_declared_is_not_found) {
  EXPECT_EQ(Parameters{kSpecs}.find("perod"), -1);
  EXPECT_EQ(Parameters{{}}.find("period"), -1);
}

TEST(Parameters, reading_a_name_that_is_not_declared_is_a_broken_invariant) {
  const CheckHandler before = set_check_handler(
      [](const CheckFailure& failure) { throw std::logic_error(std::string{failure.message}); });
  EXPECT_THROW(Parameters{kSpecs}.number("perod"), std::logic_error);
  set_check_handler(before);
}

TEST(Parameters, copies_do_not_share_values) {
  Parameters original{kSpecs};
  Parameters copy = original;
  copy.set(0, 1);
  EXPECT_EQ(original.duration("period"), Duration::seconds(3));
}

TEST(Assumption, each_has_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Assumption::no_crash); ++i) {
    const std::string_view name = name_of(static_cast<Assumption>(i));
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find('_'), std::string_view::npos) << name;
  }
}

}  // namespace
}  // namespace tenure
