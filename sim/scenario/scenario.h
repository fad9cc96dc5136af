// A scenario in memory. A run is a function of the scenario, the seed and the tzdb version, and of nothing else.
//
// format/parse makes one from a file, and format/print writes one back. Names are resolved here: protocols to registry
// rows, schedules to ScheduleIds (in file order, `count` expanded), instances to NodeIds (n1 is 0).
//
// Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/lease/elector_kind.h"
#include "core/model/parameters.h"
#include "core/schedule/definition.h"
#include "core/scheduler/scheduler_kind.h"
#include "core/store/store_kind.h"
#include "sim/models/quantiles.h"
#include "sim/scenario/data_files.h"

namespace tenure::sim {

// Both ends included; one value when they are equal. Drawn once, from the noise of its owner.
template <class T>
struct Range {
  T low{};
  T high{};
  bool operator==(const Range&) const = default;
};

// One clock against true time. Both values are drawn for each clock.
struct ClockSetting {
  Range<Duration> offset;        // of the wall clock (a store: of its only clock)
  Range<std::int64_t> rate_ppm;  // of both a node's clocks; > -1'000'000
  bool operator==(const ClockSetting&) const = default;
};

struct InstanceSetting {
  ClockSetting clock;
  Parameters election;
};

struct StoreSetting {
  // An engine that stores run on: the reference machine on one must answer as the machine does.
  const StoreKind* engine = nullptr;                             // null: the machine itself
  Quantiles latency = Quantiles::constant(Duration::millis(1));  // of executing one request
  // Of kinds of request that take another time, by their index in reference::Request.
  std::map<std::size_t, Quantiles> latency_of = {};
  Quantiles notification;        // from a change to when its notifications leave, each its own
  std::int64_t concurrent = 20;  // requests executed at once
  std::int64_t queue = 100;      // requests waiting; beyond: rejected as overloaded
  ClockSetting clock;

  Duration longest_latency() const {
    Duration longest = latency.max();
    for (const auto& [kind, its] : latency_of) longest = its.max() > longest ? its.max() : longest;
    return longest;
  }
};

struct NetworkSetting {
  Quantiles latency = Quantiles::constant(Duration::micros(300));  // one way, every link
  std::int64_t loss_ppm = 0;  // of a message; on a connection to the store, of a segment, which is resent
};

// The program around a node, and whoever starts it again: what operators of Kubernetes controllers have.
struct ProgramSetting {
  Duration warmup;                                    // a new leader is of no use for so long
  Duration startup;                                   // a process that starts again is there so much later
  bool exits_on_loss = false;                         // it ends when its leadership has
  Duration restart_backoff = Duration::seconds(10);   // after its second exit, then twice as long each time
  Duration longest_backoff = Duration::seconds(300);  // a life of more than twice that, and all begins anew
};

struct WorkSetting {
  Quantiles duration;  // of one fire's work; zero by default: it is over when it arrives
  Duration check_every = Duration::seconds(1);  // how often running work checks whether its node still leads
  Duration stop_latency;                        // from the check that finds it does not until it has stopped
  bool fenced = true;                           // the resource refuses a token older than one it has seen
  bool honours_event_id = true;  // the resource begins an event at most once (`idempotent` in a file)
  std::int64_t failing_ppm = 0;  // the share of executions that take their time and then fail
  ProgramSetting program;
};

// A server outside that events are sent to.
struct DestinationSetting {
  std::string name;
  Quantiles latency = Quantiles::constant(Duration::millis(20));  // of its work on one event
  std::int64_t concurrent = 1'000;                                // events at a time; it refuses more
  Duration timeout = Duration::seconds(10);  // when the sender has no answer by then, the attempt has failed
  std::int64_t failing_ppm = 0;              // the share of attempts that take their time and then fail
  std::int64_t answers_lost_ppm = 0;         // of attempts whose answer never comes
  Duration retry_after = {};  // what it asks for when it refuses an event or fails at one; zero: nothing
};

// Processes outside of the cluster that claim events of schedules with `delivery = "pull"`, and work on them.
struct WorkerSetting {
  std::string name;        // with count = n > 1, the processes are name-1 … name-n
  std::string topic = {};  // it claims events of schedules with this one; empty: of those without
  std::int64_t count = 1;
  std::int64_t concurrent = 1;                 // events that one of them works on at a time
  Duration claim = Duration::seconds(30);      // stands for so long without a heartbeat; whole microseconds
  Duration heartbeat = Duration::seconds(10);  // between two of them; zero: none
  Duration poll = Duration::seconds(1);        // until it asks again for what it was not given
  Duration timeout = Duration::seconds(5);     // a request without an answer by then is given up
  Quantiles duration = Quantiles::constant(Duration::seconds(1));  // of its work on one event
  std::int64_t failing_ppm = 0;  // the share of attempts that take their time and then fail
};

// What a schedule's events carry. Nobody in a run looks at the data, so its size is all that is said of it.
struct PayloadSetting {
  std::string topic = {};       // for those who claim them
  std::string type = {};        // for those who get them
  std::int64_t data_bytes = 0;  // JSON of that size; 0: none

  bool operator==(const PayloadSetting&) const = default;
  bool empty() const { return *this == PayloadSetting{}; }
};

struct ScheduleSetting {
  std::string name;  // with count = n: name-1 … name-n
  Definition definition;
  PayloadSetting payload = {};
};

enum class ChangeAction : std::uint8_t { create, update, remove, pause, resume, trigger, backfill, replay };
struct ChangeSetting {
  std::uint64_t id = 0;  // permanent: 1 + place in the file; a manual run's number
  Duration at;
  ChangeAction action = ChangeAction::update;
  std::string schedule_name;
  ScheduleId schedule;           // a created schedule gets its own id, after those of the file
  Definition definition;         // the whole of it afterwards; what a removal leaves is unused
  std::vector<StoreTime> slots;  // backfill: those of the definition in force, in order
  PayloadSetting payload = {};   // create; the schedule keeps it
};

// ---- faults ----------------------------------------------------------------------------------------------

struct Target {
  enum class Kind : std::uint8_t {
    none,      // the action acts on the store or the network as a whole
    leader,    // the holder of the store's lease; if there is no such lease, a believer
    believer,  // one that believes, the longest-believing first
    standby,   // a running instance that is neither leader nor believer
    one,       // this and the next two: drawn from all, before the run (sim/faults/plan.h)
    minority,
    majority,
    all,
    named,
  };
  Kind kind = Kind::none;
  std::vector<NodeId> nodes;  // named
  bool operator==(const Target&) const = default;
};

// One value of a fault's own parameter, by the fault's table (sim/faults/registry.h).
struct FaultParameter {
  std::string name;
  std::variant<std::int64_t, Range<Duration>, Range<std::int64_t>, std::string> value;  // Duration as a Range
  bool operator==(const FaultParameter&) const = default;
};

// When a fault strikes.
struct StrikesAt {
  Duration at;
  std::optional<Duration> latest = {};  // then the time is drawn between the two; nullopt: it is literal
  bool operator==(const StrikesAt&) const = default;
};
struct StrikesOn {
  std::string event;  // a journal event's name, see sim/world/record.h
  std::int64_t nth = 1;
  Duration after = {};
  bool every_time = false;  // at each such event, each strike with its own draws; `nth` is unused
  bool operator==(const StrikesOn&) const = default;
};
struct StrikesEvery {
  Quantiles gap;  // from the end of one to the start of the next; drawn into a plan before the run
  bool operator==(const StrikesEvery&) const = default;
};

struct FaultSetting {
  using At = StrikesAt;
  using On = StrikesOn;
  using Every = StrikesEvery;

  std::uint64_t id = 0;  // permanent: 1 + place in the file; a drawn plan's are mixed from it and the ordinal
  std::variant<At, On, Every> when;
  std::string action;  // a row of the fault registry
  Target target;
  std::optional<Range<Duration>> duration;  // nullopt: until the heal; meaningless for an instant action
  // The distribution of `duration` between its ends; nullopt: uniform. A drawn duration has none.
  std::optional<Quantiles> duration_spread;
  std::vector<FaultParameter> parameters;
  // rolling-restart: the election settings of restarted instances
  std::optional<Parameters> with_election;
  bool optional = false;  // a run in which it never strikes can be a pass (sim/runner/judge.h)
  int line = 0;           // in the file, for reports; 0 for a drawn one
  // For people: its place among the file's [[fault]]s, from 1 (0: from no file), and for a fault that strikes
  // repeatedly, which strike this is, from 1 (0: it is not drawn).
  std::uint64_t entry = 0;
  std::uint64_t strike = 0;
};

// It does not come again.
inline bool strikes_once(const FaultSetting& fault) {
  const auto* on = std::get_if<FaultSetting::On>(&fault.when);
  return !std::holds_alternative<FaultSetting::Every>(fault.when) && (on == nullptr || !on->every_time);
}

// ---- what is demanded ------------------------------------------------------------------------------------

struct Threshold {
  std::string metric;  // "failover_seconds", …
  std::string text;    // as written: "p90 < 20"
  enum class Statistic : std::uint8_t { mean, min, max, percentile } statistic = Statistic::max;
  std::int64_t percentile_ppm = 0;  // p90: 900'000
  bool less = true;                 // "<" or "<=" against ">" or ">="
  bool or_equal = false;
  std::int64_t bound_nano = 0;  // the number, times 1e9
  int line = 0;                 // in the file, for reports; 0 when it is not in it
};

struct Expectation {
  // Names of checkers. `always` as the file lists it. Without the key: every checker that applies, judged by the
  // protocol's claims and not unconditionally.
  std::optional<std::vector<std::string>> always;
  std::optional<std::vector<std::string>>
      eventually;  // without the key: all that apply and that no setting excuses (sim/runner/judge.cc)
  std::vector<std::string> sometimes;
  // two believers at once: nullopt only reports; zero forbids; a duration allows that much at a time
  std::optional<Duration> believer_overlap_max;
  bool believer_overlap_said = false;  // the file has the key (sim/runner/judge.h)
  std::optional<std::string> fails;    // a canary: this checker must fail
  // Of a hunt: what every run is judged by at least (sim/runner/judge.h) is demanded as long as no fault has broken
  // anything, even if nobody claims it.
  bool minimum = false;
  // Where the file names a checker or an event, for reports; a name that the command line gave has none.
  std::map<std::string, int> lines;
};

// A setting that theory calls unsafe.
struct UnsafeNote {
  Part part = Part::elector;
  std::string name;  // as `accept` takes it
  std::string text;  // the inequality that fails
  bool operator==(const UnsafeNote&) const = default;
};

struct Scenario {
  std::string path;  // as given on the command line
  std::string name;
  std::string summary;
  std::vector<std::string> tags;
  std::vector<DataNote> data;  // what was read from files of measurements

  std::optional<std::uint64_t> seed;
  std::int64_t start_ns = 0;  // true time zero, since the Unix epoch
  Duration duration;          // the fault phase
  Duration tail;              // then healed, and progress is demanded
  std::string tzdb;           // the version of the time zone database that the file needs; empty: any

  const ElectorKind* protocol = nullptr;
  // The protocol's file, as a path from this file's folder; of a program the folder that it runs in. Empty: it has a
  // name.
  std::string design;
  std::vector<std::string> command;            // of a program; empty: it is none
  const SchedulerKind* scheduler = nullptr;    // null: the election alone
  std::string scheduler_design;                // as `design`
  std::vector<std::string> scheduler_command;  // as `command`
  const StoreKind* joint_store =
      nullptr;                   // of two designs with a schema each: one database; null: each has its own
  Range<Duration> start_spread;  // instances start at drawn times within it
  // How long an effect takes to leave after the one before it, or after its step.
  Quantiles departure = Quantiles::constant(Duration::micros(20));
  std::vector<InstanceSetting> instances;
  Parameters scheduling{{}};
  std::vector<std::string> accepted;             // unsafe settings of the election, accepted by name
  std::vector<std::string> scheduling_accepted;  // and of the scheduler
  std::vector<UnsafeNote> unsafe;                // all of them, in a mode that takes them without acceptance
  std::vector<std::string> warnings;             // of what runs, and may not be meant

  StoreSetting store;
  NetworkSetting network;
  WorkSetting work;
  std::vector<DestinationSetting> destinations;
  std::vector<WorkerSetting> workers;
  std::vector<ScheduleSetting> schedules;
  std::vector<ChangeSetting> changes;
  std::vector<FaultSetting> faults;
  Expectation expect;
  std::vector<Threshold> thresholds;
};

}  // namespace tenure::sim
