// What the leader writes: fires, holds, acknowledgements, and the end of retention.
#include <sqlite3.h>

#include <array>
#include <string_view>

#include "adapters/sqlite/partition.h"
#include "core/base/check.h"
#include "core/store/reference/ledger.h"
#include "core/store/reference/outbox.h"
#include "core/store/reference/segments.h"

namespace tenure::sqlite {
namespace {

using reference::CommitRefused;
using reference::Disposition;
using reference::LedgerRow;
using reference::RowResult;

// In the order of the enumeration.
constexpr std::array<std::string_view, 7> kWords = {"fired",      "coalesced", "missed",  "paused",
                                                    "overlapped", "deleted",   "replaced"};

std::string_view word_of(Disposition what) { return kWords.at(static_cast<std::size_t>(what)); }

Disposition disposition_of(std::string_view word) {
  for (std::size_t i = 0; i < kWords.size(); ++i)
    if (kWords[i] == word) return static_cast<Disposition>(i);
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
    const RowResult result = cover(row);
    committed.rows.push_back(result);
    if (result != RowResult::covered) continue;
    wrote_ = true;
    if (row.what == Disposition::fired) {
      add_event({.schedule = row.schedule, .slot = row.slot, .run = 0}, row.version);
      if (row.slots > 1)
        for (const LedgerRow& rest : reference::coalesced_around(row)) add_exception(rest);
    } else {
      add_exception(row);
    }
  }
  return committed;
}

// The common case, a row in the middle of a segment, is one statement; only where that finds nothing is the segment
// looked at, for its end or for what to say.
RowResult SqlitePartition::cover(const LedgerRow& asked) {
  reference::check_well_formed(asked);
  const StoreTime covered = reference::covered_end(asked);
  const bool due = reference::is_due(asked, now_);
  if (due && queries_.advance.run(resource_, asked.schedule, asked.version, asked.from, asked.to, covered,
                                  StoreTime::max()) == 1)
    return RowResult::covered;

  Rows rows = queries_.segment.with(resource_, asked.schedule, asked.version);
  if (!rows.next()) return RowResult::no_segment;
  rows.integer();
  rows.integer();
  rows.time();
  const StoreTime end = rows.time();
  const StoreTime cursor = rows.time();
  if (cursor != asked.from || end < asked.to) return RowResult::moved;
  if (!due) return RowResult::not_due;
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
  head_.hold.reset();
  draw_back();
  return reference::HoldSet{head_.hold};
}

reference::Reply SqlitePartition::apply(const reference::AckEvents& asked) {
  for (const reference::EventId& id : asked.events)
    if (queries_.acknowledge.run(resource_, id.slot, id.schedule, id.run) > 0) wrote_ = true;
  return reference::Acknowledged{};
}

reference::Reply SqlitePartition::apply(const reference::GiveUpEvents& asked) {
  for (const reference::DeadEvent& dead : asked.events) reference::check_well_formed(dead);
  if (const auto why = head_.lease.denial(asked.holder, asked.token, branch_, now_))
    return CommitRefused{.why = *why, .held = false};
  for (const reference::DeadEvent& dead : asked.events) {
    const reference::EventId& id = dead.id;
    if (queries_.add_dead.run(resource_, id.slot, id.schedule, id.run, dead.attempts, now_) == 0) continue;
    queries_.acknowledge.run(resource_, id.slot, id.schedule, id.run);
    wrote_ = true;
  }
  return reference::GivenUp{};
}

reference::Reply SqlitePartition::apply(const reference::Redrive& asked) {
  reference::Redriven redriven;
  for (const reference::EventId& id : asked.events) {
    std::uint32_t version = 0;
    {
      Rows rows = queries_.dead_version.with(resource_, id.slot, id.schedule, id.run);
      if (!rows.next()) continue;
      version = rows.small();
    }
    queries_.redrive.run(resource_, id.slot, id.schedule, id.run);
    add_event(id, version);
    ++redriven.events;
    wrote_ = true;
  }
  return redriven;
}

reference::Reply SqlitePartition::apply(const reference::Prune& asked) {
  const std::int64_t limit = asked.limit;
  std::int64_t rows = queries_.prune_exceptions.run(resource_, asked.before, limit);
  rows += queries_.prune_changes.run(resource_, asked.before, head_.change_seq, limit - rows);
  rows += queries_.prune_runs.run(resource_, asked.before, limit - rows);
  rows += queries_.prune_dead.run(resource_, asked.before, limit - rows);
  rows += queries_.prune_payloads.run(resource_, asked.before, limit - rows);
  if (rows > 0) wrote_ = true;
  return reference::Pruned{static_cast<std::uint64_t>(rows)};
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
  queries_.add_exception.run(resource_, row.schedule, row.version, row.from, row.to, slot, word_of(row.what));
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
