// The production loop, on a scripted platform: no clock, no thread, no file descriptor. The test takes the loop's
// turns, moves its clock to its next alarm, and answers what its connections were given.
#include <algorithm>

#include "adapters/runtime/loop.h"
#include "core/base/check.h"
#include "tests/driver/host_under_test.h"

namespace tenure::testing {
namespace {

// What the connections of all lives were given, in order.
struct Wire {
  struct Job {
    std::uint64_t number = 0;
    StoreChannel::Done done;
  };
  std::vector<Job> jobs;
};

class ScriptedChannel final : public StoreChannel {
 public:
  explicit ScriptedChannel(Wire& wire) : wire_(wire) {}
  void submit(reference::Request request, MonoTime, Done done) override {
    wire_.jobs.push_back({number_in(request), std::move(done)});
  }
  void finish() override {}
  void stop() override {}
  std::string place() override { return "a script"; }
  bool ended() override { return false; }

 private:
  Wire& wire_;
};

class ScriptedPlatform final : public LoopPlatform {
 public:
  explicit ScriptedPlatform(Wire& wire) : wire_(wire) {}
  journal::Stamp now() const override { return {journal::BootTime::from_ns(clock.ns()), clock}; }
  WallTime wall() const override { return WallTime::from_ns(clock.ns()); }
  void wake() override {}
  // Called by nobody: the loop has no thread.
  void wait(std::optional<MonoTime>) override { CHECK(false, "the test takes the turns"); }
  std::unique_ptr<StoreChannel> open(const Connect&) override {
    return std::make_unique<ScriptedChannel>(wire_);
  }

  MonoTime clock;

 private:
  Wire& wire_;
};

class RuntimeHost final : public HostUnderTest {
 public:
  explicit RuntimeHost(Script& script) : HostUnderTest(script) {
    auto platform = std::make_unique<ScriptedPlatform>(wire_);
    platform_ = platform.get();
    loop_ = std::make_shared<RuntimeLoop>(JournalSink{}, TroubleSink{}, std::move(platform));
  }
  ~RuntimeHost() override { loop_->end(); }

  std::string_view name() const override { return "production"; }
  // Its effects leave as soon as the step is over, it numbers no connections, and it asks nobody what he believes.
  bool can(Can what) const override { return what == Can::answer_late; }
  void start() override {
    who_ = loop_->add({.node = std::make_unique<ScriptedNode>(script_),
                       .id = NodeId{0},
                       .connect = {},
                       .work = {},
                       .observe = {}});
    loop_->turn();
  }
  // No loop kills: the node ends its life by itself, with everything still under way.
  void end_life() override {
    const Script::Act act = script_.act;
    script_.act = [](const Input&, Env& env) { env.journal.note(Stopped{}); };
    script_.recording = false;
    ask_to_stop();
    script_.recording = true;
    script_.act = act;
  }
  void ask_to_stop() override {
    loop_->stop([this](Incarnation who) { return who == who_; });
    loop_->turn();
  }
  bool alive() const override { return !loop_->wait(Duration{}); }
  MonoTime now() const override { return platform_->clock; }
  void pass(Duration by) override {
    const MonoTime until = platform_->clock + by;
    for (int turns = 0; turns < kTurnsMax; ++turns) {
      loop_->turn();
      const std::optional<MonoTime> alarm = loop_->next_alarm();
      if (!alarm || *alarm > until) break;
      platform_->clock = std::max(platform_->clock, *alarm);
    }
    platform_->clock = until;
    loop_->turn();
  }
  void answer(std::uint64_t number, RequestOutcome outcome) override {
    Answer answer;
    answer.outcome = outcome;
    answer.reply = reference::Released{};
    if (outcome != RequestOutcome::applied) answer = unknown(StoreError::lost, "the connection broke");
    for (const Wire::Job& job : wire_.jobs)
      if (job.number == number) job.done(answer);
    loop_->turn();
  }
  std::vector<Left> left() const override {
    std::vector<Left> left;
    for (const Wire::Job& job : wire_.jobs) left.push_back({job.number, 0});
    return left;
  }

 private:
  static constexpr int kTurnsMax = 1'000;  // a driver with a bug may have an alarm that never goes off

  Wire wire_;
  ScriptedPlatform* platform_ = nullptr;
  std::shared_ptr<RuntimeLoop> loop_;
  Incarnation who_;
};

}  // namespace

std::unique_ptr<HostUnderTest> make_runtime_host(Script& script) {
  return std::make_unique<RuntimeHost>(script);
}

}  // namespace tenure::testing
