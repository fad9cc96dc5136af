// The document of `tenure compare --format json`.
#include "lab/session/document_spec.h"

namespace tenure::lab {
namespace compare_document {

constexpr FieldSpec kCompare[] = {
    {"format", "integer", "1"},
    {"tenure", "text", "the version that ran it"},
    {"runs_a_cell", "integer", "seeds of each design in each situation"},
    {"equal", "text", "with --equal: the price that designs were brought to", true},
    {"designs", "list of design", "in the order of the table in text"},
    {"left_out", "list of without", "with --equal: designs that cannot be brought to the price", true},
};
constexpr ObjectSpec kTops[] = {{"compare", "what a comparison found", kCompare}};

constexpr FieldSpec kDesign[] = {
    {"design", "text", "as it was named, without the folders of files"},
    {"costs_failover_p99_seconds", "seconds", "with --equal failover_p99: what it costs", true},
    {"costs_requests_per_hour", "integer", "with --equal requests: what it costs", true},
    {"settings", "map of text", "with --equal: the settings that it is compared with", true},
    {"one_leader_assumes", "list of text or null",
     "what its promise of one leader rests on; null: it promises nothing"},
    {"bounds_by_theory", "list of text",
     "how much of what it assumes away may happen all the same, in words"},
    {"promised_runs", "integer", "runs in which it promises that, and all that it assumes held"},
    {"promise_broken", "boolean", "two led in one of those"},
    {"two_lead_seconds", "seconds", "the longest time at once with two leaders, in any run"},
    {"two_lead_fenced_seconds", "seconds", "the same before a resource that refuses old tokens"},
    {"failover_p50_seconds", "seconds or null",
     "from a leader's death to the next one that is of use; null: nobody took over"},
    {"failover_p99_seconds", "seconds or null", "null: there were fewer than 100"},
    {"deploy_seconds", "seconds or null",
     "without a leader that is of use in one rolling restart; null: nobody led"},
    {"requests_per_hour", "integer or null", "of the store, if nothing is wrong; null: there is none"},
    {"requests_per_hour_10_standbys", "integer or null", "likewise, with eleven instances"},
    {"false_failovers_per_month", "false_failovers or null", "null: nobody led"},
    {"heals_by_itself", "boolean", "somebody led again after each situation"},
    {"cells", "list of cell", "by situation"},
};
constexpr FieldSpec kFalseFailovers[] = {
    {"seen", "number", "so many", true},
    {"at_most", "number", "none was seen: so many there may be all the same (95 %)", true},
};
constexpr FieldSpec kCell[] = {
    {"situation", "text", "its name"},
    {"stretched", "boolean", "to the design's own time"},
    {"crowded", "boolean", "with 10 standbys"},
    {"stretched_to_seconds", "seconds or null",
     "how long it then lasts, or how far a clock moves; null: it is not"},
    {"not_applicable", "text", "why it does not exist for the design; then there are no more fields", true},
    {"runs", "integer", "that were done", true},
    {"tested", "integer", "runs in which each fault struck, or something went wrong all the same", true},
    {"promised", "integer", "as `promised_runs`, here", true},
    {"broken", "list of claim", "claims that broke although all that they assume held", true},
    {"troubles", "list of trouble", "what went wrong, the gravest first", true},
    {"program_error", "text or null", "how a design's own program failed", true},
    {"not_struck", "text or null", "why a fault did not strike, in the first run in which one did not", true},
    {"not_promised", "text or null", "which settings take the claim of one leader out of force", true},
    {"proof", "text or null", "why two never lead here, whatever the draw", true},
    {"acts_through", "text or null", "the scheduler through which an election acts here that has none itself",
     true},
    {"kept", "text or null", "with --out: the file of the worst run", true},
};
constexpr FieldSpec kClaim[] = {
    {"checker", "text", "that failed"},
    {"runs", "integer", "in how many"},
    {"first_seed", "integer", "of the first of them"},
};
constexpr FieldSpec kTrouble[] = {
    {"trouble", "text",
     "`design-error`, `two-lead`, `stale-writes`, `double-fires`, `lost-fires`, `early-fires`, `never-led`, "
     "`nobody-at-end`, `behind-at-end`, or `other`: of another checker"},
    {"runs", "integer", "in how many"},
    {"worst_seed", "integer", "of the run with the most of it"},
    {"longest_seconds", "seconds", "of two leaders: how long at once, at the most", true},
    {"most", "integer", "of anything else: how many in one run, at the most", true},
    {"checker", "text", "that failed in that run"},
};
constexpr FieldSpec kWithout[] = {{"design", "text", "its name"}, {"why", "text", "in words"}};
constexpr ObjectSpec kParts[] = {
    {"design", "a row of the summary, and its cells", kDesign},
    {"false_failovers", "leaderships lost for nothing, in 30 days; it has one of the two", kFalseFailovers},
    {"cell", "a design in a situation", kCell},
    {"claim", "what a design claims", kClaim},
    {"trouble", "one kind of what went wrong", kTrouble},
    {"without", "a design that is not compared", kWithout}};

}  // namespace compare_document

const DocumentSpec& compare_spec() {
  static constexpr DocumentSpec kSpec{"compare", "what `tenure compare --format json` prints",
                                      compare_document::kTops, compare_document::kParts};
  return kSpec;
}

}  // namespace tenure::lab
