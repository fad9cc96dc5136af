// What a claim costs: as much as it hands out, and little for what it cannot hand out (docs/adr/0062). What it hands
// out is compared with the machine by conformance_test.cc.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/adapters/postgres/cluster.h"

namespace tenure::pgtest {
namespace {

class PostgresClaims : public ::testing::Test {
 protected:
  PostgresClaims() { owner_.ask("SELECT tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)"); }

  // Events that wait under `topic`, with the numbers from `first` to `last`. `schedule`: of `i`, their number.
  void wait(const std::string& topic, int first, int last, const std::string& schedule,
            const std::string& rules, const std::string& attempt = "0, false, 0") {
    EXPECT_EQ(
        owner_.ask(fmt::format("INSERT INTO tenure.waiting (resource, seq, slot_us, schedule, run, version, "
                               "kind, name, delivery, "
                               "at_us, attempt, claimed, until_us) SELECT 1, i, i, {}, 1, 1, 1, '{}', "
                               "tenure.delivery_of('{{{},\"v\":1}}'), 0, {} FROM generate_series({}, {}) i",
                               schedule, topic, rules, attempt, first, last)),
        "");
  }
  std::string claim(const std::string& topic, int max = 1) {
    return owner_.ask(
        fmt::format("SELECT (tenure.claim(1000, 1, '{}', {}, 60000000, 'me', 9)).seqs", topic, max));
  }
  // How many pages a claim reads that answers this.
  std::int64_t pages_of_claim(const std::string& topic, int max, const std::string& answer) {
    const auto so_far = [&] {
      return std::stoll(
          owner_.ask("SELECT sum(pg_stat_get_xact_blocks_fetched(oid)) FROM pg_class "
                     "WHERE relnamespace = 'tenure'::regnamespace"));
    };
    owner_.ask("BEGIN");
    const std::int64_t before = so_far();
    EXPECT_EQ(claim(topic, max), answer);
    const std::int64_t after = so_far();
    owner_.ask("COMMIT");
    return after - before;
  }

  const std::string plain_ = R"("overlap":"allow","delivery":{"kind":"pull"})";
  const std::string strict_ = R"("overlap":"allow","delivery":{"kind":"pull","strict_order":true})";
  const std::string skip_ = R"("overlap":"skip","delivery":{"kind":"pull"})";
  const std::string backs_off_ = "1, false, 9000000000000000";
  const std::string is_claimed_ = "1, true, 9000000000000000";
  FreshDatabase database_;
  Raw owner_{database_.connection()};
};

TEST_F(PostgresClaims, pass_over_what_is_behind_the_first_event_of_a_schedule_in_strict_order) {
  wait("t", 1, 1, "1", strict_, is_claimed_);
  wait("t", 2, 30'000, "1", strict_);
  wait("t", 30'001, 30'001, "2", strict_);
  wait("t", 30'002, 30'003, "3", plain_);
  EXPECT_LT(pages_of_claim("t", 9, "{30001,30002,30003}"), 1'000);
  EXPECT_LT(pages_of_claim("t", 9, "{}"), 1'000);
}

TEST_F(PostgresClaims, pass_over_runs_of_a_schedule_that_back_off_or_wait_for_one_that_is_claimed) {
  wait("t", 1, 10'000, "1", skip_, backs_off_);
  wait("t", 10'001, 10'001, "1", skip_, is_claimed_);
  wait("t", 10'002, 30'000, "1", skip_);
  wait("t", 30'001, 30'002, "2", skip_);
  EXPECT_LT(pages_of_claim("t", 9, "{30001}"), 1'000);
  EXPECT_LT(pages_of_claim("t", 9, "{}"), 1'000);
}

TEST_F(PostgresClaims, pass_over_what_is_worked_on_and_what_backs_off) {
  wait("t", 1, 15'000, "i", plain_, is_claimed_);
  wait("t", 15'001, 30'000, "i", plain_, backs_off_);
  wait("t", 30'001, 30'001, "i", plain_, "1, false, 5");
  wait("t", 30'002, 30'002, "i", plain_);
  wait("t", 30'003, 30'003, "i", plain_, "1, true, 5");
  EXPECT_LT(pages_of_claim("t", 9, "{30001,30002,30003}"), 1'000);
  EXPECT_LT(pages_of_claim("t", 9, "{}"), 1'000);
}

// Whoever waits for events asks again and again. It must not keep others from the head, nor write.
TEST_F(PostgresClaims, lock_and_write_nothing_when_there_is_nothing_to_hand_out) {
  wait("t", 1, 1, "1", strict_, is_claimed_);
  wait("t", 2, 9, "1", strict_);
  wait("other", 10, 10, "2", plain_);
  Raw leader(database_.connection());
  leader.ask("BEGIN; SELECT FROM tenure.head FOR NO KEY UPDATE");
  owner_.ask("BEGIN");
  EXPECT_EQ(owner_.ask("SELECT (tenure.claim(1, 1, 't', 9, 60000000, 'me', 9)).seqs"), "{}");
  EXPECT_EQ(owner_.ask("SELECT pg_current_xact_id_if_assigned() IS NULL"), "t");
  EXPECT_EQ(owner_.ask("SELECT (tenure.claim(1, 1, 'other', 9, 60000000, 'me', 9)).seqs"), "!55P03");
  owner_.ask("ROLLBACK");
  leader.ask("COMMIT");
  EXPECT_EQ(claim("other"), "{10}");
}

}  // namespace
}  // namespace tenure::pgtest
