// Locks on the lease row, and which of them exclude each other. They are those of Postgres.
//
//                   key_share  no_key_update  update
//   key_share           .            .          x      a commit of fires: the holder must not change meanwhile
//   no_key_update       .            x          x      a renewal: a plain UPDATE of columns that are no key
//   update              x            x          x      an acquire, a release: SELECT … FOR UPDATE, then the change
//
// A request that only reads, or does not touch the row, takes no lock and waits for none. A request that waits reads
// the store's clock after it has the lock (lock first, then the time: a renewal that waited must not revive an expired
// lease).
//
// Source: PostgreSQL documentation, 13.3.2 "Row-Level Locks". Each machine says which locks its requests take
// (StoreMachine::lease_lock); adapters must take the same.
//
// Thread rule: values.
#pragma once

#include <cstdint>

namespace tenure {

enum class RowLock : std::uint8_t { none, key_share, no_key_update, update };

// Whether a request for one lock waits for a holder of the other. Symmetric.
constexpr bool conflict(RowLock a, RowLock b) {
  if (a == RowLock::none || b == RowLock::none) return false;
  if (a == RowLock::update || b == RowLock::update) return true;
  return a == RowLock::no_key_update && b == RowLock::no_key_update;
}

}  // namespace tenure
