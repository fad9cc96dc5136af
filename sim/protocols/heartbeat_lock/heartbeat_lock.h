// heartbeat-lock: one row with a holder and a heartbeat, written and judged on the wall clocks of its users.
//
// README.md has the pseudo-code, the weak points and the claims. This class models the code of a published design or,
// with `as_documented`, the design's document. It keeps the weaknesses on purpose:
//
//   1. Nothing bounds belief: a leader leads until one of its own statements fails, however long it stood still.
//   2. In the code, a renewal is the same statement with a cutoff of now, so it succeeds for any caller.
//   3. No token: the acts of a former holder look the same as those of the holder.
//
// Thread rule: as Node.
#pragma once

#include <optional>

#include "sim/protocols/kind_parts.h"

namespace tenure {

class HeartbeatLock final : public CopyableElector<HeartbeatLock> {
 public:
  explicit HeartbeatLock(const ElectorSetup& setup);

  void step(const Input& input, Env& env) override;
  Leadership leadership(const Clock& clock) const override;
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  void beat(Env& env);
  void on_reply(const StoreReplied& answer, Env& env);
  void stop_leading(std::string_view why, Env& env);

  const Duration period_;
  const Duration timeout_;
  const Duration request_timeout_;
  const bool as_documented_;
  const StoreId store_;
  const ResourceId resource_;

  Incarnation self_;  // number 0: before Started
  bool stopped_ = false;
  bool leads_ = false;
  std::optional<RequestId> attempt_;    // under way
  MonoTime tick_;                       // the last whole period at which a beat began
  MonoTime next_at_ = MonoTime::max();  // of the next beat
};

extern const ElectorKind kHeartbeatLock;

}  // namespace tenure
