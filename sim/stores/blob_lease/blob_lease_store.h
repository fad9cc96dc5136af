// The leases of blobs in Azure Storage: README.md beside this file has what they do, and from where that is known.
//
//   I1. A blob has one lease at most, and a lease has one id.
//   I2. A lease ends at an instant of the service's clock, and is over from that instant on.
//   I3. What a request has seen at its end stays so: a clock that goes back revives no lease.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/blob_lease/requests.h"
#include "sim/stores/machine_of.h"

namespace tenure::blob_lease {

class BlobLeaseStore final : public PlainStore<BlobLeaseStore, Request> {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  template <class Asked>
  Reply answer(const Asked& asked, StoreTime now) {
    Blob& blob = blobs_[asked.blob];
    settle(blob, now);
    return answer(asked, blob, now);
  }

 private:
  enum class State : std::uint8_t { available, leased, expired, breaking, broken };
  struct Blob {
    std::string content;
    State state = State::available;
    std::string lease_id;              // in every state but available
    std::optional<Duration> duration;  // leased, expired; absent: without end
    std::optional<StoreTime> ends;     // leased, unless without end; breaking
  };
  static void settle(Blob& blob, StoreTime now);

  Reply answer(const AcquireLease& asked, Blob& blob, StoreTime now);
  Reply answer(const RenewLease& asked, Blob& blob, StoreTime now);
  Reply answer(const ChangeLease& asked, Blob& blob, StoreTime now);
  Reply answer(const ReleaseLease& asked, Blob& blob, StoreTime now);
  Reply answer(const BreakLease& asked, Blob& blob, StoreTime now);
  Reply answer(const PutBlob& asked, Blob& blob, StoreTime now);
  Reply answer(const GetBlob& asked, Blob& blob, StoreTime now);
  Reply leased(Blob& blob, StoreTime now);

  std::map<std::string, Blob> blobs_;
};

}  // namespace tenure::blob_lease
