#include "format/schema/compare_keys.h"
#include "format/schema/delivery_keys.h"
#include "format/schema/hunt_keys.h"
#include "format/schema/keys.h"
#include "format/schema/quantile_keys.h"
#include "format/schema/schedule_keys.h"
#include "format/schema/tune_keys.h"
#include "sim/world/record.h"

namespace tenure::sim {
namespace {

using Type = ValueType;

constexpr std::int64_t kMaxInstances = 1'000;

constexpr KeySpec kClockKeys[] = {
    {.name = "offset",
     .type = Type::duration_range,
     .doc = "how far the wall clock is ahead at the start",
     .fallback = "0s",
     .min = -10 * kYearNs,
     .max = 10 * kYearNs},
    {.name = "rate_ppm",
     .type = Type::ppm_range,
     .doc = "by how much the clock runs too fast",
     .fallback = "0",
     .min = -900'000,
     .max = 9'000'000},
};
constexpr SectionSpec kClock = {"clock", kClockKeys, OpenKeys::closed,
                                "A clock against true time. A range is drawn once for each clock."};

constexpr KeySpec kCapacityKeys[] = {
    {.name = "concurrent",
     .type = Type::count,
     .doc = "requests executed at once",
     .fallback = "20",
     .min = 1,
     .max = 1'000'000},
    {.name = "queue",
     .type = Type::count,
     .doc = "requests that wait; beyond, they are rejected",
     .fallback = "100",
     .min = 0,
     .max = 1'000'000},
};
constexpr SectionSpec kCapacity = {"capacity", kCapacityKeys, OpenKeys::closed,
                                   "How much a store can do at once."};

constexpr KeySpec kSimKeys[] = {
    {.name = "seed",
     .type = Type::count,
     .doc = "the run's seed; left out, it is drawn, and always printed",
     .min = 0},
    {.name = "start",
     .type = Type::instant,
     .doc = "what true time zero is in the calendar",
     .fallback = "2026-01-01T00:00:00Z"},
    {.name = "duration",
     .type = Type::duration,
     .doc = "the fault phase",
     .required = true,
     .min = Duration::millis(1).ns(),
     .max = kYearNs},
    {.name = "tail",
     .type = Type::duration,
     .doc = "how long the run goes on after everything is healed; progress is demanded in it",
     .fallback = "60s",
     .min = 0,
     .max = kYearNs},
    {.name = "tzdb",
     .type = Type::name,
     .doc = "the version of the time zone database that the run needs, like 2025b; any when left out"},
};
constexpr SectionSpec kSim = {"[sim]", kSimKeys, OpenKeys::closed, "The run as a whole."};

constexpr KeySpec kNodeKeys[] = {
    {.name = "command",
     .type = Type::names,
     .doc = "how the program is started: its name, and its arguments",
     .required = true},
    {.name = "folder", .type = Type::text, .doc = "where it runs, from this file's folder", .fallback = "."},
};
constexpr SectionSpec kNode = {"node", kNodeKeys, OpenKeys::closed, "A design that is a program."};

constexpr KeySpec kClusterKeys[] = {
    {.name = "instances",
     .type = Type::count,
     .doc = "how many instances there are: n1, n2, …",
     .fallback = "3",
     .min = 1,
     .max = kMaxInstances},
    {.name = "protocol",
     .type = Type::text,
     .doc = "how they elect a leader: `tenure list protocols`, or the path of a design, from this file's "
            "folder"},
    {.name = "node",
     .type = Type::table,
     .doc = "in place of `protocol`: a program that speaks the node protocol, a process for each instance",
     .section = &kNode},
    {.name = "scheduler",
     .type = Type::text,
     .doc = "what the leader does: `tenure list schedulers`, `none` for the election alone, or the path of a "
            "design",
     .fallback = "none"},
    {.name = "scheduler_node",
     .type = Type::table,
     .doc = "in place of `scheduler`: a program that speaks the node protocol, a process for each instance",
     .section = &kNode},
    {.name = "start_spread",
     .type = Type::duration,
     .doc = "instances start at drawn times within this",
     .fallback = "0s",
     .min = 0,
     .max = kYearNs},
    {.name = "clock", .type = Type::table, .doc = "the instances' clocks", .section = &kClock},
    {.name = "departure",
     .type = Type::quantiles,
     .doc = "how long an effect takes to leave its node, after the one before it or after its step",
     .fallback = "20us",
     .min = 1,
     .section = &kQuantilesSection},
};
constexpr SectionSpec kCluster = {"[cluster]", kClusterKeys, OpenKeys::closed,
                                  "The instances and what runs on them."};

constexpr KeySpec kAcceptKeys[] = {
    {.name = "accept",
     .type = Type::names,
     .doc = "unsafe settings taken on purpose, by the names that the errors gave"},
};
constexpr SectionSpec kElection = {"[election]", kAcceptKeys, OpenKeys::protocol,
                                   "The parameters of the protocol."};
constexpr SectionSpec kInstanceElection = {
    "election", {}, OpenKeys::protocol, "Parameters of the protocol that differ."};
constexpr SectionSpec kScheduling = {"[scheduling]", kAcceptKeys, OpenKeys::scheduler,
                                     "The parameters of the scheduler."};

constexpr KeySpec kInstanceKeys[] = {
    {.name = "names", .type = Type::names, .doc = "which instances this is about", .required = true},
    {.name = "clock", .type = Type::table, .doc = "what differs about their clocks", .section = &kClock},
    {.name = "election",
     .type = Type::table,
     .doc = "what differs in their election parameters",
     .section = &kInstanceElection},
};
constexpr SectionSpec kInstance = {"[[instance]]", kInstanceKeys, OpenKeys::closed,
                                   "Settings of some instances that differ from all others'."};

constexpr KeySpec kStoreKeys[] = {
    {.name = "engine",
     .type = Type::name,
     .doc = "what the store runs on: `machine`, or a real one: `sqlite`; `postgres` for schemas of designs",
     .fallback = "machine"},
    {.name = "latency",
     .type = Type::quantiles,
     .doc = "how long the store takes to execute a request",
     .fallback = "1ms",
     .section = &kQuantilesSection},
    {.name = "capacity", .type = Type::table, .doc = "how much it does at once", .section = &kCapacity},
    {.name = "clock", .type = Type::table, .doc = "the store's clock", .section = &kClock},
};
constexpr SectionSpec kStore = {"[store]", kStoreKeys, OpenKeys::closed,
                                "The store that the protocol and the scheduler share."};

constexpr KeySpec kNetworkKeys[] = {
    {.name = "latency",
     .type = Type::quantiles,
     .doc = "one way, on every link",
     .fallback = "300us",
     .section = &kQuantilesSection},
    {.name = "loss",
     .type = Type::fraction,
     .doc = "the share of messages that get lost; to and from a store: of segments, which are sent again",
     .fallback = "0",
     .min = 0,
     .max = 1'000'000},
};
constexpr SectionSpec kNetwork = {"[network]", kNetworkKeys, OpenKeys::closed,
                                  "The links between instances, and to the store."};

constexpr std::string_view kOnLoss[] = {"stay", "exit"};
constexpr KeySpec kWorkKeys[] = {
    {.name = "duration",
     .type = Type::quantiles,
     .doc = "how long the work of a fire takes",
     .fallback = "0s",
     .section = &kQuantilesSection},
    {.name = "check_every",
     .type = Type::duration,
     .doc = "how often running work looks whether its node still leads",
     .fallback = "1s",
     .min = Duration::millis(1).ns(),
     .max = kYearNs},
    {.name = "stop_latency",
     .type = Type::duration,
     .doc = "from seeing that it does not lead to having stopped",
     .fallback = "0s",
     .min = 0,
     .max = kYearNs},
    {.name = "fenced",
     .type = Type::boolean,
     .doc = "the resource refuses a token older than one it has seen",
     .fallback = "true"},
    {.name = "idempotent",
     .type = Type::boolean,
     .doc = "the resource honours event ids: it begins an event that names itself once at most",
     .fallback = "true"},
    {.name = "failing",
     .type = Type::fraction,
     .doc = "the share of executions that take their time and then fail",
     .fallback = "0",
     .min = 0,
     .max = 1'000'000},
    {.name = "warmup",
     .type = Type::duration,
     .doc = "how long a new leader is of no use yet; it is measured, and changes nothing",
     .fallback = "0s",
     .min = 0,
     .max = kYearNs},
    {.name = "startup",
     .type = Type::duration,
     .doc = "how much later a process that starts again is there",
     .fallback = "0s",
     .min = 0,
     .max = kYearNs},
    {.name = "on_loss",
     .type = Type::choice,
     .doc = "what a process does when its leadership has ended: go on, or exit",
     .fallback = "stay",
     .choices = kOnLoss},
    {.name = "restart_backoff",
     .type = Type::duration,
     .doc = "with on_loss: before it is started again after its second exit, and twice as long each time",
     .fallback = "10s",
     .min = 0,
     .max = kYearNs},
    {.name = "restart_backoff_max",
     .type = Type::duration,
     .doc = "with on_loss: the longest; after a life of more than twice that the back-off begins anew",
     .fallback = "5m",
     .min = 0,
     .max = kYearNs},
};
constexpr SectionSpec kWork = {"[work]", kWorkKeys, OpenKeys::closed,
                               "What a fire does to the outside world."};

constexpr KeySpec kWithKeys[] = {
    {.name = "election",
     .type = Type::table,
     .doc = "parameters of the protocol that replace those of [election]",
     .section = &kInstanceElection},
};
constexpr SectionSpec kWith = {"with", kWithKeys, OpenKeys::closed,
                               "The settings that restarted instances come up with."};

constexpr KeySpec kFaultKeys[] = {
    {.name = "id",
     .type = Type::permanent_id,
     .doc = "keys the fault's draws; its place in the file, from 1, when left out"},
    {.name = "at",
     .type = Type::duration_range,
     .doc = "when: at this time; of a range, at a time drawn from it",
     .min = 0,
     .max = kYearNs},
    {.name = "on", .type = Type::choice, .doc = "when: as this event happens", .choices = kEventNames},
    {.name = "nth",
     .type = Type::nth,
     .doc = "with `on`: at its nth time; `all`: each time, with its own draws",
     .fallback = "1",
     .min = 1,
     .max = 1'000'000'000},
    {.name = "after",
     .type = Type::duration,
     .doc = "with `on`: this much later",
     .fallback = "0s",
     .min = 0,
     .max = kYearNs},
    {.name = "every",
     .type = Type::lengths,
     .doc = "when: again and again, with gaps drawn from this, from the end of one to the start of the next",
     .min = Duration::millis(1).ns(),
     .max = kYearNs,
     .section = &kQuantilesSection},
    {.name = "action", .type = Type::name, .doc = "what breaks: `tenure list faults`", .required = true},
    {.name = "target", .type = Type::target, .doc = "which instances it strikes"},
    {.name = "duration",
     .type = Type::lengths,
     .doc = "for how long; until the heal when left out",
     .min = 1,
     .max = kYearNs,
     .section = &kQuantilesSection},
    {.name = "optional",
     .type = Type::boolean,
     .doc = "it need not strike; otherwise a run in which it never strikes is inconclusive",
     .fallback = "false"},
    {.name = "with", .type = Type::table, .doc = "of rolling-restart: new settings", .section = &kWith},
};
constexpr SectionSpec kFault = {"[[fault]]", kFaultKeys, OpenKeys::fault,
                                "Something breaks. Needs one of `at`, `on`, `every`."};

constexpr KeySpec kExpectKeys[] = {
    {.name = "always",
     .type = Type::names,
     .doc = "checkers that must hold whatever breaks; the others must hold as far as the claims reach"},
    {.name = "eventually",
     .type = Type::names,
     .doc = "what must come true in the tail whatever broke; all that apply when left out"},
    {.name = "sometimes", .type = Type::names, .doc = "what must happen at least once"},
    {.name = "believer_overlap",
     .type = Type::overlap,
     .doc = "two believers at once: `forbidden`, `report`, or how long at a time is allowed; left out: where "
            "nothing demands that there be none, a run that has them is inconclusive"},
    {.name = "fails", .type = Type::name, .doc = "a canary: this checker must fail, or the scenario does"},
};
constexpr SectionSpec kExpect = {"[expect]", kExpectKeys, OpenKeys::closed, "What is demanded of the run."};

constexpr SectionSpec kThresholds = {"[thresholds]",
                                     {},
                                     OpenKeys::metrics,
                                     "Bounds on what is measured: a statistic (mean, min, max, p90, p99.9), "
                                     "a comparison (<, <=, >, >=), a number."};

constexpr std::int64_t kFormat = 1;
constexpr KeySpec kFileKeys[] = {
    {.name = "format",
     .type = Type::count,
     .doc = "the version of this format",
     .required = true,
     .min = kFormat,
     .max = kFormat},
    {.name = "name", .type = Type::name, .doc = "what reports call the scenario", .required = true},
    {.name = "summary", .type = Type::text, .doc = "one line on what it shows"},
    {.name = "tags", .type = Type::names, .doc = "to select scenarios by"},
    {.name = "sim", .type = Type::table, .doc = "the run", .required = true, .section = &kSim},
    {.name = "cluster", .type = Type::table, .doc = "the instances", .required = true, .section = &kCluster},
    {.name = "instance", .type = Type::tables, .doc = "instances that differ", .section = &kInstance},
    {.name = "election", .type = Type::table, .doc = "the protocol's parameters", .section = &kElection},
    {.name = "scheduling", .type = Type::table, .doc = "the scheduler's parameters", .section = &kScheduling},
    {.name = "store", .type = Type::table, .doc = "the store", .section = &kStore},
    {.name = "network", .type = Type::table, .doc = "the links", .section = &kNetwork},
    {.name = "work", .type = Type::table, .doc = "the outside world", .section = &kWork},
    {.name = "destination", .type = Type::tables, .doc = "where events are sent", .section = &kDestination},
    {.name = "worker", .type = Type::tables, .doc = "who claims events", .section = &kWorker},
    {.name = "schedule", .type = Type::tables, .doc = "the schedules", .section = &kScheduleSection},
    {.name = "change", .type = Type::tables, .doc = "edits of schedules", .section = &kChangeSection},
    {.name = "fault", .type = Type::tables, .doc = "what breaks", .section = &kFault},
    {.name = "expect", .type = Type::table, .doc = "what is demanded", .section = &kExpect},
    {.name = "thresholds", .type = Type::table, .doc = "bounds on what is measured", .section = &kThresholds},
    {.name = "hunt", .type = Type::table, .doc = "what a hunt draws", .section = &kHuntSection},
    {.name = "exhaustive",
     .type = Type::table,
     .doc = "the bounds of an exhaustive hunt",
     .section = &kExhaustiveSection},
    {.name = "tune", .type = Type::table, .doc = "what is tuned", .section = &kTuneSection},
    {.name = "profile",
     .type = Type::table,
     .doc = "how often what happens, for tuning",
     .section = &kProfileSection},
    {.name = "compare",
     .type = Type::table,
     .doc = "how it is made harder for slow designs",
     .section = &kCompareSection},
    {.name = "regression",
     .type = Type::table,
     .doc = "where a kept failure is from",
     .section = &kRegressionSection},
};
constexpr SectionSpec kFile = {"the file", kFileKeys, OpenKeys::closed, "The top level."};

}  // namespace

const SectionSpec& file_spec() { return kFile; }

}  // namespace tenure::sim
