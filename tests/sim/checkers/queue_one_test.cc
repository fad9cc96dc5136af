// Under queue_one one slot waits for the work to end; those that come meanwhile are given up, and neither
// fire nor wait.
#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

constexpr ScheduleId kBeside{1};

Scenario queueing() {
  Scenario scenario = reference_scenario();
  scenario.schedules.front().definition.overlap = Overlap::queue_one;
  scenario.schedules.push_back({"beside", every(seconds(4))});
  return scenario;
}

// The work of slot 0s goes on until 25s. The schedule beside it shows that its leader looks at what is due.
struct Queue {
  Queue() : history(queueing()) {
    history.puts(kBeside, 1, every(seconds(4)));
    history.at(millis(50));
    history.leads(kN1, token(1), seconds(200));
    history.at(millis(200));
    fire(0);
    for (const int slot : {12, 16, 20, 24}) {
      history.at(seconds(slot) + millis(200));
      history.covers(kN1, token(1), beside(slot));
    }
    history.at(seconds(25));
    history.work_ends(kN1, {}, Ending::done, token(1));
  }
  static reference::LedgerRow beside(int slot) {
    reference::LedgerRow row = History::fired_row(seconds(slot));
    row.schedule = kBeside;
    row.to = row.from + seconds(4);
    return row;
  }
  void fire(int slot) {
    history.covers(kN1, token(1), History::fired_row(seconds(slot)));
    history.asks_for(kN1, seconds(slot), token(1));
    history.lands(kN1, seconds(slot), token(1));
  }
  void reads_anew() {
    const reference::Request read = reference::ReadDue{kResource, store_at(seconds(90)), 1000, {}};
    history.submits(kN1, read, false);
  }
  // Whatever is said of the schedule beside, of which nobody does the work.
  bool says(const std::string& what) {
    for (const Violation& violation : history.checker("no-lost-fire").violations())
      if (violation.message.find(what) != std::string::npos) return true;
    return false;
  }
  History history;
};

const char* const kCameBeside = "although a slot before it was waiting for the work when it came due";

TEST(QueueOne, what_came_while_another_waited_does_not_fire) {
  Queue queue;
  queue.fire(10);
  queue.history.at(seconds(26));
  queue.history.work_ends(kN1, seconds(10), Ending::done, token(1));
  EXPECT_FALSE(queue.says("although"));
  queue.fire(20);
  EXPECT_TRUE(queue.says(kCameBeside));
}

TEST(QueueOne, what_came_while_another_waited_is_suppressed) {
  Queue queue;
  queue.fire(10);
  queue.history.covers(
      kN1, token(1),
      History::range_row(seconds(20), seconds(20) + Duration::micros(1), reference::Disposition::overlapped));
  queue.history.at(seconds(31));
  queue.history.work_ends(kN1, seconds(10), Ending::done, token(1));
  queue.fire(30);
  EXPECT_FALSE(queue.says("although"));
}

TEST(QueueOne, who_reads_anew_what_is_due_does_not_know_what_waited) {
  for (const bool before : {true, false}) {
    Queue queue;
    if (before) queue.reads_anew();
    queue.fire(10);
    if (!before) queue.reads_anew();
    queue.history.at(seconds(26));
    queue.history.work_ends(kN1, seconds(10), Ending::done, token(1));
    queue.fire(20);
    EXPECT_FALSE(queue.says(kCameBeside));
  }
}

TEST(QueueOne, one_slot_waits_at_the_end_and_what_had_come_beside_another_is_lost) {
  Queue queue;
  queue.fire(10);  // and its work goes on
  queue.history.at(seconds(60));
  queue.history.heals();
  queue.history.finishes();
  EXPECT_TRUE(queue.says("billing 2026-01-01T00:00:20Z is not in the ledger"));
  EXPECT_FALSE(queue.says("billing 2026-01-01T00:00:30Z"));
}

// Slot 50s is passed over: what comes after it, in the tail, is handled, so it does not wait for the work of that.
TEST(QueueOne, what_later_slots_have_passed_does_not_wait) {
  for (const bool passed : {true, false}) {
    History history{queueing()};
    history.at(millis(50));
    history.leads(kN1, token(1), seconds(200));
    for (const int slot : {0, 10, 20, 30, 40}) {
      history.at(seconds(slot) + millis(200));
      history.covers(kN1, token(1), History::fired_row(seconds(slot)));
      history.work_is_done(kN1, seconds(slot), token(1));
    }
    if (!passed) history.asks_for(kN1, seconds(40), token(1));
    history.at(seconds(55));
    history.heals();
    history.at(seconds(70));
    if (passed) {
      history.covers(kN1, token(1), History::fired_row(seconds(70)));
      history.asks_for(kN1, seconds(70), token(1));
      history.lands(kN1, seconds(70), token(1));
    }
    history.finishes();
    EXPECT_EQ(history.checker("no-lost-fire").violation_count(), passed ? 1u : 0u);
  }
}

}  // namespace
}  // namespace tenure::sim
