// client-go: the leader election of Kubernetes' Go client, on a versioned record with compare-and-set.
//
// README.md has the pseudo-code for each release, the weak points and the claims. This class models published code, so
// it keeps the code's behaviour on purpose:
//
//   1. A candidate waits until the record stands still. It judges expiry on its own clock: the duration in the record,
//      from the moment at which it saw the record change. The record's times have whole seconds, so it does not see a
//      second renewal within one second.
//   2. A leader leads until its renew loop gives up, D after a poll began without a success. What it reads meanwhile
//      does not matter, not even another holder's name. Its callers never look at a deadline, so belief is open: a
//      paused process believes until it reaches the loop again, and the loop then starts a fresh D.
//   3. With release_on_cancel a leader that gives up releases first and stops leading afterwards.
//   4. No token.
//
// Source: k8s.io/client-go tools/leaderelection/leaderelection.go and tools/leaderelection/resourcelock/leaselock.go,
// k8s.io/apimachinery pkg/util/wait, at the tags that `release` names.
//
// Thread rule: as Node.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/protocols/kind_parts.h"
#include "sim/stores/record/requests.h"

namespace tenure {

class ClientGo final : public CopyableElector<ClientGo> {
 public:
  explicit ClientGo(const ElectorSetup& setup);

  void step(const Input& input, Env& env) override;
  Leadership leadership(const Clock& clock) const override;
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  // releasing: it has given up, and still leads while it releases. stopping: it no longer leads, and releases.
  enum class Role : std::uint8_t { unborn, standby, leader, releasing, stopping, stopped };
  // renew: the update that a holder tries first, without a get. look, release: the two requests of a release.
  enum class Ask : std::uint8_t { renew, get, put, look, release };
  // The differences between the releases.
  struct Habits {
    explicit Habits(std::string_view release);
    bool renews_by_update;  // v0.30 and later: one update; get and update only if that fails
    bool keeps_a_tick;      // v0.32 and later: polls tick from their start, and one tick waits for an attempt
    bool bounds_the_release;  // v0.31 and later: a release ends D after it began
    bool looks_to_release;    // v0.34 and later: a release gets the record first, for its version
    bool retries_a_release;   // v0.37: after a conflict it begins anew, until its D is over
  };
  struct Settings {
    explicit Settings(const Parameters& parameters);
    Duration lease_duration;  // as written to the record: whole seconds
    Duration renew_deadline;
    Duration retry_period;
    Duration request_timeout;
    bool release_on_cancel;
    Habits habits;
  };
  // The one request under way.
  struct PendingAttempt {
    RequestId id;
    Ask ask = Ask::get;
    MonoTime deadline;
    record::LeaseRecord written;  // renew, put, release
  };
  // A leader's poll: attempts from `from` until one of them succeeds, or until `until`.
  struct Poll {
    MonoTime from;
    MonoTime until;
    std::optional<MonoTime>
        ticks_from;          // none: ticks count from the end of the first attempt, which has not come yet
    std::int64_t ticks = 0;  // ticks that attempts have taken, or lost
  };

  void on_timer(TimerId timer, Env& env);
  void on_reply(const StoreReplied& answer, Env& env);
  void on_found(const record::Found& found, Env& env);
  void on_release_reply(Ask asked, const record::Reply* reply, Env& env);
  void on_stop(Env& env);

  void attempt(Env& env);
  void put(std::uint64_t version, const record::LeaseRecord& record, Ask ask, Env& env);
  void submit(record::Request request, Ask ask, const record::LeaseRecord& written, Env& env);
  void succeed(const record::LeaseRecord& written, std::uint64_t version, Env& env);
  void fail(Env& env);
  MonoTime next_tick(MonoTime now);
  void begin_poll(Env& env);
  void give_up(Env& env);
  void release(Env& env);
  void released(Env& env);
  void empty_record(std::uint64_t transitions, Env& env);
  void stop(Env& env);
  void observe(const record::LeaseRecord& record, Env& env);
  void set_next(MonoTime at, Env& env);

  bool mine() const { return record_.holder == self_; }
  // Whether the observed record was still valid when this attempt began.
  bool valid() const { return seen_at_ + record_.duration > attempt_at_; }
  record::LeaseRecord fresh_record() const;
  WallTime whole_second(const Clock& clock) const;

  const Settings settings_;
  const StoreId store_;
  const ResourceId resource_;

  Role role_ = Role::unborn;
  Incarnation self_;
  Duration second_phase_;  // how much later its whole seconds begin than those of its wall clock
  // The record as last observed, own writes included, and the time of that.
  record::LeaseRecord record_;
  MonoTime seen_at_;
  std::optional<record::LeaseRecord> got_;  // as last read, to notice a change
  std::uint64_t version_ = 0;               // as last read or written; 0: never

  std::optional<PendingAttempt> pending_;
  MonoTime attempt_at_;                       // when the attempt under way began, …
  WallTime attempt_second_;                   // … in whole seconds of the wall clock
  std::optional<Poll> poll_;                  // leader: none while it sleeps between polls
  MonoTime release_until_ = MonoTime::max();  // releasing, stopping: the end of a bounded release
  MonoTime next_at_ = MonoTime::max();        // the next attempt, or the leader's next poll
};

extern const ElectorKind kClientGo;

}  // namespace tenure
