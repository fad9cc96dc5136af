// The keys of [[destination]] and [[worker]].

#include "format/schema/delivery_keys.h"

#include "core/base/time.h"
#include "core/store/reference/executions.h"
#include "format/schema/quantile_keys.h"

namespace tenure::sim {
namespace {

using Type = ValueType;

constexpr KeySpec kDestinationKeys[] = {
    {.name = "name", .type = Type::name, .doc = "what schedules and faults call it", .required = true},
    {.name = "latency",
     .type = Type::quantiles,
     .doc = "how long it works on an event",
     .fallback = "20ms",
     .section = &kQuantilesSection},
    {.name = "concurrent",
     .type = Type::count,
     .doc = "how many events it works on at a time; it refuses more",
     .fallback = "1000",
     .min = 1,
     .max = 1'000'000},
    {.name = "timeout",
     .type = Type::duration,
     .doc = "an attempt without an answer by then has failed, as far as its sender knows",
     .fallback = "10s",
     .min = Duration::millis(1).ns(),
     .max = kYearNs},
    {.name = "failing",
     .type = Type::fraction,
     .doc = "the share of attempts that take their time and then fail",
     .fallback = "0",
     .min = 0,
     .max = 1'000'000},
    {.name = "answers_lost",
     .type = Type::fraction,
     .doc = "the share of attempts whose answer gets lost",
     .fallback = "0",
     .min = 0,
     .max = 1'000'000},
    {.name = "retry_after",
     .type = Type::duration,
     .doc =
         "what it asks for when it refuses an event or fails at one: no other attempt at this event within "
         "that time; with 0s it asks for nothing",
     .fallback = "0s",
     .min = 0,
     .max = Duration::hours(24).ns()},
};
constexpr KeySpec kWorkerKeys[] = {
    {.name = "name", .type = Type::name, .doc = "what faults and reports call it", .required = true},
    {.name = "topic",
     .type = Type::name,
     .doc = "it claims events of schedules with this topic; of those without one when left out"},
    {.name = "count",
     .type = Type::count,
     .doc = "how many processes it is: name-1, name-2, … if there are several",
     .fallback = "1",
     .min = 1,
     .max = 1'000},
    {.name = "concurrent",
     .type = Type::count,
     .doc = "how many events a process works on at a time",
     .fallback = "1",
     .min = 1,
     .max = 1'000},
    {.name = "claim",
     .type = Type::duration,
     .doc = "how long a claim stands without a heartbeat",
     .fallback = "30s",
     .min = Duration::micros(1).ns(),
     .max = reference::kLongestClaim.ns()},
    {.name = "heartbeat",
     .type = Type::duration,
     .doc = "the time between two heartbeats; with 0s there are none",
     .fallback = "10s",
     .min = 0,
     .max = kYearNs},
    {.name = "poll",
     .type = Type::duration,
     .doc = "the wait after a claim that gave less than was asked for, and after an end without an answer",
     .fallback = "1s",
     .min = Duration::millis(1).ns(),
     .max = kYearNs},
    {.name = "timeout",
     .type = Type::duration,
     .doc = "a request without an answer by then is given up",
     .fallback = "5s",
     .min = Duration::millis(1).ns(),
     .max = kYearNs},
    {.name = "duration",
     .type = Type::quantiles,
     .doc = "how long it works on an event",
     .fallback = "1s",
     .section = &kQuantilesSection},
    {.name = "failing",
     .type = Type::fraction,
     .doc = "the share of attempts that take their time and then fail",
     .fallback = "0",
     .min = 0,
     .max = 1'000'000},
};
}  // namespace

const SectionSpec kDestination = {"[[destination]]", kDestinationKeys, OpenKeys::closed,
                                  "A server outside that events are sent to."};

const SectionSpec kWorker = {"[[worker]]", kWorkerKeys, OpenKeys::closed,
                             "Processes outside of the cluster that claim events of schedules with "
                             "`delivery = \"pull\"` and their topic, whichever comes first."};

}  // namespace tenure::sim
