// [[schedule]] and [[change]]: definitions, and how clients edit them over time.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/store/store_kind.h"
#include "format/parse/build.h"
#include "format/schema/schedule_keys.h"
#include "format/syntax/suggest.h"
#include "format/syntax/targets.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

constexpr std::size_t kMaxSchedules = 100'000;
constexpr std::int64_t kMaxBackfill = 10'000;

sim::ChangeAction action_of(std::string_view name) {
  if (name == "create") return sim::ChangeAction::create;
  if (name == "delete") return sim::ChangeAction::remove;
  if (name == "pause") return sim::ChangeAction::pause;
  if (name == "resume") return sim::ChangeAction::resume;
  if (name == "trigger") return sim::ChangeAction::trigger;
  if (name == "replay") return sim::ChangeAction::replay;
  return name == "backfill" ? sim::ChangeAction::backfill : sim::ChangeAction::update;
}

struct ReadChange {
  std::uint64_t id = 0;
  Section section;
};

// The schedules as the changes find them.
struct Existing {
  ScheduleId id;
  LaidOver laid;
  bool got_topic_later = false;  // from a request after the one that made it
};
struct Schedules {
  std::map<std::string, Existing, std::less<>> known;
  std::map<std::string, Duration, std::less<>> deleted;  // when it was
};

void complain_of_unknown(const Section& section, const std::string& name, const Schedules& schedules,
                         Build& build) {
  if (!build.schedules_known || build.diagnostics.full()) return;
  if (const auto deleted = schedules.deleted.find(name); deleted != schedules.deleted.end())
    return build.diagnostics.add(section.place("schedule"),
                                 fmt::format("`{}` was deleted at {}", name, print_duration(deleted->second)),
                                 "`create` makes a new one of that name");
  constexpr std::size_t kSearched = 1'000;
  std::vector<std::string_view> names;
  for (const auto& [known, existing] : schedules.known)
    if (names.size() < kSearched) names.push_back(known);
  build.diagnostics.add(section.place("schedule"), fmt::format("unknown schedule `{}` at this time", name),
                        suggestion(name, names));
}

bool takes_definition(sim::ChangeAction action) {
  return action == sim::ChangeAction::create || action == sim::ChangeAction::update;
}

// Every key of the section that is about a definition.
std::vector<std::string_view> all_definition_keys() {
  std::vector<std::string_view> keys;
  for (const ScheduleField& field : schedule_fields()) keys.push_back(key_of(field, kTimesOfChange));
  return keys;
}

bool names_any(const Section& section) {
  const std::vector<std::string_view> keys = all_definition_keys();
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return section.given(key) || section.meant(key); });
}

sim::PayloadSetting read_payload(const Section& section, const Definition& definition, Build& build) {
  sim::PayloadSetting payload;
  if (section.given("topic")) payload.topic = section.text("topic");
  if (section.given("type")) payload.type = section.text("type");
  if (section.given("payload_bytes")) payload.data_bytes = section.number("payload_bytes");
  if (!payload.topic.empty() && definition.delivery.kind != Delivery::Kind::pull)
    build.diagnostics.add(section.key_place("topic"), "`topic` is for events that are claimed",
                          "a schedule with `delivery = \"pull\"` has such");
  const SchedulerKind* const scheduler = build.scenario.scheduler;
  if (scheduler == nullptr || !scheduler->fires()) return payload;  // said already
  if (scheduler->edit == nullptr && offers(scheduler->store, &StoreKind::keeps_changes)) return payload;
  for (const std::string_view key : payload_keys())
    if (section.given(key) && key != "topic")
      build.diagnostics.add(section.key_place(key),
                            fmt::format("`{}` keeps no payloads of schedules", scheduler->name),
                            "the store of fenced-outbox has them");
  return payload;
}

// Reports keys that the action makes nothing of.
bool no_idle_keys(const Section& section, sim::ChangeAction action, Build& build) {
  bool good = true;
  const auto refuse = [&](std::string_view key, std::string hint = {}) {
    if (!section.given(key)) return;
    build.diagnostics.add(section.key_place(key),
                          fmt::format("`{}` means nothing to `{}`", key, section.text("action")),
                          std::move(hint));
    good = false;
  };
  if (action != sim::ChangeAction::create)
    for (const std::string_view key : payload_keys())
      refuse(key, "what its events carry is said when a schedule is created");
  if (!takes_definition(action))
    for (const std::string_view key : all_definition_keys()) refuse(key);
  if (action != sim::ChangeAction::backfill)
    for (const std::string_view key : {"from", "to"}) refuse(key);
  return good;
}

// The slots of a backfill, from the definition in force; false, and an error, when they cannot be asked for.
bool fill_in(const Section& section, sim::ChangeSetting& change, Build& build) {
  bool good = true;
  const auto complain = [&](std::string_view key, std::string message, std::string hint) {
    build.diagnostics.add(section.place(key), std::move(message), std::move(hint));
    good = false;
  };
  for (const std::string_view key : {"from", "to"}) {
    if (section.given(key) && !section.good(key)) good = false;
    if (!section.given(key) && !section.meant(key))
      complain(key, fmt::format("missing key `{}` in [[change]]", key),
               "a backfill is of slots in [from, to)");
  }
  if (!good || !build.start_known) return false;
  const std::int64_t now = build.scenario.start_ns + change.at.ns();
  const StoreTime from = StoreTime::from_ns(section.number("from"));
  const StoreTime to = StoreTime::from_ns(section.number("to"));
  if (to <= from) {
    complain("to", "`to` is not after `from`", {});
  } else if (section.number("to") > now) {
    complain("to",
             fmt::format("a backfill of slots that have not come: the change is at {}", print_instant(now)),
             "only past slots can be filled in");
  } else if (const std::int64_t count = count_slots(change.definition, from, to);
             count == 0 || count > kMaxBackfill) {
    complain("from",
             count == 0
                 ? std::string("a backfill without a slot")
                 : fmt::format("a backfill of {} slots", print_thousands(static_cast<std::uint64_t>(count))),
             count == 0 ? fmt::format("`{}` has none in [from, to)", change.schedule_name)
                        : fmt::format("the limit is {}", print_thousands(kMaxBackfill)));
  } else {
    for (auto slot = slot_at_or_after(change.definition, from); slot && *slot < to;
         slot = slot_after(change.definition, *slot))
      change.slots.push_back(*slot);
  }
  return good;
}

// Applies one change to `schedules`; nullopt, and an error, when it cannot be.
std::optional<sim::ChangeSetting> build_change(const ReadChange& read, Schedules& schedules,
                                               std::uint32_t& next_id, Build& build) {
  const Section& section = read.section;
  sim::ChangeSetting change;
  change.id = read.id;
  LaidOver before;
  change.at = section.duration("at");
  change.action = action_of(section.text("action"));
  change.schedule_name = section.text("schedule");
  const auto existing = schedules.known.find(change.schedule_name);
  bool got_topic_later = existing != schedules.known.end() && existing->second.got_topic_later;
  if (change.action == sim::ChangeAction::create) {
    if (existing != schedules.known.end()) {
      build.diagnostics.add(section.place("schedule"),
                            fmt::format("there is a schedule `{}` already", change.schedule_name));
      return std::nullopt;
    }
    change.schedule = ScheduleId{next_id++};
  } else if (existing == schedules.known.end()) {
    complain_of_unknown(section, change.schedule_name, schedules, build);
    return std::nullopt;
  } else {
    change.schedule = existing->second.id;
    before = existing->second.laid;
    change.definition = before.definition;
  }

  bool good = no_idle_keys(section, change.action, build);
  bool definition_good = before.good;
  if (takes_definition(change.action)) {
    const bool created = change.action == sim::ChangeAction::create;
    LaidOver laid = read_definition(section, kTimesOfChange, created ? nullptr : &before, build);
    change.definition = std::move(laid.definition);
    definition_good = laid.good;
    good = laid.good && good;
    if (created) change.payload = read_payload(section, change.definition, build);
    if (created) got_topic_later = !change.payload.topic.empty();
  }
  if (change.action == sim::ChangeAction::backfill && before.good)
    good = fill_in(section, change, build) && good;
  if (change.action == sim::ChangeAction::update && !names_any(section)) {
    build.diagnostics.add(section.place(), "an update that changes nothing",
                          "give it a key of the definition, like `every` or `misfire`");
    good = false;
  }
  const SchedulerKind* scheduler = build.scenario.scheduler;
  const bool manual =
      change.action == sim::ChangeAction::trigger || change.action == sim::ChangeAction::backfill;
  const bool replays = change.action == sim::ChangeAction::replay;
  if ((manual || replays) && scheduler != nullptr && !scheduler->keeps_ledger) {
    build.diagnostics.add(section.place("action"),
                          fmt::format("`{}` has no {} to {}", scheduler->name,
                                      replays ? "dead events" : "manual runs", section.text("action")),
                          "it keeps no ledger; fenced-outbox has them");
    good = false;
  }
  // Such a run would have no topic, and its checkers could not know.
  if (manual && got_topic_later) {
    build.diagnostics.add(
        section.place("action"),
        fmt::format("`{}` is created with a topic, and has no manual runs", change.schedule_name),
        "a store failover may leave it without the topic for a while; one of [[schedule]] has it "
        "from the beginning");
    good = false;
  }
  if (change.action == sim::ChangeAction::pause) change.definition.paused = true;
  if (change.action == sim::ChangeAction::resume) change.definition.paused = false;
  if (change.action == sim::ChangeAction::remove) {
    schedules.known.erase(change.schedule_name);
    schedules.deleted.insert_or_assign(change.schedule_name, change.at);
  } else {
    schedules.known.insert_or_assign(
        change.schedule_name,
        Existing{change.schedule, {change.definition, definition_good}, got_topic_later});
  }
  return good ? std::optional(change) : std::nullopt;
}

bool needs_scheduler(std::string_view key, Build& build) {
  if (!build.cluster_known || build.tables(key).empty()) return false;
  const SchedulerKind* const scheduler = build.scenario.scheduler;
  if (scheduler != nullptr && scheduler->fires()) return false;
  build.diagnostics.add(
      build.tables(key).front().place,
      fmt::format("a [[{}]] needs a scheduler{}", key, scheduler != nullptr ? " that fires" : ""),
      fmt::format("[cluster] scheduler is `{}`{}", scheduler != nullptr ? scheduler->name : "none",
                  scheduler == nullptr      ? ""
                  : scheduler->places_items ? ", which assigns items to workers"
                                            : ", which writes"));
  return true;
}

}  // namespace

void build_schedules(Build& build) {
  build.schedules_known = true;
  needs_scheduler("schedule", build);
  std::set<std::string, std::less<>> names;
  for (const Item& item : build.tables("schedule")) {
    const Section section = read_section(&item, *build.file.spec("schedule").section, {}, build.diagnostics);
    const auto [definition, good] = read_definition(section, kTimesOfSchedule, nullptr, build);
    const std::string name = section.text("name");
    if (name.empty()) {
      build.schedules_known = false;
      continue;
    }
    const sim::PayloadSetting payload = read_payload(section, definition, build);
    const std::int64_t count = section.given("count") ? section.number("count") : 0;
    if (build.scenario.schedules.size() + static_cast<std::size_t>(count) > kMaxSchedules) {
      build.diagnostics.add(section.place("count"), fmt::format("more than {} schedules", kMaxSchedules));
      build.schedules_known = false;
      return;
    }
    for (std::int64_t i = 1; i <= std::max<std::int64_t>(count, 1); ++i) {
      std::string each = count == 0 ? name : fmt::format("{}-{}", name, i);
      if (!names.insert(each).second) {
        build.diagnostics.add(section.place("name"), fmt::format("there is a schedule `{}` already", each));
        break;
      }
      build.scenario.schedules.push_back({std::move(each), definition, payload});
      build.good_schedules.push_back(good);
    }
  }
}

void build_changes(Build& build) {
  needs_scheduler("change", build);
  std::vector<ReadChange> changes;
  std::set<std::uint64_t> ids;
  std::uint64_t ordinal = 0;
  for (const Item& item : build.tables("change")) {
    Section section = read_section(&item, *build.file.spec("change").section, {}, build.diagnostics);
    ++ordinal;
    const std::uint64_t id = section.given("id") ? section.id("id") : ordinal;
    if (!ids.insert(id).second)
      build.diagnostics.add(section.place("id"),
                            fmt::format("two changes have the id {}", print_permanent_id(id)),
                            "without an `id`, a change's is its place in the file");
    if (!section.given("at") || !section.good("at") || !section.given("action") || !section.good("action") ||
        !section.given("schedule") || !section.good("schedule"))
      continue;
    if (build.duration_known && section.duration("at") >= build.scenario.duration)
      build.diagnostics.add(section.place("at"), "a change after the fault phase",
                            "[sim] duration is when that ends");
    changes.push_back({id, std::move(section)});
  }
  // What a partial update merges over depends on the order in time, not in the file.
  std::stable_sort(changes.begin(), changes.end(), [](const ReadChange& a, const ReadChange& b) {
    return a.section.duration("at") < b.section.duration("at");
  });
  Schedules schedules;
  std::uint32_t next_id = 0;
  for (const sim::ScheduleSetting& schedule : build.scenario.schedules) {
    const bool good = build.good_schedules[next_id];
    schedules.known.emplace(schedule.name, Existing{ScheduleId{next_id++}, {schedule.definition, good}});
  }
  for (const ReadChange& read : changes)
    if (auto change = build_change(read, schedules, next_id, build))
      build.scenario.changes.push_back(std::move(*change));
}

}  // namespace tenure::format
