// The documents of `tenure run --format json` and jsonl.
#include "lab/session/document_spec.h"

namespace tenure::lab {
namespace run_document {

constexpr FieldSpec kKind = {"kind", "text", "in jsonl alone: `run`, `batch` or `end`", true};
constexpr FieldSpec kFormat = {"format", "integer", "1"};
constexpr FieldSpec kTenure = {"tenure", "text", "the version that ran it"};
constexpr FieldSpec kScenario = {"scenario", "text", "its name"};
constexpr FieldSpec kVerdict = {"verdict", "text", "`pass`, `fail` or `inconclusive`"};
constexpr FieldSpec kReproduce = {"reproduce", "text", "the command line that makes the run"};

constexpr FieldSpec kRun[] = {
    kKind,
    kFormat,
    kTenure,
    kScenario,
    {"seed", "integer", "of the run"},
    kVerdict,
    {"trace_hash", "text", "16 hexadecimal digits, over every event"},
    {"tzdb", "text", "the version of the time zone database, if a schedule is in a zone", true},
    {"data", "list of data", "what was read from files of measurements, if anything was", true},
    {"events", "integer", "how many"},
    {"simulated_seconds", "seconds", "how long"},
    {"checks", "list of check", "checkers, events of `sometimes`, thresholds, faults that never struck"},
    {"metrics", "metrics", "what was measured"},
    {"faults", "list of fault", "the plan as it was run"},
    kReproduce,
};
constexpr FieldSpec kBatch[] = {
    kKind,
    kFormat,
    kTenure,
    {"summary", "boolean", "true"},
    kScenario,
    {"seeds", "seeds", "which"},
    {"interrupted", "boolean", "it was stopped before all were done"},
    {"alike", "boolean", "all were the same but for their seeds: they show no more than one"},
    {"runs", "integer", "how many were done"},
    {"verdict", "text", "of the batch; at best `inconclusive` if it was stopped"},
    {"verdicts", "map of integer",
     "how many runs are a `pass`, a `fail`, `inconclusive`; their own thresholds and faults left out"},
    {"checks", "list of check", "thresholds over the samples of all runs, and faults that struck in none"},
    {"unasked", "list of unasked", "what keeps runs from being a pass although nothing is demanded of it"},
    {"metrics", "map of pool", "what was observed, by metric"},
    {"failures_total", "integer", "how many runs are not a pass"},
    {"failures", "list of failure", "the first of them"},
};
constexpr FieldSpec kEnd[] = {
    {"kind", "text", "`end`: the last line of jsonl"},
    kFormat,
    kTenure,
    {"unit", "text", "what was done: `run`, `scenario`, `regression`"},
    {"planned", "integer", "how many there were to do"},
    {"done", "integer", "how many were done"},
    {"interrupted", "boolean", "it was stopped before all were done"},
    {"exit_code", "integer", "as the program ends"},
};
constexpr ObjectSpec kTops[] = {{"run", "one run", kRun},
                                {"batch", "with `--seeds`: the last document of each scenario", kBatch},
                                {"end", "in jsonl alone: the last line", kEnd}};

constexpr FieldSpec kCheck[] = {
    {"name", "text", "the checker, the event, the metric, or the fault"},
    {"kind", "text", "`always`, `eventually`, `sometimes`, `threshold`, or `fault` of one that never struck"},
    kVerdict,
    {"opportunities", "integer", "how often there was something to examine"},
    {"detail", "text", "in words; may be empty"},
    {"violations", "list of violation", "the first few; of a threshold that failed, its worst moment"},
    {"demanded", "boolean", "false: it is only reported"},
    {"unasked", "text", "what happened, if nothing in the file is about it; else empty"},
    {"worst", "worst", "in a batch, of a threshold that failed", true},
};
constexpr FieldSpec kViolation[] = {{"at_seconds", "seconds", "since the start of the run"},
                                    {"message", "text", "who and when"}};
constexpr FieldSpec kSamples[] = {
    {"count", "integer", "how many"},
    {"min", "number or null", "the least; null, here and in the mean and the most: there are none"},
    {"mean", "number or null", "the mean"},
    {"p50", "number or null", "the median; null, here and below: there are too few"},
    {"p90", "number or null", "the 90th percentile"},
    {"p99", "number or null", "the 99th percentile"},
    {"max", "number or null", "the most"}};
constexpr FieldSpec kPool[] = {
    {"count", "integer", "how many samples"},
    {"min", "number", "the least"},
    {"mean", "number", "the mean"},
    {"p50", "number or null", "the median; null, here and below: there are too few"},
    {"p90", "number or null", "the 90th percentile"},
    {"p99", "number or null", "the 99th percentile"},
    {"max", "number", "the most"},
    {"worst_seed", "integer", "the run in which it was worst"}};
constexpr FieldSpec kMetrics[] = {
    {"failovers", "integer", "leaderless times that a fault began and a grant ended"},
    {"false_failovers", "integer", "leaderships lost although their node was running and reachable"},
    {"failover_seconds", "samples", "from the fault that ended a leadership to the next grant"},
    {"leaderless_seconds", "seconds", "time without a leader, all together"},
    {"leaderless_by_cause", "map of seconds", "the same, by what began it"},
    {"useless_seconds", "seconds", "time without a leader that has done its warmup, all together"},
    {"believer_overlap_seconds", "seconds", "time with two believers"},
    {"acting_overlap_seconds", "seconds", "the part of it in which neither of the two stands still"},
    {"work_overlap_seconds", "seconds", "time with work of two nodes"},
    {"safety_margin_seconds", "seconds or null",
     "the smallest gap between the end of one belief and the start of the next; null: there was no next"},
    {"store_requests", "integer", "requests that stores executed"},
    {"store_requests_per_second", "number or null", "those, over the simulated time"},
    {"fires", "integer", "slots whose work began"},
    {"failed_attempts", "integer", "work that began and failed"},
    {"stopped_attempts", "integer", "work that began and was stopped, or died with its process"},
    {"dead_events", "integer", "events that were given up"},
    {"skipped_slots", "integer", "slots missed, coalesced or suppressed"},
    {"fire_lateness_seconds", "samples", "from a slot to the start of its work, by the store's clock"},
    {"stale_writes_rejected", "integer", "writes with an old token that were refused"},
    {"epochs", "integer", "grants to a new holder"},
    {"statements_failed", "integer", "of a design, if some failed", true},
    {"first_failed_statement", "text", "the first of them", true},
};
constexpr FieldSpec kFault[] = {
    {"id", "text", "its permanent id"},
    {"entry", "integer", "its place in the file, from 1"},
    {"strike", "integer or null", "of one that comes again, which strike, from 1"},
    {"action", "text", "what it does"},
    {"target", "text", "as resolved; absent, with the next three, of one that did not strike", true},
    {"at_seconds", "seconds", "when it struck", true},
    {"duration_seconds", "seconds or null", "null: over at once, or until the heal", true},
    {"detail", "text", "in words", true},
    {"fell_short", "text", "why it did not do what it says, although it struck", true},
    {"skipped", "text", "why it did not strike", true},
};
constexpr FieldSpec kData[] = {{"key", "text", "of the scenario"},
                               {"read", "text", "the file, and what it says of itself"}};
constexpr FieldSpec kSeeds[] = {{"first", "integer", "the first seed"}, {"last", "integer", "the last one"}};
constexpr FieldSpec kUnasked[] = {{"checker", "text", "that reports it"},
                                  {"what", "text", "in words"},
                                  {"runs", "integer", "in how many"},
                                  kReproduce};
constexpr FieldSpec kFailure[] = {
    {"seed", "integer", "of the run"}, {"checks", "text", "what failed"}, kReproduce};
constexpr FieldSpec kWorst[] = {
    {"seed", "integer", "of the run that misses it by most"}, {"value", "number", "its value"}, kReproduce};
constexpr ObjectSpec kParts[] = {
    {"check", "what one check says", kCheck},
    {"violation", "when, and what", kViolation},
    {"metrics", "what was measured in one run", kMetrics},
    {"samples", "a distribution", kSamples},
    {"fault", "a strike, or why there was none", kFault},
    {"data", "a file of measurements", kData},
    {"seeds", "which seeds", kSeeds},
    {"pool", "a metric over all runs", kPool},
    {"worst", "the worst run", kWorst},
    {"unasked", "what nobody asked about", kUnasked},
    {"failure", "a run that is not a pass", kFailure},
};

}  // namespace run_document

const DocumentSpec& run_spec() {
  static constexpr DocumentSpec kSpec{"run", "what `tenure run --format json` prints, a document a line",
                                      run_document::kTops, run_document::kParts};
  return kSpec;
}

}  // namespace tenure::lab
