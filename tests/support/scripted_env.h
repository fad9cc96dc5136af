// A scripted Env for step tests: the test is the world. It sets the clocks, answers requests by hand, and
// reads what a step did as a list of effects.
//
//   ScriptedEnv world;
//   elector->step(Started{…}, world.env());
//   const auto acquire = world.only_request<reference::Acquire>();
//   world.advance(Duration::millis(3));
//   elector->step(world.applied(acquire.id, reference::Granted{…}), world.env());
//   EXPECT_EQ(world.timer(kRenew), …);
//
// Draws are scripted too: choose(n, purpose) takes the next value queued by `draw(purpose, value)`, else it
// is 0, or a keyed hash once `seed()` was called. Nonces count 1, 2, 3, ….
//
// Thread rule: one test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/hash.h"
#include "core/model/env.h"
#include "core/model/input.h"
#include "core/model/no_disk.h"

// The reference store's own; what tests ask other stores, they say in families of theirs.
namespace tenure::reference {
inline Request family_of(Request family) { return family; }
inline Reply family_of(Reply family) { return family; }
}  // namespace tenure::reference

namespace tenure::testing {

struct Sent {
  NodeId to;
  Message message;
};
struct Requested {
  RequestId id;
  MonoTime at;  // mono() of the submitting step
  Submission submission;
};
struct Executed {
  WorkItem item;
};
struct WriteSent {
  WriteItem item;
};
struct TimerSet {
  TimerId timer;
  MonoTime deadline;
};
struct TimerCancelled {
  TimerId timer;
};
struct NoteMade {
  Note note;
};
using Effect = std::variant<Sent, Requested, Executed, WriteSent, TimerSet, TimerCancelled, NoteMade>;

class ScriptedEnv final : private Clock,
                          private Network,
                          private Store,
                          private Work,
                          private Journal,
                          private Random {
 public:
  explicit ScriptedEnv(Incarnation self = {NodeId{0}, 1})
      : self_(self),
        env_{static_cast<Clock&>(*this),
             static_cast<Network&>(*this),
             static_cast<Store&>(*this),
             static_cast<Work&>(*this),
             static_cast<Journal&>(*this),
             static_cast<Random&>(*this),
             disk_} {}
  ScriptedEnv(const ScriptedEnv&) = delete;
  ScriptedEnv& operator=(const ScriptedEnv&) = delete;

  Env& env() { return env_; }
  const Clock& clock() const { return *this; }
  Incarnation self() const { return self_; }

  // ---- time ----------------------------------------------------------------------------------------------
  MonoTime now() const { return mono_; }
  WallTime wall_now() const { return wall_; }
  // Both clocks move on; timers stay for the test to fire.
  void advance(Duration d) {
    mono_ += d;
    wall_ += d;
  }
  void set_wall(WallTime wall) { wall_ = wall; }

  // ---- timers --------------------------------------------------------------------------------------------
  const std::map<TimerId, MonoTime>& timers() const { return timers_; }
  std::optional<MonoTime> timer(TimerId id) const {
    const auto found = timers_.find(id);
    return found == timers_.end() ? std::nullopt : std::optional{found->second};
  }
  // The timer that is due first; nullopt when none is set.
  std::optional<TimerSet> next_timer() const {
    const auto first = std::min_element(timers_.begin(), timers_.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    if (first == timers_.end()) return std::nullopt;
    return TimerSet{first->first, first->second};
  }
  // Takes the timer away, moves the clocks to its deadline if that is ahead, and gives its input.
  TimerFired fire(TimerId id) {
    const auto found = timers_.find(id);
    if (found == timers_.end()) throw std::logic_error("no such timer is set");
    if (found->second > mono_) advance(found->second - mono_);
    timers_.erase(found);
    return TimerFired{id};
  }
  TimerFired fire_next() {
    const auto next = next_timer();
    if (!next) throw std::logic_error("no timer is set");
    return fire(next->timer);
  }

  // ---- effects -------------------------------------------------------------------------------------------
  const std::vector<Effect>& effects() const { return effects_; }
  // The effects since the last take.
  std::vector<Effect> take() { return std::exchange(effects_, {}); }
  // Those of one sort among effects(), in order.
  template <class T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const Effect& effect : effects_)
      if (const T* one = std::get_if<T>(&effect)) found.push_back(*one);
    return found;
  }
  template <class T>
  std::vector<T> notes() const {
    std::vector<T> found;
    for (const Effect& effect : effects_)
      if (const auto* made = std::get_if<NoteMade>(&effect))
        if (const T* one = std::get_if<T>(&made->note)) found.push_back(*one);
    return found;
  }

  // A request of type T, such as reference::Acquire, as it was submitted.
  template <class T>
  struct Asked {
    RequestId id;
    MonoTime at;
    Submission submission;
    T request;
  };
  template <class T>
  std::vector<Asked<T>> requests() const {
    std::vector<Asked<T>> found;
    for (const Requested& asked : all<Requested>())
      if (const T* one = request_as<T>(asked.submission.request))
        found.push_back(Asked<T>{asked.id, asked.at, asked.submission, *one});
    return found;
  }
  // The one request among effects(), which must be a T.
  template <class T>
  Asked<T> only_request() const {
    const auto found = requests<T>();
    if (found.size() != 1 || all<Requested>().size() != 1)
      throw std::logic_error("not exactly one such request");
    return found.front();
  }

  // ---- answers: the inputs that settle a request; each may be given once ----------------------------------
  // Not yet answered, oldest first.
  const std::map<RequestId, Requested>& outstanding() const { return outstanding_; }
  template <class R>
  StoreReplied applied(RequestId id, R reply, StoreTime store_time) {
    StoreReplied answer = settle(id);
    answer.outcome = RequestOutcome::applied;
    answer.store_time = store_time;
    answer.reply = wrap(std::move(reply));
    return answer;
  }
  // With the store's clock equal to this node's wall clock.
  template <class R>
  StoreReplied applied(RequestId id, R reply) {
    return applied(id, std::move(reply), StoreTime::from_ns(wall_.ns()));
  }
  StoreReplied rejected(RequestId id, Rejection why = Rejection::unreachable) {
    StoreReplied answer = settle(id);
    answer.outcome = RequestOutcome::rejected;
    answer.rejection = why;
    return answer;
  }
  StoreReplied unknown(RequestId id) {
    StoreReplied answer = settle(id);
    answer.outcome = RequestOutcome::unknown;
    return answer;
  }

  // ---- randomness ----------------------------------------------------------------------------------------
  // The next draw for `purpose` is `value` (capped at n - 1).
  void draw(const std::string& purpose, std::uint64_t value) { draws_[purpose].push_back(value); }
  // Unscripted draws are hashes of the seed from now on.
  void seed(std::uint64_t seed) { seed_ = seed; }

 private:
  template <class T>
  static const T* request_as(const Request& request) {
    using Family = std::remove_cvref_t<decltype(family_of(std::declval<T>()))>;
    const auto* family = message_as<Family>(request);
    return family != nullptr ? std::get_if<T>(family) : nullptr;
  }
  static Reply wrap(Reply reply) { return reply; }
  template <class R>
    requires(!std::is_same_v<R, Reply>)
  static Reply wrap(R reply) { return family_of(std::move(reply)); }
  StoreReplied settle(RequestId id) {
    const auto found = outstanding_.find(id);
    if (found == outstanding_.end()) throw std::logic_error("no such request is outstanding");
    StoreReplied answer;
    answer.store = found->second.submission.store;
    answer.part = found->second.submission.part;
    answer.id = id;
    answer.sent_at = found->second.at;
    outstanding_.erase(found);
    return answer;
  }

  // Clock
  MonoTime mono() const override { return mono_; }
  WallTime wall() const override { return wall_; }
  void set_timer(TimerId timer, MonoTime deadline) override {
    timers_[timer] = deadline;
    effects_.emplace_back(TimerSet{timer, deadline});
  }
  void cancel_timer(TimerId timer) override {
    if (timers_.erase(timer) != 0) effects_.emplace_back(TimerCancelled{timer});
  }
  // Network, Store, Work, Journal
  void send(NodeId to, Message message) override { effects_.emplace_back(Sent{to, std::move(message)}); }
  RequestId submit(Submission submission) override {
    Requested asked{RequestId{self_, ++counter_}, mono_, std::move(submission)};
    outstanding_.emplace(asked.id, asked);
    const RequestId id = asked.id;
    effects_.push_back(std::move(asked));
    return id;
  }
  void execute(const WorkItem& item) override { effects_.emplace_back(Executed{item}); }
  void write(const WriteItem& item) override { effects_.emplace_back(WriteSent{item}); }
  void note(const Note& note) override { effects_.emplace_back(NoteMade{note}); }
  // Random
  std::uint64_t choose(std::uint64_t n, std::string_view purpose) override {
    if (auto found = draws_.find(std::string{purpose}); found != draws_.end() && !found->second.empty()) {
      const std::uint64_t value = found->second.front();
      found->second.pop_front();
      return std::min(value, n - 1);
    }
    if (!seed_) return 0;
    return reduce(Hasher{*seed_}.add(purpose).add(++drawn_).value(), n);
  }
  std::uint64_t nonce(std::string_view) override { return ++nonces_; }

  Incarnation self_;
  NoDisk disk_;
  Env env_;
  MonoTime mono_ = MonoTime::from_ns(1'000'000'000'000);          // not 0: zero must mean nothing
  WallTime wall_ = WallTime::from_ns(1'767'225'600'000'000'000);  // 2026-01-01T00:00:00Z
  std::map<TimerId, MonoTime> timers_;
  std::vector<Effect> effects_;
  std::map<RequestId, Requested> outstanding_;
  std::map<std::string, std::deque<std::uint64_t>> draws_;
  std::optional<std::uint64_t> seed_;
  std::uint64_t drawn_ = 0;
  std::uint64_t nonces_ = 0;
  std::uint32_t counter_ = 0;
};

}  // namespace tenure::testing
