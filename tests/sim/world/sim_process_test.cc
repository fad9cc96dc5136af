// What a process promises its node, and what it does to one: the rules behind traces 10 and 11.
#include "sim/world/sim_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sim/stores/record/requests.h"

namespace tenure::sim {
namespace {

constexpr TimerId kTimer{Part::elector, 1};

// A node that does what the test tells it to, and remembers what it was told.
struct Script {
  std::function<void(const Input&, Env&)> act = [](const Input&, Env&) {};
  std::vector<std::string> heard;
};

class ScriptedNode final : public Node {
 public:
  explicit ScriptedNode(Script& script) : script_(script) {}
  void step(const Input& input, Env& env) override {
    if (const auto* message = std::get_if<MessageReceived>(&input))
      script_.heard.push_back(message->message.kind);
    if (std::holds_alternative<TimerFired>(input)) script_.heard.push_back("timer");
    if (const auto* reply = std::get_if<StoreReplied>(&input))
      script_.heard.push_back(reply->outcome == RequestOutcome::unknown ? "unknown" : "reply");
    if (std::holds_alternative<StopAsked>(input)) script_.heard.push_back("stop");
    script_.act(input, env);
  }
  std::unique_ptr<Node> clone() const override { return std::make_unique<ScriptedNode>(script_); }
  void hash(Hasher&, const Canon&) const override {}

 private:
  Script& script_;
};

class SimProcessTest : public testing::Test, public ProcessWorld {
 protected:
  struct Left {
    TrueTime at;
    std::string kind;
    RequestId id;
    std::uint32_t connection = 0;
  };
  std::unique_ptr<Node> make_node(NodeId) override { return std::make_unique<ScriptedNode>(script); }
  void effect_left(Incarnation, Effect effect) override {
    if (const auto* send = std::get_if<SendEffect>(&effect))
      left.push_back({timeline.now(), send->message.kind, {}});
    if (const auto* submit = std::get_if<SubmitEffect>(&effect))
      left.push_back({timeline.now(), "submit", submit->id, submit->connection});
  }
  void process_changed(NodeId) override {}

  void run_for(Duration d) {
    const TrueTime until = timeline.now() + d;
    while (timeline.run_next(until)) {
    }
  }
  void message(const std::string& kind, std::uint32_t from = 1) {
    process.arrive(process.who(), {ChannelKind::message, from}, MessageReceived{NodeId{from}, {kind, {}}});
  }
  // Of the store, and waits for 3 s.
  static RequestId ask(Env& env) {
    return env.store.submit({.store = {},
                             .request = record::Request{record::Get{}},
                             .deadline = env.clock.mono() + Duration::seconds(3)});
  }
  static void send(Env& env, const std::string& kind) { env.network.send(NodeId{1}, {kind, {}}); }

  Script script;
  Timeline timeline;
  History history{timeline};
  std::vector<Left> left;
  SimProcess process{
      timeline,
      history,
      *this,
      KeyedRng(1),
      {NodeId{0}, 2, NodeClock(MonoTime{}, WallTime{}, 0), Quantiles::constant(Duration::millis(1))}};
};

TEST_F(SimProcessTest, effects_leave_one_by_one_and_in_order) {
  script.act = [](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input))
      for (const char* kind : {"a", "b", "c"}) send(env, kind);
  };
  process.start();
  EXPECT_TRUE(left.empty()) << "nothing leaves within the step";
  run_for(Duration::seconds(1));
  ASSERT_EQ(left.size(), 3U);
  EXPECT_EQ(left[0].kind + left[1].kind + left[2].kind, "abc");
  EXPECT_LT(left[0].at, left[1].at);
  EXPECT_LT(left[1].at, left[2].at);
}

TEST_F(SimProcessTest, a_kill_drops_the_effects_that_have_not_left) {
  script.act = [](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input))
      for (const char* kind : {"a", "b", "c"}) send(env, kind);
  };
  process.start();
  run_for(Duration::micros(1'500));
  process.kill(1);
  run_for(Duration::seconds(1));
  EXPECT_EQ(left.size(), 1U);
}

TEST_F(SimProcessTest, a_pause_between_the_check_and_the_write_holds_the_write_back) {
  script.act = [](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input)) send(env, "write");
  };
  process.start();
  process.pause(1);
  run_for(Duration::seconds(20));
  EXPECT_TRUE(left.empty());
  process.resume(1);
  run_for(Duration::seconds(1));
  ASSERT_EQ(left.size(), 1U);
  EXPECT_GT(left[0].at, TrueTime{} + Duration::seconds(20));
}

TEST_F(SimProcessTest, clocks_run_through_a_pause_and_an_overdue_timer_fires_after_it) {
  script.act = [](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input))
      env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(1));
  };
  process.start();
  process.pause(1);
  run_for(Duration::seconds(20));
  EXPECT_TRUE(script.heard.empty());
  process.resume(1);
  run_for(Duration::seconds(1));
  EXPECT_EQ(script.heard, std::vector<std::string>{"timer"});
}

// If the timer always came first, the classic zombie write would never happen in a simulation.
TEST_F(SimProcessTest, after_a_pause_timers_and_inputs_come_in_drawn_order_but_each_channel_keeps_its_own) {
  std::set<std::string> orders;
  process.start();
  for (int round = 0; round < 60; ++round) {
    script.heard.clear();
    script.act = [](const Input& input, Env& env) {
      if (std::holds_alternative<Started>(input))
        env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(1));
    };
    process.kill(1);
    process.release(1);
    process.pause(1);
    run_for(Duration::seconds(2));
    for (const char* kind : {"a1", "a2"}) message(kind, 1);
    for (const char* kind : {"b1", "b2"}) message(kind, 2);
    process.resume(1);
    run_for(Duration::seconds(1));
    const auto place = [&](const std::string& what) {
      return std::find(script.heard.begin(), script.heard.end(), what) - script.heard.begin();
    };
    ASSERT_EQ(script.heard.size(), 5U);
    EXPECT_LT(place("a1"), place("a2"));
    EXPECT_LT(place("b1"), place("b2"));
    std::string order;
    for (const std::string& what : script.heard) order += what + " ";
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 10U);
}

TEST_F(SimProcessTest, a_pause_less_does_not_redraw_what_comes_after_another) {
  const auto timer_after_pause = [this](int earlier_pauses) {
    Timeline own;
    History own_history{own};
    SimProcess other{own, own_history, *this, KeyedRng(7), {NodeId{0}, 1, NodeClock(), Quantiles()}};
    TrueTime rang;
    script.act = [&](const Input& input, Env& env) {
      if (std::holds_alternative<Started>(input))
        env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(9));
      if (std::holds_alternative<TimerFired>(input)) rang = own.now();
    };
    const auto to = [&](std::int64_t second) {
      while (own.run_next(TrueTime{} + Duration::seconds(second))) {
      }
    };
    other.start();
    for (int i = 0; i < earlier_pauses; ++i) {
      to(2 * i + 1);
      other.pause(1);
      to(2 * i + 2);
      other.resume(1);
    }
    to(8);
    other.pause(2);
    to(20);
    other.resume(2);
    to(21);
    return rang;
  };
  EXPECT_GT(timer_after_pause(0), TrueTime{} + Duration::seconds(20));
  EXPECT_EQ(timer_after_pause(0), timer_after_pause(2));
}

TEST_F(SimProcessTest, an_input_that_arrives_behind_waiting_ones_of_its_channel_does_not_overtake_them) {
  process.start();
  process.pause(1);
  for (const char* kind : {"1", "2", "3"}) message(kind);
  process.resume(1);
  message("4");
  run_for(Duration::seconds(1));
  EXPECT_EQ(script.heard, (std::vector<std::string>{"1", "2", "3", "4"}));
}

TEST_F(SimProcessTest, every_submit_is_answered_exactly_once) {
  RequestId id;
  script.act = [&](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input)) id = ask(env);
  };
  process.start();
  run_for(Duration::seconds(4));
  EXPECT_EQ(script.heard, std::vector<std::string>{"unknown"});
  StoreReplied late;
  late.id = id;
  late.outcome = RequestOutcome::applied;
  process.arrive(process.who(), {ChannelKind::reply, 0}, late);
  EXPECT_EQ(script.heard.size(), 1U) << "a late answer is not a second one";
}

// What is still on the old connection can then be executed after what came later (trace 2).
TEST_F(SimProcessTest, a_driver_that_gave_up_on_an_answer_goes_on_over_a_new_connection) {
  script.act = [](const Input& input, Env& env) {
    const auto* reply = std::get_if<StoreReplied>(&input);
    if (!std::holds_alternative<Started>(input) &&
        (reply == nullptr || reply->outcome != RequestOutcome::unknown))
      return;
    ask(env);
  };
  process.start();
  run_for(Duration::seconds(4));
  ASSERT_EQ(left.size(), 2U);
  EXPECT_NE(left[0].connection, left[1].connection);
}

TEST_F(SimProcessTest, a_reply_in_time_silences_the_deadline) {
  RequestId id;
  script.act = [&](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input)) id = ask(env);
  };
  process.start();
  run_for(Duration::seconds(1));
  StoreReplied reply;
  reply.id = id;
  reply.outcome = RequestOutcome::applied;
  process.arrive(process.who(), {ChannelKind::reply, 0}, reply);
  run_for(Duration::seconds(5));
  EXPECT_EQ(script.heard, std::vector<std::string>{"reply"});
}

TEST_F(SimProcessTest, what_belongs_to_a_dead_incarnation_never_reaches_a_later_one) {
  script.act = [](const Input& input, Env& env) {
    const auto* started = std::get_if<Started>(&input);
    if (started != nullptr && started->self.number == 1) {
      env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(1));
      env.store.submit({.store = {},
                        .request = record::Request{record::Get{}},
                        .deadline = env.clock.mono() + Duration::seconds(1)});
    }
  };
  process.start();
  const Incarnation first = process.who();
  run_for(Duration::millis(10));
  process.kill(1);
  process.release(1);
  process.arrive(first, {ChannelKind::message, 1}, MessageReceived{NodeId{1}, {"old", {}}});
  run_for(Duration::seconds(5));
  EXPECT_TRUE(script.heard.empty());
}

TEST_F(SimProcessTest, a_timer_follows_its_clock_when_the_rate_changes) {
  script.act = [](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input))
      env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(10));
  };
  process.start();
  process.disturb_rate(1, 1'000'000);  // twice as fast
  run_for(Duration::millis(4'999));
  EXPECT_TRUE(script.heard.empty());
  run_for(Duration::millis(2));
  EXPECT_EQ(script.heard, std::vector<std::string>{"timer"});
}

TEST_F(SimProcessTest, rates_of_two_faults_add_up_and_end_one_by_one) {
  const auto gained_in_a_second = [this] {
    const MonoTime before = process.clock().mono(timeline.now());
    run_for(Duration::seconds(1));
    return process.clock().mono(timeline.now()) - before - Duration::seconds(1);
  };
  process.disturb_rate(1, 300);
  process.disturb_rate(2, 400);
  EXPECT_EQ(gained_in_a_second(), Duration::micros(700));
  process.disturb_rate(1, 0);
  EXPECT_EQ(gained_in_a_second(), Duration::micros(400));
  process.disturb_rate(3, -600);
  EXPECT_EQ(gained_in_a_second(), -Duration::micros(200));
  process.disturb_rate(2, 0);
  process.disturb_rate(3, 0);
  EXPECT_EQ(gained_in_a_second(), Duration{});
}

TEST_F(SimProcessTest, setting_a_timer_again_replaces_it) {
  script.act = [](const Input& input, Env& env) {
    if (!std::holds_alternative<Started>(input)) return;
    env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(1));
    env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(2));
  };
  process.start();
  run_for(Duration::millis(1'500));
  EXPECT_TRUE(script.heard.empty());
  run_for(Duration::seconds(5));
  EXPECT_EQ(script.heard.size(), 1U);
}

TEST_F(SimProcessTest, a_stop_lets_the_last_effects_leave_and_the_grace_ends_those_that_hang) {
  bool over = false;
  script.act = [](const Input& input, Env& env) {
    if (!std::holds_alternative<StopAsked>(input)) return;
    send(env, "release");
    env.journal.note(Stopped{});
  };
  process.start();
  process.stop(1, TrueTime::max(), Duration::seconds(10), [&] { over = true; });
  EXPECT_TRUE(process.alive());
  run_for(Duration::millis(2));
  EXPECT_EQ(left.size(), 1U);
  EXPECT_TRUE(over);
  EXPECT_FALSE(process.alive());

  script.act = [](const Input&, Env&) {};
  process.release(1);
  process.stop(1, TrueTime::max(), Duration::seconds(10), nullptr);
  run_for(Duration::seconds(9));
  EXPECT_TRUE(process.alive());
  run_for(Duration::seconds(2));
  EXPECT_FALSE(process.alive());
}

TEST_F(SimProcessTest, two_stops_at_once_are_one_death_and_each_of_them_hears_of_it) {
  std::string over;
  process.start();
  process.stop(1, TrueTime::max(), Duration::seconds(10), [&] { over += "deploy "; });
  process.stop(2, TrueTime::max(), Duration::seconds(5), nullptr);
  process.stop(3, TrueTime::max(), Duration::seconds(20), [&] { over += "stop "; });
  run_for(Duration::seconds(4));
  EXPECT_TRUE(process.alive());
  run_for(Duration::seconds(2));
  EXPECT_FALSE(process.alive()) << "the shortest grace ends it";
  EXPECT_EQ(over, "deploy stop ");
  process.release_all();
  process.kill(1);
  EXPECT_EQ(over, "deploy stop ") << "a later life is nobody's stop";
}

TEST_F(SimProcessTest, a_process_is_down_until_nobody_holds_it) {
  process.kill(1, TrueTime{} + Duration::seconds(9));
  process.start();
  EXPECT_FALSE(process.alive()) << "killed before its first start";
  process.kill(2, TrueTime{} + Duration::seconds(5));
  EXPECT_EQ(process.down_until(), TrueTime{} + Duration::seconds(9));
  process.release(1);
  EXPECT_FALSE(process.alive());
  process.release(2);
  EXPECT_TRUE(process.alive());
  process.release(2);
  EXPECT_EQ(process.who().number, 1U) << "who lets go twice starts nothing twice";
}

TEST_F(SimProcessTest, a_stop_that_is_let_go_of_before_it_is_over_is_a_restart) {
  process.start();
  process.stop(1, TrueTime::max(), Duration::seconds(10), nullptr);
  run_for(Duration::seconds(1));
  process.release(1);
  EXPECT_EQ(process.who().number, 1U);
  run_for(Duration::seconds(10));
  EXPECT_TRUE(process.alive());
  EXPECT_EQ(process.who().number, 2U);
}

TEST_F(SimProcessTest, a_kill_in_a_stop_that_is_let_go_of_holds_the_process_down) {
  process.start();
  process.stop(1, TrueTime::max(), Duration::seconds(10), nullptr);
  process.release(1);
  process.kill(2);
  run_for(Duration::seconds(20));
  EXPECT_FALSE(process.alive());
  process.release(2);
  EXPECT_TRUE(process.alive());
}

// Started at once it would stop again in the same moment, and no simulated time would ever pass.
TEST_F(SimProcessTest, a_process_that_stops_in_its_first_step_is_started_again_later) {
  std::vector<TrueTime> started;
  script.act = [&](const Input& input, Env& env) {
    if (!std::holds_alternative<Started>(input)) return;
    started.push_back(timeline.now());
    ASSERT_LT(started.size(), 100U);
    env.journal.note(Stopped{});
  };
  process.start();
  run_for(Duration::millis(950));
  ASSERT_EQ(started.size(), 10U);
  EXPECT_EQ(started[1] - started[0], Duration::millis(100));
  EXPECT_FALSE(process.alive());
  process.kill(1);
  run_for(Duration::seconds(1));
  EXPECT_EQ(started.size(), 10U) << "who is held down is not started";
  process.release_all();
  EXPECT_EQ(started.size(), 11U) << "the heal starts it";
  script.act = [](const Input&, Env&) {};
  run_for(Duration::seconds(1));
  EXPECT_TRUE(process.alive());
  EXPECT_EQ(process.who().number, 12U);
}

// What was to start the life before last does not start this one.
TEST_F(SimProcessTest, a_process_that_was_started_early_and_stops_again_waits_for_its_own_time) {
  script.act = [](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input)) env.journal.note(Stopped{});
  };
  process.start();
  run_for(Duration::millis(60));
  process.release_all();
  EXPECT_EQ(process.who().number, 2U);
  run_for(Duration::millis(90));
  EXPECT_EQ(process.who().number, 2U);
  run_for(Duration::millis(20));
  EXPECT_EQ(process.who().number, 3U);
}

TEST_F(SimProcessTest, pauses_of_two_faults_end_with_the_later_one) {
  process.start();
  process.pause(1);
  process.pause(2);
  process.resume(1);
  EXPECT_TRUE(process.paused());
  process.resume(2);
  EXPECT_FALSE(process.paused());
}

TEST_F(SimProcessTest, node_randomness_is_keyed_by_purpose_so_that_one_draw_does_not_disturb_another) {
  std::vector<std::uint64_t> drawn;
  bool extra = false;
  script.act = [&](const Input& input, Env& env) {
    if (!std::holds_alternative<Started>(input)) return;
    if (extra) env.random.choose(1'000'000, "something else");
    drawn.push_back(env.random.choose(1'000'000, "jitter"));
  };
  process.start();
  SimProcess twin(timeline, history, *this, KeyedRng(1), {NodeId{0}, 2, NodeClock(), Quantiles()});
  extra = true;
  twin.start();
  EXPECT_EQ(drawn[0], drawn[1]);
}

TEST_F(SimProcessTest, a_suspended_machine_has_no_monotonic_time_and_its_timers_wait_for_theirs) {
  script.act = [](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input))
      env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(10));
  };
  process.start();
  run_for(Duration::seconds(4));
  process.suspend(1);
  run_for(Duration::seconds(60));
  EXPECT_TRUE(process.paused());
  EXPECT_EQ(process.clock().mono(timeline.now()), MonoTime{} + Duration::seconds(4));
  process.wake(1);
  EXPECT_EQ(process.clock().wall(timeline.now()), WallTime{} + Duration::seconds(64));
  run_for(Duration::seconds(5));
  EXPECT_TRUE(script.heard.empty()) << "six seconds were left";
  run_for(Duration::seconds(2));
  EXPECT_EQ(script.heard, std::vector<std::string>{"timer"});
}

TEST_F(SimProcessTest, of_two_suspensions_the_last_to_end_wakes_the_machine) {
  process.start();
  process.suspend(1);
  process.suspend(2);
  run_for(Duration::seconds(1));
  process.wake(1);
  EXPECT_TRUE(process.paused());
  EXPECT_TRUE(process.clock().suspended());
  process.wake(2);
  EXPECT_FALSE(process.paused());
  EXPECT_FALSE(process.clock().suspended());
}

TEST_F(SimProcessTest, a_new_life_starts_on_a_machine_that_runs) {
  process.start();
  process.suspend(1);
  process.kill(2);
  process.release(2);
  EXPECT_FALSE(process.paused());
  EXPECT_FALSE(process.clock().suspended());
}

TEST_F(SimProcessTest, a_clock_that_stands_still_stays_so_whatever_else_disturbs_its_rate) {
  process.start();
  process.disturb_rate(1, RateClock::kStill);
  process.disturb_rate(2, 5'000);
  const MonoTime stood = process.clock().mono(timeline.now());
  run_for(Duration::seconds(10));
  EXPECT_EQ(process.clock().mono(timeline.now()), stood);
  process.disturb_rate(1, 0);
  run_for(Duration::seconds(1));
  EXPECT_EQ(process.clock().mono(timeline.now()), stood + Duration::nanos(1'005'000'000));
}

TEST_F(SimProcessTest, a_starved_node_hears_late_and_acts_late_and_keeps_each_channel_in_order) {
  std::vector<TrueTime> steps;
  script.act = [&](const Input& input, Env& env) {
    steps.push_back(timeline.now());
    if (std::holds_alternative<MessageReceived>(input)) send(env, "answer");
  };
  process.start();
  process.starve(1, Duration::seconds(1));
  for (const char* kind : {"a", "b", "c", "d"}) message(kind);
  run_for(Duration::seconds(10));
  EXPECT_EQ(script.heard, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_GT(steps.at(1), TrueTime{});
  ASSERT_EQ(left.size(), 4U);
  EXPECT_GT(left[0].at, steps[1] + Duration::millis(1)) << "later than it would have left";
  EXPECT_LE(left[3].at, TrueTime{} + Duration::millis(2'010));

  process.starve(1, Duration{});
  const TrueTime now = timeline.now();
  message("e");
  EXPECT_EQ(steps.back(), now) << "at once, as before";
}

TEST_F(SimProcessTest, a_starved_node_hears_of_its_timers_late) {
  TrueTime fired;
  script.act = [&](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input))
      env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(1));
    if (std::holds_alternative<TimerFired>(input)) fired = timeline.now();
  };
  process.start();
  process.starve(1, Duration::seconds(1));
  run_for(Duration::seconds(3));
  EXPECT_GT(fired, TrueTime{} + Duration::seconds(1));
  EXPECT_LE(fired, TrueTime{} + Duration::seconds(2));
}

TEST_F(SimProcessTest, lost_sessions_are_answered_as_unknown_at_once_and_the_next_request_is_on_a_new_one) {
  RequestId first;
  script.act = [&](const Input& input, Env& env) {
    const bool asks = std::holds_alternative<Started>(input) || std::holds_alternative<StoreReplied>(input);
    if (!asks || script.heard.size() > 1) return;
    Submission submission;
    submission.request = record::Request{record::Get{}};
    submission.deadline = env.clock.mono() + Duration::seconds(3);
    const RequestId id = env.store.submit(std::move(submission));
    if (std::holds_alternative<Started>(input)) first = id;
  };
  process.start();
  EXPECT_FALSE(process.awaits_store()) << "nothing has left yet";
  run_for(Duration::millis(10));
  EXPECT_TRUE(process.awaits_store());
  process.lose_sessions();
  EXPECT_EQ(script.heard, std::vector<std::string>{"unknown"});
  run_for(Duration::millis(10));
  ASSERT_EQ(left.size(), 2U);
  EXPECT_NE(left[0].connection, left[1].connection);
  // The answer that was on its way after all is nobody's any more.
  StoreReplied late{.store = {},
                    .id = first,
                    .sent_at = {},
                    .outcome = RequestOutcome::applied,
                    .store_time = {},
                    .reply = {}};
  process.arrive(process.who(), {ChannelKind::reply, 0}, late);
  EXPECT_EQ(script.heard.size(), 1U);
}

}  // namespace
}  // namespace tenure::sim
