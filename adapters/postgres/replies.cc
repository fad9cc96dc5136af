// Rows of the functions of schema/*.sql as replies.
#include "adapters/postgres/calls.h"
#include "adapters/postgres/failure.h"
#include "core/journal/definition_codec.h"

namespace tenure::postgres {
namespace {

reference::Denial denial(std::int64_t number) { return static_cast<reference::Denial>(number); }

std::vector<reference::Segment> segments(ResultRow& row) {
  const auto schedules = row.integers();
  const auto versions = row.integers();
  const auto begins = row.integers();
  const auto ends = row.integers();
  const auto cursors = row.integers();
  std::vector<reference::Segment> read(schedules.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    read[i].schedule = {static_cast<std::uint32_t>(schedules[i])};
    read[i].version = static_cast<std::uint32_t>(versions.at(i));
    read[i].begin = store_time(begins.at(i));
    read[i].end = store_time(ends.at(i));
    read[i].cursor = store_time(cursors.at(i));
  }
  return read;
}

// What lists of one more than `limit` say: is there more?
template <class List>
bool cut(List& list, std::uint32_t limit) {
  const bool more = list.size() > limit;
  if (more) list.resize(limit);
  return more;
}

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
    const Incarnation holder{{row_.small()}, row_.small()};
    Token token;
    token.branch = row_.small();
    token.epoch = row_.natural();
    token.nonce = row_.natural();
    const Duration promise = Duration::micros(row_.integer());
    const Duration left = Duration::micros(row_.integer());
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
    due.branch = row_.small();
    due.change_seq = row_.natural();
    due.hold = hold(row_);
    due.segments = segments(row_);
    due.more = cut(due.segments, asked.limit);
    return due;
  }
  reference::Reply operator()(const reference::ReadOutbox& asked) {
    reference::Outbox outbox;
    outbox.events = events();
    outbox.more = cut(outbox.events, asked.limit);
    outbox.push_waits = row_.flag();
    return outbox;
  }
  reference::Reply operator()(const reference::ReadDead& asked) {
    reference::Dead dead;
    for (const reference::OutboxEvent& event : events()) dead.events.push_back({event.id, 0, event.seq});
    const auto attempts = row_.integers();
    const auto since = row_.integers();
    const auto whys = row_.texts();
    const auto actors = row_.texts();
    const auto discarded = row_.integers();
    for (std::size_t i = 0; i < dead.events.size(); ++i) {
      if (asked.discarded) dead.discards.push_back({actors.at(i), store_time(discarded.at(i))});
      dead.events[i].attempts = static_cast<std::uint32_t>(attempts.at(i));
      dead.events[i].since = store_time(since.at(i));
      dead.events[i].why = whys.at(i);
    }
    dead.more = cut(dead.events, asked.limit);
    dead.discards.resize(std::min(dead.discards.size(), dead.events.size()));
    return dead;
  }
  reference::Reply operator()(const reference::ChangesSince& asked) {
    reference::Changes changes;
    changes.branch = row_.small();
    changes.hold = hold(row_);
    const auto seqs = row_.integers();
    const auto begun = segments(row_);
    const auto deletes = row_.integers();
    const auto definitions = row_.texts();
    const std::size_t wanted = std::min<std::size_t>(seqs.size(), asked.limit);
    DefinitionDecoder decoder(zones_);
    for (std::size_t i = 0; i < wanted; ++i) {
      reference::Change change;
      change.seq = as_unsigned(seqs[i]);
      change.segment = begun.at(i);
      change.deleted = deletes.at(i) == 1;
      const auto& decoded = decoder.decode(definitions.at(i));
      if (const auto* definition = std::get_if<Definition>(&decoded)) {
        change.definition = *definition;
      } else if (!change.deleted) {
        change.unreadable = true;
        answer_.warnings.push_back(
            warning_of(std::get<CodecError>(decoded), change.segment.schedule, change.segment.version));
      }
      changes.changes.push_back(std::move(change));
    }
    changes.more = seqs.size() > wanted;
    changes.seq = wanted == 0 ? asked.seq : changes.changes.back().seq;
    return changes;
  }

 private:
  std::vector<reference::OutboxEvent> events() {
    const auto seqs = row_.integers();
    const auto schedules = row_.integers();
    const auto slots = row_.integers();
    const auto runs = row_.integers();
    std::vector<reference::OutboxEvent> read;
    for (std::size_t i = 0; i < seqs.size(); ++i)
      read.push_back({as_unsigned(seqs[i]),
                      {{static_cast<std::uint32_t>(schedules.at(i))},
                       store_time(slots.at(i)),
                       as_unsigned(runs.at(i))}});
    return read;
  }

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
    audit.lease.holder = {{static_cast<std::uint32_t>(lease.at(0))}, static_cast<std::uint32_t>(lease.at(1))};
    audit.lease.epoch = as_unsigned(lease.at(2));
    audit.lease.nonce = as_unsigned(lease.at(3));
    audit.lease.branch = static_cast<std::uint32_t>(lease.at(4));
    audit.lease.written_at = store_time(lease.at(5));
    audit.lease.expires_at = store_time(lease.at(6));
  }
  const auto schedules = row.integers();
  const auto versions = row.integers();
  const auto from = row.integers();
  const auto to = row.integers();
  const auto slots = row.integers();
  const auto what = row.integers();
  for (std::size_t i = 0; i < schedules.size(); ++i)
    audit.ledger.exceptions.push_back({.schedule = {static_cast<std::uint32_t>(schedules[i])},
                                       .version = static_cast<std::uint32_t>(versions.at(i)),
                                       .from = store_time(from.at(i)),
                                       .to = store_time(to.at(i)),
                                       .slot = store_time(slots.at(i)),
                                       .what = static_cast<reference::Disposition>(what.at(i))});
  audit.ledger.watermarks = segments(row);
  return audit;
}

}  // namespace tenure::postgres
