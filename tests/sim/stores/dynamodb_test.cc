// The store dynamodb: conditions and updates, and that a write whose condition does not hold changes nothing.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sim/stores/dynamodb/dynamodb_store.h"
#include "sim/stores/dynamodb/expression.h"
#include "tests/sim/stores/machine_under_test.h"

namespace tenure::dynamodb {
namespace {

const std::map<std::string, std::string> kAttributeNames = {{"#o", "owner"}};
const Item kAttributeValues = {
    {":me", "n1"}, {":other", "n2"}, {":one", std::int64_t{1}}, {":nine", std::int64_t{9}}};
const Item kOwned = {{"key", "leader"}, {"owner", "n1"}, {"until", std::int64_t{5}}};

bool judged(const std::string& condition, const Item& item = kOwned) {
  return holds(condition, {kAttributeNames, kAttributeValues}, item);
}
// What is wrong with it; empty: nothing.
std::string problem_of(const std::string& condition) {
  try {
    judged(condition);
    return {};
  } catch (const Invalid& invalid) {
    return invalid.message;
  }
}

TEST(DynamodbCondition, compares_what_is_there) {
  for (const char* condition :
       {"owner = :me", "#o = :me", ":me = owner", "owner <> :other", "until < :nine", "until <= :nine",
        "until > :one", "until >= :one", "attribute_exists(owner)", "attribute_not_exists(nobody)",
        "NOT owner = :other", "owner = :other OR until < :nine", "owner = :me and until < :nine",
        "(owner = :other OR owner = :me)", "owner = :other AND owner = :other OR owner = :me",
        "owner = :me OR owner = :other AND owner = :other"})
    EXPECT_TRUE(judged(condition)) << condition;
  for (const char* condition : {"owner = :other", "owner <> :me", "until < :one", "attribute_exists(nobody)",
                                "attribute_not_exists(#o)", "NOT owner = :me", "owner = :me AND until < :one",
                                "NOT (owner = :me OR owner = :other)"})
    EXPECT_FALSE(judged(condition)) << condition;
}

TEST(DynamodbCondition, finds_what_is_not_there_or_of_another_type_unequal_and_in_no_order) {
  for (const char* condition :
       {"nobody = :me", "nobody < :one", "nobody >= :one", "owner < :one", "until = :me"})
    EXPECT_FALSE(judged(condition)) << condition;
  EXPECT_TRUE(judged("nobody <> :me"));
  EXPECT_TRUE(judged("until <> :me"));
  EXPECT_FALSE(judged("attribute_exists(owner)", {}));
}

TEST(DynamodbCondition, is_refused_when_it_is_none) {
  for (const char* condition :
       {"", "owner", "owner =", "= :me", "owner = :me OR", "(owner = :me", "owner == :me",
        "attribute_exists(:me)", "owner = :me owner = :me", "owner = 'n1'", "size(owner) > :one"})
    EXPECT_NE(problem_of(condition).find("Syntax error"), std::string::npos) << condition;
  EXPECT_NE(problem_of("owner = :none").find("attribute value: :none"), std::string::npos);
  EXPECT_NE(problem_of("#none = :me").find("attribute name: #none"), std::string::npos);
  EXPECT_NE(problem_of("owner = :me OR owner = :none"), "") << "also where it makes no difference";
  for (const char* condition : {"until <= until", "#o = owner", ":me = :me"})
    EXPECT_NE(problem_of(condition).find("must be distinct"), std::string::npos) << condition;
  EXPECT_NE(problem_of(std::string(5'000, '(')), "");
  EXPECT_NE(problem_of([] {
              std::string deep;
              for (int i = 0; i < 5'000; ++i) deep += "NOT ";
              return deep + "owner = :me";
            }()),
            "");
}

TEST(DynamodbUpdate, sets_and_removes) {
  const auto after = [](const std::string& update) {
    return updated(update, {kAttributeNames, kAttributeValues}, kOwned);
  };
  EXPECT_EQ(after("SET #o = :other, until = until + :nine"),
            (Item{{"key", "leader"}, {"owner", "n2"}, {"until", std::int64_t{14}}}));
  EXPECT_EQ(after("SET n = if_not_exists(n, :nine) - :one REMOVE owner, until"),
            (Item{{"key", "leader"}, {"n", std::int64_t{8}}}));
  EXPECT_EQ(after("SET n=until-:one"), after("SET n = until - :one"));
  EXPECT_EQ(after("SET a = until, until = :one"), after("SET until = :one, a = until"))
      << "of the item as it was";
  const auto is_refused = [&](const char* update) {
    try {
      after(update);
      return false;
    } catch (const Invalid&) {
      return true;
    }
  };
  for (const char* update :
       {"", "owner = :me", "SET", "SET owner", "SET n = n + :one", "SET n = owner + :one", "SET n = :one,",
        "ADD n :one", "SET n = :one SET m = :one", "SET #o = :me, owner = :other",
        "SET owner = :me REMOVE owner", "SET key = :me", "REMOVE key"})
    EXPECT_TRUE(is_refused(update)) << update;
}

struct Table : testing::MachineUnderTest<DynamodbStore, Request, Reply> {
  std::optional<Item> item(const std::string& key) { return ask<Found>(GetItem{key}).item; }
};

constexpr const char* kRefused = "ConditionalCheckFailedException";

TEST(Dynamodb, puts_updates_and_deletes_under_conditions) {
  Table table;
  const PutItem first{kOwned, "attribute_not_exists(#o)", kAttributeNames, {}};
  EXPECT_EQ(table.failure(first), "");
  EXPECT_EQ(table.failure(first), kRefused);
  EXPECT_EQ(table.item("leader"), kOwned);
  EXPECT_EQ(table.failure(UpdateItem{"leader", "SET owner = :other", "until < :one", {}, kAttributeValues}),
            kRefused);
  EXPECT_EQ(table.failure(UpdateItem{"leader", "SET owner = :other", "until < :nine", {}, kAttributeValues}),
            "");
  EXPECT_EQ(table.item("leader")->at("owner"), Attribute{"n2"});
  EXPECT_EQ(table.failure(DeleteItem{"leader", "owner = :me", {}, kAttributeValues}), kRefused);
  EXPECT_EQ(table.failure(DeleteItem{"leader", "owner = :other", {}, kAttributeValues}), "");
  EXPECT_EQ(table.item("leader"), std::nullopt);
  EXPECT_EQ(table.failure(DeleteItem{"leader", {}, {}, {}}), "") << "one that is not there, too";
}

TEST(Dynamodb, puts_an_item_in_the_place_of_the_one_before) {
  Table table;
  EXPECT_EQ(table.failure(PutItem{kOwned, {}, {}, {}}), "");
  const Item other = {{"key", "leader"}, {"note", "nobody's"}};
  EXPECT_EQ(table.failure(PutItem{other, {}, {}, {}}), "");
  EXPECT_EQ(table.item("leader"), other);
}

TEST(Dynamodb, makes_an_item_by_an_update_and_keeps_its_key) {
  Table table;
  EXPECT_EQ(table.failure(UpdateItem{"leader", "SET owner = :me", {}, {}, kAttributeValues}), "");
  EXPECT_EQ(table.item("leader"), (Item{{"key", "leader"}, {"owner", "n1"}}));
  for (const char* update : {"SET key = :me", "REMOVE key"})
    EXPECT_EQ(table.failure(UpdateItem{"leader", update, {}, {}, kAttributeValues}), "ValidationException")
        << update;
  EXPECT_EQ(table.failure(UpdateItem{"leader", "SET n = :me - :one", "owner = :other", {}, kAttributeValues}),
            "ValidationException")
      << "wrong for every item: it is said before the condition is asked";
  EXPECT_EQ(
      table.failure(UpdateItem{"leader", "SET n = owner - :one", "owner = :other", {}, kAttributeValues}),
      kRefused)
      << "wrong for this item";
  EXPECT_EQ(table.failure(PutItem{{{"owner", "n1"}}, {}, {}, {}}), "ValidationException");
  EXPECT_EQ(table.failure(PutItem{kOwned, "owner ==", {}, {}}), "ValidationException");
}

RC_GTEST_PROP(DynamodbProperty, of_racing_writers_with_one_version_exactly_the_first_is_written,
              (const std::vector<std::uint8_t>& draws)) {
  Table table;
  table.reply(PutItem{{{"key", "leader"}, {"version", std::int64_t{0}}}, {}, {}, {}});
  std::vector<std::int64_t> seen(4, 0);
  std::int64_t version = 0;
  for (const std::uint8_t draw : draws) {
    std::int64_t& view = seen[draw % 4];
    if (draw >= 128) {
      view = std::get<std::int64_t>(table.item("leader")->at("version"));
      continue;
    }
    const std::uint64_t before = table.hash();
    const bool written = table
                             .failure(UpdateItem{"leader",
                                                 "SET version = version + :one",
                                                 "version = :seen",
                                                 {},
                                                 {{":one", std::int64_t{1}}, {":seen", view}}})
                             .empty();
    RC_ASSERT(written == (view == version));
    RC_ASSERT(written || table.hash() == before);
    RC_ASSERT(!written || table.hash() != before);
    if (written) ++version;
  }
}

}  // namespace
}  // namespace tenure::dynamodb
