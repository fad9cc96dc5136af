// db-lease: one row in a database, taken by an upsert on the database's clock; belief is judged on the node's clock.
//
// README.md has the pseudo-code, the weak points and the claims. This class models a published design, so it keeps the
// design's weaknesses on purpose:
//
//   1. Belief compares the node's wall clock with a time that the database wrote.
//   2. One loop, one request at a time: while a request hangs the loop stands still and the flag stays up.
//   3. No token: the acts of a former holder look the same as those of the holder.
//
// Thread rule: as Node.
#pragma once

#include <optional>

#include "sim/protocols/kind_parts.h"

namespace tenure {

class DbLease final : public CopyableElector<DbLease> {
 public:
  explicit DbLease(const ElectorSetup& setup);

  void step(const Input& input, Env& env) override;
  Leadership leadership(const Clock& clock) const override;
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  void attempt(Env& env);
  void on_reply(const StoreReplied& answer, Env& env);
  void stop_leading(std::string_view why, Env& env);

  const Duration lock_duration_;
  const Duration poll_period_;
  const Duration request_timeout_;
  const StoreId store_;
  const ResourceId resource_;

  Incarnation self_;  // number 0: before Started
  bool stopped_ = false;
  bool flag_ = false;                 // the last attempt succeeded
  WallTime expires_at_;               // meaningful while flag_: a store's time, compared with the wall clock
  std::optional<RequestId> attempt_;  // under way
  MonoTime next_at_ = MonoTime::max();  // of the next attempt
};

extern const ElectorKind kDbLease;

}  // namespace tenure
