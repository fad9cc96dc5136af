// The simulator's process: effects leave a millisecond apart, alarms are events of a timeline.
#include "core/base/check.h"
#include "sim/world/sim_process.h"
#include "tests/driver/host_under_test.h"

namespace tenure::testing {
namespace {

class SimHost final : public HostUnderTest, sim::ProcessWorld {
 public:
  using HostUnderTest::HostUnderTest;

  std::string_view name() const override { return "simulator"; }
  bool can(Can what) const override { return what != Can::withhold_effects; }
  void start() override { host_.release(kDown); }
  void end_life() override { host_.kill(kDown); }
  void ask_to_stop() override { host_.stop(kDown, sim::TrueTime::max(), Duration::hours(1), nullptr); }
  bool alive() const override { return host_.alive(); }
  bool believes() const override { return host_.believes(); }
  MonoTime now() const override { return host_.clock().mono(timeline_.now()); }
  void pass(Duration by) override {
    const sim::TrueTime until = timeline_.now() + by;
    while (timeline_.run_next(until)) {
    }
  }
  void pause() override { host_.pause(kStill); }
  void resume() override { host_.resume(kStill); }
  void answer(std::uint64_t number, RequestOutcome outcome) override {
    StoreReplied reply;
    reply.id = script_.ids.at(number - 1);
    reply.outcome = outcome;
    reply.reply = reference::Reply{reference::Released{}};
    host_.arrive(reply.id.incarnation, {sim::ChannelKind::reply, 0}, reply);
  }
  std::vector<Left> left() const override { return left_; }

 private:
  static constexpr std::uint64_t kDown = 0;  // as before its first start
  static constexpr std::uint64_t kStill = 2;
  static constexpr int kLivesMax = 100;

  std::unique_ptr<Node> make_node(NodeId) override {
    CHECK(++lives_ < kLivesMax, "a node that ends as it starts is started again for ever");
    return std::make_unique<ScriptedNode>(script_);
  }
  void effect_left(Incarnation, Effect effect) override {
    if (const auto* submit = std::get_if<SubmitEffect>(&effect))
      left_.push_back({number_in(submit->submission.request), submit->connection});
  }
  void process_changed(NodeId) override {}

  sim::Timeline timeline_;
  sim::History history_{timeline_};
  std::vector<Left> left_;
  int lives_ = 0;
  sim::SimProcess host_{timeline_,
                        history_,
                        *this,
                        sim::KeyedRng(1),
                        {NodeId{0}, 1, sim::NodeClock(MonoTime{}, WallTime{}, 0),
                         sim::Quantiles::constant(Duration::millis(1))}};
};

}  // namespace

std::unique_ptr<HostUnderTest> make_sim_host(Script& script) { return std::make_unique<SimHost>(script); }

}  // namespace tenure::testing
