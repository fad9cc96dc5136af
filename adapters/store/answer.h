// What a real store answers, and what it says when it cannot.
//
// The fate of a request is one of three, as everywhere (core/model/input.h). A store that cannot tell whether a
// commit came to pass says `unknown`: to say `rejected` of something that may have happened, or may still happen, is
// the one thing that it must never do. What went wrong is a value, with words for people that name the cause and what
// to do about it; nothing throws across this interface.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "core/model/input.h"
#include "core/store/reference/requests.h"
#include "core/store/store_machine.h"

namespace tenure {

// What keeps a store from doing what it is asked.
enum class StoreError : std::uint8_t {
  none,
  busy,           // a lock was not to be had in time
  unreachable,    // nothing answers there, or there is no such place
  lost,           // the connection broke, or the deadline passed, with a request under way
  not_permitted,  // the account may not do this
  read_only,      // a standby, or a file that may only be read
  wrong_schema,   // the tables are of a version that this program does not know, or are not there
  full,           // no room on the disk
  corrupt,        // what is stored makes no sense
  other_store,    // what answers there is not the store that was there before
  failed,         // anything else that the engine reports
};

struct Answer {
  RequestOutcome outcome = RequestOutcome::unknown;
  Rejection rejection = Rejection::none;  // rejected only
  StoreError trouble = StoreError::none;  // why it was not applied
  std::string message;  // for people: the cause, and what to do about it; empty when applied

  // The rest: applied only.
  StoreTime store_time;  // the store's clock, read once, after the locks were had
  // A number that goes up with each change of the resource that is committed, as it stood when this was executed,
  // itself included if it is one. Replies in the order of their positions, the one that changed something before the
  // others at the same one, are what the machine gives: an engine is held to that (tests/adapters/conformance).
  // Postgres counts leases apart from the rest, so that renewals and fires do not wait for each other's number.
  std::uint64_t position = 0;
  bool changed = false;
  reference::Reply reply;
  std::string identity;               // of the store (store_backend.h)
  std::vector<std::string> warnings;  // for people: what of it this program cannot read
  std::vector<Notification>
      notifications;  // of what this request did; other clients' are heard by a Listener, or learnt by polling
};

// Why a store could not be opened.
struct OpenError {
  StoreError trouble = StoreError::failed;
  std::string message;
};

// "full", "wrong schema", …: for logs and metrics.
std::string_view name_of(StoreError trouble);

// Of a store whose identity is not the one that was known. nullopt: it is, or none was known.
std::optional<OpenError> other_store(const std::string& place, const std::string& known,
                                     const std::string& found);

// Executed neither now nor later. REQUIRES: trouble is not none.
Answer rejected(StoreError trouble, std::string message);
// Executed or not, or still to be. REQUIRES: trouble is not none.
Answer unknown(StoreError trouble, std::string message);

}  // namespace tenure
