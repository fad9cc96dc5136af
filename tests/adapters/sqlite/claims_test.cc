// What claims hand out behind more events than they look at one by one. Everything else is compared with the machine
// (tests/adapters/conformance).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/adapters/sqlite/support.h"

namespace tenure::testing {
namespace {

class SqliteClaims : public ::testing::Test {
 protected:
  // Events that wait with the numbers from `first` to `last`. `schedule`: of `i`, their number.
  void wait(int first, int last, const std::string& schedule, const std::string& rules,
            const std::string& attempt = "0, 0, 0") {
    Sqlite(path).execute(
        fmt::format("WITH RECURSIVE n (i) AS (SELECT {} UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
                    "INSERT INTO tenure_waiting (resource, seq, slot_us, schedule, run, version, kind, name, "
                    "delivery, at_us, "
                    "attempt, claimed, until_us) SELECT 1, i, i, {}, 1, 1, 1, 'mail', '{}', 0, {} FROM n",
                    first, last, schedule, rules, attempt));
  }
  static std::vector<std::uint64_t> claim(SqliteStore& store) {
    const Answer answer = store.execute(
        reference::ClaimExecutions{kResource, "mail", 9, Duration::minutes(1), "me", 8}, kSecond * 9);
    EXPECT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
    std::vector<std::uint64_t> seqs;
    for (const auto& one : std::get<reference::ClaimedExecutions>(answer.reply).executions)
      seqs.push_back(one.seq);
    return seqs;
  }

  TemporaryFolder folder;
  std::string path = folder.path() + "/tenure.db";
  const std::string plain_ = R"({"delivery":{"kind":"pull"},"overlap":"allow"})";
  const std::string strict_ = R"({"delivery":{"kind":"pull","strict_order":true},"overlap":"allow"})";
  const std::string skip_ = R"({"delivery":{"kind":"pull"},"overlap":"skip"})";
  const std::string backs_off_ = "1, 0, 9000000000000000";
  const std::string is_claimed_ = "1, 1, 9000000000000000";
};

TEST_F(SqliteClaims, pass_over_what_is_behind_the_first_event_of_a_schedule) {
  const auto store = store_at(path);
  wait(1, 1, "1", strict_, is_claimed_);
  wait(2, 5'000, "1", strict_);
  wait(5'001, 5'001, "2", strict_);
  wait(5'002, 5'003, "3", plain_);
  wait(5'004, 5'005, "4", skip_);
  EXPECT_EQ(claim(*store), (std::vector<std::uint64_t>{5'001, 5'002, 5'003, 5'004}));
  EXPECT_EQ(claim(*store), (std::vector<std::uint64_t>{}));
}

TEST_F(SqliteClaims, pass_over_what_is_worked_on_and_what_backs_off) {
  const auto store = store_at(path);
  wait(1, 1'500, "i", plain_, is_claimed_);
  wait(1'501, 3'000, "9999", skip_, backs_off_);
  wait(3'001, 3'001, "i", plain_, "1, 0, 5");
  wait(3'002, 3'002, "9999", skip_, "1, 0, 5");
  wait(3'003, 3'003, "i", plain_);
  wait(3'004, 3'004, "9999", skip_);
  wait(3'005, 3'005, "i", plain_, "1, 1, 5");
  EXPECT_EQ(claim(*store), (std::vector<std::uint64_t>{3'001, 3'002, 3'003, 3'005}));
  EXPECT_EQ(claim(*store), (std::vector<std::uint64_t>{}));
}

}  // namespace
}  // namespace tenure::testing
