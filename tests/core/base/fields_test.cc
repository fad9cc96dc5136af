#include "core/base/fields.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenure::fields_test {

struct CompareAndSet {
  std::string key;
  int old_value = 0;
};
struct Done {};
TENURE_FIELDS(CompareAndSet, key, old_value)
TENURE_NO_FIELDS(Done)

namespace {

TEST(Fields, have_the_names_of_the_source) {
  CompareAndSet request{"k", 3};
  std::vector<std::string> names;
  visit_named_fields(request, [&names](std::string_view name, const auto&) { names.emplace_back(name); });
  EXPECT_EQ(names, (std::vector<std::string>{"key", "old_value"}));
  EXPECT_EQ(names_of(request).type, "CompareAndSet");
  EXPECT_EQ(names_of(Done{}).type, "Done");
  EXPECT_EQ(names_of(Done{}).name(0), "");
}

TEST(Fields, can_be_written) {
  CompareAndSet request;
  visit_fields(request, [](std::string& key, int& old_value) { key = "x", old_value = 7; });
  EXPECT_EQ(request.key, "x");
  EXPECT_EQ(request.old_value, 7);
}

TEST(Fields, of_a_type_are_called_in_small_letters) {
  EXPECT_EQ(snake_case("CompareAndSet"), "compare_and_set");
  EXPECT_EQ(snake_case("Get"), "get");
}

}  // namespace
}  // namespace tenure::fields_test
