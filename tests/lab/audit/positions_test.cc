// Positions of a store that counts leases apart from the rest, as Postgres does: what is whole passes, and what is
// missing shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lab/audit/audit.h"
#include "tests/lab/audit/writing.h"

namespace tenure::sim {
namespace {

// What is told by no journal; empty: nothing.
std::string lacking_of(const std::vector<std::string>& texts) {
  const auto audit = std::get<Audit>(audit_texts(texts, true));
  EXPECT_THAT(failing(audit), ::testing::IsEmpty());
  for (const std::string& one : audit.lacking)
    if (one.find("told by no journal") != std::string::npos) return one.substr(0, one.find(" of the store"));
  return {};
}

// Two holders, one after the other. `stamp` and `head` are the store's two counts.
class TwoCounts {
 public:
  // What is left out of the journals although the store did it, by its number from 0 on; and whether the release is
  // never answered.
  struct But {
    std::set<int> left_out = {};
    bool release_in_doubt = false;
  };
  explicit TwoCounts(But but) : but_(std::move(but)) {
    for (Process* one : {&first_, &second_}) one->starts(0);
    acquires(first_, term(1));
    for (int i = 0; i < 5; ++i) commits(first_, term(1));
    renews(first_, term(1));
    renews(first_, term(1));
    for (int i = 0; i < 3; ++i) commits(first_, term(1));
    releases(first_, term(1));
    acquires(second_, term(2));
    renews(second_, term(2));
    for (int i = 0; i < 3; ++i) commits(second_, term(2));
    releases(second_, term(2));
  }
  std::string lacking() const { return lacking_of({first_.text(), second_.text()}); }

 private:
  void writes(Process& who, reference::Request request, reference::Reply reply, std::uint64_t position,
              bool answered = true) {
    now_ += 40;
    if (but_.left_out.contains(done_++)) return;
    const auto asked = who.asks(now_ - 10, std::move(request));
    if (answered)
      who.hears(now_ + 10, asked, std::move(reply), now_, position);
    else
      who.never_hears(now_ + 10, asked);
  }
  void acquires(Process& who, const Token& token) {
    stamp_ = std::max(stamp_, head_) + 1;
    writes(who, reference::Acquire{{}, who.who(), token.epoch - 1, token.nonce, Duration::seconds(1)},
           reference::Granted{token, Duration::seconds(1)}, stamp_);
    who.believes(now_ + 10, token, now_ + 990);
  }
  void renews(Process& who, const Token& token) {
    writes(who, reference::Renew{{}, who.who(), token, Duration::seconds(1)},
           reference::Granted{token, Duration::seconds(1)}, ++stamp_);
  }
  void releases(Process& who, const Token& token) {
    stamp_ = std::max(stamp_, head_) + 1;
    who.steps_down(now_ + 20);
    writes(who, reference::Release{{}, who.who(), token}, reference::Released{}, stamp_,
           !but_.release_in_doubt);
  }
  void commits(Process& who, const Token& token) {
    head_ = std::max(stamp_, head_) + 1;
    writes(who, reference::CommitFires{{}, who.who(), token, {}}, reference::Committed{}, head_);
  }

  But but_;
  Process first_{1};
  Process second_{2};
  std::uint64_t stamp_ = 0;
  std::uint64_t head_ = 0;
  std::int64_t now_ = 0;
  int done_ = 0;
};

// The release follows the commits, and the next commit follows the next acquire.
TEST(AuditPositions, two_counts_that_meet_have_no_gap) { EXPECT_EQ(TwoCounts({}).lacking(), ""); }

TEST(AuditPositions, a_commit_or_a_renewal_that_is_left_out_leaves_a_gap_in_its_count) {
  EXPECT_EQ(TwoCounts({{3}}).lacking(),
            "a change of resource 0 is told by no journal, the first between positions 3 and 5");
  EXPECT_EQ(TwoCounts({{6}}).lacking(),
            "a change of resource 0 is told by no journal, the first between positions 1 and 3");
  EXPECT_EQ(TwoCounts({{3, 4, 6}}).lacking(),
            "3 changes of resource 0 are told by no journal, the first between positions 3 and 6");
  // The release comes after the last commit of its holder.
  EXPECT_EQ(TwoCounts({{10}}).lacking(),
            "a change of resource 0 is told by no journal, the first between positions 8 and 10");
}

// It may have moved the count of leases on to that of the rest.
TEST(AuditPositions, a_release_in_doubt_explains_its_own_position_and_no_other) {
  EXPECT_EQ(TwoCounts({{}, true}).lacking(), "");
  EXPECT_EQ(TwoCounts({{3}, true}).lacking(),
            "a change of resource 0 is told by no journal, the first between positions 3 and 5");
}

// A standby reads the change feed before an edit, during it, and after it.
TEST(AuditPositions, a_read_that_began_before_an_edit_and_took_its_time_after_it_is_no_gap) {
  reference::Change edit;
  edit.seq = 1;
  edit.segment = {{7}, 1, store_time(120), StoreTime::max(), store_time(120)};
  edit.definition.recurrence = Interval{store_time(0), Duration::seconds(1'000)};
  Process standby(1);
  standby.starts(0);
  standby.reads_changes(100, {}, 0);
  standby.reads_changes(130, {}, 0);
  standby.reads_changes(160, {edit}, 1);
  EXPECT_EQ(lacking_of({standby.text()}), "");
}

}  // namespace
}  // namespace tenure::sim
