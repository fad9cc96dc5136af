// The laws of the lease, over drawn histories: several clients with old and new tokens, delayed requests, a store's
// clock that steps both ways, and promotions that keep or lose the last commits.
//
// Clients' clocks run at the rate of true time, which is where "longer" and "shorter" are judged. MonoTime stands for
// it here: a clock that no fault touches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/int128.h"
#include "tests/core/store/reference_fixture.h"

namespace tenure::reference {
namespace {

// One drawn operation: which, and what it is free to choose.
using Op = std::tuple<int, int, int>;
enum Kind : int {
  kWait,
  kStep,
  kAcquire,
  kHeldUp,
  kRenew,
  kRelease,
  kCommit,
  kHold,
  kRestart,
  kPromote,
  kLose,
  kEnd
};

struct Drawn {
  Duration step_min;  // how far a step of the store's clock may go
  Duration step_max;
  bool lossy = false;  // promotions may lose commits
  bool alike = false;  // all leases are of one length
};

rc::Gen<std::vector<Op>> operations() {
  return rc::gen::container<std::vector<Op>>(
      rc::gen::tuple(rc::gen::inRange<int>(0, kEnd), rc::gen::inRange(0, 1'000), rc::gen::inRange(0, 1'000)));
}

class World {
 public:
  explicit World(Drawn drawn) : drawn_(drawn) {
    sync();
    reference_.put(1, 0, every(Duration::seconds(10)));
    backup_ = reference_;
  }

  void run(const Op& op) {
    const int kind = std::get<0>(op);
    const int a = std::get<1>(op);
    const int b = std::get<2>(op);
    sync();
    before_ = reference_.lease();
    before_hash_ = reference_.hash();
    switch (kind) {
      case kWait: true_now_ += Duration::millis(a * 15); break;
      case kStep: offset_ += step(a); break;
      case kAcquire: acquire(a, b); break;
      case kHeldUp: held_up(a); break;
      case kRenew:
        with_token(a, b, [&](Incarnation who, Token token) { renew(who, token, length(b)); });
        break;
      case kRelease: with_token(a, b, [&](Incarnation who, Token token) { release(who, token); }); break;
      case kCommit: with_token(a, b, [&](Incarnation who, Token token) { commit(who, token); }); break;
      case kHold: with_token(a, b, [&](Incarnation who, Token token) { hold(who, token); }); break;
      case kRestart: ++clients_[client(a)].life; break;
      case kPromote: promote(); break;
      case kLose: lose(a); break;
      default: break;
    }
    sync();
    extends_only();
  }

  // Whoever asks, and waits as long as it is told, is granted in the end: a foreign branch, a clock that went back, and
  // a stale view cost one refusal each.
  void grants_in_the_end() {
    std::uint64_t epoch_seen = 0;
    Duration waited;
    for (int attempt = 0; attempt < 5; ++attempt) {
      sync();
      const Reply reply = reference_.ask(Acquire{kResource, node(99), epoch_seen, ++nonces_, length(0)});
      if (std::holds_alternative<Granted>(reply)) {
        RC_ASSERT(waited <= longest_ * 2);
        return;
      }
      const auto& refused = std::get<Refused>(reply);
      epoch_seen = refused.epoch;
      waited += refused.remaining;
      true_now_ += refused.remaining;
    }
    RC_FAIL("never granted");
  }

 private:
  struct Client {
    std::uint32_t life = 1;
    std::uint64_t epoch_seen = 0;
    std::vector<std::pair<Incarnation, Token>> tokens;  // all that it was ever given
    std::optional<Acquire> last;                        // for the network to deliver again, late
  };
  struct Promise {
    Incarnation holder;
    MonoTime end;  // in true time, as the holder counts it: from the grant
  };

  static std::size_t client(int a) { return static_cast<std::size_t>(a) % 3; }
  Incarnation incarnation(std::size_t index) const {
    return node(static_cast<std::uint32_t>(index), clients_[index].life);
  }
  Duration length(int b) {
    const Duration drawn = Duration::millis(500 + (drawn_.alike ? 999 : b) * 15);
    longest_ = std::max(longest_, drawn);
    return drawn;
  }
  Duration step(int a) const {
    return Duration::millis(mul_div_floor((drawn_.step_max - drawn_.step_min).ns(), a, 999'000'000)) +
           drawn_.step_min;
  }
  void sync() { reference_.now = StoreTime::from_ns(true_now_.ns()) + offset_; }

  MonoTime true_time(StoreTime time) const { return MonoTime::from_ns((time - offset_).ns()); }

  void acquire(int a, int b) {
    Client& asker = clients_[client(a)];
    // Mostly what it was told last; sometimes an older view.
    const std::uint64_t seen = b % 7 == 0 ? asker.epoch_seen / 2 : asker.epoch_seen;
    asker.last = Acquire{kResource, incarnation(client(a)), seen, ++nonces_, length(b)};
    answer(asker, *asker.last);
  }
  void held_up(int a) {
    Client& asker = clients_[client(a)];
    if (asker.last) answer(asker, *asker.last);
  }
  void answer(Client& asker, const Acquire& asked) {
    const Reply reply = reference_.ask(asked);
    if (const auto* refused = std::get_if<Refused>(&reply)) {
      RC_ASSERT(refused->epoch == reference_.lease().epoch);
      RC_ASSERT(refused->remaining >= Duration{});
      RC_ASSERT(refused->remaining <= before_.promise());
      asker.epoch_seen = refused->epoch;
      return;
    }
    const auto& granted = std::get<Granted>(reply);
    asker.epoch_seen = granted.token.epoch;
    asker.tokens.emplace_back(asked.holder, granted.token);
    granted_once(asked.holder, granted.token);
    if (granted.token.nonce == asked.nonce) RC_ASSERT(asked.epoch_seen + 1 == granted.token.epoch);
    if ((!drawn_.lossy || drawn_.alike) && drawn_.step_max <= Duration{}) keeps_promises(asked.holder);
    promised(asked.holder, granted.duration);
  }

  // An epoch of a branch is granted once. The holder's own extension shows as the very same grant.
  void granted_once(Incarnation holder, const Token& token) {
    const auto [it, first] = grants_.try_emplace({token.branch, token.epoch}, holder, token.nonce);
    RC_ASSERT(first || it->second == std::make_pair(holder, token.nonce));
  }
  // Where clocks only go back, nobody is granted what another was promised; and neither where commits are lost, if one
  // lease is as long as the other and the surviving row shows that somebody held it.
  void keeps_promises(Incarnation holder) const {
    RC_ASSERT(!promise_ || promise_->holder == holder || promise_->end <= true_now_);
  }
  void promised(Incarnation holder, Duration duration) {
    const MonoTime end = true_now_ + duration;
    if (promise_ && promise_->holder == holder) {
      promise_->end = std::max(promise_->end, end);
    } else {
      promise_ = Promise{holder, end};
    }
  }

  // Some client's some token, shown by the incarnation that it was given to or by its client's present one.
  template <class Show>
  void with_token(int a, int b, const Show& show) {
    const Client& shower = clients_[client(a)];
    if (shower.tokens.empty()) return;
    const std::size_t back = b % 3 == 0 ? static_cast<std::size_t>(b) % shower.tokens.size() : 0;
    auto [owner, token] = shower.tokens[shower.tokens.size() - 1 - back];
    if (b % 11 == 0) ++token.nonce;
    show(b % 5 == 0 ? incarnation(client(a)) : owner, token);
  }
  // Good: the grant that stands, not released, of this branch, and not over.
  bool good(Incarnation who, const Token& token) const {
    return before_.holder == who && before_.token() == token && token.branch == branch_ &&
           reference_.now < before_.expires_at;
  }
  void changed_nothing() const { RC_ASSERT(reference_.hash() == before_hash_); }

  void renew(Incarnation who, const Token& token, Duration duration) {
    const Reply reply = reference_.ask(Renew{kResource, who, token, duration});
    const auto* granted = std::get_if<Granted>(&reply);
    RC_ASSERT((granted != nullptr) == good(who, token));
    if (granted == nullptr) {
      RC_ASSERT(std::get<Refused>(reply).remaining <= before_.promise());
      return changed_nothing();
    }
    RC_ASSERT(granted->token == token);
    RC_ASSERT(granted->duration >= duration);
    promised(who, granted->duration);
  }
  void release(Incarnation who, const Token& token) {
    const Reply reply = reference_.ask(Release{kResource, who, token});
    RC_ASSERT(std::holds_alternative<Released>(reply) == good(who, token));
    if (!std::holds_alternative<Released>(reply)) return changed_nothing();
    RC_ASSERT(reference_.lease().free());
    released_ = true;
    promise_.reset();
  }
  void commit(Incarnation who, const Token& token) {
    const Segment due = reference_.ledger().watermarks.front();
    const StoreTime slot = *slot_at_or_after(every(Duration::seconds(10)).recurrence, due.cursor);
    const LedgerRow row{{1}, 1, due.cursor, slot + Duration::seconds(10), slot, slot, Disposition::fired};
    const Reply reply = reference_.ask(CommitFires{kResource, who, token, {row}});
    const auto* refused = std::get_if<CommitRefused>(&reply);
    RC_ASSERT((refused != nullptr && !refused->held) == !good(who, token));
    if (refused != nullptr) changed_nothing();
  }
  void hold(Incarnation who, const Token& token) {
    const bool clear = reference_.due(StoreTime::max()).hold.has_value();
    const Reply reply = clear ? reference_.ask(ClearHold{kResource, who, token})
                              : reference_.ask(SetHold{kResource, who, token, Duration::seconds(1)});
    RC_ASSERT(std::holds_alternative<HoldSet>(reply) == good(who, token));
    if (!std::holds_alternative<HoldSet>(reply)) changed_nothing();
  }

  void promote() {
    reference_.store.promote(++branch_);
    backup_ = reference_;
  }
  // The replica that takes over is as old as the last backup.
  void lose(int a) {
    if (a % 2 == 0) backup_ = reference_;
    if (a % 2 == 0 || !drawn_.lossy) return;
    reference_ = backup_;
    sync();
    released_ = true;  // what went before is no measure for what is there now
    if (reference_.lease().free()) promise_.reset();
    promote();
  }

  // No request takes from the lease that stands: in true time it ends no earlier than it would have by the store's
  // clock, or by the promise, whichever comes first. A release ends it, and an expired one has nothing to take from.
  void extends_only() {
    const Lease after = reference_.lease();
    const bool same = after.holder == before_.holder && after.epoch == before_.epoch;
    if (!released_ && !before_.free() && (same || reference_.now < before_.expires_at)) {
      RC_ASSERT(same);
      RC_ASSERT(true_time(after.expires_at) >=
                std::min(true_time(before_.expires_at), written_ + before_.promise()));
    }
    released_ = false;
    if (!(after == before_)) written_ = true_now_;
  }

  Drawn drawn_;
  ReferenceFixture reference_;
  ReferenceFixture backup_;
  MonoTime true_now_ = MonoTime::from_ns(at(100'000).ns());
  Duration offset_;
  std::uint32_t branch_ = 1;
  std::uint64_t nonces_ = 0;
  Duration longest_ = Duration::millis(500);
  Client clients_[3];
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<Incarnation, std::uint64_t>> grants_;
  std::optional<Promise> promise_;
  Lease before_;
  std::uint64_t before_hash_ = 0;
  MonoTime written_;
  bool released_ = false;
};

void holds_over_drawn_histories(Drawn drawn) {
  World world(drawn);
  for (const Op& op : *operations()) world.run(op);
  world.grants_in_the_end();
}

// Tokens that are good change things and others change nothing; epochs are granted once; requests only extend; and
// whatever happened, whoever waits as told is granted.
RC_GTEST_PROP(ReferenceLeaseProperty, holds_under_a_steady_clock, ()) { holds_over_drawn_histories({}); }

RC_GTEST_PROP(ReferenceLeaseProperty, holds_under_a_clock_that_only_goes_back, ()) {
  holds_over_drawn_histories({.step_min = Duration::seconds(-60), .step_max = Duration{}});
}

RC_GTEST_PROP(ReferenceLeaseProperty, holds_under_a_clock_that_goes_both_ways, ()) {
  holds_over_drawn_histories({.step_min = Duration::seconds(-40), .step_max = Duration::seconds(40)});
}

RC_GTEST_PROP(ReferenceLeaseProperty, holds_when_failovers_lose_commits, ()) {
  holds_over_drawn_histories(
      {.step_min = Duration::seconds(-40), .step_max = Duration::seconds(40), .lossy = true});
}

// What a replica does not know of, it waits for, as long as its row shows a holder.
RC_GTEST_PROP(ReferenceLeaseProperty, waits_for_promises_that_failovers_lost, ()) {
  holds_over_drawn_histories({.step_min = {}, .step_max = {}, .lossy = true, .alike = true});
}

}  // namespace
}  // namespace tenure::reference
