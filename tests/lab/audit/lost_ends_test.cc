// Journals that have no end, or no beginning, and requests in doubt: what may have been is lacking, and what cannot
// have been otherwise is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/audit/audit.h"
#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

// The first leads from 100 ms on for a second, and may have given the lease back at 700 ms, which its journal does not
// tell. The second is granted the lease at 800 ms.
struct TwoLeaders {
  bool releases = true;       // in lines that are lost, or never
  bool first_ends = false;    // it says that it ended, and nothing of a release
  bool writes_later = false;  // it says something after the second's grant

  Audit audited() const {
    Process first{1};
    first.starts(0);
    grant(first, 100, term(1), 1);
    first.believes(110, term(1), 1'090);
    if (first_ends) first.write(600, journal::LifeEnded{false});
    if (writes_later) first.write(900, StopAsked{});
    Process second{2};
    second.starts(0);
    grant(second, 800, term(2), releases ? 3 : 2);
    second.believes(810, term(2), 1'790);
    second.write(1'800, journal::LifeEnded{true});
    return std::get<Audit>(audit_texts({first.text(), second.text()}, true));
  }
  static void grant(Process& who, std::int64_t at, const Token& token, std::uint64_t position) {
    const Duration lease = Duration::seconds(1);
    const auto asked =
        who.asks(at - 10, reference::Acquire{{}, who.who(), token.epoch - 1, token.nonce, lease});
    who.hears(at + 10, asked, reference::Granted{token, lease}, at, position);
  }
};

const std::vector<std::string> kTwoLed = {"fenced-writes", "one-believer"};

TEST(AuditLostEnds, a_lease_that_lines_which_are_missing_may_have_given_back_is_lacking) {
  const Audit audit = TwoLeaders{}.audited();
  EXPECT_THAT(failing(audit), testing::IsEmpty());
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_THAT(audit.lacking, testing::Contains(testing::HasSubstr(
                                 "n1's journal has no end, its last line is at 0.110s, and n2 "
                                 "was granted resource 0 at 0.810s")));
}

// Nothing was changed between the first's grant and the second's, so nothing is missing.
TEST(AuditLostEnds, who_was_killed_and_robbed_is_found_by_the_positions) {
  TwoLeaders two;
  two.releases = false;
  EXPECT_EQ(failing(two.audited()), kTwoLed);
}

TEST(AuditLostEnds, a_journal_that_says_that_it_ends_or_that_goes_on_has_lost_nothing) {
  TwoLeaders ended;
  ended.first_ends = true;
  EXPECT_THAT(failing(ended.audited()), testing::Contains("fenced-writes"));
  TwoLeaders later;
  later.writes_later = true;
  EXPECT_EQ(failing(later.audited()), kTwoLed);
}

// ---- beginnings ----

// What it was told of the store's time before its journal begins is lost; what it asks for later bounds it.
TEST(AuditLateLives, work_is_early_only_if_the_store_had_surely_not_come_to_its_slot) {
  for (const std::int64_t slot_ms : {250, 5'000}) {
    Process one{1};
    one.starts(0);
    one.leads(100, term(1));
    one.commits(300, term(1), {fired(250)});
    const std::size_t cut = one.text().size();
    one.believes(320, term(1), 1'090);
    one.begins(330, slot(slot_ms), term(1));
    one.ends(340, slot(slot_ms));
    one.renews(600, term(1));
    one.believes(610, term(1), 1'590);
    const auto late = audit_texts({one.text().substr(cut)}, true, true);
    ASSERT_TRUE(std::holds_alternative<Audit>(late));
    const std::vector<std::string> early = {"never-early"};
    EXPECT_EQ(failing(std::get<Audit>(late)), slot_ms == 250 ? std::vector<std::string>{} : early);
  }
}

// ---- requests in doubt ----

// It leads from 100 ms on and is refused at 500 ms, in the middle of its lease. One request of it is in doubt.
Audit refused_in_its_lease(std::int64_t doubt_at, bool acquires) {
  Process one{1};
  one.starts(0);
  one.leads(100, term(1));
  const Duration lease = Duration::seconds(1);
  const auto doubt = [&] {
    const auto asked = acquires ? one.asks(doubt_at, reference::Acquire{{}, one.who(), 1, 102, lease})
                                : one.asks(doubt_at, reference::Renew{{}, one.who(), term(1), lease});
    one.never_hears(doubt_at + 20, asked);
  };
  if (doubt_at < 500) doubt();
  const auto refused = one.asks(490, reference::Renew{{}, one.who(), term(1), lease});
  one.hears(510, refused, reference::Refused{reference::Denial::stale_token, {}, 1, {}}, 500, 500);
  one.steps_down(520);
  if (doubt_at > 500) doubt();
  return audit_of({&one});
}

TEST(AuditDoubts, only_an_acquire_between_a_promise_and_its_refusal_excuses_the_refusal) {
  EXPECT_THAT(failing(refused_in_its_lease(300, true)), testing::IsEmpty());
  EXPECT_THAT(failing(refused_in_its_lease(800, true)), testing::Contains("promise-kept"));
  EXPECT_THAT(failing(refused_in_its_lease(800, false)), testing::Contains("promise-kept"));
  EXPECT_THAT(failing(refused_in_its_lease(300, false)), testing::Contains("promise-kept"));
}

}  // namespace
}  // namespace tenure::lab
