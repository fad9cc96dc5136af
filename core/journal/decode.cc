// A journal's line from text. Nothing is taken on trust: a field that is missing, of another type or out of range is
// said, and the rest of the line is not looked at.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/journal/definition_codec.h"
#include "core/journal/kinds.h"
#include "core/journal/line.h"
#include "core/model/describe.h"

namespace tenure::journal {
namespace {

using Json = nlohmann::json;

// The fields of one object. The first complaint stands; what is read after it means nothing.
class Fields {
 public:
  Fields(const Json& json, std::string& complaint) : json_(json), complaint_(complaint) {}

  bool has(const char* key) const { return json_.contains(key); }

  template <class Number>
  Number number(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return {};
    if (value->is_number_unsigned() && std::in_range<Number>(value->get<std::uint64_t>()))
      return static_cast<Number>(value->get<std::uint64_t>());
    if (value->is_number_integer() && !value->is_number_unsigned() &&
        std::in_range<Number>(value->get<std::int64_t>()))
      return static_cast<Number>(value->get<std::int64_t>());
    complain(fmt::format("`{}` is no number that fits there: {}", key, shown(*value)));
    return {};
  }
  // 64 bits, in decimals, as a string.
  std::uint64_t long_number(const char* key) const {
    const std::string text = string(key);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
      complain(fmt::format("`{}` is no number in a string: \"{}\"", key, text));
    return number;
  }
  bool flag(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return false;
    if (value->is_boolean()) return value->get<bool>();
    complain(fmt::format("`{}` is neither true nor false: {}", key, shown(*value)));
    return false;
  }
  std::string string(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    complain(fmt::format("`{}` is no string: {}", key, shown(*value)));
    return {};
  }
  const Json& array(const char* key) const {
    static const Json kNone = Json::array();
    const Json* value = find(key);
    if (value == nullptr) return kNone;
    if (value->is_array()) return *value;
    complain(fmt::format("`{}` is no list: {}", key, shown(*value)));
    return kNone;
  }
  const Json& object(const char* key) const {
    static const Json kNone = Json::object();
    const Json* value = find(key);
    if (value == nullptr) return kNone;
    if (value->is_object()) return *value;
    complain(fmt::format("`{}` is no object: {}", key, shown(*value)));
    return kNone;
  }
  // One of the enumerators from the first on, by what name_of calls it.
  template <class Enum>
  Enum one_of(const char* key, Enum last) const {
    const std::string text = string(key);
    return named<Enum>(key, text, last);
  }
  template <class Enum>
  Enum named(const char* key, std::string_view text, Enum last) const {
    for (int i = 0; i <= static_cast<int>(last); ++i)
      if (name_of(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
    complain(fmt::format("`{}` cannot be \"{}\"", key, text));
    return {};
  }

  StoreTime store_time(const char* key) const {
    const auto us = number<std::int64_t>(key);
    if (us > INT64_MAX / 1'000 || us < INT64_MIN / 1'000) {
      complain(fmt::format("`{}` is no time: {}", key, us));
      return {};
    }
    return StoreTime::from_ns(us * 1'000);
  }
  MonoTime mono(const char* key) const { return MonoTime::from_ns(number<std::int64_t>(key)); }
  Duration duration(const char* key) const { return Duration::nanos(number<std::int64_t>(key)); }
  ResourceId resource() const { return {number<std::uint32_t>("resource")}; }
  Token token() const {
    return {number<std::uint32_t>("branch"), number<std::uint64_t>("epoch"), long_number("nonce")};
  }
  std::optional<Token> maybe_token() const { return has("epoch") ? std::optional(token()) : std::nullopt; }
  reference::EventId event() const {
    reference::EventId event;
    auto& [schedule, slot, run] = event;
    schedule = {number<std::uint32_t>("schedule")};
    slot = store_time("slot_us");
    run = long_number("run");
    return event;
  }

  void complain(std::string what) const {
    if (complaint_.empty()) complaint_ = std::move(what);
  }

 private:
  const Json* find(const char* key) const {
    const auto it = json_.find(key);
    if (it != json_.end()) return &*it;
    complain(fmt::format("`{}` is missing", key));
    return nullptr;
  }
  static std::string shown(const Json& value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 40) + "…";
    return text;
  }

  const Json& json_;
  std::string& complaint_;
};

reference::LedgerRow row_of(const Json& json, std::string& complaint) {
  if (!json.is_object()) complaint = "a row is no object";
  const Fields fields(json, complaint);
  reference::LedgerRow row;
  auto& [schedule, version, from, to, slot, due, what, slots] = row;
  schedule = {fields.number<std::uint32_t>("schedule")};
  version = fields.number<std::uint32_t>("version");
  from = fields.store_time("from_us");
  to = fields.has("to_us") ? fields.store_time("to_us") : StoreTime::max();
  slot = fields.store_time("slot_us");
  if (fields.has("due_us")) due = fields.store_time("due_us");  // since version 4
  what = fields.one_of("what", reference::Disposition::deleted);
  slots = fields.number<std::int64_t>("slots");
  return row;
}

// What a line is read with.
struct Reading {
  Incarnation who;
  const TimeZones* zones = nullptr;
  std::string complaint;
  std::vector<ScheduleId> unread;
};

// nullopt: a definition that cannot be read here, which is noted.
std::optional<reference::Change> change_of(const Json& json, Reading& reading) {
  if (!json.is_object()) reading.complaint = "a change is no object";
  const Fields fields(json, reading.complaint);
  reference::Change change;
  auto& [seq, segment, definition, deleted, unreadable] = change;
  auto& [schedule, version, begin, end, cursor] = segment;
  seq = fields.number<std::uint64_t>("seq");
  schedule = {fields.number<std::uint32_t>("schedule")};
  version = fields.number<std::uint32_t>("version");
  begin = fields.store_time("begin_us");
  cursor = fields.store_time("cursor_us");
  deleted = fields.has("deleted") && fields.flag("deleted");
  if (deleted) return change;
  if (fields.has("unreadable") && fields.flag("unreadable")) {
    reading.unread.push_back(schedule);
    return std::nullopt;
  }
  if (!fields.has("definition")) fields.complain("`definition` is missing");
  if (!reading.complaint.empty()) return std::nullopt;
  auto decoded = decode_definition(json["definition"].dump(-1, ' ', false, Json::error_handler_t::replace),
                                   reading.zones != nullptr ? *reading.zones : only_utc());
  if (auto* readable = std::get_if<Definition>(&decoded)) {
    definition = std::move(*readable);
    return change;
  }
  reading.unread.push_back(schedule);
  return std::nullopt;
}

// Fills in what a kind of request, or of reply, has beside its name.
struct TakeFields {
  const Fields& fields;
  Reading& reading;

  void operator()(reference::Acquire& it) const {
    auto& [resource, holder, epoch_seen, nonce, duration] = it;
    holder = reading.who;
    epoch_seen = fields.number<std::uint64_t>("epoch_seen");
    nonce = fields.long_number("nonce");
    duration = fields.duration("duration_ns");
  }
  void operator()(reference::Renew& it) const {
    auto& [resource, holder, token, duration] = it;
    take_token(holder, token);
    duration = fields.duration("duration_ns");
  }
  void operator()(reference::Release& it) const {
    auto& [resource, holder, token] = it;
    take_token(holder, token);
  }
  void operator()(reference::SetHold& it) const {
    auto& [resource, holder, token, jump] = it;
    take_token(holder, token);
  }
  void operator()(reference::ClearHold& it) const {
    auto& [resource, holder, token] = it;
    take_token(holder, token);
  }
  void operator()(reference::CommitFires& it) const {
    auto& [resource, holder, token, rows] = it;
    take_token(holder, token);
    for (const Json& row : fields.array("rows")) rows.push_back(row_of(row, reading.complaint));
  }
  void operator()(reference::AckEvents& it) const {
    auto& [resource, events] = it;
    if (!fields.has("events")) return;  // before version 4
    for (const Json& event : fields.array("events")) {
      if (!event.is_object()) fields.complain("an event is no object");
      events.push_back(Fields(event, reading.complaint).event());
    }
  }
  void operator()(reference::GiveUpEvents& it) const {
    auto& [resource, holder, token, events] = it;
    take_token(holder, token);
    for (const Json& event : fields.array("events")) {
      if (!event.is_object()) fields.complain("an event is no object");
      const Fields given_up(event, reading.complaint);
      events.push_back({given_up.event(), given_up.number<std::uint32_t>("attempts")});
    }
  }
  void operator()(reference::ChangesSince& it) const {
    auto& [resource, seq, limit] = it;
    if (fields.has("from_seq")) seq = fields.number<std::uint64_t>("from_seq");
  }
  void operator()(reference::Granted& it) const {
    auto& [token, duration] = it;
    token = fields.token();
    duration = fields.duration("duration_ns");
  }
  void operator()(reference::Refused& it) const {
    auto& [why, holder, epoch, remaining] = it;
    why = fields.one_of("why_refused", reference::Denial::stale_view);
    remaining = fields.duration("remaining_ns");
    if (!fields.has("holder_life")) return;  // before version 4
    holder = {{fields.number<std::uint32_t>("holder_node")}, fields.number<std::uint32_t>("holder_life")};
    epoch = fields.number<std::uint64_t>("held_epoch");
  }
  void operator()(reference::Committed& it) const {
    auto& [rows] = it;
    for (const Json& row : fields.array("rows"))
      rows.push_back(fields.named("rows", row.is_string() ? row.get<std::string>() : "",
                                  reference::RowResult::overlapped));
  }
  void operator()(reference::CommitRefused& it) const {
    auto& [why, held] = it;
    why = fields.one_of("why_refused", reference::Denial::stale_view);
    held = fields.flag("held");
  }
  void operator()(reference::Changes& it) const {
    auto& [changes, seq, more, hold, branch] = it;
    if (!fields.has("changes")) return;  // before version 4
    if (fields.has("branch"))
      it.branch = fields.number<std::uint32_t>("branch");  // the first of version 4 did not say
    for (const Json& one : fields.array("changes"))
      if (auto change = change_of(one, reading)) changes.push_back(std::move(*change));
  }
  template <class Other>
    requires kHasNameOnly<Other>
  void operator()(Other&) const {}

  // Who asks is who writes the line.
  void take_token(Incarnation& holder, Token& token) const {
    holder = reading.who;
    token = fields.token();
  }
};

// The alternative of that place, empty.
template <class Variant, std::size_t kPlace = 0>
Variant alternative(std::size_t place) {
  if constexpr (kPlace + 1 < std::variant_size_v<Variant>)
    if (place != kPlace) return alternative<Variant, kPlace + 1>(place);
  return Variant(std::in_place_index<kPlace>);
}

// Empty, of the kind that the line names.
template <class Variant, class Kinds>
Variant named_kind(const Kinds& kinds, const Fields& fields) {
  const std::string kind = fields.string("kind");
  const auto it = std::find(kinds.begin(), kinds.end(), kind);
  if (it != kinds.end()) return alternative<Variant>(static_cast<std::size_t>(it - kinds.begin()));
  fields.complain(fmt::format("`kind` cannot be \"{}\"", kind));
  return {};
}

template <class Variant, class Kinds>
Variant of_kind(const Kinds& kinds, const Fields& fields, Reading& reading) {
  auto made = named_kind<Variant>(kinds, fields);
  if (reading.complaint.empty()) std::visit(TakeFields{fields, reading}, made);
  return made;
}

ClientChange client_change_of(const Fields& fields) {
  const auto request = named_kind<reference::Request>(kRequestKinds, fields);
  if (!clients_change_with(request))
    fields.complain(fmt::format("`kind` cannot be \"{}\" of a client", kRequestKinds.at(request.index())));
  ClientChange it{.kind = request.index(), .resource = fields.resource()};
  if (std::holds_alternative<reference::TriggerSchedule>(request) ||
      std::holds_alternative<reference::BackfillSchedule>(request))
    it.run = ClientChange::Run{{fields.number<std::uint32_t>("schedule")}, fields.long_number("run")};
  const auto outcome = fields.one_of("outcome", RequestOutcome::unknown);
  if (outcome == RequestOutcome::rejected)
    fields.complain("`outcome` cannot be \"rejected\" of a client: nothing was changed");
  if (outcome == RequestOutcome::applied) {
    std::optional<std::uint64_t> change_seq;
    if (fields.has("change_seq")) change_seq = fields.number<std::uint64_t>("change_seq");
    it.done = ClientChange::Done{fields.store_time("store_time_us"), fields.number<std::uint64_t>("position"),
                                 change_seq};
  } else {
    it.asked = fields.mono("asked_mono");
  }
  return it;
}

Part part_of(const Fields& fields) {
  const std::string part = fields.string("part");
  if (part != "elector" && part != "scheduler") fields.complain(fmt::format("`part` cannot be \"{}\"", part));
  return part == "scheduler" ? Part::scheduler : Part::elector;
}

LifeBegan began_of(const Fields& fields) {
  LifeBegan began{fields.string("boot")};
  if (!fields.has("settings")) return began;  // before version 4
  for (const auto& [name, value] : fields.object("settings").items())
    if (value.is_number_integer()) began.settings[name] = value.get<std::int64_t>();
  return began;
}

JournalEvent event_of(const Fields& fields, Reading& reading) {
  const std::string event = fields.string("event");
  if (event == "started") return began_of(fields);
  if (event == "store") return StoreFound{fields.string("identity")};
  if (event == "died") return LifeEnded{fields.string("how") == "stopped"};
  if (event == "believes") {
    Believes it{fields.resource(), fields.maybe_token(), Open{}};
    if (fields.has("until_mono"))
      it.until = fields.mono("until_mono");
    else if (fields.has("until_wall"))
      it.until = WallTime::from_ns(fields.number<std::int64_t>("until_wall"));
    else if (!fields.flag("open"))
      fields.complain("`open` is false, and no other end is given");
    return Note{it};
  }
  if (event == "steps-down") return Note{StepsDown{fields.resource(), ""}};
  if (event == "checked") return Note{LeadershipChecked{fields.resource()}};
  if (event == "clock-alarm") return Note{ClockAlarm{fields.duration("jump_ns")}};
  if (event == "remark") return Note{Remark{"", fields.number<std::int64_t>("value")}};
  if (event == "design-error") return Note{DesignError{""}};
  if (event == "stop-heard") return StopAsked{};
  if (event == "stopped") return Note{Stopped{}};
  if (event == "work")
    return WorkItem{fields.resource(), fields.event(), fields.maybe_token(), fields.flag("once")};
  if (event == "work-done") {
    WorkDone it{fields.event(), fields.one_of("result", WorkResult::failed)};
    if (fields.has("retry_after_ns")) it.retry_after = fields.duration("retry_after_ns");
    return it;
  }
  if (event == "client") return client_change_of(fields);
  const RequestId id{reading.who, fields.number<std::uint32_t>("request")};
  const StoreId store{fields.number<std::uint32_t>("store")};
  if (event == "submitted") {
    auto request = of_kind<reference::Request>(kRequestKinds, fields, reading);
    std::visit([&](auto& one) { one.resource = fields.resource(); }, request);
    return Asked{id, {store, part_of(fields), std::move(request), MonoTime::max(), fields.flag("as_leader")}};
  }
  if (event != "answered") {
    reading.complaint = fmt::format("`event` cannot be \"{}\"", event);
    return {};
  }
  Answered it{.id = id,
              .store = store,
              .part = part_of(fields),
              .outcome = fields.one_of("outcome", RequestOutcome::unknown),
              .message = {},
              .store_time = {}};
  if (it.outcome != RequestOutcome::applied) return it;
  it.store_time = fields.store_time("store_time_us");
  it.position = fields.number<std::uint64_t>("position");
  it.changed = fields.flag("changed");
  it.reply = of_kind<reference::Reply>(kReplyKinds, fields, reading);
  it.unread = std::move(reading.unread);
  return it;
}

}  // namespace

std::variant<Line, BadLine> decode(std::string_view text, const TimeZones* zones) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return BadLine{"this is no JSON"};
  if (!json.is_object()) return BadLine{"this is no object of JSON"};
  Reading reading;
  reading.zones = zones;
  std::string& complaint = reading.complaint;
  const Fields fields(json, complaint);
  const auto version = fields.number<std::int64_t>("v");
  if (complaint.empty() && (version < kOldestVersion || version > kVersion))
    return BadLine{fmt::format("this is version {} of the journal's format, and {} to {} are known here",
                               version, kOldestVersion, kVersion)};
  Line line{{BootTime::from_ns(fields.number<std::int64_t>("at")), fields.mono("mono")},
            {{fields.number<std::uint32_t>("node")}, fields.number<std::uint32_t>("life")},
            LifeBegan{{}},
            version >= kNumberedSince ? fields.number<std::uint64_t>("seq") : 0};
  if (complaint.empty() && version >= kNumberedSince && line.seq == 0) complaint = "`seq` counts from 1";
  line.version = version;
  if (complaint.empty() && version >= kChainedSince) {
    line.prev = fields.string("prev");
    if (complaint.empty() && line.prev.size() != kFirstPrev.size()) complaint = "`prev` is no hash of a line";
  }
  reading.who = line.who;
  if (complaint.empty()) line.event = event_of(fields, reading);
  if (!complaint.empty()) return BadLine{std::move(complaint)};
  return line;
}

}  // namespace tenure::journal
