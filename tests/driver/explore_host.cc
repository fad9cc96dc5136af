// Exploration's instance: whatever may happen is a move, and the test makes them as they become possible. An instance
// that holds its effects is one whose test has not made the move.
#include <algorithm>

#include "core/base/check.h"
#include "lab/explore/node_state.h"
#include "tests/driver/host_under_test.h"

namespace tenure::testing {
namespace {

using lab::explore::Move;
using lab::explore::MoveKind;
using lab::explore::NodeState;
using lab::explore::Packet;

thread_local Script* playing = nullptr;

class ScriptedElector final : public Elector {
 public:
  explicit ScriptedElector(Script& script) : script_(script) {}
  void step(const Input& input, Env& env) override { script_.step(input, env); }
  Leadership leadership(const Clock&) const override { return {}; }
  std::unique_ptr<Elector> clone() const override { return std::make_unique<ScriptedElector>(script_); }
  void hash(Hasher&, const Canon&) const override {}

 private:
  Script& script_;
};

std::unique_ptr<Elector> make_scripted(const ElectorSetup&) {
  return std::make_unique<ScriptedElector>(*playing);
}

constexpr ElectorKind kScripted{
    .name = "scripted", .summary = "does what a test says", .store = &kReferenceStore, .make = make_scripted};

lab::explore::ExploreSettings settings() {
  lab::explore::ExploreSettings settings;
  settings.protocol = &kScripted;
  settings.instances.push_back({Parameters{kScripted.parameters()}, Duration{}});
  settings.budgets.stops = 1;
  return settings;
}

class ExploreHost final : public HostUnderTest {
 public:
  explicit ExploreHost(Script& script) : HostUnderTest(script) { playing = &script; }

  std::string_view name() const override { return "exploration"; }
  // An answer that nobody awaits is not sent on its way there.
  bool can(Can what) const override { return what != Can::answer_late; }
  void start() override { make(MoveKind::start); }
  void end_life() override { make(MoveKind::crash); }
  void ask_to_stop() override { make(MoveKind::stop); }
  bool alive() const override { return local_.driver.alive(); }
  bool believes() const override { return rules_.believes(local_); }
  MonoTime now() const override { return rules_.mono(local_.now); }
  void pass(Duration by) override {
    const sim::TrueTime until = local_.now + by;
    for (int moves = 0; moves < kMovesMax; ++moves) {
      while (moves < kMovesMax && make_what_is_due()) ++moves;
      if (local_.now == until) return;
      const std::int64_t due = local_.paused ? lab::explore::Facts::kNever : rules_.facts(local_).due_in;
      rules_.advance(local_, std::min(Duration::nanos(due), until - local_.now));
    }
  }
  void pause() override { make(MoveKind::pause); }
  void resume() override { make(MoveKind::resume); }
  void withhold(bool effects) override { withheld_ = effects; }
  void answer(std::uint64_t number, RequestOutcome outcome) override {
    CHECK(outcome == RequestOutcome::applied,
          "exploration's store does not reject, nor is it lost for an answer");
    for (std::size_t i = 0; i < local_.packets.size(); ++i) {
      Packet& packet = local_.packets[i];
      if (packet.stage != Packet::Stage::travelling || number_in(*packet.request) != number) continue;
      packet.stage = Packet::Stage::answered;
      packet.reply = std::make_shared<const Reply>(reference::Reply{reference::Released{}});
      return apply({MoveKind::hear, static_cast<std::uint8_t>(i), false});
    }
  }
  std::vector<Left> left() const override { return left_; }

 private:
  static constexpr int kMovesMax = 1'000;  // a driver with a bug may always have one more

  void apply(Move move) {
    lab::explore::StepEffects seen;
    rules_.apply(local_, move, seen);
    for (const Packet& packet : local_.packets) {
      if (packet.request == nullptr) continue;
      const std::uint64_t number = number_in(*packet.request);
      const bool known =
          std::any_of(left_.begin(), left_.end(), [&](const Left& left) { return left.number == number; });
      if (!known) left_.push_back({number, packet.connection});
    }
  }
  void make(MoveKind kind) {
    for (const Move move : rules_.moves(local_))
      if (move.kind == kind) return apply(move);
  }
  bool make_what_is_due() {
    for (const Move move : rules_.moves(local_)) {
      const bool due =
          move.kind == MoveKind::leave || move.kind == MoveKind::timer || move.kind == MoveKind::give_up;
      if (!due || (withheld_ && move.kind == MoveKind::leave)) continue;
      apply(move);
      return true;
    }
    return false;
  }

  const lab::explore::Rules rules_{settings()};
  NodeState local_ = rules_.make(NodeId{0});
  std::vector<Left> left_;
  bool withheld_ = false;
};

}  // namespace

std::unique_ptr<HostUnderTest> make_explore_host(Script& script) {
  return std::make_unique<ExploreHost>(script);
}

}  // namespace tenure::testing
