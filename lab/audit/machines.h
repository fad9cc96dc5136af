// Which journals share a clock, and the possible orders of the lines of the others.
//
// A machine's boot clock orders all that was written on it. Two machines have no clock in common but the
// store's, and that only as well as answers pin it: an answered request was executed between its sending and
// its answer, so that the difference of the two clocks at that time is known to within the round trip. In
// between, the clocks run apart by kDrift at most.
//
//   1. Journals that share a life are of one machine. So are those that name the same boot, unless their
//      clocks contradict each other: a boot id alone proves nothing, since machines can be copied. An empty
//      one says nothing.
//   2. One machine: its boot clock is the order, and the only one.
//   3. Several: every line is laid on the store's clock, and there are several orders, in which each
//      machine's clock is as early or as late against it as its answers allow. What is wrong in all of them
//      is wrong; what is so in some is said, and is no verdict.
//   4. Where the store's clock was held against no machine's for a while, a step of it there would not be
//      seen: said.
//   5. A machine with which the store's clock does not keep step cannot be laid on it: each is judged by
//      itself.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/base/time.h"
#include "lab/audit/findings.h"
#include "lab/audit/journal_reader.h"

namespace tenure::lab {

// How far the store's clock and a machine's may drift apart: more than quartz and a time daemon do. A larger difference
// counts as a step.
inline constexpr Duration kDriftPerSecond = Duration::millis(1);

// When each line was written, by journal and by place in it.
using LineTimes = std::vector<std::vector<journal::BootTime>>;

struct Orders {
  // Reports use the times of the first one.
  std::vector<LineTimes> possible;
  // Journals of machines without a common order, each to be judged alone; otherwise empty.
  std::vector<std::vector<std::size_t>> apart;
  // The first order is the one that the journals claim (one boot): it decides, and the others are only reported.
  bool first_decides = false;
  bool by_store = false;  // times are the store's
};

// Notes in `findings` what could not be ordered. BadJournal: one life was written in two boots.
std::variant<Orders, BadJournal> orders_of(const std::vector<NodeJournal>& journals, AuditFindings& findings);

void set_times(std::vector<NodeJournal>& journals, const LineTimes& times);

}  // namespace tenure::lab
