// Schedules by name: numbers that the store gives, payloads that stay with the version that fired, a state that an edit
// does not undo, and the log.
#include <gtest/gtest.h>

#include "tests/core/store/reference_fixture.h"

namespace tenure::reference {
namespace {

const Duration kTenSeconds = Duration::seconds(10);
const Payload kMail{.topic = "mail",
                    .type = "report",
                    .data = R"({"to":"ops"})",
                    .labels = {{"team", "ops"}},
                    .description = "the report"};

struct ReferenceNamed : ::testing::Test, ReferenceFixture {
  static PutNamed create(const std::string& name, const Payload& payload = kMail) {
    return {kResource, name, {}, every(kTenSeconds), payload, "ann"};
  }
  static PutNamed over(const std::string& name, Edition seen, const Definition& definition,
                       const Payload& payload = kMail) {
    return {kResource, name, seen, definition, payload, "bob"};
  }
  Edition edited(const auto& asked) { return expect<NamedEdited>(asked).edition; }
  NamedRefused refused(const auto& asked) { return expect<NamedRefused>(asked); }
  NamedSchedule read(const std::string& name) {
    const auto found = expect<NamedSchedules>(ReadNamed{kResource, name}).schedules;
    EXPECT_EQ(found.size(), 1U) << name;
    return found.empty() ? NamedSchedule{} : found.front();
  }
  std::vector<std::string> names(const std::string& after = {}, std::uint32_t limit = 100) {
    std::vector<std::string> all;
    for (const NamedSchedule& one : expect<NamedSchedules>(ListNamed{kResource, after, limit}).schedules)
      all.push_back(one.name);
    return all;
  }
  EventPayload payload_of(const EventId& event) {
    const auto found = expect<Payloads>(ReadPayloads{kResource, {event}}).events;
    EXPECT_EQ(found.size(), 1U);
    return found.at(0);
  }
};

TEST_F(ReferenceNamed, a_name_is_given_a_number_and_a_deleted_name_another_one) {
  EXPECT_EQ(edited(create("report")), (Edition{{1}, 1}));
  EXPECT_EQ(edited(create("audit")), (Edition{{2}, 1}));
  EXPECT_EQ(edited(DeleteNamed{kResource, "report", {{1}, 1}, "ann"}), (Edition{{1}, 1}));
  EXPECT_TRUE(expect<NamedSchedules>(ReadNamed{kResource, "report"}).schedules.empty());
  EXPECT_EQ(edited(create("report")), (Edition{{3}, 1}));
}

TEST_F(ReferenceNamed, numbers_that_clients_chose_are_not_given_again) {
  put(41, 0, every(kTenSeconds));
  remove(41, 1);
  EXPECT_EQ(edited(create("report")).schedule, ScheduleId{42});
  put(UINT32_MAX, 0, every(kTenSeconds));
  EXPECT_EQ(refused(create("other")).why, EditDenial::no_number_left);
}

TEST_F(ReferenceNamed, a_put_that_creates_does_not_edit_and_one_that_edits_does_not_create) {
  const Edition first = edited(create("report"));
  PutNamed other = create("report");
  other.definition = every(Duration::seconds(7));
  EXPECT_EQ(refused(other).why, EditDenial::exists);
  EXPECT_EQ(refused(other).edition, first);
  EXPECT_EQ(refused(over("audit", first, every(kTenSeconds))).why, EditDenial::no_such_schedule);
  EXPECT_EQ(edited(over("report", first, every(Duration::seconds(7)))), (Edition{{1}, 2}));
  const NamedRefused late = refused(over("report", first, every(Duration::seconds(8))));
  EXPECT_EQ(late.why, EditDenial::version_conflict);
  EXPECT_EQ(late.edition, (Edition{{1}, 2}));
}

// Who saw a schedule that was deleted and created again has not seen this one, whatever its version.
TEST_F(ReferenceNamed, an_edit_of_the_schedule_that_had_the_name_before_is_refused) {
  const Edition first = edited(create("report"));
  edited(DeleteNamed{kResource, "report", first, ""});
  const Edition second = edited(create("report"));
  EXPECT_EQ(refused(over("report", first, every(Duration::seconds(7)))).edition, second);
  EXPECT_EQ(refused(DeleteNamed{kResource, "report", {{9}, 1}, ""}).why, EditDenial::version_conflict);
  EXPECT_EQ(edited(DeleteNamed{kResource, "report", first, ""}), first)
      << "a repetition, whose answer was lost";
  EXPECT_EQ(read("report").edition, second);
}

TEST_F(ReferenceNamed, a_repetition_is_answered_alike_and_changes_nothing) {
  const Edition first = edited(create("report"));
  const PutNamed edit = over("report", first, every(Duration::seconds(7)));
  const Edition second = edited(edit);
  const std::uint64_t before = hash();
  now += kTenSeconds;
  EXPECT_EQ(edited(edit), second);
  EXPECT_EQ(hash(), before);
  PutNamed other = edit;
  other.payload.data = "{}";
  EXPECT_EQ(refused(other).why, EditDenial::version_conflict) << "the same definition with another payload";
}

TEST_F(ReferenceNamed, a_schedule_that_was_put_by_number_has_its_number_as_its_name) {
  put(7, 0, every(kTenSeconds));
  EXPECT_EQ(read("7").edition, (Edition{{7}, 1}));
  EXPECT_TRUE(expect<NamedSchedules>(ReadNamed{kResource, "07"}).schedules.empty());
  EXPECT_EQ(edited(over("7", {{7}, 1}, every(Duration::seconds(7)))), (Edition{{7}, 2}));
  edited(create("report"));
  EXPECT_TRUE(expect<NamedSchedules>(ReadNamed{kResource, "8"}).schedules.empty()) << "8 is called report";
  EXPECT_EQ(put(8, 1, every(Duration::seconds(3))).version, 2U) << "by number it is found all the same";
  EXPECT_EQ(read("report").payload, kMail) << "who does not name a payload leaves it as it is";
}

TEST_F(ReferenceNamed, a_list_is_in_the_order_of_names_and_can_be_read_in_pages) {
  for (const char* name : {"b", "a-1", "B", "a.2", "c"}) edited(create(name));
  put(100, 0, every(kTenSeconds));
  edited(DeleteNamed{kResource, "c", {{5}, 1}, ""});
  EXPECT_EQ(names(), (std::vector<std::string>{"100", "B", "a-1", "a.2", "b"}));
  EXPECT_EQ(names("100", 2), (std::vector<std::string>{"B", "a-1"}));
  EXPECT_EQ(names("a-9"), (std::vector<std::string>{"a.2", "b"}));
  const NamedSchedules page = expect<NamedSchedules>(ListNamed{kResource, "B", 3});
  EXPECT_FALSE(page.more);
  EXPECT_EQ(page.schedules.at(0).payload.topic, "mail");
  EXPECT_EQ(page.schedules.at(0).payload.data, "") << "a page of many payloads would be large";
}

TEST_F(ReferenceNamed, a_pause_outlives_an_edit) {
  const Edition first = edited(create("report"));
  now = at(1'100);
  const Edition paused = edited(PauseNamed{kResource, "report", true, "ann", "too loud"});
  EXPECT_EQ(paused, (Edition{{1}, 2}));
  EXPECT_EQ(edited(PauseNamed{kResource, "report", true, "bob", "me too"}), paused) << "it is paused already";
  EXPECT_EQ(refused(over("report", first, every(Duration::seconds(7)))).why, EditDenial::version_conflict);
  now = at(1'200);
  EXPECT_EQ(edited(over("report", paused, every(Duration::seconds(7)))), (Edition{{1}, 3}));
  NamedSchedule it = read("report");
  EXPECT_TRUE(it.definition.paused);
  EXPECT_EQ(it.pause, (Pause{"ann", "too loud", at(1'100)}));
  EXPECT_TRUE(changes(2).changes.at(0).definition.paused) << "what the leader reads";
  now = at(1'300);
  edited(PauseNamed{kResource, "report", false, "bob", "quiet now"});
  it = read("report");
  EXPECT_FALSE(it.definition.paused);
  EXPECT_EQ(it.definition.recurrence, every(Duration::seconds(7)).recurrence);
  EXPECT_FALSE(it.pause.has_value());
  EXPECT_EQ(it.payload, kMail);
}

TEST_F(ReferenceNamed, what_a_put_by_number_paused_says_nobody) {
  Definition quiet = every(kTenSeconds);
  quiet.paused = true;
  put(7, 0, quiet);
  EXPECT_EQ(read("7").pause, (Pause{"", "", at(1'000)}));
  edited(PauseNamed{kResource, "7", false, "ann", ""});
  edited(PauseNamed{kResource, "7", true, "ann", "why not"});
  EXPECT_EQ(put(7, 3, quiet).version, 4U);
  EXPECT_EQ(read("7").pause, (Pause{"", "", at(1'000)})) << "who puts by number decides anew";
}

TEST_F(ReferenceNamed, an_event_has_the_payload_of_the_version_that_fired) {
  const Edition first = edited(create("report"));
  const Token token = lead(kLeader, Duration::seconds(10'000));
  now = at(1'010);
  ASSERT_EQ(cover(kLeader, token, fired(1, 1, at(1'000), at(1'010))), RowResult::covered);
  Payload other = kMail;
  other.data = "{}";
  edited(over("report", first, every(kTenSeconds), other));
  now = at(1'020);
  ASSERT_EQ(cover(kLeader, token, fired(1, 2, at(1'010), at(1'020))), RowResult::covered);
  expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(1'020)});
  EXPECT_EQ(payload_of({{1}, at(1'000), 0}).payload, kMail);
  EXPECT_EQ(payload_of({{1}, at(1'000), 0}).version, 1U);
  EXPECT_EQ(payload_of({{1}, at(1'010), 0}).payload, other);
  EXPECT_EQ(payload_of({{1}, at(1'020), 5}).payload, other);
  EXPECT_EQ(payload_of({{1}, at(1'020), 5}).name, "report");
  EXPECT_FALSE(payload_of({{1}, at(1'020), 6}).found);
  expect<GivenUp>(GiveUpEvents{kResource, kLeader, token, {{{{1}, at(1'000), 0}, 3}}});
  EXPECT_EQ(payload_of({{1}, at(1'000), 0}).payload, kMail) << "dead";
  expect<Redriven>(Redrive{kResource, {{{1}, at(1'000), 0}}});
  EXPECT_EQ(payload_of({{1}, at(1'000), 0}).payload, kMail) << "and redriven";
}

TEST_F(ReferenceNamed, a_payload_is_forgotten_when_no_event_needs_it_any_more) {
  const Edition first = edited(create("report"));
  const Token token = lead(kLeader, Duration::seconds(10'000));
  now = at(1'005);
  ASSERT_EQ(cover(kLeader, token, fired(1, 1, at(1'000), at(1'010))), RowResult::covered);
  edited(over("report", first, every(kTenSeconds), {}));
  now = at(5'000);
  const auto prune = [this] { return expect<Pruned>(Prune{kResource, at(4'000)}).rows; };
  EXPECT_EQ(prune(), 1U) << "the change; an event waits";
  EXPECT_EQ(payload_of({{1}, at(1'000), 0}).payload, kMail);
  expect<GivenUp>(GiveUpEvents{kResource, kLeader, token, {{{{1}, at(1'000), 0}, 3}}});
  EXPECT_EQ(prune(), 0U) << "an event is dead";
  expect<Redriven>(Redrive{kResource, {{{1}, at(1'000), 0}}});
  expect<Acknowledged>(AckEvents{kResource, {{{{1}, at(1'000), 0}}}});
  EXPECT_EQ(prune(), 1U);
  EXPECT_EQ(prune(), 0U);
}

TEST_F(ReferenceNamed, a_payload_stays_while_its_version_may_still_fire) {
  const Edition first = edited(create("report"));
  now = at(1'005);
  edited(over("report", first, every(kTenSeconds), {}));
  EXPECT_EQ(expect<Pruned>(Prune{kResource, at(2'000)}).rows, 0U) << "the slot at 1,000 is not covered yet";
  const Token token = lead(kLeader);
  ASSERT_EQ(cover(kLeader, token, fired(1, 1, at(1'000), at(1'005))), RowResult::covered);
  EXPECT_EQ(payload_of({{1}, at(1'000), 0}).payload, kMail);
}

TEST_F(ReferenceNamed, the_log_names_who_did_what_and_why) {
  const Edition first = edited(create("report"));
  now = at(1'100);
  const Edition paused = edited(PauseNamed{kResource, "report", true, "bob", "too loud"});
  edited(DeleteNamed{kResource, "report", paused, "eve"});
  put(9, 0, every(kTenSeconds));
  const Log log = expect<Log>(ReadLog{kResource, 0, 10});
  ASSERT_EQ(log.entries.size(), 4U);
  EXPECT_EQ(log.entries[0].name, "report");
  EXPECT_EQ(log.entries[0].edition, first);
  EXPECT_EQ(log.entries[0].actor, "ann");
  EXPECT_EQ(log.entries[1].what, LogAction::paused);
  EXPECT_EQ(log.entries[1].why, "too loud");
  EXPECT_EQ(log.entries[1].at, at(1'100));
  EXPECT_EQ(log.entries[2].what, LogAction::deleted);
  EXPECT_EQ(log.entries[2].actor, "eve");
  EXPECT_EQ(log.entries[3].name, "9");
  EXPECT_EQ(log.entries[3].actor, "");
  const Log page = expect<Log>(ReadLog{kResource, 1, 2});
  EXPECT_TRUE(page.more);
  EXPECT_EQ(page.entries.at(0).seq, 2U);
}

TEST_F(ReferenceNamed, what_was_covered_while_the_clock_was_ahead_is_shown_until_it_has_come) {
  edited(create("report"));
  const auto ahead = [this] { return expect<Depths>(ReadDepths{kResource, true}); };
  EXPECT_EQ(read("report").covered, now);
  EXPECT_EQ(ahead().ahead, 0U);
  const StoreTime right = std::exchange(now, now + Duration::hours(1));
  const Token token = lead(kLeader);
  ASSERT_EQ(cover(kLeader, token, fired_for(1, 1, right, now, right, 360)), RowResult::covered);
  EXPECT_EQ(ahead().ahead, 0U) << "by the clock as it is";
  const StoreTime covered = std::exchange(now, right);
  EXPECT_EQ(read("report").covered, covered);
  EXPECT_EQ(ahead().ahead, 1U);
  EXPECT_EQ(ahead().ahead_until, covered);
  EXPECT_EQ(expect<Depths>(ReadDepths{kResource}).ahead, 0U) << "nobody asked";
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
  PutNamed put{kResource, "7", {}, every(kTenSeconds), kMail, "ann"};
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
