// What `kubectl get lease -w -o json`, saved to a file, says of a lease: who held it, and how it was renewed.
//
// The file holds JSON objects one after another: leases, lists of them, or a watch's events. An object tells of one
// renewal at most, by its renewTime, which the holder took from its own clock; what happened between two of them is not
// seen. So gaps are of one holder's clock, and what is said of a handover is as true as two holders' clocks agree.
//
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/scenario/data_files.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

struct LeaseSighting {
  std::string holder;  // empty: released
  std::int64_t renewed_ns = 0;
  std::int64_t acquired_ns = 0;             // 0: it does not say
  std::optional<std::int64_t> transitions;  // as Kubernetes counts them
  Duration lease_duration;                  // zero: it does not say
};

struct Handover {
  std::string from;
  std::string to;
  // From the last renewal that was seen to the first of the next holder.
  Duration unrenewed;
  Duration lease_duration;  // that `from` had
  bool released = false;    // it was given up in between
  // How many others there were in between, as `leaseTransitions` counts them: who held it then, nobody knows.
  std::int64_t unseen = 0;
};

// A gap, and the lease that was in force when it began.
struct LeaseGap {
  Duration length;
  Duration lease_duration;
};

struct ObservedLease {
  std::string name;                      // "kube-system/kube-scheduler"
  std::vector<LeaseSighting> sightings;  // as they were read, each renewal once
  std::vector<Duration> gaps;            // between renewals of one holder
  std::vector<Handover> handovers;
  std::vector<std::string> holders;  // in the order of their first sighting
  std::int64_t unseen_handovers = 0;
  std::optional<LeaseGap> worst_gap;  // the longest for its lease; none if no lease says how long it is

  Duration lease_duration() const;  // that its last holder had; a release writes one of its own
  Duration observed() const;        // from the first renewal to the last
  // For how long nobody can have led: no less than the time after a lease had expired or was released, no more than all
  // the time without a renewal. Where others held it unseen, no time is sure to be leaderless.
  Range<Duration> leaderless() const;
};

// In the order of their first sighting; or what is wrong with the file.
std::variant<std::vector<ObservedLease>, std::string> read_leases(std::string_view bytes);

}  // namespace tenure::sim
