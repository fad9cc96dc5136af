// Rows of the functions of schema/*.sql as replies.
#include "adapters/postgres/calls.h"
#include "adapters/postgres/failure.h"
#include "core/journal/definition_codec.h"

namespace tenure::postgres {
namespace {

reference::Denial denial(std::int64_t number) { return static_cast<reference::Denial>(number); }

// An event as tenure.dead_events gives it.
struct DeadRow {
  reference::OutboxEvent event;
  std::uint32_t attempts = 0;
  StoreTime since;
  std::string why;
  reference::Discard discard;
};
TENURE_FIELDS(DeadRow, event, attempts, since, why, discard)

// And a change, as tenure.changes does.
struct ChangeRow {
  std::uint64_t seq = 0;
  reference::Segment segment;
  bool deleted = false;
  std::string definition;
};
TENURE_FIELDS(ChangeRow, seq, segment, deleted, definition)

// And an exception of the ledger, as tenure.audit does.
struct ExceptionRow {
  ScheduleId schedule;
  std::uint32_t version = 0;
  StoreTime from;
  StoreTime to;
  StoreTime slot;
  reference::Disposition what = reference::Disposition::missed;
};
TENURE_FIELDS(ExceptionRow, schedule, version, from, to, slot, what)

std::optional<reference::Hold> hold(ResultRow& row) {
  const bool set = !row.null();
  const StoreTime since = row.time();
  const Duration jump = Duration::nanos(row.integer());
  return set ? std::optional(reference::Hold{since, jump}) : std::nullopt;
}

class Reader {
 public:
  Reader(ResultRow row, const TimeZones& zones, Answer& answer)
      : row_(std::move(row)), zones_(zones), answer_(answer) {
    answer_.store_time = row_.time();
    answer_.position = row_.natural();
  }

  reference::Reply operator()(const reference::Acquire&) { return lease(); }
  reference::Reply operator()(const reference::Renew&) { return lease(); }
  reference::Reply operator()(const reference::Release& asked) {
    const reference::Reply reply = lease();
    if (std::holds_alternative<reference::Refused>(reply)) return reply;
    answer_.notifications.push_back({Notification::What::lease_freed, asked.resource});
    return reference::Released{};
  }
  // An adoption and a rebase are refusals that write.
  reference::Reply lease() {
    const bool refused = !row_.null();
    const reference::Denial why = denial(row_.integer());
    Incarnation holder;
    Token token;
    Duration promise;
    Duration left;
    row_.get(holder.node, holder.number, token.branch, token.epoch, token.nonce, promise, left);
    answer_.changed =
        !refused || why == reference::Denial::clock_stepped || why == reference::Denial::other_branch;
    if (refused) return reference::Refused{why, holder, token.epoch, left};
    return reference::Granted{token, promise};
  }

  reference::Reply operator()(const reference::CommitFires&) {
    const bool denied = !row_.null();
    const reference::Denial why = denial(row_.integer());
    const bool held = row_.flag();
    if (denied || held) return reference::CommitRefused{denied ? why : reference::Denial{}, held};
    reference::Committed committed;
    for (const std::int64_t number : row_.integers()) {
      const auto result = static_cast<reference::RowResult>(number);
      committed.rows.push_back(result);
      if (result == reference::RowResult::covered || result == reference::RowResult::overlapped)
        answer_.changed = true;
    }
    return committed;
  }
  reference::Reply operator()(const reference::SetHold& asked) {
    if (!row_.null()) return reference::CommitRefused{denial(row_.integer()), false};
    answer_.changed = true;
    return reference::HoldSet{reference::Hold{answer_.store_time, asked.jump}};
  }
  reference::Reply operator()(const reference::ClearHold&) {
    if (!row_.null()) return reference::CommitRefused{denial(row_.integer()), false};
    answer_.changed = true;
    return reference::HoldSet{};
  }
  reference::Reply operator()(const reference::AckEvents&) {
    answer_.changed = row_.flag();
    return reference::Acknowledged{row_.natural()};
  }
  reference::Reply operator()(const reference::GiveUpEvents&) {
    const bool denied = !row_.null();
    const reference::Denial why = denial(row_.integer());
    if (denied) return reference::CommitRefused{why, false};
    answer_.changed = row_.flag();
    return reference::GivenUp{};
  }
  reference::Reply operator()(const reference::Redrive& asked) {
    const std::uint64_t events = row_.natural();
    answer_.changed = events > 0;
    if (answer_.changed) answer_.notifications.push_back({Notification::What::events_added, asked.resource});
    return reference::Redriven{events};
  }
  reference::Reply operator()(const reference::DiscardDead&) {
    const std::uint64_t events = row_.natural();
    answer_.changed = events > 0;
    return reference::Discarded{events};
  }
  reference::Reply operator()(const reference::Prune& asked) {
    const std::uint64_t rows = row_.natural();
    answer_.changed = rows > 0;
    const std::uint64_t deleted = row_.natural();
    answer_.notifications.insert(answer_.notifications.end(), static_cast<std::size_t>(deleted),
                                 {Notification::What::schedules_changed, asked.resource});
    return reference::Pruned{rows};
  }

  reference::Reply operator()(const reference::TriggerSchedule& asked) { return run(asked.resource); }
  reference::Reply operator()(const reference::BackfillSchedule& asked) { return run(asked.resource); }
  reference::Reply run(ResourceId resource) {
    reference::Reply reply = edit();
    if (answer_.changed) answer_.notifications.push_back({Notification::What::events_added, resource});
    if (auto* edited = std::get_if<reference::Edited>(&reply); edited != nullptr && !row_.null())
      edited->first_at = row_.time();
    return reply;
  }
  reference::Reply operator()(const reference::PutSchedule&) { return edit(); }
  reference::Reply operator()(const reference::DeleteSchedule&) { return edit(); }
  reference::Reply edit() {
    outcome_ = row_.integer();
    answer_.changed = outcome_ == 0;
    const auto why = static_cast<reference::EditDenial>(row_.integer());
    const std::uint32_t version = row_.small();
    if (outcome_ == 2) return reference::EditRefused{why, version};
    const std::uint64_t change_seq = row_.natural();
    return reference::Edited{version, change_seq, row_.time()};
  }
  reference::Reply operator()(const reference::PutNamed&) { return named(); }
  reference::Reply operator()(const reference::DeleteNamed&) { return named(); }
  reference::Reply operator()(const reference::PauseNamed&) { return named(); }
  reference::Reply named() {
    reference::Reply reply = named_reply(row_, outcome_);
    answer_.changed = outcome_ == 0;
    return reply;
  }
  reference::Reply operator()(const reference::ReadNamed&) {
    return read_schedules(row_, 1, zones_, answer_.warnings);
  }
  reference::Reply operator()(const reference::ListNamed& asked) {
    return read_schedules(row_, asked.limit, zones_, answer_.warnings);
  }
  reference::Reply operator()(const reference::ReadPayloads& asked) {
    return read_payloads(row_, asked.events);
  }
  reference::Reply operator()(const reference::ReadLog& asked) { return read_log(row_, asked.limit); }
  template <class Asked>
    requires requires(const Asked& asked, ResultRow& row, Answer& answer) {
      delivery_reply(asked, row, answer);
    }
  reference::Reply operator()(const Asked& asked) { return delivery_reply(asked, row_, answer_); }
  bool look_again() const { return outcome_ == 3; }

  reference::Reply operator()(const reference::ReadDue& asked) {
    reference::Due due;
    row_.get(due.branch, due.change_seq);
    due.hold = hold(row_);
    due.segments = row_.structs<reference::Segment>();
    due.more = cut(due.segments, asked.limit);
    return due;
  }
  reference::Reply operator()(const reference::ReadOutbox& asked) {
    reference::Outbox outbox;
    outbox.events = row_.structs<reference::OutboxEvent>();
    outbox.more = cut(outbox.events, asked.limit);
    outbox.push_waits = row_.flag();
    return outbox;
  }
  reference::Reply operator()(const reference::ReadDead& asked) {
    reference::Dead dead;
    auto rows = row_.structs<DeadRow>();
    dead.more = cut(rows, asked.limit);
    for (const auto& [event, attempts, since, why, discard] : rows) {
      dead.events.push_back({event.id, attempts, event.seq, since, why});
      if (asked.discarded) dead.discards.push_back(discard);
    }
    return dead;
  }
  reference::Reply operator()(const reference::ChangesSince& asked) {
    reference::Changes changes;
    changes.branch = row_.small();
    changes.hold = hold(row_);
    auto rows = row_.structs<ChangeRow>();
    changes.more = cut(rows, asked.limit);
    changes.seq = rows.empty() ? asked.seq : rows.back().seq;
    DefinitionDecoder decoder(zones_);
    for (const ChangeRow& row : rows) {
      reference::Change change;
      change.seq = row.seq;
      change.segment = row.segment;
      change.deleted = row.deleted;
      const auto& decoded = decoder.decode(row.definition);
      if (const auto* definition = std::get_if<Definition>(&decoded)) {
        change.definition = *definition;
      } else if (!change.deleted) {
        change.unreadable = true;
        answer_.warnings.push_back(
            warning_of(std::get<CodecError>(decoded), change.segment.schedule, change.segment.version));
      }
      changes.changes.push_back(std::move(change));
    }
    return changes;
  }

 private:
  ResultRow row_;
  const TimeZones& zones_;
  Answer& answer_;
  std::int64_t outcome_ = 0;
};

}  // namespace

void read_answer(const reference::Request& request, ResultRow row, const TimeZones& zones, Answer& answer) {
  Reader reader(std::move(row), zones, answer);
  answer.reply = std::visit(reader, request);
}

bool read_edit(const Edit& edit, ResultRow row, Answer& answer) {
  Reader reader(std::move(row), only_utc(), answer);  // the answer to an edit has no definition
  answer.reply = std::visit([&](const auto& asked) { return reader(asked); }, edit);
  if (answer.changed) {
    const ResourceId resource = std::visit([](const auto& asked) { return asked.resource; }, edit);
    answer.notifications.push_back({Notification::What::schedules_changed, resource});
  }
  return !reader.look_again();
}

StoreAudit read_audit(ResultRow row) {
  StoreAudit audit;
  audit.position = row.natural();
  if (const auto lease = row.integers(); !lease.empty()) {
    std::size_t place = 0;
    const auto read = [&]<class Field>(Field& field) { field = from_integer<Field>(lease.at(place++)); };
    auto& [holder, epoch, nonce, branch, written_at, expires_at] = audit.lease;
    read(holder.node), read(holder.number), read(epoch), read(nonce), read(branch), read(written_at);
    read(expires_at);
  }
  for (const auto& [schedule, version, from, to, slot, what] : row.structs<ExceptionRow>())
    audit.ledger.exceptions.push_back(
        {.schedule = schedule, .version = version, .from = from, .to = to, .slot = slot, .what = what});
  audit.ledger.watermarks = row.structs<reference::Segment>();
  return audit;
}

}  // namespace tenure::postgres
