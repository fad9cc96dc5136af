#include "core/store/reference/history.h"

#include "core/base/check.h"

namespace tenure::reference {

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

void HistoryLog::hash(Hasher& hasher) const {
  if (!keeps_) return;
  hasher.add(last_).add(rows_.size());
  for (const HistoryRow& row : rows_) {
    hasher.add(row.seq).add(row.schedule).add(row.version).add(row.what).add(row.slot).add(row.run);
    hasher.add(row.from).add(row.to).add(row.slots).add(row.at);
  }
}

}  // namespace tenure::reference
