// A client that makes requests out of numbers, and learns from the replies what will matter next: which epoch, token
// and version to show, where cursors are, what waits for delivery. Most of what it asks is right; the rest is outdated,
// forged, too early or meant for somebody else.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/store/reference/requests.h"

namespace tenure::conformance {

// Any numbers make an operation.
struct Operation {
  std::uint32_t kind = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

class Client {
 public:
  // `self` tells clients apart: their nodes, nonces and runs.
  explicit Client(std::uint32_t self) : self_(self) {}

  // `now` is the store's time, as far as the client knows.
  reference::Request ask(const Operation& operation, StoreTime now);
  void learn(const reference::Request& request, const reference::Reply& reply);

  static constexpr std::uint32_t kKinds = 68;
  // The clock moves before the operation, by so much: mostly forward, now and then back.
  static Duration clock_step(const Operation& operation);

 private:
  struct Known {  // of a resource
    std::uint64_t epoch = 0;
    Incarnation holder;  // this client, as it was last granted the lease
    Token token;
    StoreTime leads_until;
    std::map<ScheduleId, std::uint32_t> versions;
    std::map<std::pair<ScheduleId, std::uint32_t>, Definition> definitions;
    reference::Due due;
    std::optional<reference::CommitFires> last_commit;
    std::vector<reference::OutboxEvent> events;
    std::vector<reference::DeadEvent> dead;
    std::vector<reference::WaitingEvent> waiting;
    std::vector<reference::ExecutionToken> claimed;  // the last ones, over or not
    std::uint64_t change_seq = 0;
    std::map<std::string, reference::Edition> editions;  // by name
  };

  reference::Request acquire(ResourceId resource, const Operation& operation);
  reference::Request by_name(ResourceId resource, const Operation& operation);
  reference::Request delivery(ResourceId resource, const Operation& operation);
  reference::Request commit(ResourceId resource, const Operation& operation, StoreTime now);
  void rows_of(const reference::Segment& segment, const Known& known, StoreTime until, std::uint32_t choice,
               std::vector<reference::LedgerRow>& rows) const;
  std::uint32_t version_of(ResourceId resource, ScheduleId schedule, std::uint32_t b);
  Token shown(ResourceId resource, std::uint32_t b);

  std::uint32_t self_;
  std::uint32_t lives_ = 1;
  std::uint64_t nonces_ = 0;
  StoreTime now_;  // of the last request
  std::map<ResourceId, Known> known_;
};

}  // namespace tenure::conformance
