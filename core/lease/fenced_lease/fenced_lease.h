// fenced-lease: a lease in the reference store. Belief counts from the send of the request.
//
// README.md has the pseudo-code, the weak points and the claims. Invariants:
//
//   1. Belief ends no later than sent_at + B, where B = T (1 - rho) / (1 + rho) - guard and T is the duration in the
//      grant itself. So belief ends before the store can grant the lease to another, however long the answer took.
//   2. Only a grant extends belief; unknown and rejected never do. Belief ends at the latest end of all grants under
//      one token.
//   3. A token that was refused or released is finished: the node never believes in a grant under it again, however
//      late. Otherwise a release that is still on its way could free a lease that the node believes in.
//   4. A standby has its timer set, or has a request under way whose answer will set it. The driver answers every
//      request, so a standby never sleeps for ever.
//   5. At most one renewal of a token is under way, and at most two acquires, one of them stale. A request that becomes
//      due meanwhile leaves after the answer. So no request is forgotten, and a slow store does not get more requests
//      than it answers.
//   6. After stepping aside, the node asks for no lease until aside_until_. A lease granted to an earlier acquire is
//      given back.
//
// Sources: Gray and Cheriton, "Leases" (SOSP 1989), for belief on two clocks with bounded rates; the reference
// store's contract (core/store/reference) for tokens.
//
// Thread rule: as Node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/lease/elector_kind.h"

namespace tenure {

class FencedLease final : public Elector {
 public:
  explicit FencedLease(const ElectorSetup& setup);

  void step(const Input& input, Env& env) override;
  Leadership leadership(const Clock& clock) const override;
  void step_aside(const StepAside& request, Env& env) override;
  std::unique_ptr<Elector> clone() const override;
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  enum class Role : std::uint8_t {
    unborn,    // before Started
    standby,   // wants the lease
    leader,    // believes until until_
    stopping,  // waits for the answer to its last release
    stopped,
  };
  enum class Ask : std::uint8_t { acquire, renew, release };
  // A request not yet answered.
  struct PendingRequest {
    RequestId id;
    Ask ask = Ask::acquire;
    Token token;         // renew, release: the token shown
    bool stale = false;  // acquire: the lease was freed after it left, so a refusal is out of date
  };
  struct Settings {
    explicit Settings(const Parameters& parameters);
    Duration lease_duration;
    Duration renew_period;
    Duration retry_period;
    Duration retry_jitter;
    Duration request_timeout;
    std::int64_t max_clock_drift_ppm;
    Duration guard;
    bool release_on_stop;
  };

  void on_timer(TimerId timer, Env& env);
  void on_reply(const StoreReplied& answer, Env& env);
  void on_granted(const reference::Granted& grant, MonoTime sent_at, Env& env);
  void on_refused(const PendingRequest& asked, const reference::Refused& refusal, Env& env);
  void on_released(Env& env);
  void on_no_answer(const PendingRequest& asked, bool unknown, Env& env);
  void on_freed(Env& env);
  void on_stop(Env& env);

  void lead(const Token& token, MonoTime until, MonoTime sent_at, Env& env);
  void extend(MonoTime until, Env& env);
  void step_down(std::string_view why, Env& env);
  void give_back(const Token& token, Env& env);
  void stop(Env& env);
  void ask(Ask what, const Token& token, Env& env);
  bool may_ask() const;
  void set_next(MonoTime at, Env& env);
  // The next request is due after `least` and a jitter.
  void wait(Duration least, Env& env);
  Duration jitter(Env& env) const;
  bool awaits(Ask what) const;
  void finish(const Token& token);
  bool is_finished(const Token& token) const;

  const Settings settings_;
  const StoreId store_;
  const ResourceId resource_;

  Role role_ = Role::unborn;
  Incarnation self_;
  Token token_;                       // leader: what it leads under
  MonoTime until_ = MonoTime::min();  // leader: the end of its belief
  std::uint64_t epoch_seen_ = 0;      // what the next acquire shows
  Token finished_;                    // no token up to this one is believed again
  std::optional<Token> owed_;         // standby: may still hold the lease; released before a new acquire
  MonoTime aside_until_ = MonoTime::min();   // it stepped aside: no acquire before this
  MonoTime behind_until_ = MonoTime::min();  // but from then on, as soon as another has freed the lease
  MonoTime next_at_ = MonoTime::max();       // when the next request is due
  bool held_back_ = false;                   // a request is due, and waits for an answer
  std::vector<PendingRequest> pending_;      // oldest first
};

// How long a holder may believe in a lease granted for `lease`, counted from the send; negative when nothing is left.
Duration fenced_lease_belief(Duration lease, std::int64_t max_clock_drift_ppm, Duration guard);

}  // namespace tenure
