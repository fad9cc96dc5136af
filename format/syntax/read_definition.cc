#include "format/syntax/read_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "core/schedule/cron.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

using Field = ScheduleField;

class DefinitionReader {
 public:
  DefinitionReader(FieldSource& source, const DefinitionRules& rules, const LaidOver* before)
      : source_(source), rules_(rules), before_(before == nullptr ? nullptr : &before->definition) {
    if (before == nullptr) {
      laid_.definition = {.recurrence = Interval{rules.start, Duration::seconds(1)},
                          .delivery = usual_delivery(rules.delivery)};
    } else {
      laid_ = *before;
      was_good_ = before->good;
    }
  }

  LaidOver read() {
    for (const Field& field : schedule_fields()) {
      values_.push_back(source_.given(field) ? source_.read(field) : Field::Value{});
      if (source_.given(field) && !has(field)) laid_.good = false;
    }
    // What is said when it is left alone: an update of the recurrence keeps the start.
    const std::optional<StoreTime> start = has("start") ? value<StoreTime>("start") : earlier_start();
    recurrence();
    zone();
    bounds(start);
    choose_delivery();
    for (const Field& field : schedule_fields())
      if (field.is_settable() || !field.needs.on.empty()) lay(field);
    delivery();
    if (laid_.good && !slot_at_or_after(laid_.definition, StoreTime::min()))
      complain(given("end")                         ? "end"
               : given("start") || when_ == nullptr ? "start"
                                                    : when_->name,
               "no slot ever comes", "there must be one at `start` or after, and before `end`");
    return std::move(laid_);
  }

 private:
  bool given(std::string_view name) const { return source_.given(schedule_field(name)); }
  Field::Value& raw(const Field& field) {
    return values_[static_cast<std::size_t>(&field - schedule_fields().data())];
  }
  bool has(const Field& field) { return !std::holds_alternative<std::monostate>(raw(field)); }
  bool has(std::string_view name) { return has(schedule_field(name)); }
  // REQUIRES: has() it.
  template <class T>
  const T& value(std::string_view name) {
    return std::get<T>(raw(schedule_field(name)));
  }
  void complain(std::string_view name, std::string message, std::string hint = {}) {
    laid_.good = false;
    source_.complain(schedule_field(name), std::move(message), std::move(hint));
  }
  void complain_of_key(const Field& field, std::string message, std::string hint = {}) {
    laid_.good = false;
    source_.complain_of_key(field, std::move(message), std::move(hint));
  }

  std::optional<StoreTime> earlier_start() const {
    if (before_ == nullptr) return std::nullopt;
    if (const auto* interval = std::get_if<Interval>(&before_->recurrence)) return interval->start;
    if (before_->not_before == StoreTime::min()) return std::nullopt;
    return before_->not_before;
  }

  // ---- when ----

  void recurrence() {
    std::vector<const Field*> given;
    std::vector<std::string_view> names;
    bool meant = false;
    for (const std::string_view name : {"every", "cron", "at", "once"}) {
      const Field& field = schedule_field(name);
      names.push_back(source_.name_of(field));
      meant = meant || source_.meant(field);
      if (source_.given(field)) given.push_back(&field);
    }
    const std::string one_of = fmt::format("one of `{}`", fmt::join(names, "`, `"));
    if (given.empty()) {
      if (before_ == nullptr && !meant)
        complain_of_key(schedule_field("every"), fmt::format("{} does not say when", rules_.title),
                        "it needs " + one_of);
      if (before_ == nullptr) laid_.good = false;
      return;
    }
    when_ = given.front();
    if (given.size() > 1) {
      complain_of_key(*given[1],
                      fmt::format("`{}` and `{}` in {}", source_.name_of(*when_), source_.name_of(*given[1]),
                                  rules_.title),
                      one_of);
      return forget("cron");
    }
    if (!has(*when_)) return;
    if (when_->name == "every") {
      period(value<Duration>("every"));
    } else if (when_->name == "cron") {
      cron(value<std::string>("cron"));
    } else if (when_->name == "once") {
      times({value<StoreTime>("once")});
    } else {
      times(value<std::vector<StoreTime>>("at"));
    }
  }
  // It is wrong, and an error says so.
  void forget(std::string_view name) { raw(schedule_field(name)) = {}; }

  void period(Duration period) {
    const Duration longest = Duration::nanos(schedule_field("every").max);
    if (period < rules_.shortest_period || period > longest)
      return complain(when_->name,
                      fmt::format("must be from {} to {}, and is {}", print_duration(rules_.shortest_period),
                                  print_duration(longest), print_duration(period)));
    if (period.ns() % kStoreResolution.ns() != 0)
      complain(when_->name, fmt::format("`{}` must be in whole microseconds", when_->name),
               "a store keeps no more");
    laid_.definition.recurrence = Interval{rules_.start, period};
  }

  void times(std::vector<StoreTime> at) {
    laid_.definition.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(std::move(at))};
  }

  void cron(const std::string& text) {
    const auto refuse = [&](const CronError& error) {
      laid_.good = false;
      source_.complain_within(*when_, text, error);
      forget("cron");
    };
    if (const auto every = parse_every(text)) {
      if (const auto* error = std::get_if<CronError>(&*every)) return refuse(*error);
      return period(std::get<Duration>(*every));
    }
    auto parsed = Cron::parse(text);
    if (const auto* error = std::get_if<CronError>(&parsed)) return refuse(*error);
    laid_.definition.recurrence =
        CronRule{.cron = std::make_shared<const Cron>(std::get<Cron>(std::move(parsed)))};
  }

  // The expression may be wrong; the zone is looked at all the same.
  void zone() {
    if (!has("timezone")) return;
    const auto& name = value<std::string>("timezone");
    auto zone = rules_.zones.find(name);
    if (zone == nullptr)
      complain("timezone", fmt::format("unknown time zone `{}`", printable(name, 60)),
               zone_suggestion(name, rules_.zones.names()));
    else if (auto* rule = std::get_if<CronRule>(&laid_.definition.recurrence))
      rule->zone = std::move(zone);
  }

  void bounds(std::optional<StoreTime> start) {
    auto* interval = std::get_if<Interval>(&laid_.definition.recurrence);
    if (interval != nullptr) interval->start = start.value_or(rules_.start);
    laid_.definition.not_before = interval != nullptr ? StoreTime::min() : start.value_or(StoreTime::min());
  }

  // ---- what else ----

  // What another one had to say is gone with it.
  void choose_delivery() {
    const Delivery::Kind before = laid_.definition.delivery.kind;
    if (has("delivery"))
      schedule_field("delivery").set(laid_.definition, raw(schedule_field("delivery")));
    else if (has("destination") && !given("delivery"))
      laid_.definition.delivery.kind = Delivery::Kind::push;
    const Delivery::Kind kind = laid_.definition.delivery.kind;
    if (kind != before) laid_.definition.delivery = usual_delivery(kind);
  }

  // A field that the table knows how to set, or when it means something. One that means nothing here is as by default:
  // what another policy had to say is gone with it.
  void lay(const Field& field) {
    Definition& definition = laid_.definition;
    if (field.applies(definition)) {
      if (field.is_settable() && has(field)) field.set(definition, raw(field));
      return;
    }
    if (field.is_settable())
      field.set(definition, field.get(usual_definition(definition.delivery.kind, definition.recurrence)));
    const Field& other = schedule_field(field.needs.on);
    const bool is_unclear = !was_good_ || source_.meant(other) || (source_.given(other) && !has(other));
    if (has(field) && !is_unclear)
      complain_of_key(field, fmt::format("`{}` means nothing {}", field.name, field.needs.unless));
  }

  void delivery() {
    Delivery& delivery = laid_.definition.delivery;
    // A back-off that is given alone may be longer than what is usual.
    if (!given("back_off_max")) {
      delivery.longest_back_off = std::max(delivery.longest_back_off, delivery.back_off);
    } else if (delivery.longest_back_off < delivery.back_off) {
      complain("back_off_max",
               fmt::format("is shorter than `back_off`, {}", print_duration(delivery.back_off)));
      return;
    }
    const std::string& name = delivery.destination;
    if (has("destination") && !name.empty() &&
        std::ranges::find(rules_.destinations, name) == rules_.destinations.end())
      return complain("destination", fmt::format("unknown destination `{}`", printable(name, 60)),
                      rules_.destinations.empty() ? "a [[destination]] makes one"
                                                  : suggestion(name, rules_.destinations));
    if (!was_good_ || given("delivery") != has("delivery") || given("destination") != has("destination"))
      return;
    const bool replaces =
        laid_.definition.overlap == Overlap::replace && delivery.kind != Delivery::Kind::pull;
    if (const std::string problem = problem_of_delivery(laid_.definition); !problem.empty())
      complain(replaces ? "overlap" : "delivery", problem);
  }

  FieldSource& source_;
  const DefinitionRules& rules_;
  const Definition* before_;
  LaidOver laid_;
  std::vector<Field::Value> values_;  // of each field
  bool was_good_ = true;              // before; if not, errors have said so
  const Field* when_ = nullptr;       // the field that says when
};

}  // namespace

LaidOver read_definition(FieldSource& source, const DefinitionRules& rules, const LaidOver* before) {
  return DefinitionReader(source, rules, before).read();
}

std::string text_of(const ScheduleField::Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  if (const auto* seed = std::get_if<std::uint64_t>(&value)) return std::to_string(*seed);
  if (const auto* duration = std::get_if<Duration>(&value)) return print_duration(*duration);
  if (const auto* time = std::get_if<StoreTime>(&value)) return print_instant(time->ns());
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string{} : *text;
}

}  // namespace tenure::format
