// A fenced outbox between a scripted world and a store whose answers the test writes.
//
// Thread rule: one test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/scheduler/scheduler_kind.h"
#include "tests/core/scheduler/the_resource.h"
#include "tests/support/scripted_env.h"

namespace tenure::testing {

inline constexpr TimerId kTimer{Part::scheduler, 0};
inline constexpr Token kToken{1, 5, 77};
inline constexpr ScheduleId kA{1}, kB{2};

class FencedOutboxFixture : public ::testing::Test {
 protected:
  FencedOutboxFixture() { make(); }

  void make() {
    Parameters parameters{kFencedOutbox.parameters()};
    scheduler_ = kFencedOutbox.make({StoreId{0}, kResource, parameters});
  }
  void step(const Input& input) { scheduler_->step(input, leadership_, world_.env()); }
  // Started, with the first poll answered by `changes`; both clocks agree, and a reply takes 2 ms.
  void start(std::vector<reference::Change> changes = {}) {
    world_.draw("poll-phase", Duration::seconds(4).ns());
    step(Started{world_.self(), 3});
    answer_poll(std::move(changes));
  }
  void answer_poll(std::vector<reference::Change> changes = {},
                   std::optional<reference::Hold> hold = std::nullopt) {
    const std::uint64_t seq = changes.empty() ? seq_ : changes.back().seq;
    seq_ = seq;
    answer<reference::ChangesSince>(reference::Changes{std::move(changes), seq, false, hold});
  }
  // Answers the request of type T that waits, after 1 ms there and 1 ms back.
  template <class T, class R>
  void answer(R reply) {
    const RequestId id = waiting<T>();
    world_.advance(Duration::millis(1));
    const StoreTime executed = store_now();
    world_.advance(Duration::millis(1));
    world_.take();
    step(world_.applied(id, std::move(reply), executed));
  }
  template <class T>
  RequestId waiting() const {
    for (const auto& [id, asked] : world_.outstanding())
      if (std::get_if<T>(&std::get<reference::Request>(asked.submission.request))) return id;
    ADD_FAILURE() << "no such request is waiting";
    return {};
  }
  template <class T>
  bool waits() const {
    for (const auto& [id, asked] : world_.outstanding())
      if (std::get_if<T>(&std::get<reference::Request>(asked.submission.request))) return true;
    return false;
  }
  void lead(const Token& token = kToken) {
    world_.take();
    leadership_ = {token, MonoTime::max()};
    step(TimerFired{{Part::elector, 0}});
  }
  void lose_leadership() {
    leadership_ = {};
    step(TimerFired{{Part::elector, 0}});
  }
  // A leader with schedule A every ten seconds from `in` seconds on, ready to fire.
  void lead_with_a(std::int64_t in = 10) {
    start({created(1, kA, in)});
    lead();
    answer<reference::ReadDue>(reference::Due{{segment(kA, in)}, false, 1, std::nullopt});
    answer<reference::ReadOutbox>(reference::Outbox{});
  }
  // Lets time pass to the scheduler's timer. A prune that waits is answered before: it forgot nothing.
  void wake() {
    if (waits<reference::Prune>()) {
      ++prunes_;
      return answer<reference::Prune>(reference::Pruned{});
    }
    world_.take();
    step(world_.fire(kTimer));
  }
  // Lets it pass, answering what is asked regularly with nothing new, until `enough()`.
  template <class Enough>
  void pass_time(Enough enough, std::optional<reference::Hold> hold = std::nullopt) {
    for (int i = 0; i < 200 && !enough(); ++i) {
      if (waits<reference::ChangesSince>())
        answer_poll({}, hold);
      else if (waits<reference::ReadDue>())
        answer<reference::ReadDue>(reference::Due{{}, false, seq_, hold});
      else if (waits<reference::ReadOutbox>())
        answer<reference::ReadOutbox>(reference::Outbox{});
      else
        wake();
    }
    ASSERT_TRUE(enough());
  }
  void pass_time_until(StoreTime time) {
    pass_time([this, time] { return store_now() >= time || waits<reference::CommitFires>(); });
  }
  void wake_until_commit() {
    pass_time([this] { return waits<reference::CommitFires>(); });
  }
  void commit_covered() {
    answer<reference::CommitFires>(reference::Committed{{reference::RowResult::covered}});
  }

  StoreTime store_now() const { return zero_ + (world_.now() - mono_zero_) + store_offset_; }
  StoreTime slot(std::int64_t second) const { return zero_ + Duration::seconds(second); }
  Definition every_ten(std::int64_t in) const { return {Interval{slot(in), Duration::seconds(10)}}; }
  reference::Segment segment(ScheduleId id, std::int64_t cursor, std::uint32_t version = 1) const {
    return {id, version, zero_, StoreTime::max(), slot(cursor)};
  }
  reference::Change created(std::uint64_t seq, ScheduleId id, std::int64_t in,
                            std::uint32_t version = 1) const {
    return {seq, segment(id, in, version), every_ten(in), false};
  }

  ScriptedEnv world_;
  MonoTime mono_zero_ = world_.now();
  StoreTime zero_ = StoreTime::from_ns(world_.wall_now().ns());
  Duration store_offset_;
  std::uint64_t seq_ = 0;
  std::size_t prunes_ = 0;  // that were answered so
  Leadership leadership_;
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace tenure::testing
