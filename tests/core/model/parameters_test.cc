#include "core/model/parameters.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

TEST(Acceptance, is_refused_where_nobody_named_it_and_complained_about_where_nothing_needs_it) {
  using Places = std::vector<std::size_t>;
  const std::vector<std::string_view> needed = {"a", "b", "a"};
  const std::vector<std::string_view> accepted = {"b", "c", "b", "c"};
  const Acceptance found = judge(needed, accepted);
  EXPECT_EQ(found.refused, (Places{0, 2}));
  EXPECT_EQ(found.unneeded, (Places{1, 3}));
  EXPECT_EQ(found.repeated, (Places{2}));
}

TEST(Acceptance, never_takes_what_is_ill_formed) {
  const std::vector<Complaint> complaints = {{"x", "", "x is wrong"}, {"y", "y-is-odd", "y is odd"}};
  EXPECT_EQ(objection_to(complaints, {}),
            "x is wrong; unsafe: y is odd; accept = {\"y-is-odd\"} takes it on purpose");
  const std::vector<std::string> accepted = {"y-is-odd", "x"};
  EXPECT_EQ(objection_to(complaints, accepted), "x is wrong");
  EXPECT_EQ(objection_to({complaints[1]}, accepted), "`x` is accepted, and no setting here needs it");
  EXPECT_EQ(objection_to({complaints[1]}, std::vector<std::string>{"y-is-odd"}), "");
}

TEST(Acceptance, of_a_warning_silences_it_and_a_program_runs_without) {
  const std::vector<Complaint> complaints = {{"x", "x-is-odd", "x is odd", true},
                                             {"y", "y-is-odd", "y is odd"}};
  const std::vector<std::string> y = {"y-is-odd"};
  EXPECT_EQ(objection_to(complaints, y), "");
  const std::vector<std::string> said = {"unsafe: x is odd; accept = {\"x-is-odd\"} takes it on purpose"};
  EXPECT_EQ(warnings_of(complaints, y), said);
  const std::vector<std::string> both = {"y-is-odd", "x-is-odd"};
  EXPECT_EQ(objection_to(complaints, both), "");
  EXPECT_TRUE(warnings_of(complaints, both).empty());
}

TEST(Parameters, out_of_range_are_named_with_the_bound) {
  Parameters parameters{kSpecs};
  EXPECT_TRUE(out_of_range(parameters).empty());
  parameters.set("period", Duration{});
  parameters.set(parameters.find("retries"), 11);
  const std::vector<Complaint> found = out_of_range(parameters);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].text, "period (0s) is less than 1ns");
  EXPECT_EQ(found[1].text, "retries (11) is more than 10");
  EXPECT_EQ(found[1].accept, "");
}

}  // namespace
}  // namespace tenure
