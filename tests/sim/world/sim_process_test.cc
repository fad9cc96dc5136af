// What a process promises its node, and what it does to one: the rules behind traces 10 and 11. As text in
// sim_process.txt, and here what comes in drawn order.
#include "sim/world/sim_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/model/describe.h"
#include "sim/stores/record/requests.h"
#include "tests/support/field_words.h"

namespace tenure::sim {
namespace {

using testing::Words;

constexpr TimerId kTimer{Part::elector, 1};

// A node that does what the test tells it to.
using Act = std::function<void(const Input&, Env&)>;
class ScriptedNode final : public Node {
 public:
  explicit ScriptedNode(const Act& act) : act_(act) {}
  void step(const Input& input, Env& env) override { act_(input, env); }
  std::unique_ptr<Node> clone() const override { return std::make_unique<ScriptedNode>(act_); }
  void hash(Hasher&, const Canon&) const override {}

 private:
  const Act& act_;
};

std::string heard_in(const Input& input) {
  if (const auto* message = std::get_if<MessageReceived>(&input)) return message->message.kind;
  if (std::holds_alternative<TimerFired>(input)) return "timer";
  if (std::holds_alternative<StopAsked>(input)) return "stop";
  if (const auto* reply = std::get_if<StoreReplied>(&input))
    return reply->outcome == RequestOutcome::unknown ? "unknown" : "reply";
  return "start";
}

// One process on one timeline.
struct Machine : ProcessWorld, Observer {
  explicit Machine(const ProgramSetting& program = {})
      : process(timeline, history, *this, KeyedRng(1),
                {NodeId{0}, 2, NodeClock(MonoTime{}, WallTime{}, 0), Quantiles::constant(Duration::millis(1)),
                 TrueTime{}, program}) {
    history.add(*this);
  }
  void see(TrueTime, const Record& record) override {
    const auto* died = std::get_if<NodeDied>(&record);
    if (died != nullptr && died->how == Death::exited) left("exits");
  }
  std::unique_ptr<Node> make_node(NodeId) override { return std::make_unique<ScriptedNode>(act); }
  void effect_left(Incarnation, Effect effect) override {
    if (const auto* send = std::get_if<SendEffect>(&effect)) left("sends " + send->message.kind);
    if (const auto* submit = std::get_if<SubmitEffect>(&effect))
      left("asks on connection " + std::to_string(submit->connection));
  }
  void process_changed(NodeId) override {}
  void run_for(Duration d) {
    const TrueTime until = timeline.now() + d;
    while (timeline.run_next(until)) {
    }
  }
  void message(const std::string& kind, std::uint32_t from, Incarnation to) {
    process.arrive(to, {ChannelKind::message, from}, MessageReceived{NodeId{from}, {kind, {}}});
  }

  Act act = [](const Input&, Env&) {};
  std::function<void(const std::string&)> left = [](const std::string&) {};
  Timeline timeline;
  History history{timeline};
  SimProcess process;
};

// when start send a, timer 1s; when a ask; when a   # what the node does when it is started, or hears; or nothing
// in program exits startup 15s backoff 10s          # it ends when its leadership has
// when start believe 10s; when timer step-down
// start; +1s; kill 1; release 1; bring-up 1; pause 1; suspend 1; starve 1 1s; stop 1 10s deploy  # whom a stop tells
// message a; message a from 2 to 1; reply 1         # to a life; to the first request
class ProcessTalk {
 public:
  explicit ProcessTalk(const std::string&) {}
  std::string say(const std::string& line) {
    answers_.clear();
    for (const std::string& statement : testing::parts(line, ';')) {
      Words words(statement);
      if (words.take("in program")) {
        set_program(words);
        continue;
      }
      if (machine_ == nullptr) begin();
      do_one(words);
      const SimProcess& process = machine_->process;
      const std::string state = !process.alive() ? "is down" : process.paused() ? "is paused" : "is up";
      if (state_ != state && !state_.empty()) answers_.push_back(state);
      state_ = state;
    }
    return testing::wrapped(answers_, "; ");
  }
  std::string end() { return ""; }

 private:
  void set_program(Words& words) {
    program_.exits_on_loss = words.take("exits");
    if (const std::string startup = words.cut("startup"); !startup.empty())
      program_.startup = testing::duration_of(startup).value();
    if (const std::string backoff = words.cut("backoff"); !backoff.empty())
      program_.restart_backoff = testing::duration_of(backoff).value();
  }
  void begin() {
    machine_ = std::make_unique<Machine>(program_);
    machine_->act = [this](const Input& input, Env& env) { hear(heard_in(input), env); };
    machine_->left = [this](const std::string& what) { note(what); };
  }
  void note(const std::string& what) {
    answers_.push_back(what + " at " + describe(machine_->timeline.now() - TrueTime{}));
  }
  static Duration length(Words& words) { return testing::duration_of(words.next()).value(); }

  void hear(const std::string& what, Env& env) {
    note(what == "start" ? "starts as " + describe(machine_->process.who()) : "hears " + what);
    for (const std::string& action : testing::parts(acts_[what], ',')) {
      Words words(action);
      if (words.take("send")) env.network.send(NodeId{1}, {words.next(), {}});
      if (words.take("timer")) env.clock.set_timer(kTimer, env.clock.mono() + length(words));
      if (words.take("stopped")) env.journal.note(Stopped{});
      if (words.take("believe"))
        env.journal.note(Believes{ResourceId{0}, std::nullopt, env.clock.mono() + length(words)});
      if (words.take("step-down")) env.journal.note(StepsDown{ResourceId{0}, "lost"});
      if (words.take("ask"))
        asked_.push_back(env.store.submit({.store = {},
                                           .request = record::Request{record::Get{}},
                                           .deadline = env.clock.mono() + Duration::seconds(3)}));
    }
  }

  void do_one(Words words) {
    SimProcess& process = machine_->process;
    const Timeline& timeline = machine_->timeline;
    if (words.peek().starts_with('+')) machine_->run_for(length(words));
    if (words.done()) return;
    const std::string what = words.next();
    if (what == "when") {
      const std::string event = words.next();
      acts_[event] = words.rest();
    } else if (what == "start") {
      process.start();
    } else if (what == "message") {
      const std::string from = words.cut("from");
      const std::string life = words.cut("to");
      const Incarnation to =
          life.empty() ? process.who() : Incarnation{NodeId{0}, static_cast<std::uint32_t>(std::stoul(life))};
      machine_->message(words.next(), from.empty() ? 1 : static_cast<std::uint32_t>(std::stoul(from)), to);
    } else if (what == "reply") {
      StoreReplied reply;
      reply.id = asked_.at(static_cast<std::size_t>(words.number() - 1));
      reply.outcome = RequestOutcome::applied;
      process.arrive(process.who(), {ChannelKind::reply, 0}, reply);
    } else if (what == "lose-sessions") {
      process.lose_sessions();
    } else if (what == "clock") {
      answers_.push_back("clock " + describe(process.clock().mono(timeline.now())) + ", wall " +
                         describe(process.clock().wall(timeline.now())) +
                         (process.down_until() > TrueTime{}
                              ? ", down until " + describe(process.down_until() - TrueTime{})
                              : "") +
                         (process.awaits_store() ? ", awaits the store" : ""));
    } else if (what == "release-all") {
      process.release_all();
    } else {
      const auto cause = static_cast<std::uint64_t>(words.number());
      const auto until = [&] { return words.done() ? TrueTime::max() : TrueTime{} + length(words); };
      if (what == "kill") process.kill(cause, until());
      if (what == "release") process.release(cause);
      if (what == "bring-up") process.release_brought_up(cause);
      if (what == "pause") process.pause(cause);
      if (what == "resume") process.resume(cause);
      if (what == "suspend") process.suspend(cause);
      if (what == "wake") process.wake(cause);
      if (what == "rate")
        process.disturb_rate(cause, words.peek() == "still" ? RateClock::kStill : words.number());
      if (what == "starve") process.starve(cause, length(words));
      if (what == "stop") {
        const Duration grace = length(words);
        const std::string who = words.rest();
        process.stop(cause, TrueTime::max(), grace, [this, who] {
          if (!who.empty()) note(who + " hears of the end");
        });
      }
    }
  }

  ProgramSetting program_;
  std::unique_ptr<Machine> machine_;
  std::map<std::string, std::string> acts_;
  std::vector<RequestId> asked_;
  std::string state_ = "is down";
  std::vector<std::string> answers_;
};

TEST(SimProcess, does_as_its_text_says) {
  testing::expect_interaction<ProcessTalk>("tests/sim/world/sim_process.txt");
}

class SimProcessTest : public ::testing::Test, protected Machine {};

// If the timer always came first, the classic zombie write would never happen in a simulation.
TEST_F(SimProcessTest, after_a_pause_timers_and_inputs_come_in_drawn_order_but_each_channel_keeps_its_own) {
  std::set<std::string> orders;
  std::vector<std::string> heard;
  act = [&](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input))
      env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(1));
    else
      heard.push_back(heard_in(input));
  };
  process.start();
  for (int round = 0; round < 60; ++round) {
    heard.clear();
    process.kill(1);
    process.release(1);
    process.pause(1);
    run_for(Duration::seconds(2));
    for (const char* kind : {"a1", "a2"}) message(kind, 1, process.who());
    for (const char* kind : {"b1", "b2"}) message(kind, 2, process.who());
    process.resume(1);
    run_for(Duration::seconds(1));
    const auto place = [&](const std::string& what) {
      return std::find(heard.begin(), heard.end(), what) - heard.begin();
    };
    ASSERT_EQ(heard.size(), 5U);
    EXPECT_LT(place("a1"), place("a2"));
    EXPECT_LT(place("b1"), place("b2"));
    std::string order;
    for (const std::string& what : heard) order += what + " ";
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
    act = [&](const Input& input, Env& env) {
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

TEST_F(SimProcessTest, node_randomness_is_keyed_by_purpose_so_that_one_draw_does_not_disturb_another) {
  std::vector<std::uint64_t> drawn;
  bool extra = false;
  act = [&](const Input& input, Env& env) {
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

}  // namespace
}  // namespace tenure::sim
