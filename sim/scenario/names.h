// The names that [thresholds] and [expect] sometimes may use, each with its meaning.
//
// The parser accepts these names, the runner computes their values, and the command line lists them.
//
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenure::sim {

struct MetricName {
  enum class Unit : std::uint8_t { seconds, count, per_second };
  std::string_view name;
  Unit unit = Unit::seconds;
  bool distribution = false;  // many samples a run; the others have one
  std::string_view doc;
  bool low_is_bad = false;  // of two runs, the one with less is worse
  bool may_be_negative = false;
};

inline constexpr MetricName kMetricNames[] = {
    {"failover_seconds", MetricName::Unit::seconds, true,
     "from the fault that ended a leadership to the next grant"},
    {"fire_lateness_seconds", MetricName::Unit::seconds, true,
     "from a slot to the start of its work, by the store's clock", false, true},
    {"failovers", MetricName::Unit::count, false, "leaderless times that a fault began and a grant ended"},
    {"false_failovers", MetricName::Unit::count, false,
     "leaderships lost although their node was running and reachable"},
    {"leaderless_seconds", MetricName::Unit::seconds, false, "time without a leader, all together"},
    {"useless_seconds", MetricName::Unit::seconds, false,
     "time without a leader that has done its [work] warmup, all together"},
    {"believer_overlap_seconds", MetricName::Unit::seconds, false, "time with two believers, all together"},
    {"acting_overlap_seconds", MetricName::Unit::seconds, false,
     "total time with two believers that both run"},
    {"work_overlap_seconds", MetricName::Unit::seconds, false, "time with work of two nodes, all together"},
    {"safety_margin_seconds", MetricName::Unit::seconds, false,
     "the smallest gap between the end of one belief and the start of the next", true, true},
    {"store_requests", MetricName::Unit::count, false, "requests that stores executed"},
    {"store_requests_per_second", MetricName::Unit::per_second, false, "those, over the simulated time"},
    {"fires", MetricName::Unit::count, false, "slots whose work began", true},
    {"skipped_slots", MetricName::Unit::count, false, "slots missed, coalesced or suppressed"},
    {"stale_writes_rejected", MetricName::Unit::count, false, "writes with an old token that were refused"},
    {"epochs", MetricName::Unit::count, false, "grants to a new holder"},
};

struct SometimesName {
  std::string_view name;
  std::string_view doc;
};

inline constexpr SometimesName kSometimesNames[] = {
    {"failover", "a leaderless time that a fault began was ended by a grant"},
    {"false-failover", "a leadership was lost although its node was running and reachable"},
    {"stale-write-rejected", "a write with an old token was refused"},
    {"believer-overlap", "two nodes believed to lead at once"},
    {"work-overlap", "work of two nodes ran at once"},
    {"skipped-slot", "a slot was missed, coalesced or suppressed"},
    {"fire", "the work of a slot began"},
    {"fault-skipped", "a fault found no target, or nothing to change"},
    {"clock-alarm", "a node saw the store's clock jump"},
    {"hold-set", "firing was held because of such a jump"},
    {"lease-rebased", "the store's clock went back, and a lease was counted again from there"},
    {"work-fenced", "the outside world refused the work of a deposed leader"},
    {"duplicate-refused", "the outside world refused an event that had begun before"},
    {"work-stopped", "running work was stopped because leadership was lost"},
    {"graceful-release", "a lease was given back"},
    {"edit-applied", "a client's edit was applied"},
    {"segment-drained", "what an edit had left due was carried to its end"},
    {"commit-lost", "the store failed over, and an acknowledged fire or edit was lost"},
    {"grant-lost", "the store failed over, and did not know the lease of a new holder"},
    {"late-execution", "a store executed a request that its sender no longer waited for"},
    {"execution-refused", "a worker was told that its event had been handed out again"},
    {"execution-released", "a worker gave back what it had claimed"},
    {"return-lost", "the store failed over, and did not know that a worker had given something back"},
};

}  // namespace tenure::sim
