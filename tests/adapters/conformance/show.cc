#include "tests/adapters/conformance/show.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <type_traits>

#include "core/base/hash.h"
#include "core/journal/definition_codec.h"
#include "core/store/reference/fields.h"

namespace tenure::conformance {
namespace {

// Every field of everything, in order. One overload a type.
class Text {
 public:
  std::string take() { return std::move(text_); }

  template <class... Fields>
  void all(std::string_view name, const Fields&... fields) {
    text_ += fmt::format("{}(", name);
    (field(fields), ...);
    text_ += ")";
  }
  template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void field(T value) {
    if constexpr (std::is_enum_v<T>)
      text_ += fmt::format(" #{}", static_cast<int>(value));
    else
      text_ += fmt::format(" {}", value);
  }
  void field(Duration d) { text_ += fmt::format(" {}ns", d.ns()); }
  void field(StoreTime t) { text_ += t == StoreTime::max() ? " never" : fmt::format(" @{}", t.ns() / 1'000); }
  template <class Tag, class Rep>
  void field(Id<Tag, Rep> id) {
    field(id.value);
  }
  void field(Incarnation i) { text_ += fmt::format(" n{}.{}", i.node.value, i.number); }
  void field(const Token& t) { text_ += fmt::format(" {}/{}/{:x}", t.branch, t.epoch, t.nonce); }
  void field(const Definition& d) { text_ += " " + encode(d); }
  template <class T>
  void field(const std::optional<T>& value) {
    value ? field(*value) : static_cast<void>(text_ += " none");
  }
  template <class T>
  void field(const std::vector<T>& values) {
    text_ += " [";
    for (const T& value : values) field(value);
    text_ += " ]";
  }

  void field(const reference::Acquire& r) {
    all("acquire", r.resource, r.holder, r.epoch_seen, r.nonce, r.duration);
  }
  void field(const reference::Renew& r) { all("renew", r.resource, r.holder, r.token, r.duration); }
  void field(const reference::Release& r) { all("release", r.resource, r.holder, r.token); }
  void field(const reference::PutSchedule& r) {
    all("put", r.resource, r.schedule, r.expected_version, r.definition);
  }
  void field(const reference::DeleteSchedule& r) {
    all("delete", r.resource, r.schedule, r.expected_version);
  }
  void field(const reference::TriggerSchedule& r) {
    all("trigger", r.resource, r.schedule, r.run, r.at, r.digest);
  }
  void field(const reference::BackfillSchedule& r) {
    all("backfill", r.resource, r.schedule, r.run, r.slots, r.at, r.digest);
  }
  void field(const reference::ReadDue& r) { all("due", r.resource, r.horizon, r.limit, r.after); }
  void field(const reference::CommitFires& r) { all("commit", r.resource, r.holder, r.token, r.rows); }
  void field(const reference::ReadOutbox& r) { all("outbox", r.resource, r.limit, r.after); }
  void field(const reference::AckEvents& r) { all("ack", r.resource, r.events); }
  void field(const reference::GiveUpEvents& r) { all("give up", r.resource, r.holder, r.token, r.events); }
  void field(const reference::ReadDead& r) { all("dead", r.resource, r.limit, r.after, r.discarded); }
  void field(const reference::Redrive& r) { all("redrive", r.resource, r.events); }
  void field(const reference::ChangesSince& r) { all("changes", r.resource, r.seq, r.limit); }
  void field(const reference::SetHold& r) { all("hold", r.resource, r.holder, r.token, r.jump); }
  void field(const reference::ClearHold& r) { all("clear hold", r.resource, r.holder, r.token); }
  void field(const reference::Prune& r) { all("prune", r.resource, r.before, r.limit, r.keep_history); }
  void field(const reference::PutNamed& r) {
    all("put named", r.resource, r.name, r.expected, r.definition, r.payload, r.actor);
  }
  void field(const reference::DeleteNamed& r) {
    all("delete named", r.resource, r.name, r.expected, r.actor);
  }
  void field(const reference::PauseNamed& r) {
    all("pause named", r.resource, r.name, r.paused, r.actor, r.why);
  }
  void field(const reference::ReadNamed& r) { all("read named", r.resource, r.name); }
  void field(const reference::ListNamed& r) { all("list named", r.resource, r.after, r.limit); }
  void field(const reference::ReadPayloads& r) { all("read payloads", r.resource, r.events); }
  void field(const reference::ReadLog& r) { all("read log", r.resource, r.after, r.limit); }

  void field(const reference::Granted& r) { all("granted", r.token, r.duration); }
  void field(const reference::Refused& r) { all("refused", r.why, r.holder, r.epoch, r.remaining); }
  void field(const reference::Released&) { all("released"); }
  void field(const reference::Edited& r) { all("edited", r.version, r.change_seq, r.since, r.first_at); }
  void field(const reference::EditRefused& r) { all("edit refused", r.why, r.version); }
  void field(const reference::Due& r) { all("due", r.segments, r.more, r.change_seq, r.hold, r.branch); }
  void field(const reference::Committed& r) { all("committed", r.rows); }
  void field(const reference::CommitRefused& r) { all("commit refused", r.why, r.held); }
  void field(const reference::Outbox& r) { all("outbox", r.events, r.more, r.push_waits); }
  void field(const reference::Acknowledged& r) { all("acknowledged", r.claimed); }
  void field(const reference::GivenUp&) { all("given up"); }
  void field(const reference::Dead& r) { all("dead", r.events, r.more, r.discards); }
  void field(const reference::Redriven& r) { all("redriven", r.events); }
  void field(const reference::Changes& r) { all("changes", r.changes, r.seq, r.more, r.hold, r.branch); }
  void field(const reference::HoldSet& r) { all("hold", r.hold); }
  void field(const reference::Pruned& r) { all("pruned", r.rows); }
  void field(const reference::NamedEdited& r) { all("named edited", r.edition, r.change_seq, r.since); }
  void field(const reference::NamedRefused& r) { all("named refused", r.why, r.edition); }
  void field(const reference::NamedSchedules& r) { all("schedules", r.schedules, r.more); }
  void field(const reference::Payloads& r) { all("payloads", r.events); }
  void field(const reference::Log& r) { all("log", r.entries, r.more); }

  // Those whose fields are listed (core/store/reference/fields.h).
  template <HasFields T>
  void field(const T& it) {
    visit_fields(it, [&](const auto&... each) { all(names_of(it).type, each...); });
  }

  void field(const std::string& text) {
    text_ += fmt::format(" \"{}\"", text.size() > 40 ? std::to_string(hash_text(text)) : text);
  }
  void field(const reference::Edition& e) { text_ += fmt::format(" {}.{}", e.schedule.value, e.version); }
  void field(const reference::Label& l) { all("label", l.name, l.value); }
  void field(const reference::Payload& p) {
    all("payload", p.topic, p.type, p.data, p.labels, p.description);
  }
  void field(const reference::Pause& p) { all("pause", p.actor, p.why, p.since); }
  void field(const reference::NamedSchedule& s) {
    all("schedule", s.name, s.edition, s.since, s.definition, s.unreadable, s.payload, s.pause, s.covered);
  }
  void field(const reference::EventPayload& e) { all("of", e.event, e.found, e.version, e.name, e.payload); }
  void field(const reference::LogEntry& e) {
    all("entry", e.seq, e.name, e.edition, e.what, e.actor, e.why, e.at);
  }

  void field(const reference::Segment& s) { all("segment", s.schedule, s.version, s.begin, s.end, s.cursor); }
  void field(const reference::LedgerRow& c) {
    all("row", c.schedule, c.version, c.from, c.to, c.slot, c.due, c.what, c.slots);
  }
  void field(const reference::EventId& e) { all("event", e.schedule, e.slot, e.run); }
  void field(const reference::OutboxEvent& e) { all("event", e.seq, e.id); }
  void field(const reference::DeadEvent& e) { all("dead", e.id, e.attempts, e.seq, e.since, e.why); }
  void field(const reference::Change& c) {
    all("change", c.seq, c.segment, c.definition, c.deleted, c.unreadable);
  }
  void field(const Delivery& d) {
    all("delivery", d.kind, d.destination, d.strict_order, d.attempts, d.back_off, d.longest_back_off);
  }
  void field(const reference::Hold& h) { all("hold", h.since, h.jump); }
  void field(const Notification& n) { all("notified", n.what, n.resource); }
  void field(const reference::Lease& l) {
    all("lease", l.holder, l.epoch, l.nonce, l.branch, l.written_at, l.expires_at);
  }
  void field(const reference::Ledger& l) { all("ledger", l.exceptions, l.watermarks); }

 private:
  std::string text_;
};

std::string of(const auto& value) {
  Text text;
  text.field(value);
  return text.take();
}

}  // namespace

std::string show(const reference::Request& request) {
  return std::visit([](const auto& asked) { return of(asked); }, request);
}
std::string show(const reference::Reply& reply) {
  return std::visit([](const auto& given) { return of(given); }, reply);
}
std::string show(const std::vector<Notification>& notifications) { return of(notifications); }
std::string show(const reference::Lease& lease) { return of(lease); }
std::string show(const reference::Ledger& ledger) { return of(ledger); }

}  // namespace tenure::conformance
