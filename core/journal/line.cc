// What each line of a journal has, said once: it is written by this, and read by it (both_ways.h).
#include "core/journal/line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/check.h"
#include "core/base/sha256.h"
#include "core/journal/both_ways.h"
#include "core/journal/definition_codec.h"
#include "core/journal/kinds.h"

namespace tenure::journal {
// In the order of JournalEvent and of Note.
constexpr std::array<std::string_view, std::variant_size_v<JournalEvent>> kEvents = {
    "started", "died", "", "submitted", "answered", "work", "work-done", "store", "stop-heard", "client"};
constexpr std::array<std::string_view, std::variant_size_v<Note>> kNotes = {
    "believes", "steps-down", "checked", "clock-alarm", "remark", "stopped", "design-error"};

// The variant's alternative of that place, empty.
template <class Variant, std::size_t kPlace = 0>
Variant alternative(std::size_t place) {
  if constexpr (kPlace + 1 < std::variant_size_v<Variant>)
    if (place != kPlace) return alternative<Variant, kPlace + 1>(place);
  return Variant(std::in_place_index<kPlace>);
}
// The one that the line calls so, empty.
template <class Variant, class Text>
Variant of_kind(FieldsReader& io, const std::array<Text, std::variant_size_v<Variant>>& kinds,
                const char* key = "kind") {
  const std::string kind = io.string(key);
  const auto it = std::find(kinds.begin(), kinds.end(), kind);
  if (it == kinds.end() || kind.empty()) {
    io.complain(fmt::format("`{}` cannot be \"{}\"", key, kind));
    return {};
  }
  return alternative<Variant>(static_cast<std::size_t>(it - kinds.begin()));
}

void definition(FieldsWriter& io, const Definition& it) {
  io.json()["definition"] = FieldsWriter::Json::parse(tenure::encode(it));
}
// Empty: it cannot be read here.
std::optional<Definition> definition(FieldsReader& io) {
  const auto found = io.json().find("definition");
  if (found == io.json().end()) io.complain("`definition` is missing");
  if (!io.reading().complaint.empty()) return std::nullopt;
  const TimeZones* const zones = io.reading().zones;
  auto decoded = decode_definition(found->dump(-1, ' ', false, FieldsReader::Json::error_handler_t::replace),
                                   zones != nullptr ? *zones : only_utc());
  if (auto* readable = std::get_if<Definition>(&decoded)) return std::move(*readable);
  return std::nullopt;
}

template <class Io>
struct Fields {
  Io& io;

  void operator()(In<Io, Token>& it) const {
    auto& [branch, epoch, nonce] = it;
    io("branch", branch);
    io("epoch", epoch);
    io.long_number("nonce", nonce);
  }
  void operator()(In<Io, reference::EventId>& it) const {
    auto& [schedule, slot, run] = it;
    io("schedule", schedule);
    io("slot_us", slot);
    io.long_number("run", run);
  }

  // ---- requests ------------------------------------------------------------------------------------------------

  void operator()(In<Io, reference::Acquire>& it) const {
    auto& [resource, holder, epoch_seen, nonce, duration] = it;
    io.holder(holder);
    io("epoch_seen", epoch_seen);
    io.long_number("nonce", nonce);
    io("duration_ns", duration);
  }
  void operator()(In<Io, reference::Renew>& it) const {
    auto& [resource, holder, token, duration] = it;
    io.holder(holder);
    (*this)(token);
    io("duration_ns", duration);
  }
  void operator()(In<Io, reference::Release>& it) const {
    auto& [resource, holder, token] = it;
    io.holder(holder);
    (*this)(token);
  }
  void operator()(In<Io, reference::SetHold>& it) const {
    auto& [resource, holder, token, jump] = it;
    io.holder(holder);
    (*this)(token);
  }
  void operator()(In<Io, reference::ClearHold>& it) const {
    auto& [resource, holder, token] = it;
    io.holder(holder);
    (*this)(token);
  }
  void operator()(In<Io, reference::LedgerRow>& it) const {
    auto& [schedule, version, from, to, slot, due, what, slots] = it;
    io("schedule", schedule);
    io("version", version);
    io("from_us", from);
    io.unless(StoreTime::max(), "to_us", to);
    io("slot_us", slot);
    io("due_us", due);
    io("what", what);
    io("slots", slots);
  }
  void operator()(In<Io, reference::CommitFires>& it) const {
    auto& [resource, holder, token, rows] = it;
    io.holder(holder);
    (*this)(token);
    io.list("rows", rows);
  }
  void operator()(In<Io, reference::DeliveredEvent>& it) const {
    auto& [id, kind, to] = it;
    (*this)(id);
    io.unless(std::string{}, "destination", to);
    if constexpr (Io::kReads) kind = to.empty() ? Delivery::Kind::work : Delivery::Kind::push;
  }
  void operator()(In<Io, reference::AckEvents>& it) const {
    auto& [resource, events] = it;
    io.list("events", events);
  }
  void operator()(In<Io, reference::DeadEvent>& it) const {
    auto& [id, attempts, seq, since, why] = it;
    (*this)(id);
    io("attempts", attempts);
    io.unless(std::uint64_t{0}, "seq", seq);
  }
  void operator()(In<Io, reference::GiveUpEvents>& it) const {
    auto& [resource, holder, token, events] = it;
    io.holder(holder);
    (*this)(token);
    io.list("events", events);
  }
  void operator()(In<Io, reference::ChangesSince>& it) const {
    auto& [resource, seq, limit] = it;
    io("from_seq", seq);
  }

  // ---- replies -------------------------------------------------------------------------------------------------

  void operator()(In<Io, reference::Granted>& it) const {
    auto& [token, duration] = it;
    (*this)(token);
    io("duration_ns", duration);
  }
  void operator()(In<Io, reference::Refused>& it) const {
    auto& [why, holder, epoch, remaining] = it;
    io("why_refused", why);
    io("remaining_ns", remaining);
    io("holder_node", holder.node);
    io("holder_life", holder.number);
    io("held_epoch", epoch);
  }
  void operator()(In<Io, reference::Committed>& it) const {
    auto& [rows] = it;
    io.list("rows", rows);
  }
  void operator()(In<Io, reference::CommitRefused>& it) const {
    auto& [why, held] = it;
    io("why_refused", why);
    io("held", held);
  }

  void operator()(In<Io, reference::Change>& it) const {
    auto& [seq, segment, rule, deleted, unreadable] = it;
    auto& [schedule, version, begin, end, cursor] = segment;
    io("seq", seq);
    io("schedule", schedule);
    io("version", version);
    io("begin_us", begin);
    io("cursor_us", cursor);
    io.unless(false, "deleted", deleted);
    if (deleted) return;
    io.unless(false, "unreadable", unreadable);
    if (unreadable) return;
    if constexpr (Io::kReads) {
      auto readable = definition(io);
      unreadable = !readable;
      if (readable) rule = std::move(*readable);
    } else {
      definition(io, rule);
    }
  }
  void operator()(In<Io, reference::Changes>& it) const {
    auto& [changes, seq, more, hold, branch] = it;
    io("branch", branch);
    io.list("changes", changes);
    if constexpr (Io::kReads)
      std::erase_if(changes, [this](const reference::Change& change) {
        if (change.unreadable) io.reading().unread.push_back(change.segment.schedule);
        return change.unreadable;
      });
  }

  template <class Kind>
    requires kHasNameOnly<std::remove_const_t<Kind>>
  void operator()(Kind&) const {}

  // ---- events --------------------------------------------------------------------------------------------------

  void operator()(In<Io, LifeBegan>& it) const {
    io("boot", it.boot);
    if constexpr (Io::kReads) {
      for (const auto& [name, value] : io.of("settings", &Io::Json::is_object, "no object").items())
        if (value.is_number_integer()) it.settings[name] = value.template get<std::int64_t>();
    } else {
      auto& settings = io.json()["settings"] = Io::Json::object();
      for (const auto& [name, value] : it.settings) settings[name] = value;
    }
    io.unless(std::string(), "election", it.election);
  }
  void operator()(In<Io, StoreFound>& it) const { io("identity", it.identity); }
  void operator()(In<Io, LifeEnded>& it) const {
    std::string how = it.stopped ? "stopped" : "abandoned";
    io("how", how);
    if constexpr (Io::kReads) it.stopped = how == "stopped";
  }

  void operator()(In<Io, Believes>& it) const {
    io("resource", it.resource);
    io.maybe("epoch", it.token);
    if constexpr (Io::kReads) {
      bool open = true;
      it.until = Open{};
      if (io.has("until_mono"))
        io("until_mono", it.until.template emplace<MonoTime>());
      else if (io.has("until_wall"))
        io("until_wall", it.until.template emplace<WallTime>());
      else
        io("open", open);
      if (!open) io.complain("`open` is false, and no other end is given");
    } else {
      if (const auto* mono = std::get_if<MonoTime>(&it.until))
        io("until_mono", *mono);
      else if (const auto* wall = std::get_if<WallTime>(&it.until))
        io("until_wall", *wall);
      else
        io("open", true);
    }
  }
  void operator()(In<Io, StepsDown>& it) const {
    io("resource", it.resource);
    io.words("why", it.why);
  }
  void operator()(In<Io, LeadershipChecked>& it) const { io("resource", it.resource); }
  void operator()(In<Io, ClockAlarm>& it) const { io("jump_ns", it.jump); }
  void operator()(In<Io, Annotation>& it) const {
    io.words("text", it.text);
    io("value", it.value);
  }
  void operator()(In<Io, DesignError>& it) const { io.words("what", it.what); }
  void operator()(In<Io, StopAsked>&) const {}
  void operator()(In<Io, Stopped>&) const {}

  void operator()(In<Io, Asked>& it) const {
    io("part", it.submission.part);
    io("request", it.id.counter);
    io("store", it.submission.store);
    io("as_leader", it.submission.as_leader);
    const auto rest = [this](auto& request) {
      std::visit([this](auto& one) { io("resource", one.resource); }, request);
      (*this)(request);
    };
    if constexpr (Io::kReads) {
      it.id.incarnation = io.reading().who;
      it.submission.deadline = MonoTime::max();
      auto request = of_kind<reference::Request>(io, kRequestKinds);
      if (io.reading().complaint.empty()) rest(request);
      it.submission.request = std::move(request);
    } else {
      const auto* request = std::get_if<reference::Request>(&it.submission.request);
      CHECK(request != nullptr, "a journal's requests are the reference store's");
      io("kind", kRequestKinds[request->index()]);
      rest(*request);
      io.words("text", describe(*request, NodeNames::by_id));
    }
  }
  void operator()(In<Io, Answered>& it) const {
    if constexpr (Io::kReads) it.id.incarnation = io.reading().who;
    io("part", it.part);
    io("request", it.id.counter);
    io("store", it.store);
    io("outcome", it.outcome);
    if (it.outcome != RequestOutcome::applied) return io.words("text", it.message);
    io("store_time_us", it.store_time);
    io("position", it.position);
    io("changed", it.changed);
    if constexpr (Io::kReads) {
      it.reply = of_kind<reference::Reply>(io, kReplyKinds);
      if (!io.reading().complaint.empty()) return;
    } else {
      CHECK(it.reply.has_value());
      io("kind", kReplyKinds[it.reply->index()]);
    }
    (*this)(*it.reply);
    if constexpr (Io::kReads)
      it.unread = std::move(io.reading().unread);
    else
      io.words("text", describe(*it.reply, NodeNames::by_id));
  }

  void operator()(In<Io, WorkItem>& it) const {
    io("resource", it.resource);
    (*this)(it.event);
    io.maybe("epoch", it.token);
    io("once", it.once);
  }
  void operator()(In<Io, WorkDone>& it) const {
    (*this)(it.event);
    io("result", it.result);
    io.unless(Duration{}, "retry_after_ns", it.retry_after);
  }

  void operator()(In<Io, ClientChange::Run>& it) const {
    io("schedule", it.schedule);
    io.long_number("run", it.number);
  }
  void operator()(In<Io, ClientChange>& it) const {
    if constexpr (Io::kReads) {
      const auto request = of_kind<reference::Request>(io, kRequestKinds);
      it.kind = request.index();
      if (!clients_change_with(request))
        io.complain(fmt::format("`kind` cannot be \"{}\" of a client", kRequestKinds[it.kind]));
      if (std::holds_alternative<reference::TriggerSchedule>(request) ||
          std::holds_alternative<reference::BackfillSchedule>(request))
        it.run = ClientChange::Run{};
    } else {
      io("kind", kRequestKinds.at(it.kind));
    }
    io("resource", it.resource);
    if (it.run) (*this)(*it.run);
    auto outcome = it.done ? RequestOutcome::applied : RequestOutcome::unknown;
    io("outcome", outcome);
    if (outcome == RequestOutcome::unknown) return io("asked_mono", it.asked);
    if constexpr (Io::kReads) {
      if (outcome == RequestOutcome::rejected)
        io.complain("`outcome` cannot be \"rejected\" of a client: nothing was changed");
      it.done = ClientChange::Done{};
      if (io.has("change_seq")) io("change_seq", it.done->change_seq.emplace());
    }
    io("store_time_us", it.done->store_time);
    io("position", it.done->position);
    if constexpr (!Io::kReads)
      if (it.done->change_seq) io("change_seq", *it.done->change_seq);
  }

  template <class... Kind>
  void operator()(std::variant<Kind...>& any) const {
    std::visit(*this, any);
  }
  template <class... Kind>
  void operator()(const std::variant<Kind...>& any) const {
    std::visit(*this, any);
  }

  void operator()(In<Io, Line>& it) const {
    io("v", it.version);
    io("prev", it.prev);
    io("at", it.now.at);
    io("mono", it.now.mono);
    io("node", it.who.node);
    io("life", it.who.number);
    io("seq", it.seq);
    if constexpr (Io::kReads) {
      if (it.prev.size() != kFirstPrev.size()) io.complain("`prev` is no hash of a line");
      if (it.seq == 0) io.complain("`seq` counts from 1");
      io.reading().who = it.who;
    }
    if constexpr (Io::kReads) {
      // A note's name stands in the place of all of them.
      const std::string name = io.string("event");
      const bool is_note = std::find(kNotes.begin(), kNotes.end(), name) != kNotes.end();
      if (is_note)
        it.event = of_kind<Note>(io, kNotes, "event");
      else
        it.event = of_kind<JournalEvent>(io, kEvents, "event");
      if (io.reading().complaint.empty()) (*this)(it.event);
    } else {
      const auto* note = std::get_if<Note>(&it.event);
      io("event", note != nullptr ? kNotes[note->index()] : kEvents[it.event.index()]);
      (*this)(it.event);
    }
  }
};

std::string chain_hash(std::string_view text) { return sha256_hex(text, 16); }

std::string encode(const Line& line) {
  FieldsWriter::Json json;
  FieldsWriter writer(json);
  each_field(writer, line);
  // The words of an engine may be in any encoding.
  return json.dump(-1, ' ', false, FieldsWriter::Json::error_handler_t::replace);
}

std::variant<Line, BadLine> decode(std::string_view text, const TimeZones* zones) {
  const auto json = FieldsReader::Json::parse(text, nullptr, false);
  if (json.is_discarded()) return BadLine{"this is no JSON"};
  if (!json.is_object()) return BadLine{"this is no object of JSON"};
  Reading reading;
  reading.zones = zones;
  FieldsReader reader(json, reading);
  Line line{{}, {}, LifeBegan{}};
  reader("v", line.version);
  if (reading.complaint.empty() && (line.version < kOldestVersion || line.version > kVersion))
    return BadLine{fmt::format("this is version {} of the journal's format, and {} to {} are known here",
                               line.version, kOldestVersion, kVersion)};
  each_field(reader, line);
  if (!reading.complaint.empty()) return BadLine{std::move(reading.complaint)};
  return line;
}

}  // namespace tenure::journal
