// The fenced outbox against the real reference store, in a small world that loses, delays and kills.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/core/scheduler/history.h"
#include "tests/core/scheduler/mini_cluster.h"

namespace tenure::testing::fenced_outbox_property_tests {
namespace {

constexpr True kFaultPhase = 120 * kSec;
constexpr True kTail = 45 * kSec;

struct Action {
  enum class Kind { grant, kill, pause, stop, put, remove, trigger, release, clock_step };
  True at;
  Kind kind;
  int node;
  std::uint64_t argument;
};

void showValue(const Action& a, std::ostream& os) {
  constexpr const char* kNames[] = {"grant",  "kill",    "pause",   "stop",      "put",
                                    "remove", "trigger", "release", "clock-step"};
  os << kNames[static_cast<int>(a.kind)] << "(n" << a.node << ", " << a.argument << ") at " << a.at << "ns";
}

Parameters parameters() { return Parameters{kFencedOutbox.parameters()}; }

Definition definition_from(std::uint64_t bits) {
  constexpr std::int64_t kPeriodsMs[] = {700, 1'000, 2'500, 10'000, 30'000};
  constexpr std::int64_t kGracesMs[] = {0, 1'500, 60'000};
  Definition d;
  d.recurrence = Interval{StoreTime::from_ns(kEpochNs + static_cast<std::int64_t>(bits % 97) * 100 * kMs),
                          Duration::millis(kPeriodsMs[bits / 97 % 5])};
  d.misfire.policy = static_cast<Misfire::Policy>(bits / 485 % 3);
  d.misfire.grace = Duration::millis(kGracesMs[bits / 1'455 % 3]);
  d.paused = bits / 4'365 % 5 == 0;
  Hasher more(bits);
  const auto draw = [&more](std::uint64_t n) {
    return static_cast<std::int64_t>(reduce(more.add(1).value(), n));
  };
  if (draw(4) == 0) {
    std::set<StoreTime> times;
    for (int n = 0; n < 12; ++n) times.insert(StoreTime::from_ns(kEpochNs + draw(120) * kSec));
    d.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(times.begin(), times.end())};
  }
  if (draw(3) == 0) d.jitter = {Duration::millis(draw(20'000)), static_cast<Jitter::Per>(draw(2)), 7};
  if (draw(3) == 0) d.overlap = static_cast<Overlap>(draw(3));
  if (draw(4) == 0) d.misfire.once = Misfire::Which::earliest;
  if (draw(4) == 0) d.misfire.catchup_window = Duration::millis(1 + draw(60'000));
  if (draw(4) == 0) d.misfire.max_catchup = 1 + draw(5);
  if (draw(6) == 0) d.until = StoreTime::from_ns(kEpochNs + draw(120) * kSec);
  return d;
}

// What an action leaves for later happens within the fault phase, or not at all.
void after(LittleWorld& world, True delay, std::function<void()> what) {
  const True when = world.now() + delay;
  if (when < kFaultPhase) world.at(when, std::move(what));
}

void act(LittleWorld& world, const Action& action) {
  const int node = action.node % world.size();
  switch (action.kind) {
    case Action::Kind::grant:
      for (int i = 0; i < world.size(); ++i) {
        if (i == node) continue;
        // The one before may believe for a while yet: a zombie.
        after(world, static_cast<True>(action.argument % 4) * kSec,
              [&world, i] { world.forget_leadership(i); });
      }
      world.grant(node);
      return;
    case Action::Kind::kill:
      world.kill(node);
      after(world, static_cast<True>(action.argument % 5'000) * kMs, [&world, node] { world.start(node); });
      return;
    case Action::Kind::pause: return world.pause(node, static_cast<True>(action.argument % 20'000) * kMs);
    case Action::Kind::stop:
      world.stop(node);
      after(world, 6 * kSec, [&world, node] {
        world.kill(node);
        world.start(node);
      });
      return;
    case Action::Kind::put:
      return world.put(ScheduleId{static_cast<std::uint32_t>(action.node)}, definition_from(action.argument));
    case Action::Kind::remove: return world.remove(ScheduleId{static_cast<std::uint32_t>(action.node)});
    case Action::Kind::trigger:
      return world.trigger(ScheduleId{static_cast<std::uint32_t>(action.node)}, 1 + action.argument);
    case Action::Kind::release: return world.release();
    case Action::Kind::clock_step: {
      constexpr True kSteps[] = {100 * kMs, 800 * kMs, 20 * kSec, 600 * kSec};
      const True step = kSteps[action.argument % 4];
      return world.step_store_clock(action.argument / 4 % 2 == 0 ? step : -step);
    }
  }
}

rc::Gen<std::vector<Action>> actions(std::size_t clock_steps) {
  using Kind = Action::Kind;
  const auto kind = rc::gen::weightedElement<Kind>({{6, Kind::grant},
                                                    {4, Kind::kill},
                                                    {4, Kind::pause},
                                                    {1, Kind::stop},
                                                    {8, Kind::put},
                                                    {1, Kind::remove},
                                                    {2, Kind::trigger},
                                                    {1, Kind::release},
                                                    {clock_steps, Kind::clock_step}});
  return rc::gen::container<std::vector<Action>>(rc::gen::build<Action>(
      rc::gen::set(&Action::at, rc::gen::inRange<True>(0, kFaultPhase)), rc::gen::set(&Action::kind, kind),
      rc::gen::set(&Action::node, rc::gen::inRange(0, 6)),
      rc::gen::set(&Action::argument, rc::gen::inRange<std::uint64_t>(0, 1'000'000))));
}

Weather weather_from(std::uint64_t bits) {
  constexpr std::int64_t kRates[] = {0, 20, 150};
  Weather w;
  w.lost_request_permille = kRates[bits % 3];
  w.lost_answer_permille = kRates[bits / 3 % 3];
  w.late_permille = kRates[bits / 9 % 3];
  w.rejected_permille = kRates[bits / 27 % 3];
  w.lost_notification_permille = kRates[bits / 81 % 3];
  w.latency_max = bits / 243 % 2 == 0 ? 3 * kMs : 800 * kMs;
  return w;
}

// Faults, then a heal, then time to catch up.
void live_through(LittleWorld& world, const std::vector<Action>& plan, std::uint64_t weather, True tail) {
  for (int i = 0; i < world.size(); ++i) world.start(i);
  for (std::uint32_t s = 0; s < 3; ++s) world.put(ScheduleId{s}, definition_from(1'455 * s + 97 * s));
  world.grant(0);
  world.weather = weather_from(weather);
  for (const Action& action : plan) world.at(action.at, [&world, action] { act(world, action); });
  world.run_until(kFaultPhase);
  world.weather = Weather{};
  for (int i = 0; i < world.size(); ++i) {
    world.kill(i);
    world.start(i);
  }
  world.grant(1);
  world.run_until(kFaultPhase + tail);
}

void expect_exactly_once(const LittleWorld& world, StoreTime until, bool clock_steps) {
  const Findings found = judge(world, until, clock_steps);
  for (const std::string& text : found.wrong) RC_LOG() << text << "\n";
  RC_ASSERT(found.wrong.empty());
  RC_TAG(found.slots > 0 ? "slots" : "no slots");
  RC_TAG(world.commits_unknown > 0 ? "a commit's fate was unknown" : "all commits answered");
}

RC_GTEST_PROP(FencedOutboxProperty, covers_and_executes_every_slot_exactly_once, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>().as("seed");
  const auto weather = *rc::gen::inRange<std::uint64_t>(0, 486).as("weather");
  const auto plan = *actions(0).as("plan");
  LittleWorld world{seed, 3, parameters()};
  live_through(world, plan, weather, kTail);
  expect_exactly_once(world, StoreTime::from_ns(kEpochNs + kFaultPhase), false);
}

// The same when the store's clock steps: holds come and go, and in the end every slot is covered.
RC_GTEST_PROP(FencedOutboxProperty, covers_and_executes_every_slot_exactly_once_over_clock_steps, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>().as("seed");
  const auto weather = *rc::gen::inRange<std::uint64_t>(0, 486).as("weather");
  const auto plan = *actions(12).as("plan");
  Parameters with_short_hold = parameters();
  with_short_hold.set(with_short_hold.find("clock_hold"), 5 * kSec);
  LittleWorld world{seed, 3, with_short_hold};
  StoreTime owed;
  world.at(kFaultPhase, [&world, &owed] { owed = world.store_now(); });
  live_through(world, plan, weather, 2 * kTail);
  expect_exactly_once(world, owed, true);
  RC_TAG(world.alarms.empty() ? "no alarm" : "an alarm");
}

}  // namespace
}  // namespace tenure::testing::fenced_outbox_property_tests
