// Requests to a versioned record: get, and put if the version is the one that was read (Kubernetes Lease objects and
// their resourceVersion). The store's clock plays no part.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "core/base/fields.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/store/message.h"

namespace tenure::record {

// The fields of a Lease object that an election uses, as its readers see them. Times are the writer's, cut down to
// whole seconds. No reader compares them with a clock; they only show that the record has changed. Two writes of one
// holder within one second look alike.
struct LeaseRecord {
  Incarnation holder;  // number 0: released
  Duration duration;
  std::uint64_t transitions = 0;
  WallTime acquired;  // when this holder's term began
  WallTime renewed;   // when this was written
  bool operator==(const LeaseRecord&) const = default;
};

struct Get {
  ResourceId resource;
};
struct Put {
  ResourceId resource;
  std::uint64_t version = 0;  // the version read; 0 to create
  LeaseRecord record;
};
struct Found {
  std::uint64_t version = 0;
  LeaseRecord record;
};
struct NotFound {};
struct Stored {
  std::uint64_t version = 0;
};
struct Conflict {};  // the version is no longer the one read; nothing changed

using Request = std::variant<Get, Put>;
using Reply = std::variant<Found, NotFound, Stored, Conflict>;

// Their fields (core/base/fields.h).
TENURE_FIELDS(LeaseRecord, holder, duration, transitions, acquired, renewed)
TENURE_FIELDS(Get, resource)
TENURE_FIELDS(Put, resource, version, record)
TENURE_FIELDS(Found, version, record)
TENURE_NO_FIELDS(NotFound)
TENURE_FIELDS(Stored, version)
TENURE_NO_FIELDS(Conflict)

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::record
