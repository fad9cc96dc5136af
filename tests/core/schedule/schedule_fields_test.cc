#include "core/schedule/schedule_fields.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/each_field.h"

namespace tenure {
namespace {

TEST(ScheduleFields, have_one_name_each_and_a_line_of_documentation) {
  std::set<std::string_view> names;
  std::set<std::string> kept;
  for (const ScheduleField& field : schedule_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_FALSE(field.doc.empty() || field.doc.ends_with('.')) << field.name;
    EXPECT_EQ(field.words.empty(), field.type != ScheduleField::Type::choice) << field.name;
    EXPECT_EQ(field.needs.applies == nullptr, field.needs.on.empty()) << field.name;
    if (!field.kept.key.empty()) {
      EXPECT_NE(field.member.set, nullptr) << field.name << " is read from journals by its row";
      EXPECT_TRUE(kept.insert(std::string(field.kept.part) + "." + std::string(field.kept.key)).second);
    }
  }
}

TEST(ScheduleFields, depend_on_fields_before_them) {
  std::set<std::string_view> before;
  for (const ScheduleField& field : schedule_fields()) {
    EXPECT_TRUE(field.needs.on.empty() || before.contains(field.needs.on)) << field.name;
    before.insert(field.name);
  }
}

TEST(ScheduleFields, are_in_journals_beside_the_others_of_their_part) {
  std::set<std::string_view> parts;
  std::string_view last;
  for (const ScheduleField& field : schedule_fields()) {
    if (field.kept.part.empty() || field.kept.part == last) continue;
    last = field.kept.part;
    EXPECT_TRUE(parts.insert(last).second) << field.name;
  }
}

TEST(ScheduleFields, give_back_what_is_set) {
  int set = 0;
  for (const Definition& plain : testing::plain_definitions())
    for (const ScheduleField& field : schedule_fields()) {
      if (!field.is_settable() || !field.applies(plain)) continue;
      for (const ScheduleField::Value& value : testing::values_of(field)) {
        Definition said = plain;
        field.set(said, value);
        EXPECT_EQ(field.get(said), value) << field.name;
        field.set(said, field.get(plain));
        EXPECT_EQ(said, plain) << field.name << " sets another one as well";
        ++set;
      }
    }
  EXPECT_GT(set, 200);
}

TEST(ScheduleFields, have_the_defaults_of_the_members) {
  Definition untouched{.recurrence = Interval{}};
  EXPECT_EQ(usual_definition(Delivery::Kind::work, Interval{}), untouched);
  untouched.delivery.kind = Delivery::Kind::pull;
  EXPECT_EQ(usual_definition(Delivery::Kind::pull, Interval{}), untouched);
  EXPECT_EQ(usual_delivery(Delivery::Kind::push).attempts, 30u);
  EXPECT_EQ(usual_delivery(Delivery::Kind::push).longest_back_off, Duration::hours(1));
}

}  // namespace
}  // namespace tenure
