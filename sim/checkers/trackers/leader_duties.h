// When a leader last did what a leader has to do, and how long something kept it from that by design.
//
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/fire_order.h"
#include "sim/checkers/trackers/outbox_look.h"
#include "sim/checkers/trackers/tries.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct LeaderDuties {
  LeaderDuties(Incarnation leader, TrueTime begins, Duration apart)
      : who(leader), begin(begins), bound(apart) {}

  Incarnation who;
  TrueTime begin;  // of its leadership; so are the other times, unless something has happened since
  Duration bound;
  TrueTime waited = begin;                // it was held up by design last
  TrueTime since = begin;                 // the same, or it covered a row
  TrueTime covered = begin;               // a row, last
  TrueTime look = begin + bound;          // until then it cannot be stuck
  TrueTime full = begin;                  // all its workers were at work last, or were kept for a commit
  std::deque<TrueTime> results = {};      // when work ended of which it may not have heard
  std::size_t most_waiting = 0;           // so much work waited to be begun since then, at most
  std::int64_t kept = 0;                  // so many workers are kept for the commit that it sent last
  TrueTime kept_until = begin;            // at most
  TrueTime look_at_work = begin + bound;  // until then no work has waited for too long
  TrueTime judges = begin;                // the store's clock from then on: a clock of its own changed last
  OutboxLook outbox = OutboxLook(begin);
  // It reads what is due from its beginning, as a new leader does, and the outbox if need be: it commits nothing
  // meanwhile.
  bool reads_anew = true;
  std::deque<TrueTime> pages = {};  // of the outbox that brought it further while it read anew, since `since`
  // When it began manual runs and failed work since it covered a row or began a slot, the latest times.
  std::deque<TrueTime> others = {};
  Tries commits = {};
  Tries holds = {};
  FireOrder order = FireOrder(bound);
  // No slot that it owes was due before; min(): not known.
  StoreTime first_due = StoreTime::min();

  // Something held it up by design until now.
  void begin_again(TrueTime now) {
    waited = since = now;
    look = now + bound;
  }
  // From now on it only waits for its work.
  void tries_nothing(TrueTime now) {
    commits.succeeded();
    holds.succeeded();
    outbox.begin_again(now);
    begin_again(now);
  }
  // It has read a page of the outbox, from behind the number `after`.
  void reads(TrueTime now, std::uint64_t after, const reference::Outbox& page) {
    const TrueTime looked = outbox.since();
    if (outbox.read(now, after, page) && reads_anew) pages.push_back(now);
    if (outbox.since() > looked) reads_anew = false;
    while (!pages.empty() && pages.front() <= since) pages.pop_front();
  }
  // How many such pages it has read after `time`.
  std::int64_t pages_after(TrueTime time) const {
    return pages.end() - std::upper_bound(pages.begin(), pages.end(), time);
  }
  // It began work: a manual run or what had failed, as far as the last `most` count; or a slot.
  void begins(TrueTime now, bool is_slot, std::size_t most) {
    kept = 0;
    if (is_slot) return others.clear();
    others.push_back(now);
    if (others.size() > most) others.pop_front();
  }
  // A request was sent. The fires of a commit want workers as soon as its answer comes, after `timeout` at most; then
  // the leader begins them, or asks for something else.
  void asks(TrueTime now, const Request& request, Duration timeout) {
    const auto* commit = reference_request<reference::CommitFires>(request);
    const auto* due = reference_request<reference::ReadDue>(request);
    if (due != nullptr && !due->after && !std::exchange(reads_anew, true)) outbox.reads_anew();
    const bool reads = due != nullptr || reference_request<reference::ReadOutbox>(request) != nullptr;
    if (commit == nullptr && !reads) return;
    kept = 0;
    kept_until = now + timeout;
    if (commit == nullptr) return;
    reads_anew = false;
    for (const reference::LedgerRow& row : commit->rows)
      if (row.what == reference::Disposition::fired) ++kept;
  }
  // So many of `most` workers are at work, and so much work waits to be begun. It hears of a result after `way`.
  void works_with(TrueTime now, std::int64_t running, std::int64_t most, std::size_t waiting, Duration way) {
    while (!results.empty() && results.front() + way <= now) results.pop_front();
    const std::int64_t taken = running + std::ssize(results);
    const TrueTime before = full;
    if (taken >= most)
      full = now;
    else if (taken + kept >= most)
      full = std::max(full, std::min(now, kept_until));
    most_waiting = full > before ? waiting : std::max(most_waiting, waiting);
  }
};

}  // namespace tenure::sim
