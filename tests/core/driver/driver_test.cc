// What no host of the driver shows of its rules, on a driver alone; tests/driver has the others, on every host.
#include "core/driver/driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tenure {
namespace {

constexpr TimerId kTimer{Part::elector, 1};
constexpr TimerId kOther{Part::elector, 2};

// A node that does what the test tells it to, and counts what it was told.
struct Script {
  std::function<void(const Input&, Env&)> act = [](const Input&, Env&) {};
  std::vector<std::string> heard;
  std::vector<StoreReplied> answers;
};

class ScriptedNode final : public Node {
 public:
  explicit ScriptedNode(Script& script) : script_(script) {}
  void step(const Input& input, Env& env) override {
    static const char* const kNames[] = {"started", "timer", "message", "answer",
                                         "change",  "work",  "write",   "stop"};
    script_.heard.emplace_back(kNames[input.index()]);
    if (const auto* answer = std::get_if<StoreReplied>(&input)) script_.answers.push_back(*answer);
    script_.act(input, env);
  }
  std::unique_ptr<Node> clone() const override { return std::make_unique<ScriptedNode>(*this); }
  void hash(Hasher&, const Canon&) const override {}

 private:
  Script& script_;
};

class RecordingHost final : public DriverHost {
 public:
  void stepping(const Input&) override { ++steps; }
  void queued(const Effect&) override { ++queued_effects; }
  void noted(const Note& note, bool believed) override {
    if (std::holds_alternative<Believes>(note)) begins.push_back(!believed);
  }
  void alarm_set(const Alarm&) override { ++alarms; }
  void alarm_dropped(const Alarm&) override { --alarms; }
  std::uint64_t choose(std::uint64_t, std::string_view) override { return 0; }
  std::uint64_t nonce(std::string_view) override { return 7; }

  int steps = 0;
  int queued_effects = 0;
  int alarms = 0;
  std::vector<bool> begins;
};

constexpr MonoTime at(std::int64_t seconds) { return MonoTime{} + Duration::seconds(seconds); }

class DriverTest : public testing::Test {
 protected:
  void start() { driver.start(std::make_unique<ScriptedNode>(script), now(), host); }
  Readings now() const { return {mono, WallTime{} + (mono - MonoTime{})}; }
  bool deliver(Input input) { return driver.deliver(driver.who(), std::move(input), now(), host); }
  bool answer(RequestId id, RequestOutcome outcome = RequestOutcome::applied) {
    StoreReplied reply;
    reply.id = id;
    reply.outcome = outcome;
    reply.sent_at = at(77);  // nobody's business but the driver's
    return deliver(reply);
  }
  bool give_up(RequestId id) {
    mono = std::max(mono, at(13));  // everything here is asked at 10 s, for 3 s
    return driver.give_up(id, now(), host);
  }
  SubmitEffect leave() { return std::get<SubmitEffect>(driver.leave()); }
  static RequestId ask(Env& env, Part part = Part::elector) {
    return env.store.submit({.store = StoreId{3},
                             .part = part,
                             .request = reference::Request{reference::ReadDue{}},
                             .deadline = env.clock.mono() + Duration::seconds(3)});
  }
  // What the next step asks of the store.
  void then_ask(int requests, Part part = Part::elector) {
    script.act = [this, requests, part](const Input&, Env& env) {
      for (int i = 0; i < requests; ++i) asked.push_back(ask(env, part));
      script.act = [](const Input&, Env&) {};
    };
  }
  std::uint64_t hash(const Driver& of) const {
    Hasher hasher;
    of.hash(hasher, Canon(now().mono, now().wall),
            [](Hasher& h, const Canon&, const Request& r) { h.add(r.index()); });
    return hasher.value();
  }

  Script script;
  RecordingHost host;
  MonoTime mono = at(10);
  std::vector<RequestId> asked;
  Driver driver{NodeId{4}, 3};
};

TEST_F(DriverTest, a_host_may_number_a_life) {
  driver.start(std::make_unique<ScriptedNode>(script), 99, now(), host);
  EXPECT_EQ(driver.who(), (Incarnation{NodeId{4}, 99}));
}

TEST_F(DriverTest, an_answer_echoes_what_the_driver_knows) {
  then_ask(1, Part::scheduler);
  start();
  mono = at(11);
  leave();
  mono = at(12);
  EXPECT_TRUE(answer(asked[0]));
  ASSERT_EQ(script.answers.size(), 1U);
  EXPECT_EQ(script.answers[0].sent_at, at(10)) << "the clock of the step that asked";
  EXPECT_EQ(script.answers[0].store, StoreId{3});
  EXPECT_EQ(script.answers[0].part, Part::scheduler);
  EXPECT_EQ(host.alarms, 0) << "its deadline is dropped";
}

TEST_F(DriverTest, each_lane_of_a_part_has_connections_of_its_own) {
  const auto then_ask_on = [this](std::vector<std::uint8_t> lanes) {
    script.act = [this, lanes = std::move(lanes)](const Input&, Env& env) {
      for (const std::uint8_t lane : lanes)
        asked.push_back(env.store.submit({.store = StoreId{3},
                                          .request = reference::Request{reference::ReadDue{}},
                                          .deadline = env.clock.mono() + Duration::seconds(3),
                                          .lane = lane}));
      script.act = [](const Input&, Env&) {};
    };
  };
  then_ask_on({0, 3, 0, 3});
  start();
  const std::uint32_t plain = leave().connection;
  const std::uint32_t named = leave().connection;
  EXPECT_NE(named, plain);
  EXPECT_EQ(leave().connection, plain);
  EXPECT_EQ(leave().connection, named);
  then_ask_on({3, 0, 5});
  give_up(asked[1]);
  const std::uint32_t after = leave().connection;
  EXPECT_NE(after, named);
  EXPECT_NE(after, plain);
  EXPECT_EQ(leave().connection, plain) << "that one did not break";
  const std::uint32_t third = leave().connection;
  EXPECT_EQ(std::set({plain, named, after, third}).size(), 4U);
}

TEST_F(DriverTest, a_store_that_does_not_know_is_followed_by_a_new_connection_too) {
  then_ask(2);
  start();
  const std::uint32_t before = leave().connection;
  leave();
  then_ask(1);
  EXPECT_TRUE(answer(asked[0], RequestOutcome::unknown));
  const std::uint32_t after = leave().connection;
  EXPECT_NE(after, before);
  then_ask(1);
  EXPECT_TRUE(answer(asked[1], RequestOutcome::unknown));
  EXPECT_EQ(leave().connection, after) << "it is not this one that broke";
}

TEST_F(DriverTest, sessions_that_break_leave_nothing_unanswered) {
  then_ask(2);
  start();
  const std::uint32_t before = leave().connection;
  std::vector<StoreReplied> answers = driver.lose_sessions();
  ASSERT_EQ(answers.size(), 1U) << "what waits to leave has no session yet";
  EXPECT_NE(leave().connection, before);
  EXPECT_TRUE(deliver(answers[0]));
  EXPECT_EQ(script.answers.at(0).outcome, RequestOutcome::unknown);
  EXPECT_FALSE(answer(asked[0]));
}

TEST_F(DriverTest, clocks_stand_still_within_a_step) {
  MonoTime seen;
  WallTime wall;
  script.act = [&](const Input&, Env& env) {
    seen = env.clock.mono();
    wall = env.clock.wall();
  };
  start();
  EXPECT_EQ(seen, now().mono);
  EXPECT_EQ(wall, now().wall);
}

TEST_F(DriverTest, belief_is_what_was_said_last_and_ends_by_the_clock_that_was_named) {
  const auto say = [&](const Note& note) {
    script.act = [note](const Input&, Env& env) { env.journal.note(note); };
    deliver(WorkDone{});
  };
  start();
  EXPECT_FALSE(driver.believes(now()));
  say(Believes{{}, Token{1, 1, 1}, at(20)});
  EXPECT_TRUE(driver.believes(now()));
  say(Believes{{}, Token{1, 1, 1}, WallTime{} + Duration::seconds(30)});
  mono = at(29);
  EXPECT_TRUE(driver.believes(now()));
  mono = at(30);
  EXPECT_FALSE(driver.believes(now()));
  say(Believes{{}, {}, Open{}});
  EXPECT_TRUE(driver.believes(now()));
  EXPECT_EQ(host.begins, (std::vector<bool>{true, false, true}));
  say(StepsDown{{}, "because"});
  EXPECT_FALSE(driver.believes(now()));
}

// ---- copies ------------------------------------------------------------------------------------------------

TEST_F(DriverTest, a_copy_goes_its_own_way) {
  then_ask(1);
  start();
  leave();
  Driver copy = driver;
  EXPECT_EQ(hash(copy), hash(driver));
  answer(asked[0]);
  EXPECT_EQ(copy.pending().size(), 1U);
  EXPECT_NE(hash(copy), hash(driver));
  mono = at(13);
  EXPECT_TRUE(copy.give_up(asked[0], now(), host)) << "its node has heard of nothing";
}

// As many requests under way, of other numbers, on connections of other numbers.
TEST_F(DriverTest, states_that_differ_in_absolute_times_and_numbers_alone_hash_alike) {
  const auto digest = [&](MonoTime when, int spent, std::int64_t until) {
    mono = when;
    Driver one{NodeId{4}, 3};
    script.act = [](const Input&, Env&) {};
    one.start(std::make_unique<ScriptedNode>(script), now(), host);
    for (int i = 0; i < spent; ++i) {
      asked.clear();
      then_ask(1);
      one.deliver(one.who(), WorkDone{}, now(), host);
      one.leave();
      mono = mono + Duration::seconds(3);
      one.give_up(asked[0], now(), host);
    }
    script.act = [&](const Input&, Env& env) {
      env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(5));
      env.journal.note(Believes{{}, Token{1, 1, 1ULL << 40}, env.clock.mono() + Duration::seconds(until)});
      ask(env, Part::scheduler);
      ask(env);
    };
    one.deliver(one.who(), WorkDone{}, now(), host);
    one.leave();
    return hash(one);
  };
  EXPECT_EQ(digest(at(10), 1, 4), digest(at(900), 3, 4));
  EXPECT_NE(digest(at(10), 1, 4), digest(at(10), 1, 6));
}

}  // namespace
}  // namespace tenure
