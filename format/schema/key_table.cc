#include "core/store/reference/executions.h"
#include "format/schema/make_key.h"
#include "format/schema/schedule_keys.h"
#include "sim/world/record.h"

namespace tenure::format {
namespace keys {
namespace {

constexpr std::int64_t kMaxInstances = 1'000;

constexpr KeySpec kClockKeys[] = {
    key("offset", Type::duration_range, "how far the wall clock is ahead at the start", "0s", -10 * kYearNs,
        10 * kYearNs),
    key("rate_ppm", Type::ppm_range, "by how much the clock runs too fast", "0", -900'000, 9'000'000),
};
constexpr SectionSpec kClock = {"clock", kClockKeys, OpenKeys::closed,
                                "A clock against true time. A range is drawn once for each clock."};

constexpr KeySpec kCapacityKeys[] = {
    count("concurrent", "requests executed at once", "20", 1, 1'000'000),
    count("queue", "requests that wait; beyond, they are rejected", "100", 0, 1'000'000),
};
constexpr SectionSpec kCapacity = {"capacity", kCapacityKeys, OpenKeys::closed,
                                   "How much a store can do at once."};

constexpr KeySpec kSimKeys[] = {
    count("seed", "the run's seed; left out, it is drawn, and always printed", "", 0),
    key("start", Type::instant, "what true time zero is in the calendar", "2026-01-01T00:00:00Z"),
    required(duration("duration", "the fault phase", "", kMillisecond)),
    duration("tail", "how long the run goes on after everything is healed; progress is demanded in it",
             "60s"),
    name("tzdb", "the version of the time zone database that the run needs, like 2025b; any when left out"),
};
constexpr SectionSpec kSim = {"[sim]", kSimKeys, OpenKeys::closed, "The run as a whole."};

constexpr KeySpec kNodeKeys[] = {
    required(names("command", "how the program is started: its name, and its arguments")),
    text("folder", "where it runs, from this file's folder", "."),
};
constexpr SectionSpec kNode = {"node", kNodeKeys, OpenKeys::closed, "A design that is a program."};

constexpr KeySpec kClusterKeys[] = {
    count("instances", "how many instances there are: n1, n2, …", "3", 1, kMaxInstances),
    text(
        "protocol",
        "how they elect a leader: `tenure list protocols`, or the path of a design, from this file's folder"),
    table("node",
          "in place of `protocol`: a program that speaks the node protocol, a process for each instance",
          kNode),
    text("scheduler",
         "what the leader does: `tenure list schedulers`, `none` for the election alone, or the path of a "
         "design",
         "none"),
    table("scheduler_node",
          "in place of `scheduler`: a program that speaks the node protocol, a process for each instance",
          kNode),
    key("start_spread", Type::duration_range,
        "instances start at drawn times within this; one duration: between 0s and that", "0s", 0, kYearNs),
    table("clock", "the instances' clocks", kClock),
    quantiles("departure",
              "how long an effect takes to leave its node, after the one before it or after its step", "20us",
              1),
};
constexpr SectionSpec kCluster = {"[cluster]", kClusterKeys, OpenKeys::closed,
                                  "The instances and what runs on them."};

constexpr KeySpec kAcceptKeys[] = {
    names("accept", "unsafe settings taken on purpose, by the names that the errors gave"),
};
constexpr SectionSpec kElection = {"[election]", kAcceptKeys, OpenKeys::protocol,
                                   "The parameters of the protocol."};
constexpr SectionSpec kInstanceElection = {
    "election", {}, OpenKeys::protocol, "Parameters of the protocol that differ."};
constexpr SectionSpec kScheduling = {"[scheduling]", kAcceptKeys, OpenKeys::scheduler,
                                     "The parameters of the scheduler."};

constexpr KeySpec kInstanceKeys[] = {
    required(names("names", "which instances this is about")),
    table("clock", "what differs about their clocks", kClock),
    table("election", "what differs in their election parameters", kInstanceElection),
};
constexpr SectionSpec kInstance = {"[[instance]]", kInstanceKeys, OpenKeys::closed,
                                   "Settings of some instances that differ from all others'."};

constexpr KeySpec kLatencyOfKeys[] = {
    quantiles("acquire", "of a request for the lease", ""),
    quantiles("renew", "of a renewal", ""),
    quantiles("release", "of giving the lease back", ""),
    quantiles("read_due", "of a look at what is due", ""),
    quantiles("commit_fires", "of a commit of fires", ""),
    quantiles("read_outbox", "of a look at the outbox", ""),
    quantiles("ack_events", "of an acknowledgement of work", ""),
    quantiles("changes_since", "of a look at what clients have changed", ""),
};
constexpr SectionSpec kLatencyOf = {"latency_of", kLatencyOfKeys, OpenKeys::closed,
                                    "Latencies of some kinds of request to the reference store."};

constexpr KeySpec kStoreKeys[] = {
    name("engine",
         "what the store runs on: `machine`, or a real one: `sqlite`; `postgres` for schemas of designs",
         "machine"),
    quantiles("latency", "how long the store takes to execute a request", "1ms"),
    table("latency_of", "kinds of request that take another time than `latency`", kLatencyOf),
    quantiles(
        "notification",
        "from a change to when those who listen are told; unless it is 0s, a process that starts, or whose "
        "store is back, is told to look at everything, so much later",
        "0s"),
    table("capacity", "how much it does at once", kCapacity),
    table("clock", "the store's clock", kClock),
};
constexpr SectionSpec kStore = {"[store]", kStoreKeys, OpenKeys::closed,
                                "The store that the protocol and the scheduler share."};

constexpr KeySpec kNetworkKeys[] = {
    quantiles("latency", "one way, on every link", "300us"),
    fraction("loss",
             "the share of messages that get lost; to and from a store: of segments, which are sent again"),
};
constexpr SectionSpec kNetwork = {"[network]", kNetworkKeys, OpenKeys::closed,
                                  "The links between instances, and to the store."};

constexpr std::string_view kOnLoss[] = {"stay", "exit"};
constexpr KeySpec kWorkKeys[] = {
    quantiles("duration", "how long the work of a fire takes", "0s"),
    duration("check_every", "how often running work looks whether its node still leads", "1s", kMillisecond),
    duration("stop_latency", "from seeing that it does not lead to having stopped", "0s"),
    flag("fenced", "the resource refuses a token older than one it has seen", "true"),
    flag("idempotent", "the resource honours event ids: it begins an event that names itself once at most",
         "true"),
    fraction("failing", "the share of executions that take their time and then fail"),
    duration("warmup", "how long a new leader is of no use yet; it is measured, and changes nothing", "0s"),
    duration("startup", "how much later a process that starts again is there", "0s"),
    choice("on_loss", "what a process does when its leadership has ended: go on, or exit", kOnLoss, "stay"),
    duration("restart_backoff",
             "with on_loss: before it is started again after its second exit, and twice as long each time",
             "10s"),
    duration("restart_backoff_max",
             "with on_loss: the longest; after a life of more than twice that the back-off begins anew",
             "5m"),
};
constexpr SectionSpec kWork = {"[work]", kWorkKeys, OpenKeys::closed,
                               "What a fire does to the outside world."};

constexpr KeySpec kWithKeys[] = {
    table("election", "parameters of the protocol that replace those of [election]", kInstanceElection),
};
constexpr SectionSpec kWith = {"with", kWithKeys, OpenKeys::closed,
                               "The settings that restarted instances come up with."};

constexpr KeySpec kFaultKeys[] = {
    key("id", Type::permanent_id, "keys the fault's draws; its place in the file, from 1, when left out"),
    key("at", Type::duration_range, "when: at this time; of a range, at a time drawn from it", "", 0,
        kYearNs),
    choice("on", "when: as this event happens", sim::kEventNames),
    key("nth", Type::nth, "with `on`: at its nth time; `all`: each time, with its own draws", "1", 1,
        1'000'000'000),
    duration("after", "with `on`: this much later", "0s"),
    lengths("every",
            "when: again and again, with gaps drawn from this, from the end of one to the start of the next",
            kMillisecond),
    required(name("action", "what breaks: `tenure list faults`")),
    key("target", Type::target, "which instances it strikes"),
    lengths("duration", "for how long; until the heal when left out", 1),
    flag("optional", "it need not strike; otherwise a run in which it never strikes is inconclusive",
         "false"),
    table("with", "of rolling-restart: new settings", kWith),
};
constexpr SectionSpec kFault = {"[[fault]]", kFaultKeys, OpenKeys::fault,
                                "Something breaks. Needs one of `at`, `on`, `every`."};

constexpr KeySpec kExpectKeys[] = {
    names("always",
          "checkers that must hold whatever breaks; the others must hold as far as the claims reach"),
    names("eventually", "what must come true in the tail whatever broke; all that apply when left out"),
    names("sometimes", "what must happen at least once"),
    key("believer_overlap", Type::overlap,
        "two believers at once: `forbidden`, `report`, or how long at a time is allowed; left out: where "
        "nothing demands that there be none, a run that has them is inconclusive"),
    name("fails", "a canary: this checker must fail, or the scenario does"),
};
constexpr SectionSpec kExpect = {"[expect]", kExpectKeys, OpenKeys::closed, "What is demanded of the run."};

constexpr SectionSpec kThresholds = {"[thresholds]",
                                     {},
                                     OpenKeys::metrics,
                                     "Bounds on what is measured: a statistic (mean, min, max, p90, p99.9), "
                                     "a comparison (<, <=, >, >=), a number."};

constexpr KeySpec kDestinationKeys[] = {
    required(name("name", "what schedules and faults call it")),
    quantiles("latency", "how long it works on an event", "20ms"),
    count("concurrent", "how many events it works on at a time; it refuses more", "1000", 1, 1'000'000),
    duration("timeout", "an attempt without an answer by then has failed, as far as its sender knows", "10s",
             kMillisecond),
    fraction("failing", "the share of attempts that take their time and then fail"),
    fraction("answers_lost", "the share of attempts whose answer gets lost"),
    duration("retry_after",
             "what it asks for when it refuses an event or fails at one: no other attempt at this event "
             "within that time; with 0s it asks for nothing",
             "0s", 0, Duration::hours(24).ns()),
};
constexpr KeySpec kWorkerKeys[] = {
    required(name("name", "what faults and reports call it")),
    name("topic", "it claims events of schedules with this topic; of those without one when left out"),
    count("count", "how many processes it is: name-1, name-2, … if there are several", "1", 1, 1'000),
    count("concurrent", "how many events a process works on at a time", "1", 1, 1'000),
    duration("claim", "how long a claim stands without a heartbeat", "30s", Duration::micros(1).ns(),
             reference::kLongestClaim.ns()),
    duration("heartbeat", "the time between two heartbeats; with 0s there are none", "10s"),
    duration("poll",
             "the wait after a claim that gave less than was asked for, and after an end without an answer",
             "1s", kMillisecond),
    duration("timeout", "a request without an answer by then is given up", "5s", kMillisecond),
    quantiles("duration", "how long it works on an event", "1s"),
    fraction("failing", "the share of attempts that take their time and then fail"),
};

constexpr SectionSpec kDestination = {"[[destination]]", kDestinationKeys, OpenKeys::closed,
                                      "A server outside that events are sent to."};

constexpr SectionSpec kWorker = {"[[worker]]", kWorkerKeys, OpenKeys::closed,
                                 "Processes outside of the cluster that claim events of schedules with "
                                 "`delivery = \"pull\"` and their topic, whichever comes first."};

constexpr KeySpec kHuntKeys[] = {
    names("families", "which families of faults may strike; all when left out: `tenure list faults`"),
    key("faults", Type::count_range, "how many faults a run draws, besides those of the file", "1..8", 0,
        1'000),
    key("instances", Type::count_range, "how many instances a run has; those of [cluster] when left out", "",
        1, 100),
    key("store_latency", Type::duration_range,
        "the largest latency of a run's store; the distribution is stretched to it", "", 1, kYearNs),
    key("network_latency", Type::duration_range,
        "the largest latency of a run's links; the distribution is stretched to it", "", 1, kYearNs),
    flag("beyond",
         "the file's own faults may come at other times, more often, longer, stronger and to others than it "
         "states",
         "false"),
};
constexpr std::int64_t kBudgetMax = 14;
constexpr KeySpec kExhaustiveKeys[] = {
    count("instances", "the first so many of the instances; 0 is all of them", "0", 0, 3),
    count("crashes", "kills", "1", 0, kBudgetMax),
    count("pauses", "pauses of any length", "1", 0, kBudgetMax),
    count("stops", "requests to stop", "0", 0, kBudgetMax),
    count("losses", "messages that never arrive", "1", 0, kBudgetMax),
    count("delays", "messages that are still on their way when time moves on", "1", 0, kBudgetMax),
    count("requests", "requests that the store executes; any number when left out", "", 1, 4'000),
    duration("horizon", "what happens later is not explored", "40s", kMillisecond),
    duration("tick",
             "time also stops this long after each instant at which something is due; 0s: it does not", "0s"),
    flag("jitter_ends", "random waits come out longest as well as shortest", "false"),
    flag("acting", "each new leader does a piece of work, on a resource that checks tokens if there are any",
         "true"),
    count("states", "how many states before it gives up, at about 100 bytes each", "20000000", 1,
          1'000'000'000),
};
constexpr KeySpec kRegressionKeys[] = {
    required(name("checker", "the checker that failed")),
    text("message", "its first message"),
    text("trace_hash", "of the run that failed"),
    text("version", "of the program that found it"),
    text("origin", "the scenario and the seed that it was shrunk from"),
    text("design_hash", "of the design's file as it was then"),
};

constexpr SectionSpec kHuntSection = {
    "[hunt]", kHuntKeys, OpenKeys::closed,
    "What `tenure hunt` draws for each seed. `tenure run` takes no notice."};

constexpr SectionSpec kExhaustiveSection = {
    "[exhaustive]", kExhaustiveKeys, OpenKeys::closed,
    "The bounds of `tenure hunt --exhaustive`: how many of each may happen in one history."};

constexpr SectionSpec kRegressionSection = {
    "[regression]", kRegressionKeys, OpenKeys::closed,
    "What `tenure shrink` knows of the failure that it wrote down, for `tenure replay`."};

constexpr SectionSpec kSweeps = {
    "[tune.election]",
    {},
    OpenKeys::sweeps,
    "The parameters that are tuned, each with the values to try: a list, or a range with both ends."};
constexpr SectionSpec kSchedulingSweeps = {"[tune.scheduling]",
                                           {},
                                           OpenKeys::scheduling_sweeps,
                                           "The same of the scheduler's parameters, where there is one."};

constexpr KeySpec kFrontierKeys[] = {
    text("parameter",
         "a key as in --set; its `values` are tried one by one; the file's own setting alone when left out"),
    key("values", Type::sweep, "the values of `parameter`; `steps` of a range"),
    required(
        text("against", "the key that is searched by bisection, like fault.1.duration or store.latency")),
    required(
        key("range", Type::sweep, "where `against` is searched, a range of durations or of whole numbers")),
    key("resolution", Type::sweep, "how narrow bisection gets; a 256th of the range when left out"),
    text("write", "how a value of `against` is written, {} standing for it, like -{}..{}", "{}"),
    names("checkers", "a failure of these is searched; those of `constraints` when left out"),
    count("seeds", "of each try; those of [tune]", "", 1, 1'000'000),
};
constexpr SectionSpec kFrontier = {"[tune.frontier]", kFrontierKeys, OpenKeys::closed,
                                   "Where each checker starts to fail."};

constexpr std::string_view kSearches[] = {"grid", "halton", "halving"};

constexpr KeySpec kTuneKeys[] = {
    choice("search",
           "every combination; points that fill the space evenly; or the same with most seeds for the best",
           kSearches, "grid"),
    count("settings", "how many settings halton and halving try", "64", 1, 10'000),
    count("steps", "how many values of a range a grid takes", "5", 2, 1'000),
    count("seeds", "how many runs of each setting, of the same seeds for all", "100", 1, 1'000'000),
    names("objectives",
          "what to make small, like failover_seconds.p99; left out: that, false_failovers_per_day, "
          "store_requests_per_second and leaderless_share"),
    names("constraints",
          "checkers that must hold in every run, and bounds like \"failover_seconds.p99 < 20\""),
    table("election", "the parameters that are tuned", kSweeps),
    table("scheduling", "parameters of the scheduler that are tuned", kSchedulingSweeps),
    table("frontier", "where checkers start to fail", kFrontier),
};

constexpr KeySpec kProfileKeys[] = {
    text("crashes", "how often a node dies, any one of them, like \"2 a month\"", "0 a month"),
    duration("crash_downtime", "how long a node that died is away", "30s", kMillisecond),
    text("deploys", "how often all nodes are restarted in turn, like \"3 a day\"", "0 a day"),
    text("store_failovers", "how often the store fails over, like \"2 a year\"", "0 a year"),
    text("disturbances",
         "how often one of the file's other faults strikes, like \"20 a day\"; as often as in the file when "
         "left out"),
    count("seeds", "how many runs measure each cause; those of [tune] when left out", "", 1, 1'000'000),
};

constexpr SectionSpec kTuneSection = {
    "[tune]", kTuneKeys, OpenKeys::closed,
    "What `tenure tune` tries, and how it judges. `tenure run` takes no notice."};

constexpr SectionSpec kProfileSection = {
    "[profile]", kProfileKeys, OpenKeys::closed,
    "How often what happens where the settings are to work, which turns what is measured into minutes a "
    "month. A month has 30 days, a year 365."};

constexpr KeySpec kCompareKeys[] = {
    required(text("stretch",
                  "the key of a duration that is as long as the design is slow, like fault.1.duration")),
    count("percent",
          "how long it is then, in parts of the design's own failover time: the median after a crash", "150",
          1, 10'000),
    text("write", "how the duration is written, {} standing for it, like -{}", "{}"),
};

constexpr SectionSpec kCompareSection = {
    "[compare]", kCompareKeys, OpenKeys::closed,
    "How `tenure compare` makes the scenario harder for slow designs: it runs it twice, as it is, and with "
    "this. `tenure run` takes no notice."};

constexpr std::int64_t kFormat = 1;
constexpr KeySpec kFileKeys[] = {
    required(count("format", "the version of this format", "", kFormat, kFormat)),
    required(name("name", "what reports call the scenario")),
    text("summary", "one line on what it shows"),
    names("tags", "to select scenarios by"),
    required(table("sim", "the run", kSim)),
    required(table("cluster", "the instances", kCluster)),
    tables("instance", "instances that differ", kInstance),
    table("election", "the protocol's parameters", kElection),
    table("scheduling", "the scheduler's parameters", kScheduling),
    table("store", "the store", kStore),
    table("network", "the links", kNetwork),
    table("work", "the outside world", kWork),
    tables("destination", "where events are sent", kDestination),
    tables("worker", "who claims events", kWorker),
    tables("schedule", "the schedules", kScheduleSection),
    tables("change", "edits of schedules", kChangeSection),
    tables("fault", "what breaks", kFault),
    table("expect", "what is demanded", kExpect),
    table("thresholds", "bounds on what is measured", kThresholds),
    table("hunt", "what a hunt draws", kHuntSection),
    table("exhaustive", "the bounds of an exhaustive hunt", kExhaustiveSection),
    table("tune", "what is tuned", kTuneSection),
    table("profile", "how often what happens, for tuning", kProfileSection),
    table("compare", "how it is made harder for slow designs", kCompareSection),
    table("regression", "where a kept failure is from", kRegressionSection),
};
constexpr SectionSpec kFile = {"the file", kFileKeys, OpenKeys::closed, "The top level."};

}  // namespace
}  // namespace keys

const SectionSpec& file_spec() { return keys::kFile; }

}  // namespace tenure::format
