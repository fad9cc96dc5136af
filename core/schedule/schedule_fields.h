// The fields of a schedule as people and programs write it: a row for each. Scenario files, requests, journals, what
// prints them and what describes them follow the rows (docs/adr/0077).
//
// A default is what the member has that nobody has set (definition.h, usual_delivery). Beside its row, a field needs
// code for what it means; one that says when the schedule is due, for how it is read as well
// (format/syntax/read_definition.h, core/journal/definition_reader.cc).
//
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/schedule/definition.h"

namespace tenure {

struct ScheduleField {
  enum class Type : std::uint8_t {
    flag,
    count,
    seed,  // 64 bits without a sign
    duration,
    instant,
    instants,
    choice,
    name,
    cron,
    zone,
  };
  // By the type; a choice is its word. Nothing: the schedule has no such field, as one with a period has no time zone.
  using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, Duration, StoreTime,
                             std::string, std::vector<StoreTime>>;
  // How journals and databases keep it (core/journal/definition_codec.h).
  struct Encoding {
    enum class When : std::uint8_t { if_unusual, with_part, always };
    std::string_view part;  // the object that has it; empty: the definition's own
    std::string_view key;   // empty: it is of the recurrence, which is kept in another form
    When when = When::if_unusual;
  };
  // The field without which, or with a value of which, a field means nothing.
  struct Dependency {
    std::string_view on;      // empty: it always means something
    std::string_view unless;  // as messages say it
    bool (*applies)(const Definition& definition) = nullptr;
  };
  // Where it is in a definition.
  struct Member {
    Value (*get)(const Definition& definition) = nullptr;
    void (*set)(Definition& definition, const Value& value) = nullptr;  // null: it takes more than a value
  };

  std::string_view name;
  Type type = Type::flag;
  std::string_view doc;                          // one line, no full stop
  std::span<const std::string_view> words = {};  // choice: in the order of its values
  std::int64_t min = INT64_MIN;                  // both ends are allowed; nanoseconds, counts
  std::int64_t max = INT64_MAX;
  bool optional = false;  // no value stands for its default: it is left out
  bool in_api = true;     // requests have it, too
  Encoding kept = {};
  Dependency needs = {};
  Member member = {};

  bool applies(const Definition& definition) const {
    return needs.applies == nullptr || needs.applies(definition);
  }
  bool is_settable() const { return member.set != nullptr; }
  Value get(const Definition& definition) const { return member.get(definition); }
  void set(Definition& definition, const Value& value) const { member.set(definition, value); }
};

std::span<const ScheduleField> schedule_fields();
// REQUIRES: there is one of that name.
const ScheduleField& schedule_field(std::string_view name);
// What the definition says of the field; nothing where it means nothing.
ScheduleField::Value value_of(const ScheduleField& field, const Definition& definition);

// How events are delivered of which no more is said than who delivers them. Receivers of pushed events are at times
// down for hours: 30 attempts take 19 hours.
Delivery usual_delivery(Delivery::Kind kind);
// A definition of which no more is said than who delivers its events, and that its slots come from such a recurrence.
Definition usual_definition(Delivery::Kind kind, const Recurrence& like);

}  // namespace tenure
