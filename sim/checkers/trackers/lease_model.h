// Who holds the lease, by the checker's own reckoning from the grants, renewals and releases that a store applied.
//
// It follows what the replies promised and what store time they were made at; it shares no code with the store.
// A promise of d made at store time s is good while store time is before s + d. After a failover, of which the model is
// told, what was promised may have been renewed, and the renewal lost: so nobody else may have the lease before an
// acquire has counted the whole promise again. Of a branch that nobody told it of, the model knows nothing until the
// next grant.
//
// Thread rule: one model belongs to one reader.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct HeldLease {
  Incarnation holder;
  Token token;
  StoreTime expires;
};

enum class Standing : std::uint8_t { good, unknown, not_held, other_holder, other_token, expired };

class LeaseModel {
 public:
  // May `who` write with `token` at this moment?
  Standing standing(ResourceId resource, std::uint32_t branch, Incarnation who, const Token& token,
                    StoreTime now) const;
  // The lease as the model has it; nullopt when nobody holds it or nothing is known.
  std::optional<HeldLease> held(ResourceId resource, std::uint32_t branch) const;

  void see(const Applied& applied);
  // The leases are now of this branch, as a replica had them.
  void failed_over(std::uint32_t branch);

 private:
  struct Track {
    ResourceId resource;
    std::uint32_t branch = 0;
    bool known = false;  // since a grant, a release or the start, on this branch
    std::optional<HeldLease> lease;
  };
  const Track* find(ResourceId resource) const;
  Track& row_of(ResourceId resource, std::uint32_t branch);

  std::vector<Track> rows_;
};

}  // namespace tenure::sim
