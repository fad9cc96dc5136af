#include "core/schedule/schedule_fields.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/base/check.h"

namespace tenure {

namespace {

using Field = ScheduleField;
using FieldType = Field::Type;
using Value = Field::Value;
using When = Field::Encoding::When;

constexpr std::int64_t kMicro = kStoreResolution.ns();
constexpr std::int64_t kYear = Duration::hours(365 * 24).ns();

// In the order of their values.
constexpr std::string_view kGaps[] = {"gap_end", "shift", "skip"};
constexpr std::string_view kRepeats[] = {"first", "second", "both"};
constexpr std::string_view kPers[] = {"slot", "schedule"};
constexpr std::string_view kPolicies[] = {"fire_all", "fire_once", "skip"};
constexpr std::string_view kWhich[] = {"latest", "earliest"};
constexpr std::string_view kOverlaps[] = {"allow", "skip", "queue_one", "replace"};
constexpr std::string_view kKinds[] = {"work", "pull", "push"};

template <class Enum>
Value word(std::span<const std::string_view> words, Enum value) {
  return std::string(words[static_cast<std::size_t>(value)]);
}
// REQUIRES: it is one of the words.
template <class Enum>
Enum choice(std::span<const std::string_view> words, const Value& value) {
  return static_cast<Enum>(std::ranges::find(words, std::get<std::string>(value)) - words.begin());
}

// A member, and a member of a member.
template <auto kMember, auto... kInner>
auto& member_of(auto& whole) {
  if constexpr (sizeof...(kInner) == 0)
    return whole.*kMember;
  else
    return member_of<kInner...>(whole.*kMember);
}

template <auto... kPath>
Value get(const Definition& definition) {
  const auto& member = member_of<kPath...>(definition);
  if constexpr (std::is_same_v<decltype(member), const std::uint32_t&>)
    return std::int64_t{member};
  else
    return member;
}
template <auto... kPath>
void set(Definition& definition, const Value& value) {
  auto& member = member_of<kPath...>(definition);
  using Member = std::remove_cvref_t<decltype(member)>;
  if constexpr (std::is_same_v<Member, std::uint32_t>)  // one that is too large stays so
    member = static_cast<Member>(
        std::min<std::int64_t>(std::get<std::int64_t>(value), std::numeric_limits<Member>::max()));
  else
    member = std::get<Member>(value);
}
template <const auto& kWords, auto... kPath>
Value get_word(const Definition& definition) {
  return word(kWords, member_of<kPath...>(definition));
}
template <const auto& kWords, auto... kPath>
void set_word(Definition& definition, const Value& value) {
  auto& member = member_of<kPath...>(definition);
  member = choice<std::remove_cvref_t<decltype(member)>>(kWords, value);
}

// Of a recurrence that is one; nothing of another.
template <class Kind>
Value of_kind(const Definition& definition, auto read) {
  const Kind* kind = std::get_if<Kind>(&definition.recurrence);
  return kind == nullptr ? Value{} : read(*kind);
}

Value period_of(const Definition& definition) {
  return of_kind<Interval>(definition, [](const Interval& it) -> Value { return it.period; });
}
Value cron_of(const Definition& definition) {
  return of_kind<CronRule>(
      definition, [](const CronRule& it) { return it.cron == nullptr ? Value{} : Value{it.cron->text()}; });
}
Value times_of(const Definition& definition) {
  return of_kind<Times>(definition,
                        [](const Times& it) { return it.at->size() > 1 ? Value{*it.at} : Value{}; });
}
Value time_of(const Definition& definition) {
  return of_kind<Times>(definition,
                        [](const Times& it) { return it.at->size() == 1 ? Value{it.at->front()} : Value{}; });
}
Value zone_of(const Definition& definition) {
  return of_kind<CronRule>(definition, [](const CronRule& it) -> Value { return it.zone->name(); });
}
template <const auto& kWords, auto kMember>
Value get_of_rule(const Definition& definition) {
  return of_kind<CronRule>(definition, [](const CronRule& it) { return word(kWords, it.*kMember); });
}
template <const auto& kWords, auto kMember>
void set_of_rule(Definition& definition, const Value& value) {
  auto* rule = std::get_if<CronRule>(&definition.recurrence);
  if (rule == nullptr) return;
  rule->*kMember = choice<std::remove_cvref_t<decltype(rule->*kMember)>>(kWords, value);
}
Value start_of(const Definition& definition) {
  const auto* interval = std::get_if<Interval>(&definition.recurrence);
  return interval == nullptr ? definition.not_before : interval->start;
}

bool has_calendar(const Definition& it) { return std::holds_alternative<CronRule>(it.recurrence); }
bool is_spread(const Definition& it) { return it.jitter.max > Duration{}; }
bool fires_all(const Definition& it) { return it.misfire.policy == Misfire::Policy::fire_all; }
bool fires_once(const Definition& it) { return it.misfire.policy == Misfire::Policy::fire_once; }
bool fires_late(const Definition& it) { return it.misfire.policy != Misfire::Policy::skip; }
bool is_pushed(const Definition& it) { return it.delivery.kind == Delivery::Kind::push; }
bool is_delivered(const Definition& it) { return it.delivery.kind != Delivery::Kind::work; }

constexpr Field::Dependency kCalendar{"cron", "without calendar fields in `cron`", has_calendar};
constexpr Field::Dependency kSpread{"jitter", "without `jitter`", is_spread};
constexpr Field::Dependency kFiresAll{"misfire", "without `misfire = \"fire_all\"`", fires_all};
constexpr Field::Dependency kFiresOnce{"misfire", "without `misfire = \"fire_once\"`", fires_once};
constexpr Field::Dependency kFiresLate{"misfire", "with `misfire = \"skip\"`", fires_late};
constexpr Field::Dependency kPushed{"delivery", "without `delivery = \"push\"`", is_pushed};
constexpr Field::Dependency kDelivered{"delivery", "without `delivery = \"pull\"` or `\"push\"`",
                                       is_delivered};

// By the path to it.
template <auto... kPath>
constexpr Field::Member kAt{get<kPath...>, set<kPath...>};
template <const auto& kWords, auto... kPath>
constexpr Field::Member kWordAt{get_word<kWords, kPath...>, set_word<kWords, kPath...>};
template <const auto& kWords, auto kMember>
constexpr Field::Member kWordOfRule{get_of_rule<kWords, kMember>, set_of_rule<kWords, kMember>};

constexpr Field kScheduleFields[] = {
    {.name = "every",
     .type = FieldType::duration,
     .doc = "when: slot n is start + n × every, exactly",
     .min = kMicro,
     .max = kYear,
     .optional = true,
     .member = {period_of}},
    {.name = "cron",
     .type = FieldType::cron,
     .doc = "when: as these calendar fields say, five or six with seconds first; or `@every 90s`",
     .optional = true,
     .member = {cron_of}},
    {.name = "at",
     .type = FieldType::instants,
     .doc = "when: at these instants",
     .optional = true,
     .member = {times_of}},
    {.name = "once",
     .type = FieldType::instant,
     .doc = "when: at this instant",
     .optional = true,
     .member = {time_of}},
    {.name = "timezone",
     .type = FieldType::zone,
     .doc = "with `cron`: the zone that the fields are read in",
     .needs = kCalendar,
     .member = {zone_of}},
    {.name = "dst_gap",
     .type = FieldType::choice,
     .doc = "with `timezone`: what becomes of a fixed time that the clock jumps over",
     .words = kGaps,
     .needs = kCalendar,
     .member = kWordOfRule<kGaps, &CronRule::gap>},
    {.name = "dst_overlap",
     .type = FieldType::choice,
     .doc = "with `timezone`: which of a fixed time that the clock shows twice",
     .words = kRepeats,
     .needs = kCalendar,
     .member = kWordOfRule<kRepeats, &CronRule::overlap>},
    {.name = "start",
     .type = FieldType::instant,
     .doc = "no slot before it; with `every`: slot 0, the start of the run when left out",
     .optional = true,
     .member = {start_of}},
    {.name = "end",
     .type = FieldType::instant,
     .doc = "no slot at it or after",
     .optional = true,
     .kept = {"", "until_us"},
     .member = kAt<&Definition::until>},
    {.name = "jitter",
     .type = FieldType::duration,
     .doc = "spreads fires: a slot is due up to this much later, and before the next",
     .min = kMicro,
     .max = kYear,
     .optional = true,
     .kept = {"jitter", "max_ns", When::with_part},
     .member = kAt<&Definition::jitter, &Jitter::max>},
    {.name = "jitter_per",
     .type = FieldType::choice,
     .doc = "with `jitter`: drawn for each slot, or once for the schedule",
     .words = kPers,
     .kept = {"jitter", "per", When::with_part},
     .needs = kSpread,
     .member = kWordAt<kPers, &Definition::jitter, &Jitter::per>},
    {.name = "jitter_seed",
     .type = FieldType::seed,
     .doc = "with `jitter`: what it is drawn from, besides the schedule",
     .min = 0,
     .kept = {"jitter", "seed", When::with_part},
     .needs = kSpread,
     .member = kAt<&Definition::jitter, &Jitter::seed>},
    {.name = "misfire",
     .type = FieldType::choice,
     .doc = "what becomes of slots that are found late",
     .words = kPolicies,
     .kept = {"misfire", "policy", When::always},
     .member = kWordAt<kPolicies, &Definition::misfire, &Misfire::policy>},
    {.name = "fire_once",
     .type = FieldType::choice,
     .doc = "with `misfire = \"fire_once\"`: which of the late slots fires",
     .words = kWhich,
     .kept = {"misfire", "once", When::always},
     .needs = kFiresOnce,
     .member = kWordAt<kWhich, &Definition::misfire, &Misfire::once>},
    {.name = "grace",
     .type = FieldType::duration,
     .doc = "how late a slot may be found and still be on time",
     .min = 0,
     .max = kYear,
     .kept = {"misfire", "grace_ns", When::always},
     .member = kAt<&Definition::misfire, &Misfire::grace>},
    {.name = "catchup_window",
     .type = FieldType::duration,
     .doc = "late slots older than this are missed; all are caught up with when left out",
     .min = 0,
     .max = kYear,
     .optional = true,
     .kept = {"misfire", "catchup_ns"},
     .needs = kFiresLate,
     .member = kAt<&Definition::misfire, &Misfire::catchup_window>},
    {.name = "max_catchup",
     .type = FieldType::count,
     .doc = "with `misfire = \"fire_all\"`: no more late slots than this fire, the latest; 100 when left out",
     .min = 1,
     .max = 1'000'000'000,
     .optional = true,
     .kept = {"misfire", "max_catchup"},
     .needs = kFiresAll,
     .member = kAt<&Definition::misfire, &Misfire::max_catchup>},
    {.name = "overlap",
     .type = FieldType::choice,
     .doc = "what becomes of a slot that is due while the schedule's work still runs",
     .words = kOverlaps,
     .kept = {"", "overlap", When::always},
     .member = kWordAt<kOverlaps, &Definition::overlap>},
    {.name = "paused",
     .type = FieldType::flag,
     .doc = "whether slots are suppressed",
     .in_api = false,
     .kept = {"", "paused", When::always},
     .member = kAt<&Definition::paused>},
    {.name = "delivery",
     .type = FieldType::choice,
     .doc = "who does the work of an event: the leader's own process, whoever claims it, or a destination",
     .words = kKinds,
     .in_api = false,
     .kept = {"delivery", "kind", When::with_part},
     .member = kWordAt<kKinds, &Definition::delivery, &Delivery::kind>},
    {.name = "destination",
     .type = FieldType::name,
     .doc = "where events are sent: the name of a [[destination]]; `delivery` is `push` then",
     .optional = true,
     .kept = {"delivery", "destination"},
     .needs = kPushed,
     .member = kAt<&Definition::delivery, &Delivery::destination>},
    {.name = "strict_order",
     .type = FieldType::flag,
     .doc = "of events that are not `work`: the next one waits until this one is over, retries included",
     .kept = {"delivery", "strict_order"},
     .needs = kDelivered,
     .member = kAt<&Definition::delivery, &Delivery::strict_order>},
    {.name = "attempts",
     .type = FieldType::count,
     .doc = "of events that are not `work`: after so many that failed, an event is dead; 30 if it is pushed, "
            "when left out",
     .min = 1,
     .max = kMostAttempts,
     .kept = {"delivery", "attempts"},
     .needs = kDelivered,
     .member = kAt<&Definition::delivery, &Delivery::attempts>},
    {.name = "back_off",
     .type = FieldType::duration,
     .doc =
         "of events that are not `work`: the wait after an attempt that failed, and twice as long each time",
     .min = kMicro,
     .max = kLongestBackOff.ns(),
     .kept = {"delivery", "back_off_ns"},
     .needs = kDelivered,
     .member = kAt<&Definition::delivery, &Delivery::back_off>},
    {.name = "back_off_max",
     .type = FieldType::duration,
     .doc =
         "of events that are not `work`: the longest such wait, no shorter than `back_off`; 1h if they are "
         "pushed, when left out",
     .min = kMicro,
     .max = kLongestBackOff.ns(),
     .kept = {"delivery", "longest_back_off_ns"},
     .needs = kDelivered,
     .member = kAt<&Definition::delivery, &Delivery::longest_back_off>},
};

}  // namespace

std::span<const ScheduleField> schedule_fields() { return kScheduleFields; }

const ScheduleField& schedule_field(std::string_view name) {
  const auto found = std::ranges::find(kScheduleFields, name, &Field::name);
  CHECK(found != std::end(kScheduleFields), "a field must be in the table");
  return *found;
}

ScheduleField::Value value_of(const ScheduleField& field, const Definition& definition) {
  return field.applies(definition) ? field.get(definition) : Value{};
}

Delivery usual_delivery(Delivery::Kind kind) {
  Delivery delivery{.kind = kind};
  if (kind == Delivery::Kind::push) {
    delivery.attempts = 30;
    delivery.longest_back_off = Duration::hours(1);
  }
  return delivery;
}

Definition usual_definition(Delivery::Kind kind, const Recurrence& like) {
  Definition usual{.recurrence = Interval{}, .delivery = usual_delivery(kind)};
  if (!std::holds_alternative<Interval>(like)) usual.recurrence = CronRule{};
  return usual;
}

}  // namespace tenure
