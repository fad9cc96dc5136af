// What kind of store a store is: its name, its machine, and what it offers. That of production is kReferenceStore;
// sim/stores has the others, and the table of all.
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <memory>
#include <string_view>

#include "core/base/function_ref.h"
#include "core/store/store_machine.h"

namespace tenure {

struct StoreKind {
  std::string_view name;  // "reference", "redis"
  std::string_view summary;
  FunctionRef<std::unique_ptr<StoreMachine>()> make = {};
  RowLock strongest_lease_lock = RowLock::none;  // over all its requests

  // Of a design's own store: what it was made from. Two designs that run together have one database of both.
  std::string_view schema = {};

  // What the store offers, for code that need not know which store it is.
  bool issues_tokens =
      false;  // a lease is granted with a fencing token, and writes under an older one are refused
  bool keeps_changes = false;  // definitions are read from a feed of changes
  // The request that puts a new schedule; null: it keeps none.
  Request (*put_schedule)(ResourceId, ScheduleId, const Definition&) = nullptr;
  bool may_run_on_engines = false;  // a real database may stand in for the machine

  // Of an engine: the store with a design's own schema on it; null: it runs none.
  const StoreKind* (*with_schema)(std::string_view schema) = nullptr;
  // It has sessions (session_store.h).
  bool has_sessions = false;
  // A step of the server's clock means something to it: what it measures by a monotonic clock goes on undisturbed.
  bool reads_wall_clock = true;
  // It delivers at least once: what one client has and others should not have, another can get too
  // (SessionStore::deliver_again).
  bool delivers_again = false;
  // It is several servers, which can be parted from each other (SessionStore::cluster).
  bool can_part = false;
};

extern const StoreKind kReferenceStore;
// Whether the store offers it; false for no store (null).
inline bool offers(const StoreKind* store, bool StoreKind::*what) { return store != nullptr && store->*what; }

}  // namespace tenure
