// Counts the events that a scenario may demand at least once (`sometimes`).
//
// Their names are in sim/scenario/names.h. Counts that metrics already have are taken from there.
//
// Thread rule: one counter belongs to one run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/checkers/checker.h"
#include "sim/checkers/metrics/measures.h"
#include "sim/world/holder_tracker.h"
#include "sim/world/record.h"

namespace tenure::sim {

class SometimesCounter final : public Observer {
 public:
  explicit SometimesCounter(const CheckerSetup& setup) : view_(setup.view) {}

  std::uint32_t wants() const override {
    return record_mask<WorkArrived, WorkEnded, DeliveryArrived, Applied, Submitted, Noted, FaultSkipped,
                       StoreReplicaStalled, StoreFailedOver>();
  }
  void see(TrueTime now, const Record& record) override;

  // REQUIRES: `name` is one of kSometimesNames, and `metrics` are of the same run, finished.
  std::uint64_t count(std::string_view name, const Metrics& metrics) const;

 private:
  static constexpr std::size_t kWaiting = 256;

  // A request on its way; beyond kWaiting requests, the oldest is forgotten.
  struct Waiting {
    RequestId id;
    MonoTime deadline;
  };
  void take_applied(const Applied& applied);
  void take_workers(const Applied& applied);
  bool is_late(const Applied& applied);

  const View& view_;
  std::vector<Waiting> waiting_;
  std::map<std::string_view, std::uint64_t> counts_;  // by name, but for those that are counted otherwise
  HolderTracker holder_;
  std::uint64_t replica_lacks_ = 0;  // fires and edits, while it stands still
  std::uint64_t grants_lacked_ = 0;  // likewise, of leases
  using Attempt = std::tuple<reference::EventId, std::uint32_t, std::uint64_t>;
  static Attempt attempt_of(const reference::ExecutionToken& token) {
    return {token.event, token.attempt, token.nonce};
  }
  std::set<Attempt> given_back_;
  std::optional<std::set<Attempt>> claimed_unseen_;  // while the replica stands still
  std::uint64_t returns_lacked_ = 0;                 // of claims that it knows
};

}  // namespace tenure::sim
