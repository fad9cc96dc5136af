// What a program around a node does when its leadership ends, and when it comes back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/model/describe.h"
#include "sim/world/restart_backoff.h"
#include "sim/world/sim_process.h"

namespace tenure::sim {
namespace {

constexpr Duration second(std::int64_t n) { return Duration::seconds(n); }

// Believes as it is told to, one belief for each input.
class Believer final : public Node {
 public:
  explicit Believer(const std::function<void(const Input&, Env&)>& act) : act_(act) {}
  void step(const Input& input, Env& env) override { act_(input, env); }
  std::unique_ptr<Node> clone() const override { return std::make_unique<Believer>(act_); }
  void hash(Hasher&, const Canon&) const override {}

 private:
  const std::function<void(const Input&, Env&)>& act_;
};

class ProgramTest : public ::testing::Test, public ProcessWorld, public Observer {
 protected:
  ProgramTest() { history.add(*this); }
  std::unique_ptr<Node> make_node(NodeId) override { return std::make_unique<Believer>(act); }
  void effect_left(Incarnation, Effect) override { ++left; }
  void process_changed(NodeId) override {}
  void see(TrueTime now, const Record& record) override {
    const auto at = [now] { return std::to_string((now - TrueTime{}).ns() / second(1).ns()) + "s "; };
    if (const auto* started = std::get_if<NodeStarted>(&record))
      lives.push_back(at() + describe(started->who));
    if (const auto* died = std::get_if<NodeDied>(&record))
      lives.push_back(at() + std::string(name_of(died->how)));
  }
  void run_to(Duration at) {
    while (timeline.run_next(TrueTime{} + at)) {
    }
  }
  SimProcess& begin(ProgramSetting program) {
    SimProcess::Setting setting{NodeId{0}, 2, NodeClock(MonoTime{}, WallTime{}, 0),
                                Quantiles::constant(Duration::millis(1))};
    setting.program = program;
    process = std::make_unique<SimProcess>(timeline, history, *this, KeyedRng(1), setting);
    process->start();
    return *process;
  }
  static void believe(Env& env, Duration length) {
    env.journal.note(Believes{ResourceId{0}, std::nullopt, env.clock.mono() + length});
  }

  std::function<void(const Input&, Env&)> act = [](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input)) believe(env, second(10));
  };
  Timeline timeline;
  History history{timeline};
  std::unique_ptr<SimProcess> process;
  std::vector<std::string> lives;
  int left = 0;
};

using Lives = std::vector<std::string>;
ProgramSetting exits() {
  ProgramSetting program;
  program.exits_on_loss = true;
  return program;
}
ProgramSetting starts_up(Duration startup) {
  ProgramSetting program;
  program.startup = startup;
  return program;
}

TEST_F(ProgramTest, goes_on_without_leadership_unless_it_is_one_that_exits) {
  begin({});
  run_to(second(30));
  EXPECT_EQ(lives, Lives{"0s n1"});
}

TEST_F(ProgramTest, exits_as_its_belief_runs_out_and_waits_longer_each_time) {
  begin(exits());
  run_to(second(75));
  EXPECT_EQ(lives, (Lives{"0s n1", "10s exited", "10s n1#2", "20s exited", "30s n1#3", "40s exited",
                          "60s n1#4", "70s exited"}));
}

TEST_F(ProgramTest, exits_in_the_step_in_which_it_steps_down_and_what_has_not_left_does_not) {
  act = [](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input)) {
      believe(env, second(10));
      env.clock.set_timer({Part::elector, 1}, env.clock.mono() + second(5));
    } else {
      env.network.send(NodeId{1}, {"release", {}});
      env.journal.note(StepsDown{ResourceId{0}, "lost"});
    }
  };
  begin(exits());
  run_to(Duration::millis(5'050));
  EXPECT_EQ(lives, (Lives{"0s n1", "5s exited"}));
  EXPECT_EQ(left, 0);
}

TEST_F(ProgramTest, a_belief_that_is_extended_does_not_end) {
  act = [](const Input&, Env& env) {
    believe(env, second(10));
    env.clock.set_timer({Part::elector, 1}, env.clock.mono() + second(5));
  };
  begin(exits());
  run_to(second(60));
  EXPECT_EQ(lives, Lives{"0s n1"});
}

TEST_F(ProgramTest, one_that_stands_still_exits_as_it_wakes_up) {
  begin(exits());
  run_to(second(5));
  process->pause(1);
  run_to(second(30));
  EXPECT_EQ(lives, Lives{"0s n1"});
  process->resume(1);
  run_to(Duration::millis(30'050));
  EXPECT_EQ(lives, (Lives{"0s n1", "30s exited"}));
}

TEST_F(ProgramTest, a_clock_that_slows_down_moves_the_end_of_its_belief) {
  begin(exits());
  run_to(second(5));
  process->disturb_rate(1, -500'000);
  run_to(second(14));
  EXPECT_EQ(lives, Lives{"0s n1"});
  run_to(Duration::millis(15'050));
  EXPECT_EQ(lives, (Lives{"0s n1", "15s exited"}));
}

TEST_F(ProgramTest, whoever_is_asked_to_stop_does_not_exit) {
  act = [](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input)) believe(env, second(10));
    if (std::holds_alternative<StopAsked>(input)) {
      env.journal.note(StepsDown{ResourceId{0}, "asked to stop"});
      env.journal.note(Stopped{});
    }
  };
  begin(exits());
  run_to(second(5));
  process->stop(1, TrueTime::max(), second(5), nullptr);
  run_to(second(20));
  EXPECT_EQ(lives, (Lives{"0s n1", "5s stopped"}));
}

TEST_F(ProgramTest, a_restart_takes_its_startup_and_the_first_start_does_not) {
  begin(starts_up(second(15)));
  run_to(second(5));
  process->kill(1);
  run_to(second(10));
  process->release(1);
  run_to(second(30));
  EXPECT_EQ(lives, (Lives{"0s n1", "5s killed", "25s n1#2"}));
}

TEST_F(ProgramTest, killed_while_it_starts_up_it_starts_up_anew) {
  begin(starts_up(second(15)));
  run_to(second(5));
  process->kill(1);
  process->release(1);
  run_to(second(10));
  process->kill(2);
  run_to(second(12));
  process->release(2);
  run_to(second(40));
  EXPECT_EQ(lives, (Lives{"0s n1", "5s killed", "27s n1#2"}));
}

TEST_F(ProgramTest, one_that_was_brought_up_before_is_there_at_once) {
  begin(starts_up(second(15)));
  run_to(second(5));
  process->kill(1);
  process->release_brought_up(1);
  run_to(second(30));
  EXPECT_EQ(lives, (Lives{"0s n1", "5s killed", "5s n1#2"}));
}

TEST_F(ProgramTest, the_heal_ends_a_back_off_but_not_a_startup) {
  ProgramSetting program = exits();
  program.startup = second(15);
  program.restart_backoff = second(100);
  begin(program);
  run_to(second(60));  // exits at 10 s, is there at 25 s, and exits at 35 s
  process->release_all();
  run_to(second(80));
  EXPECT_EQ(lives, (Lives{"0s n1", "10s exited", "25s n1#2", "35s exited", "75s n1#3"}));
}

TEST(RestartBackoff, is_none_at_first_doubles_and_begins_anew_after_twice_its_longest) {
  ProgramSetting program = exits();
  program.longest_backoff = second(35);
  RestartBackoff backoff(program);
  const auto after = [&](Duration lived) { return backoff.after_exit(TrueTime{}, TrueTime{} + lived); };
  EXPECT_EQ(after(second(1)), second(0));
  EXPECT_EQ(after(second(1)), second(10));
  EXPECT_EQ(after(second(70)), second(20));
  EXPECT_EQ(after(second(1)), second(35));
  EXPECT_EQ(after(second(1)), second(35));
  EXPECT_EQ(after(second(71)), second(0));
  EXPECT_EQ(after(second(1)), second(10));
}

}  // namespace
}  // namespace tenure::sim
