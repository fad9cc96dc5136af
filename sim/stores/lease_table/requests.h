// Requests to a plain lease table: one row for each resource, written by one conditional upsert, on the database's
// clock or on its users' clocks, as in designs without a token (reference: db-lease).
//
// Thread rule: values.
#pragma once

#include <variant>

#include "core/base/fields.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/store/message.h"

namespace tenure::lease_table {

// INSERT … ON CONFLICT DO UPDATE SET holder = me, expires_at = now + duration WHERE holder = me OR expires_at < now
// RETURNING expires_at.
struct TryLock {
  ResourceId resource;
  Incarnation holder;
  Duration duration;
};
// UPDATE … SET holder = me, heartbeat = :heartbeat WHERE holder = me OR heartbeat < :stale_before. Both times are the
// caller's. The row exists from the beginning, without a holder (reference: heartbeat-lock).
struct Beat {
  ResourceId resource;
  Incarnation holder;
  WallTime heartbeat;
  WallTime stale_before;
};
struct Locked {
  StoreTime expires_at;  // for a Beat: the heartbeat as written
};
struct NoRow {};  // the WHERE was false, so nothing was returned

using Request = std::variant<TryLock, Beat>;
using Reply = std::variant<Locked, NoRow>;

// Their fields (core/base/fields.h).
TENURE_FIELDS(TryLock, resource, holder, duration)
TENURE_FIELDS(Beat, resource, holder, heartbeat, stale_before)
TENURE_FIELDS(Locked, expires_at)
TENURE_NO_FIELDS(NoRow)

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::lease_table
