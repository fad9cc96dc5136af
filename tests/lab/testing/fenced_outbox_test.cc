// fenced-outbox in whole runs of drawn settings: no part of what a leader does can take its one request at a time for
// itself, whatever the ratio of the periods, the sizes and a round trip; nor can fires take all workers, or work that
// failed; and whatever breaks meanwhile, each slot is covered and executed once.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string_view>

#include "lab/testing/generators.h"

namespace tenure::testing::fenced_outbox_tests {
namespace {

constexpr Duration kMilli = Duration::millis(1);

// One instance of fenced-outbox, which is what the election allows to fire.
sim::Scenario one_leader() {
  return scenario_from(
             "format = 1\nname = \"one-leader\"\n[sim]\nduration = \"1m\"\ntail = "
             "\"1m\"\n[cluster]\ninstances = 1\n"
             "protocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n[expect]\nalways = "
             "[\"no-lost-fire\"]\n"
             "[[schedule]]\nname = \"job\"\nevery = \"1m\"\ngrace = \"1000h\"\n")
      .scenario;
}

void set(sim::Scenario& scenario, std::string_view name, Duration value) {
  scenario.scheduling.set(name, value);
}
void set_count(sim::Scenario& scenario, std::string_view name, std::int64_t value) {
  scenario.scheduling.set(scenario.scheduling.find(name), value);
}

// Log-uniform: each order of magnitude is as likely as any other.
rc::Gen<Duration> over_orders(Duration least, int orders) {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange(0, orders), rc::gen::inRange<std::int64_t>(100, 1'000)),
                      [least](const std::pair<int, std::int64_t>& drawn) {
                        Duration value = Duration::nanos(least.ns() * drawn.second / 100);
                        for (int i = 0; i < drawn.first; ++i) value = value * 10;
                        return value;
                      });
}

// A network and work of these lengths, an election that outlasts them, and `count` schedules that are due together,
// from the third period on.
struct Surroundings {
  Duration latency;
  Duration work;

  Duration round_trip() const { return latency * 2 + kMilli; }
  void put_into(sim::Scenario& scenario, Duration period, int count) const {
    scenario.network.latency = sim::Quantiles::constant(latency);
    scenario.work.duration = sim::Quantiles::constant(work);
    Parameters& election = scenario.instances.front().election;
    election.set("request_timeout", round_trip() * 2);
    election.set("renew_period", round_trip() * 4 + Duration::seconds(5));
    election.set("lease_duration", round_trip() * 12 + Duration::seconds(15));
    const sim::ScheduleSetting job = scenario.schedules.front();
    scenario.schedules.assign(static_cast<std::size_t>(count), job);
    for (int i = 0; i < count; ++i) {
      sim::ScheduleSetting& schedule = scenario.schedules[static_cast<std::size_t>(i)];
      schedule.name += "-" + std::to_string(i + 1);
      schedule.definition.recurrence = Interval{StoreTime::from_ns(scenario.start_ns) + period * 3, period};
    }
  }
};

struct Settings {
  Duration poll_period, read_ahead, ack_delay, retry_period, prune_period;
  std::int64_t batch, max_running;
  Surroundings around;
  int schedules;

  // In one go as many slots fire as a commit takes and workers are free for; manual runs take half of them.
  Duration one_go() const {
    return around.round_trip() * (prune_period == Duration{} ? 4 : 5) + (around.work + kMilli) * 2;
  }
  Duration all_due() const { return one_go() * (schedules / std::min(batch, max_running) + 2); }
  Duration period() const {
    const std::int64_t least = (all_due() * 2 + kMilli * 10).ns();
    return Duration::nanos(least + 1'000 - least % 1'000);
  }
  // Fewer where the leader would have much to ask between two slots.
  std::int64_t rounds() const {
    const Duration quiet = std::max(poll_period, around.round_trip());
    return std::clamp<std::int64_t>(quiet.ns() / 1'000 * 30'000 / (period().ns() / 1'000), 4, 30);
  }

  sim::Scenario scenario() const {
    sim::Scenario made = one_leader();
    around.put_into(made, period(), schedules);
    made.duration = period() * (3 + rounds());
    made.tail = std::max(period() * 2 + poll_period, Duration::minutes(1)) + around.round_trip() * 20;
    set(made, "poll_period", poll_period);
    set(made, "read_ahead", read_ahead);
    set(made, "ack_delay", ack_delay);
    set(made, "retry_period", retry_period);
    set(made, "request_timeout", around.round_trip() * 2 + kMilli);
    set(made, "stall_timeout", around.round_trip() * 20 + retry_period * 2 + Duration::seconds(15));
    set(made, "retention", prune_period == Duration{} ? Duration{} : kMilli);
    if (prune_period > Duration{}) set(made, "prune_period", prune_period);
    set_count(made, "batch", batch);
    set_count(made, "max_running", max_running);
    for (std::int64_t round = 0; round < rounds(); round += 3)
      made.changes.push_back({.id = static_cast<std::uint64_t>(round) + 1,
                              .at = period() * (3 + round),
                              .action = sim::ChangeAction::trigger,
                              .schedule_name = made.schedules.front().name,
                              .schedule = ScheduleId{0},
                              .definition = made.schedules.front().definition,
                              .slots = {}});
    return made;
  }
};

rc::Gen<Surroundings> surroundings(int orders) {
  return rc::gen::build<Surroundings>(
      rc::gen::set(&Surroundings::latency, over_orders(Duration::micros(10), orders)),
      rc::gen::set(&Surroundings::work, over_orders(Duration::micros(10), orders)));
}

rc::Gen<Settings> settings() {
  const auto period = over_orders(kMilli, 6);
  const auto or_none = rc::gen::oneOf(rc::gen::just(Duration{}), period);
  // At full size from the first one on.
  return rc::gen::resize(
      rc::kNominalSize,
      rc::gen::build<Settings>(
          rc::gen::set(&Settings::poll_period, period), rc::gen::set(&Settings::read_ahead, period),
          rc::gen::set(&Settings::ack_delay, or_none), rc::gen::set(&Settings::retry_period, period),
          rc::gen::set(&Settings::prune_period, or_none),
          rc::gen::set(&Settings::batch, rc::gen::element<std::int64_t>(1, 2, 3, 7, 500, 100'000)),
          rc::gen::set(&Settings::max_running, rc::gen::element<std::int64_t>(1, 2, 3, 7, 600, 10'000)),
          rc::gen::set(&Settings::around, surroundings(6)),
          rc::gen::set(&Settings::schedules, rc::gen::inRange(1, 8))));
}

RC_GTEST_PROP(FencedOutbox, fires_slots_and_manual_runs_wherever_the_store_answers, ()) {
  const Settings s = *rc::gen::noShrink(settings());
  const Outcome outcome = run(s.scenario());
  RC_LOG() << outcome;
  RC_ASSERT(outcome.ok());
  const sim::Samples& late = outcome.result.metrics.fire_lateness;
  RC_ASSERT(late.count() >= static_cast<std::uint64_t>(s.rounds() * s.schedules));
  RC_ASSERT(late.max() <= s.all_due() + kMilli * 10);
  RC_TAG(s.poll_period < s.around.round_trip() ? "polls within a round trip" : "polls more rarely",
         s.read_ahead < s.around.round_trip() ? "reads ahead for less than one" : "reads further ahead");
}

struct FailingWork {
  std::int64_t max_running, failing_permille;
  Duration work_retry;
  Surroundings around;
  bool crowded;  // more is due than the workers can take; else a quarter of that at most

  Duration period() const {
    const Duration least = crowded ? Duration::nanos(around.work.ns() / (2 * max_running))
                                   : (around.work + around.round_trip() * 4) * 8;
    return Duration::nanos(std::max(least, kMilli).ns() / 1'000 * 1'000);
  }
  sim::Scenario scenario() const {
    sim::Scenario made = one_leader();
    around.put_into(made, period(), 1);
    made.duration = std::max(around.work + around.round_trip(), kMilli) * 200 + period() * (crowded ? 3 : 23);
    made.tail = Duration::minutes(2);
    made.work.failing_ppm = failing_permille * 1'000;
    set(made, "work_retry", work_retry);
    set_count(made, "work_attempts", 1'000);
    set_count(made, "max_running", max_running);
    return made;
  }
};

rc::Gen<FailingWork> failing_work() {
  return rc::gen::resize(
      rc::kNominalSize,
      rc::gen::build<FailingWork>(
          rc::gen::set(&FailingWork::max_running, rc::gen::element<std::int64_t>(1, 2, 3, 7)),
          rc::gen::set(&FailingWork::failing_permille, rc::gen::element<std::int64_t>(50, 400, 1'000)),
          rc::gen::set(&FailingWork::work_retry, over_orders(kMilli, 4)),
          rc::gen::set(&FailingWork::around, surroundings(5)),
          rc::gen::set(&FailingWork::crowded, rc::gen::arbitrary<bool>())));
}

RC_GTEST_PROP(FencedOutbox, lets_failed_work_and_fires_share_the_workers, ()) {
  const FailingWork s = *rc::gen::noShrink(failing_work());
  const Outcome outcome = run(s.scenario());
  RC_LOG() << outcome;
  RC_ASSERT(outcome.ok());
  // Where the workers could take them, fires are not held up by what fails over and over.
  if (!s.crowded) RC_ASSERT(outcome.result.metrics.fire_lateness.max() <= s.period());
  RC_TAG(s.crowded ? "crowded" : "not crowded");
}

// Three instances with schedules of all kinds, or with clients that edit: faults, then a heal, then time to catch up.
RC_GTEST_PROP(FencedOutbox, covers_and_executes_every_slot_exactly_once, ()) {
  static const std::string kThree =
      "format = 1\nname = \"three\"\n[sim]\nduration = \"2m\"\ntail = \"3m\"\n[cluster]\ninstances = 3\n"
      "protocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n[scheduling]\nclock_hold = \"5s\"\n"
      "[[schedule]]\nname = \"job\"\nevery = \"1s\"\n[[schedule]]\nname = \"other\"\nevery = \"700ms\"\n";
  static const format::ScenarioFile kPlain = scenario_from(kThree);
  static const format::ScenarioFile kEdited =
      scenario_from(kThree +
                    "[[change]]\nat = \"20s\"\naction = \"update\"\nschedule = \"job\"\nevery = \"2500ms\"\n"
                    "[[change]]\nat = \"40s\"\naction = \"pause\"\nschedule = \"job\"\n"
                    "[[change]]\nat = \"60s\"\naction = \"resume\"\nschedule = \"job\"\n"
                    "[[change]]\nat = \"80s\"\naction = \"trigger\"\nschedule = \"job\"\n"
                    "[[change]]\nat = \"90s\"\naction = \"delete\"\nschedule = \"other\"\n");
  const Outcome outcome = *rc::gen::arbitrary<bool>()
                              ? run(*scenarios(kEdited, {.cluster = true}))
                              : run(*scenarios(kPlain, {.cluster = true, .schedules = 3}));
  must_hold(outcome);
  RC_ASSERT(outcome.violations("no-duplicate-fire") == 0U);
}

}  // namespace
}  // namespace tenure::testing::fenced_outbox_tests
