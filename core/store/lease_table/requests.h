// What a plain lease table is asked: one row a resource, written by one conditional upsert with the database's
// clock, as designs without a token do (reference: db-lease).
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
struct Locked {
  StoreTime expires_at;
};
struct NoRow {};  // the WHERE was false, so nothing was returned

using Request = std::variant<TryLock>;
using Reply = std::variant<Locked, NoRow>;

}  // namespace tenure::lease_table
