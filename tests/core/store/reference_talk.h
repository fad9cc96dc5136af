// The reference store as text (tests/support/interaction.h): requests by their fields (tests/support/field_words.h),
// and answers with the fields that are not as by default. Times are seconds; the first one is 1000.
//
//   +5s acquire 1; -1h; at 1025; n2: acquire 1 nonce=7     # the clock moves first; n2 asks, else who has asked last
//   n1: lead 9h; renew 20s; release; release token=1:2/7   # lead: with the right epoch; the token is the last one had
//   put_schedule 1 0 (every 10s from 2000 paused); put_named report - (once 1010) (mail) ann
//   commit_fires (fired 1.1 1000..1010; missed 1.1 1010..1020 due 1013; fired 1.1 1020..1040 slot 1030 x2); fire 1
//   ack_events (1@1000; 1@1000#5 kind=pull)                # schedule, slot, run; fire: the next slot
//   create report; pulls strict                            # by name; one whose events are pulled
//   claim 2 of post; end_executions (%1 failed=true)       # for 10s; executions are numbered as they are handed out
//   lease; ledger; heard; keep history; promote 2; backup; failover  # to the backup, which is promoted
//
// An answer ends with * when the request has changed the store.
//
// Thread rule: one test.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/one_of.h"
#include "core/model/describe.h"
#include "core/store/reference/fields.h"
#include "tests/core/store/reference_fixture.h"
#include "tests/support/field_words.h"

namespace tenure::testing {

using namespace reference;  // NOLINT: all that is read here is of that store

template <>
struct FromText<Incarnation> {
  static constexpr bool kOnlyByName = true;
  static Incarnation read(const std::string& text) { return incarnation_of(text); }
};
template <>
struct FromText<Token> {
  static constexpr bool kOnlyByName = true;
  static Token read(const std::string& text) { return read_token(text); }
};
template <>
struct FromText<StoreTime> {
  static StoreTime read(const std::string& text) {
    if (text == "never") return StoreTime::max();
    if (text == "last") return StoreTime::max() - kMicro;
    return StoreTime{} + duration_of(text + "s").value();
  }
};
template <>
struct FromText<Edition> {
  static Edition read(const std::string& text) {
    return {FromText<ScheduleId>::read(text),
            static_cast<std::uint32_t>(std::stoul(text.substr(text.find('.') + 1)))};
  }
};
template <>
struct FromText<EventId> {
  static EventId read(const std::string& text) {
    const std::size_t slot = text.find('@') + 1;
    const std::size_t run = text.find('#');
    return {FromText<ScheduleId>::read(text), FromText<StoreTime>::read(text.substr(slot, run - slot)),
            run == std::string::npos ? 0 : std::stoull(text.substr(run + 1))};
  }
};
// "1@1000/2/7": its second attempt, with nonce 7.
template <>
struct FromText<ExecutionToken> {
  static ExecutionToken read(const std::string& text) {
    const std::size_t attempt = text.find('/');
    const std::size_t nonce = text.rfind('/');
    return {FromText<EventId>::read(text.substr(0, attempt)),
            static_cast<std::uint32_t>(std::stoul(text.substr(attempt + 1))),
            std::stoull(text.substr(nonce + 1))};
  }
};
template <>
struct FromText<LedgerRow> {
  static LedgerRow read(const std::string& text) {
    Words words(text);
    const auto what = FromText<Disposition>::read(words.next());
    const Edition of = FromText<Edition>::read(words.next());
    const std::string reach = words.next();
    const std::size_t dots = reach.find("..");
    LedgerRow row =
        range(of.schedule.value, of.version, time(reach.substr(0, dots)), time(reach.substr(dots + 2)), what);
    if (what == Disposition::fired) row.slot = row.due = row.from;
    if (const std::string slot = words.cut("slot"); !slot.empty()) row.slot = row.due = time(slot);
    if (const std::string due = words.cut("due"); !due.empty()) row.due = time(due);
    if (!words.done()) row.slots = std::stoll(words.next().substr(1));
    return row;
  }
  static StoreTime time(const std::string& text) { return FromText<StoreTime>::read(text); }
};
// What others deliver is tried three times, after 1s and 2s.
template <>
struct FromText<Definition> {
  static Definition read(const std::string& text) {
    Words words(text);
    Definition made = every(Duration::seconds(10));
    if (words.take("once"))
      made.recurrence =
          Times{std::make_shared<const std::vector<StoreTime>>(1, FromText<StoreTime>::read(words.next()))};
    if (words.take("every")) made = every(duration_of(words.next()).value());
    if (const std::string from = words.cut("from"); !from.empty())
      std::get<Interval>(made.recurrence).start = FromText<StoreTime>::read(from);
    made.delivery.destination = words.cut("to");
    if (!made.delivery.destination.empty()) made.delivery.kind = Delivery::Kind::push;
    if (words.take("pulled")) made.delivery.kind = Delivery::Kind::pull;
    made.paused = words.take("paused");
    made.delivery.strict_order = words.take("strict");
    for (const auto& [name, overlap] : {std::pair{"allow", Overlap::allow},
                                        {"skip", Overlap::skip},
                                        {"queue_one", Overlap::queue_one},
                                        {"replace", Overlap::replace}})
      if (words.take(name)) made.overlap = overlap;
    EXPECT_TRUE(words.done()) << words.all();
    if (made.delivery.kind != Delivery::Kind::work) made.delivery.attempts = 3;
    return made;
  }
};

// ---- answers ---------------------------------------------------------------------------------------------

inline std::string shown(std::integral auto number) { return std::to_string(number); }
inline std::string shown(const std::string& text) { return text; }
template <class Enum>
  requires std::is_enum_v<Enum> std::string shown(Enum value) { return std::string(name_of(value)); }
inline std::string shown(LogAction it) {
  constexpr const char* kNames[] = {"put", "paused", "resumed", "deleted"};
  return kNames[static_cast<std::size_t>(it)];
}
inline std::string shown(Duration it) { return describe(it); }
inline std::string shown(StoreTime it) {
  std::string text = it == StoreTime::max() ? "never " : describe(it - StoreTime{});
  text.pop_back();
  return text;
}
inline std::string shown(Incarnation it) { return describe(it); }
inline std::string shown(NodeId it) { return std::to_string(it.value); }
inline std::string shown(ScheduleId it) { return std::to_string(it.value); }
inline std::string shown(const Token& it) { return fmt::format("{}:{}/{}", it.branch, it.epoch, it.nonce); }
inline std::string shown(const EventId& it) {
  return shown(it.schedule) + "@" + shown(it.slot) + (it.run == 0 ? "" : "#" + std::to_string(it.run));
}
inline std::string shown(const Edition& it) { return fmt::format("{}.{}", it.schedule.value, it.version); }
inline std::string shown(const Label& it) { return it.name + ":" + it.value; }
inline std::string shown(const Definition& it) {
  const auto* interval = std::get_if<Interval>(&it.recurrence);
  return (interval != nullptr ? "every " + shown(interval->period) : "once") + (it.paused ? " paused" : "");
}
inline std::string shown(const Segment& it) {
  return shown(Edition{it.schedule, it.version}) + " " + shown(it.begin) + ".." +
         (it.end == StoreTime::max() ? "" : shown(it.end)) + " at " + shown(it.cursor);
}
inline std::string shown(const LedgerRow& it) {
  return shown(it.what) + " " + shown(Edition{it.schedule, it.version}) + " " + shown(it.from) + ".." +
         shown(it.to) + (it.slot == StoreTime{} ? "" : " into " + shown(it.slot));
}
inline std::string shown(const HistoryRow& it) {
  return fmt::format(
      "{}: {} {}{}{} {}..{}{} at {}", it.seq, shown(it.what), shown(Edition{it.schedule, it.version}),
      it.slot == StoreTime{} ? "" : " " + shown(it.slot), it.run == 0 ? "" : "#" + shown(it.run),
      shown(it.from), shown(it.to), it.slots > 1 ? " x" + shown(it.slots) : "", shown(it.at));
}
inline std::string shown(const Execution& it) {
  return fmt::format("{} attempt {} until {}", shown(it.token.event), it.token.attempt, shown(it.until));
}
template <HasFields T>
std::string shown(const T& value);
template <class T>
std::string shown(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : "; ") + shown(value);
  return "[" + text + "]";
}
// " name=value", if it says something. The first list and what names an event or a version need no name.
template <class T>
std::string shown_field(std::string_view name, const T& value, bool is_first = false) {
  if constexpr (kIsOneOf<T, ResourceId, Delivery>) {
    return "";
  } else if constexpr (requires {
                         value.empty();
                         value.begin();
                       } &&
                       !kIsOneOf<T, std::string>) {
    if (is_first) return " " + shown(value);
    return value.empty() ? "" : fmt::format(" {}={}", name, shown(value));
  } else if constexpr (kIsOneOf<T, bool>) {
    return value ? " " + std::string(name) : "";
  } else if constexpr (std::is_enum_v<T> || kIsOneOf<T, EventId, Edition>) {
    return value == T{} && !std::is_enum_v<T> ? "" : " " + shown(value);
  } else if constexpr (requires { value.has_value(); }) {
    return value ? shown_field(name, *value) : "";
  } else {
    if constexpr (std::equality_comparable<T>)
      if (value == T{}) return "";
    const std::string text = shown(value);
    const bool is_one_word = text.find(' ') == std::string::npos;
    if (text.empty()) return "";
    return is_one_word ? fmt::format(" {}={}", name, text) : fmt::format(" {}=({})", name, text);
  }
}
template <HasFields T>
std::string shown(const T& value) {
  std::string text;
  visit_named_fields(value, [&](std::string_view name, const auto& field) {
    text += shown_field(name, field, text.empty());
  });
  return text.empty() ? text : text.substr(1);
}

class ReferenceTalk {
 public:
  explicit ReferenceTalk(const std::string&) {}

  std::string say(const std::string& line) {
    answers_.clear();
    for (const std::string& statement : parts(line, ';')) do_one(Words(statement));
    return wrapped(answers_, "; ");
  }
  std::string end() { return ""; }

 private:
  void do_one(Words words) {
    if (words.peek().starts_with('+') || words.peek().starts_with('-'))
      it_.now += duration_of(words.next()).value();
    else if (words.take("at"))
      it_.now = FromText<StoreTime>::read(words.next());
    if (words.peek().ends_with(':')) holder_ = FromText<Incarnation>::read(words.next());
    if (words.done()) return;
    if (words.take("promote 2")) {
      it_.store.promote(2);
    } else if (words.take("keep history")) {
      it_.store = ReferenceStore::with_history();
    } else if (words.take("backup")) {
      backup_ = it_.store;
    } else if (words.take("failover")) {
      it_.store = backup_;
      it_.store.promote(2);
    } else if (words.take("heard")) {
      for (const Notification& one : std::exchange(it_.heard, {})) answers_.emplace_back(name_of(one.what));
    } else if (words.take("lease")) {
      const Lease lease = it_.lease();
      answers_.push_back(fmt::format("lease {} {} until {}", shown(lease.holder), shown(lease.token()),
                                     shown(lease.expires_at)));
    } else if (words.take("ledger")) {
      const Ledger ledger = it_.ledger();
      answers_.push_back("ledger " + shown(ledger.exceptions) + ", segments " + shown(ledger.watermarks));
    } else if (words.take("lead")) {
      ask(Acquire{
          {}, {}, it_.lease().epoch, 0, words.done() ? Duration{} : duration_of(words.next()).value()});
    } else if (words.take("pulls")) {
      do_one(Words("put_named report - (every 10s pulled " + words.rest() + ") (mail)"));
    } else if (words.take("create")) {
      do_one(Words("put_named " + words.rest() + " - (every 10s) (mail report {} ((team ops)) reports) ann"));
    } else if (words.take("claim")) {
      const std::string topic = words.cut("of");
      const std::uint32_t most = words.done() ? 9 : static_cast<std::uint32_t>(words.number());
      ask(ClaimExecutions{{}, topic.empty() ? "mail" : topic, most, Duration::seconds(10), "w"});
    } else if (words.take("fire")) {
      fire(words.done() ? ScheduleId{1} : FromText<ScheduleId>::read(words.next()));
    } else {
      reference::Request::Alternatives asked;
      read(with_executions(words.rest()), asked);
      std::visit([this](const auto& it) { ask(it); }, asked);
    }
  }

  // What a request does not say is as it usually is.
  template <class Asked>
  void ask(Asked asked) {
    if constexpr (requires { asked.resource; })
      if (asked.resource == ResourceId{}) asked.resource = kResource;
    if constexpr (requires { asked.holder; }) {
      if (asked.holder == Incarnation{}) asked.holder = holder_;
      holder_ = asked.holder;
    }
    if constexpr (requires { asked.token; })
      if (asked.token == Token{}) asked.token = tokens_.contains(holder_) ? tokens_[holder_] : last_token_;
    if constexpr (requires { asked.nonce; })
      if (asked.nonce == 0) asked.nonce = ++it_.nonces;
    if constexpr (kIsOneOf<Asked, Acquire, Renew>)
      if (asked.duration == Duration{}) asked.duration = Duration::seconds(15);
    const std::uint64_t before = hash();
    const reference::Reply reply = it_.ask(asked);
    const std::string changed = hash() == before ? "" : " *";
    std::visit(
        [&](const auto& it) {
          std::string text = snake_case(names_of(it).type) + " " + shown(it);
          if (text.ends_with(' ')) text.pop_back();
          answers_.push_back(text + changed);
        },
        reply);
    if (const auto* granted = std::get_if<Granted>(&reply)) tokens_[holder_] = last_token_ = granted->token;
    if (const auto* claimed = std::get_if<ClaimedExecutions>(&reply))
      for (const Execution& one : claimed->executions)
        executions_.push_back(
            fmt::format("{}/{}/{}", shown(one.token.event), one.token.attempt, one.token.nonce));
  }
  std::uint64_t hash() const {
    Hasher hasher;
    it_.store.hash(hasher, it_.now);
    return hasher.value();
  }
  // The leader commits the next slot, when that has come.
  void fire(ScheduleId schedule) {
    for (const Segment& segment : it_.due(StoreTime::max()).segments) {
      if (segment.schedule != schedule) continue;
      it_.now = std::max(it_.now, segment.cursor);
      const StoreTime to = segment.cursor + Duration::seconds(10);
      return ask(CommitFires{{}, {}, {}, {fired(schedule.value, segment.version, segment.cursor, to)}});
    }
  }
  std::string with_executions(std::string text) const {
    for (std::size_t number = executions_.size(); number > 0; --number) {
      const std::string name = "%" + std::to_string(number);
      if (const std::size_t at = text.find(name); at != std::string::npos)
        text.replace(at, name.size(), executions_[number - 1]);
    }
    return text;
  }

  ReferenceFixture it_;
  ReferenceStore backup_;
  Incarnation holder_{NodeId{0}, 1};
  Token last_token_;
  std::map<Incarnation, Token> tokens_;
  std::vector<std::string> executions_;  // as a request names them
  std::vector<std::string> answers_;
};

}  // namespace tenure::testing
