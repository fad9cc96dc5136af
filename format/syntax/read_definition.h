// A definition from its fields as somebody wrote them, in a table of a scenario file or in the body of a request: the
// errors that take two fields together, and what the fields mean that the field table (core/schedule/schedule_fields.h)
// cannot set alone.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/schedule_fields.h"

namespace tenure::format {

class FieldSource {
 public:
  virtual ~FieldSource() = default;
  // It is there, right or wrong.
  virtual bool given(const ScheduleField& field) const = 0;
  // It is there, but misspelt, and that has been said.
  virtual bool meant(const ScheduleField&) const { return false; }
  virtual std::string_view name_of(const ScheduleField& field) const { return field.name; }
  // Nothing if it is wrong, which it says. Asked once, if it is given.
  virtual ScheduleField::Value read(const ScheduleField& field) = 0;
  // Of the value, or of the whole where there is none.
  virtual void complain(const ScheduleField& field, std::string message, std::string hint = {}) = 0;
  virtual void complain_of_key(const ScheduleField& field, std::string message, std::string hint = {}) = 0;
  // Of a part of the text that is the field's value.
  virtual void complain_within(const ScheduleField& field, const std::string& text,
                               const CronError& error) = 0;
};

// What is so for all definitions of one file, or of one service.
struct DefinitionRules {
  std::string_view title;  // as errors name it: "the schedule", "[[schedule]]"
  const TimeZones& zones;
  std::vector<std::string_view> destinations;  // that may be named
  StoreTime start = {};                        // slot 0 of a period that names no other
  Duration shortest_period = kStoreResolution;
  Delivery::Kind delivery = Delivery::Kind::work;  // of a definition that names none
};

struct LaidOver {
  Definition definition;
  bool good = true;  // otherwise errors say what is wrong
};
// The definition of `source`, over an earlier one. `before` is null for a new definition, which needs a recurrence.
LaidOver read_definition(FieldSource& source, const DefinitionRules& rules, const LaidOver* before);

// A value as files say it, texts without quotes; empty if they cannot.
std::string text_of(const ScheduleField::Value& value);

}  // namespace tenure::format
