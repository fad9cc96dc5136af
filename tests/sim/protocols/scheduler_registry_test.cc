// What every scheduler must be, whichever it is: this walks the registry.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>

#include "core/scheduler/scheduler_kind.h"
#include "core/store/store_kind.h"
#include "sim/protocols/registry.h"
#include "sim/stores/record/requests.h"
#include "sim/stores/registry.h"
#include "sim/stores/schedule_table/requests.h"
#include "tests/sim/protocols/families.h"
#include "tests/support/definitions.h"
#include "tests/support/scripted_env.h"

namespace tenure::testing {
namespace {

TEST(SchedulerRegistry, names_each_scheduler_once_and_finds_it) {
  std::set<std::string_view> names;
  for (const SchedulerKind& kind : scheduler_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(find_scheduler_kind(kind.name), &kind);
    EXPECT_FALSE(kind.summary.empty());
    if (kind.writes) continue;  // its leader asks no store
    ASSERT_NE(kind.store, nullptr);
    EXPECT_EQ(find_store_kind(kind.store->name), kind.store);
  }
  EXPECT_EQ(find_scheduler_kind("cron"), nullptr);
}

TEST(SchedulerRegistry, parameters_are_documented_distinct_and_within_their_bounds) {
  for (const SchedulerKind& kind : scheduler_kinds()) {
    std::set<std::string_view> names;
    for (const ParameterSpec& spec : kind.parameters()) {
      EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
      EXPECT_LE(spec.min, spec.default_value) << spec.name;
      EXPECT_LE(spec.default_value, spec.max) << spec.name;
      EXPECT_FALSE(spec.doc.empty()) << spec.name;
    }
    EXPECT_EQ(names.contains("request_timeout"), kind.store != nullptr);
    EXPECT_TRUE(kind.validate(Parameters{kind.parameters()}).empty());
  }
}

TEST(SchedulerRegistry, claims_name_each_invariant_once) {
  for (const SchedulerKind& kind : scheduler_kinds()) {
    std::set<std::string_view> invariants;
    for (const Claim& claim : kind.claims()) {
      EXPECT_TRUE(invariants.insert(claim.invariant).second) << claim.invariant;
      const std::set<Assumption> assumptions(claim.assumptions.begin(), claim.assumptions.end());
      EXPECT_EQ(assumptions.size(), claim.assumptions.size()) << claim.invariant;
    }
  }
}

// ---- totality: any input, at any time, in any order --------------------------------------------------------

// In [low, high), evenly, however small RapidCheck would have its values.
template <class T>
T pick(T low, T high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high));
}

// Mostly what a sane world would say, since a scheduler that is only ever shocked does nothing; at times anything.
bool sane() { return pick(0, 100) != 0; }
std::int64_t any_time() {
  return *rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(),
                         rc::gen::element<std::int64_t>(INT64_MIN, INT64_MAX, 0));
}
constexpr std::int64_t kWallZero = 1'767'225'600'000'000'000;  // where the scripted wall clock starts
StoreTime any_store_time() {
  if (!sane()) return StoreTime::from_ns(any_time());
  return StoreTime::from_ns(kWallZero) + Duration::millis(pick(-60'000, 300'000));
}
Token any_token() { return {1, pick<std::uint64_t>(1, 4), 5}; }
std::uint64_t any_seq() { return sane() ? 3 : pick<std::uint64_t>(0, 6); }
ScheduleId any_schedule() { return ScheduleId{pick<std::uint32_t>(0, 2)}; }
// At times with what no client may ask for.
Definition any_definition() {
  Definition d = *definitions(StoreTime::from_ns(kWallZero) + Duration::seconds(pick(-60, 300)));
  if (!sane()) d.not_before = any_store_time();
  if (!sane()) d.jitter.max = Duration::nanos(any_time());
  if (!sane()) d.misfire.grace = Duration::nanos(any_time());
  return d;
}
reference::Segment any_segment() {
  const StoreTime begin = any_store_time();
  const StoreTime end = *rc::gen::arbitrary<bool>() ? StoreTime::max() : any_store_time();
  return {any_schedule(), sane() ? 1 : pick<std::uint32_t>(0, 3), begin, end, any_store_time()};
}
reference::EventId any_event() { return {any_schedule(), any_store_time(), pick<std::uint64_t>(0, 2)}; }
std::optional<reference::Hold> any_hold() {
  if (sane()) return std::nullopt;
  return reference::Hold{any_store_time(), Duration::nanos(any_time())};
}
template <class Make>
auto some(Make make) {
  std::vector<decltype(make())> made;
  for (int n = pick(0, 4); n > 0; --n) made.push_back(make());
  return made;
}

Reply any_reply() {
  switch (pick(0, 12)) {
    case 0:
      return reference::Reply{reference::Due{some(any_segment), pick(0, 4) == 0, any_seq(), any_hold()}};
    case 1: {
      reference::Outbox outbox;
      for (const reference::EventId& event : some(any_event))
        outbox.events.push_back({outbox.events.size() + 1, event});
      outbox.more = !sane();
      return reference::Reply{outbox};
    }
    case 2: {
      reference::Changes changes;
      for (std::uint64_t seq = 1; seq <= 3; ++seq)
        changes.changes.push_back({sane() ? seq : any_seq(), any_segment(), any_definition(), !sane()});
      changes.seq = 3;
      changes.more = !sane();
      changes.hold = any_hold();
      return reference::Reply{changes};
    }
    case 3:
    case 4:
      return reference::Reply{
          reference::Committed{some([] { return static_cast<reference::RowResult>(pick(0, 4)); })}};
    case 5:
      return reference::Reply{
          reference::CommitRefused{reference::Denial::expired, *rc::gen::arbitrary<bool>()}};
    case 6: return reference::Reply{reference::HoldSet{any_hold()}};
    case 7: return reference::Reply{reference::Acknowledged{}};
    case 8: return reference::Reply{reference::Pruned{}};
    case 9: {
      schedule_table::Runs runs;
      for (const reference::Segment& s : some(any_segment))
        runs.rows.push_back({s.schedule, any_definition(), s.cursor});
      return schedule_table::Reply{runs};
    }
    case 10: return schedule_table::Reply{schedule_table::Written{}};
    default: return record::Reply{record::NotFound{}};
  }
}

// The right sort of answer more often than not, or a scheduler would never get anywhere.
Reply fitting_reply(const Request& request) {
  const auto* asked = std::get_if<reference::Request>(&request);
  for (int i = 0; i < 20; ++i) {
    const Reply reply = any_reply();
    const auto* answer = std::get_if<reference::Reply>(&reply);
    if (!asked && message_as<schedule_table::Reply>(reply) != nullptr) return reply;
    if (!asked || !answer) continue;
    if (std::holds_alternative<reference::ReadDue>(*asked) && std::holds_alternative<reference::Due>(*answer))
      return reply;
    if (std::holds_alternative<reference::ReadOutbox>(*asked) &&
        std::holds_alternative<reference::Outbox>(*answer))
      return reply;
    if (std::holds_alternative<reference::ChangesSince>(*asked) &&
        std::holds_alternative<reference::Changes>(*answer))
      return reply;
    if (const auto* fires = std::get_if<reference::CommitFires>(asked)) {
      reference::Committed committed;
      for (std::size_t k = 0; k < fires->rows.size(); ++k)
        committed.rows.push_back(static_cast<reference::RowResult>(
            *rc::gen::weightedElement<int>({{6, 0}, {1, 1}, {1, 2}, {1, 3}})));
      return reference::Reply{committed};
    }
  }
  return any_reply();
}

Input any_input(ScriptedEnv& world) {
  const bool waiting = !world.outstanding().empty();
  switch (*rc::gen::weightedElement<int>({{10, 0}, {6, 1}, {2, 2}, {2, 3}, {1, 4}, {1, 5}, {1, 6}, {3, 7}})) {
    case 0: {
      if (!waiting) return Started{world.self(), 3};
      const auto& [id, asked] = *world.outstanding().begin();
      if (!sane()) return world.unknown(id);
      if (!sane()) return world.rejected(id);
      const Reply reply = sane() ? fitting_reply(asked.submission.request) : any_reply();
      return sane() ? world.applied(id, reply) : world.applied(id, reply, any_store_time());
    }
    case 1: return TimerFired{{*rc::gen::element(Part::elector, Part::scheduler), pick<std::uint8_t>(0, 2)}};
    case 2: return WorkDone{any_event(), static_cast<WorkResult>(pick(0, 4))};
    case 3: {
      const auto what =
          *rc::gen::element(Notification::What::lease_freed, Notification::What::schedules_changed);
      return ChangeNotified{StoreId{0}, {what, ResourceId{pick<std::uint32_t>(3, 5)}}};
    }
    case 4: return MessageReceived{NodeId{1}, Message{"hello", {1, 2, 3}}};
    case 5: {
      StoreReplied stray;
      stray.part = Part::scheduler;
      stray.id = {world.self(), pick<std::uint32_t>(0, 50)};
      stray.sent_at = sane() ? world.now() : MonoTime::from_ns(any_time());
      stray.outcome = RequestOutcome::applied;
      stray.store_time = sane() ? StoreTime::from_ns(world.wall_now().ns()) : any_store_time();
      stray.reply = any_reply();
      return stray;
    }
    case 6:
      if (!sane()) return StopAsked{};
      return Started{world.self(), 3};
    default: {
      // Work that was really asked for comes back.
      const auto executed = world.all<Executed>();
      if (executed.empty()) return TimerFired{{Part::scheduler, 0}};
      const auto& item =
          executed[static_cast<std::size_t>(pick<int>(0, static_cast<int>(executed.size())))].item;
      return WorkDone{item.event, static_cast<WorkResult>(pick(0, 4))};
    }
  }
}

void check_well_formed(const Requested& asked, const Leadership& leadership, const ScriptedEnv& world) {
  RC_ASSERT(asked.submission.part == Part::scheduler);
  RC_ASSERT(asked.submission.deadline > asked.at);
  const auto* reference = std::get_if<reference::Request>(&asked.submission.request);
  const auto* fires = reference ? std::get_if<reference::CommitFires>(reference) : nullptr;
  if (!fires) return;
  RC_ASSERT(asked.submission.as_leader);
  RC_ASSERT(leadership.leads(world.now()) && fires->token == *leadership.token);
  RC_ASSERT(!fires->rows.empty());
  for (const reference::LedgerRow& row : fires->rows) {
    RC_ASSERT(row.from < row.to);
    RC_ASSERT(row.what != reference::Disposition::fired || (row.from <= row.slot && row.slot < row.to));
  }
}

void takes_any_input(const SchedulerKind& kind) {
  ScriptedEnv world;
  world.seed(*rc::gen::arbitrary<std::uint64_t>());
  std::unique_ptr<Scheduler> scheduler =
      kind.make({StoreId{0}, ResourceId{3}, Parameters{kind.parameters()}});
  Leadership leadership{any_token(), MonoTime::max()};
  if (sane()) scheduler->step(Started{world.self(), 3}, leadership, world.env());
  for (int n = pick(1, 200); n > 0; --n) {
    if (!sane()) {
      leadership = {};
      if (sane()) leadership.token = any_token();
      if (sane()) leadership.believed_until = MonoTime::max();
    }
    if (*rc::gen::arbitrary<bool>()) world.advance(Duration::millis(pick(0, 3'000)));
    const Input input = any_input(world);

    const std::unique_ptr<Scheduler> copy = scheduler->clone();
    const Canon canon{world.now(), world.wall_now()};
    const auto hash_of = [&canon](const Scheduler& s) {
      Hasher hasher;
      s.hash(hasher, canon);
      return hasher.value();
    };
    const std::uint64_t before = hash_of(*scheduler);
    const std::size_t effects = world.effects().size();
    scheduler->step(input, leadership, world.env());
    RC_ASSERT(hash_of(*copy) == before);  // a copy shares nothing with its original

    RC_ASSERT(world.effects().size() < effects + 2'000);
    for (std::size_t i = effects; i < world.effects().size(); ++i) {
      if (const auto* asked = std::get_if<Requested>(&world.effects()[i]))
        check_well_formed(*asked, leadership, world);
      // A timer in the past would make a simulation stand still.
      if (const auto* timer = std::get_if<TimerSet>(&world.effects()[i]))
        RC_ASSERT(timer->deadline > world.now());
    }
    static_cast<void>(scheduler->idle());
  }
  const bool acted = !world.requests<reference::CommitFires>().empty() ||
                     !world.requests<schedule_table::SetNextRun>().empty();
  RC_TAG(acted ? "it fired" : "it did not fire");
}

RC_GTEST_PROP(SchedulerTotality, fenced_outbox_takes_any_input_at_any_time, ()) {
  takes_any_input(*find_scheduler_kind("fenced-outbox"));
}
RC_GTEST_PROP(SchedulerTotality, ticker_takes_any_input_at_any_time, ()) {
  takes_any_input(*find_scheduler_kind("ticker"));
}
RC_GTEST_PROP(SchedulerTotality, writer_takes_any_input_at_any_time, ()) {
  takes_any_input(*find_scheduler_kind("writer"));
}

}  // namespace
}  // namespace tenure::testing
