// Identities: small integers in distinct types, so that a schedule is never taken for a node.
//
// Names that people gave (an instance, a schedule, a resource) live at the edge, in scenarios and adapters.
// Thread rule: values; no shared state.
#pragma once

#include <compare>
#include <cstdint>

namespace tenure {

template <class Tag, class Rep = std::uint32_t>
struct Id {
  Rep value = 0;
  constexpr auto operator<=>(const Id&) const = default;
};

using NodeId = Id<struct NodeTag>;          // an instance's place in the cluster, from 0
using StoreId = Id<struct StoreTag>;        // which store, from 0 (Redlock has five)
using ResourceId = Id<struct ResourceTag>;  // what leadership is over: a partition of the schedules
using ScheduleId = Id<struct ScheduleTag>;  // never used again after a delete

// One life of a node, from start to stop, kill or crash. A later life never hears the answers to an earlier life's
// requests.
struct Incarnation {
  NodeId node;
  std::uint32_t number = 0;  // from 1; 0 is nobody
  constexpr auto operator<=>(const Incarnation&) const = default;
};

// Names one submitted request. counter counts from 1 within the incarnation; 0 is none.
struct RequestId {
  Incarnation incarnation;
  std::uint32_t counter = 0;
  constexpr auto operator<=>(const RequestId&) const = default;
};

// An instance has two parts that share its inbox. Each timer, and each connection to the store, belongs to one part.
// Each part has its own connection, so that fires never hold up a renewal.
enum class Part : std::uint8_t { elector, scheduler };

// A timer of a node, by owner and by name; setting it again replaces it.
struct TimerId {
  Part part = Part::elector;
  std::uint8_t name = 0;
  constexpr auto operator<=>(const TimerId&) const = default;
};

// A fencing token: a holder shows it with every write (Gray and Cheriton 1989 for leases; Kleppmann 2016 for the
// token). Ordered by (branch, epoch). A failover to a replica that lost a grant can grant its epoch a second time; the
// nonce tells the two grants apart. It is compared for equality only.
struct Token {
  std::uint32_t branch = 0;  // the store's promotion id
  std::uint64_t epoch = 0;   // from 1; strictly increases from grant to grant on a branch
  std::uint64_t nonce = 0;   // drawn by the holder for each acquire

  constexpr bool operator==(const Token&) const = default;
  // True if a grant of `other` came after this one.
  constexpr bool older_than(const Token& other) const {
    return branch != other.branch ? branch < other.branch : epoch < other.epoch;
  }
};

}  // namespace tenure
