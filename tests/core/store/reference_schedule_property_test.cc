// The laws of the schedules, over drawn histories: clients that edit, delete and trigger; leaders that read, commit
// from fresh and from outdated reads, fire late, coalesce and skip; a store's clock that steps both ways.
//
// At the end everything due is drained, and what became of each slot is compared with a list of slots made by adding
// up from each version's definition, begin and end. The model here follows the replies alone.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/core/store/reference_fixture.h"

namespace tenure::reference::reference_schedule_property_tests {
namespace {

using Op = std::tuple<int, int, int>;
enum Kind : int {
  kWait,
  kStep,
  kPut,
  kEdit,
  kDelete,
  kTrigger,
  kRead,
  kCommit,
  kCommitAgain,
  kAck,
  kHold,
  kElect,
  kPromote,
  kPrune,
  kEnd
};
constexpr std::uint32_t kSchedules = 4;

bool is_single(const LedgerRow& row) { return row.what == Disposition::fired && row.slots == 1; }

rc::Gen<std::vector<Op>> operations() {
  return rc::gen::container<std::vector<Op>>(
      rc::gen::tuple(rc::gen::inRange<int>(0, kEnd), rc::gen::inRange(0, 1'000), rc::gen::inRange(0, 1'000)));
}

Definition definition(int a, int b) {
  // Starts before, amid and after the clock's range, at odd microseconds.
  Definition drawn = every(Duration::millis(500 + a * 7), at(900) + Duration::micros(b * 200'003));
  drawn.paused = b % 10 == 0;
  return drawn;
}

// What replies told of one version.
struct Version {
  Definition definition;
  StoreTime begin;
  StoreTime end = StoreTime::max();
  StoreTime covered_until;
  std::vector<LedgerRow> rows;
  bool drawn_back = false;
  StoreTime cursor() const {
    if (!rows.empty()) return rows.back().to;
    if (drawn_back) return begin;
    return slot_at_or_after(definition, begin).value_or(StoreTime::max());
  }
};
struct ScheduleModel {
  std::vector<Version> versions;
  bool deleted = false;
};

class World {
 public:
  World() { elect(); }

  void run(const Op& op) {
    const auto [kind, a, b] = op;
    switch (kind) {
      case kWait: reference_.now += Duration::millis(a * 10); break;
      case kStep:
        reference_.now = std::max(at(800), reference_.now + Duration::millis((a - 500) * 40));
        break;
      case kPut: put(id(a), definition(b, a)); break;
      case kEdit: put(id(a), definition(b, b)); break;
      case kDelete:
        if (a % 3 == 0) remove(id(b));
        break;
      case kTrigger: trigger(id(a), static_cast<std::uint64_t>(1 + b % 8) + 8 * prunes_); break;
      case kRead: read(); break;
      case kCommit: read(); [[fallthrough]];
      case kCommitAgain: commit(a, b); break;
      case kAck: acknowledge(a, b); break;
      case kHold: hold(a % 2 == 0); break;
      case kElect: elect(); break;
      case kPromote:
        if (a % 4 == 0) reference_.store.promote(++branch_);
        break;
      case kPrune: prune(a); break;
      default: break;
    }
    deliver();
    agrees_with_the_ledger();
  }

  void drain() {
    reference_.now = std::max(reference_.now, at(1'600));
    for (const auto& [schedule, model] : models_) {
      for (const Version& version : model.versions) {
        if (version.end != StoreTime::max()) reference_.now = std::max(reference_.now, version.end);
      }
    }
    elect();
    hold(false);
    for (int round = 0; round < 10'000; ++round) {
      read();
      if (!commit(7, 0)) break;
    }
    deliver();
    agrees_with_the_ledger();
  }

  // No slot is lost, and none is covered twice, by a version that does not own it, or too early.
  void every_slot_is_covered_once() const {
    for (const auto& [schedule, model] : models_) {
      std::set<StoreTime> fired_slots;
      for (std::size_t i = 0; i < model.versions.size(); ++i) {
        const Version& version = model.versions[i];
        if (i > 0) RC_ASSERT(version.begin == model.versions[i - 1].end);
        std::vector<StoreTime> owned;
        const auto& interval = std::get<Interval>(version.definition.recurrence);
        const StoreTime until = std::min(version.end, reference_.now + kMicro);
        for (StoreTime slot = interval.start; slot < until; slot += interval.period) {
          if (slot >= version.begin) owned.push_back(slot);
        }
        for (const StoreTime slot : owned) {
          RC_ASSERT(std::ranges::count_if(version.rows, [&](const LedgerRow& row) {
                      return is_single(row) ? row.slot == slot : row.from <= slot && slot < row.to;
                    }) == 1);
        }
        for (const LedgerRow& row : version.rows) {
          if (row.what != Disposition::fired) continue;
          RC_ASSERT(std::ranges::binary_search(owned, row.slot));
          RC_ASSERT(fired_slots.insert(row.slot).second);
        }
      }
      // The outbox told exactly these, and exactly the runs that were asked for.
      for (const StoreTime slot : fired_slots) RC_ASSERT(told_.contains({schedule, slot, 0}));
    }
    std::size_t fires = 0;
    for (const auto& [schedule, model] : models_) {
      for (const Version& version : model.versions) {
        fires +=
            static_cast<std::size_t>(std::ranges::count(version.rows, Disposition::fired, &LedgerRow::what));
      }
    }
    RC_ASSERT(told_.size() == fires + runs_.size());
  }

  // What is drained is forgotten: only versions in force have a segment.
  void only_what_is_in_force_is_kept() const {
    std::size_t in_force = 0;
    for (const auto& [schedule, model] : models_) in_force += model.deleted ? 0U : 1U;
    RC_ASSERT(reference_.ledger().watermarks.size() == in_force);
  }

 private:
  static ScheduleId id(int a) { return {1 + static_cast<std::uint32_t>(a) % kSchedules}; }

  void put(ScheduleId schedule, const Definition& wanted) {
    ScheduleModel& model = models_[schedule];
    const auto version = static_cast<std::uint32_t>(model.versions.size());
    const std::uint64_t before = reference_.hash();
    const Reply reply = reference_.ask(PutSchedule{kResource, schedule, version, wanted});
    const auto* edited = std::get_if<Edited>(&reply);
    RC_ASSERT((edited == nullptr) == model.deleted);
    if (edited == nullptr) {
      RC_ASSERT(reference_.hash() == before);
      return;
    }
    RC_ASSERT(edited->version == version + 1);
    close(model, edited->since);
    RC_ASSERT(edited->since >= reference_.now);
    model.versions.push_back({wanted, edited->since, StoreTime::max(), {}, {}});
    // The same edit again, as after a lost reply, is the same edit.
    const std::uint64_t after = reference_.hash();
    const Reply again = reference_.ask(PutSchedule{kResource, schedule, version, wanted});
    RC_ASSERT(std::holds_alternative<Edited>(again));
    RC_ASSERT(std::get<Edited>(again).since == edited->since);
    RC_ASSERT(reference_.hash() == after);
  }
  void remove(ScheduleId schedule) {
    ScheduleModel& model = models_[schedule];
    if (model.versions.empty()) {
      models_.erase(schedule);
      return;
    }
    const auto version = static_cast<std::uint32_t>(model.versions.size());
    const Reply reply = reference_.ask(DeleteSchedule{kResource, schedule, version});
    if (model.deleted) return;
    close(model, std::get<Edited>(reply).since);
    model.deleted = true;
    // The store has covered the rest by itself; its ledger says so.
    for (const LedgerRow& row : reference_.ledger().exceptions) {
      if (row.schedule == schedule && row.what == Disposition::deleted)
        model.versions[row.version - 1].rows.push_back(row);
    }
  }
  // An edit takes effect at once, but for what is covered already.
  void close(ScheduleModel& model, StoreTime since) const {
    if (model.versions.empty()) {
      RC_ASSERT(since == reference_.now);
      return;
    }
    RC_ASSERT(since == std::max(reference_.now, covered_until(model)));
    cut(model, since);
  }
  static StoreTime covered_until(const ScheduleModel& model) {
    StoreTime latest;
    for (const Version& version : model.versions) latest = std::max(latest, version.covered_until);
    return latest;
  }
  static void cut(ScheduleModel& model, StoreTime at) {
    for (Version& version : model.versions) {
      version.end = std::min(version.end, at);
      version.begin = std::min(version.begin, at);
    }
  }
  // A version that begins in the future was put there by a clock that has gone back since.
  void draw_back(ScheduleModel& model) const {
    const StoreTime at = std::max(reference_.now, covered_until(model));
    if (model.deleted || model.versions.empty() || model.versions.back().begin <= at) return;
    cut(model, at);
    model.versions.back().end = StoreTime::max();
    model.versions.back().drawn_back = true;
  }
  void trigger(ScheduleId schedule, std::uint64_t run) {
    const auto model = models_.find(schedule);
    const bool there = model != models_.end() && !model->second.versions.empty() && !model->second.deleted;
    const Reply reply = reference_.ask(TriggerSchedule{kResource, schedule, run, reference_.now});
    RC_ASSERT(std::holds_alternative<Edited>(reply) == there);
    if (there) runs_.emplace(schedule, run);
  }

  void read() { read_ = reference_.due(reference_.now + Duration::seconds(4), 50); }

  // Rows as a leader makes them from what it last read. `a` says how far it goes, and whether its idea of the store's
  // clock is ahead; `b` whether it is late.
  bool commit(int a, int b) {
    CommitFires asked{kResource, leader_, token_, {}};
    const StoreTime until = reference_.now + kMicro + Duration::seconds(a % 6 == 5 ? 4 : 0);
    for (const Segment& segment : read_.segments) {
      StoreTime cursor = segment.cursor;
      for (int n = 0; n <= a % 5 && cursor < segment.end; ++n) {
        const auto rows = next_rows(segment, cursor, until, b + n);
        if (rows.empty()) break;
        asked.rows.insert(asked.rows.end(), rows.begin(), rows.end());
        cursor = rows.back().to;
      }
    }
    const std::uint64_t before = reference_.hash();
    const Reply reply = reference_.ask(asked);
    const auto* committed = std::get_if<Committed>(&reply);
    if (committed == nullptr) {
      RC_ASSERT(reference_.hash() == before);
      return false;
    }
    RC_ASSERT(committed->rows.size() == asked.rows.size());
    bool any = false;
    for (std::size_t i = 0; i < asked.rows.size(); ++i) {
      if (committed->rows[i] != RowResult::covered) continue;
      take_in(asked.rows[i]);
      any = true;
    }
    return any;
  }
  std::vector<LedgerRow> next_rows(const Segment& segment, StoreTime cursor, StoreTime until,
                                   int choice) const {
    const Definition& known = models_.at(segment.schedule).versions[segment.version - 1].definition;
    const StoreTime end = std::min(segment.end, until);
    if (cursor >= end) return {};
    const auto slot = slot_at_or_after(known.recurrence, cursor);
    if (!slot || *slot >= end) {
      if (segment.end > end && (slot || segment.end != StoreTime::max())) return {};
      return {{segment.schedule, segment.version, cursor, segment.end, {}, {}, Disposition::missed, 0}};
    }
    const StoreTime last = *slot_before(known.recurrence, end);
    const auto row = [&](StoreTime from, StoreTime to, StoreTime at, Disposition what,
                         std::int64_t slots = 1) {
      return LedgerRow{segment.schedule, segment.version, from, to, at, at, what, slots};
    };
    const auto reach = [&](StoreTime from) {
      return std::min(segment.end, slot_after(known.recurrence, from).value_or(StoreTime::max()));
    };
    if (known.paused) return {row(cursor, end, {}, Disposition::paused)};
    switch (choice % 4) {
      case 0: return {row(cursor, end, {}, Disposition::missed)};
      case 1:
        if (last == *slot) break;
        return {row(cursor, last + kMicro, choice % 8 == 1 ? last : *slot, Disposition::fired,
                    count_slots(known.recurrence, cursor, last + kMicro))};
      default: break;
    }
    return {row(cursor, reach(*slot), *slot, Disposition::fired)};
  }
  void take_in(const LedgerRow& row) {
    Version& version = models_.at(row.schedule).versions[row.version - 1];
    RC_ASSERT(row.from == version.cursor());
    RC_ASSERT(row.to <= version.end);
    RC_ASSERT(!held_);
    version.rows.push_back(row);
    version.covered_until = is_single(row)               ? row.slot + kMicro
                            : row.to == StoreTime::max() ? row.from
                                                         : row.to;
    RC_ASSERT(version.covered_until - kMicro <= reference_.now);
  }

  void hold(bool on) {
    const Reply reply = on ? reference_.ask(SetHold{kResource, leader_, token_, Duration::hours(1)})
                           : reference_.ask(ClearHold{kResource, leader_, token_});
    if (!std::holds_alternative<HoldSet>(reply)) return;
    held_ = on;
    for (auto& [schedule, model] : models_)
      if (!on) draw_back(model);
  }
  // The present leader loses its lease in some way, and the next one is granted it.
  void elect() {
    if (lives_ % 2 == 0) reference_.ask(Release{kResource, leader_, token_});
    leader_ = node(1, ++lives_);
    for (int attempt = 0; attempt < 5; ++attempt) {
      const Reply reply =
          reference_.ask(reference_.acquire_by(leader_, reference_.lease().epoch, Duration::seconds(60)));
      if (const auto* granted = std::get_if<Granted>(&reply)) {
        token_ = granted->token;
        return;
      }
      reference_.now += std::get<Refused>(reply).remaining;
    }
    RC_FAIL("never elected");
  }

  // Reads what is new in the outbox: each event once, in order.
  void deliver() {
    for (const OutboxEvent& event : reference_.outbox(last_seq_).events) {
      RC_ASSERT(event.seq > last_seq_);
      last_seq_ = event.seq;
      RC_ASSERT(told_.emplace(event.id.schedule, event.id.slot, event.id.run).second);
      pending_.push_back(event.id);
    }
  }
  void acknowledge(int a, int b) {
    if (pending_.empty()) return;
    AckEvents asked{kResource, {}};
    for (int n = 0; n <= b % 6 && !pending_.empty(); ++n) {
      const auto at = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(a + n) % pending_.size());
      asked.events.push_back({pending_[static_cast<std::size_t>(at)]});
      pending_.erase(pending_.begin() + at);
    }
    reference_.ask(asked);
    reference_.ask(asked);
    const auto events = reference_.outbox().events;
    RC_ASSERT(events.size() == pending_.size());
    RC_ASSERT(std::ranges::equal(events, pending_, {}, &OutboxEvent::id));
  }
  // Forgets history, manual runs included, whose numbers therefore start afresh; what is needed stays.
  void prune(int a) {
    reference_.ask(Prune{kResource, reference_.now - Duration::millis(a * 10)});
    ++prunes_;
    const auto changes = reference_.changes();
    const auto due = reference_.due(StoreTime::max());
    RC_ASSERT(changes.seq == due.change_seq);
    for (const Segment& segment : due.segments) {
      RC_ASSERT(std::ranges::any_of(changes.changes, [&](const Change& change) {
        return change.segment.schedule == segment.schedule && change.segment.version == segment.version;
      }));
    }
  }

  // The ledger's watermarks and exceptions say what the model says.
  void agrees_with_the_ledger() const {
    const Ledger ledger = reference_.ledger();
    for (const Segment& segment : ledger.watermarks) {
      const Version& version = models_.at(segment.schedule).versions[segment.version - 1];
      RC_ASSERT(segment.begin == version.begin);
      RC_ASSERT(segment.end == version.end);
      RC_ASSERT(segment.cursor == version.cursor());
    }
    std::map<std::pair<ScheduleId, std::uint32_t>, Duration> kept;
    for (const LedgerRow& row : ledger.exceptions) kept[{row.schedule, row.version}] += row.to - row.from;
    for (const auto& [schedule, model] : models_) {
      for (std::size_t i = 0; i < model.versions.size(); ++i) {
        Duration told;
        for (const LedgerRow& row : model.versions[i].rows) {
          if (!is_single(row) && row.to != StoreTime::max()) told += row.to - row.from;
          if (row.what == Disposition::fired && row.slots > 1) told -= kMicro;
        }
        const auto found = kept.find({schedule, static_cast<std::uint32_t>(i + 1)});
        const Duration here = found == kept.end() ? Duration{} : found->second;
        RC_ASSERT(here == told || (prunes_ > 0 && here < told));
      }
    }
  }

  ReferenceFixture reference_;
  std::map<ScheduleId, ScheduleModel> models_;
  std::set<std::pair<ScheduleId, std::uint64_t>> runs_;
  std::set<std::tuple<ScheduleId, StoreTime, std::uint64_t>> told_;
  std::vector<EventId> pending_;
  std::uint64_t last_seq_ = 0;
  Due read_;
  Incarnation leader_;
  Token token_;
  bool held_ = false;
  std::uint32_t lives_ = 0;
  std::uint64_t prunes_ = 0;
  std::uint32_t branch_ = 1;
};

RC_GTEST_PROP(ReferenceScheduleProperty, covers_each_slot_once_whatever_edits_and_clocks_do, ()) {
  World world;
  for (const Op& op : *operations()) world.run(op);
  world.drain();
  world.every_slot_is_covered_once();
  world.only_what_is_in_force_is_kept();
}

}  // namespace
}  // namespace tenure::reference::reference_schedule_property_tests
