#include "tests/judge/ledger.h"

#include <algorithm>

#include "sim/stores/schedule_table/requests.h"
#include "tests/judge/slots.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {

namespace {

std::vector<Lost> lost_stretches(const History& history) {
  std::vector<Lost> all;
  bool stands_still = false;
  std::size_t stalled = 0;
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Fact& fact = history.facts[place].fact;
    if (std::holds_alternative<sim::StoreReplicaStalled>(fact)) {
      stands_still = true;
      stalled = place;
    }
    if (const auto* failed = std::get_if<sim::StoreFailedOver>(&fact); failed != nullptr && stands_still) {
      all.push_back({stalled, place, failed->branch});
      stands_still = false;
    }
  }
  return all;
}

}  // namespace

ScheduleHistory::ScheduleHistory(const History& history) : lost_(lost_stretches(history)) {
  for (std::size_t place = 0; place < history.facts.size(); ++place)
    if (const auto* applied = std::get_if<KeptApplied>(&history.facts[place].fact))
      see(place, *applied, history.facts[place].at);
}

void ScheduleHistory::see(std::size_t place, const KeptApplied& applied, sim::TrueTime at) {
  if (const auto* plain = message_as<schedule_table::Request>(applied.request)) {
    if (const auto* put = std::get_if<schedule_table::PutRow>(plain))
      edits_[put->schedule].push_back({place, put->schedule, false, 0, applied.store_now, put->definition});
    if (const auto* removal = std::get_if<schedule_table::DeleteRow>(plain))
      edits_[removal->schedule].push_back({place, removal->schedule, true, 0, applied.store_now, {}});
    return;
  }
  if (const auto* edited = as_reference<reference::Edited>(applied.reply))
    see_edited(place, applied, *edited, at);
  if (const auto* edited = as_reference<reference::NamedEdited>(applied.reply))
    see_named(place, applied, *edited);
  if (as_reference<reference::ClearHold>(applied.request) && as_reference<reference::HoldSet>(applied.reply))
    clears_.push_back({place, applied.store_now});
  const auto* commit = as_reference<reference::CommitFires>(applied.request);
  const auto* committed = as_reference<reference::Committed>(applied.reply);
  if (commit == nullptr || committed == nullptr) return;
  for (std::size_t i = 0; i < commit->rows.size(); ++i) {
    reference::LedgerRow row = commit->rows[i];
    if (committed->rows[i] == reference::RowResult::overlapped)
      row.what = reference::Disposition::overlapped;  // by the store, which knows what others work on
    else if (committed->rows[i] != reference::RowResult::covered)
      continue;
    rows_.push_back({place, at, applied.store_now, applied.who, row});
  }
}

// Scenarios have no others by name: a payload for a schedule that was put just before. Whether that is paused stays.
void ScheduleHistory::see_named(std::size_t place, const KeptApplied& applied,
                                const reference::NamedEdited& edited) {
  const auto* put = as_reference<reference::PutNamed>(applied.request);
  if (put == nullptr) return;
  std::vector<Edit>& edits = edits_[edited.edition.schedule];
  Definition definition = put->definition;
  definition.paused = !edits.empty() && edits.back().definition.paused;
  edits.push_back({place, edited.edition.schedule, false, edited.edition.version, edited.since, definition});
}

void ScheduleHistory::see_edited(std::size_t place, const KeptApplied& applied,
                                 const reference::Edited& edited, sim::TrueTime at) {
  const auto late = [&](ScheduleId schedule) {
    if (is_deleted(schedule, place)) late_.push_back({at, applied.who});
  };
  if (const auto* put = as_reference<reference::PutSchedule>(applied.request)) {
    late(put->schedule);
    edits_[put->schedule].push_back(
        {place, put->schedule, false, edited.version, edited.since, put->definition});
  }
  if (const auto* removal = as_reference<reference::DeleteSchedule>(applied.request))
    edits_[removal->schedule].push_back({place, removal->schedule, true, edited.version, edited.since, {}});
  if (const auto* trigger = as_reference<reference::TriggerSchedule>(applied.request)) {
    late(trigger->schedule);
    manual_.push_back({place, {trigger->schedule, trigger->at, trigger->run}, true});
  }
  if (const auto* backfill = as_reference<reference::BackfillSchedule>(applied.request)) {
    late(backfill->schedule);
    for (const StoreTime slot : backfill->slots)
      manual_.push_back({place, {backfill->schedule, slot, backfill->run}, false});
  }
}

bool ScheduleHistory::is_deleted(ScheduleId schedule, std::size_t place) const {
  const std::vector<Version> all = versions(schedule, place);
  return !all.empty() && all.back().deleted;
}

namespace {

// No version reaches beyond `at`; one that was to begin later never was in force.
void cut(std::vector<Version>& all, StoreTime at) {
  for (Version& version : all) {
    version.end = std::min(version.end, at);
    version.begin = std::min(version.begin, at);
  }
}

}  // namespace

void ScheduleHistory::draw_back(ScheduleId schedule, const Clear& clear, std::size_t place,
                                std::vector<Version>& all) const {
  if (!holds(clear.place, place) || all.empty() || all.back().deleted || all.back().number == 0) return;
  StoreTime at = clear.store_now;
  for (const LedgerRow& row : rows_) {
    if (row.row.schedule != schedule || row.place > clear.place || !holds(row.place, place)) continue;
    at = std::max(at, covered_until(row));
  }
  if (all.back().begin <= at) return;
  cut(all, at);
  all.back().end = StoreTime::max();
}

std::vector<Version> ScheduleHistory::versions(ScheduleId schedule, std::size_t place) const {
  std::vector<Version> all;
  const auto edits = edits_.find(schedule);
  if (edits == edits_.end()) return all;
  auto clear = clears_.begin();
  const auto take_clears_until = [&](std::size_t end) {
    for (; clear != clears_.end() && clear->place < end; ++clear) draw_back(schedule, *clear, place, all);
  };
  for (const Edit& edit : edits->second) {
    take_clears_until(edit.place);
    if (!holds(edit.place, place)) continue;
    const bool open = !all.empty() && !all.back().deleted;
    // Asked for again: the same answer, and no change.
    if (!edit.removal && edit.version != 0 && !all.empty() && all.back().number == edit.version) continue;
    if (edit.removal && !open) continue;
    if (open && edit.version != 0) cut(all, edit.since);
    if (open) all.back().end = edit.since;
    if (edit.removal) {
      all.back().deleted = true;
      all.back().deleted_at = edit.place;
    } else {
      const auto number = edit.version != 0 ? edit.version : static_cast<std::uint32_t>(all.size() + 1);
      all.push_back({schedule, number, edit.definition, edit.since});
    }
  }
  take_clears_until(place + 1);
  return all;
}

std::optional<Version> ScheduleHistory::version_of(const LedgerRow& row) const {
  for (const Version& version : versions(row.row.schedule, row.place))
    if (version.number == row.row.version) return version;
  return std::nullopt;
}

bool ScheduleHistory::holds(std::size_t place, std::size_t from) const {
  return place <= from && std::none_of(lost_.begin(), lost_.end(), [&](const Lost& lost) {
           return lost.stalled < place && place < lost.failed_over && lost.failed_over <= from;
         });
}

std::size_t ScheduleHistory::horizon_of(const std::optional<Token>& token, std::size_t place) const {
  for (const Lost& lost : lost_)
    if (token && lost.failed_over <= place && token->branch < lost.branch) return lost.failed_over - 1;
  return place;
}

std::vector<ScheduleId> ScheduleHistory::ids() const {
  std::vector<ScheduleId> all;
  for (const auto& [schedule, edits] : edits_) all.push_back(schedule);
  return all;
}

StoreTime covered_until(const LedgerRow& row) {
  if (row.row.slots == 1 && row.row.slot >= row.row.from) return row.row.slot + Duration::micros(1);
  return row.row.to == StoreTime::max() ? row.row.from : row.row.to;
}

std::vector<StoreTime> slots_of(const LedgerRow& row, const Version& version) {
  if (row.row.what == reference::Disposition::fired && row.row.slots == 1) return {row.row.slot};
  if (row.row.to == StoreTime::max()) {
    const auto first = slot_at_or_after(version.definition, std::max(row.row.from, version.begin));
    return first && *first < version.end ? std::vector{*first} : std::vector<StoreTime>{};
  }
  return slots_between(version.definition, std::max(row.row.from, version.begin),
                       std::min(row.row.to, version.end));
}

bool is_of_unread(const History& history, const LedgerRow& row) {
  if (row.row.what != reference::Disposition::missed || row.row.slots != 0) return false;
  if (row.row.to == StoreTime::max()) return false;  // that nothing is left, it cannot know
  bool readable = true;
  const std::size_t decided = decided_at(history, row.place);
  for (std::size_t place = 0; place <= decided; ++place) {
    const auto* read = std::get_if<sim::DefinitionRead>(&history.facts[place].fact);
    if (read != nullptr && read->node == row.who.node && read->schedule == row.row.schedule)
      readable = read->readable;
  }
  return !readable;
}

std::size_t decided_at(const History& history, std::size_t commit) {
  const auto& applied = std::get<KeptApplied>(history.facts[commit].fact);
  for (std::size_t place = commit; place-- > 0;) {
    const auto* submitted = std::get_if<KeptSubmission>(&history.facts[place].fact);
    if (submitted != nullptr && submitted->id == applied.id) return place;
  }
  return commit;
}

}  // namespace tenure::judging
