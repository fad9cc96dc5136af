// Computes who holds the lease from the grants, renewals and releases that a store applied.
//
// It uses the promises in the replies and their store times. It shares no code with the store. A promise of d made at
// store time s holds while store time is before s + d. The model is told of failovers. After a failover a renewal of
// the promise may be lost. So no other node may have the lease before an acquire has counted the whole promise again.
// On a branch of which it was not told, the model knows nothing until the next grant.
//
// Thread rule: one model belongs to one reader.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct HeldLease {
  Incarnation holder;
  Token token;
  StoreTime expires;
};

enum class TokenStanding : std::uint8_t { good, unknown, not_held, other_holder, other_token, expired };

class LeaseModel {
 public:
  // Whether `who` may write with `token` at this moment.
  TokenStanding standing(ResourceId resource, std::uint32_t branch, Incarnation who, const Token& token,
                         StoreTime now) const;
  // The lease in the model; nullopt when nobody holds it or nothing is known.
  std::optional<HeldLease> held(ResourceId resource, std::uint32_t branch) const;

  void see(const Applied& applied);
  // The leases are now of this branch, as a replica had them.
  void failed_over(std::uint32_t branch);

 private:
  struct Track {
    std::uint32_t branch = 0;
    bool known = false;  // since a grant, a release or the start, on this branch
    std::optional<HeldLease> lease;
  };
  const Track* find(ResourceId resource) const;
  Track& row_of(ResourceId resource, std::uint32_t branch);

  std::map<ResourceId, Track> rows_;
};

}  // namespace tenure::sim
