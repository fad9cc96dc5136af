#include "sim/stores/blob_lease/blob_lease_store.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/stores/message_kind.h"

namespace tenure::blob_lease {
namespace {

constexpr Duration kShortest = Duration::seconds(15);
constexpr Duration kLongest = Duration::seconds(60);

Failed other_id() {
  return {"LeaseIdMismatchWithLeaseOperation",
          "The lease ID specified did not match the lease ID for the blob."};
}
Failed no_lease() {
  return {"LeaseNotPresentWithLeaseOperation", "There is currently no lease on the blob."};
}
Failed bad_value() {
  return {"InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format."};
}
bool whole_seconds(Duration length) { return length.ns() % Duration::seconds(1).ns() == 0; }

}  // namespace

void BlobLeaseStore::settle(Blob& blob, StoreTime now) {
  if (!blob.ends || now < *blob.ends) return;
  blob.state = blob.state == State::leased ? State::expired : State::broken;
  blob.ends.reset();
}

// For its duration, from now on.
Reply BlobLeaseStore::leased(Blob& blob, StoreTime now) {
  blob.state = State::leased;
  blob.ends.reset();
  if (blob.duration) blob.ends = now + *blob.duration;
  return Leased{blob.lease_id};
}

// The holder may acquire again what it holds, also for another time.
Reply BlobLeaseStore::answer(const AcquireLease& asked, Blob& blob, StoreTime now) {
  const std::optional<Duration>& length = asked.lease_duration;
  if (length && (*length < kShortest || *length > kLongest || !whole_seconds(*length))) return bad_value();
  const bool same = asked.proposed_lease_id == blob.lease_id;
  if (blob.state == State::breaking && same)
    return Failed{"LeaseIsBreakingAndCannotBeAcquired",
                  "The lease ID matched, but the lease is currently in breaking state and cannot be acquired "
                  "until it is broken."};
  if (blob.state == State::breaking || (blob.state == State::leased && !same))
    return Failed{"LeaseAlreadyPresent", "There is already a lease present."};
  blob.lease_id = asked.proposed_lease_id;
  blob.duration = length;
  return leased(blob, now);
}

// One that is over is revived, as long as nobody has leased the blob or written to it since.
Reply BlobLeaseStore::answer(const RenewLease& asked, Blob& blob, StoreTime now) {
  if (blob.state == State::available || asked.lease_id != blob.lease_id) return other_id();
  if (blob.state == State::breaking || blob.state == State::broken)
    return Failed{"LeaseIsBrokenAndCannotBeRenewed",
                  "The lease ID matched, but the lease has been broken explicitly and cannot be renewed."};
  return leased(blob, now);
}

// Asked again, the change is made already: also with the id that it had before.
Reply BlobLeaseStore::answer(const ChangeLease& asked, Blob& blob, StoreTime) {
  if (blob.state != State::leased && blob.state != State::breaking) return no_lease();
  const bool changed = blob.state == State::leased && asked.proposed_lease_id == blob.lease_id;
  if (asked.lease_id != blob.lease_id && !changed) return other_id();
  if (blob.state == State::breaking)
    return Failed{
        "LeaseIsBreakingAndCannotBeChanged",
        "The lease ID matched, but the lease is currently in breaking state and cannot be changed."};
  blob.lease_id = asked.proposed_lease_id;
  return Leased{blob.lease_id};
}

Reply BlobLeaseStore::answer(const ReleaseLease& asked, Blob& blob, StoreTime) {
  if (blob.state == State::available || asked.lease_id != blob.lease_id) return other_id();
  blob = Blob{.content = blob.content, .state = State::available, .lease_id = {}, .duration = {}, .ends = {}};
  return LeaseEnded{};
}

// Whoever asks. A break never lasts longer than the lease, nor than an earlier break.
Reply BlobLeaseStore::answer(const BreakLease& asked, Blob& blob, StoreTime now) {
  const std::optional<Duration>& period = asked.break_period;
  if (period && (*period < Duration{} || *period > kLongest || !whole_seconds(*period))) return bad_value();
  if (blob.state == State::available) return no_lease();
  StoreTime end = now;
  if (blob.state == State::leased || blob.state == State::breaking) {
    const StoreTime latest = blob.ends.value_or(now + period.value_or(Duration{}));
    end = period ? std::min(latest, now + *period) : latest;
  }
  blob.duration.reset();
  blob.ends.reset();
  blob.state = end > now ? State::breaking : State::broken;
  if (end > now) blob.ends = end;
  return Breaks{end - now};
}

// A write without a lease is the end of one that is over: nobody can renew it any more.
Reply BlobLeaseStore::answer(const PutBlob& asked, Blob& blob, StoreTime) {
  const bool locked = blob.state == State::leased || blob.state == State::breaking;
  if (locked && !asked.lease_id)
    return Failed{"LeaseIdMissing",
                  "There is currently a lease on the blob and no lease ID was specified in the request."};
  if (locked && *asked.lease_id != blob.lease_id)
    return Failed{"LeaseIdMismatchWithBlobOperation",
                  "The lease ID specified did not match the lease ID for the blob."};
  if (!locked && asked.lease_id) {
    if (blob.state != State::available && *asked.lease_id == blob.lease_id)
      return Failed{"LeaseLost", "A lease ID was specified, but the lease for the blob has expired."};
    return Failed{"LeaseNotPresentWithBlobOperation", "There is currently no lease on the blob."};
  }
  if (!locked) blob = Blob{};
  blob.content = asked.content;
  return BlobWritten{};
}

Reply BlobLeaseStore::answer(const GetBlob&, Blob& blob, StoreTime) {
  constexpr std::array<std::string_view, 5> kNames = {"available", "leased", "expired", "breaking", "broken"};
  return BlobRead{blob.content, std::string(kNames[static_cast<std::size_t>(blob.state)])};
}

void BlobLeaseStore::hash(Hasher& hasher, StoreTime now) const {
  for (const auto& [name, blob] : blobs_) {
    hasher.add(name).add(blob.content).add(blob.state).add(blob.lease_id).add(blob.duration);
    hasher.add(blob.ends.has_value());
    if (blob.ends) hasher.add(*blob.ends - now);
  }
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 7>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 7>; }

}  // namespace tenure::blob_lease
