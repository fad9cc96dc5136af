#include "lab/audit/row_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/model/describe.h"
#include "sim/checkers/names.h"
#include "sim/checkers/oracle/row_rules.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/event_lifecycle.h"
#include "sim/checkers/trackers/event_rules.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/store_clock_tracker.h"

namespace tenure::lab {
namespace {

using reference::Disposition;

class RowsAllowed final : public sim::Checker {
 public:
  RowsAllowed(const sim::CheckerSetup& setup, const std::map<RequestId, StoreTime>& heard)
      : names_(setup.scenario, setup.nodes),
        heard_(heard),
        clock_(setup.view, kReading),
        work_(setup.scenario, rules_, true) {}

  void see(sim::TrueTime now, const sim::Record& record) override {
    clock_.see(now, record);
    rules_.see(record);
    work_.see(now, record);
    const auto* applied = std::get_if<sim::Applied>(&record);
    if (applied == nullptr) return;
    tracker_.see(*applied);
    sim::for_each_covered(*applied, [&](const reference::LedgerRow& row) { judge(now, *applied, row); });
    judge_what_the_store_says(now, *applied);
  }

 private:
  // The fire of a version that was committed last: how far its row went, by when it was decided on, and the commit.
  struct LastFire {
    StoreTime to = StoreTime::min();
    StoreTime decided;
    std::optional<RequestId> commit = {};
  };

  void judge(sim::TrueTime now, const sim::Applied& applied, const reference::LedgerRow& row) {
    const sim::ScheduleVersion* version = tracker_.cover(row);
    if (version == nullptr) return;
    examined();
    const auto heard = heard_.find(applied.id);
    const StoreTime earliest = heard != heard_.end() ? heard->second : applied.store_now - kBehind;
    const Duration ahead = clock_.reader_ahead(kBehind) + kReading;
    sim::RowReading reading{earliest - clock_.reader_behind(kBehind) - kReading, applied.store_now + ahead,
                            ahead};
    LastFire& last = last_fires_[version->index];
    if (last.to == row.from) reading.follows_fire = last.decided;
    reading.with_fire = last.commit == applied.id;
    reading.store_judges = rules_.of(row.schedule, row.version) != nullptr;
    if (row.what == Disposition::fired) last = {row.to, reading.latest, applied.id};
    auto wrong = sim::wrong_row(applied.who, row, *version, reading, work_, clock_);
    if (!wrong) wrong = early(row, *version, applied.store_now);
    if (!wrong) wrong = reaching(row, *version);
    if (!wrong && row.what == Disposition::overlapped && version->overlap == Overlap::replace)
      wrong = sim::WrongRow{row.from, "which its definition does not allow"};
    if (!wrong) return;
    blame(now, applied, row, *wrong);
  }

  // Of events that others deliver, the leader does not say which overlap.
  void judge_what_the_store_says(sim::TrueTime now, const sim::Applied& applied) {
    const auto* commit = sim::reference_request<reference::CommitFires>(applied.request);
    if (commit == nullptr) return;
    for (const reference::LedgerRow& row : commit->rows)
      if (row.what == Disposition::overlapped && rules_.of(row.schedule, row.version) != nullptr)
        blame(now, applied, row, {row.from, "which is the store's to say"});
  }

  void blame(sim::TrueTime now, const sim::Applied& applied, const reference::LedgerRow& row,
             const sim::WrongRow& wrong) {
    const bool fires = row.what == Disposition::fired;
    const std::string said = fires && row.slots == 1 ? std::string("fired")
                             : fires                 ? std::string("coalesced")
                                     : fmt::format("recorded as {}", tenure::name_of(row.what));
    violate(now, {applied.who}, {row.schedule},
            fmt::format("{} was {} by {} at {}, {}", names_.slot(row.schedule, wrong.slot), said,
                        names_.who(applied.who), sim::time_text(now), wrong.why));
  }

  // A row speaks of its last slot when that is due; a pause is recorded as slots come.
  static std::optional<sim::WrongRow> early(const reference::LedgerRow& row,
                                            const sim::ScheduleVersion& version, StoreTime now) {
    const bool single = row.what == Disposition::fired && row.slots == 1;
    const auto last = single ? std::optional(row.slot) : version.slots.before(row.to);
    if (row.what == Disposition::paused || !last || *last < row.from || version.due(*last) <= now)
      return std::nullopt;
    return sim::WrongRow{*last, fmt::format("{} before it was due", describe(version.due(*last) - now))};
  }

  static std::optional<sim::WrongRow> reaching(const reference::LedgerRow& row,
                                               const sim::ScheduleVersion& version) {
    const bool single = row.what == Disposition::fired && row.slots == 1;
    if (!single || !version.slots.has(row.slot) || version.slots.has_only(row.slot, row.from, row.to))
      return std::nullopt;
    return sim::WrongRow{row.slot, "in a row that reaches over other slots"};
  }

  // A leader's reading of the store's clock is off by drift since the last reply. For steps it may be as old as this.
  static constexpr Duration kReading = Duration::seconds(1);
  static constexpr Duration kBehind = Duration::seconds(60);

  sim::Names names_;
  const std::map<RequestId, StoreTime>& heard_;
  sim::StoreClockTracker clock_;
  sim::EventRules rules_;
  sim::EventLifecycle work_;
  sim::ScheduleTracker tracker_;
  std::map<std::uint32_t, LastFire> last_fires_;
};

}  // namespace

constinit const sim::CheckerKind kRowsAllowed = {
    .name = "rows-allowed",
    .summary = "each row of the ledger says of its slots what the definition allows",
    .when = sim::CheckerKind::When::always,
    .damage = sim::Damage::lost_fires,
    .not_applicable = [](const sim::Scenario&) -> const char* { return nullptr; },
    .make = nullptr,
};

std::unique_ptr<sim::Checker> make_rows_allowed(const sim::CheckerSetup& setup,
                                                const std::map<RequestId, StoreTime>& heard) {
  return std::make_unique<RowsAllowed>(setup, heard);
}

}  // namespace tenure::lab
