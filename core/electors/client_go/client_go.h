// client-go: the leader election of Kubernetes' Go client, on a versioned record with compare-and-set.
//
// README.md has the pseudo-code, the weak points and the claims. It models published code, so its ways are
// kept on purpose:
//
//   1. A candidate waits for the record to stand still: expiry is judged on its own clock, from the moment at
//      which it saw the record change, by the duration in the record.
//   2. A leader leads until its renew loop gives up: D after a poll began without a success, whatever it has
//      read meanwhile, another holder's name included. Nothing that the callers do looks at a deadline, so
//      belief is open: a process that was paused believes until it gets round to the loop again, which then
//      starts a fresh D.
//   3. No token.
//
// Thread rule: as Node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/electors/registry.h"

namespace tenure {

class ClientGo final : public Elector {
 public:
  explicit ClientGo(const ElectorSetup& setup);

  void step(const Input& input, Env& env) override;
  Leadership leadership(const Clock& clock) const override;
  std::unique_ptr<Elector> clone() const override;
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  enum class Role : std::uint8_t { unborn, standby, leader, stopping, stopped };
  enum class Ask : std::uint8_t { get, put, release };
  struct Settings {
    explicit Settings(const Parameters& parameters);
    Duration lease_duration;  // as written to the record: whole seconds
    Duration renew_deadline;
    Duration retry_period;
    Duration request_timeout;
    bool release_on_cancel;
  };
  // The one request under way.
  struct Pending {
    RequestId id;
    Ask ask = Ask::get;
    record::LeaseRecord written;  // put
  };

  void on_timer(TimerId timer, Env& env);
  void on_reply(const StoreReplied& answer, Env& env);
  void on_record(const record::Found& found, Env& env);
  void on_stop(Env& env);

  void attempt(Env& env);
  void put(std::uint64_t version, const record::LeaseRecord& record, Ask ask, Env& env);
  void submit(record::Request request, const Pending& pending, Env& env);
  void succeed(Env& env);
  void fail(Env& env);
  void begin_poll(Env& env);
  void give_up(Env& env);
  void release(Env& env);
  void stop(Env& env);
  void observe(std::uint64_t version, const record::LeaseRecord& record, Env& env);
  void set_next(MonoTime at, Env& env);

  const Settings settings_;
  const StoreId store_;
  const ResourceId resource_;

  Role role_ = Role::unborn;
  Incarnation self_;
  // The record as last seen, and when it was first seen so.
  std::uint64_t version_ = 0;  // 0: never seen
  record::LeaseRecord record_;
  MonoTime seen_at_;

  std::optional<Pending> pending_;
  MonoTime attempt_at_;                    // when the attempt under way began
  MonoTime poll_from_;                     // leader: when its poll began, …
  MonoTime poll_until_ = MonoTime::max();  // … and when it gives up; max(): asleep between polls
  MonoTime next_at_ = MonoTime::max();     // the next attempt, or the leader's next poll
};

extern const ElectorKind kClientGo;

}  // namespace tenure
