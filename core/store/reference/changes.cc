#include "core/store/reference/changes.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace tenure::reference {

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

void ChangeLog::hash(Hasher& hasher) const {
  hasher.add(last_).add(records_.size());
  for (const Record& record : records_) {
    const Segment& segment = record.change.segment;
    hasher.add(record.change.seq).add(segment.schedule).add(segment.version);
    hasher.add(segment.begin).add(segment.end).add(segment.cursor);
    add(hasher, record.change.definition);
    hasher.add(record.change.deleted).add(record.end);
    const auto& [what, actor, why] = record.note;
    hasher.add(what).add(actor).add(why);
  }
}

}  // namespace tenure::reference
