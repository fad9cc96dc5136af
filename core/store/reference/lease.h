// One lease row, and the rules by which it changes hands.
//
// After Gray and Cheriton, "Leases" (1989), with a fencing token. Rules, cited by number in lease.cc and in
// tests:
//
//   1. A lease is free when nobody holds it, expired when store_now >= expires_at. Only a free or an expired lease is
//      granted to somebody new, only on the store's own branch, and only to a caller whose view of the epoch is
//      current, so an acquire that was held up in the network comes to nothing. A grant takes the next epoch. The
//      unexpired holder's own acquire extends its lease, if its view is current: a holder that never heard of its grant
//      must not prolong it.
//   2. A request that shows a token changes nothing unless all of these match: holder, token (branch, epoch, nonce),
//      the store's branch, and an unexpired lease.
//   3. An extension never shortens: if the outstanding promise reaches further, it stands.
//   4. If the store's clock went back (store_now < written_at), it is unknown how much of the promise is used up. So
//      all of it is counted again from now. In true time the lease only gets longer, and no answer ever says that more
//      remains than was promised. An acquire stops there; the holder's renew goes on to rule 3.
//   5. If the row was written on another branch, renewals may be lost, and so may a release with a grant after it. An
//      acquire adopts the row for the store's branch, counts the whole promise again from now, and stops there. From
//      then on the tokens of the other branch are stale; the holder gets a new token by an acquire (rule 1, extension).
//   6. A release keeps the epoch. A released lease is free at any time and on any branch, because no promise is left to
//      wait for. A grant that a failover lost is still fenced off by its token.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/hash.h"
#include "core/store/reference/requests.h"

namespace tenure::reference {

struct Lease {
  Incarnation holder;        // number 0: nobody
  std::uint64_t epoch = 0;   // of the last grant; 0: never granted
  std::uint64_t nonce = 0;   // of the holder's grant
  std::uint32_t branch = 0;  // on which the row was last written
  StoreTime written_at;      // when the outstanding promise was made, …
  StoreTime expires_at;      // … and its end

  bool operator==(const Lease&) const = default;

  bool free() const { return holder.number == 0; }
  bool expired(StoreTime now) const { return now >= expires_at; }
  Token token() const { return {.branch = branch, .epoch = epoch, .nonce = nonce}; }
  Duration promise() const { return expires_at - written_at; }
  // Never negative, never more than the promise.
  Duration remaining(StoreTime now) const;

  // Each answers Granted, Released or Refused. `store_branch` is the branch that the store writes now.
  Reply acquire(const Acquire& asked, std::uint32_t store_branch, StoreTime now);
  Reply renew(const Renew& asked, std::uint32_t store_branch, StoreTime now);
  Reply release(const Release& asked, std::uint32_t store_branch, StoreTime now);
  // Why a request that shows this token is refused; nullopt when it is not.
  std::optional<Denial> denial(Incarnation asker, const Token& shown, std::uint32_t store_branch,
                               StoreTime now) const;

  void hash(Hasher& hasher, StoreTime now) const;

 private:
  Granted grant(const Acquire& asked, std::uint32_t store_branch, StoreTime now);
  Granted extend(Duration duration, StoreTime now);
  Refused refuse(Denial why, StoreTime now) const;
  void promise_again(StoreTime now);
};

}  // namespace tenure::reference
