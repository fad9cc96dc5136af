// What a [[schedule]] or a [[change]] says of a schedule's definition.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "format/build/build.h"
#include "format/schema/schedule_keys.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::sim {
namespace {

constexpr std::int64_t kMicro = 1'000;
constexpr std::array<std::string_view, 3> kZoneKeys = {"timezone", "dst_gap", "dst_overlap"};

class DefinitionReader {
 public:
  DefinitionReader(const Section& section, std::string_view times, const LaidOver* before, Build& build)
      : section_(section),
        times_(times),
        before_(before == nullptr ? nullptr : &before->definition),
        build_(build) {
    if (before == nullptr) {
      definition_.recurrence = Interval{run_start(), Duration::seconds(1)};
    } else {
      definition_ = before->definition;
      known_ = good_ = before->good;
    }
  }

  LaidOver read() {
    for (const KeySpec& key : definition_keys())
      if (section_.given(key.name) && !section_.good(key.name)) good_ = false;
    if (section_.given(times_) && !section_.good(times_)) good_ = false;
    const std::optional<StoreTime> start = read_start();
    recurrence();
    zone();
    bounds(start);
    jitter();
    misfire();
    if (has("overlap")) definition_.overlap = overlap_of(section_.text("overlap"));
    if (has("paused")) definition_.paused = section_.flag("paused");
    delivery();
    without_ledger();
    in_tables_of_a_design();
    if (good_ && !slot_at_or_after(definition_, StoreTime::min()))
      complain_at(section_.place(section_.given("end") ? "end" : "start"), "a schedule without a single slot",
                  "it must have one at `start` or after, and before `end`");
    return {std::move(definition_), good_};
  }

 private:
  bool has(std::string_view key) const { return section_.given(key) && section_.good(key); }
  void complain_at(const Place& place, std::string message, std::string hint = {}) {
    good_ = false;
    build_.diagnostics.add(place, std::move(message), std::move(hint));
  }
  void check_micros(const Place& place, std::string_view key, std::int64_t ns) {
    if (ns % kMicro != 0)
      complain_at(place, fmt::format("`{}` must be in whole microseconds", key), "a store keeps no more");
  }
  StoreTime run_start() const { return StoreTime::from_ns(build_.scenario.start_ns); }

  // The instant of a key.
  StoreTime instant(std::string_view key) {
    check_micros(section_.place(key), key, section_.number(key));
    return StoreTime::from_ns(section_.number(key));
  }

  // What is given, else what it was: an update of the recurrence leaves it alone.
  std::optional<StoreTime> read_start() {
    if (has("start")) return instant("start");
    if (before_ == nullptr) return std::nullopt;
    if (const auto* interval = std::get_if<Interval>(&before_->recurrence)) return interval->start;
    if (before_->not_before == StoreTime::min()) return std::nullopt;
    return before_->not_before;
  }

  // ---- when ----

  void recurrence() {
    std::vector<std::string_view> given;
    const std::array<std::string_view, 4> keys = {"every", "cron", times_, "once"};
    for (const std::string_view key : keys)
      if (section_.given(key)) given.push_back(key);
    const std::string one_of = fmt::format("one of `{}`", fmt::join(keys, "`, `"));
    if (given.size() > 1) {
      std::sort(given.begin(), given.end(), [&](std::string_view a, std::string_view b) {
        const Place one = section_.key_place(a);
        const Place other = section_.key_place(b);
        return std::tuple(one.override_index, one.line, one.column) <
               std::tuple(other.override_index, other.line, other.column);
      });
      complain_at(section_.key_place(given[1]),
                  fmt::format("`{}` and `{}` in one {}", given[0], given[1], section_.title()), one_of);
      known_ = false;
      return;
    }
    if (given.empty()) {
      if (before_ != nullptr) return;
      known_ = false;
      const bool meant =
          std::any_of(keys.begin(), keys.end(), [&](std::string_view key) { return section_.meant(key); });
      if (meant)
        good_ = false;
      else
        complain_at(section_.place(), fmt::format("{} does not say when", section_.title()),
                    "it needs " + one_of);
      return;
    }
    name_ = given.front();
    known_ = section_.good(name_);
    if (!known_) return;
    if (name_ == "every") {
      check_micros(section_.place("every"), "every", section_.duration("every").ns());
      definition_.recurrence = Interval{run_start(), section_.duration("every")};
    } else if (name_ == "cron") {
      cron(section_.text("cron"));
    } else if (name_ == "once") {
      definition_.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(1, instant("once"))};
    } else {
      times();
    }
  }

  void cron(const std::string& text) {
    const Place place = section_.place("cron");
    const auto refuse = [&](const CronError& error) {
      known_ = false;
      complain_at(build_.diagnostics.within(place, text, error.at, error.length), error.message, error.hint);
    };
    if (const auto every = parse_every(text)) {
      name_ = "@every";
      if (const auto* error = std::get_if<CronError>(&*every)) return refuse(*error);
      const Duration period = std::get<Duration>(*every);
      if (period.ns() > kYearNs)
        return complain_at(place,
                           fmt::format("a period of more than {}", print_duration(Duration::nanos(kYearNs))));
      definition_.recurrence = Interval{run_start(), period};
      return;
    }
    auto parsed = Cron::parse(text);
    if (const auto* error = std::get_if<CronError>(&parsed)) {
      refuse(*error);
      is_cron_ = true;
      return;
    }
    CronRule rule;
    rule.cron = std::make_shared<const Cron>(std::get<Cron>(std::move(parsed)));
    definition_.recurrence = std::move(rule);
  }

  void times() {
    struct Element {
      StoreTime at;
      const Word* word;
    };
    const std::vector<Word> words = section_.words(times_);
    if (words.empty())
      complain_at(section_.place(times_), fmt::format("`{}` is empty", times_), "it needs an instant");
    std::vector<Element> elements;
    for (const Word& word : words) {
      const std::int64_t ns = parse_instant(word.text).value.value_or(0);
      check_micros(word.place, times_, ns);
      elements.push_back({StoreTime::from_ns(ns), &word});
    }
    std::stable_sort(elements.begin(), elements.end(),
                     [](const Element& a, const Element& b) { return a.at < b.at; });
    std::vector<StoreTime> sorted;
    for (const Element& element : elements) {
      if (!sorted.empty() && sorted.back() == element.at)
        complain_at(element.word->place, "an instant that is there already", "a slot fires once");
      else
        sorted.push_back(element.at);
    }
    known_ = good_;
    if (!sorted.empty())
      definition_.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(std::move(sorted))};
  }

  void zone() {
    auto* rule = std::get_if<CronRule>(&definition_.recurrence);
    const bool is_cron = is_cron_ || (known_ && rule != nullptr);
    if (!is_cron) {
      if (!known_) return;
      for (const std::string_view key : kZoneKeys)
        if (section_.given(key))
          complain_at(section_.key_place(key),
                      name_.empty() ? fmt::format("`{}` means nothing without `cron`", key)
                                    : fmt::format("`{}` means nothing to `{}`", key, name_),
                      "it is for calendar fields");
      return;
    }
    // The expression may be wrong; the zone is looked at all the same.
    CronRule none;
    if (rule == nullptr) rule = &none;
    if (has("timezone")) find_zone(*rule);
    for (const std::string_view key : {"dst_gap", "dst_overlap"})
      if (section_.given(key) && !section_.given("timezone") && !section_.meant("timezone") &&
          *rule->zone == *TimeZone::utc())
        complain_at(section_.key_place(key), fmt::format("`{}` means nothing without `timezone`", key),
                    "in UTC no clock is changed");
    if (has("dst_gap")) rule->gap = gap_of(section_.text("dst_gap"));
    if (has("dst_overlap")) rule->overlap = dst_overlap_of(section_.text("dst_overlap"));
  }

  void find_zone(CronRule& rule) {
    const std::string name = section_.text("timezone");
    if (auto zone = build_.zones.find(name)) {
      rule.zone = std::move(zone);
      return;
    }
    complain_at(section_.place("timezone"), fmt::format("unknown time zone `{}`", printable(name, 60)),
                zone_suggestion(name, build_.zones.names()));
  }

  void bounds(std::optional<StoreTime> start) {
    if (auto* interval = std::get_if<Interval>(&definition_.recurrence)) {
      interval->start = start.value_or(run_start());
      definition_.not_before = StoreTime::min();
    } else {
      definition_.not_before = start.value_or(StoreTime::min());
    }
    if (has("end")) definition_.until = instant("end");
  }

  // ---- what else ----

  // Reports a key that another one is needed for.
  bool needs(std::string_view key, bool there, std::string_view other) {
    if (!section_.given(key)) return false;
    if (!there)
      complain_at(section_.key_place(key), fmt::format("`{}` means nothing without `{}`", key, other));
    return there && section_.good(key);
  }

  void jitter() {
    Jitter& jitter = definition_.jitter;
    if (has("jitter")) jitter.max = section_.duration("jitter");
    const bool there = section_.given("jitter") || section_.meant("jitter") || jitter.max > Duration{};
    if (needs("jitter_per", there, "jitter"))
      jitter.per = section_.text("jitter_per") == "slot" ? Jitter::Per::slot : Jitter::Per::schedule;
    if (needs("jitter_seed", there, "jitter"))
      jitter.seed = static_cast<std::uint64_t>(section_.number("jitter_seed"));
  }

  void misfire() {
    Misfire& misfire = definition_.misfire;
    if (has("misfire")) misfire.policy = policy_of(section_.text("misfire"));
    if (has("grace")) misfire.grace = section_.duration("grace");
    const bool unknown = section_.given("misfire") && !section_.good("misfire");
    const bool once = misfire.policy == Misfire::Policy::fire_once;
    const bool all = misfire.policy == Misfire::Policy::fire_all;
    if (needs("fire_once", once || unknown, "misfire = \"fire_once\""))
      misfire.once =
          section_.text("fire_once") == "latest" ? Misfire::Which::latest : Misfire::Which::earliest;
    if (needs("max_catchup", all || unknown, "misfire = \"fire_all\""))
      misfire.max_catchup = section_.number("max_catchup");
    if (section_.given("catchup_window") && !once && !all && !unknown)
      complain_at(section_.key_place("catchup_window"),
                  "`catchup_window` means nothing with `misfire = \"skip\"`", "no late slot fires");
    else if (has("catchup_window"))
      misfire.catchup_window = section_.duration("catchup_window");
    // What another policy had to say is gone with it.
    if (!once) misfire.once = Misfire::Which::latest;
    if (!all) misfire.max_catchup = Misfire::kUnsaid;
    if (!once && !all) misfire.catchup_window = Duration::max();
  }

  void delivery() {
    Delivery& delivery = definition_.delivery;
    if (has("delivery")) {
      const std::string kind = section_.text("delivery");
      delivery.kind = kind == "pull"   ? Delivery::Kind::pull
                      : kind == "push" ? Delivery::Kind::push
                                       : Delivery::Kind::work;
      if (delivery.kind != Delivery::Kind::push) delivery.destination.clear();
      if (delivery.kind == Delivery::Kind::work) delivery = {};
    }
    if (has("destination")) {
      if (!find_destination(section_, section_.text("destination"), build_)) good_ = false;
      if (!section_.given("delivery")) delivery.kind = Delivery::Kind::push;
      delivery.destination = section_.text("destination");
    }
    if (has("strict_order")) delivery.strict_order = section_.flag("strict_order");
    if (has("attempts")) delivery.attempts = static_cast<std::uint32_t>(section_.number("attempts"));
    if (has("back_off")) delivery.back_off = section_.duration("back_off");
    if (has("back_off_max")) delivery.longest_back_off = section_.duration("back_off_max");
    if (!good_) return;
    if (const std::string problem = problem_of_delivery(definition_); !problem.empty())
      complain_at(section_.place(), problem);
  }

  // Who remembers the next run only has no room for these.
  void without_ledger() {
    const SchedulerKind* scheduler = build_.scenario.scheduler;
    if (scheduler == nullptr || scheduler->keeps_ledger) return;
    for (const std::string_view key :
         {"jitter", "catchup_window", "max_catchup", "overlap", "delivery", "destination"})
      if (section_.given(key) && !(key == "overlap" && section_.text(key) == "allow") &&
          !(key == "delivery" && section_.text(key) == "work"))
        complain_at(section_.key_place(key), fmt::format("`{}` has no `{}`", scheduler->name, key),
                    "it keeps no ledger; fenced-outbox has it");
  }

  // A design's rows hold what it reads of a schedule, which may be its period and no more.
  void in_tables_of_a_design() {
    const SchedulerKind* scheduler = build_.scenario.scheduler;
    if (scheduler == nullptr || !scheduler->keeps_periods_only) return;
    for (const std::string_view key : {std::string_view("cron"), std::string_view("once"), times_})
      if (section_.given(key))
        complain_at(section_.key_place(key), fmt::format("`{}` reads periods only", scheduler->name),
                    "every = \"…\"; a design that keeps s.rule and asks t.slot_after knows the others");
  }

  static Misfire::Policy policy_of(std::string_view name) {
    if (name == "fire_once") return Misfire::Policy::fire_once;
    return name == "skip" ? Misfire::Policy::skip : Misfire::Policy::fire_all;
  }
  static Overlap overlap_of(std::string_view name) {
    if (name == "queue_one") return Overlap::queue_one;
    if (name == "replace") return Overlap::replace;
    return name == "skip" ? Overlap::skip : Overlap::allow;
  }
  static DstGap gap_of(std::string_view name) {
    if (name == "shift") return DstGap::shift;
    return name == "skip" ? DstGap::skip : DstGap::gap_end;
  }
  static DstOverlap dst_overlap_of(std::string_view name) {
    if (name == "both") return DstOverlap::both;
    return name == "second" ? DstOverlap::second : DstOverlap::first;
  }

  const Section& section_;
  std::string_view times_;
  const Definition* before_;
  Build& build_;
  Definition definition_;
  bool good_ = true;
  bool known_ = true;      // when it is due is known; where it is not, an error says so
  bool is_cron_ = false;   // it is a cron expression, if a wrong one
  std::string_view name_;  // of the recurrence that the section gives
};

}  // namespace

LaidOver read_definition(const Section& section, std::string_view times, const LaidOver* before,
                         Build& build) {
  return DefinitionReader(section, times, before, build).read();
}

}  // namespace tenure::sim
