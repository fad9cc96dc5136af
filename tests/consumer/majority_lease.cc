#include "majority_lease.h"

#include <algorithm>
#include <optional>
#include <set>

namespace {

using namespace tenure;

constexpr TimerId kWake{Part::elector, 1};

class MajorityLease final : public Node {
 public:
  MajorityLease(const ElectorSetup& setup, bool trusting)
      : setup_(setup),
        lease_(setup.parameters.duration("lease_duration")),
        renew_(setup.parameters.duration("renew_period")),
        backoff_(setup.parameters.duration("backoff")),
        drift_ppm_(setup.parameters.number("max_clock_drift_ppm")),
        trusting_(trusting) {}

  void step(const Input& input, Env& env) override {
    if (stopped_) return;
    const MonoTime now = env.clock.mono();
    if (std::holds_alternative<Started>(input)) {
      promised_until_ = now + lease_;
      wait(env);
    } else if (std::holds_alternative<TimerFired>(input)) {
      ask(env);
    } else if (const auto* message = std::get_if<MessageReceived>(&input)) {
      if (message->message.kind == "ask") on_ask(*message, env);
      if (message->message.kind == "promise" && message->message.words.front() == round_) {
        promises_.insert(message->from);
        count(env);
      }
    } else if (std::holds_alternative<StopAsked>(input)) {
      if (trusting_ || now < believed_until_) env.journal.note(StepsDown{setup_.resource, "stopped"});
      env.journal.note(Stopped{});
      stopped_ = true;
    }
  }

  std::unique_ptr<Node> clone() const override { return std::make_unique<MajorityLease>(*this); }

  void hash(Hasher& hasher, const Canon& canon) const override {
    hasher.add(promised_to_);
    hasher.add(canon.offset(promised_until_)).add(canon.offset(asked_at_)).add(canon.offset(believed_until_));
    hasher.add(round_).add(promises_.size()).add(stopped_);
    for (const NodeId node : promises_) hasher.add(node);
  }

 private:
  void ask(Env& env) {
    const MonoTime now = env.clock.mono();
    const bool leads = now < believed_until_;
    if (trusting_ && !leads && believed_until_ != MonoTime::min()) {
      env.journal.note(StepsDown{setup_.resource, "not renewed in time"});
      believed_until_ = MonoTime::min();
    }
    if (!leads && promised_to_ == setup_.self) {
      // Too few promises, or not in time: the round is over, and the promise to itself with it. A node that kept it
      // would refuse another's asking as long as its own is refused: a property of two nodes found that.
      promised_to_.reset();
      promised_until_ = now;
      ++round_;
      return wait(env);
    }
    if (!leads && now < promised_until_) return wait(env);  // the promise was made since the timer was set
    promised_to_ = setup_.self;
    promised_until_ = now + lease_;
    asked_at_ = now;
    promises_ = {setup_.self};
    ++round_;
    for (std::uint32_t i = 0; i < setup_.cluster_size; ++i)
      if (NodeId{i} != setup_.self) env.network.send(NodeId{i}, {"ask", {round_}});
    env.clock.set_timer(kWake, now + renew_);
    count(env);
  }

  void on_ask(const MessageReceived& asked, Env& env) {
    const MonoTime now = env.clock.mono();
    if (now < promised_until_ && promised_to_ != asked.from) return;
    promised_to_ = asked.from;
    promised_until_ = now + lease_;
    env.network.send(asked.from, {"promise", asked.message.words});
    wait(env);
  }

  void count(Env& env) {
    if (2 * promises_.size() <= setup_.cluster_size) return;
    const MonoTime now = env.clock.mono();
    // Their clocks may be fast by as much as ours is slow.
    const MonoTime until = asked_at_ + lease_ - lease_ / 1'000'000 * (2 * drift_ppm_);
    if (until <= now || until <= believed_until_) return;
    believed_until_ = until;
    env.journal.note(Believes{setup_.resource, std::nullopt, trusting_ ? Until{Open{}} : Until{until}});
    env.clock.set_timer(kWake, std::min(asked_at_ + renew_, until));
  }

  // Until no promise counts any more, and then for a drawn time, so that two do not ask at once for ever.
  void wait(Env& env) {
    const auto apart = env.random.choose(static_cast<std::uint64_t>(backoff_.ns()), "backoff");
    env.clock.set_timer(kWake, promised_until_ + Duration::nanos(static_cast<std::int64_t>(apart)));
  }

  ElectorSetup setup_;
  Duration lease_;
  Duration renew_;
  Duration backoff_;
  std::int64_t drift_ppm_;
  bool trusting_;

  std::optional<NodeId> promised_to_;
  MonoTime promised_until_;
  std::int64_t round_ = 0;  // of asking
  MonoTime asked_at_;
  std::set<NodeId> promises_;  // to us, in this round
  MonoTime believed_until_ = MonoTime::min();
  bool stopped_ = false;
};

constexpr std::int64_t kMilli = 1'000'000;
constexpr std::int64_t kHour = 3'600'000 * kMilli;
using Type = ParameterSpec::Type;
constexpr ParameterSpec kParameters[] = {
    {"lease_duration", Type::duration, 5'000 * kMilli, kMilli, kHour, "for how long a promise counts"},
    {"renew_period", Type::duration, 1'000 * kMilli, kMilli, kHour, "how often a leader asks again"},
    {"backoff", Type::duration, 3'000 * kMilli, kMilli, kHour, "the longest wait before asking"},
    {"max_clock_drift_ppm", Type::ppm, 1'000, 0, 100'000, "how far a clock's rate may be off"},
};

const std::vector<Claim>& claims() {
  using enum Assumption;
  static const std::vector<Claim> kClaims = {{"one-believer", {rate_bound, no_mono_freeze}},
                                             {"leader-elected", {}}};
  return kClaims;
}

ElectorKind kind(std::string_view name, std::unique_ptr<Node> (*make_node)(const ElectorSetup&)) {
  return {.name = name,
          .summary = "a lease of a majority's promises",
          .store = nullptr,
          .parameters = [] { return std::span<const ParameterSpec>(kParameters); },
          .claims = claims,
          .make_node = make_node};
}

}  // namespace

const tenure::ElectorKind kMajorityLease =
    kind("majority-lease", [](const ElectorSetup& setup) -> std::unique_ptr<Node> {
      return std::make_unique<MajorityLease>(setup, false);
    });
const tenure::ElectorKind kTrustingLease =
    kind("trusting-lease", [](const ElectorSetup& setup) -> std::unique_ptr<Node> {
      return std::make_unique<MajorityLease>(setup, true);
    });
