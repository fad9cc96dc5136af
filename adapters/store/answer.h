// What a real store answers, and what it says when it cannot answer.
//
// A request has one of three outcomes, as everywhere (core/model/input.h). A store that does not know whether a commit
// happened says `unknown`. It must never say `rejected` for something that may have happened, or may still happen. What
// went wrong is a value, with a message for people that names the cause and what to do about it. Nothing throws across
// this interface.
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

// Why a store does not execute a request.
enum class StoreError : std::uint8_t {
  none,
  busy,           // a lock could not be had in time
  unreachable,    // nothing answers there, or the place does not exist
  lost,           // the connection broke with a request under way
  no_answer,      // the deadline passed with a request under way; the connection may be sound
  not_permitted,  // the account may not do this
  read_only,      // a standby, or a file that may only be read
  wrong_schema,   // the tables are missing, or have a version that this program does not know
  full,           // no room on the disk
  corrupt,        // what is stored makes no sense
  other_store,    // the store there is not the one that was there before
  failed,         // anything else that the engine reports
};

struct Answer {
  RequestOutcome outcome = RequestOutcome::unknown;
  Rejection rejection = Rejection::none;  // rejected only
  StoreError trouble = StoreError::none;  // why it was not applied
  std::string message;  // for people: the cause, and what to do about it; empty when applied

  // The fields below: applied only.
  StoreTime store_time;  // the store's clock, read once, after the locks were taken
  // A number that goes up with each committed change of the resource. This is its value when the request was executed,
  // including the request's own change. In the order of their positions (at one position, the reply with the change
  // comes first), the replies must be those of the machine: tests/adapters/conformance tests each engine for that.
  // Postgres counts leases apart from the rest, so that renewals and fires do not wait for each other's number.
  std::uint64_t position = 0;
  bool changed = false;
  reference::Reply reply;
  std::string identity;               // of the store (store_backend.h)
  std::vector<std::string> warnings;  // for people: parts of the answer that this program cannot read
  std::vector<Notification>
      notifications;  // of this request's changes; a Listener, or polling, tells of other clients' changes
};

// Why a store could not be opened.
struct OpenError {
  StoreError trouble = StoreError::failed;
  std::string message;
};

// "full", "wrong schema", …: for logs and metrics.
std::string_view name_of(StoreError trouble);

// The error of a store whose identity is not the known one. nullopt: it is, or none was known.
std::optional<OpenError> other_store(const std::string& place, const std::string& known,
                                     const std::string& found);

// Executed neither now nor later. REQUIRES: trouble is not none.
Answer rejected(StoreError trouble, std::string message);
// Executed or not, or still to be. REQUIRES: trouble is not none.
Answer unknown(StoreError trouble, std::string message);

}  // namespace tenure
