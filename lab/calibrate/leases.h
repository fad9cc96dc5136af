// Reads a saved output of `kubectl get lease -w -o json`: who held a lease, and how it was renewed.
//
// The file holds JSON objects one after another: leases, lists of them, or a watch's events. An object shows at most
// one renewal, by its renewTime, which the holder took from its own clock. What happened between two objects is not
// seen. So a gap is measured on one holder's clock, and the length of a handover is only as exact as the two holders'
// clocks agree.
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

namespace tenure::lab {

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
  // From the last renewal seen to the next holder's first.
  Duration unrenewed;
  Duration lease_duration;  // that `from` had
  bool released = false;    // it was released in between
  // How many other holders there were in between, by `leaseTransitions`; they are unknown.
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
  std::int64_t went_back = 0;         // renewals with an earlier time than their holder's last one: no gaps
  std::optional<LeaseGap> worst_gap;  // the longest relative to its lease; nullopt if no lease has a duration

  Duration lease_duration() const;  // the last holder's; a release writes its own duration
  Duration observed() const;        // from the first renewal to the last
  // How long nobody can have led: at least the time after a lease had expired or was released, at most all the time
  // without a renewal. If unseen holders were in between, the least is zero.
  sim::Range<Duration> leaderless() const;
};

// The leases in the order of their first sighting, or what is wrong with the file.
std::variant<std::vector<ObservedLease>, std::string> read_leases(std::string_view bytes);

}  // namespace tenure::lab
