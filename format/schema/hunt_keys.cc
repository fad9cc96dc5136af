#include "format/schema/hunt_keys.h"

namespace tenure::sim {
namespace {

using Type = ValueType;

constexpr KeySpec kHuntKeys[] = {
    {.name = "families",
     .type = Type::names,
     .doc = "which families of faults may strike; all when left out: `tenure list faults`"},
    {.name = "faults",
     .type = Type::count_range,
     .doc = "how many faults a run draws, besides those of the file",
     .fallback = "1..8",
     .min = 0,
     .max = 1'000},
    {.name = "instances",
     .type = Type::count_range,
     .doc = "how many instances a run has; those of [cluster] when left out",
     .min = 1,
     .max = 100},
    {.name = "store_latency",
     .type = Type::duration_range,
     .doc = "the largest latency of a run's store; the distribution is stretched to it",
     .min = 1,
     .max = kYearNs},
    {.name = "network_latency",
     .type = Type::duration_range,
     .doc = "the largest latency of a run's links; the distribution is stretched to it",
     .min = 1,
     .max = kYearNs},
    {.name = "beyond",
     .type = Type::boolean,
     .doc = "the file's own faults may come at other times, more often, longer, stronger and to others than "
            "it states",
     .fallback = "false"},
};
constexpr std::int64_t kBudgetMax = 14;
constexpr KeySpec kExhaustiveKeys[] = {
    {.name = "instances",
     .type = Type::count,
     .doc = "the first so many of the instances; 0 is all of them",
     .fallback = "0",
     .min = 0,
     .max = 3},
    {.name = "crashes", .type = Type::count, .doc = "kills", .fallback = "1", .min = 0, .max = kBudgetMax},
    {.name = "pauses",
     .type = Type::count,
     .doc = "pauses of any length",
     .fallback = "1",
     .min = 0,
     .max = kBudgetMax},
    {.name = "stops",
     .type = Type::count,
     .doc = "requests to stop",
     .fallback = "0",
     .min = 0,
     .max = kBudgetMax},
    {.name = "losses",
     .type = Type::count,
     .doc = "messages that never arrive",
     .fallback = "1",
     .min = 0,
     .max = kBudgetMax},
    {.name = "delays",
     .type = Type::count,
     .doc = "messages that are still on their way when time moves on",
     .fallback = "1",
     .min = 0,
     .max = kBudgetMax},
    {.name = "requests",
     .type = Type::count,
     .doc = "requests that the store executes; any number when left out",
     .min = 1,
     .max = 4'000},
    {.name = "horizon",
     .type = Type::duration,
     .doc = "what happens later is not explored",
     .fallback = "40s",
     .min = Duration::millis(1).ns(),
     .max = kYearNs},
    {.name = "tick",
     .type = Type::duration,
     .doc = "time also stops this long after each instant at which something is due; 0s: it does not",
     .fallback = "0s",
     .min = 0,
     .max = kYearNs},
    {.name = "jitter_ends",
     .type = Type::boolean,
     .doc = "random waits come out longest as well as shortest",
     .fallback = "false"},
    {.name = "acting",
     .type = Type::boolean,
     .doc = "each new leader does a piece of work, on a resource that checks tokens if there are any",
     .fallback = "true"},
    {.name = "states",
     .type = Type::count,
     .doc = "how many states before it gives up, at about 100 bytes each",
     .fallback = "20000000",
     .min = 1,
     .max = 1'000'000'000},
};
constexpr KeySpec kRegressionKeys[] = {
    {.name = "checker", .type = Type::name, .doc = "the checker that failed", .required = true},
    {.name = "message", .type = Type::text, .doc = "its first message"},
    {.name = "trace_hash", .type = Type::text, .doc = "of the run that failed"},
    {.name = "version", .type = Type::text, .doc = "of the program that found it"},
    {.name = "origin", .type = Type::text, .doc = "the scenario and the seed that it was shrunk from"},
    {.name = "design_hash", .type = Type::text, .doc = "of the design's file as it was then"},
};

}  // namespace

const SectionSpec kHuntSection = {"[hunt]", kHuntKeys, OpenKeys::closed,
                                  "What `tenure hunt` draws for each seed. `tenure run` takes no notice."};

const SectionSpec kExhaustiveSection = {
    "[exhaustive]", kExhaustiveKeys, OpenKeys::closed,
    "The bounds of `tenure hunt --exhaustive`: how many of each may happen in "
    "one history."};

const SectionSpec kRegressionSection = {"[regression]", kRegressionKeys, OpenKeys::closed,
                                        "What `tenure shrink` knows of the failure that it wrote down, for "
                                        "`tenure replay`."};

}  // namespace tenure::sim
