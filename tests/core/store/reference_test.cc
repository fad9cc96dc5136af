// The reference store as its texts in reference/ say, and what no text can say.
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/base/check.h"
#include "tests/core/store/reference_talk.h"

namespace tenure::reference {
namespace {

class ReferenceText : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferenceText, is_what_the_store_answers) {
  tenure::testing::expect_interaction<tenure::testing::ReferenceTalk>(
      std::string("tests/core/store/reference/") + GetParam() + ".txt");
}
INSTANTIATE_TEST_SUITE_P(Store, ReferenceText,
                         ::testing::Values("lease", "commits", "edits", "dead", "history", "named",
                                           "executions"),
                         [](const auto& one) { return std::string(one.param); });

struct Led : ReferenceFixture {
  Led() {
    for (const std::uint32_t schedule : {1U, 2U, 3U}) put(schedule, 0, every(Duration::seconds(10)));
    token = lead(kLeader, Duration::hours(9));
  }
  Token token;
};

TEST(ReferenceCommit, refuses_rows_that_no_leader_may_write) {
  Led reference;
  const auto cover = [&](const LedgerRow& row) { reference.cover(kLeader, reference.token, row); };
  CheckHandler const before = set_check_handler([](const CheckFailure&) { throw std::logic_error("check"); });
  EXPECT_THROW(cover(range(1, 1, at(1'000), at(1'000), Disposition::missed)), std::logic_error);
  EXPECT_THROW(cover(range(1, 1, at(1'000), at(1'001), Disposition::deleted)), std::logic_error);
  EXPECT_THROW(cover(range(1, 1, at(1'000), at(1'001), Disposition::coalesced)), std::logic_error);
  LedgerRow early = fired(1, 1, at(1'000), at(1'010));
  early.due = at(999);
  EXPECT_THROW(cover(early), std::logic_error);
  EXPECT_THROW(cover(fired_for(1, 1, at(1'000), at(1'010), at(1'010), 1)), std::logic_error);
  EXPECT_THROW(cover(fired_for(1, 1, at(1'000), at(1'010), at(990), 1)), std::logic_error);
  set_check_handler(before);
}

TEST(ReferenceOutbox, hashes_by_what_is_pending_and_not_by_how_it_came_about) {
  Led one;
  Led other;
  const auto id = [](std::uint32_t schedule) { return EventId{.schedule = {schedule}, .slot = at(1'000)}; };
  for (Led* reference : {&one, &other})
    for (const std::uint32_t schedule : {1U, 2U, 3U})
      reference->cover(kLeader, reference->token, fired(schedule, 1, at(1'000), at(1'010)));
  one.expect<Acknowledged>(AckEvents{kResource, {{id(1)}, {id(2)}}});
  other.expect<Acknowledged>(AckEvents{kResource, {{id(2)}}});
  EXPECT_NE(one.hash(), other.hash());
  other.expect<Acknowledged>(AckEvents{kResource, {{id(1)}}});
  EXPECT_EQ(one.hash(), other.hash());
}

TEST(ReferenceDead, are_part_of_the_state) {
  Led one;
  const EventId id{.schedule = {1}, .slot = at(1'000)};
  one.cover(kLeader, one.token, fired(1, 1, at(1'000), at(1'010)));
  Led other = one;
  one.expect<GivenUp>(GiveUpEvents{kResource, kLeader, one.token, {{id, 5}}});
  other.expect<Acknowledged>(AckEvents{kResource, {{id}}});
  EXPECT_NE(one.hash(), other.hash());
}

// Simulations have machines without one, whose memory does not grow with each fire.
TEST(ReferenceHistory, is_no_part_of_a_machine_that_was_made_without) {
  ReferenceFixture plain;
  ReferenceFixture keeps;
  keeps.store = ReferenceStore::with_history();
  for (ReferenceFixture* one : {&plain, &keeps}) one->put(1, 0, every(Duration::seconds(10)));
  const std::uint64_t before = keeps.hash();
  for (ReferenceFixture* one : {&plain, &keeps})
    one->expect<Edited>(TriggerSchedule{kResource, {1}, 1, one->now});
  EXPECT_NE(keeps.hash(), before);
  EXPECT_NE(keeps.hash(), plain.hash());
}

TEST(Named, what_is_wrong_is_said_in_words_and_all_at_once) {
  EXPECT_EQ(problem_of_name("report.daily_2-a"), "");
  EXPECT_EQ(problem_of_name("2nd"), "");
  EXPECT_EQ(problem_of_name(""), "the name is empty");
  EXPECT_EQ(problem_of_name("-a"), "the name `-a` does not begin with a letter (A to Z, a to z) or a digit");
  EXPECT_EQ(problem_of_name("a b"),
            "the name `a b` has, at place 2, what a name cannot have: it has letters (A to Z, a to z), "
            "digits, `.`, `_` and `-`");
  EXPECT_EQ(problem_of_name(std::string(121, 'x')), "the name has 121 bytes, and may have 120");
  PutNamed put{kResource, "7", {}, every(Duration::seconds(10)), {"mail", {}, {}, {}, {}}, "ann"};
  EXPECT_EQ(problem_of(put),
            "the name `7` has digits only: such names are those of schedules that were put by number; add a "
            "letter");
  put.expected = Edition{{7}, 1};
  EXPECT_EQ(problem_of(put), "");
  put.definition.paused = true;
  put.payload.data = std::string(70'000, ' ');
  put.payload.topic = "a\xff";
  put.payload.labels = {{"b", "1"}, {"a", std::string("\0", 1)}};
  put.actor = "\x1b[2J";
  EXPECT_EQ(
      problem_of(put),
      "the definition is paused: put it, and pause it by a request of its own; payload.topic is no UTF-8 "
      "from "
      "byte 1 on; payload.data has 70000 bytes, and may have 65536; payload.labels: the value of `a` has a "
      "control character; payload.labels are not ordered by name, or have one name twice; actor has a "
      "control "
      "character");
}

}  // namespace
}  // namespace tenure::reference
