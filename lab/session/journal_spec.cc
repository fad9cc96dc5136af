// The lines of a journal, version 5 (core/journal/line.h).
#include "lab/session/document_spec.h"

namespace tenure::lab {
namespace journal_document {

constexpr FieldSpec kVersion = {"v", "integer", "the version of the format: 5"};
constexpr FieldSpec kPrev = {
    "prev", "text",
    "32 hexadecimal digits: the first half of SHA-256 of the line before, without its "
    "end; zeros in the first line"};
constexpr FieldSpec kAt = {"at", "integer", "nanoseconds since the machine's boot, by the machine's clock"};
constexpr FieldSpec kMono = {"mono", "integer", "the same moment by the node's own monotonic clock"};
constexpr FieldSpec kNode = {"node", "integer", "its id"};
constexpr FieldSpec kLife = {"life", "integer", "its incarnation"};
constexpr FieldSpec kSeq = {"seq", "integer", "the line's number in that life, from 1"};
constexpr FieldSpec kEvent = {"event", "text", "what the line is about"};

constexpr FieldSpec kResource = {"resource", "integer", "what the leadership is over, from 0"};
constexpr FieldSpec kNoBranch = {"branch", "integer", "of the token; absent: there is none", true};
constexpr FieldSpec kNoEpoch = {"epoch", "integer", "of the token; likewise", true};
constexpr FieldSpec kNoNonce = {"nonce", "text", "of the token, 64 bits in decimals; likewise", true};
constexpr FieldSpec kSchedule = {"schedule", "integer", "its number"};
constexpr FieldSpec kSlot = {"slot_us", "integer",
                             "the slot, in microseconds since 1970, by the store's clock"};
constexpr FieldSpec kRun = {"run", "text", "of a manual run its number, 64 bits in decimals; `0`: a slot"};
constexpr FieldSpec kPart = {"part", "text", "who asks: `elector` or `scheduler`"};
constexpr FieldSpec kRequest = {"request", "integer", "its number in that life"};
constexpr FieldSpec kStore = {"store", "integer", "which store, from 0"};

constexpr FieldSpec kCommon[] = {kVersion, kPrev, kAt, kMono, kNode, kLife, kSeq, kEvent};

constexpr FieldSpec kStarted[] = {
    {"boot", "text", "names the boot of the machine; empty: not known"},
    {"settings", "map of integer",
     "the node's, by name: `election.lease_duration`; durations in nanoseconds, yes and no as 1 and 0"}};
constexpr FieldSpec kStoreFound[] = {{"identity", "text", "32 hexadecimal digits, drawn for its tables"}};
constexpr FieldSpec kDied[] = {{"how", "text", "`stopped`: it was asked to; `abandoned`, as in a crash"}};
constexpr FieldSpec kBelieves[] = {
    kResource,
    kNoBranch,
    kNoEpoch,
    kNoNonce,
    {"until_mono", "integer", "until when, by the node's monotonic clock, in nanoseconds", true},
    {"until_wall", "integer", "or by its wall clock, in nanoseconds since 1970", true},
    {"open", "boolean", "or true: without an end of its own", true}};
constexpr FieldSpec kStepsDown[] = {kResource, {"why", "text", "in its own words"}};
constexpr FieldSpec kChecked[] = {kResource};
constexpr FieldSpec kAlarm[] = {{"jump_ns", "integer", "of the store's clock; forward is positive"}};
constexpr FieldSpec kRemark[] = {{"text", "text", "in words"}, {"value", "integer", "a number with it"}};
constexpr FieldSpec kDesignError[] = {{"what", "text", "in words"}};

constexpr FieldSpec kSubmitted[] = {
    kPart,
    kRequest,
    kStore,
    {"as_leader", "boolean", "an act that leadership must cover"},
    {"kind", "text",
     "`acquire`, `renew`, `release`, `put-schedule`, `delete-schedule`, `trigger-schedule`, "
     "`backfill-schedule`, `read-due`, `commit-fires`, `read-outbox`, `ack-events`, `changes-since`, "
     "`set-hold`, `clear-hold`, `prune`, `read-dead`, `redrive`, `give-up-events`, `put-named`, "
     "`delete-named`, `pause-named`, `read-named`, `list-named`, `read-payloads`, `read-log`, "
     "`read-history`, `read-waiting`, `read-depths`, `claim-executions`, `extend-executions`, "
     "`end-executions`, `register-node`, `read-nodes`, `discard-dead` or `release-executions`"},
    kResource,
    {"epoch_seen", "integer", "of `acquire`: the epoch that it saw last", true},
    {"branch", "integer",
     "of the token of `renew`, `release`, `set-hold`, `clear-hold`, `commit-fires` and "
     "`give-up-events`",
     true},
    {"epoch", "integer", "likewise", true},
    {"nonce", "text", "likewise, 64 bits in decimals; and what `acquire` has drawn", true},
    {"duration_ns", "integer", "of `acquire` and `renew`: the lease that is asked for", true},
    {"rows", "list of row", "of `commit-fires`", true},
    {"events", "list of event", "of `ack-events` and `give-up-events`", true},
    {"from_seq", "integer", "of `changes-since`: the last change that is known", true},
    {"text", "text", "the request in words"}};

constexpr FieldSpec kAnswered[] = {
    kPart,
    kRequest,
    kStore,
    {"outcome", "text",
     "`applied`, `rejected`, or `unknown`: it gave up on it, and it may be applied yet. What is below, but "
     "`text`, is there if it was applied"},
    {"store_time_us", "integer", "the store's clock then, in microseconds since 1970", true},
    {"position", "integer", "how often the store had changed, this time included", true},
    {"changed", "boolean", "this request changed it", true},
    {"kind", "text",
     "`granted`, `refused`, `released`, `edited`, `edit-refused`, `due`, `committed`, `commit-refused`, "
     "`outbox`, `acknowledged`, `changes`, `hold-set`, `pruned`, `dead`, `redriven`, `given-up`, "
     "`named-edited`, `named-refused`, `named-schedules`, `payloads`, `log`, `history-page`, "
     "`waiting-events`, `depths`, `claimed-executions`, `execution-states`, `node-registered`, "
     "`registered-nodes` or `discarded`",
     true},
    {"branch", "integer", "of the token of `granted`; of `changes`: the store's", true},
    {"epoch", "integer", "of the token of `granted`", true},
    {"nonce", "text", "likewise, 64 bits in decimals", true},
    {"duration_ns", "integer", "of `granted`: the lease", true},
    {"why_refused", "text",
     "of `refused` and `commit-refused`: `no lease`, `other holder`, `stale token`, `expired`, `clock "
     "stepped`, `other branch` or `stale view`",
     true},
    {"remaining_ns", "integer", "of `refused`: what is left of the holder's lease", true},
    {"holder_node", "integer", "of `refused`: who holds it", true},
    {"holder_life", "integer", "likewise: its incarnation; 0: nobody", true},
    {"held_epoch", "integer", "likewise: its epoch", true},
    {"rows", "list of text",
     "of `committed`, for each row that was asked for: `covered`, `moved`, `not due`, `no segment` or "
     "`overlapped`",
     true},
    {"held", "boolean", "of `commit-refused`: a hold stands", true},
    {"changes", "list of change", "of `changes`: what clients put and deleted", true},
    {"text", "text", "the reply in words; else why it was not applied"}};

constexpr FieldSpec kWork[] = {
    kResource, kSchedule, kSlot,    kRun,
    kNoBranch, kNoEpoch,  kNoNonce, {"once", "boolean", "the resource begins an event only once"}};
constexpr FieldSpec kWorkDone[] = {
    kSchedule,
    kSlot,
    kRun,
    {"result", "text",
     "`done`, `stopped`, `failed`; `fenced`: refused as stale; `running` or `duplicate`: refused as begun "
     "before"},
    {"retry_after_ns", "integer", "how long its destination asked to be left alone with it", true}};

constexpr FieldSpec kClient[] = {
    {"kind", "text",
     "`put-schedule`, `delete-schedule`, `trigger-schedule`, `backfill-schedule`, `ack-events`, `prune`, "
     "`redrive`, `put-named`, `delete-named`, `pause-named`, `claim-executions`, `extend-executions`, "
     "`end-executions`, `register-node`, `discard-dead` or `release-executions`"},
    kResource,
    {"schedule", "integer", "of `trigger-schedule` and `backfill-schedule`: its number", true},
    {"run", "text", "likewise: the run's number, 64 bits in decimals", true},
    {"outcome", "text", "`applied`, or `unknown`: it may have been applied, or may be yet"},
    {"asked_mono", "integer", "of `unknown`: when it was asked, by the node's own clock", true},
    {"store_time_us", "integer", "of `applied`: the store's clock then, in microseconds since 1970", true},
    {"position", "integer", "likewise: how often the store had changed, this time included", true},
    {"change_seq", "integer", "of an edit that was applied: its number, as `seq` of `change`", true}};

constexpr ObjectSpec kTops[] = {
    {"started", "a life begins", kStarted},
    {"store", "the store that answers, before its first answer", kStoreFound},
    {"died", "the life ends", kDied},
    {"believes", "it believes that it leads, from now on", kBelieves},
    {"steps-down", "it does not act as the leader from now on", kStepsDown},
    {"checked", "it has just checked that it leads", kChecked},
    {"clock-alarm", "it saw the store's clock jump", kAlarm},
    {"remark", "a remark of the protocol", kRemark},
    {"design-error", "the program of a design has failed", kDesignError},
    {"stop-heard", "it hears that it is to stop", {}},
    {"stopped", "a stop that was asked for is complete", {}},
    {"submitted", "it asks the store", kSubmitted},
    {"answered", "and hears, or gives up", kAnswered},
    {"work", "it begins a fire's work", kWork},
    {"work-done", "which is over, or was refused", kWorkDone},
    {"client", "a request of a client of its process changed the store, or may have, some time before",
     kClient},
};

constexpr FieldSpec kRow[] = {
    kSchedule,
    {"version", "integer", "of its definition"},
    {"from_us", "integer", "the row covers the slots from then on, in microseconds since 1970"},
    {"to_us", "integer", "until then, excluded; absent: without an end", true},
    kSlot,
    {"due_us", "integer", "when that slot is due, with its jitter"},
    {"what", "text", "`fired`, `coalesced`, `missed`, `paused`, `overlapped` or `deleted`"},
    {"slots", "integer", "how many"}};
constexpr FieldSpec kFire[] = {
    kSchedule, kSlot, kRun, {"attempts", "integer", "of one that is given up: how often it was tried", true}};
constexpr FieldSpec kChange[] = {
    {"seq", "integer", "its number, in the order of the commits"},
    kSchedule,
    {"version", "integer", "of the definition"},
    {"begin_us", "integer", "when the version came into force, in microseconds since 1970"},
    {"cursor_us", "integer", "its slots are covered until then"},
    {"definition", "definition", "what was put", true},
    {"deleted", "boolean", "or true: the schedule was deleted", true},
    {"unreadable", "boolean", "or true: this program cannot read the definition", true}};
constexpr FieldSpec kDefinition[] = {
    {"v", "integer", "the version of this format: 1"},
    {"every", "every", "a rule: at equal distances", true},
    {"cron", "cron", "or: by the calendar", true},
    {"times_us", "list of integer", "or: at these times, in microseconds since 1970", true},
    {"not_before_us", "integer", "no slot before then; absent: no bound", true},
    {"until_us", "integer", "no slot from then on; absent: no bound", true},
    {"jitter", "jitter", "absent: none", true},
    {"misfire", "misfire", "what becomes of slots that are late"},
    {"overlap", "text", "if the work before still runs: `allow`, `skip`, `queue_one` or `replace`"},
    {"paused", "boolean", "its slots are covered, and do not fire"},
    {"delivery", "delivery", "absent: its events are the leader's own work", true}};
constexpr FieldSpec kDelivery[] = {
    {"kind", "text", "who delivers its events: `work`, `pull` or `push`"},
    {"destination", "text", "of `push`: where they go", true},
    {"strict_order", "boolean", "each waits until those before it are over; absent: no", true},
    {"attempts", "integer", "after so many that failed it is dead; absent: as usual", true},
    {"back_off_ns", "integer", "until the second attempt; absent: as usual", true},
    {"longest_back_off_ns", "integer", "it doubles up to this; absent: as usual", true}};
constexpr FieldSpec kEvery[] = {{"start_us", "integer", "a slot, in microseconds since 1970"},
                                {"period_us", "integer", "from slot to slot"}};
constexpr FieldSpec kCron[] = {{"text", "text", "the rule: `0 9 * * mon-fri`"},
                               {"zone", "text", "the name of the time zone"},
                               {"tzdb", "text", "the version of the time zone database that it was put with"},
                               {"gap", "text", "a time that does not exist: `gap_end`, `shift` or `skip`"},
                               {"overlap", "text", "one that comes twice: `first`, `second` or `both`"}};
constexpr FieldSpec kJitter[] = {{"max_ns", "integer", "at most"},
                                 {"per", "text", "drawn for each `slot`, or once for the `schedule`"},
                                 {"seed", "integer", "of the draw"}};
constexpr FieldSpec kMisfire[] = {
    {"policy", "text", "`fire_all`, `fire_once` or `skip`"},
    {"once", "text", "of `fire_once`: the `latest` or the `earliest`"},
    {"grace_ns", "integer", "later than this is late"},
    {"catchup_ns", "integer", "no older slot fires; absent: no limit", true},
    {"max_catchup", "integer", "no more slots fire at once; absent: the usual limit", true}};

constexpr ObjectSpec kParts[] = {{"row", "a row of the ledger", kRow},
                                 {"event", "which event", kFire},
                                 {"change", "what a client did to a schedule", kChange},
                                 {"definition", "of a schedule", kDefinition},
                                 {"delivery", "who delivers events, and how", kDelivery},
                                 {"every", "slots at equal distances", kEvery},
                                 {"cron", "slots by the calendar", kCron},
                                 {"jitter", "a random delay", kJitter},
                                 {"misfire", "what becomes of late slots", kMisfire}};

}  // namespace journal_document

const DocumentSpec& journal_spec() {
  static constexpr DocumentSpec kSpec{.name = "journal",
                                      .doc = "what a real process did, a JSON object a line",
                                      .tops = journal_document::kTops,
                                      .parts = journal_document::kParts,
                                      .told_by = "event",
                                      .common = journal_document::kCommon};
  return kSpec;
}

}  // namespace tenure::lab
