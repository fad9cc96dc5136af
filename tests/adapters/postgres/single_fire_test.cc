// A fire by itself has a function of its own (tenure.commit_fire), which is quick in the ordinary case. It must do and
// say what the function for lists does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/adapters/postgres/cluster.h"

namespace tenure::pgtest {
namespace {

struct Asked {
  std::string node = "1", life = "1", branch = "tenure.branch()", epoch = "1", nonce = "7", schedule = "1";
  std::string from = "1000000", to = "2000000", slot = "1000000", covered = "1000001", ready = "1000000";

  std::string call(bool as_list) const {
    const auto row = [&](const std::string& value) { return as_list ? "ARRAY[" + value + "]" : value; };
    return fmt::format("tenure.{}(5000, 1, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}{})",
                       as_list ? "commit_fires" : "commit_fire", node, life, branch, epoch, nonce,
                       row(schedule), row("1"), row(from), row(to), row(slot), row(covered), row(ready),
                       as_list ? ", '{0}', '{1}'" : "");
  }
};

constexpr const char* kAnswer = "SELECT format('%s %s %s', why, held, results) FROM ";
// All but when each was committed.
constexpr const char* kEvents = "(resource, seq, slot_us, schedule, run, version) FROM tenure.outbox";

class PostgresSingleFire : public ::testing::Test {
 protected:
  PostgresSingleFire() {
    EXPECT_EQ(owner_.ask("SELECT (tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)).epoch"), "1");
    // The first goes on for ever; the second ends with its next slot, and another version follows it.
    EXPECT_EQ(
        owner_.ask("INSERT INTO tenure.segment VALUES (1, 1, 1, 0, 9223372036854775, 1000000, 0),"
                   " (1, 2, 1, 0, 2000000, 1000000, 0), (1, 2, 2, 2000000, 9223372036854775, 2000000, 0)"),
        "");
  }
  // What is answered, and what there is afterwards.
  std::string outcome_of(const Asked& asked, const std::string& before, bool as_list) {
    owner_.ask("BEGIN");
    if (!before.empty()) {
      EXPECT_EQ(owner_.ask(before), "");
    }
    std::string all = owner_.ask(kAnswer + asked.call(as_list));
    for (const char* rows : {"s FROM tenure.segment s", kEvents, "e FROM tenure.exception e",
                             "(outbox_seq, hold_since_us) FROM tenure.head"})
      all += "\n" + owner_.ask(fmt::format(
                        "SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM (SELECT {}) x (t)", rows));
    owner_.ask("ROLLBACK");
    return all;
  }
  // `answer`: why, held, results.
  void expect_alike(const Asked& asked, const std::string& before, const std::string& answer) {
    const std::string alone = outcome_of(asked, before, false);
    EXPECT_EQ(alone.substr(0, alone.find('\n')), answer);
    EXPECT_EQ(alone, outcome_of(asked, before, true));
  }

  FreshDatabase database_;
  Raw owner_{database_.connection()};
};

TEST_F(PostgresSingleFire, becomes_what_it_becomes_in_a_list) {
  expect_alike({}, "", " f {0}");
  expect_alike({.ready = "9000000000000000"}, "", " f {2}");
  expect_alike({.from = "1500000"}, "", " f {1}");
  expect_alike({.schedule = "99"}, "", " f {3}");
  expect_alike({.schedule = "2"}, "", " f {0}");
  expect_alike({.schedule = "2", .to = "3000000"}, "", " f {1}");
  expect_alike({.nonce = "8"}, "", "2 f ");
  expect_alike({.epoch = "2"}, "", "2 f ");
  expect_alike({.branch = "tenure.branch() + 1"}, "", "2 f ");
  expect_alike({.node = "2"}, "", "1 f ");
  expect_alike({.life = "2"}, "", "1 f ");
  expect_alike({}, "UPDATE tenure.head SET hold_since_us = 5, hold_jump_ns = 5", " t ");
  expect_alike({}, "UPDATE tenure.lease SET expires_us = 5", "3 f ");
  expect_alike({}, "UPDATE tenure.lease SET holder_life = 0", "0 f ");
  expect_alike({}, "UPDATE tenure.lease SET branch = branch + 1", "2 f ");
  expect_alike({.branch = "tenure.branch() + 1"}, "UPDATE tenure.lease SET branch = branch + 1", "2 f ");
  expect_alike({}, "DELETE FROM tenure.lease", "0 f ");
}

// It has looked for the head before it has it: what it then finds is not what it looked for.
TEST_F(PostgresSingleFire, is_committed_after_a_wait_for_whoever_changed_the_schedules) {
  Raw edits(database_.connection());
  EXPECT_EQ(edits.ask("BEGIN; UPDATE tenure.head SET outbox_seq = 5, stamp = stamp + 1 RETURNING outbox_seq"),
            "5");
  Raw commit(database_.connection());
  commit.send(kAnswer + Asked{}.call(false));
  Raw watch(database_.connection());
  while (watch.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "0") {
  }
  EXPECT_EQ(edits.ask("COMMIT"), "");
  EXPECT_EQ(commit.receive(), " f {0}");
  EXPECT_EQ(owner_.ask(std::string("SELECT string_agg(e::text, ' ') FROM (SELECT ") + kEvents + ") x (e)"),
            "(1,6,1000000,1,0,1)");
  EXPECT_EQ(owner_.ask("SELECT outbox_seq FROM tenure.head"), "6");
}

// It is tried in the quick way first, which takes a position, too. An audit would miss the change that it was for.
TEST_F(PostgresSingleFire, takes_one_position_though_others_deliver_its_event) {
  EXPECT_EQ(
      owner_.ask(
          "UPDATE tenure.segment SET delivery = ROW(1, '', 0, false, 10, 1000, 1000) WHERE schedule = 1"),
      "");
  const std::string before =
      owner_.ask("SELECT greatest(h.stamp, l.stamp) FROM tenure.head h, tenure.lease l");
  EXPECT_EQ(owner_.ask(kAnswer + Asked{}.call(false)), " f {0}");
  EXPECT_EQ(owner_.ask("SELECT stamp - " + before + " FROM tenure.head"), "1");
  EXPECT_EQ(owner_.ask("SELECT count(*) FROM tenure.waiting"), "1");
}

}  // namespace
}  // namespace tenure::pgtest
