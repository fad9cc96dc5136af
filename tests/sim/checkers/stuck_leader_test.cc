// When a leader is stuck, to the moment: from when something came due, and not while it waits for what is no store.
#include <gtest/gtest.h>

#include "core/lease/elector_kind.h"
#include "sim/protocols/registry.h"
#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

// stall_timeout, a poll, two requests and a second.
constexpr Duration kBound = seconds(27);

// n1 leads, has fired the slot of 0s, and goes on renewing.
struct Idle {
  explicit Idle(Overlap overlap = Overlap::allow) : Idle(with(overlap)) {}
  explicit Idle(const Scenario& scenario) : history(scenario) {
    history.at(millis(100));
    history.leads(kN1, token(1), seconds(200));
    history.at(millis(200));
    history.covers(kN1, token(1), History::fired_row({}));
    history.asks_for(kN1, {}, token(1));
    history.lands(kN1, {}, token(1));
  }
  static Scenario with(Overlap overlap) {
    Scenario scenario = reference_scenario();
    scenario.schedules.front().definition.overlap = overlap;
    return scenario;
  }
  // The outbox shows these to it.
  void reads(int second, std::vector<reference::OutboxEvent> events, bool more = false) {
    history.at(seconds(second));
    const std::uint64_t after = read_to;
    read_to = more && !events.empty() ? events.back().seq : 0;
    history.applies(kN1, reference::Request{reference::ReadOutbox{kResource, 1000, after}},
                    reference::Reply{reference::Outbox{std::move(events), more}});
  }
  // It reads, and gets nothing done.
  void polls_until(int second) {
    for (; at < second; ++at) {
      const reference::Request read{reference::ReadOutbox{kResource, 1000, 0}};
      history.at(seconds(at));
      history.submits(kN1, read, false);
      history.applies(kN1, read, reference::Reply{reference::Outbox{}});
    }
  }
  void works(Ending ending) { history.work_ends(kN1, {}, ending, token(1)); }
  // Rows of another schedule.
  void covers_another(int second) {
    history.at(seconds(second));
    reference::LedgerRow row = History::fired_row(seconds(second));
    row.schedule = ScheduleId{1};
    history.covers(kN1, token(1), row);
  }
  bool stuck() const { return history.checker("no-stuck-leader").violation_count() > 0; }
  TrueTime stuck_at() const { return history.checker("no-stuck-leader").violations().begin()->at; }
  History history;
  int at = 1;
  std::uint64_t read_to = 0;
};

TEST(StuckLeader, is_one_from_the_moment_at_which_something_came_due) {
  Idle idle;
  idle.history.work_ends(kN1, {}, Ending::done, token(1));
  idle.polls_until(37);
  EXPECT_FALSE(idle.stuck()) << "10s is due since 10s, and the bound is not over";
  idle.polls_until(39);
  EXPECT_TRUE(idle.stuck());
  EXPECT_GE(idle.history.checker("no-stuck-leader").violations().begin()->at, at_seconds(10) + kBound);
}

TEST(StuckLeader, is_none_whose_slots_were_deleted) {
  Idle idle;
  idle.history.work_ends(kN1, {}, Ending::done, token(1));
  idle.polls_until(11);
  idle.history.applies(kClient, reference::Request{reference::DeleteSchedule{kResource, kBilling, 1}},
                       reference::Reply{reference::Edited{1, 2}});
  idle.polls_until(60);
  EXPECT_FALSE(idle.stuck());
}

TEST(StuckLeader, is_none_while_a_slot_waits_for_its_own_work_and_one_when_that_is_over) {
  Idle idle(Overlap::queue_one);
  idle.polls_until(50);
  EXPECT_FALSE(idle.stuck());
  idle.history.work_ends(kN1, {}, Ending::done, token(1));
  idle.polls_until(75);
  EXPECT_FALSE(idle.stuck());
  idle.polls_until(80);
  EXPECT_TRUE(idle.stuck());
}

TEST(StuckLeader, is_one_at_the_moment_at_which_the_time_is_over) {
  Idle idle;
  idle.works(Ending::done);
  idle.polls_until(20);
  idle.history.at(seconds(50));
  idle.history.submits(kN1, reference::Request{reference::ReadOutbox{kResource, 1000, 0}}, false);
  ASSERT_TRUE(idle.stuck());
  EXPECT_EQ(idle.stuck_at(), at_seconds(10) + kBound);
}

TEST(StuckLeader, is_one_whatever_work_it_begins_meanwhile) {
  Idle idle;
  for (int second = 1; second < 45; second += 2) {
    idle.works(Ending::failed);
    idle.history.at(seconds(second));
    idle.history.asks_for(kN1, {}, token(1));
    idle.history.lands(kN1, {}, token(1));
  }
  EXPECT_TRUE(idle.stuck());
}

// Workers take turns: a commit would have had its own.
TEST(StuckLeader, is_one_whose_only_worker_begins_the_same_work_again_and_again) {
  const auto stuck_after = [](int again) {
    Scenario scenario = Idle::with(Overlap::allow);
    scenario.scheduling.set(scenario.scheduling.find("max_running"), 1);
    Idle idle{scenario};
    for (int i = 0; i < again; ++i) {
      idle.polls_until(idle.at + 5);
      idle.works(Ending::failed);
      idle.history.asks_for(kN1, {}, token(1));
      idle.history.lands(kN1, {}, token(1));
    }
    return idle.stuck();
  };
  EXPECT_FALSE(stuck_after(17));
  EXPECT_TRUE(stuck_after(20));
}

TEST(StuckLeader, is_one_that_does_not_look_through_the_outbox) {
  Idle idle;
  idle.works(Ending::done);
  for (int second = 10; second < 200; second += 10) {
    idle.history.at(seconds(second));
    const reference::CommitFires commit{kResource, kN1, token(1), {History::fired_row(seconds(second))}};
    idle.history.applies(kN1, reference::Request{commit},
                         reference::Reply{reference::Committed{{reference::RowResult::covered}}});
  }
  idle.history.finishes();
  ASSERT_TRUE(idle.stuck());
  EXPECT_EQ(idle.stuck_at(), at_seconds(0) + millis(200) + kBound + seconds(2 * 4 * 3))
      << "two rounds of turns";
}

// It may lift the hold after clock_hold.
TEST(StuckLeader, is_one_that_leaves_a_hold_as_it_is) {
  Idle idle;
  idle.works(Ending::done);
  idle.polls_until(5);
  const reference::Hold hold{store_at(seconds(5)), seconds(60)};
  idle.history.applies(kN1, reference::Request{reference::SetHold{kResource, kN1, token(1), seconds(60)}},
                       reference::Reply{reference::HoldSet{hold}});
  const int lifts =
      5 + static_cast<int>(reference_scenario().scheduling.duration("clock_hold").ns() / 1'000'000'000);
  idle.polls_until(lifts + 30);
  EXPECT_FALSE(idle.stuck());
  idle.polls_until(lifts + 42);
  EXPECT_TRUE(idle.stuck());
}

TEST(StuckLeader, is_one_that_clears_a_hold_which_nobody_set) {
  Idle idle;
  idle.works(Ending::done);
  for (int second = 1; second < 45; second += 5) {
    idle.history.at(seconds(second));
    idle.history.applies(kN1, reference::Request{reference::ClearHold{kResource, kN1, token(1)}},
                         reference::Reply{reference::HoldSet{}});
  }
  EXPECT_TRUE(idle.stuck());
}

TEST(StuckLeader, is_none_as_the_clock_of_the_store_jumps_to_what_is_due) {
  Idle idle;
  idle.history.puts(kBilling, 2, every(Duration::hours(1)));
  idle.works(Ending::done);
  idle.polls_until(60);
  idle.history.view.store_ahead = Duration::hours(1);
  idle.history.see(StoreClockStepped{StoreId{}, Duration::hours(1)});
  EXPECT_FALSE(idle.stuck()) << "it came due a moment ago";
  idle.polls_until(86);
  EXPECT_FALSE(idle.stuck());
  idle.polls_until(90);
  EXPECT_TRUE(idle.stuck());
}

TEST(StuckLeader, owes_what_a_failover_takes_back_from_then_on) {
  Idle idle;
  idle.works(Ending::done);
  idle.history.at(seconds(5));
  idle.history.see(StoreReplicaStalled{StoreId{}});
  idle.history.at(seconds(11));
  idle.history.covers(kN1, token(1), History::fired_row(seconds(10)));
  idle.history.puts(kBilling, 2, every(Duration::hours(1)));
  idle.at = 12;
  idle.polls_until(40);
  idle.history.see(StoreFailedOver{StoreId{}, 2});
  idle.polls_until(67);
  EXPECT_FALSE(idle.stuck());
  idle.polls_until(70);
  EXPECT_TRUE(idle.stuck());
}

TEST(StuckLeader, is_none_that_has_heard_that_it_is_to_stop_and_waits_for_its_work) {
  for (const bool stops : {true, false}) {
    Idle idle;
    idle.polls_until(9);
    if (stops) idle.history.see(StopHeard{kN1});
    idle.history.at(seconds(80));
    idle.works(Ending::done);
    EXPECT_EQ(idle.stuck(), !stops) << "nobody asked it: that it is silent excuses nothing";
    idle.history.at(seconds(108));
    idle.history.submits(kN1, reference::Request{reference::ReadOutbox{kResource, 1000, 0}}, false);
    EXPECT_TRUE(idle.stuck()) << "its work is over";
  }
}

// It tries no more, so what it had tried is no reason.
TEST(StuckLeader, is_none_that_tried_in_vain_before_it_heard_that_it_is_to_stop) {
  for (const bool stops : {true, false}) {
    Idle idle;
    const auto tries = [&idle] {
      idle.history.submits(kN1, reference::Request{reference::CommitFires{kResource, kN1, token(1), {}}});
    };
    for (const int at : {11, 19, 27}) {
      idle.polls_until(at);
      tries();
    }
    if (stops) idle.history.see(StopHeard{kN1});
    idle.history.at(seconds(36));
    idle.history.steps_down(kN1);
    EXPECT_EQ(idle.stuck(), !stops);
  }
}

// Between two tries it may have waited for a worker: of that time half of stall_timeout counts.
TEST(StuckLeader, is_none_that_tried_long_ago_and_now_again) {
  for (const int second_try : {18, 19, 26}) {
    Idle idle;
    for (const int at : {11, second_try, second_try == 19 ? 27 : 28}) {
      idle.polls_until(at);
      idle.history.submits(kN1, reference::Request{reference::CommitFires{kResource, kN1, token(1), {}}});
    }
    idle.history.at(seconds(36));
    idle.history.steps_down(kN1);
    EXPECT_EQ(idle.stuck(), second_try == 19) << second_try;
  }
}

// A minute is the most between two attempts.
TEST(StuckLeader, is_one_that_does_not_begin_again_what_failed) {
  Idle idle(Overlap::queue_one);
  idle.works(Ending::failed);
  idle.polls_until(90);
  EXPECT_FALSE(idle.stuck());
  idle.polls_until(95);
  EXPECT_TRUE(idle.stuck());
}

TEST(StuckLeader, is_one_that_does_not_begin_what_the_outbox_shows_to_it) {
  const reference::OutboxEvent run{7, {kBilling, store_at({}), 1}};
  for (const bool asks : {false, true}) {
    Idle idle;
    idle.history.puts(kBilling, 2, every(Duration::hours(1)));
    idle.works(Ending::done);
    for (int second = 5; second <= 45; second += 5) {
      idle.reads(second, {run});
      if (second == 10 && asks) idle.history.see(WorkAsked{kN1, {kResource, run.id, token(1), false}});
    }
    EXPECT_EQ(idle.stuck(), !asks);
    if (!asks) {
      EXPECT_EQ(idle.stuck_at(), at_seconds(5) + kBound + seconds(3));
    }
  }
}

TEST(StuckLeader, is_none_while_all_its_workers_are_at_work) {
  Scenario scenario = Idle::with(Overlap::allow);
  scenario.scheduling.set(scenario.scheduling.find("max_running"), 1);
  Idle idle{scenario};
  idle.history.puts(kBilling, 2, every(Duration::hours(1)));
  for (int second = 5; second <= 60; second += 5) idle.reads(second, {{7, {kBilling, store_at({}), 1}}});
  EXPECT_FALSE(idle.stuck());
  idle.works(Ending::done);
  for (int second = 65; second <= 95; second += 5) idle.reads(second, {{7, {kBilling, store_at({}), 1}}});
  EXPECT_TRUE(idle.stuck());
}

// As it sends a commit it keeps its workers for what that fires.
TEST(StuckLeader, is_none_while_its_worker_is_kept_for_one_commit_after_the_other) {
  for (const bool commits : {true, false}) {
    Scenario scenario = Idle::with(Overlap::allow);
    scenario.scheduling.set(scenario.scheduling.find("max_running"), 1);
    Idle idle{scenario};
    idle.works(Ending::done);
    idle.history.puts(kBilling, 2, every(Duration::hours(1)));
    idle.history.puts(ScheduleId{1}, 1, every(seconds(1)));
    for (int second = 1; second <= 60; ++second) {
      idle.reads(second, {{7, {kBilling, store_at({}), 1}}});
      if (commits || second < 10) idle.covers_another(second);
    }
    EXPECT_EQ(idle.stuck(), !commits);
  }
}

// What it tried last has failed: a fault of long ago is no reason.
TEST(StuckLeader, that_leaves_has_a_recent_reason) {
  for (const int leaves : {20, 60}) {
    Idle idle;
    idle.works(Ending::done);
    idle.history.puts(kBilling, 2, every(Duration::hours(1)));
    idle.history.at(seconds(1));
    idle.history.see(FaultBegan{.id = 1, .action = "kill", .what = "", .duration = seconds(1)});
    idle.history.at(seconds(2));
    idle.history.see(FaultEnded{.id = 1, .action = "kill"});
    idle.at = 2;
    idle.polls_until(leaves);
    idle.history.at(seconds(leaves));
    idle.history.steps_down(kN1);
    idle.history.submits(kN1, reference::Request{reference::Release{kResource, kN1, token(1)}});
    EXPECT_EQ(idle.stuck(), leaves == 60);
  }
}

// The second page brings it further, the first one once more does not.
TEST(StuckLeader, is_one_that_looks_through_the_first_page_of_the_outbox_only) {
  const reference::OutboxEvent first{7, {kBilling, store_at({}), 0}};
  for (const bool ends : {true, false}) {
    Idle idle;
    idle.history.puts(kBilling, 2, every(Duration::hours(1)));
    for (int second = 5; second <= 90; second += 5) {
      idle.reads(second, {first}, true);
      if (ends) idle.reads(second + 1, {});
    }
    EXPECT_EQ(idle.stuck(), !ends);
  }
}

// The outbox has it since, and the second leadership may never have heard of it.
TEST(StuckLeader, is_one_whose_slot_waits_for_work_that_failed_in_an_earlier_leadership) {
  Idle idle(Overlap::queue_one);
  idle.works(Ending::failed);
  idle.history.steps_down(kN1);
  idle.history.leads(kN1, token(2), seconds(200));
  idle.polls_until(70);
  EXPECT_TRUE(idle.stuck());
}

TEST(StuckLeader, leaves_once_if_its_program_cannot_read_what_is_due) {
  Idle idle;
  idle.works(Ending::done);
  idle.history.puts(ScheduleId{1}, 1, every(seconds(1)));
  idle.history.see(DefinitionRead{kN1.node, kBilling, false});
  for (int second = 1; second < 40; ++second) idle.covers_another(second);
  ASSERT_TRUE(idle.stuck()) << "it fires the other, and another instance may be able to read this one";
  const auto found = idle.history.checker("no-stuck-leader").violation_count();
  idle.history.steps_down(kN1);
  idle.history.leads(kN1, token(2), seconds(200));
  for (int second = 40; second < 100; ++second) idle.covers_another(second);
  EXPECT_EQ(idle.history.checker("no-stuck-leader").violation_count(), found) << "none of them could";
}

// With `skip` each slot has a commit of its own, also one that the store judges to overlap: the next one waits for it.
TEST(StuckLeader, is_none_that_goes_on_with_others_while_a_slot_waits_for_the_commit_of_one_that_overlapped) {
  Idle idle(Overlap::skip);
  idle.works(Ending::done);
  idle.history.puts(ScheduleId{1}, 1, every(seconds(1)));
  for (int second = 1; second < 62; ++second) {
    idle.covers_another(second);
    if (second != 36) continue;
    const reference::Request request =
        reference::CommitFires{kResource, kN1, token(1), {History::fired_row(seconds(10))}};
    idle.history.submits(kN1, request);
    idle.history.applies(kN1, request,
                         reference::Reply{reference::Committed{{reference::RowResult::overlapped}}});
  }
  EXPECT_FALSE(idle.stuck()) << idle.history.first_message("no-stuck-leader");
  for (int second = 62; second < 70; ++second) idle.covers_another(second);
  EXPECT_TRUE(idle.stuck()) << "the slot of 20s is due, and nothing keeps it waiting";
}

// Nothing refused it and nothing was late: it has not asked.
TEST(StuckLeader, leaves_for_nothing_if_it_lets_its_belief_run_out) {
  const auto lets_it_run_out = [](const Scenario& scenario) {
    History history(scenario);
    history.at(millis(100));
    history.leads(kN1, token(1), seconds(40));
    history.fires(kN1, token(1), {});
    for (int second = 10; second < 50; second += 10) {
      history.at(seconds(second));
      if (second < 40)
        history.fires(kN1, token(1), seconds(second));
      else
        history.granted(kN2, token(2));
    }
    history.finishes();
    return history.first_message("no-stuck-leader").find("leaves although all went well") !=
           std::string::npos;
  };
  Scenario scenario = reference_scenario();
  scenario.protocol = &tenure::kFencedLease;
  for (InstanceSetting& instance : scenario.instances)
    instance.election = Parameters(scenario.protocol->parameters());
  EXPECT_TRUE(lets_it_run_out(scenario));
  scenario.network.loss_ppm = 1;
  EXPECT_FALSE(lets_it_run_out(scenario)) << "the answer may have been lost";
  scenario.network.loss_ppm = 0;
  scenario.instances.front().election.set("renew_period", seconds(13));
  EXPECT_FALSE(lets_it_run_out(scenario)) << "its settings are not safe";
}

}  // namespace
}  // namespace tenure::sim
