#include "format/schema/tune_keys.h"

namespace tenure::sim {
namespace {

using Type = ValueType;

constexpr SectionSpec kSweeps = {
    "[tune.election]",
    {},
    OpenKeys::sweeps,
    "The parameters that are tuned, each with the values to try: a list, or a range "
    "with both ends."};
constexpr SectionSpec kSchedulingSweeps = {"[tune.scheduling]",
                                           {},
                                           OpenKeys::scheduling_sweeps,
                                           "The same of the scheduler's parameters, where there is one."};

constexpr KeySpec kFrontierKeys[] = {
    {.name = "parameter",
     .type = Type::text,
     .doc =
         "a key as in --set; its `values` are tried one by one; the file's own setting alone when left out"},
    {.name = "values", .type = Type::sweep, .doc = "the values of `parameter`; `steps` of a range"},
    {.name = "against",
     .type = Type::text,
     .doc = "the key that is searched by bisection, like fault.1.duration or store.latency",
     .required = true},
    {.name = "range",
     .type = Type::sweep,
     .doc = "where `against` is searched, a range of durations or of whole numbers",
     .required = true},
    {.name = "resolution",
     .type = Type::sweep,
     .doc = "how narrow bisection gets; a 256th of the range when left out"},
    {.name = "write",
     .type = Type::text,
     .doc = "how a value of `against` is written, {} standing for it, like -{}..{}",
     .fallback = "{}"},
    {.name = "checkers",
     .type = Type::names,
     .doc = "a failure of these is searched; those of `constraints` when left out"},
    {.name = "seeds", .type = Type::count, .doc = "of each try; those of [tune]", .min = 1, .max = 1'000'000},
};
constexpr SectionSpec kFrontier = {"[tune.frontier]", kFrontierKeys, OpenKeys::closed,
                                   "Where each checker starts to fail."};

constexpr std::string_view kSearches[] = {"grid", "halton", "halving"};

constexpr KeySpec kTuneKeys[] = {
    {.name = "search",
     .type = Type::choice,
     .doc = "every combination; points that fill the space evenly; or the same with most seeds for the best",
     .fallback = "grid",
     .choices = kSearches},
    {.name = "settings",
     .type = Type::count,
     .doc = "how many settings halton and halving try",
     .fallback = "64",
     .min = 1,
     .max = 10'000},
    {.name = "steps",
     .type = Type::count,
     .doc = "how many values of a range a grid takes",
     .fallback = "5",
     .min = 2,
     .max = 1'000},
    {.name = "seeds",
     .type = Type::count,
     .doc = "how many runs of each setting, of the same seeds for all",
     .fallback = "100",
     .min = 1,
     .max = 1'000'000},
    {.name = "objectives",
     .type = Type::names,
     .doc = "what to make small, like failover_seconds.p99; left out: that, false_failovers_per_day, "
            "store_requests_per_second and leaderless_share"},
    {.name = "constraints",
     .type = Type::names,
     .doc = "checkers that must hold in every run, and bounds like \"failover_seconds.p99 < 20\""},
    {.name = "election", .type = Type::table, .doc = "the parameters that are tuned", .section = &kSweeps},
    {.name = "scheduling",
     .type = Type::table,
     .doc = "parameters of the scheduler that are tuned",
     .section = &kSchedulingSweeps},
    {.name = "frontier", .type = Type::table, .doc = "where checkers start to fail", .section = &kFrontier},
};

constexpr KeySpec kProfileKeys[] = {
    {.name = "crashes",
     .type = Type::text,
     .doc = "how often a node dies, any one of them, like \"2 a month\"",
     .fallback = "0 a month"},
    {.name = "crash_downtime",
     .type = Type::duration,
     .doc = "how long a node that died is away",
     .fallback = "30s",
     .min = 1'000'000,
     .max = kYearNs},
    {.name = "deploys",
     .type = Type::text,
     .doc = "how often all nodes are restarted in turn, like \"3 a day\"",
     .fallback = "0 a day"},
    {.name = "store_failovers",
     .type = Type::text,
     .doc = "how often the store fails over, like \"2 a year\"",
     .fallback = "0 a year"},
    {.name = "disturbances",
     .type = Type::text,
     .doc = "how often one of the file's other faults strikes, like \"20 a day\"; as often as in the file "
            "when left out"},
    {.name = "seeds",
     .type = Type::count,
     .doc = "how many runs measure each cause; those of [tune] when left out",
     .min = 1,
     .max = 1'000'000},
};

}  // namespace

const SectionSpec kTuneSection = {
    "[tune]", kTuneKeys, OpenKeys::closed,
    "What `tenure tune` tries, and how it judges. `tenure run` takes no notice."};

const SectionSpec kProfileSection = {
    "[profile]", kProfileKeys, OpenKeys::closed,
    "How often what happens where the settings are to work, which turns what is "
    "measured into minutes a month. A month has 30 days, a year 365."};

}  // namespace tenure::sim
