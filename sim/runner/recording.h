// What happened in a run, as plain values: intervals and moments in true time. Pictures and lists are made from it.
//
// A belief ends where the checkers end it (belief_tracker.h), and not when its node says so: a paused node does not say
// anything. Belief, lease and work are three things, and are kept apart.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/model/input.h"
#include "core/store/reference/requests.h"
#include "sim/kernel/true_time.h"
#include "sim/runner/narrator.h"

namespace tenure::sim {

struct BeliefChange;  // sim/checkers/trackers/belief_tracker.h

struct Span {
  TrueTime from;
  TrueTime to = TrueTime::max();  // excluded; max(): it goes on
  bool operator==(const Span&) const = default;
};

struct LifeSpan {
  Incarnation who;
  Span span;
  bool operator==(const LifeSpan&) const = default;
};
struct PauseSpan {
  NodeId node;
  Span span;
  bool operator==(const PauseSpan&) const = default;
};
struct BeliefSpan {
  // An answer of a store that began the belief or gave it another end.
  struct Grant {
    TrueTime at;
    RequestId request;
    bool operator==(const Grant&) const = default;
  };
  Incarnation who;
  Span span;
  std::string token;  // the last one; empty: none
  std::string end;    // "its time ran out", "stepped down", "died"; empty: it goes on
  std::vector<Grant> grants = {};
  bool operator==(const BeliefSpan&) const = default;
};
// A store's side of it: to whom the lease was given, until somebody else got it or it was released.
struct HoldSpan {
  Incarnation who;
  Span span;
  std::optional<Token> token;  // nullopt: the store's leases have none
  StoreId store = {};
  bool operator==(const HoldSpan&) const = default;
};
// What is the matter with a store, while that does not change; or what happens to it at once, and `to` is `from`.
struct StoreCondition {
  StoreId store;
  Span span;
  std::string text;     // "down", "slow by 2s, 10% of its answers are lost", "its clock jumps by 10s"
  bool answers = true;  // false: it is down, or hangs
  bool operator==(const StoreCondition&) const = default;
};
// What is the matter with a link, in one direction, while that does not change.
struct LinkCondition {
  std::optional<NodeId> from;  // nullopt: the store `store`
  std::optional<NodeId> to;
  StoreId store = {};
  Span span;
  std::string text;  // "cut", "slow by 2s, 10% lost"
  bool cut = false;
  bool operator==(const LinkCondition&) const = default;
};
struct FaultSpan {
  std::uint64_t id = 0;
  std::string action;
  std::string text;           // "pause n1 for 16.2s"
  std::vector<NodeId> nodes;  // that it struck; none: the store
  Span span;
  bool operator==(const FaultSpan&) const = default;
};

// A fire's work where it reached the outside world.
struct WorkSpan {
  Incarnation who;
  std::string what;  // "billing 2026-01-01T00:01:00Z"
  std::string token;
  DeliveryOutcome landing = DeliveryOutcome::begun;
  Span span;                     // of one that began; else `to` is `from`
  std::optional<Ending> ending;  // nullopt: it goes on, or never began
  bool operator==(const WorkSpan&) const = default;
};

// A node's clocks against true time, from a moment on.
struct ClockState {
  TrueTime at;
  NodeId node;
  Duration mono_offset;  // against true time, since the node's first reading; behind is negative
  Duration wall_offset;  // against the true date
  std::int64_t rate_ppm = 0;
  bool still = false;  // the monotonic clock stands still
  bool operator==(const ClockState&) const = default;
};

// Slots whose work will never be done by themselves, and why: a row of the ledger that a store took.
struct SkippedSlots {
  TrueTime at;
  StoreId store;
  Incarnation who;
  ScheduleId schedule;
  StoreTime from;
  StoreTime to;  // excluded
  std::int64_t slots = 0;
  reference::Disposition why = reference::Disposition::missed;
  std::string what = {};  // "billing 2026-01-01T00:01:00Z", the first of them
  bool operator==(const SkippedSlots&) const = default;
};

// A slot's work that began more than kLateAfter after it was due, by the store's clock: what it waited for.
inline constexpr Duration kLateAfter = Duration::seconds(1);
enum class LateBecause : std::uint8_t {
  nobody_led,     // when it was due
  not_committed,  // most of the time somebody led, and the store had not been told that the slot fires
  not_begun,      // most of the time it had
};
std::string_view name_of(LateBecause why);
struct LateSlot {
  TrueTime at;  // when the work began
  Incarnation who;
  ScheduleId schedule;
  StoreTime slot;
  Duration late;
  LateBecause why = LateBecause::nobody_led;
  std::string what = {};  // "billing 2026-01-01T00:01:00Z"
  bool operator==(const LateSlot&) const = default;
};

// A request from its decision to its answer. What did not happen has no time.
struct RequestTrip {
  RequestId id;
  StoreId store;
  bool as_leader = false;
  std::string what;
  std::string reply;
  TrueTime decided;
  std::optional<TrueTime> left;
  std::optional<TrueTime> arrived;
  std::optional<TrueTime> applied;
  std::optional<TrueTime> returned;
  std::optional<TrueTime> heard;
  RequestOutcome outcome = RequestOutcome::unknown;  // as heard
  bool followed = true;  // false: only what the node knows of it is known, as in a journal
  bool operator==(const RequestTrip&) const = default;
};
enum class RequestFate : std::uint8_t {
  answered,       // applied, and the node heard the reply
  rejected,       // refused before it was executed
  never_applied,  // the node gave up on it, and the store never executed it
  not_known,      // applied, but the node gave up on it, and no reply came
  too_late,       // likewise, and the reply came after that
  open,           // no answer by the end of its life, or of the run
  in_doubt,       // the node gave up on it, and what the store did is not known
};
RequestFate fate_of(const RequestTrip& trip);
std::string_view name_of(RequestFate fate);

// A violation with what is needed to find it in a picture.
struct ViolationSpan {
  std::string checker;
  std::string message;
  std::vector<NodeId> nodes;
  Span span;  // `to` is when it became a violation
  bool demanded = false;
  std::vector<RequestId> requests = {};  // of those nodes, applied in the span, and the last before it; a few
  std::vector<ScheduleId> schedules = {};
  bool operator==(const ViolationSpan&) const = default;
};

// An assumption of the designs that a fault or a setting broke (claims.h).
struct BrokenSpan {
  std::string assumption;
  std::string by;             // "fault clock-step"
  std::vector<NodeId> nodes;  // of whom; empty: everybody
  Span span;
  bool operator==(const BrokenSpan&) const = default;
};

struct Recording {
  TrueTime healed = TrueTime::max();
  TrueTime end;
  std::vector<std::string> nodes;  // their names
  std::vector<std::string> stores;
  Duration warmup;           // a new leader is of no use for so long
  bool pauses_known = true;  // false: whoever believes may have stood still
  std::vector<LifeSpan> lives;
  std::vector<LifeSpan> startups;  // the process starts, and this life of it is not there yet
  std::vector<PauseSpan> pauses;
  std::vector<BeliefSpan> beliefs;
  std::vector<HoldSpan> holds;
  std::vector<StoreCondition> conditions;  // of stores
  std::vector<LinkCondition> links;
  std::vector<FaultSpan> faults;
  std::vector<WorkSpan> work;
  std::vector<RequestTrip> requests;
  std::vector<ClockState> clocks;
  std::vector<SkippedSlots> skipped;
  std::vector<LateSlot> late;
  std::vector<NarratedEvent> story;
  std::vector<ViolationSpan> violations;  // the first ones of each checker
  std::vector<BrokenSpan> broken;
  bool operator==(const Recording&) const = default;
};

// Is told of what is recorded, as it is recorded: for those who write it down while the run goes on.
class RecordingListener {
 public:
  RecordingListener() = default;
  RecordingListener(const RecordingListener&) = delete;
  RecordingListener& operator=(const RecordingListener&) = delete;
  virtual ~RecordingListener() = default;

  virtual void belief_changed(const BeliefChange&) {}
  // nullptr: nobody holds it any more.
  virtual void lease_changed(TrueTime /*at*/, StoreId, const HoldSpan*) {}
  virtual void clock_read(const ClockState&) {}
  virtual void slots_skipped(const SkippedSlots&) {}
  virtual void slot_late(const LateSlot&) {}
  // Its answer was heard; or the run is over, and nothing more will become of it.
  virtual void request_ended(TrueTime /*at*/, const RequestTrip&) {}
  // When the run is over.
  virtual void violated(const ViolationSpan&) {}
};

// Times in which more than one node believed that it leads; `acting`: two of them are known not to have been paused.
struct OverlapSpan {
  Span span;
  std::vector<NodeId> nodes;
  bool acting = false;
  bool operator==(const OverlapSpan&) const = default;
};
std::vector<OverlapSpan> overlaps(const Recording& recording);
// When a leader was of no use because it warmed up still.
Span warmup_of(const BeliefSpan& belief, const Recording& recording);

}  // namespace tenure::sim
