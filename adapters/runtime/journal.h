// The journal of a process: what its nodes did, one line of JSON each.
//
// A line has `v` (the version of this format, 1), `mono` (nanoseconds since the machine's boot, as the node's own
// clock has them), `node` and `life` (the incarnation), `event`, and the event's own fields, in this order. 64-bit
// numbers that may exceed 2^53 (nonces) are strings. The events are those of the simulator's journal
// (sim/world/record.h) that a process can know of:
//
//   started, died       the incarnation begins and ends
//   believes            branch, epoch, nonce (absent without a token), until_mono or until_wall or open
//   steps-down          why
//   checked             the node has just made sure that it leads
//   clock-alarm         jump_ns
//   remark              text, value
//   stopped             a stop that was asked for is complete
//   submitted           part, request (its number), as_leader, text
//   answered            part, request, outcome, text, and store_time_us when it was applied
//   work, work-done     schedule, slot_us, run, and the result
//
// Thread rule: a sink is called by the runtime's loop thread alone.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/model/env.h"
#include "core/model/input.h"

namespace tenure {

// Takes one line, without its end. It must not block for long: belief does not wait for it.
using JournalSink = std::function<void(std::string_view line)>;

class RuntimeJournal {
 public:
  explicit RuntimeJournal(JournalSink sink) : sink_(std::move(sink)) {}

  void started(MonoTime now, Incarnation who);
  void died(MonoTime now, Incarnation who, std::string_view how);  // "stopped", "abandoned"
  void noted(MonoTime now, Incarnation who, const Note& note);
  void submitted(MonoTime now, Incarnation who, RequestId id, const Submission& submission);
  void answered(MonoTime now, Incarnation who, const StoreReplied& reply, std::string_view message);
  void work(MonoTime now, Incarnation who, const WorkItem& item);
  void work_done(MonoTime now, Incarnation who, const WorkDone& done);

 private:
  JournalSink sink_;  // may be empty
};

}  // namespace tenure
