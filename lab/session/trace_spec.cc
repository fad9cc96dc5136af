// The lines of a trace, format 2.
#include "lab/session/document_spec.h"

namespace tenure::lab {
namespace trace_document {

constexpr FieldSpec kAt = {"at_seconds", "seconds", "true time, since the start of the run"};
constexpr FieldSpec kKind = {"kind", "text", "what the line is about"};
constexpr FieldSpec kNode = {"node", "text", "its name: `n1`; `client`: a client that edits schedules"};
constexpr FieldSpec kLife = {"incarnation", "integer", "which life of the node, from 1"};
constexpr FieldSpec kResource = {"resource", "integer", "what the leadership is over, from 0"};
constexpr FieldSpec kToken = {"token", "token or null", "the fencing token; null: there is none"};
constexpr FieldSpec kStore = {"store", "integer", "which store, from 0"};
constexpr FieldSpec kBranch = {"branch", "integer", "the store's promotion id"};
constexpr FieldSpec kStoreTime = {"store_time", "text", "the store's clock, as a date"};
constexpr FieldSpec kRequest = {"request", "integer", "its number in that life, from 1"};
constexpr FieldSpec kText = {"text", "text", "in words"};
constexpr FieldSpec kAsLeader = {"as_leader", "boolean", "an act that leadership must cover"};
constexpr FieldSpec kFault = {"fault", "text", "its permanent id"};
constexpr FieldSpec kAction = {"action", "text", "what it does: `pause`, `partition`, …"};
constexpr FieldSpec kSchedule = {"schedule", "text", "its name"};
constexpr FieldSpec kSlot = {"slot", "text", "the slot, as a date of the store's clock"};
constexpr FieldSpec kRun = {"run", "integer", "of a manual run its number; 0: a slot"};
constexpr FieldSpec kOnce = {"once", "boolean", "the resource begins an event only once"};
constexpr FieldSpec kWrite = {"write", "integer", "its number"};
constexpr FieldSpec kUntil = {
    "until_seconds", "seconds or null",
    "when the belief ends in true time, as its clock runs now; null: it has no end of its own"};

constexpr FieldSpec kHead[] = {
    {"format", "integer", "2"},
    {"tenure", "text", "the version that ran it"},
    {"scenario", "text", "its name"},
    {"seed", "integer", "of the run"},
    {"level", "text", "`story` or `full`"},
    {"nodes", "list of text", "their names"},
    {"start", "text", "the date of true time zero"},
};
constexpr FieldSpec kOfLife[] = {kAt, kKind, kNode, kLife};
constexpr FieldSpec kNodeDied[] = {
    kAt,
    kKind,
    kNode,
    kLife,
    {"how", "text",
     "`killed`; `stopped`: it was asked to, and had finished; `exited`: it had lost its leadership"},
    {"lost_writes", "integer", "writes to its disk that were not synced"}};
constexpr FieldSpec kClock[] = {
    kAt,
    kKind,
    kNode,
    {"mono_offset_seconds", "seconds", "its monotonic clock against true time, since it was read first"},
    {"wall_offset_seconds", "seconds", "its wall clock against the true date"},
    {"rate_ppm", "integer", "by how much its clocks run fast, in millionths"},
    {"still", "boolean", "its monotonic clock stands still"}};
constexpr FieldSpec kBelief[] = {kAt, kKind, kNode, kLife, kResource, kToken, kUntil};
constexpr FieldSpec kBeliefEnded[] = {kAt,
                                      kKind,
                                      kNode,
                                      kLife,
                                      kResource,
                                      kToken,
                                      {"began_seconds", "seconds", "when it began"},
                                      {"why", "text", "`ran-out`, `stepped-down` or `died`"}};
constexpr FieldSpec kLease[] = {kAt, kKind, kStore, kNode, kLife, kToken};
constexpr FieldSpec kLeaseFree[] = {kAt, kKind, kStore};
constexpr FieldSpec kOnly[] = {kAt, kKind};
constexpr FieldSpec kFaultBegan[] = {
    kAt,
    kKind,
    kFault,
    kAction,
    kText,
    {"nodes", "list of text", "whom it strikes; none: the store"},
    {"duration_seconds", "seconds or null", "0: over at once; null: until the heal"}};
constexpr FieldSpec kFaultEnded[] = {kAt, kKind, kFault, kAction};
constexpr FieldSpec kFaultSkipped[] = {kAt, kKind, kFault, {"why", "text", "why it did not strike"}};
constexpr FieldSpec kStoreStepped[] = {kAt, kKind, kStore, {"by_seconds", "seconds", "forward is positive"}};
constexpr FieldSpec kOfStore[] = {kAt, kKind, kStore};
constexpr FieldSpec kStoreState[] = {
    kAt,
    kKind,
    kStore,
    {"down", "boolean", "connections to it are refused"},
    {"hangs", "boolean", "it takes requests, and stands still"},
    {"slow_seconds", "seconds", "added to each execution"},
    {"answers_lost_ppm", "integer", "of its answers, in millionths; here and below"},
    {"requests_lost_ppm", "integer", "of the requests that come to it"},
    {"rejected_ppm", "integer", "of the requests that come to it: refused as overloaded"},
    {"lease_locked", "boolean", "a transaction that stands still has a lock on the lease"},
    {"partial", "boolean", "a part of its service fails: `fault-began` says which"}};
constexpr FieldSpec kLinkState[] = {
    kAt,
    kKind,
    {"from", "text", "the name of a node, or `store`; of several, `store 2`"},
    {"to", "text", "likewise"},
    {"cut", "boolean", "nothing comes through"},
    {"delay_seconds", "seconds", "added to each message"},
    {"loss_ppm", "integer", "of the messages, in millionths: lost, or sent again and late"},
    {"duplicate_ppm", "integer", "of the messages, in millionths"},
    {"held_back_seconds", "seconds", "by how much later some messages come, at most"}};
constexpr FieldSpec kFailedOver[] = {kAt, kKind, kStore, kBranch};
constexpr FieldSpec kDefinition[] = {kAt, kKind, kNode, kSchedule};
constexpr FieldSpec kWorkAsked[] = {kAt,       kKind, kNode, kLife,  kResource,
                                    kSchedule, kSlot, kRun,  kToken, kOnce};
constexpr FieldSpec kWorkLanded[] = {
    kAt,
    kKind,
    kNode,
    kLife,
    kResource,
    kSchedule,
    kSlot,
    kRun,
    kToken,
    kOnce,
    {"landing", "text",
     "`begun`, `fenced`: refused as stale, `running` or `duplicate`: refused as begun before"},
    {"late_seconds", "seconds", "after its slot, by the store's clock"}};
constexpr FieldSpec kWorkEnded[] = {kAt,
                                    kKind,
                                    kNode,
                                    kLife,
                                    kResource,
                                    kSchedule,
                                    kSlot,
                                    kRun,
                                    kToken,
                                    kOnce,
                                    {"ending", "text", "`done`, `stopped`, `died` or `failed`"}};
constexpr FieldSpec kDestination = {"destination", "text", "its name"};
constexpr FieldSpec kSequence = {"sequence", "integer", "the event's number in the store"};
constexpr FieldSpec kAttempt = {"attempt", "integer", "which one of this leadership, from 1"};
constexpr FieldSpec kRetryAfter = {
    "retry_after_seconds", "seconds",
    "for so long it asks not to be sent this event again, and its sender hears it", true};
constexpr FieldSpec kDeliveryAsked[] = {kAt,  kKind,  kNode, kLife,        kResource, kSchedule, kSlot,
                                        kRun, kToken, kOnce, kDestination, kSequence, kAttempt};
constexpr FieldSpec kDeliveryLanded[] = {
    kAt,
    kKind,
    kNode,
    kLife,
    kResource,
    kSchedule,
    kSlot,
    kRun,
    kToken,
    kOnce,
    kDestination,
    kSequence,
    kAttempt,
    {"landing", "text",
     "`begun`, `fenced`: refused as stale, `running` or `duplicate`: begun before, `refused`: not taken"},
    {"late_seconds", "seconds", "after its slot, by the store's clock"},
    kRetryAfter};
constexpr FieldSpec kDeliveryEnded[] = {
    kAt,        kKind,  kNode, kLife,        kResource, kSchedule, kSlot,
    kRun,       kToken, kOnce, kDestination, kSequence, kAttempt,  {"ending", "text", "`done` or `failed`"},
    kRetryAfter};
constexpr FieldSpec kWorker = {"worker", "text", "its name"};
constexpr FieldSpec kAttemptAtEvent = {"attempt", "integer", "at this event, from 1"};
constexpr FieldSpec kExecutionBegan[] = {kAt,       kKind, kNode, kLife,          kWorker,
                                         kSchedule, kSlot, kRun,  kAttemptAtEvent};
constexpr FieldSpec kExecutionEnded[] = {
    kAt,       kKind, kNode, kLife,           kWorker,
    kSchedule, kSlot, kRun,  kAttemptAtEvent, {"ending", "text", "`done`, `failed`, `stopped` or `died`"}};
constexpr FieldSpec kWriteAsked[] = {kAt, kKind, kNode, kLife, kResource, kWrite, kToken};
constexpr FieldSpec kWriteLanded[] = {
    kAt,       kKind,  kNode,  kLife,
    kResource, kWrite, kToken, {"landing", "text", "`done`, or `fenced`: refused as stale"}};
constexpr FieldSpec kSkipped[] = {
    kAt,
    kKind,
    kNode,
    kLife,
    kStore,
    kSchedule,
    {"from", "text", "the first of them, as a date of the store's clock"},
    {"to", "text", "the end of them, excluded"},
    {"slots", "integer", "how many"},
    {"why", "text",
     "`missed`: too late; `coalesced` into another; `paused`, `overlapped`, `deleted`: suppressed"}};
constexpr FieldSpec kLate[] = {
    kAt,
    kKind,
    kNode,
    kLife,
    kSchedule,
    kSlot,
    {"late_seconds", "seconds", "after it was due, with its jitter, by the store's clock"},
    {"why", "text",
     "`nobody led` when it was due; else what it waited for most: `not committed`, the store was not told "
     "that it "
     "fires; `not begun`, it was"}};
constexpr FieldSpec kTrip[] = {
    kAt,
    kKind,
    kNode,
    kLife,
    kRequest,
    kStore,
    kAsLeader,
    kText,
    {"decided_seconds", "seconds", "when a step decided on it"},
    {"left_seconds", "seconds or null", "when it left its process; null, here and below: it did not"},
    {"arrived_seconds", "seconds or null", "when it came to the store"},
    {"applied_seconds", "seconds or null", "when the store executed it"},
    {"returned_seconds", "seconds or null", "when the reply came to the process' machine"},
    {"heard_seconds", "seconds or null", "when the node heard an answer, or gave up on it"},
    {"fate", "text",
     "`answered`, `rejected`, `never applied`, `applied, and the node does not know`, `answered too late` or "
     "`no answer`"},
    {"reply", "text", "the store's, in words; empty: there was none"}};
constexpr FieldSpec kViolation[] = {
    kAt,
    kKind,
    {"checker", "text", "whose"},
    {"message", "text", "who and when, in words"},
    {"nodes", "list of text", "who is in it"},
    {"since_seconds", "seconds", "when the wrong began"},
    {"demanded", "boolean", "it counts; false: it is only reported"},
    {"schedules", "list of text", "the names of those that it is about"},
    {"requests", "list of request_id",
     "of those nodes, applied since the wrong began, and the last before that; a few"}};
constexpr FieldSpec kEnd[] = {kAt,
                              kKind,
                              {"verdict", "text", "`pass`, `fail` or `inconclusive`"},
                              {"trace_hash", "text", "16 hexadecimal digits, over every event"},
                              {"events", "integer", "how many"}};
constexpr FieldSpec kBelieves[] = {
    kAt,
    kKind,
    kNode,
    kLife,
    kResource,
    kToken,
    {"clock", "text", "whose time its end is in: `mono`, `wall`; `none`: no end of its own"},
    {"clock_until", "text or null", "that end, on that clock"}};
constexpr FieldSpec kStepsDown[] = {kAt, kKind, kNode, kLife, kResource, {"why", "text", "in its own words"}};
constexpr FieldSpec kChecked[] = {kAt, kKind, kNode, kLife, kResource};
constexpr FieldSpec kAlarm[] = {
    kAt, kKind, kNode, kLife, {"jump_seconds", "seconds", "of the store's clock, as it was seen"}};
constexpr FieldSpec kRemark[] = {kAt, kKind, kNode, kLife, kText, {"value", "integer", "a number with it"}};
constexpr FieldSpec kDesignError[] = {kAt, kKind, kNode, kLife, kText};
constexpr FieldSpec kSubmitted[] = {kAt,      kKind,     kNode,  kLife,     kStore,
                                    kRequest, kResource, kToken, kAsLeader, kText};
constexpr FieldSpec kWay[] = {kAt, kKind, kNode, kLife, kRequest};
constexpr FieldSpec kAnswered[] = {
    kAt,
    kKind,
    kNode,
    kLife,
    kRequest,
    {"outcome", "text", "`applied`, `rejected`, or `unknown`: it gave up on it"},
    {"rejection", "text", "why it was rejected; empty: it was not"}};
constexpr FieldSpec kApplied[] = {kAt,       kKind,   kNode,      kLife,
                                  kStore,    kBranch, kStoreTime, kRequest,
                                  kResource, kToken,  kText,      {"reply", "text", "the store's, in words"}};

constexpr ObjectSpec kTops[] = {
    {"head", "the first line", kHead},
    // In every trace.
    {"node-started", "a life of a node begins", kOfLife},
    {"node-died", "and ends", kNodeDied},
    {"node-paused", "the process stands still; its clocks run", kOfLife},
    {"node-resumed", "it goes on", kOfLife},
    {"clock", "a node's clocks, when they are read first and when they have changed", kClock},
    {"belief-began", "a node begins to believe that it leads", kBelief},
    {"belief-ended", "its time ran out in true time, whether it noticed or not; or it stepped down, or died",
     kBeliefEnded},
    {"lease-held", "a store gives the lease to another holder", kLease},
    {"lease-free", "nobody holds it any more", kLeaseFree},
    {"fault-began", "a fault strikes", kFaultBegan},
    {"fault-ended", "and is over", kFaultEnded},
    {"fault-skipped", "it found nobody to strike, or nothing to change", kFaultSkipped},
    {"healed", "the fault phase is over, and the tail begins", kOnly},
    {"store-state", "what faults make of a store, when that has changed; it is whole when the run begins",
     kStoreState},
    {"link-state", "likewise of a link, in one direction", kLinkState},
    {"store-clock-stepped", "a store's clock jumps", kStoreStepped},
    {"store-replica-stalled", "a store's replica stands still", kOfStore},
    {"store-failed-over", "the replica is the store from now on", kFailedOver},
    {"definition-unreadable", "the program on a node cannot read a schedule's definition", kDefinition},
    {"definition-readable", "it can again", kDefinition},
    {"work-landed", "a fire's work reaches the outside world", kWorkLanded},
    {"work-ended", "work that had begun is over", kWorkEnded},
    {"delivery-landed", "an event comes to its destination", kDeliveryLanded},
    {"delivery-ended", "what the destination had begun is over, whether its sender hears of it or not",
     kDeliveryEnded},
    {"execution-began", "a worker begins with an event that it has claimed", kExecutionBegan},
    {"execution-ended", "that is over, as far as the worker is concerned", kExecutionEnded},
    {"write-landed", "a write reaches the outside world", kWriteLanded},
    {"slots-skipped", "slots that are covered without work of their own", kSkipped},
    {"slot-late", "a fire's work begins for the first time, more than 1 s after its slot was due", kLate},
    {"request",
     "the way of a request, written when its answer is heard; else when the run ends. In a "
     "story, only of one that was not answered well",
     kTrip},
    {"violation", "what a checker found; these lines come last, as most are known only then", kViolation},
    {"end", "the last line", kEnd},
    // In a full one.
    {"belief-extended", "a belief that lasts gets another end", kBelief},
    {"believes", "the note from which a belief follows, as the node made it", kBelieves},
    {"steps-down", "the node does not act as the leader from now on", kStepsDown},
    {"leadership-checked", "it has made sure that it leads, and is about to act", kChecked},
    {"clock-alarm", "it saw the store's clock jump", kAlarm},
    {"remark", "a remark of the protocol", kRemark},
    {"stopped", "a stop that was asked for is complete", kOfLife},
    {"stop-heard", "the node hears that it is to stop", kOfLife},
    {"design-error", "the program of a design has failed", kDesignError},
    {"submitted", "a step decides on a request, which leaves later, or never", kSubmitted},
    {"request-left", "it leaves its process", kWay},
    {"request-arrived", "it comes to the store", kWay},
    {"applied", "the store executes it", kApplied},
    {"reply-arrived", "the reply comes to the process' machine", kWay},
    {"request-answered", "the node hears the answer", kAnswered},
    {"work-asked", "a step decides on a fire's work, which leaves later, or never", kWorkAsked},
    {"delivery-asked", "a step decides to send an event to its destination", kDeliveryAsked},
    {"write-asked", "likewise of a write", kWriteAsked},
};

constexpr FieldSpec kTokenFields[] = {{"branch", "integer", "the store's promotion id"},
                                      {"epoch", "integer", "from 1, larger with each grant on a branch"},
                                      {"nonce", "text", "16 hexadecimal digits, drawn for each acquire"}};
constexpr FieldSpec kRequestId[] = {kNode, kLife, kRequest};
constexpr ObjectSpec kParts[] = {{"token", "a fencing token", kTokenFields},
                                 {"request_id", "which request", kRequestId}};

}  // namespace trace_document

const DocumentSpec& trace_spec() {
  static constexpr DocumentSpec kSpec{"trace", "the history of a run, a JSON object a line",
                                      trace_document::kTops, trace_document::kParts};
  return kSpec;
}

}  // namespace tenure::lab
