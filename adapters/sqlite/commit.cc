// What the leader writes: fires, holds, and the end of retention.
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "adapters/sqlite/partition.h"
#include "core/base/check.h"
#include "core/journal/definition_codec.h"
#include "core/model/describe.h"
#include "core/store/reference/history.h"
#include "core/store/reference/ledger.h"
#include "core/store/reference/outbox.h"
#include "core/store/reference/segments.h"

namespace tenure::sqlite {
namespace {

using reference::CommitRefused;
using reference::Disposition;
using reference::LedgerRow;
using reference::RowResult;

// Those of the ledger.
constexpr std::array<Disposition, 5> kExceptions = {Disposition::coalesced, Disposition::missed,
                                                    Disposition::paused, Disposition::overlapped,
                                                    Disposition::deleted};

Disposition disposition_of(std::string_view word) {
  for (const Disposition one : kExceptions)
    if (tenure::name_of(one) == word) return one;
  throw SqliteFailure{SQLITE_CORRUPT, "the ledger says `" + std::string(word) + "`"};
}

}  // namespace

reference::Reply SqlitePartition::apply(const reference::CommitFires& asked) {
  if (const auto why = head_.lease.denial(asked.holder, asked.token, branch_, now_))
    return CommitRefused{.why = *why, .held = false};
  if (head_.hold) return CommitRefused{.held = true};

  reference::Committed committed;
  committed.rows.reserve(asked.rows.size());
  for (const LedgerRow& row : asked.rows) {
    Rules rules;
    RowResult result = cover(row, rules);
    if (result == RowResult::covered) {
      wrote_ = true;
      if (row.what == Disposition::fired) {
        result = fire(row, rules);
      } else {
        add_exception(row);
        add_history(reference::history_row(row, now_));
      }
    }
    committed.rows.push_back(result);
  }
  return committed;
}

RowResult SqlitePartition::fire(const LedgerRow& row, const Rules& rules) {
  if (rules) {
    std::size_t waiting = 0;
    {
      Rows rows = queries_.count_waiting.with(resource_, row.schedule);
      if (rows.next()) waiting = rows.small();
    }
    if (reference::is_overlapped(*rules, waiting)) {
      const LedgerRow overlapped = reference::as_overlapped(row);
      add_exception(overlapped);
      add_history(reference::history_row(overlapped, now_));
      return RowResult::overlapped;
    }
    if (rules->overlap == Overlap::replace) replace(row.schedule);
  }
  if (row.slots > 1)
    for (const LedgerRow& rest : reference::coalesced_around(row)) add_exception(rest);
  add_event({.schedule = row.schedule, .slot = row.slot, .run = 0}, row.version, rules);
  add_history(reference::history_row(row, now_));
  return RowResult::covered;
}

// The common case, a row in the middle of a segment, is one statement; only where that finds nothing is the segment
// looked at, for its end or for what to say.
RowResult SqlitePartition::cover(const LedgerRow& asked, Rules& rules) {
  reference::check_well_formed(asked);
  const StoreTime covered = reference::covered_end(asked);
  const bool due = reference::is_due(asked, now_);
  if (due) {
    Rows rows = queries_.advance.with(resource_, asked.schedule, asked.version, asked.from, asked.to, covered,
                                      StoreTime::max());
    if (rows.next()) {
      if (!rows.null()) rules = decode_rules(rows.text());
      return RowResult::covered;
    }
  }

  Rows rows = queries_.segment.with(resource_, asked.schedule, asked.version);
  if (!rows.next()) return RowResult::no_segment;
  rows.integer();
  rows.integer();
  rows.time();
  const StoreTime end = rows.time();
  const StoreTime cursor = rows.time();
  if (cursor != asked.from || end < asked.to) return RowResult::moved;
  if (!due) return RowResult::not_due;
  rows.time();
  if (!rows.null()) rules = decode_rules(rows.text());
  queries_.forget_segment.run(resource_, asked.schedule, asked.version);  // drained: the row reaches its end
  queries_.remember.run(resource_, asked.schedule, covered, StoreTime::max());
  return RowResult::covered;
}

reference::Reply SqlitePartition::apply(const reference::SetHold& asked) {
  if (const auto why = head_.lease.denial(asked.holder, asked.token, branch_, now_))
    return CommitRefused{.why = *why, .held = false};
  head_.hold = reference::Hold{.since = now_, .jump = asked.jump};
  return reference::HoldSet{head_.hold};
}

reference::Reply SqlitePartition::apply(const reference::ClearHold& asked) {
  if (const auto why = head_.lease.denial(asked.holder, asked.token, branch_, now_))
    return CommitRefused{.why = *why, .held = false};
  if (jumped_) return reference::HoldSet{head_.hold};  // just now: whoever asks has not seen that
  head_.hold.reset();
  if (queries_.count_all_again.run(resource_, now_) > 0 || head_.attempts > now_) {
    head_.attempts = now_;
    wrote_ = true;
  }
  draw_back();
  return reference::HoldSet{head_.hold};
}

reference::Reply SqlitePartition::apply(const reference::Prune& asked) {
  const std::int64_t limit = asked.limit;
  std::int64_t rows = queries_.prune_exceptions.run(resource_, asked.before, limit);
  rows += queries_.prune_changes.run(resource_, asked.before, head_.change_seq, limit - rows);
  rows += queries_.prune_runs.run(resource_, asked.before, limit - rows);
  rows += queries_.prune_dead.run(resource_, asked.before, limit - rows);
  rows += queries_.prune_payloads.run(resource_, asked.before, limit - rows);
  rows += queries_.prune_ended.run(resource_, asked.before, limit - rows);
  rows += queries_.prune_history.run(resource_, asked.before,
                                     std::min(asked.keep_history, std::uint64_t{INT64_MAX}),
                                     head_.history_seq, limit - rows);
  rows += queries_.prune_nodes.run(resource_, asked.before, limit - rows);
  rows += delete_finished(asked.before, limit - rows);
  if (rows > 0) wrote_ = true;
  return reference::Pruned{static_cast<std::uint64_t>(rows)};
}

std::int64_t SqlitePartition::delete_finished(StoreTime before, std::int64_t limit) {
  std::vector<ScheduleId> finished;
  {
    Rows rows = queries_.finished.with(resource_, before, limit);
    while (rows.next()) finished.push_back({rows.small()});
  }
  for (const ScheduleId id : finished) {
    Schedule schedule = find(id);
    remove(id, schedule, {reference::LogAction::deleted, reference::kRetentionActor, {}});
  }
  return static_cast<std::int64_t>(finished.size());
}

// ---- the ledger's exceptions -----------------------------------------------------------------------------

void SqlitePartition::add_exception(const LedgerRow& row) {
  const StoreTime slot = row.what == Disposition::coalesced ? row.slot : StoreTime{};
  {
    Rows rows = queries_.exception_before.with(resource_, row.schedule, row.version, row.from);
    if (rows.next()) {
      const StoreTime from = rows.time();
      const StoreTime to = rows.time();
      const StoreTime into = rows.time();
      if (to == row.from && into == slot && disposition_of(rows.text()) == row.what) {
        queries_.extend_exception.run(resource_, row.schedule, row.version, from, row.to);
        return;
      }
    }
  }
  queries_.add_exception.run(resource_, row.schedule, row.version, row.from, row.to, slot,
                             tenure::name_of(row.what));
}

std::vector<LedgerRow> SqlitePartition::exceptions() {
  std::vector<LedgerRow> all;
  Rows rows = queries_.exceptions.with(resource_);
  while (rows.next()) {
    LedgerRow& row = all.emplace_back();
    row.schedule = {rows.small()};
    row.version = rows.small();
    row.from = rows.time();
    row.to = rows.time();
    row.slot = rows.time();
    row.what = disposition_of(rows.text());
  }
  return all;
}

}  // namespace tenure::sqlite
