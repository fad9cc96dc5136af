// After the heal, what is due gets done: when the run is over, nothing is waiting that was due a while before. What was
// due within the last ten seconds, or the last half of a shorter tail, may be on its way. What a pause suppresses
// is written down now and then, and wanted up to the heal alone. A gap behind what was done is no-lost-fire's.
#include <algorithm>

#include "core/model/describe.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"
#include "tests/judge/slots.h"
#include "tests/judge/work.h"

namespace tenure::judging {
namespace {

constexpr Duration kOnItsWay = Duration::seconds(10);

// How far a version was handled: nothing before this time waits any more.
StoreTime handled_up_to(const Version& version, const Book& book,
                        const std::map<reference::EventId, sim::TrueTime>& begun, bool ledger,
                        std::size_t last) {
  StoreTime handled = version.begin;
  if (ledger) {
    for (const LedgerRow& row : book.rows())
      if (row.row.schedule == version.schedule && row.row.version == version.number &&
          book.holds(row.place, last))
        handled = std::max(handled, row.row.to);
  } else {
    for (const auto& [event, at] : begun)
      if (event.schedule == version.schedule && event.run == 0 && event.slot < version.end)
        handled = std::max(handled, event.slot + Duration::micros(1));
  }
  return handled;
}

}  // namespace

std::vector<Wrong> caught_up(const Case& run) {
  const Book book(run.history);
  const auto begun = begun_work(run.history);
  const std::vector<InHand> in_hand = work_in_hand(run.history);
  const bool ledger = run.scenario.scheduler->keeps_ledger;
  const std::size_t last = run.history.facts.size();
  const Duration allowance = std::min(kOnItsWay, run.scenario.tail / 2);
  if (ledger && waits_for_workers(run, allowance)) return {};
  const StoreTime limit = run.history.end_store - allowance;
  StoreTime healed;
  for (const Kept& kept : run.history.facts)
    if (std::holds_alternative<sim::Healed>(kept.fact)) healed = kept.store_now;

  std::vector<Wrong> wrongs;
  for (const ScheduleId schedule : book.schedules()) {
    for (const Version& version : book.versions(schedule, last)) {
      if (version.deleted || book.versions(schedule, last).back().deleted) continue;
      if (waits_for_work(in_hand, version, run.history.end)) continue;
      if (!ledger && (version.definition.paused || version.end != StoreTime::max())) continue;
      const StoreTime wanted = version.definition.paused ? std::min(healed, limit) : limit;
      for (const StoreTime slot :
           slots_between(version.definition, handled_up_to(version, book, begun, ledger, last),
                         std::min(version.end, wanted + Duration::micros(1))))
        if (due_of(version.definition, schedule, slot) <= wanted)
          wrongs.push_back({run.history.end, describe(slot) + " was due and waits"});
    }
  }
  for (const LedgerRow& row : book.rows())
    if (row.row.what == reference::Disposition::fired && row.at <= run.history.end - allowance &&
        book.holds(row.place, last) && begun.count({row.row.schedule, row.row.slot, 0}) == 0)
      wrongs.push_back({run.history.end, describe(row.row.slot) + " was committed and is still on its way"});
  return wrongs;
}

}  // namespace tenure::judging
