// The journal of a process: what its nodes did, one line of JSON each. Only this file defines the format: the runtime
// writes with it, and lab/audit reads with it.
//
// A line has `v` (the version of this format, 5), `prev` (the hash of the line before it), `at` (nanoseconds since the
// machine's boot by the machine's clock, by which journals of one machine can be laid side by side), `mono` (the same
// moment by the node's own clock), `node` and `life` (the incarnation), `seq` (1 for the life's first line, then one
// more for each line, so that a missing line shows), `event`, and the event's own fields. 64-bit numbers that may
// exceed 2^53 (nonces, runs) are strings. `text` and `why` are for people; no program reads them.
//
// The chain: `prev` of a line is chain_hash() of the line before it in the same sink, whatever its life. This is the
// first 16 bytes of SHA-256 over the line's bytes as they were written, without the line's end, in 32 lower-case
// hexadecimal digits. The first line of a sink has 32 zeros. So a line that was changed, removed or inserted breaks the
// chain at the next line, unless all later lines were written again. A journal that continues in another file begins
// there with the hash of the previous file's last line. There is no key (docs/adr/0027).
//
// Version 4 can still be read. It had no `client` lines: requests that the node's process asked for a client, on a
// connection that is not the node's, and that changed the store, or may have (docs/adr/0073). Such a line is written
// some time after the answer.
//
// docs/reference/journal.md has the fields of every event, and of each kind of request and reply. Nothing more than
// those is kept, because no judgement depends on more.
//
// Thread rule: pure functions and values.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/journal/stamp.h"
#include "core/model/env.h"
#include "core/model/input.h"
#include "core/schedule/time_zone.h"

namespace tenure::journal {

inline constexpr std::int64_t kVersion = 5;
inline constexpr std::int64_t kOldestVersion = 4;  // that can be read
inline constexpr std::int64_t kClientsSince = 5;   // lines of what clients have changed

struct LifeBegan {
  std::string boot;  // names the machine's boot: journals of two boots do not share a clock; empty: not known
  std::map<std::string, std::int64_t> settings = {};  // by name: "election.lease_duration", in nanoseconds
  std::string election =
      {};  // what it elects by, if not by a lease in Tenure's store; its beliefs have no token then
};
struct StoreFound {
  std::string identity;
};
struct LifeEnded {
  bool stopped = false;  // a stop was asked for and complete; else it was abandoned, as in a crash
};
struct Asked {
  RequestId id;
  Submission submission;  // its deadline is not written
};
struct Answered {
  RequestId id;
  StoreId store;
  Part part = Part::elector;
  RequestOutcome outcome = RequestOutcome::unknown;
  std::string message;  // why it was not applied; not read
  // The fields below: applied only.
  StoreTime store_time;
  std::uint64_t position = 0;
  bool changed = false;
  std::optional<reference::Reply> reply =
      {};  // REQUIRES: has one if it was applied. A read line has it only then
  // Schedules with a definition that cannot be read here, for example because its time zone is missing.
  std::vector<ScheduleId> unread = {};

  // The reply, if there is one and it is of this kind; else nullptr.
  template <class Kind>
  const Kind* reply_as() const {
    return reply ? std::get_if<Kind>(&*reply) : nullptr;
  }
  template <class Kind>
  Kind* reply_as() {
    return reply ? std::get_if<Kind>(&*reply) : nullptr;
  }
};
// A client's request that changed the store, or may have. It has nothing of what the request carried.
struct ClientChange {
  struct Run {
    ScheduleId schedule;
    std::uint64_t number = 0;
    auto operator<=>(const Run&) const = default;
  };
  struct Done {
    StoreTime store_time;
    std::uint64_t position = 0;                    // as in Answered
    std::optional<std::uint64_t> change_seq = {};  // of an edit: its number in the change feed
  };
  std::size_t kind = 0;  // which of reference::Request; REQUIRES: clients change something with it (kinds.h)
  ResourceId resource;
  std::optional<Run> run = {};    // of a manual run: which one was asked for
  std::optional<Done> done = {};  // nullopt: it is not known whether it was executed, or still will be
  MonoTime asked = {};            // of one that is not known: it was not executed before
};

using JournalEvent = std::variant<LifeBegan, LifeEnded, Note, Asked, Answered, WorkItem, WorkDone, StoreFound,
                                  StopAsked, ClientChange>;

struct Line {
  Stamp now;
  Incarnation who;
  JournalEvent event;
  std::uint64_t seq = 0;  // from 1, in its life
  std::string prev = {};  // chain_hash() of the line before
  std::int64_t version = kVersion;
};

// `prev` of a sink's first line.
inline constexpr std::string_view kFirstPrev = "00000000000000000000000000000000";
// `text` is a whole line, without its end.
std::string chain_hash(std::string_view text);

// Without its end. REQUIRES: requests and replies are the reference store's.
std::string encode(const Line& line);

struct BadLine {
  std::string message;  // "`epoch` is missing", …
};
// Total: any bytes give a line, or a reason. `zones`: for definitions with a time zone; without `zones`, these count as
// unread.
std::variant<Line, BadLine> decode(std::string_view text, const TimeZones* zones = nullptr);

}  // namespace tenure::journal
