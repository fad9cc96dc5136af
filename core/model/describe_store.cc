// The reference store's requests and replies in words; the rest of describe.h is in describe.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/one_of.h"
#include "core/base/readable_text.h"
#include "core/model/describe.h"
#include "core/store/reference/fields.h"

namespace tenure {

std::string on_one_line(std::string_view long_text) {
  constexpr std::size_t kShown = 80;
  std::string text;
  for (const char c : long_text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  if (text.size() <= kShown) return readable_text(text);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a character
  return readable_text(text.substr(0, end)) + "…";
}

std::string in_resource(ResourceId resource) {
  return resource.value == 0 ? std::string{} : fmt::format(" (resource {})", resource.value);
}

std::string describe(const Definition& definition) {
  struct Words {
    std::string operator()(const Interval& it) const {
      return fmt::format("every {} from {}", tenure::describe(it.period), tenure::describe(it.start));
    }
    std::string operator()(const CronRule& it) const {
      return fmt::format("cron `{}` in {}", it.cron->text(), it.zone->name());
    }
    std::string operator()(const Times& it) const {
      return fmt::format("{} times from {}", it.at->size(), tenure::describe(it.at->front()));
    }
  };
  const auto& [kind, destination, strict_order, attempts, back_off, longest_back_off] = definition.delivery;
  std::string text = std::visit(Words{}, definition.recurrence) + (definition.paused ? ", paused" : "");
  if (kind == Delivery::Kind::pull) text += ", pulled";
  if (kind == Delivery::Kind::push) text += ", pushed to `" + on_one_line(destination) + "`";
  return text + (strict_order ? " in strict order" : "");
}

namespace reference {
namespace {

std::string_view name_of(LogAction it) {
  constexpr std::string_view kNames[] = {"put", "paused", "resumed", "deleted"};
  return kNames[static_cast<std::size_t>(it)];
}
using tenure::name_of;

// What each kind of request, reply, and part of them says. `{field}` is a field's own words: `{field:hex}` in
// hexadecimal digits, `{field:line}` on one line, `{field:count}` how many there are. `<field:…>` is said if there is
// such a field, and `<!field:…>` if there is none (is_there).
struct Sentence {
  std::string_view type;
  std::string_view text;
};
constexpr Sentence kSentences[] = {
    // requests
    {"Acquire", "acquire as {holder}, epoch seen {epoch_seen}, nonce {nonce:hex}, for {duration}"},
    {"Renew", "renew as {holder}, {token}, for {duration}"},
    {"Release", "release as {holder}, {token}"},
    {"PutSchedule", "put schedule {schedule} over version {expected_version}: {definition}"},
    {"DeleteSchedule", "delete schedule {schedule} at version {expected_version}"},
    {"TriggerSchedule", "trigger schedule {schedule} run {run} of {at}"},
    {"BackfillSchedule", "backfill schedule {schedule} run {run}, {slots:count} slots"},
    {"ReadDue", "read due before {horizon}, at most {limit}<after:, after {after}>"},
    {"CommitFires", "commit fires as {holder}, {token}: {rows}"},
    {"ReadOutbox", "read outbox after {after}, at most {limit}"},
    {"AckEvents", "acknowledge {events}"},
    {"GiveUpEvents", "give up as {holder}, {token}: {events}"},
    {"ReadDead", "read <discarded:discarded><!discarded:dead> events after {after}, at most {limit}"},
    {"DiscardDead", "discard {events}<actor: as `{actor:line}`>"},
    {"Redrive", "redrive {events}"},
    {"ChangesSince", "changes since {seq}, at most {limit}"},
    {"SetHold", "set hold as {holder}, {token}, jump {jump}"},
    {"ClearHold", "clear hold as {holder}, {token}"},
    {"Prune", "prune before {before}, at most {limit}"},
    {"PutNamed",
     "put schedule `{name}` <expected:over {expected}><!expected:which is new>: {definition}, {payload}"
     "<actor: by {actor:line}>"},
    {"DeleteNamed", "delete schedule `{name}` at {expected}<actor: by {actor:line}>"},
    {"PauseNamed",
     "<paused:pause><!paused:resume> schedule `{name}`<actor: by {actor:line}><why:: {why:line}>"},
    {"ReadNamed", "read schedule `{name}`"},
    {"ListNamed", "list schedules after `{after}`, at most {limit}"},
    {"ReadPayloads", "read payloads of {events}"},
    {"ReadLog", "read log after {after}, at most {limit}"},
    {"ReadHistory",
     "read history<schedule: of schedule {schedule}> <newest_first:before><!newest_first:after> {after}, at "
     "most "
     "{limit}"},
    {"ReadWaiting", "read what waits for {kind}<name: of `{name:line}`> after {after}, at most {limit}"},
    {"ReadDepths", "read how much waits<ahead:, and what is ahead>"},
    {"ClaimExecutions",
     "claim at most {max} of `{topic:line}` for {duration} as `{worker:line}`, nonce {nonce:hex}"},
    {"ExtendExecutions", "extend for <duration:{duration}><!duration:as long as before>: {executions}"},
    {"EndExecutions", "end {ends}"},
    {"ReleaseExecutions", "release {executions}"},
    {"RegisterNode", "register instance `{name:line}`"},
    {"ReadNodes", "read instances"},
    // replies
    {"Granted", "granted {token} for {duration}"},
    {"Refused", "refused: {why}, held by {holder}, epoch {epoch}, {remaining} left"},
    {"Released", "released"},
    {"Edited", "edited: version {version}, change {change_seq}<first_at:, first asked for at {first_at}>"},
    {"EditRefused", "edit refused: {why}, version {version}"},
    {"Due", "due {segments}<more: and more>, changes up to {change_seq}, {hold}"},
    {"Committed", "committed {rows}"},
    {"CommitRefused", "commit refused: <held:held><!held:{why}>"},
    {"Outbox", "outbox {events}<more: and more><push_waits:, events for destinations wait>"},
    {"Acknowledged", "acknowledged<claimed:, but for {claimed} that are claimed>"},
    {"GivenUp", "given up"},
    {"Dead", "<discards:discarded><!discards:dead> {events}<more: and more>"},
    {"Discarded", "discarded: {events} events"},
    {"Redriven", "redriven: {events} events"},
    {"Changes", "changes {changes}<more: and more> up to {seq}, {hold}"},
    {"HoldSet", "{hold}"},
    {"Pruned", "pruned {rows} rows"},
    {"NamedEdited", "edited: {edition}, change {change_seq}"},
    {"NamedRefused", "edit refused: {why}, <edition:it is {edition}><!edition:no schedule has the name>"},
    {"NamedSchedules", "schedules {schedules}<more: and more>"},
    {"Payloads", "payloads {events}"},
    {"Log", "log {entries}<more: and more>"},
    {"HistoryPage", "history {rows}<more: and more> up to {last}"},
    {"WaitingEvents", "waiting {events}<more: and more>"},
    {"Depths",
     "waiting: work {work}, pull {pull}, push {push}, dead {dead}<ahead:; {ahead} ahead until "
     "{ahead_until}>"},
    {"ClaimedExecutions", "claimed {executions}"},
    {"ExecutionStates", "executions {executions}"},
    {"NodeRegistered", "registered as {node}"},
    {"RegisteredNodes", "instances {nodes}"},
    // parts of them
    {"Segment", "schedule {schedule} v{version} at {cursor}<end: ending {end}>"},
    {"Hold", "held since {since} for a jump of {jump}"},
    {"OutboxEvent", "{seq}: {id}"},
    {"DeliveredEvent", "{id}<to: to {to}>"},
    {"DeadEvent", "<seq:{seq}: >{id}, {attempts} attempts<since:, since {since}><why:: {why:line}>"},
    {"Change",
     "{seq}: {segment} <deleted:deleted><!deleted:<unreadable:unreadable><!unreadable:{definition}>>"},
    {"Payload", "payload of {data:count} bytes ({data:digest}) for topic `{topic:line}`"},
    {"Edition", "{schedule}.{version}"},
    {"NamedSchedule",
     "{name} {edition} <unreadable:unreadable><!unreadable:{definition}>, {payload}, covered until "
     "{covered}"},
    {"EventPayload", "{event}: <found:{name} v{version}, {payload}><!found:not here>"},
    {"LogEntry", "{seq}: {name} {edition} {what}<actor: by {actor:line}><why:: {why:line}>"},
    {"ExecutionToken", "{event} attempt {attempt} nonce {nonce:hex}"},
    {"ExecutionEnd", "{token}<failed: failed><!failed: completed><why:: {why:line}>"},
    {"Execution", "{seq}: {token} v{version} until {until}"},
    {"ExecutionState", "{standing}<until: until {until}>"},
    {"WaitingEvent",
     "{seq}: {id} v{version} for `{name:line}`"
     "<attempt:, attempt {attempt}<claimed: claimed until ><!claimed: over, waits until >{until}>"},
    {"HistoryRow",
     "{seq}: schedule {schedule} v{version} {what}<slot: {slot}><run: run {run}><slots: for {slots} slots>"},
    {"RegisteredNode", "{node} `{name:line}`, seen {seen}"},
    {"Depth", "<events:{events} since {oldest}><!events:none>"},
};

std::string_view sentence_of(std::string_view type) {
  const auto found = std::ranges::find(kSentences, type, &Sentence::type);
  CHECK(found != std::end(kSentences), "all that is described has a sentence");
  return found->text;
}

// Where the `<…>` ends that the text begins with.
std::size_t end_of_part(std::string_view text) {
  int open = 0;
  for (std::size_t at = 0;; ++at) {
    CHECK(at < text.size(), "what is opened is closed");
    if (text[at] == '<') ++open;
    if (text[at] == '>' && --open == 0) return at;
  }
}

bool is_there(const Edition& edition) { return edition.version != 0; }
bool is_there(std::int64_t slots) { return slots > 1; }
template <class T>
bool is_there(const T& value) {
  if constexpr (std::is_same_v<T, StoreTime>)
    return value != StoreTime{} && value != StoreTime::max();
  else if constexpr (requires { value.empty(); })
    return !value.empty();
  else if constexpr (requires { value.has_value(); })
    return value.has_value();
  else if constexpr (requires { value != T{}; })
    return value != T{};
  else
    CHECK(false, "a part is there or not by a field that can be nothing");
}

struct Sentences {
  NodeNames names = NodeNames::from_one;

  template <class Message>
  std::string operator()(const Message& it) const {
    static const std::string_view sentence = sentence_of(names_of(it).type);
    std::string text = say(sentence, it);
    if constexpr (requires { it.resource; }) text += in_resource(it.resource);
    return text;
  }

 private:
  template <class T>
  std::string say(std::string_view sentence, const T& it) const {
    std::string text;
    while (!sentence.empty()) {
      std::size_t length = std::min(sentence.find_first_of("{<"), sentence.size());
      text += sentence.substr(0, length);
      sentence.remove_prefix(length);
      if (sentence.empty()) break;
      const bool is_field = sentence.front() == '{';
      length = is_field ? sentence.find('}') : end_of_part(sentence);
      const std::string_view part = sentence.substr(1, length - 1);
      sentence.remove_prefix(length + 1);
      const std::size_t colon = std::min(part.find(':'), part.size());
      const std::string_view rest = part.substr(std::min(colon + 1, part.size()));
      const bool negated = part.starts_with('!');
      const std::string_view wanted = part.substr(negated ? 1 : 0, colon - (negated ? 1 : 0));
      visit_named_fields(it, [&](std::string_view name, const auto& field) {
        if (name != wanted) return;
        if (is_field)
          text += in_form(rest, field);
        else if (is_there(field) != negated)
          text += say(rest, it);
      });
    }
    return text;
  }

  template <class T>
  std::string in_form(std::string_view form, const T& field) const {
    if (form.empty()) return words(field);
    if constexpr (std::is_same_v<T, std::uint64_t>) return fmt::format("{:x}", field);
    if constexpr (std::is_same_v<T, std::optional<std::string>>) return on_one_line(*field);
    if constexpr (std::is_same_v<T, std::string>) {
      if (form == "line") return on_one_line(field);
      if (form == "digest") return fmt::format("{:x}", hash_text(field));
    }
    if constexpr (requires { field.size(); }) return std::to_string(field.size());
    CHECK(false, "a field has a form that fits it");
  }

  template <class T>
  std::string words(const T& it) const {
    if constexpr (std::is_same_v<T, Incarnation>)
      return describe(it, names);
    else if constexpr (std::is_same_v<T, std::optional<Hold>>)
      return it ? (*this)(*it) : "no hold";
    else if constexpr (kIsOneOf<T, Token, Duration, StoreTime, Definition, EventId>)
      return describe(it);
    else if constexpr (std::is_enum_v<T>)
      return std::string(name_of(it));
    else if constexpr (HasFields<T>)
      return (*this)(it);
    else if constexpr (requires { it.value(); })
      return words(*it);
    else if constexpr (requires { it.value; })
      return std::to_string(it.value);
    else if constexpr (std::is_same_v<T, std::string>)
      return it;
    else if constexpr (requires { it.begin(); })
      return list(it);
    else if constexpr (requires { std::to_string(it); })
      return std::to_string(it);
    else
      CHECK(false, "what a sentence names has words");
  }
  std::string words(const LedgerRow& it) const {
    return fmt::format("schedule {} v{} {} [{}, {}){}", it.schedule.value, it.version, name_of(it.what),
                       describe(it.from), describe(it.to),
                       it.slots != 1 ? fmt::format(" {} slots", it.slots) : "");
  }
  template <class T>
  std::string list(const std::vector<T>& items) const {
    std::string text = "[";
    for (const T& item : items) text.append(text.size() > 1 ? "; " : "").append(words(item));
    return text + "]";
  }
};

}  // namespace
}  // namespace reference

namespace {

template <class Family, class Message>
std::string describe_any(const Message& message) {
  const auto* open = std::get_if<OpenMessage>(&message);
  return open != nullptr ? open->describe() : std::visit(reference::Sentences{}, std::get<Family>(message));
}

}  // namespace

std::string describe(const Request& request) { return describe_any<reference::Request>(request); }
std::string describe(const Reply& reply) { return describe_any<reference::Reply>(reply); }
std::string describe(const reference::Request& request, NodeNames names) {
  return std::visit(reference::Sentences{names}, request);
}
std::string describe(const reference::Reply& reply, NodeNames names) {
  return std::visit(reference::Sentences{names}, reply);
}

}  // namespace tenure
