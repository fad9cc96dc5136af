#include "core/store/reference/row_tables.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"
#include "core/store/reference/prune.h"

namespace tenure::reference {

Schedule* ScheduleIndex::find(ScheduleId id) {
  const auto found = rows_.find(id);
  return found == rows_.end() ? nullptr : &found->second;
}

Schedule* ScheduleIndex::find(const std::string& name) {
  if (const auto given = names_.find(name); given != names_.end()) return find(given->second);
  // Of a schedule that was put by number, if there is one with exactly these digits.
  if (name.empty() || name.size() > 10) return nullptr;
  std::uint64_t number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return nullptr;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (number > UINT32_MAX) return nullptr;
  Schedule* const found = find(ScheduleId{static_cast<std::uint32_t>(number)});
  return found != nullptr && !found->deleted && found->called() == name ? found : nullptr;
}

Schedule* ScheduleIndex::add(ScheduleId id, const std::string& name) {
  if (!name.empty()) names_.emplace(name, id);
  Schedule& schedule = rows_[id];
  schedule.id = id;
  schedule.name = name;
  return &schedule;
}

void ScheduleIndex::save(const Schedule& schedule) {
  if (schedule.deleted) names_.erase(schedule.name);
}

std::optional<ManualRun> RunTable::find_or_add(const ManualRun& run) {
  const auto [known, is_new] = rows_.try_emplace({run.schedule, run.run}, run);
  return is_new ? std::nullopt : std::optional(known->second);
}

std::uint64_t RunTable::prune(StoreTime before, std::uint64_t limit) {
  return prune_earliest(rows_, limit, [&](const auto&, const ManualRun& run) {
    return run.committed < before ? std::optional(run.committed) : std::nullopt;
  });
}

void ExceptionTable::add(const LedgerRow& row) {
  CHECK(row.what != Disposition::fired, "the watermark speaks for fires");
  const SegmentKey segment{row.schedule, row.version};
  const StoreTime slot = row.what == Disposition::coalesced ? row.slot : StoreTime{};
  const auto next = rows_.upper_bound({segment, row.from});
  if (next != rows_.begin()) {
    auto& [key, previous] = *std::prev(next);
    if (key.segment == segment && previous.to == row.from && previous.what == row.what &&
        previous.slot == slot) {
      previous.to = row.to;
      return;
    }
  }
  rows_.emplace_hint(next, Key{segment, row.from}, StoredRow{row.to, slot, row.what});
}

std::uint64_t ExceptionTable::prune(StoreTime before, std::uint64_t limit) {
  return prune_before(rows_, before, limit, [](const StoredRow& row) { return row.to; });
}

std::vector<LedgerRow> ExceptionTable::all() const {
  std::vector<LedgerRow> rows;
  rows.reserve(rows_.size());
  for (const auto& [key, row] : rows_) {
    rows.push_back({.schedule = key.segment.schedule,
                    .version = key.segment.version,
                    .from = key.from,
                    .to = row.to,
                    .slot = row.slot,
                    .what = row.what});
  }
  return rows;
}

namespace {
constexpr auto kSeqOfRecord = [](const auto& record) { return record.change.seq; };
}

std::uint64_t ChangeLog::append(Change change, LogNote note, std::uint64_t) {
  change.seq = ++last_;
  const StoreTime end = change.segment.end;
  records_.push_back({std::move(change), end, std::move(note)});
  return last_;
}

std::size_t ChangeLog::place_of(std::uint64_t seq) const {
  const auto it = std::ranges::lower_bound(records_, seq, {}, kSeqOfRecord);
  CHECK(it != records_.end() && it->change.seq == seq, "the change of the version in force is kept");
  return static_cast<std::size_t>(it - records_.begin());
}

void ChangeLog::close(std::uint64_t seq, StoreTime end) { records_[place_of(seq)].end = end; }

const Definition& ChangeLog::definition_of(std::uint64_t seq) const {
  return records_[place_of(seq)].change.definition;
}

void ChangeLog::read(const ChangesSince& asked, Changes& changes) const {
  changes.seq = asked.seq;
  for (auto it = std::ranges::upper_bound(records_, asked.seq, {}, kSeqOfRecord); it != records_.end();
       ++it) {
    if (changes.changes.size() >= asked.limit) {
      changes.more = true;
      return;
    }
    changes.changes.push_back(it->change);
    changes.seq = it->change.seq;
  }
}

void ChangeLog::read(const ReadLog& asked, Log& log) const {
  for (auto it = std::ranges::upper_bound(records_, asked.after, {}, kSeqOfRecord); it != records_.end();
       ++it) {
    if (log.entries.size() >= asked.limit) {
      log.more = true;
      return;
    }
    const Segment& segment = it->change.segment;
    log.entries.push_back({.seq = it->change.seq,
                           .name = {},
                           .edition = {segment.schedule, segment.version},
                           .what = it->change.deleted ? LogAction::deleted : it->note.what,
                           .actor = it->note.actor,
                           .why = it->note.why,
                           .at = segment.begin});
  }
}

std::uint64_t ChangeLog::prune(StoreTime before, std::uint64_t limit, const SegmentTable& live) {
  std::vector<std::pair<StoreTime, std::uint64_t>> ended;
  for (const Record& record : records_) {
    const Segment& segment = record.change.segment;
    if (record.end <= before && record.change.seq != last_ &&
        !live.contains({segment.schedule, segment.version}))
      ended.emplace_back(record.end, record.change.seq);
  }
  std::sort(ended.begin(), ended.end());
  if (ended.size() > limit) ended.resize(static_cast<std::size_t>(limit));
  if (ended.empty()) return 0;
  return std::erase_if(records_, [&](const Record& record) {
    return std::binary_search(ended.begin(), ended.end(), std::pair(record.end, record.change.seq));
  });
}

PayloadTable::Map::const_iterator PayloadTable::row_of(SegmentKey key) const {
  auto it = rows_.upper_bound(key);
  if (it == rows_.begin()) return rows_.end();
  --it;
  const bool speaks = it->first.schedule == key.schedule && key.version <= it->second.last;
  return speaks ? it : rows_.end();
}

const Payload& PayloadTable::find(SegmentKey key) const {
  static const Payload kNone;
  const auto it = row_of(key);
  return it == rows_.end() ? kNone : it->second.payload;
}

void PayloadTable::put(SegmentKey key, const Payload& payload, StoreTime at) {
  if (find(key) == payload) return;
  if (key.version > 1) close({key.schedule, key.version - 1}, at);
  if (payload != Payload{}) rows_.emplace(key, PayloadRow{.payload = payload});
}

void PayloadTable::close(SegmentKey key, StoreTime at) {
  const auto it = row_of(key);
  if (it == rows_.end() || it->second.last != UINT32_MAX) return;
  PayloadRow& row = rows_.at(it->first);
  row.last = key.version;
  row.ended = at;
}

std::uint64_t PayloadTable::prune(StoreTime before, std::uint64_t limit, const SegmentTable& live,
                                  const OutboxQueue& outbox, const WaitingTable& waiting) {
  return prune_earliest(rows_, limit, [&](SegmentKey key, const PayloadRow& row) {
    const bool is_old = row.last != UINT32_MAX && row.ended <= before && !live.contains_any(key, row.last) &&
                        !outbox.needs(key.schedule, key.version, row.last) &&
                        !waiting.needs(key.schedule, key.version, row.last);
    return is_old ? std::optional(row.ended) : std::nullopt;
  });
}

void HistoryLog::append(HistoryRow row) {
  if (!keeps_) return;
  row.seq = ++last_;
  rows_.push_back(row);
}

void HistoryLog::read(const ReadHistory& asked, HistoryPage& page) const {
  CHECK(keeps_, "this machine was made without a history");
  page.last = last_;
  page.forgotten = last_ - rows_.size();
  const auto take = [&](const HistoryRow& row) {
    if (asked.schedule && row.schedule != *asked.schedule) return true;
    page.more = page.rows.size() >= asked.limit;
    if (!page.more) page.rows.push_back(row);
    return !page.more;
  };
  if (asked.newest_first) {
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row)
      if ((asked.after == 0 || row->seq < asked.after) && !take(*row)) return;
  } else {
    for (const HistoryRow& row : rows_)
      if (row.seq > asked.after && !take(row)) return;
  }
}

std::uint64_t HistoryLog::prune(StoreTime before, std::uint64_t keep, std::uint64_t limit) {
  std::uint64_t forgotten = 0;
  while (!rows_.empty() && forgotten < limit && (rows_.front().at <= before || rows_.size() > keep)) {
    rows_.pop_front();
    ++forgotten;
  }
  return forgotten;
}

NodeRegistered NodeTable::add(const RegisterNode& asked, StoreTime now) {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const auto& known) { return known.second.key == asked.key; });
  if (found != nodes_.end()) {
    found->second.node.name = asked.name;
    found->second.node.seen = now;
    return {found->first};
  }
  CHECK(next_ != UINT32_MAX, "four billion instances have registered");
  const NodeId node{next_++};
  nodes_.emplace(node, Known{asked.key, {node, asked.name, now, now}});
  return {node};
}

RegisteredNodes NodeTable::all() const {
  RegisteredNodes all;
  for (const auto& [id, known] : nodes_) all.nodes.push_back(known.node);
  return all;
}

std::uint64_t NodeTable::prune(StoreTime before, std::uint64_t limit) {
  return prune_before(nodes_, before, limit, [](const Known& known) { return known.node.seen; });
}

}  // namespace tenure::reference
