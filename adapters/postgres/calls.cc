#include "adapters/postgres/calls.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "adapters/store/slot_search.h"
#include "core/base/check.h"
#include "core/journal/definition_codec.h"
#include "core/store/reference/outbox.h"
#include "core/store/reference/segments.h"

namespace tenure::postgres {
namespace {

// Numbers that clients bring have no sign, and none that was given out is so large.
std::int64_t after(std::uint64_t seq) {
  return static_cast<std::int64_t>(std::min(seq, std::uint64_t{INT64_MAX}));
}

// One more than is asked for, to see whether there is more.
std::int64_t one_more(std::uint32_t limit) { return std::int64_t{limit} + 1; }

void check_duration(Duration duration) {
  CHECK(duration >= Duration::micros(1), "a lease lasts for a microsecond at least");
}

// From when on is a row due?
StoreTime ready(const reference::LedgerRow& row) {
  return std::max(reference::covered_end(row) - Duration::micros(1), row.due);
}

// Nothing was missed, and no other slot is a part of it.
bool is_one_fire(const reference::LedgerRow& row) {
  return row.what == reference::Disposition::fired && row.slots == 1;
}

// A row as tenure.commit_fires takes it.
struct CommittedRow {
  ScheduleId schedule;
  std::uint32_t version = 0;
  StoreTime from;
  StoreTime to;
  StoreTime slot;
  StoreTime covered;
  StoreTime ready;
  reference::Disposition what = reference::Disposition::fired;
  std::int64_t slots = 0;
};
TENURE_FIELDS(CommittedRow, schedule, version, from, to, slot, covered, ready, what, slots)

struct GivenUpRow {
  reference::EventId event;
  std::uint32_t attempts = 0;
  std::string why;
  std::uint64_t seq = 0;
};
TENURE_FIELDS(GivenUpRow, event, attempts, why, seq)

struct Caller {
  std::int64_t wait_ms;

  template <class Asked>
  Params leading(const Asked& asked) const {
    return Params(wait_ms, asked.resource, asked.holder, asked.token);
  }

  StatementCall operator()(const reference::Acquire& asked) const {
    CHECK(asked.holder.number != 0, "nobody cannot hold a lease");
    check_duration(asked.duration);
    return {"SELECT * FROM tenure.acquire($1, $2, $3, $4, $5, $6, $7)",
            Params(wait_ms, asked.resource, asked.holder.node.value, asked.holder.number, asked.epoch_seen,
                   asked.nonce, asked.duration)};
  }
  StatementCall operator()(const reference::Renew& asked) const {
    check_duration(asked.duration);
    return {"SELECT * FROM tenure.renew($1, $2, $3, $4, $5, $6, $7, $8)", leading(asked).add(asked.duration)};
  }
  StatementCall operator()(const reference::Release& asked) const {
    return {"SELECT * FROM tenure.release($1, $2, $3, $4, $5, $6, $7)", leading(asked)};
  }

  StatementCall operator()(const reference::CommitFires& asked) const {
    if (asked.rows.size() == 1 && is_one_fire(asked.rows[0])) return commit_fire(asked);
    std::vector<CommittedRow> rows;
    for (const reference::LedgerRow& row : asked.rows) {
      reference::check_well_formed(row);
      rows.push_back({row.schedule, row.version, row.from, row.to, row.slot, reference::covered_end(row),
                      ready(row), row.what, row.slots});
    }
    return {
        "SELECT * FROM tenure.commit_fires($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, "
        "$16)",
        leading(asked).add(rows)};
  }
  StatementCall commit_fire(const reference::CommitFires& asked) const {
    const reference::LedgerRow& row = asked.rows[0];
    reference::check_well_formed(row);
    return {"SELECT * FROM tenure.commit_fire($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
            leading(asked)
                .add(row.schedule)
                .add(row.version)
                .add(row.from)
                .add(row.to)
                .add(row.slot)
                .add(reference::covered_end(row))
                .add(ready(row))};
  }
  StatementCall operator()(const reference::SetHold& asked) const {
    return {"SELECT * FROM tenure.hold($1, $2, $3, $4, $5, $6, $7, true, $8)",
            leading(asked).add(asked.jump.ns())};
  }
  StatementCall operator()(const reference::ClearHold& asked) const {
    return {"SELECT * FROM tenure.hold($1, $2, $3, $4, $5, $6, $7, false, 0)", leading(asked)};
  }
  StatementCall operator()(const reference::AckEvents& asked) const {
    return {"SELECT * FROM tenure.acknowledge_events($1, $2, $3, $4, $5, $6, $7)",
            Params(wait_ms, asked.resource, asked.events)};
  }
  StatementCall operator()(const reference::GiveUpEvents& asked) const {
    std::vector<GivenUpRow> rows;
    for (const reference::DeadEvent& dead : asked.events) {
      reference::check_well_formed(dead);
      rows.push_back({dead.id, dead.attempts, dead.why, dead.seq});
    }
    return {"SELECT * FROM tenure.give_up_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            leading(asked).add(rows)};
  }
  StatementCall operator()(const reference::Redrive& asked) const {
    return {"SELECT * FROM tenure.redrive($1, $2, $3, $4, $5)",
            Params(wait_ms, asked.resource, asked.events)};
  }
  StatementCall operator()(const reference::DiscardDead& asked) const {
    const std::string problem = reference::problem_of(asked);
    CHECK(problem.empty(), problem);
    return {"SELECT * FROM tenure.discard($1, $2, $3, $4, $5, $6)",
            Params(wait_ms, asked.resource, asked.events, asked.actor)};
  }
  StatementCall operator()(const reference::Prune& asked) const {
    return {"SELECT * FROM tenure.forget_all($1, $2, $3, $4, $5)",
            Params(wait_ms, asked.resource, asked.before, asked.limit, after(asked.keep_history))};
  }
  StatementCall operator()(const reference::TriggerSchedule& asked) const {
    return run(asked, {to_integer(asked.at)}, false);
  }
  StatementCall operator()(const reference::BackfillSchedule& asked) const {
    Numbers slots;
    for (const StoreTime slot : asked.slots) slots.push_back(to_integer(slot));
    return run(asked, slots, true);
  }
  template <class Asked>
  StatementCall run(const Asked& asked, const Numbers& slots, bool backfill) const {
    CHECK(asked.run != 0, "0 is no manual run");
    return {
        "SELECT * FROM tenure.run_once($1, $2, $3, $4, $5, $6, $7, $8)",
        Params(wait_ms, asked.resource, asked.schedule, asked.run, slots, backfill, asked.at, asked.digest)};
  }

  StatementCall operator()(const reference::ReadDue& asked) const {
    const std::int64_t schedule = asked.after ? std::int64_t{asked.after->schedule.value} : -1;
    const StoreTime cursor = asked.after ? asked.after->cursor : StoreTime::min();
    const std::uint32_t version = asked.after ? asked.after->version : 0;
    return {"SELECT * FROM tenure.due($1, $2, $3, $4, $5, $6)",
            Params(asked.resource, asked.horizon, cursor, schedule, version, one_more(asked.limit))};
  }
  StatementCall operator()(const reference::ReadOutbox& asked) const {
    return {"SELECT * FROM tenure.read_outbox($1, $2, $3)",
            Params(asked.resource, after(asked.after), one_more(asked.limit))};
  }
  StatementCall operator()(const reference::ReadDead& asked) const {
    return {"SELECT * FROM tenure.dead_events($1, $2, $3, $4)",
            Params(asked.resource, after(asked.after), one_more(asked.limit), asked.discarded)};
  }
  StatementCall operator()(const reference::ChangesSince& asked) const {
    return {"SELECT * FROM tenure.changes($1, $2, $3)",
            Params(asked.resource, after(asked.seq), one_more(asked.limit))};
  }
  StatementCall operator()(const reference::ReadNamed& asked) const {
    return schedules(asked.resource, asked.name, true, 1);
  }
  StatementCall operator()(const reference::ListNamed& asked) const {
    return schedules(asked.resource, asked.after, false, one_more(asked.limit));
  }
  static StatementCall schedules(ResourceId resource, const std::string& name, bool one, std::int64_t limit) {
    return {"SELECT * FROM tenure.schedules_covered($1, $2, $3, $4)", Params(resource, name, one, limit)};
  }
  StatementCall operator()(const reference::ReadPayloads& asked) const {
    return {"SELECT * FROM tenure.payloads($1, $2, $3, $4)", Params(asked.resource, asked.events)};
  }
  StatementCall operator()(const reference::ReadLog& asked) const {
    return {"SELECT * FROM tenure.log($1, $2, $3)",
            Params(asked.resource, after(asked.after), one_more(asked.limit))};
  }
  template <class Asked>
    requires requires(const Asked& asked) { delivery_call(asked, 0); }
  StatementCall operator()(const Asked& asked) const { return delivery_call(asked, wait_ms); }
  template <class Asked>
  requires std::is_constructible_v<Edit, const Asked&> StatementCall operator()(const Asked&) const {
    CHECK(false, "an edit looks first");
    return {};
  }
};

}  // namespace

StatementCall call_of(const reference::Request& request, std::int64_t wait_ms) {
  return std::visit(Caller{wait_ms}, request);
}

// ---- edits -----------------------------------------------------------------------------------------------

StatementCall look_call(const Edit& edit) {
  struct Look {
    StatementCall operator()(const reference::PutSchedule& asked) const {
      return number(asked.resource, asked.schedule);
    }
    StatementCall operator()(const reference::DeleteSchedule& asked) const {
      return number(asked.resource, asked.schedule);
    }
    StatementCall operator()(const reference::DeleteNamed& asked) const {
      return number(asked.resource, asked.expected.schedule);
    }
    StatementCall operator()(const reference::PutNamed& asked) const {
      return name(asked.resource, asked.name);
    }
    StatementCall operator()(const reference::PauseNamed& asked) const {
      return name(asked.resource, asked.name);
    }
    static StatementCall number(ResourceId resource, ScheduleId schedule) {
      return {"SELECT * FROM tenure.look($1, $2)", Params(resource, schedule)};
    }
    static StatementCall name(ResourceId resource, const std::string& name) {
      return {"SELECT * FROM tenure.look_named($1, $2)", Params(resource, name)};
    }
  };
  return std::visit(Look{}, edit);
}

Looked read_look(const Edit& edit, ResultRow row) {
  Looked looked;
  looked.now = row.time();
  looked.version = row.small();
  looked.in_force = !row.null();
  looked.cursor = row.time();
  looked.covered_until = row.time();
  looked.definition = row.text();
  const bool by_name = std::holds_alternative<reference::PutNamed>(edit) ||
                       std::holds_alternative<reference::PauseNamed>(edit);
  if (by_name) looked.schedule = row.integer();
  return looked;
}

StoreTime left_of(const Looked& looked, const TimeZones& zones) {
  if (!looked.in_force) return StoreTime::max();
  const auto decoded = decode_definition(looked.definition, zones);
  const auto* definition = std::get_if<Definition>(&decoded);
  // Of one that cannot be read there may be a slot left: it is for whoever leads to say what becomes of it.
  return definition != nullptr ? search_slot(*definition, looked.cursor).slot : looked.cursor;
}

namespace {

struct Write {
  const Looked& looked;
  const TimeZones& zones;
  std::int64_t wait_ms;

  StatementCall operator()(const reference::PutSchedule& put) const {
    const std::string problem = problem_of_delivery(put.definition);
    CHECK(problem.empty(), problem);
    const SlotSearch first = search_slot(put.definition, std::max(looked.now, looked.covered_until));
    return {"SELECT * FROM tenure.put($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            Params(wait_ms, put.resource, put.schedule, put.expected_version, encode(put.definition),
                   looked.version, looked.cursor, left_of(looked, zones), first.from, first.slot)};
  }
  StatementCall operator()(const reference::DeleteSchedule& removal) const {
    return {"SELECT * FROM tenure.remove($1, $2, $3, $4, $5, $6, $7)",
            Params(wait_ms, removal.resource, removal.schedule, removal.expected_version, looked.version,
                   looked.cursor, left_of(looked, zones))};
  }
  StatementCall operator()(const auto& by_name) const { return named_call(by_name, looked, zones, wait_ms); }
};

}  // namespace

StatementCall edit_call(const Edit& edit, const Looked& looked, const TimeZones& zones,
                        std::int64_t wait_ms) {
  return std::visit(Write{looked, zones, wait_ms}, edit);
}

StatementCall audit_call(ResourceId resource) { return {"SELECT * FROM tenure.audit($1)", Params(resource)}; }

}  // namespace tenure::postgres
