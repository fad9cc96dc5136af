// Schedules as people have them: under a name, with a payload for those who consume their events, paused or not, and
// with a log of who did what.
//
// The name is a client's. Everything else goes by the schedule's number, which the store gives it in the put that
// creates it. A name is free again once its schedule is deleted; a number is never used again. A schedule that was put
// by number has its number in decimal digits as its name. (docs/adr/0051)
//
// A payload is for consumers of events. ReadNamed and ReadPayloads alone give its data out; ListNamed gives the rest.
// What leaders and standbys read to fire has none, and no journal has one.
//
// Thread rule: values and pure functions.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/schedule/definition.h"

namespace tenure::reference {

// Names a fire for ever: if it is delivered again, it is the same event. Adapters print it as a UUIDv5.
struct EventId {
  ScheduleId schedule;
  StoreTime slot;         // for a manual run: when it was asked for, or the slot that a backfill fills in
  std::uint64_t run = 0;  // 0 for a slot; a manual run's own number otherwise
  constexpr auto operator<=>(const EventId&) const = default;
};

// Who deletes schedules that have no slot left (Prune).
inline constexpr std::string_view kRetentionActor = "retention";

// What a client saw of a schedule. As an ETag it is "number.version".
struct Edition {
  ScheduleId schedule;
  std::uint32_t version = 0;
  constexpr auto operator<=>(const Edition&) const = default;
};

struct Label {
  std::string name;
  std::string value;
  bool operator==(const Label&) const = default;
};

// What a schedule's events carry. It belongs to the version that fired, and stays as it was in that version.
struct Payload {
  std::string topic;          // by which consumers choose
  std::string type;           // of the data, for consumers
  std::string data;           // JSON, kept as it was put; empty: none
  std::vector<Label> labels;  // ordered by name; each name once
  std::string description;    // for people

  bool operator==(const Payload&) const = default;
};
inline constexpr std::size_t kNameBytes = 120;    // of a name, a topic, a type, a label's name, an actor
inline constexpr std::size_t kTextBytes = 1'000;  // of a description, a reason, a label's value
inline constexpr std::size_t kDataBytes = 65'536;
inline constexpr std::size_t kLabels = 32;

// A text as a reason that stores take: what is no UTF-8, or a control character (but a line feed or a tab), is `?`, and
// it is cut to kTextBytes.
std::string as_reason(std::string_view text);

// Creates a schedule, or edits the one that the client has seen. Idempotent: an edit that is repeated because its
// answer was lost gets the same answer. Whether the schedule is paused stays as it is.
struct PutNamed {
  ResourceId resource;
  std::string name;
  std::optional<Edition> expected;  // none: there is no schedule of that name
  Definition definition;            // not paused: see PauseNamed
  Payload payload;
  std::string actor;  // who does it, for the log; empty: nobody says
};
// Like DeleteSchedule. Idempotent.
struct DeleteNamed {
  ResourceId resource;
  std::string name;
  Edition expected;
  std::string actor;
};
// Pauses a schedule, or resumes it: a new version with the same definition and payload. Slots from now on are recorded
// as suppressed; what was due before still fires. Idempotent: a schedule that is so already stays as it is.
struct PauseNamed {
  ResourceId resource;
  std::string name;
  bool paused = true;
  std::string actor;
  std::string why;
};
// The answer to these three.
struct NamedEdited {
  Edition edition;  // now in force; a deleted schedule keeps its last
  std::uint64_t change_seq = 0;
  StoreTime since = {};  // as in Edited
};
enum class EditDenial : std::uint8_t {
  no_such_schedule,
  deleted,
  version_conflict,
  in_future,       // a backfill: of slots that have not come yet
  exists,          // a put that was to create: the name is taken
  no_number_left,  // a put that was to create: all numbers of the resource have been used
  unreadable,      // a pause: this program cannot read the definition in force (a real store only)
  other_request,   // a manual run: the number is of one that was asked for with another digest
};
struct NamedRefused {
  EditDenial why = EditDenial::no_such_schedule;
  Edition edition;  // in force under that name; version 0: none is
};

// The schedule of that name, if there is one, with its payload.
struct ReadNamed {
  ResourceId resource;
  std::string name;
};
// Schedules in the order of their names' bytes, after the name `after`. Their payloads have no data.
struct ListNamed {
  ResourceId resource;
  std::string after;
  std::uint32_t limit = 1000;
};
struct Pause {
  std::string actor;  // empty, like why: paused by a put by number, which does not say
  std::string why;
  StoreTime since;
  bool operator==(const Pause&) const = default;
};
struct NamedSchedule {
  std::string name;
  Edition edition;
  StoreTime since;          // as in Edited
  Definition definition;    // meaningless if unreadable
  bool unreadable = false;  // as in Change
  Payload payload;
  std::optional<Pause> pause;
  StoreTime covered =
      {};  // no slot before this fires any more. Later than now if the store's clock was ahead
};
struct NamedSchedules {
  std::vector<NamedSchedule> schedules;
  bool more = false;
};

// The payloads of events that wait for delivery or are dead, for whoever delivers them.
struct ReadPayloads {
  ResourceId resource;
  std::vector<EventId> events;
};
struct EventPayload {
  EventId event;
  bool found = false;         // false: it neither waits nor is dead, and what follows is empty
  std::uint32_t version = 0;  // that fired
  std::string name;
  Payload payload;
};
struct Payloads {
  std::vector<EventPayload> events;  // one for each asked, in order
};

// Who did what: changes after the number `after`, in commit order.
struct ReadLog {
  ResourceId resource;
  std::uint64_t after = 0;
  std::uint32_t limit = 1000;
};
enum class LogAction : std::uint8_t { put, paused, resumed, deleted };
struct LogEntry {
  std::uint64_t seq = 0;  // the change's
  std::string name;
  Edition edition;
  LogAction what = LogAction::put;
  std::string actor;
  std::string why;
  StoreTime at;  // when it took effect
};
struct Log {
  std::vector<LogEntry> entries;
  bool more = false;
};

// Why the caller's part of a request is wrong, in words, all of it; empty when it is not. A request that has a problem
// must not be sent: the store CHECKs it.
std::string problem_of(const PutNamed& asked);
std::string problem_of(const DeleteNamed& asked);
std::string problem_of(const PauseNamed& asked);
// For a name by itself, and for a reason.
std::string problem_of_name(std::string_view name);
std::string problem_of_reason(std::string_view why);

// The name of a schedule that was put by number.
std::string name_of_number(ScheduleId schedule);

}  // namespace tenure::reference
