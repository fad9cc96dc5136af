// A reader's knowledge of a store's history, as a value that goes back when the store does.
//
// When a store fails over to a lagging replica, what it applied since the replica stood still is lost: what survives is
// judged on the surviving branch alone. So the reader's trackers are copied when the replica stalls, and the copy is
// what it knows after the failover. What happened outside the store stays, and does not belong in such a value: work
// that has begun, beliefs, steps of the store's clock.
//
// Work under a token of an earlier branch may arrive later. It is judged by the history of that branch, with the
// commits that were lost (docs/adr/0009-what-a-failover-takes-back.md).
//
// `Known` may have a member went_back(lost, branch); it is called on the surviving copy.
//
// Thread rule: one history belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "sim/checkers/trackers/record_kinds.h"
#include "sim/world/record.h"

namespace tenure::sim {

template <class Known>
class StoreHistory {
 public:
  static constexpr std::uint32_t kReads = record_mask<StoreReplicaStalled, StoreFailedOver>();

  StoreHistory() = default;

  Known* operator->() { return &known_; }
  const Known* operator->() const { return &known_; }
  const Known& operator*() const { return known_; }

  // The history that led to work under this token.
  const Known& known_under(const std::optional<Token>& token) const {
    if (lost_.empty() || !token) return known_;
    const auto later = std::find_if(lost_.begin(), lost_.end(),
                                    [&](const Lost& lost) { return token->branch < lost.next_branch; });
    return later == lost_.end() ? known_ : later->known;
  }

  struct Lost {
    std::uint32_t next_branch = 0;
    Known known;  // at the failover, including what was lost
  };
  // The lost histories, oldest first.
  const std::vector<Lost>& lost() const { return lost_; }

  void see(const Record& record) {
    if (!is_act(record)) take(record);
  }
  // A replica stands still, or was promoted at some time.
  bool may_lose() const { return replica_.has_value() || !lost_.empty(); }

 private:
  void take(const Record& record) {
    if (std::holds_alternative<StoreReplicaStalled>(record)) {
      replica_ = known_;
    } else if (const auto* failed = std::get_if<StoreFailedOver>(&record)) {
      if (!replica_) return;
      lost_.push_back({failed->branch, std::move(known_)});
      known_ = *std::exchange(replica_, std::nullopt);
      if constexpr (requires { known_.went_back(known_, failed->branch); })
        known_.went_back(lost_.back().known, failed->branch);
    }
  }

  Known known_;
  std::optional<Known> replica_;
  std::vector<Lost> lost_;  // oldest first
};

}  // namespace tenure::sim
