// Requests to Azure Blob Storage: the leases of a blob, and writes that show one. Names and error codes are Azure's.
//
// Every blob is there from the beginning, and empty. A duration has whole seconds.
//
// Thread rule: values.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/store/message.h"

namespace tenure::blob_lease {

struct AcquireLease {
  std::string blob;
  std::optional<Duration> lease_duration;  // 15 to 60 s; absent: without end
  std::string proposed_lease_id;
};
struct RenewLease {
  std::string blob;
  std::string lease_id;
};
struct ChangeLease {
  std::string blob;
  std::string lease_id;
  std::string proposed_lease_id;
};
struct ReleaseLease {
  std::string blob;
  std::string lease_id;
};
struct BreakLease {
  std::string blob;
  std::optional<Duration> break_period;  // 0 to 60 s; absent: what is left of the lease
};
struct PutBlob {
  std::string blob;
  std::string content;
  std::optional<std::string> lease_id;
};
struct GetBlob {
  std::string blob;
};

struct Leased {
  std::string lease_id;
};
struct LeaseEnded {};
struct Breaks {
  Duration lease_time;  // until somebody else can lease it
};
struct BlobWritten {};
struct BlobRead {
  std::string content;
  std::string lease_state;  // available, leased, expired, breaking, broken
};
// Nothing was changed.
struct Failed {
  std::string code;  // "LeaseAlreadyPresent"
  std::string message;
};

using Request =
    std::variant<AcquireLease, RenewLease, ChangeLease, ReleaseLease, BreakLease, PutBlob, GetBlob>;
using Reply = std::variant<Leased, LeaseEnded, Breaks, BlobWritten, BlobRead, Failed>;

// Their fields (core/base/fields.h).
TENURE_FIELDS(AcquireLease, blob, lease_duration, proposed_lease_id)
TENURE_FIELDS(RenewLease, blob, lease_id)
TENURE_FIELDS(ChangeLease, blob, lease_id, proposed_lease_id)
TENURE_FIELDS(ReleaseLease, blob, lease_id)
TENURE_FIELDS(BreakLease, blob, break_period)
TENURE_FIELDS(PutBlob, blob, content, lease_id)
TENURE_FIELDS(GetBlob, blob)
TENURE_FIELDS(Leased, lease_id)
TENURE_NO_FIELDS(LeaseEnded)
TENURE_FIELDS(Breaks, lease_time)
TENURE_NO_FIELDS(BlobWritten)
TENURE_FIELDS(BlobRead, content, lease_state)
TENURE_FIELDS(Failed, code, message)

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::blob_lease
