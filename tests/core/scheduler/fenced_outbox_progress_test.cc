// Where the store answers, slots fire and manual runs begin, whatever the ratio of the periods, the sizes and a round
// trip: no part of what a leader does can take its one request at a time for itself. Nor can fires take all workers, or
// work that failed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/core/scheduler/mini_cluster.h"

namespace tenure::testing::fenced_outbox_progress_tests {
namespace {

// Log-uniform: each order of magnitude is as likely as any other.
rc::Gen<std::int64_t> over_orders(std::int64_t least, int orders) {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange(0, orders), rc::gen::inRange<std::int64_t>(100, 1'000)),
                      [least](const std::pair<int, std::int64_t>& drawn) {
                        std::int64_t value = least * drawn.second / 100;
                        for (int i = 0; i < drawn.first; ++i) value *= 10;
                        return value;
                      });
}

struct Settings {
  True poll_period, read_ahead, ack_delay, retry_period, prune_period;
  std::int64_t batch, max_running;
  True latency, work;
  std::uint32_t schedules;
  std::uint64_t seed;

  True round_trip() const { return 2 * (100'000 + latency) + 100'000; }
  // In one go as many slots fire as a commit takes and workers are free for; manual runs take half of them.
  True one_go() const { return (prunes() ? 5 : 4) * round_trip() + 2 * (work + kMs); }
  bool prunes() const { return prune_period > 0; }
  True all_due() const { return (schedules / std::min(batch, max_running) + 2) * one_go(); }
  True period() const {
    const True least = 2 * all_due() + 10 * kMs;
    return least + 1'000 - least % 1'000;
  }
  // Fewer where the leader would have much to ask between two slots.
  True rounds() const {
    return std::clamp<True>(30'000 * std::max(poll_period, round_trip()) / period(), 4, 30);
  }
  True lateness() const { return all_due() + 10 * kMs + period() / 1'000; }
};

void showValue(const Settings& s, std::ostream& os) {
  os << "poll_period " << s.poll_period << "ns, read_ahead " << s.read_ahead << "ns, ack_delay "
     << s.ack_delay << "ns, retry_period " << s.retry_period << "ns, prune_period " << s.prune_period
     << "ns, batch " << s.batch << ", max_running " << s.max_running << ", latency " << s.latency
     << "ns, work " << s.work << "ns, " << s.schedules << " schedules, seed " << s.seed;
}

rc::Gen<Settings> settings() {
  // At full size from the first one on.
  return rc::gen::resize(
      rc::kNominalSize,
      rc::gen::build<Settings>(
          rc::gen::set(&Settings::poll_period, over_orders(kMs, 6)),
          rc::gen::set(&Settings::read_ahead, over_orders(kMs, 6)),
          rc::gen::set(&Settings::ack_delay, rc::gen::oneOf(rc::gen::just<True>(0), over_orders(kMs, 6))),
          rc::gen::set(&Settings::retry_period, over_orders(kMs, 6)),
          rc::gen::set(&Settings::prune_period, rc::gen::oneOf(rc::gen::just<True>(0), over_orders(kMs, 6))),
          rc::gen::set(&Settings::batch, rc::gen::element<std::int64_t>(1, 2, 3, 7, 500, 100'000)),
          rc::gen::set(&Settings::max_running, rc::gen::element<std::int64_t>(1, 2, 3, 7, 600, 10'000)),
          rc::gen::set(&Settings::latency, over_orders(10'000, 6)),
          rc::gen::set(&Settings::work, over_orders(10'000, 6)),
          rc::gen::set(&Settings::schedules, rc::gen::inRange<std::uint32_t>(1, 8)),
          rc::gen::set(&Settings::seed, rc::gen::arbitrary<std::uint64_t>())));
}

Parameters parameters_of(const Settings& s) {
  Parameters parameters{kFencedOutbox.parameters()};
  parameters.set("poll_period", Duration::nanos(s.poll_period));
  parameters.set("read_ahead", Duration::nanos(s.read_ahead));
  parameters.set("ack_delay", Duration::nanos(s.ack_delay));
  parameters.set("retry_period", Duration::nanos(s.retry_period));
  parameters.set("request_timeout", Duration::nanos(2 * s.round_trip() + kMs));
  parameters.set("retention", Duration::nanos(s.prunes() ? 1'000'000 : 0));
  if (s.prunes()) parameters.set("prune_period", Duration::nanos(s.prune_period));
  parameters.set(parameters.find("batch"), s.batch);
  parameters.set(parameters.find("max_running"), s.max_running);
  return parameters;
}

RC_GTEST_PROP(FencedOutboxProgress, slots_fire_and_manual_runs_begin_wherever_the_store_answers, ()) {
  const Settings s = *settings();
  LittleWorld world{s.seed, 1, parameters_of(s)};
  world.weather.latency_max = s.latency;
  world.work_length = s.work;
  world.start(0);
  const True first = 3 * s.period();
  for (std::uint32_t id = 0; id < s.schedules; ++id) {
    Definition definition{Interval{StoreTime::from_ns(kEpochNs + first), Duration::nanos(s.period())}};
    definition.misfire.grace = Duration::hours(10'000);
    world.put(ScheduleId{id}, definition);
  }
  world.grant(0);
  const True end = first + s.rounds() * s.period();
  const True sweep = s.poll_period + 2 * s.period();
  for (True round = 0; round < s.rounds(); round += 3)
    world.at(first + round * s.period(),
             [&world, round] { world.trigger(ScheduleId{0}, static_cast<std::uint64_t>(round) + 1); });
  world.run_until(end + s.lateness());

  std::map<reference::EventId, True> begun;
  for (const BegunWork& work : world.begun)
    RC_ASSERT(begun.emplace(work.event, work.store_now.ns() - kEpochNs).second);
  for (std::uint32_t id = 0; id < s.schedules; ++id) {
    for (True due = first; due < end; due += s.period()) {
      const auto found = begun.find({ScheduleId{id}, StoreTime::from_ns(kEpochNs + due), 0});
      RC_ASSERT(found != begun.end());
      RC_ASSERT(found->second - due <= s.lateness());
    }
  }
  for (const reference::EventId& run : world.manual_runs) {
    const True asked = run.slot.ns() - kEpochNs;
    RC_ASSERT(begun.contains(run) || asked + sweep > end);
  }
  RC_TAG(s.poll_period < s.round_trip() ? "polls within a round trip" : "polls more rarely",
         s.read_ahead < s.round_trip() ? "reads ahead for less than one" : "reads further ahead");
}

// ---- work that failed ----------------------------------------------------------------------------------------

struct FailingWork {
  std::int64_t max_running, failing_permille;
  True work_retry, latency, work;
  bool crowded;  // more is due than the workers can take; else a quarter of that at most
  std::uint64_t seed;

  True round_trip() const { return 2 * (100'000 + latency) + 100'000; }
  True period() const {
    const True least = crowded ? work / (2 * max_running) : 8 * (work + 4 * round_trip());
    return std::max(least, kMs) / 1'000 * 1'000;
  }
  True end() const { return 200 * std::max(work + round_trip(), kMs) + (crowded ? 0 : 20 * period()); }
  // From the failure until it is to be begun again.
  True wait(int tries) const {
    return std::min(work_retry * (std::int64_t{1} << std::min(tries, 20)), 60 * kSec);
  }
};

void showValue(const FailingWork& s, std::ostream& os) {
  os << "max_running " << s.max_running << ", failing " << s.failing_permille << " in 1000, work_retry "
     << s.work_retry << "ns, latency " << s.latency << "ns, work " << s.work << "ns, "
     << (s.crowded ? "crowded" : "not crowded") << ", seed " << s.seed;
}

rc::Gen<FailingWork> failing_work() {
  return rc::gen::resize(
      rc::kNominalSize,
      rc::gen::build<FailingWork>(
          rc::gen::set(&FailingWork::max_running, rc::gen::element<std::int64_t>(1, 2, 3, 7)),
          rc::gen::set(&FailingWork::failing_permille, rc::gen::element<std::int64_t>(50, 400, 1'000)),
          rc::gen::set(&FailingWork::work_retry, over_orders(kMs, 4)),
          rc::gen::set(&FailingWork::latency, over_orders(10'000, 4)),
          rc::gen::set(&FailingWork::work, over_orders(kMs, 4)),
          rc::gen::set(&FailingWork::crowded, rc::gen::arbitrary<bool>()),
          rc::gen::set(&FailingWork::seed, rc::gen::arbitrary<std::uint64_t>())));
}

Parameters parameters_of(const FailingWork& s) {
  Parameters parameters{kFencedOutbox.parameters()};
  parameters.set("work_retry", Duration::nanos(s.work_retry));
  parameters.set(parameters.find("work_attempts"), 1'000);
  parameters.set(parameters.find("max_running"), s.max_running);
  return parameters;
}

RC_GTEST_PROP(FencedOutboxProgress, failed_work_and_fires_share_the_workers, ()) {
  const FailingWork s = *failing_work();
  LittleWorld world{s.seed, 1, parameters_of(s)};
  world.weather.latency_max = s.latency;
  world.work_length = s.work;
  world.failing_permille = s.failing_permille;
  world.start(0);
  const True first = kSec;
  Definition definition{Interval{StoreTime::from_ns(kEpochNs + first), Duration::nanos(s.period())}};
  definition.misfire.grace = Duration::hours(10'000);
  world.put(ScheduleId{0}, definition);
  world.grant(0);
  const True end = first + s.end();
  world.run_until(end);

  // What waits to be begun again lets at most so many others go first: all workers, and what is being committed.
  const std::int64_t others_max = 2 * s.max_running;
  const True margin = 20 * kMs + 2 * s.round_trip();
  std::map<reference::EventId, int> tries;
  std::map<reference::EventId, True> due;  // of what waits
  std::int64_t others = 0;
  for (const BegunWork& work : world.begun) {
    const True now = work.store_now.ns() - kEpochNs;
    const bool again = due.erase(work.event) > 0;
    const bool overdue =
        std::any_of(due.begin(), due.end(), [&](const auto& waits) { return waits.second + margin < now; });
    others = overdue && !again ? others + 1 : 0;
    RC_ASSERT(others <= others_max);
    if (work.failed) due[work.event] = now + s.work + s.wait(tries[work.event]++);
  }
  // Where the workers could take them, fires are not held up by what fails over and over.
  std::set<True> begun;
  for (const BegunWork& work : world.begun) begun.insert(work.event.slot.ns() - kEpochNs);
  for (True slot = first; !s.crowded && slot < end - s.period(); slot += s.period())
    RC_ASSERT(begun.contains(slot));
  RC_TAG(s.crowded ? "crowded" : "not crowded");
}

}  // namespace
}  // namespace tenure::testing::fenced_outbox_progress_tests
