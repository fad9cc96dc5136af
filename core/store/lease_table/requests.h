// What a plain lease table is asked: one row a resource, written by one conditional upsert with the database's
// clock, or with that of its users, as designs without a token do (reference: db-lease).
//
// Thread rule: values.
#pragma once

#include <variant>

#include "core/base/ids.h"
#include "core/base/time.h"

namespace tenure::lease_table {

// INSERT … ON CONFLICT DO UPDATE SET holder = me, expires_at = now + duration WHERE holder = me OR expires_at < now
// RETURNING expires_at.
struct TryLock {
  ResourceId resource;
  Incarnation holder;
  Duration duration;
};
// UPDATE … SET holder = me, heartbeat = :heartbeat WHERE holder = me OR heartbeat < :stale_before. Both times are the
// caller's; the row is there from the beginning, and nobody's (reference: heartbeat-lock).
struct Beat {
  ResourceId resource;
  Incarnation holder;
  WallTime heartbeat;
  WallTime stale_before;
};
struct Locked {
  StoreTime expires_at;  // of a Beat: the heartbeat as it was written
};
struct NoRow {};  // the WHERE was false, so nothing was returned

using Request = std::variant<TryLock, Beat>;
using Reply = std::variant<Locked, NoRow>;

}  // namespace tenure::lease_table
