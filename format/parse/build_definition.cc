// What a [[schedule]] or a [[change]] says of a schedule's definition.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/parse/build.h"
#include "format/schema/schedule_keys.h"
#include "format/syntax/read_definition.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

using Field = ScheduleField;

// The fields in a section.
class SectionFields final : public FieldSource {
 public:
  SectionFields(const Section& section, std::string_view times, Diagnostics& diagnostics)
      : section_(section), times_(times), diagnostics_(diagnostics) {}

  bool given(const Field& field) const override { return section_.given(name_of(field)); }
  bool meant(const Field& field) const override { return section_.meant(name_of(field)); }
  std::string_view name_of(const Field& field) const override { return key_of(field, times_); }
  Field::Value read(const Field& field) override {
    const std::string_view key = name_of(field);
    if (!section_.good(key)) return {};
    switch (field.type) {
      case Field::Type::flag: return section_.flag(key);
      case Field::Type::count: return section_.number(key);
      case Field::Type::seed: return static_cast<std::uint64_t>(section_.number(key));
      case Field::Type::duration: return section_.duration(key);
      case Field::Type::instant: return instant(section_.place(key), key, section_.number(key));
      case Field::Type::instants: return instants(key);
      case Field::Type::choice:
      case Field::Type::name:
      case Field::Type::cron:
      case Field::Type::zone: return section_.text(key);
    }
    return {};
  }
  void complain(const Field& field, std::string message, std::string hint) override {
    diagnostics_.add(section_.place(name_of(field)), std::move(message), std::move(hint));
  }
  void complain_of_key(const Field& field, std::string message, std::string hint) override {
    diagnostics_.add(section_.key_place(name_of(field)), std::move(message), std::move(hint));
  }
  void complain_within(const Field& field, const std::string& text, const CronError& error) override {
    diagnostics_.add(diagnostics_.within(section_.place(name_of(field)), text, error.at, error.length),
                     error.message, error.hint);
  }

 private:
  Field::Value instant(const Place& place, std::string_view key, std::int64_t ns) {
    if (ns % kStoreResolution.ns() == 0) return StoreTime::from_ns(ns);
    diagnostics_.add(place, fmt::format("`{}` must be in whole microseconds", key), "a store keeps no more");
    return {};
  }

  Field::Value instants(std::string_view key) {
    struct Element {
      StoreTime at;
      const Place* place;
    };
    const std::vector<Word> words = section_.words(key);
    if (words.empty())
      diagnostics_.add(section_.place(key), fmt::format("`{}` is empty", key), "it needs an instant");
    std::vector<Element> elements;
    for (const Word& word : words) {
      const Field::Value at = instant(word.place, key, parse_instant(word.text).value.value_or(0));
      if (const auto* time = std::get_if<StoreTime>(&at)) elements.push_back({*time, &word.place});
    }
    std::ranges::stable_sort(elements, {}, &Element::at);
    std::vector<StoreTime> sorted;
    for (const Element& element : elements) {
      if (sorted.empty() || sorted.back() != element.at)
        sorted.push_back(element.at);
      else
        diagnostics_.add(*element.place, "an instant that is there already", "a slot fires once");
    }
    return !words.empty() && sorted.size() == words.size() ? Field::Value{sorted} : Field::Value{};
  }

  const Section& section_;
  std::string_view times_;
  Diagnostics& diagnostics_;
};

// Who remembers the next run only has no room for these.
constexpr std::string_view kNeedLedger[] = {"jitter",  "catchup_window", "max_catchup",
                                            "overlap", "delivery",       "destination"};

// Reports keys that the scheduler can make nothing of.
bool judge_scheduler(const Section& section, std::string_view times, Build& build) {
  const SchedulerKind* scheduler = build.scenario.scheduler;
  if (scheduler == nullptr) return true;
  bool good = true;
  const auto complain = [&](std::string_view key, std::string message, std::string hint) {
    build.diagnostics.add(section.key_place(key), std::move(message), std::move(hint));
    good = false;
  };
  if (!scheduler->keeps_ledger)
    for (const std::string_view key : kNeedLedger)
      if (section.given(key) && !(key == "overlap" && section.text(key) == "allow") &&
          !(key == "delivery" && section.text(key) == "work"))
        complain(key, fmt::format("`{}` has no `{}`", scheduler->name, key),
                 "it keeps no ledger; fenced-outbox has it");
  // A design's rows hold what it reads of a schedule, which may be its period and no more.
  if (scheduler->keeps_periods_only)
    for (const std::string_view key : {std::string_view("cron"), std::string_view("once"), times})
      if (section.given(key))
        complain(key, fmt::format("`{}` reads periods only", scheduler->name),
                 "every = \"…\"; a design that keeps s.rule and asks t.slot_after knows the others");
  return good;
}

}  // namespace

LaidOver read_definition(const Section& section, std::string_view times, const LaidOver* before,
                         Build& build) {
  DefinitionRules rules{.title = section.title(),
                        .zones = build.zones,
                        .destinations = {},
                        .start = StoreTime::from_ns(build.scenario.start_ns)};
  for (const sim::DestinationSetting& each : build.scenario.destinations)
    rules.destinations.push_back(each.name);
  SectionFields fields(section, times, build.diagnostics);
  LaidOver laid = read_definition(fields, rules, before);
  const auto* rule = std::get_if<CronRule>(&laid.definition.recurrence);
  for (const std::string_view key : {"dst_gap", "dst_overlap"})
    if (section.given(key) && (rule != nullptr ? *rule->zone == *TimeZone::utc() : section.given("cron")) &&
        !section.given("timezone") && !section.meant("timezone")) {
      fields.complain_of_key(schedule_field(key), fmt::format("`{}` means nothing without `timezone`", key),
                             "in UTC no clock is changed");
      laid.good = false;
    }
  if (!judge_scheduler(section, times, build)) laid.good = false;
  return laid;
}

}  // namespace tenure::format
