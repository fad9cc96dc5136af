// The journal of a process: what its nodes did, one line of JSON each. This is the format's one place: the runtime
// writes with it, and whoever judges journals (sim/audit) reads with it.
//
// A line has `v` (the version of this format, 3), `at` (nanoseconds since the machine's boot by the machine's clock, by
// which journals of one machine can be laid side by side), `mono` (the same moment by the node's own clock), `node` and
// `life` (the incarnation), `seq` (1 for the life's first line, and one more for each: a line that is missing shows),
// `event`, and the event's own fields. 64-bit numbers that may exceed 2^53 (nonces, runs) are strings. `text` and `why`
// are for people, and are not read. Version 2, which is still read, had no `seq`.
//
//   started            the incarnation begins; boot: names the boot of the machine, or is empty
//   died               and ends: how, "stopped" or "abandoned"
//   believes           resource, TOKEN or nothing, and until_mono, until_wall or open
//   steps-down         resource, why
//   checked            resource: the node has just made sure that it leads
//   clock-alarm        jump_ns
//   remark             text, value
//   stopped            a stop that was asked for is complete
//   submitted          part, request (its number), store, as_leader, kind, resource; what the kind has; text
//   answered           part, request, store, outcome, text; if it was applied: store_time_us, position and changed (as
//                      in adapters/store/answer.h), kind, and what the kind has
//   work               resource, EVENT, TOKEN or nothing, once
//   work-done          EVENT, result
//
// TOKEN is branch, epoch, nonce. EVENT is schedule, slot_us, run. What a kind of request or reply has:
//
//   acquire            epoch_seen, nonce, duration_ns
//   renew              TOKEN, duration_ns
//   release, set-hold, clear-hold  TOKEN
//   commit-fires       TOKEN, rows: of each schedule, version, from_us, to_us, slot_us, what, slots; to_us is absent
//                      for a row without an end
//   put-schedule, delete-schedule, trigger-schedule, backfill-schedule, read-due, read-outbox, ack-events,
//   changes-since, prune  nothing
//   granted            TOKEN, duration_ns
//   refused            why_refused, remaining_ns
//   committed          rows: the result of each
//   commit-refused     why_refused, held
//   released, edited, edit-refused, due, outbox, acknowledged, changes, hold-set, pruned  nothing
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/journal/stamp.h"
#include "core/model/env.h"
#include "core/model/input.h"

namespace tenure::journal {

inline constexpr std::int64_t kVersion = 3;
inline constexpr std::int64_t kOldestVersion = 2;  // that is read

struct LifeBegan {
  std::string boot;  // of the machine: journals of two boots do not share a clock; empty: not known
};
struct LifeEnded {
  bool stopped = false;  // it was asked to and had finished; else it was abandoned, as in a crash
};
struct Asked {
  RequestId id;
  Submission submission;  // its deadline is not written
};
struct Answered {
  RequestId id;
  StoreId store;
  Part part = Part::elector;
  Outcome outcome = Outcome::unknown;
  std::string message;  // why it was not applied; not read
  // The rest: applied only.
  StoreTime store_time;
  std::uint64_t position = 0;
  bool changed = false;
  house::Reply reply;
};

using Event = std::variant<LifeBegan, LifeEnded, Note, Asked, Answered, WorkItem, WorkDone>;

struct Line {
  Stamp now;
  Incarnation who;
  Event event;
  std::uint64_t seq = 0;  // 0: version 2 did not say
};

// Without its end. REQUIRES: requests and replies are the house store's.
std::string encode(const Line& line);

struct BadLine {
  std::string message;  // "`epoch` is missing", …
};
// Total: any bytes give a line or the reason why not.
std::variant<Line, BadLine> decode(std::string_view text);

}  // namespace tenure::journal
